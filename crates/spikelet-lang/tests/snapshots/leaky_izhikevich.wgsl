// take
let a0 = v_v;
let a1 = v_u;
let a2 = arrived(0u);
let a3 = exact(a0 + a2);
let a4 = arrived(1u);
let a5 = exact(a1 + a4);
v_v = a3;
v_u = a5;

// reset
let b0 = v_u;
let b1 = constant(0u);
let b2 = constant(1u);
let b3 = exact(b0 + b2);
v_v = b1;
v_u = b3;

// hold

// update
let c0 = v_v;
let c1 = v_u;
let c2 = constant(2u);
let c4 = exact(c0 * c0);
let c5 = exact(0.04f * c4);
let c7 = exact(5.0f * c0);
let c8 = exact(c5 + c7);
let c10 = exact(c8 + 140.0f);
let c11 = exact(c10 - c1);
let c12 = constant(3u);
let c13 = constant(4u);
let c14 = exact(c0 - c13);
let c15 = exact(c12 * c14);
let c16 = exact(c11 - c15);
let c17 = constant(5u);
let c18 = exact(c16 + c17);
let c19 = exact(c2 * c18);
let c20 = exact(c0 + c19);
let c21 = constant(6u);
let c22 = constant(7u);
let c23 = exact(c22 * c20);
let c24 = exact(c23 - c1);
let c25 = exact(c21 * c24);
let c26 = exact(c1 + c25);
let c28 = c20 >= 30.0f;
v_v = c20;
v_u = c26;
let fires = c28;
