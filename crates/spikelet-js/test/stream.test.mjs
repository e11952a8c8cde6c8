// Events as promises and as iterators, and the end of their simulation.

import assert from "node:assert/strict";
import { test } from "node:test";

import { SpikeletError, Spikelet, create, listen, pair } from "./simulation.mjs";

/** A second network, with much to do in each step. */
const large = () => ["cuba", { backend: "cpu", scale: 0.5 }];

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The spikes of a stream, as `step neuron`. */
async function spikesOf(stream) {
  const spikes = [];
  for await (const { neurons, spikeSteps } of stream) neurons.forEach((neuron, place) => spikes.push(`${spikeSteps[place]} ${neuron}`));
  return spikes;
}

test("streams have the events of a run, and end with it", async (t) => {
  const simulation = await create(t);
  const [expected] = listen(simulation);
  const streams = [simulation.stream(), simulation.stream()].map(spikesOf);
  await simulation.run(50);
  for (const spikes of await Promise.all(streams)) assert.deepEqual(spikes, expected);
  const started = await spikesOf(simulation.stream({ ms: 20 }));
  assert.equal(simulation.timeMs, 70);
  assert.deepEqual(started, expected.filter((spike) => Number(spike.split(" ")[0]) >= 500));
});

test("events before the loop are stored", async (t) => {
  const simulation = await create(t);
  const [expected] = listen(simulation);
  const stream = simulation.stream();
  await simulation.run(300);
  assert.deepEqual(await spikesOf(stream), expected);
  assert.deepEqual(await stream.next(), { value: undefined, done: true });
});

test("samples and rates, of every trial", async (t) => {
  const simulation = await create(t, pair(), { trials: 2 });
  await simulation.record("E.v[0]");
  const [trials, bins] = [new Set(), []];
  const rates = simulation.stream({ event: "rates" });
  for await (const { trial, values, steps } of simulation.stream({ event: "samples", ms: 50 })) {
    trials.add(trial);
    assert.equal(values.length, steps);
  }
  for await (const { trial } of rates) bins.push(trial);
  assert.deepEqual([...trials].sort(), [0, 1]);
  assert.ok(bins.includes(0) && bins.includes(1));
});

test("a run is at most two batches ahead of a slow loop, and another one does not lose events", async (t) => {
  const [network, options] = large();
  const simulation = await create(t, network, options);
  let received = 0;
  simulation.on("progress", () => (received += 1));
  const fast = spikesOf(simulation.stream());
  const [slow, heads] = [[], []];
  for await (const { neurons, spikeSteps } of simulation.stream({ ms: 200 })) {
    heads.push(received);
    await pause(30);
    neurons.forEach((neuron, place) => slow.push(`${spikeSteps[place]} ${neuron}`));
  }
  assert.ok(heads.length > 3, `${heads.length} batches`);
  heads.forEach((head, place) => assert.ok(head <= place + 3, `${head} batches were received when the loop took number ${place + 1}`));
  assert.deepEqual(await fast, slow);
  await simulation.run(10);
});

test("leaving the loop pauses the run that the stream started, and only that", async (t) => {
  const simulation = await create(t);
  for await (const { firstStep } of simulation.stream({ ms: 1e6 })) if (firstStep > 100) break;
  await simulation.pause();
  assert.equal(simulation.isRunning, false);
  const running = simulation.run();
  for await (const _ of simulation.stream()) break;
  await simulation.once("spikes");
  assert.equal(simulation.isRunning, true);
  await simulation.pause();
  assert.equal((await running).because, "paused");
});

test("errors of the run are thrown in the loop", async (t) => {
  const { refractory, ...cells } = pair().populations[0];
  const breaking = pair({
    populations: [{ ...cells, equations: "dv/dt = (I + v**3)/tau : 1\nI : 1\ntau : second (shared)", threshold: "v < -1e9" }],
    projections: [],
    recordings: [{ object: "E", var: "v", indices: [0] }],
  });
  const simulation = await create(t, breaking);
  await assert.rejects(spikesOf(simulation.stream({ ms: 100 })), { code: "diverged" });
  const elsewhere = await create(t);
  const stream = spikesOf(elsewhere.stream());
  await assert.rejects(elsewhere.run(0.01));
  await assert.rejects(stream, SpikeletError);
  const running = elsewhere.run();
  await elsewhere.once("progress");
  await assert.rejects(spikesOf(elsewhere.stream({ ms: 10 })), { code: "running" });
  await elsewhere.pause();
  await running;
});

test("a stream ends with its signal and with the simulation", async (t) => {
  const simulation = await create(t);
  const abort = new AbortController();
  const stream = spikesOf(simulation.stream({ ms: 1e6, signal: abort.signal }));
  await simulation.once("progress");
  abort.abort(new Error("enough"));
  await assert.rejects(stream, /enough/);
  await simulation.pause();
  assert.throws(() => simulation.stream({ signal: abort.signal }), /enough/);
  assert.throws(() => simulation.stream({ event: "state" }), { code: "argument", path: "event" });
  assert.throws(() => simulation.stream({ events: ["spikes"] }), { code: "argument", path: "events" });
  const running = simulation.run().catch(({ code }) => code);
  const last = spikesOf(simulation.stream());
  await simulation.once("progress");
  simulation.dispose();
  await last;
  assert.equal(await running, "disposed");
  assert.deepEqual(await spikesOf(simulation.stream()), []);
});

test("a Worker that is terminated ends streams and promises with its error", async () => {
  let worker;
  process.once("worker", (started) => (worker = started));
  const simulation = await Spikelet.create(pair(), { backend: "cpu" });
  const [stream, event] = [spikesOf(simulation.stream()), simulation.once("changed")];
  await Promise.all([
    worker.terminate(),
    assert.rejects(stream, { code: "engine" }),
    assert.rejects(event, { code: "engine" }),
  ]);
});

test("the next event is a promise", async (t) => {
  const simulation = await create(t);
  const next = simulation.once("state");
  const run = simulation.run(10);
  assert.equal((await next).running, true);
  await run;
  const abort = new AbortController();
  const never = simulation.once("changed", { signal: abort.signal });
  abort.abort(new Error("enough"));
  await assert.rejects(never, /enough/);
  await assert.rejects(simulation.once("nothing"), { code: "argument", path: "type" });
  const last = simulation.once("spikes");
  simulation.dispose();
  await assert.rejects(last, { code: "disposed" });
  await assert.rejects(simulation.once("spikes"), { code: "disposed" });
});

test("`using` disposes", { skip: !Symbol.dispose && "this version of Node has no Symbol.dispose" }, async () => {
  for (const symbol of [Symbol.dispose, Symbol.asyncDispose]) {
    const simulation = await Spikelet.create(pair(), { backend: "cpu" });
    await simulation[symbol]();
    await assert.rejects(simulation.run(1), { code: "disposed" });
  }
});
