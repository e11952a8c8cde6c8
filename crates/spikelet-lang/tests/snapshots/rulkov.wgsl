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
let c6 = exact(c1 + c5);
let c7 = c0 <= 0.0f;
let c9 = select(0.0f, 1.0f, c7);
let c10 = constant(1u);
let c11 = select(c0, 0.0f, 0.0f < c0);
let c12 = exact(1.0f - c11);
let c13 = exact(c10 / c12);
let c14 = exact(c13 + c6);
let c15 = exact(c9 * c14);
let c16 = c0 > 0.0f;
let c17 = exact(c10 + c6);
let c18 = c0 < c17;
let c19 = c16 && c18;
let c20 = select(0.0f, 1.0f, c19);
let c21 = exact(c20 * c17);
let c22 = exact(c15 + c21);
let c23 = c0 >= c17;
let c24 = c16 && c23;
let c25 = select(0.0f, 1.0f, c24);
let c26 = exact(c22 - c25);
let c27 = constant(2u);
let c28 = exact(c0 + 1.0f);
let c29 = constant(3u);
let c30 = exact(c28 - c29);
let c31 = constant(4u);
let c32 = exact(c30 - c31);
let c33 = exact(c27 * c32);
let c34 = exact(c1 - c33);
let c35 = c26 > 0.0f;
let c36 = !c4;
let c37 = c35 && c36;
v_x = c26;
v_y = c34;
let fires = c37;
