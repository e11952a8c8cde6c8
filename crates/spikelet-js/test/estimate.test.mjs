// The memory of a network before it is built.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Spikelet, create, pair, reportOfCommandLine } from "./simulation.mjs";

test("it is that of the command line, with trials and recordings", async (t) => {
  const network = pair({ recordings: [{ object: "E", var: "v", indices: "all", every_ms: 0.5 }] });
  const estimate = await Spikelet.estimate(network, { trials: 3 });
  assert.deepEqual([estimate.neurons, estimate.trials, estimate.gpu], [50, 3, null]);
  assert.deepEqual(estimate.projections.map(({ name, synapses, stored }) => [name, synapses, stored]), [["ER", 400, true]]);
  assert.ok(estimate.availableBytes > 2 ** 29 && estimate.maxTrials > 1000);
  const report = reportOfCommandLine(t, network, ["--trials", "3", "--dry-run"]);
  if (report) assert.equal(estimate.sampleBytesPerSecond, report.sample_bytes_per_second);
});

test("it is what the network then needs", async (t) => {
  const estimate = await Spikelet.estimate(pair(), { backend: "cpu" });
  const { buffers } = (await create(t)).info;
  assert.equal(estimate.bytes, buffers.reduce((sum, { bytes }) => sum + bytes, 0));
  assert.deepEqual(estimate.buffers, buffers);
  const large = await Spikelet.estimate("million");
  assert.deepEqual(large.projections.map(({ synapses, stored }) => [synapses, stored]), [[8e8, false], [2e8, false]]);
});

test("a network that is wrong or does not fit is refused with the reason", async () => {
  await assert.rejects(Spikelet.estimate(pair({ dt_ms: 0 })), { path: "dt_ms" });
  await assert.rejects(Spikelet.estimate("cuba", { trials: 0 }), { code: "argument", message: /trials is 0/ });
  const huge = pair();
  huge.populations[0].size = 2 ** 31;
  await assert.rejects(Spikelet.estimate(huge), { message: /GiB/ });
  await assert.rejects(Spikelet.estimate("cuba", { backend: "gpu" }), { message: /WebGPU/ });
});
