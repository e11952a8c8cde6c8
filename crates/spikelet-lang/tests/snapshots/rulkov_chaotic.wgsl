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
let h1 = v___refractory;
let h4 = since_spike == 1.0f;
let h6 = h1 != 0.0f;
let h7 = h6 || h4;
let h8 = v_x > 0.0f;
let h9 = h7 && h8;
let h10 = select(0.0f, 1.0f, h9);
v___refractory = h10;

// update
let c0 = v_x;
let c1 = v_y;
let c4 = v___refractory != 0.0f;
let c5 = constant(0u);
let c7 = exact(c0 * c0);
let c8 = exact(1.0f + c7);
let c9 = exact(c5 / c8);
let c10 = exact(c9 + c1);
let c11 = constant(1u);
let c12 = exact(c10 + c11);
let c13 = constant(2u);
let c14 = constant(3u);
let c15 = exact(c0 - c14);
let c16 = exact(c13 * c15);
let c17 = exact(c1 - c16);
let c18 = c12 > 0.0f;
let c19 = !c4;
let c20 = c18 && c19;
v_x = c12;
v_y = c17;
let fires = c20;
