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
let d6 = exact(d0 - d5);
let d7 = exact(d4 * d6);
let d8 = constant(4u);
let d9 = exact(d0 - d8);
let d10 = exact(d7 * d9);
let d11 = constant(5u);
let d12 = exact(d10 + d11);
let d13 = constant(6u);
let d14 = exact(d12 * d13);
let d15 = constant(7u);
let d16 = exact(d14 * d15);
let d17 = exact(d0 + d16);
let d18 = select(d17, d0, d3);
let d19 = exact(d18 - d5);
let d20 = exact(d4 * d19);
let d21 = exact(d18 - d8);
let d22 = exact(d20 * d21);
let d23 = exact(d22 + d11);
let d24 = exact(d23 * d13);
let d25 = exact(d24 * d15);
let d26 = exact(d0 + d25);
let d27 = select(d26, d0, d3);
let d28 = exact(d27 - d5);
let d29 = exact(d4 * d28);
let d30 = exact(d27 - d8);
let d31 = exact(d29 * d30);
let d32 = exact(d31 + d11);
let d33 = exact(d32 * d13);
let d34 = constant(8u);
let d35 = exact(d33 * d34);
let d36 = exact(d0 + d35);
let d37 = select(d36, d0, d3);
let d38 = exact(d37 - d5);
let d39 = exact(d4 * d38);
let d40 = exact(d37 - d8);
let d41 = exact(d39 * d40);
let d42 = exact(d41 + d11);
let d43 = exact(d42 * d13);
let d46 = exact(d24 + d33);
let d47 = exact(d46 * 2.0f);
let d48 = exact(d14 + d43);
let d49 = exact(d48 + d47);
let d50 = exact(d49 * 0.16666667f);
let d51 = exact(d50 * d34);
let d52 = exact(d0 + d51);
let d53 = select(d52, d0, d3);
let d54 = flush(d53);
let d55 = constant(9u);
let d56 = d54 >= d55;
let d57 = !d3;
let d58 = d56 && d57;
v_v = d54;
let fires = d58;
