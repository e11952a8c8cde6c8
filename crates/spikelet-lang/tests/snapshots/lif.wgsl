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
let c0 = v_v;
let c2 = constant(0u);
let c3 = since_spike < c2;
let c4 = constant(2u);
let c5 = exact(c4 * c0);
let c6 = constant(3u);
let c7 = exact(c5 + c6);
let c8 = select(c7, c0, c3);
let c9 = flush(c8);
let c10 = constant(4u);
let c11 = c9 > c10;
let c12 = !c3;
let c13 = c11 && c12;
v_v = c9;
let fires = c13;
