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
let c3 = exact(c0 * c0);
let c4 = exact(0.04f * c3);
let c5 = constant(2u);
let c6 = exact(c5 * c0);
let c7 = exact(c4 + c6);
let c8 = constant(3u);
let c9 = exact(c7 + c8);
let c10 = exact(c9 - c1);
let c11 = constant(4u);
let c12 = exact(c10 + c11);
let c13 = constant(5u);
let c14 = exact(c12 * c13);
let c15 = constant(6u);
let c16 = constant(7u);
let c17 = constant(8u);
let c18 = exact(c0 - c17);
let c19 = exact(c16 * c18);
let c20 = constant(9u);
let c21 = exact(c20 * c1);
let c22 = exact(c19 - c21);
let c23 = exact(c15 * c22);
let c24 = constant(10u);
let c25 = exact(c14 * c24);
let c26 = exact(c0 + c25);
let c27 = exact(c23 * c24);
let c28 = exact(c1 + c27);
let c29 = flush(c26);
let c30 = flush(c28);
let c32 = c29 >= 30.0f;
v_v = c29;
v_u = c30;
let fires = c32;
