// take
let a0 = v_v;
let a1 = v_a;
let a2 = v_th;
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
v_a = a12;
v_th = a14;

// reset
let b0 = v_a;
let b1 = v_th;
let b2 = constant(1u);
let b3 = constant(2u);
let b4 = exact(b0 + b3);
let b5 = constant(3u);
let b6 = exact(b1 + b5);
v_v = b2;
v_a = b4;
v_th = b6;

// hold

// update
let c0 = v_v;
let c1 = v_a;
let c2 = v_th;
let c4 = constant(0u);
let c5 = since_spike < c4;
let c6 = constant(4u);
let c7 = exact(c6 * c0);
let c8 = constant(5u);
let c9 = exact(c8 * c1);
let c10 = exact(c7 + c9);
let c11 = constant(6u);
let c12 = exact(c10 + c11);
let c13 = select(c12, c0, c5);
let c14 = flush(c13);
let c15 = constant(7u);
let c16 = exact(c15 * c1);
let c17 = flush(c16);
let c18 = constant(8u);
let c19 = exact(c18 * c2);
let c20 = constant(9u);
let c21 = exact(c19 + c20);
let c22 = flush(c21);
let c23 = c14 > c22;
let c24 = !c5;
let c25 = c23 && c24;
v_v = c14;
v_a = c17;
v_th = c22;
let fires = c25;
