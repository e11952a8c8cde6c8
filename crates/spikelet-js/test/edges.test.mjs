// Synapses as files.

import assert from "node:assert/strict";
import { test } from "node:test";

import { create, listen, pair } from "./simulation.mjs";

/** Synapses with a weight each and short-term depression. */
const tiring = () =>
  pair({
    projections: [
      {
        ...pair().projections[0],
        name: "EE",
        equations: "dx/dt = (1 - x)/(50*ms) : 1 (event-driven)\nw : 1",
        on_pre: "v_post += w*x\nx -= 0.2*x",
        initial: { x: 1 },
        parameters: { w: { expr: "0.05*rand()" } },
      },
    ],
  });

/** The spikes of 50 ms. */
async function spikesOf(t, network, options) {
  const simulation = await create(t, network, options);
  const [spikes] = listen(simulation);
  await simulation.run(50);
  return { simulation, spikes };
}

test("a network that reads the file of its synapses has the same spikes", async (t) => {
  const { simulation, spikes } = await spikesOf(t, tiring());
  await simulation.reset();
  for (const format of ["npz", "csv"]) {
    const content = await simulation.edges("EE", { format });
    const network = tiring();
    const [projection] = network.projections;
    delete projection.connect;
    delete projection.parameters;
    projection.pairs = { file: `edges.${format}` };
    assert.deepEqual((await spikesOf(t, network, { files: { [`edges.${format}`]: content } })).spikes, spikes, format);
  }
});

test("the file has every synapse once, with its values at the time", async (t) => {
  const { simulation } = await spikesOf(t, tiring());
  const lines = new TextDecoder().decode(await simulation.edges("EE", { format: "csv" })).trim().split("\n");
  const header = lines[0].split(",");
  assert.deepEqual(header.slice(0, 2), ["pre", "post"]);
  assert.ok(header.includes("w") && header.includes("x"), lines[0]);
  const rows = lines.slice(1).map((line) => line.split(",").map(Number));
  assert.equal(rows.length, simulation.info.synapses);
  const column = (name) => rows.map((row) => row[header.indexOf(name)]);
  // Expressions have more digits than the simulator keeps.
  assert.deepEqual(column("w").map(Math.fround), [...(await simulation.get("EE.w")).values]);
  assert.deepEqual(column("x"), [...(await simulation.get("EE.x")).values]);
  assert.ok(new Set(column("x")).size > 1);
});

test("typed arrays have every synapse with its weight and delay", async (t) => {
  const { simulation } = await spikesOf(t, tiring());
  const { total, pre, post, weights, delaysMs, variable } = await simulation.edges("EE", { format: "arrays" });
  assert.deepEqual([total, pre.length, post.length, weights.length, delaysMs.length], Array(5).fill(simulation.info.synapses));
  assert.equal(variable, "w");
  assert.deepEqual([...weights].sort(), [...(await simulation.get("EE.w")).values].sort());
  const lines = new TextDecoder().decode(await simulation.edges("EE", { format: "csv" })).trim().split("\n").slice(1);
  const pairs = (all) => [...all].sort();
  assert.deepEqual(pairs(lines.map((line) => line.split(",").slice(0, 2).join(" "))), pairs(Array.from(pre, (from, place) => `${from} ${post[place]}`)));
  assert.ok(delaysMs.every((delay) => delay === 1));
});

test("errors name the projection and the formats", async (t) => {
  const simulation = await create(t, tiring());
  await assert.rejects(simulation.edges("EI"), { code: "unknown_name", message: /no projection `EI`; did you mean `EE`/ });
  await assert.rejects(simulation.edges("EE", { format: "xlsx" }), { code: "argument", message: 'format is "xlsx"; expected "npz", "csv" or "arrays"' });
  await assert.rejects(simulation.edges(3), { code: "argument" });
});
