// Statistics of the spikes of a run.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Spikelet, create, pair, resultsOfCommandLine } from "./simulation.mjs";

test("they are those of the command line", async (t) => {
  const words = ["--time", "1000", "--trials", "2", "--statistics=200"];
  const results = resultsOfCommandLine(t, pair(), words);
  if (!results) return;
  const simulation = await create(t, pair(), { statistics: 200, trials: 2 });
  await simulation.run(400);
  await simulation.run(600);
  for (const trial of [0, 1]) assert.deepEqual(await simulation.statistics({ trial }), results[trial].spike_statistics);
  const [first, second] = results.map(({ spike_statistics }) => spike_statistics.populations[1].spikes);
  assert.notEqual(first, second);
});

test("a reset begins again, and a restored time is where they begin", async (t) => {
  const simulation = await create(t, pair(), { statistics: true });
  await simulation.run(300);
  const before = await simulation.statistics();
  assert.ok(before.populations[0].spikes > 100 && before.populations[0].cv2 !== null);
  const snapshot = await simulation.snapshot();
  await simulation.reset();
  assert.equal((await simulation.statistics()).populations[0].spikes, 0);
  await simulation.run(300);
  assert.deepEqual(await simulation.statistics(), before);
  await simulation.restore(snapshot);
  await simulation.run(100);
  const { from_ms, to_ms } = await simulation.statistics();
  assert.deepEqual([from_ms, to_ms], [300, 400]);
});

test("without the option, and with a wrong one, the error says what to write", async (t) => {
  const simulation = await create(t, pair());
  await assert.rejects(simulation.statistics(), { message: /not measured.*`statistics: true`/s });
  await assert.rejects(Spikelet.create(pair(), { statistics: -1 }), { code: "argument", message: /^statistics is -1; expected true, false, or a time in ms/ });
});
