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

// hold
let c1 = v___refractory;
let c5 = since_spike == 1.0f;
let c6 = c1 != 0.0f;
let c7 = c6 || c5;
let c8 = v_x > 0.0f;
let c9 = c7 && c8;
let c10 = select(0.0f, 1.0f, c9);
v___refractory = c10;

// update
let d0 = v_x;
let d1 = v_y;
let d4 = v___refractory != 0.0f;
let d5 = constant(0u);
let d7 = exact(d0 * d0);
let d8 = exact(1.0f + d7);
let d9 = exact(d5 / d8);
let d10 = exact(d9 + d1);
let d11 = constant(1u);
let d12 = exact(d10 + d11);
let d13 = constant(2u);
let d14 = constant(3u);
let d15 = exact(d0 - d14);
let d16 = exact(d13 * d15);
let d17 = exact(d1 - d16);
let d18 = d12 > 0.0f;
let d19 = !d4;
let d20 = d18 && d19;
v_x = d12;
v_y = d17;
let fires = d20;
