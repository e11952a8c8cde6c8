// The profile of runs.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Spikelet, create, listen, pair, reportOfCommandLine } from "./simulation.mjs";

test("it has the keys of the command line, and advice in options of the package", async (t) => {
  const simulation = await create(t, "cuba", { profile: true, threads: 1 });
  await simulation.run(100);
  const profile = await simulation.profile();
  const shares = profile.operations.reduce((sum, { share }) => sum + share, 0);
  assert.ok(Math.abs(shares - 1) < 1e-9 && profile.operations.some(({ name }) => name === "update"));
  assert.ok(profile.neuron_updates_per_second > 0 && profile.synaptic_events_per_second > 0 && profile.threads === 1);
  for (const { change } of profile.advice) assert.doesNotMatch(change, /--/);
  const report = reportOfCommandLine(t, pair(), ["--profile", "--time", "10"]);
  if (report) assert.deepEqual(Object.keys(profile), Object.keys(report.profile));
  const before = profile.operations.reduce((sum, { seconds }) => sum + seconds, 0);
  await simulation.reset();
  await simulation.run(100);
  const after = (await simulation.profile()).operations.reduce((sum, { seconds }) => sum + seconds, 0);
  assert.ok(after > before, "all runs count");
});

test("measured runs have the same spikes", async (t) => {
  const run = async (profile) => {
    const simulation = await create(t, pair(), { profile, trials: 2 });
    const spikes = listen(simulation);
    await simulation.run(50);
    return spikes;
  };
  assert.deepEqual(await run(true), await run(false));
});

test("without the option, before a run, and with a wrong option, the error says what to do", async (t) => {
  const simulation = await create(t);
  await simulation.run(1);
  await assert.rejects(simulation.profile(), { message: /not measured.*`profile: true`/s });
  await assert.rejects((await create(t, pair(), { profile: true })).profile(), { message: /nothing was measured yet.*run the network/s });
  await assert.rejects(Spikelet.create(pair(), { profile: 1 }), { code: "argument", message: /^profile is 1; expected true or false/ });
});
