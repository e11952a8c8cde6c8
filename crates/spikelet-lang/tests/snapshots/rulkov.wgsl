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
let d6 = exact(d1 + d5);
let d7 = d0 <= 0.0f;
let d9 = select(0.0f, 1.0f, d7);
let d10 = constant(1u);
let d11 = select(d0, 0.0f, 0.0f < d0);
let d12 = exact(1.0f - d11);
let d13 = exact(d10 / d12);
let d14 = exact(d13 + d6);
let d15 = exact(d9 * d14);
let d16 = d0 > 0.0f;
let d17 = exact(d10 + d6);
let d18 = d0 < d17;
let d19 = d16 && d18;
let d20 = select(0.0f, 1.0f, d19);
let d21 = exact(d20 * d17);
let d22 = exact(d15 + d21);
let d23 = d0 >= d17;
let d24 = d16 && d23;
let d25 = select(0.0f, 1.0f, d24);
let d26 = exact(d22 - d25);
let d27 = constant(2u);
let d28 = exact(d0 + 1.0f);
let d29 = constant(3u);
let d30 = exact(d28 - d29);
let d31 = constant(4u);
let d32 = exact(d30 - d31);
let d33 = exact(d27 * d32);
let d34 = exact(d1 - d33);
let d35 = d26 > 0.0f;
let d36 = !d4;
let d37 = d35 && d36;
v_x = d26;
v_y = d34;
let fires = d37;
