// What the tests share.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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

/** The JSON of a run of the command line on the CPU, if it is built; else the test is skipped. */
export function reportOfCommandLine(test, network, words) {
  const program = join(import.meta.dirname, "../../../target/debug/spikelet");
  if (!existsSync(program)) return void test.skip("there is no command line at target/debug/spikelet; build it with `cargo build -p spikelet-cli`");
  const folder = mkdtempSync(join(tmpdir(), "spikelet-"));
  test.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "network.json");
  writeFileSync(file, JSON.stringify(network));
  const output = execFileSync(program, ["run", file, ...words, "--backend", "cpu", "--json"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return JSON.parse(output);
}

/** Its results by trial. */
export function resultsOfCommandLine(test, network, words) {
  return reportOfCommandLine(test, network, words)?.results;
}
