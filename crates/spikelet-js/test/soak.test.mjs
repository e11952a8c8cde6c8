// Nothing grows: neither from one simulation to the next, nor in a long run. `SPIKELET_SOAK=1` makes it 1000 simulations and a million
// steps, and prints what was measured.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Spikelet, create, pair } from "./simulation.mjs";

const isLong = process.env.SPIKELET_SOAK === "1";
const [cycles, steps] = isLong ? [1000, 1_000_000] : [30, 50_000];

/** A run is measured after each of so many stretches of equal length. */
const STRETCHES = 10;

/** Resident memory of this process, Workers included, in MiB. */
const resident = () => process.memoryUsage.rss() / 2 ** 20;

test(`${cycles} simulations, one after the other`, async (t) => {
  const one = async () => {
    const simulation = await Spikelet.create(pair(), { backend: "cpu" });
    await simulation.run(5);
    simulation.dispose();
  };
  // Until what the runtime itself keeps is there.
  const warm = Math.min(100, cycles / 2);
  for (let cycle = 0; cycle < warm; cycle += 1) await one();
  const before = resident();
  const began = performance.now();
  for (let cycle = warm; cycle < cycles; cycle += 1) await one();
  const [after, each] = [resident(), (performance.now() - began) / (cycles - warm)];
  t.diagnostic(`${before.toFixed(0)} MiB after ${warm}, ${after.toFixed(0)} MiB after ${cycles}; ${each.toFixed(1)} ms each`);
  // Less than a twentieth of what one simulation holds, for each.
  assert.ok(after - before < 30 + 0.5 * (cycles - warm), `${before} MiB became ${after} MiB`);
});

test(`a run of ${steps} steps`, async (t) => {
  const simulation = await create(t, pair({ changes: [{ at_ms: 1, set: { "E.tau": "9 ms" } }] }));
  let spikes = 0;
  simulation.on("spikes", ({ neurons }) => (spikes += neurons.length));
  const stretches = [];
  for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
    await simulation.run((0.1 * steps) / STRETCHES);
    stretches.push({ ...(await simulation.memory()), resident: resident() });
  }
  const first = stretches[0];
  const last = stretches.at(-1);
  t.diagnostic(
    `${spikes} spikes; in use ${first.usedBytes} bytes after the first stretch, ${last.usedBytes} at the end; ` +
      `memory ${first.engineBytes / 2 ** 20} MiB, then ${last.engineBytes / 2 ** 20}; resident ${first.resident.toFixed(0)} MiB, then ${last.resident.toFixed(0)}`,
  );
  // What leaks grows in every stretch. A batch that is longer than all before, as on a machine that becomes idle, grows its buffers once.
  for (const [name, least] of [["usedBytes", 2 ** 12], ["engineBytes", 0]]) {
    const growth = stretches.slice(1).map((one, place) => one[name] - stretches[place][name]);
    assert.ok(median(growth) <= least, `${name} grows by ${growth.join(", ")}`);
  }
});

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
