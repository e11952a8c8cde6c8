// take
let a0 = v_input;
let a1 = v_excitation;
let a2 = v_bias;
let a3 = arrived(0u);
let a4 = exact(a0 + a3);
let a5 = arrived(1u);
let a6 = exact(a1 + a5);
let a7 = arrived(2u);
let a8 = exact(a2 + a7);
v_input = a4;
v_excitation = a6;
v_bias = a8;

// reset
let b1 = v_bias;
let b2 = constant(0u);
let b3 = constant(1u);
let b4 = exact(b3 * v_excitation);
let b5 = exact(b2 + b4);
let b6 = exact(b1 + b5);
v_bias = b6;

// hold

// update
let c0 = v_input;
let c1 = v_bias;
let c2 = constant(2u);
let c3 = exact(c0 + c2);
let c4 = constant(3u);
let c5 = exact(c1 * c4);
let c7 = constant(4u);
let c9 = c7 > 0.5f;
let c10 = constant(5u);
let c11 = c10 > 0.5f;
let c13 = constant(6u);
let c14 = exact(since_spike * c13);
let c15 = constant(7u);
let c16 = c14 < c15;
let c17 = c11 && c16;
let c18 = c10 < 0.5f;
let c19 = c3 > 0.0f;
let c20 = c18 && c19;
let c21 = c17 || c20;
let c22 = c9 && c21;
v_input = 0.0f;
v_excitation = c3;
v_bias = c5;
let fires = c22;
