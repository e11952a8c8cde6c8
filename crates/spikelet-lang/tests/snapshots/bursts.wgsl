// take
let a0 = v_left;
let a1 = v_wait;
let a2 = arrived(0u);
let a3 = exact(a0 + a2);
let a4 = arrived(1u);
let a5 = exact(a1 + a4);
v_left = a3;
v_wait = a5;

// reset
let b0 = v_left;
let b2 = exact(b0 - 1.0f);
let b3 = constant(0u);
v_left = b2;
v_wait = b3;

// hold

// update
let d0 = v_left;
let d1 = v_wait;
let d3 = exact(d1 - 1.0f);
let d5 = select(d3, 0.0f, 0.0f > d3);
let d6 = constant(1u);
let d8 = d0 < 0.5f;
let d9 = select(0.0f, 1.0f, d8);
let d10 = exact(d6 * d9);
let d11 = uniform32(random_bits(0u));
let d12 = constant(2u);
let d13 = d11 < d12;
let d14 = select(0.0f, 1.0f, d13);
let d15 = exact(d10 * d14);
let d16 = exact(d0 + d15);
let d17 = d16 > 0.5f;
let d18 = d5 < 0.5f;
let d19 = d17 && d18;
v_left = d16;
v_wait = d5;
let fires = d19;
