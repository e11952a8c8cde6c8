// Statistics of the spikes of a run.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Spikelet, create, pair } from "./simulation.mjs";

test("they are those of the command line", async (t) => {
  const program = join(import.meta.dirname, "../../../target/debug/spikelet");
  if (!existsSync(program)) return t.skip("there is no command line at target/debug/spikelet; build it with `cargo build -p spikelet-cli`");
  const folder = mkdtempSync(join(tmpdir(), "spikelet-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "network.json");
  writeFileSync(file, JSON.stringify(pair()));
  const words = ["run", file, "--time", "1000", "--trials", "2", "--statistics=200", "--backend", "cpu", "--json"];
  const { results } = JSON.parse(execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
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
