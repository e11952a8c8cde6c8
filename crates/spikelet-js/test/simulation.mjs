// What the tests share.

import { Spikelet } from "../../../target/engine/js/index.js";

export { Spikelet, SpikeletError } from "../../../target/engine/js/index.js";

/** A network of two kinds of cells, at the edge of its activity, that spikes within milliseconds. */
export function pair(changes = {}) {
  return {
    format: 1,
    name: "pair",
    dt_ms: 0.1,
    duration_ms: 100,
    seed: 7,
    populations: [
      {
        name: "E",
        size: 40,
        equations: "dv/dt = (I - v)/tau : 1 (unless refractory)\nI : 1\ntau : second (shared)",
        threshold: "v > 1",
        reset: "v = 0",
        refractory: "2 ms",
        parameters: { I: { expr: "1.2 + 0.01*i" }, tau: "10 ms" },
      },
      {
        name: "R",
        size: 10,
        equations: "dv/dt = -v/(10*ms) + xi*(10*ms)**-0.5 : 1",
        threshold: "v > 1",
        reset: "v = 0",
      },
    ],
    projections: [{ name: "ER", pre: "E", post: "R", connect: { rule: "all" }, on_pre: "v_post += w", parameters: { w: 0.05 }, delay_ms: 1 }],
    ...changes,
  };
}

/** A simulation, disposed of at the end of the test. */
export async function create(test, network = pair(), options = {}) {
  const simulation = await Spikelet.create(network, { backend: "cpu", ...options });
  test.after(() => simulation.dispose());
  return simulation;
}

/** All spikes that a simulation tells from now on, as `step neuron`, by trial. */
export function listen(simulation) {
  const trials = Array.from({ length: simulation.info.trials }, () => []);
  simulation.on("spikes", ({ trial, neurons, spikeSteps }) => {
    neurons.forEach((neuron, place) => trials[trial].push(`${spikeSteps[place]} ${neuron}`));
  });
  return trials;
}
