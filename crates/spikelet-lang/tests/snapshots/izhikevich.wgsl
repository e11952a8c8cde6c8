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
let d5 = constant(2u);
let d6 = exact(d5 * d0);
let d7 = exact(d4 + d6);
let d8 = constant(3u);
let d9 = exact(d7 + d8);
let d10 = exact(d9 - d1);
let d11 = constant(4u);
let d12 = exact(d10 + d11);
let d13 = constant(5u);
let d14 = exact(d12 * d13);
let d15 = constant(6u);
let d16 = constant(7u);
let d17 = constant(8u);
let d18 = exact(d0 - d17);
let d19 = exact(d16 * d18);
let d20 = constant(9u);
let d21 = exact(d20 * d1);
let d22 = exact(d19 - d21);
let d23 = exact(d15 * d22);
let d24 = constant(10u);
let d25 = exact(d14 * d24);
let d26 = exact(d0 + d25);
let d27 = exact(d23 * d24);
let d28 = exact(d1 + d27);
let d29 = flush(d26);
let d30 = flush(d28);
let d32 = d29 >= 30.0f;
v_v = d29;
v_u = d30;
let fires = d32;
