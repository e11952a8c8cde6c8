// take
let a0 = v_stage;
let a1 = arrived(0u);
let a2 = exact(a0 + a1);
v_stage = a2;

// reset
v_stage = 0.0f;

// hold

// update
let c0 = v_stage;
let c1 = random_uniform(0u);
let c2 = constant(0u);
let c3 = c1 < c2;
let c6 = select(0.0f, 1.0f, c3);
let c7 = exact(c0 + c6);
let c8 = constant(1u);
let c9 = c7 >= c8;
v_stage = c7;
let fires = c9;
