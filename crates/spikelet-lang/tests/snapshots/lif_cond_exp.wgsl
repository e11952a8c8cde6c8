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
let d7 = constant(3u);
let d9 = exact(d1 * (-1.0f));
let d10 = exact(d7 + d9);
let d11 = exact(d2 * (-1.0f));
let d12 = exact(d10 + d11);
let d13 = constant(4u);
let d14 = exact(d12 * d13);
let d15 = exact(d14 * d6);
let d16 = exprel32(d15);
let d17 = exact(d6 * d16);
let d18 = constant(5u);
let d19 = constant(6u);
let d20 = exact(d19 - d0);
let d21 = exact(d18 * d20);
let d22 = constant(7u);
let d23 = exact(d21 + d22);
let d24 = constant(8u);
let d25 = exact(d24 - d0);
let d26 = exact(d1 * d25);
let d27 = exact(d23 + d26);
let d28 = constant(9u);
let d29 = exact(d28 - d0);
let d30 = exact(d2 * d29);
let d31 = exact(d27 + d30);
let d32 = exact(d31 * d13);
let d33 = exact(d17 * d32);
let d34 = exact(d0 + d33);
let d35 = select(d34, d0, d5);
let d36 = constant(10u);
let d37 = exact(d36 * d1);
let d38 = constant(11u);
let d39 = exact(d38 * d2);
let d40 = flush(d35);
let d41 = flush(d37);
let d42 = flush(d39);
let d43 = constant(12u);
let d44 = d40 > d43;
let d45 = !d5;
let d46 = d44 && d45;
v_v = d40;
v_ge = d41;
v_gi = d42;
let fires = d46;
