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
let c6 = constant(3u);
let c7 = exact(c6 * c0);
let c8 = exact(c5 + c7);
let c9 = constant(4u);
let c10 = exact(c8 + c9);
let c11 = exact(c10 - c1);
let c12 = constant(5u);
let c13 = exact(c11 + c12);
let c14 = exact(c2 * c13);
let c15 = constant(6u);
let c16 = exact(c14 * c15);
let c17 = exact(c0 + c16);
let c18 = constant(7u);
let c19 = constant(8u);
let c20 = constant(9u);
let c21 = exact(c17 - c20);
let c22 = exact(c19 * c21);
let c23 = constant(10u);
let c24 = exact(c23 * c1);
let c25 = exact(c22 - c24);
let c26 = exact(c18 * c25);
let c27 = exact(c1 + c26);
let c29 = c17 >= 30.0f;
v_v = c17;
v_u = c27;
let fires = c29;
