// take
let a0 = v_v;
let a1 = arrived(0u);
let a2 = exact(a0 + a1);
let a5 = exact(since_spike - 1.0f);
let a6 = constant(0u);
let a7 = a5 < a6;
let a8 = select(a2, a0, a7);
v_v = a8;

// reset
let b0 = constant(1u);
v_v = b0;

// hold

// update
let c0 = v_v;
let c2 = constant(0u);
let c3 = since_spike < c2;
let c4 = constant(2u);
let c5 = constant(3u);
let c6 = exact(c5 - c0);
let c7 = exact(c4 * c6);
let c8 = constant(4u);
let c9 = constant(5u);
let c10 = exact(c0 - c9);
let c11 = constant(6u);
let c12 = exact(c10 * c11);
let c14 = select(c12, 10.0f, 10.0f < c12);
let c15 = exp32(c14);
let c16 = exact(c8 * c15);
let c17 = exact(c7 + c16);
let c18 = constant(7u);
let c19 = exact(c17 + c18);
let c20 = constant(8u);
let c21 = exact(c19 * c20);
let c22 = constant(9u);
let c23 = exact(c21 * c22);
let c24 = exact(c0 + c23);
let c25 = select(c24, c0, c3);
let c26 = exact(c5 - c25);
let c27 = exact(c4 * c26);
let c28 = exact(c25 - c9);
let c29 = exact(c28 * c11);
let c30 = select(c29, 10.0f, 10.0f < c29);
let c31 = exp32(c30);
let c32 = exact(c8 * c31);
let c33 = exact(c27 + c32);
let c34 = exact(c33 + c18);
let c35 = exact(c34 * c20);
let c36 = constant(10u);
let c37 = exact(c35 * c36);
let c38 = exact(c0 + c37);
let c39 = select(c38, c0, c3);
let c40 = flush(c39);
let c41 = constant(11u);
let c42 = c40 > c41;
let c43 = !c3;
let c44 = c42 && c43;
v_v = c40;
let fires = c44;
