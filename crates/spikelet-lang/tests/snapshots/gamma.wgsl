// take
let a0 = v_stage;
let a1 = arrived(0u);
let a2 = exact(a0 + a1);
v_stage = a2;

// reset
v_stage = 0.0f;

// hold

// update
let d0 = v_stage;
let d1 = uniform32(random_bits(0u));
let d2 = constant(0u);
let d3 = d1 < d2;
let d6 = select(0.0f, 1.0f, d3);
let d7 = exact(d0 + d6);
let d8 = constant(1u);
let d9 = d7 >= d8;
v_stage = d7;
let fires = d9;
