// A page without a picture: asks for jobs, runs each in a simulation of its own, and tells what came of it.

import { Spikelet } from "./engine/js/index.js";

/** Runs `network` for `timeMs`; tells the wall time from the call to the end of the run. */
async function run({ network, seed, timeMs }) {
  const simulation = await Spikelet.create(network, { backend: "cpu", seed });
  try {
    const kept = []; // all spikes, as a page that draws them keeps them
    simulation.on("spikes", (spikes) => kept.push(spikes));
    const began = performance.now();
    await simulation.run(timeMs);
    return tell(simulation.info, kept, (performance.now() - began) / 1000, timeMs);
  } finally {
    simulation.dispose();
  }
}

function tell(info, kept, wallSeconds, timeMs) {
  const counts = new Float64Array(info.neurons);
  for (const { neurons } of kept) for (const neuron of neurons) counts[neuron] += 1;
  const rate = ({ name, first, size }) => {
    const spikes = counts.subarray(first, first + size).reduce((sum, count) => sum + count, 0);
    return [name, (spikes / size / timeMs) * 1000];
  };
  return {
    wall_seconds: wallSeconds,
    time_ms: timeMs,
    threads: info.backend.threads,
    rates_hz: Object.fromEntries(info.network.populations.map(rate)),
  };
}

for (;;) {
  const answer = await fetch("job");
  if (!answer.ok) break;
  const job = await answer.json();
  const result = await run(job).catch((error) => ({ error: String(error) }));
  await fetch("result", { method: "POST", body: JSON.stringify(result) });
}
