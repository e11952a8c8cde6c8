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
let d0 = v_left;
let d2 = exact(d0 - 1.0f);
let d4 = d2 < 0.5f;
v_left = d2;
let fires = d4;
