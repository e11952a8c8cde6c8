// Training as a script of Node uses it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Spikelet } from "../../../target/engine/js/index.js";
import { SpikeletError, Training, train } from "../../../target/engine/js/training.js";

/** Yin-Yang with few neurons and samples. */
async function small(changes = {}) {
  const training = JSON.parse(await Training.preset("yin-yang"));
  training.network.populations[0].size = 60;
  training.data = { ...training.data, train: 600, test: 200 };
  return { ...training, epochs: 2, ...changes };
}

async function refused(promise, code, path, message) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof SpikeletError, String(error));
    assert.deepEqual([error.code, error.path], [code, path], error.message);
    assert.match(error.message, message);
    return true;
  });
}

test("a training yields its epochs, and a network that runs", async (t) => {
  const run = train(await small({ epochs: 6 }));
  const batches = [];
  run.on("batch", (report) => batches.push(report));
  const epochs = [];
  for await (const epoch of run) epochs.push(epoch);
  assert.deepEqual(epochs.map(({ epoch }) => epoch), [1, 2, 3, 4, 5, 6]);
  assert.ok(epochs[5].loss < 0.8 * epochs[0].loss, `${epochs.map(({ loss }) => loss)}`);
  assert.ok(epochs[5].accuracyTest > 0.6, `${epochs.map(({ accuracyTest }) => accuracyTest)}`);
  assert.equal(batches.at(-1).batch, batches.at(-1).batches);
  assert.ok(batches.every(({ accuracy }) => accuracy >= 0 && accuracy <= 1));
  const { network, weights, reason, curve } = await run.result;
  assert.deepEqual([reason, curve.length], ["epochs", 6]);
  assert.ok(weights.every(({ before, now }) => before.length === now.length && before.some((weight, place) => weight !== now[place])));
  const simulation = await Spikelet.create(network);
  t.after(() => simulation.dispose());
  await simulation.run(network.duration_ms);
});

test("the same training gives the same numbers, also from a checkpoint", async () => {
  const whole = await train(await small()).result;
  const half = await train(await small({ epochs: 1 })).result;
  const rest = await train(await small(), { checkpoint: half.checkpoint }).result;
  assert.deepEqual(rest.curve.map(({ epoch }) => epoch), [2]);
  assert.equal(rest.curve[0].loss, whole.curve[1].loss);
  assert.deepEqual(rest.network, whole.network);
  const other = await train(await small(), { seed: 2 }).result;
  assert.notDeepEqual(other.network, whole.network);
});

test("it stops, on request, at an accuracy, by a signal, and when a loop is left", async () => {
  const stopped = train(await small({ epochs: 1000 }));
  stopped.on("batch", () => stopped.stop());
  assert.equal((await stopped.result).reason, "stop");
  const reached = await train(await small({ epochs: 1000 }), { until: 0.4 }).result;
  assert.equal(reached.reason, "until");
  assert.ok(reached.curve.at(-1).accuracyTest >= 0.4);
  const controller = new AbortController();
  const aborted = train(await small({ epochs: 1000 }), { signal: controller.signal });
  aborted.on("batch", () => controller.abort(new Error("enough")));
  await assert.rejects(aborted.result, /enough/);
  const left = train(await small({ epochs: 1000 }));
  for await (const { epoch } of left) if (epoch === 1) break;
  assert.equal((await left.result).reason, "stop");
});

test("what does not learn says so", async () => {
  const silent = await small({ epochs: 1, optimiser: { type: "adam", rate: 0.001 } });
  for (const projection of silent.network.projections) projection.initial = { w: "1e-6" };
  const { curve } = await train(silent).result;
  assert.match(curve[0].notices[0], /^`hidden` has not fired at all in epoch 1; make its initial weights or its input larger/);
});

test("a training is looked into: samples, decisions, weights", async (t) => {
  const training = await Training.open(await small());
  t.after(() => training.dispose());
  const { info } = training;
  assert.deepEqual([info.method, info.classes, info.trainSamples, info.testSamples, info.hasPlane], ["eventprop", 3, 600, 200, true]);
  const before = await training.evaluate();
  assert.equal(await training.run(1), true);
  assert.equal(training.curve.length, 1);
  const after = await training.evaluate();
  assert.equal(after.accuracy, training.curve[0].accuracyTest);
  const { lossTest, rates, notices } = training.curve[0];
  assert.equal(lossTest, after.loss);
  assert.deepEqual(rates.map(({ population }) => population), ["hidden", "output"]);
  assert.ok(rates.every(({ rateHz }) => rateHz > 0));
  assert.deepEqual(notices, []);
  assert.ok(after.loss < before.loss);
  const { neurons, timesMs, decision } = await training.sample(3);
  assert.equal(neurons.length, timesMs.length);
  assert.ok(neurons.length >= 5 && timesMs.every((time, place) => place === 0 || time >= timesMs[place - 1]));
  assert.ok(decision >= 0 && decision < 3);
  const plane = await training.plane(12);
  assert.equal(plane.length, 144);
  assert.ok(new Set(plane).size > 1);
  const [{ path, now }] = await training.weights();
  assert.deepEqual([path, now.length], ["input_hidden", 300]);
});

test("presets are listed, and a preset can be changed", async () => {
  const presets = await Training.presets();
  assert.ok(presets.some(({ name, methods }) => name === "yin-yang" && methods.includes("bptt")));
  const bptt = JSON.parse(await Training.preset("yin-yang", { method: "bptt" }));
  assert.equal(bptt.method, "bptt");
});

test("a simulation trains its network", async (t) => {
  const { network, name, ...rest } = await small({ epochs: 1 });
  const simulation = await Spikelet.create(network);
  t.after(() => simulation.dispose());
  const run = await simulation.train(rest);
  const { curve, network: trained } = await run.result;
  assert.equal(curve.length, 1);
  assert.deepEqual(trained.populations.map(({ size }) => size), [60, 3]);
});

test("wrong values are refused with the place and the way out", async () => {
  await refused(train("yin-yng").result, "unknown_name", null, /no training `yin-yng`.*yin-yang/s);
  await refused(train(await small({ input: "inputs" })).result, "unknown_name", "input", /no population `inputs`/);
  await refused(train(await small({ loss: [{ type: "cross_entropy", population: "output", reading: "max", variable: "u" }] })).result, "unknown_name", "loss[0].variable", /`u`/);
  await refused(train("{").result, "json", null, /malformed/);
  assert.throws(() => train("yin-yang", { epochs: 0 }), { path: "epochs" });
  assert.throws(() => train("yin-yang", { rate: -1 }), { path: "rate" });
  assert.throws(() => train("yin-yang", { until: 95 }), { path: "until" });
  assert.throws(() => train("yin-yang", { epoch: 5 }), { path: "epoch" });
});
