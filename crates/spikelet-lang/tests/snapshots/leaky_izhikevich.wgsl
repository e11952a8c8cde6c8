// take
let a0 = v_v;
let a1 = v_u;
let a2 = arrived(0u);
let a3 = exact(a0 + a2);
let a4 = arrived(1u);
let a5 = exact(a1 + a4);
v_v = a3;
v_u = a5;

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
let d3 = exact(d0 * d0);
let d4 = exact(0.04f * d3);
let d6 = exact(5.0f * d0);
let d7 = exact(d4 + d6);
let d9 = exact(d7 + 140.0f);
let d10 = constant(2u);
let d11 = exact(d0 - d10);
let d12 = exact(d1 * d11);
let d13 = exact(d9 - d12);
let d14 = constant(3u);
let d15 = exact(d13 + d14);
let d16 = constant(4u);
let d17 = exact(d15 * d16);
let d18 = constant(5u);
let d19 = constant(6u);
let d20 = exact(d19 * d0);
let d21 = exact(d20 - d1);
let d22 = exact(d18 * d21);
let d23 = constant(7u);
let d24 = exact(d17 * d23);
let d25 = exact(d0 + d24);
let d26 = exact(d22 * d23);
let d27 = exact(d1 + d26);
let d28 = flush(d25);
let d29 = flush(d27);
let d31 = d28 >= 30.0f;
v_v = d28;
v_u = d29;
let fires = d31;
