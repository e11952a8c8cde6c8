// take
let a0 = v_left;
let a1 = arrived(0u);
let a2 = exact(a0 + a1);
v_left = a2;

// reset
let b0 = v_left;
let b1 = constant(0u);
let b2 = exact(b0 + b1);
v_left = b2;

// hold

// update
let c0 = v_left;
let c2 = exact(c0 - 1.0f);
let c4 = c2 < 0.5f;
v_left = c2;
let fires = c4;
