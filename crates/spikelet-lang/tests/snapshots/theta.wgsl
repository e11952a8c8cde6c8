// take
let a0 = v_theta;
let a1 = arrived(0u);
let a2 = exact(a0 + a1);
v_theta = a2;

// reset
let b0 = v_theta;
let b2 = exact(b0 - 6.2831855f);
v_theta = b2;

// hold

// update
let c0 = v_theta;
let c2 = cos32(c0);
let c3 = exact(1.0f - c2);
let c4 = exact(1.0f + c2);
let c5 = constant(0u);
let c6 = exact(c4 * c5);
let c7 = exact(c3 + c6);
let c8 = constant(1u);
let c9 = exact(c7 * c8);
let c10 = exact(c0 + c9);
let c11 = cos32(c10);
let c12 = exact(1.0f - c11);
let c13 = exact(1.0f + c11);
let c14 = exact(c13 * c5);
let c15 = exact(c12 + c14);
let c16 = exact(c15 * c8);
let c17 = exact(c0 + c16);
let c18 = cos32(c17);
let c19 = exact(1.0f - c18);
let c20 = exact(1.0f + c18);
let c21 = exact(c20 * c5);
let c22 = exact(c19 + c21);
let c23 = constant(2u);
let c24 = exact(c22 * c23);
let c25 = exact(c0 + c24);
let c26 = cos32(c25);
let c27 = exact(1.0f - c26);
let c28 = exact(1.0f + c26);
let c29 = exact(c28 * c5);
let c30 = exact(c27 + c29);
let c33 = exact(c15 + c22);
let c34 = exact(c33 * 2.0f);
let c35 = exact(c7 + c30);
let c36 = exact(c35 + c34);
let c37 = exact(c36 * 0.16666667f);
let c38 = exact(c37 * c23);
let c39 = exact(c0 + c38);
let c40 = flush(c39);
let c42 = c40 > 3.1415927f;
v_theta = c40;
let fires = c42;
