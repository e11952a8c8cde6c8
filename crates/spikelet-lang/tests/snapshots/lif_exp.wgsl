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
let d0 = v_v;
let d1 = v_ge;
let d2 = v_gi;
let d4 = constant(0u);
let d5 = since_spike < d4;
let d6 = constant(2u);
let d7 = exact(d6 * d0);
let d8 = constant(3u);
let d9 = exact(d8 * d1);
let d10 = exact(d7 + d9);
let d11 = constant(4u);
let d12 = exact(d11 * d2);
let d13 = exact(d10 + d12);
let d14 = constant(5u);
let d15 = exact(d13 + d14);
let d16 = select(d15, d0, d5);
let d17 = flush(d16);
let d18 = constant(6u);
let d19 = exact(d18 * d1);
let d20 = flush(d19);
let d21 = constant(7u);
let d22 = exact(d21 * d2);
let d23 = flush(d22);
let d24 = constant(8u);
let d25 = d17 > d24;
let d26 = !d5;
let d27 = d25 && d26;
v_v = d17;
v_ge = d20;
v_gi = d23;
let fires = d27;
