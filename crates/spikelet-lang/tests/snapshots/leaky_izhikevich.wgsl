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
let c6 = exact(5.0f * c0);
let c7 = exact(c4 + c6);
let c9 = exact(c7 + 140.0f);
let c10 = constant(2u);
let c11 = exact(c0 - c10);
let c12 = exact(c1 * c11);
let c13 = exact(c9 - c12);
let c14 = constant(3u);
let c15 = exact(c13 + c14);
let c16 = constant(4u);
let c17 = exact(c15 * c16);
let c18 = constant(5u);
let c19 = constant(6u);
let c20 = exact(c19 * c0);
let c21 = exact(c20 - c1);
let c22 = exact(c18 * c21);
let c23 = constant(7u);
let c24 = exact(c17 * c23);
let c25 = exact(c0 + c24);
let c26 = exact(c22 * c23);
let c27 = exact(c1 + c26);
let c28 = flush(c25);
let c29 = flush(c27);
let c31 = c28 >= 30.0f;
v_v = c28;
v_u = c29;
let fires = c31;
