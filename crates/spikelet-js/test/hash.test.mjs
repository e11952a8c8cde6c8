// The hash of spikes is that of the other programs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Spikelet, create, pair, resultsOfCommandLine } from "./simulation.mjs";

/** The hashes of the first 100 ms at the small scale with seed 1, as `spikelet run cuba --scale 0.25 --time 100 --seed 1 --json` prints them. */
const EXPECTED = JSON.parse(readFileSync(join(import.meta.dirname, "../../../tests/hashes.json"), "utf8"));

test("networks of the catalogue have their known hashes, and have them again after a reset", async (t) => {
  const networks = await Spikelet.networks();
  for (const name of ["cuba", "izhikevich", "ping", "pd14"]) {
    const { small } = networks.find((network) => network.name === name);
    const simulation = await create(t, name, { scale: small, seed: 1 });
    assert.equal(simulation.spikesHash, "0".repeat(16));
    await simulation.run(60);
    await simulation.run(40);
    assert.equal(simulation.spikesHash, EXPECTED[name], name);
    await simulation.reset();
    assert.equal(simulation.spikesHash, "0".repeat(16));
    await simulation.run(100);
    assert.equal(simulation.spikesHash, EXPECTED[name], name);
  }
});

test("each trial has that of the command line", async (t) => {
  const results = resultsOfCommandLine(t, pair(), ["--time", "80", "--trials", "3"]);
  if (!results) return;
  const simulation = await create(t, pair(), { trials: 3 });
  await simulation.run(80);
  assert.deepEqual(simulation.spikesHashes, results.map((result) => result.spikes_hash));
  assert.equal(simulation.spikesHash, results[0].spikes_hash);
  assert.equal(new Set(simulation.spikesHashes).size, 3);
});

test("after a snapshot of a later time it is not known until the reset", async (t) => {
  const [one, other] = [await create(t), await create(t)];
  const start = await one.snapshot();
  await one.run(50);
  const expected = one.spikesHash;
  await other.restore(await one.snapshot());
  assert.equal(other.spikesHash, null);
  await other.run(10);
  assert.equal(other.spikesHash, null);
  await other.reset();
  await other.run(50);
  assert.equal(other.spikesHash, expected);
  await other.restore(start);
  await other.run(50);
  assert.equal(other.spikesHash, expected);
});
