// Positions, synapses and live input of a simulation, on the real engine.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Drive, gridOf, targetsOf } from "../../../target/engine/js/senses.js";
import { EXAMPLE } from "../../../target/engine/js/senses/example.js";
import { create, listen, pair } from "./simulation.mjs";

test("positions are those of the network, with unit and shape", async (t) => {
  const network = pair();
  network.populations[0].positions = { layout: "grid", shape: [4, 10], spacing: "20 um" };
  network.populations[1].positions = { layout: "random", box: ["100 um", "50 um", "10 um"] };
  const simulation = await create(t, network);
  assert.deepEqual(simulation.info.network.populations.map(({ dimensions }) => dimensions), [2, 3]);
  const sheet = await simulation.positions("E");
  assert.deepEqual([sheet.dimensions, sheet.unit, sheet.shape, sheet.coordinates.length], [2, "µm", [4, 10], 80]);
  assert.deepEqual([...sheet.coordinates.subarray(0, 4)], [10, 10, 30, 10]);
  assert.deepEqual([...sheet.coordinates.subarray(8, 10)], [10, 30]);
  const body = await simulation.positions("R");
  assert.deepEqual([body.dimensions, body.shape, body.coordinates.length], [3, [], 30]);
  body.coordinates.forEach((at, place) => assert.ok(at >= 0 && at < [100, 50, 10][place % 3]));
  await assert.rejects(simulation.positions("X"), /X.*E.*R/s);
  const without = await create(t);
  assert.deepEqual((await without.positions("E")).dimensions, 0);
});

test("synapses have their weights and delays, all or a sample", async (t) => {
  const simulation = await create(t);
  const all = await simulation.synapses("ER");
  assert.deepEqual([all.total, all.pre.length, all.variable, all.unit], [400, 400, "v", ""]);
  assert.ok(all.weights.every((weight) => Math.abs(weight - 0.05) < 1e-6) && all.delaysMs.every((delay) => Math.abs(delay - 1) < 1e-6));
  await simulation.set("ER.w", 0.07);
  const part = await simulation.synapses("ER", { limit: 50, pre: [10, 20], post: 3 });
  assert.deepEqual([part.total, part.pre.length], [10, 10]);
  assert.ok(part.pre.every((pre) => pre >= 10 && pre < 20) && part.post.every((post) => post === 3));
  assert.ok(part.weights.every((weight) => Math.abs(weight - 0.07) < 1e-6), "the value that was set");
  const sample = await simulation.synapses("ER", { limit: 40 });
  assert.deepEqual([sample.total, sample.pre.length], [400, 40]);
  assert.deepEqual(await simulation.synapses("ER", { limit: 40 }), sample);
  await assert.rejects(simulation.synapses("ER", { limit: 0 }), /limit/);
  await assert.rejects(simulation.synapses("ER", { pre: [5, 5] }), /pre/);
  await assert.rejects(simulation.synapses("ER", { post: 10 }), /`R` has 10 neurons/);
  await assert.rejects(simulation.synapses("RE"), /RE.*ER/s);
});

test("procedural synapses are those that the stored ones would be", async (t) => {
  const network = (storage) => pair({ projections: [{ name: "ER", pre: "E", post: "R", connect: { rule: "bernoulli", p: 0.4 }, on_pre: "v_post += w", parameters: { w: { expr: "0.01*rand()" } }, delay_ms: 1, storage }] });
  const [stored, drawn] = await Promise.all(["stored", "procedural"].map((storage) => create(t, network(storage))));
  const table = async (simulation) => {
    const { total, pre, post, weights } = await simulation.synapses("ER");
    return [total, Array.from(pre, (neuron, place) => `${neuron} ${post[place]} ${weights[place].toFixed(6)}`).sort()];
  };
  const [one, other] = [await table(stored), await table(drawn)];
  assert.ok(one[0] > 100);
  assert.deepEqual(other, one);
});

test("plastic weights are read while it runs, and change", async (t) => {
  const network = pair({
    projections: [{
      name: "ER", pre: "E", post: "R", connect: { rule: "all" }, equations: "dx/dt = -x/(20*ms) : 1 (event-driven)\nw : 1",
      on_pre: "v_post += w\nx += 1", on_post: "w = clip(w + 0.01*x, 0, 1)", initial: { w: 0.1 }, delay_ms: 1,
    }],
  });
  const simulation = await create(t, network);
  const before = await simulation.synapses("ER");
  assert.equal(before.variable, "w");
  assert.ok(before.weights.every((weight) => Math.abs(weight - 0.1) < 1e-6));
  const running = simulation.run(200);
  assert.equal((await simulation.synapses("ER")).total, 400);
  await running;
  const after = await simulation.synapses("ER");
  assert.ok(after.weights.some((weight) => weight > 0.11));
});

test("a live source changes the input of neurons without an event, until the reset", async (t) => {
  const simulation = await create(t, EXAMPLE);
  const changed = [];
  simulation.on("changed", (event) => changed.push(event));
  const [spikes] = listen(simulation);
  const { values: before } = await simulation.get("Input.I");
  const drive = (neurons) => Float32Array.from({ length: 256 }, (_, neuron) => (neurons.includes(neuron) ? 3 : 0));
  await simulation.feed("Input.I", drive([17]));
  await simulation.run(300);
  const count = (neuron) => spikes.filter((spike) => spike.split(" ")[1] === String(neuron)).length;
  assert.ok(count(17) > 10 && count(17) > 3 * count(200), `${count(17)} and ${count(200)} spikes`);
  const first = count(17);
  await simulation.feed("Input.I", drive([200]));
  await simulation.run(300);
  assert.ok(count(200) > 10 && count(17) < first + 10);
  await simulation.feed("Input.I[3:5]", [1, 2]);
  assert.deepEqual([...(await simulation.get("Input.I[2:6]")).values], [0, 1, 2, 0]);
  await simulation.reset();
  assert.deepEqual((await simulation.get("Input.I")).values, before);
  assert.deepEqual(changed, []);
  await assert.rejects(simulation.feed("Input.I", [1, 2]), /256 values/);
  await assert.rejects(simulation.feed("Input.tau", 3), /Input.tau/);
  await assert.rejects(simulation.feed("Input.I", Number.NaN), /Input.I/);
});

test("a source drives a variable in its scale, and gives it back", async (t) => {
  const simulation = await create(t, EXAMPLE);
  assert.deepEqual(targetsOf(simulation.info)[0], { path: "Input.I", population: "Input", size: 256, unit: "" });
  const grid = await gridOf(simulation, "Input");
  assert.deepEqual([grid.columns, grid.rows, grid.pixels[0], grid.pixels[255]], [16, 16, 240, 15]);
  const [before] = (await simulation.get("Input.I[7]")).values;
  let state = "made";
  const values = new Float32Array(256).fill(0.5);
  const sense = { name: "test", values, start: async () => (state = "on"), stop: () => (state = "off"), sample: () => {} };
  await assert.rejects(Drive.start(simulation, "Input.X", sense), /Input.X.*Input.I/s);
  assert.equal(state, "made");
  const drive = await Drive.start(simulation, "Input.I", sense, { gain: 2, offset: 1 });
  assert.equal(state, "on");
  const wait = async (expected) => {
    for (let turn = 0; turn < 100; turn += 1) {
      if ((await simulation.get("Input.I[7]")).values[0] === expected) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.fail(`I is never ${expected}`);
  };
  await wait(2);
  drive.scale.gain = 4;
  await wait(3);
  await drive.stop();
  assert.equal(state, "off");
  await wait(before);
});

test("a source stops if the simulation ends", async (t) => {
  const simulation = await create(t, EXAMPLE);
  const sense = { name: "test", values: new Float32Array(256), start: async () => {}, stop: () => {}, sample: () => {} };
  const ended = new Promise((resolve) => void Drive.start(simulation, "Input.I", sense, { gain: 1, offset: 0 }, resolve).then(() => simulation.dispose()));
  assert.equal((await ended).code, "disposed");
});
