// take
let a0 = v_I;
let a1 = arrived(0u);
let a2 = exact(a0 + a1);
v_I = a2;

// reset

// hold

// update
let d0 = v_I;
let d1 = constant(0u);
let d2 = exact(d0 - d1);
let d3 = constant(1u);
let d4 = exact(d2 * d3);
let d5 = exact(d1 + d4);
let d6 = constant(2u);
let d7 = normal32(random_bits(0u));
let d8 = exact(d6 * d7);
let d9 = exact(d5 + d8);
v_I = d9;
let fires = false;
