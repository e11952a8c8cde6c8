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
let d0 = v_v;
let d1 = v_a;
let d2 = v_th;
let d4 = constant(0u);
let d5 = since_spike < d4;
let d6 = constant(4u);
let d7 = exact(d6 * d0);
let d8 = constant(5u);
let d9 = exact(d8 * d1);
let d10 = exact(d7 + d9);
let d11 = constant(6u);
let d12 = exact(d10 + d11);
let d13 = select(d12, d0, d5);
let d14 = flush(d13);
let d15 = constant(7u);
let d16 = exact(d15 * d1);
let d17 = flush(d16);
let d18 = constant(8u);
let d19 = exact(d18 * d2);
let d20 = constant(9u);
let d21 = exact(d19 + d20);
let d22 = flush(d21);
let d23 = d14 > d22;
let d24 = !d5;
let d25 = d23 && d24;
v_v = d14;
v_a = d17;
v_th = d22;
let fires = d25;
