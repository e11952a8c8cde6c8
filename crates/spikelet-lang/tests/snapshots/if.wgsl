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
let d5 = exact(d4 * d0);
let d6 = constant(3u);
let d7 = exact(d5 + d6);
let d8 = select(d7, d0, d3);
let d9 = flush(d8);
let d10 = constant(4u);
let d11 = d9 >= d10;
let d12 = !d3;
let d13 = d11 && d12;
v_v = d9;
let fires = d13;
