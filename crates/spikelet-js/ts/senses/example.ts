/** A small network that shows live input: a grid of cells with an input current, and a second grid that they excite, which inhibits itself. */
export const EXAMPLE = {
  format: 1,
  name: "retina",
  description: "16 x 16 cells whose input current I a camera, microphone, text or mouse can change, and 16 x 16 cells above them that see a small part of them each.",
  dt_ms: 0.5,
  duration_ms: 10_000,
  seed: 1,
  populations: [
    {
      name: "Input",
      size: 256,
      equations: "dv/dt = (I - v)/tau + 0.1*xi*tau**-0.5 : 1 (unless refractory)\nI : 1\ntau : second (shared)",
      threshold: "v > 1",
      reset: "v = 0",
      refractory: "5 ms",
      // A parameter is a variable of each neuron if its values differ.
      parameters: { I: { expr: "0.1*rand()" }, tau: "20 ms" },
      positions: { layout: "grid", shape: [16, 16] },
    },
    {
      name: "Output",
      size: 256,
      equations: "dv/dt = -v/tau : 1 (unless refractory)\ntau : second (shared)",
      threshold: "v > 1",
      reset: "v = 0",
      refractory: "5 ms",
      parameters: { tau: "20 ms" },
      positions: { layout: "grid", shape: [16, 16] },
    },
  ],
  projections: [
    { name: "feedforward", pre: "Input", post: "Output", connect: { rule: "disc", p: 1, radius: 1.5 }, on_pre: "v_post += w", parameters: { w: 0.3 }, delay_ms: 1 },
    { name: "inhibition", pre: "Output", post: "Output", connect: { rule: "disc", p: 1, radius: 4 }, on_pre: "v_post -= w", parameters: { w: 0.03 }, delay_ms: 1 },
  ],
} as const;
