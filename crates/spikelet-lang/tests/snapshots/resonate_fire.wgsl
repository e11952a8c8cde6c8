// take
let a0 = v_x;
let a1 = v_y;
let a2 = arrived(0u);
let a3 = exact(a0 + a2);
let a4 = arrived(1u);
let a5 = exact(a1 + a4);
v_x = a3;
v_y = a5;

// reset
v_x = 0.0f;
v_y = 1.0f;

// hold

// update
let c0 = v_x;
let c1 = v_y;
let c2 = constant(0u);
let c3 = exact(c2 * c0);
let c4 = constant(1u);
let c5 = exact(c4 * c1);
let c6 = exact(c3 + c5);
let c7 = constant(2u);
let c8 = exact(c6 + c7);
let c9 = flush(c8);
let c10 = constant(3u);
let c11 = exact(c10 * c1);
let c12 = constant(4u);
let c13 = exact(c12 * c0);
let c14 = exact(c11 + c13);
let c15 = constant(5u);
let c16 = exact(c14 + c15);
let c17 = flush(c16);
let c19 = c17 > 1.0f;
v_x = c9;
v_y = c17;
let fires = c19;
