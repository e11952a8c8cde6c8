// take
let a0 = v_v;
let a1 = v_u;
let a2 = v_I;
let a3 = arrived(0u);
let a4 = exact(a0 + a3);
let a5 = arrived(1u);
let a6 = exact(a1 + a5);
let a7 = arrived(2u);
let a8 = exact(a2 + a7);
v_v = a4;
v_u = a6;
v_I = a8;

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
let c2 = v_I;
let c3 = constant(2u);
let c4 = normal32(random_bits(0u));
let c5 = exact(c3 * c4);
let c6 = exact(c2 + c5);
let c9 = exact(c0 * c0);
let c10 = exact(0.04f * c9);
let c12 = exact(5.0f * c0);
let c13 = exact(c10 + c12);
let c15 = exact(c13 + 140.0f);
let c16 = exact(c15 - c1);
let c17 = exact(c16 + c6);
let c18 = exact(0.5f * c17);
let c19 = exact(c0 + c18);
let c20 = exact(c19 * c19);
let c21 = exact(0.04f * c20);
let c22 = exact(5.0f * c19);
let c23 = exact(c21 + c22);
let c24 = exact(c23 + 140.0f);
let c25 = exact(c24 - c1);
let c26 = exact(c25 + c6);
let c27 = exact(0.5f * c26);
let c28 = exact(c19 + c27);
let c29 = constant(3u);
let c30 = constant(4u);
let c31 = exact(c30 * c28);
let c32 = exact(c31 - c1);
let c33 = exact(c29 * c32);
let c34 = exact(c1 + c33);
let c37 = c28 >= 30.0f;
v_v = c28;
v_u = c34;
v_I = 0.0f;
let fires = c37;
