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
let d0 = v_v;
let d2 = constant(0u);
let d3 = since_spike < d2;
let d4 = constant(2u);
let d5 = constant(3u);
let d6 = exact(d5 - d0);
let d7 = exact(d4 * d6);
let d8 = constant(4u);
let d9 = constant(5u);
let d10 = exact(d0 - d9);
let d11 = constant(6u);
let d12 = exact(d10 * d11);
let d14 = select(d12, 10.0f, 10.0f < d12);
let d15 = exp32(d14);
let d16 = exact(d8 * d15);
let d17 = exact(d7 + d16);
let d18 = constant(7u);
let d19 = exact(d17 + d18);
let d20 = constant(8u);
let d21 = exact(d19 * d20);
let d22 = constant(9u);
let d23 = exact(d21 * d22);
let d24 = exact(d0 + d23);
let d25 = select(d24, d0, d3);
let d26 = exact(d5 - d25);
let d27 = exact(d4 * d26);
let d28 = exact(d25 - d9);
let d29 = exact(d28 * d11);
let d30 = select(d29, 10.0f, 10.0f < d29);
let d31 = exp32(d30);
let d32 = exact(d8 * d31);
let d33 = exact(d27 + d32);
let d34 = exact(d33 + d18);
let d35 = exact(d34 * d20);
let d36 = constant(10u);
let d37 = exact(d35 * d36);
let d38 = exact(d0 + d37);
let d39 = select(d38, d0, d3);
let d40 = flush(d39);
let d41 = constant(11u);
let d42 = d40 > d41;
let d43 = !d3;
let d44 = d42 && d43;
v_v = d40;
let fires = d44;
