// Compares compiled with interpreted neuron models in Node, on one thread, in turns: `node bench.mjs [repeats] [networks…]`, after
// `cargo xtask engine`. Prints seconds of CPU time per second of biological time, the least of all repeats (other programs change it less
// than wall time), and what compiling adds to the time of the build.

import { Spikelet } from "../../target/engine/js/index.js";

/** Networks: their names in the catalogue, scales, and ms of biological time. */
const NETWORKS = {
  cuba: ["cuba", 1, 1000],
  plastic_cuba: ["plastic_cuba", 1, 1000],
  coba: ["coba", 1, 1000],
  cobahh: ["cobahh", 1, 200],
  brunel_ai: ["brunel_ai", 1, 200],
  izhikevich: ["izhikevich", 1, 1000],
  "izhikevich × 10": ["izhikevich", 10, 1000],
  "pd14 × 0.1": ["pd14", 0.1, 200],
};

/** CPU seconds of a run, and seconds in which the network was loaded; the number of spikes to compare. */
async function measure([name, scale, ms], compile) {
  const simulation = await Spikelet.create(name, { backend: "cpu", threads: 1, scale, compile });
  let spikes = 0;
  simulation.on("spikes", ({ neurons }) => (spikes += neurons.length));
  // Until the browser's own compiler has optimised the loops.
  await simulation.run(100);
  const before = process.cpuUsage();
  await simulation.run(ms);
  const { user, system } = process.cpuUsage(before);
  const { load } = simulation.info.build;
  await simulation.dispose();
  return { time: (user + system) / 1000 / ms, load, spikes };
}

const [repeats = "3", ...names] = process.argv.slice(2);
console.log("| network | compiled | interpreted | times | compiling, ms |\n|---|---|---|---|---|");
for (const name of names.length > 0 ? names : Object.keys(NETWORKS)) {
  const runs = { true: [], false: [] };
  for (let repeat = 0; repeat < Number(repeats); repeat += 1) {
    for (const compile of [true, false]) runs[compile].push(await measure(NETWORKS[name], compile));
  }
  if (runs.true[0].spikes !== runs.false[0].spikes) throw new Error(`${name}: ${runs.true[0].spikes} and ${runs.false[0].spikes} spikes`);
  const least = (compile, what) => Math.min(...runs[compile].map((run) => run[what]));
  const [compiled, interpreted] = [least(true, "time"), least(false, "time")];
  const compiling = 1000 * (least(true, "load") - least(false, "load"));
  console.log(`| ${name} | ${compiled.toFixed(4)} | ${interpreted.toFixed(4)} | ${(interpreted / compiled).toFixed(1)} | ${compiling.toFixed(0)} |`);
}
