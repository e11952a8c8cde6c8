// take
let a0 = v_left;
let a1 = v_wait;
let a2 = arrived(0u);
let a3 = exact(a0 + a2);
let a4 = arrived(1u);
let a5 = exact(a1 + a4);
v_left = a3;
v_wait = a5;

// reset
let b0 = v_left;
let b2 = exact(b0 - 1.0f);
let b3 = constant(0u);
v_left = b2;
v_wait = b3;

// hold

// update
let c0 = v_left;
let c1 = v_wait;
let c3 = exact(c1 - 1.0f);
let c5 = select(c3, 0.0f, 0.0f > c3);
let c6 = constant(1u);
let c8 = c0 < 0.5f;
let c9 = select(0.0f, 1.0f, c8);
let c10 = exact(c6 * c9);
let c11 = random_uniform(0u);
let c12 = constant(2u);
let c13 = c11 < c12;
let c14 = select(0.0f, 1.0f, c13);
let c15 = exact(c10 * c14);
let c16 = exact(c0 + c15);
let c17 = c16 > 0.5f;
let c18 = c5 < 0.5f;
let c19 = c17 && c18;
v_left = c16;
v_wait = c5;
let fires = c19;
