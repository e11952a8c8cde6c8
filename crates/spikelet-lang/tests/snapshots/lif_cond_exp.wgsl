// take
let a0 = v_v;
let a1 = v_ge;
let a2 = v_gi;
let a3 = arrived(0u);
let a4 = exact(a0 + a3);
let a7 = exact(since_spike - 1.0f);
let a8 = constant(0u);
let a9 = a7 < a8;
let a10 = select(a4, a0, a9);
let a11 = arrived(1u);
let a12 = exact(a1 + a11);
let a13 = arrived(2u);
let a14 = exact(a2 + a13);
v_v = a10;
v_ge = a12;
v_gi = a14;

// reset
let b0 = constant(1u);
v_v = b0;

// hold

// update
let c0 = v_v;
let c1 = v_ge;
let c2 = v_gi;
let c4 = constant(0u);
let c5 = since_spike < c4;
let c6 = constant(2u);
let c7 = constant(3u);
let c9 = exact(c1 * -1.0f);
let c10 = exact(c7 + c9);
let c11 = exact(c2 * -1.0f);
let c12 = exact(c10 + c11);
let c13 = constant(4u);
let c14 = exact(c12 * c13);
let c15 = exact(c14 * c6);
let c16 = exprel32(c15);
let c17 = exact(c6 * c16);
let c18 = constant(5u);
let c19 = constant(6u);
let c20 = exact(c19 - c0);
let c21 = exact(c18 * c20);
let c22 = constant(7u);
let c23 = exact(c21 + c22);
let c24 = constant(8u);
let c25 = exact(c24 - c0);
let c26 = exact(c1 * c25);
let c27 = exact(c23 + c26);
let c28 = constant(9u);
let c29 = exact(c28 - c0);
let c30 = exact(c2 * c29);
let c31 = exact(c27 + c30);
let c32 = exact(c31 * c13);
let c33 = exact(c17 * c32);
let c34 = exact(c0 + c33);
let c35 = select(c34, c0, c5);
let c36 = constant(10u);
let c37 = exact(c36 * c1);
let c38 = constant(11u);
let c39 = exact(c38 * c2);
let c40 = flush(c35);
let c41 = flush(c37);
let c42 = flush(c39);
let c43 = constant(12u);
let c44 = c40 > c43;
let c45 = !c5;
let c46 = c44 && c45;
v_v = c40;
v_ge = c41;
v_gi = c42;
let fires = c46;
