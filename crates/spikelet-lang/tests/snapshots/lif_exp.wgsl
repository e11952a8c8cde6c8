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
let c7 = exact(c6 * c0);
let c8 = constant(3u);
let c9 = exact(c8 * c1);
let c10 = exact(c7 + c9);
let c11 = constant(4u);
let c12 = exact(c11 * c2);
let c13 = exact(c10 + c12);
let c14 = constant(5u);
let c15 = exact(c13 + c14);
let c16 = select(c15, c0, c5);
let c17 = flush(c16);
let c18 = constant(6u);
let c19 = exact(c18 * c1);
let c20 = flush(c19);
let c21 = constant(7u);
let c22 = exact(c21 * c2);
let c23 = flush(c22);
let c24 = constant(8u);
let c25 = c17 > c24;
let c26 = !c5;
let c27 = c25 && c26;
v_v = c17;
v_ge = c20;
v_gi = c23;
let fires = c27;
