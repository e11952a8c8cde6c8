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
let c6 = exact(c0 - c5);
let c7 = exact(c4 * c6);
let c8 = constant(4u);
let c9 = exact(c0 - c8);
let c10 = exact(c7 * c9);
let c11 = constant(5u);
let c12 = exact(c10 + c11);
let c13 = constant(6u);
let c14 = exact(c12 * c13);
let c15 = constant(7u);
let c16 = exact(c14 * c15);
let c17 = exact(c0 + c16);
let c18 = select(c17, c0, c3);
let c19 = exact(c18 - c5);
let c20 = exact(c4 * c19);
let c21 = exact(c18 - c8);
let c22 = exact(c20 * c21);
let c23 = exact(c22 + c11);
let c24 = exact(c23 * c13);
let c25 = exact(c24 * c15);
let c26 = exact(c0 + c25);
let c27 = select(c26, c0, c3);
let c28 = exact(c27 - c5);
let c29 = exact(c4 * c28);
let c30 = exact(c27 - c8);
let c31 = exact(c29 * c30);
let c32 = exact(c31 + c11);
let c33 = exact(c32 * c13);
let c34 = constant(8u);
let c35 = exact(c33 * c34);
let c36 = exact(c0 + c35);
let c37 = select(c36, c0, c3);
let c38 = exact(c37 - c5);
let c39 = exact(c4 * c38);
let c40 = exact(c37 - c8);
let c41 = exact(c39 * c40);
let c42 = exact(c41 + c11);
let c43 = exact(c42 * c13);
let c46 = exact(c24 + c33);
let c47 = exact(c46 * 2.0f);
let c48 = exact(c14 + c43);
let c49 = exact(c48 + c47);
let c50 = exact(c49 * 0.16666667f);
let c51 = exact(c50 * c34);
let c52 = exact(c0 + c51);
let c53 = select(c52, c0, c3);
let c54 = flush(c53);
let c55 = constant(9u);
let c56 = c54 >= c55;
let c57 = !c3;
let c58 = c56 && c57;
v_v = c54;
let fires = c58;
