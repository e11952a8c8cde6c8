// take
let a0 = v_I;
let a1 = arrived(0u);
let a2 = exact(a0 + a1);
v_I = a2;

// reset

// hold

// update
let c0 = v_I;
let c1 = constant(0u);
let c2 = exact(c0 - c1);
let c3 = constant(1u);
let c4 = exact(c2 * c3);
let c5 = exact(c1 + c4);
let c6 = constant(2u);
let c7 = normal32(random_bits(0u));
let c8 = exact(c6 * c7);
let c9 = exact(c5 + c8);
v_I = c9;
let fires = false;
