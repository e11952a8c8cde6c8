// take
let a0 = v_v;
let a1 = v_u;
let a2 = v_I;
let a3 = arrived(0u);
let a4 = exact(a0 + a3);
let a5 = arrived(1u);
let a6 = exact(a1 + a5);
let a7 = arrived(2u);
let a8 = exact(a2 + a7);
v_v = a4;
v_u = a6;
v_I = a8;

// reset
let b0 = v_u;
let b1 = constant(0u);
let b2 = constant(1u);
let b3 = exact(b0 + b2);
v_v = b1;
v_u = b3;

// hold

// update
let d0 = v_v;
let d1 = v_u;
let d2 = v_I;
let d3 = constant(2u);
let d4 = normal32(random_bits(0u));
let d5 = exact(d3 * d4);
let d6 = exact(d2 + d5);
let d9 = exact(d0 * d0);
let d10 = exact(0.04f * d9);
let d12 = exact(5.0f * d0);
let d13 = exact(d10 + d12);
let d15 = exact(d13 + 140.0f);
let d16 = exact(d15 - d1);
let d17 = exact(d16 + d6);
let d18 = exact(0.5f * d17);
let d19 = exact(d0 + d18);
let d20 = exact(d19 * d19);
let d21 = exact(0.04f * d20);
let d22 = exact(5.0f * d19);
let d23 = exact(d21 + d22);
let d24 = exact(d23 + 140.0f);
let d25 = exact(d24 - d1);
let d26 = exact(d25 + d6);
let d27 = exact(0.5f * d26);
let d28 = exact(d19 + d27);
let d29 = constant(3u);
let d30 = constant(4u);
let d31 = exact(d30 * d28);
let d32 = exact(d31 - d1);
let d33 = exact(d29 * d32);
let d34 = exact(d1 + d33);
let d37 = d28 >= 30.0f;
v_v = d28;
v_u = d34;
v_I = 0.0f;
let fires = d37;
