// Sweeps, curves of a neuron and comparisons as a script of Node uses them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Spikelet } from "../../../target/engine/js/index.js";
import { SpikeList, SpikeletError, difference, fiCurve, keepRun, ratesIn, sweep, sweepFile, sweepNpz, sweepRows, transferCurve } from "../../../target/engine/js/experiments.js";
import { resultsOfCommandLine } from "./simulation.mjs";
import { axisOf, combinations, rangeOf } from "../../../target/engine/js/experiments/grid.js";

const NETWORK = {
  name: "noisy", dt_ms: 0.1, duration_ms: 200, seed: 3,
  populations: [
    { name: "E", size: 30, equations: "dv/dt = (I - v)/tau + 0.3*xi/sqrt(tau) : 1", threshold: "v > 1", reset: "v = 0", parameters: { tau: "10 ms", I: 1.1 }, initial: { v: { expr: "I*rand()" } } },
    { name: "F", size: 10, equations: "dv/dt = -v/(5*ms) : 1", threshold: "v > 1", reset: "v = 0" },
  ],
  projections: [{ name: "EF", pre: "E", post: "F", connect: { rule: "bernoulli", p: 0.5 }, on_pre: "v_post += w", parameters: { w: 0.3 } }],
};

const collected = async (run) => {
  const points = [];
  for await (const point of run) points.push(point);
  return points;
};

async function fails(promise, path, message) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof SpikeletError, String(error));
    assert.equal(error.path, path, error.message);
    assert.match(error.message, message);
    return true;
  });
}

test("ranges are those of the command line", async () => {
  assert.deepEqual(rangeOf(10, 30, 5, false), [10, 15, 20, 25, 30]);
  assert.deepEqual(rangeOf(0, 0.3, 4, false), [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(rangeOf(1, 1000, 4, true), [1, 10, 100, 1000]);
  const info = { network: { populations: [{ parameters: [{ path: "E.tau", about: "", unit: "ms", value: 10 }] }], projections: [] } };
  const axis = axisOf({ path: "E.tau", from: "0.01 s", to: "0.03 s", steps: 3 }, "parameters[0]", info);
  assert.deepEqual([axis.unit, axis.texts], ["s", ["0.01 s", "0.02 s", "0.03 s"]]);
  assert.deepEqual(axisOf({ path: "E.tau", values: [5, 7] }, "p", info).texts, ["5 ms", "7 ms"]);
  assert.deepEqual(combinations([axis, axis]).slice(0, 4), [[0, 0], [0, 1], [0, 2], [1, 0]]);
  const wrong = (parameter, path) => assert.throws(() => axisOf(parameter, "p", info), (error) => error.path === path, path);
  wrong({ path: "E.foo", from: 1, to: 2, steps: 2 }, "p.path");
  wrong({ path: "E.tau", from: 1, to: 2 }, "p.steps");
  wrong({ path: "E.tau", from: 1, to: 1, steps: 2 }, "p.to");
  wrong({ path: "E.tau", from: 0, to: 1, steps: 2, scale: "log" }, "p.from");
  wrong({ path: "E.tau", from: "1 ms", to: "2 s", steps: 2 }, "p.to");
  wrong({ path: "E.tau", values: [] }, "p.values");
  wrong({ path: "E.tau", values: ["many"] }, "p.values[0]");
});

test("a sweep has the spikes of the command line", async (t) => {
  const words = ["--time", "200", "--trials", "2", "--sweep", "E.I=0.9..1.5:3", "--sweep", "E.tau=8ms,12ms"];
  const results = resultsOfCommandLine(t, NETWORK, words);
  if (!results) return;
  const run = sweep(NETWORK, { parameters: [{ path: "E.I", from: 0.9, to: 1.5, steps: 3 }, { path: "E.tau", values: [8, "12 ms"] }], ms: 200, repeats: 2, workers: 2 });
  await collected(run);
  const { points, isComplete } = await run.result;
  assert.ok(isComplete);
  const ours = points.flatMap(({ measured, spikes, spikesHashes }) => measured.map((rate, trial) => [spikes[trial], spikesHashes[trial], Math.round(rate * 1e6)]));
  assert.equal(results.length, 12);
  assert.deepEqual(ours, results.map((result) => [result.spikes, result.spikes_hash, Math.round(result.rates_hz.E * 1e6)]));
  assert.equal(new Set(points.flatMap(({ spikes }) => spikes)).size > 8, true, "the runs differ");
});

test("points are those of networks with these values, whatever came before", async () => {
  const options = { ms: 100, warmUpMs: 20, measure: "cv", repeats: 2 };
  const whole = await sweep(NETWORK, { parameters: [{ path: "E.I", values: [1.5, 0.8, 1.2] }], workers: 1, ...options }).result;
  const network = structuredClone(NETWORK);
  network.populations[0].parameters.I = 1.2;
  const single = await sweep(network, { parameters: [{ path: "E.tau", values: [10] }], ...options }).result;
  assert.deepEqual(whole.points[2].measured, single.points[0].measured);
  assert.deepEqual(whole.points[2].spikes, single.points[0].spikes);
});

test("latency, the mean of a variable, and an error of one combination", async () => {
  const cell = { name: "cell", dt_ms: 0.1, duration_ms: 100, populations: [{ name: "n", size: 1, equations: "dv/dt = (I - v)/tau : 1", threshold: "v > 1", reset: "v = 0", method: "exact", parameters: { tau: "10 ms", I: 2 } }] };
  const first = await sweep(cell, { parameters: [{ path: "n.I", values: [0.5, 2] }], ms: 100, measure: "latency" }).result;
  assert.ok(Number.isNaN(first.points[0].mean), "it does not spike");
  // τ ln(I/(I − 1)) = 6.93 ms
  assert.ok(Math.abs(first.points[1].mean - 6.93) <= 0.11, String(first.points[1].mean));
  const mean = await sweep(cell, { parameters: [{ path: "n.I", values: [0.25, 0.5] }], ms: 200, warmUpMs: 150, measure: "mean", variable: "n.v[0]" }).result;
  mean.points.forEach(({ mean: value }, place) => assert.ok(Math.abs(value - [0.25, 0.5][place]) < 1e-4, String(value)));
  const broken = await sweep(cell, { parameters: [{ path: "n.tau", values: [10, 0, 20] }], ms: 50 }).result;
  assert.deepEqual(broken.points.map(({ failure }) => failure === null), [true, false, true], broken.points.map(({ failure }) => failure).join());
  const rows = sweepRows(broken);
  assert.deepEqual(rows[0], ["n.tau [ms]", "trial", "rate n [Hz]", "spikes", "failure"]);
  assert.equal(rows.length, 4);
  assert.equal(rows[2][4], broken.points[1].failure);
});

test("a sweep stops, is bounded, and explains wrong options", async () => {
  const parameters = [{ path: "E.I", from: 1, to: 2, steps: 40 }];
  const stopped = sweep(NETWORK, { parameters, ms: 50, workers: 1 });
  stopped.on("point", () => stopped.stop());
  const { points, isComplete } = await stopped.result;
  assert.ok(!isComplete && points.length >= 1 && points.length < 40);
  const end = new AbortController();
  const aborted = sweep(NETWORK, { parameters, ms: 50, signal: end.signal });
  aborted.on("point", () => end.abort(new Error("enough")));
  await assert.rejects(aborted.result, /enough/);
  await fails(sweep(NETWORK, { parameters: [{ path: "E.I", from: 1, to: 2, steps: 200 }, { path: "E.tau", from: 5, to: 9, steps: 60 }], ms: 10 }).result, "parameters", /12000 runs .* at most 10000 .* use fewer/);
  await fails(sweep(NETWORK, { parameters, ms: 50, limitS: 1e-6 }).result, "limitS", /limit/);
  await fails(sweep(NETWORK, { parameters, ms: 50, population: "X" }).result, "population", /E, F/);
  await fails(sweep(NETWORK, { parameters, ms: 0.05 }).result, "ms", /multiple/);
  assert.throws(() => sweep(NETWORK, { parameters, ms: 50, measure: "mood" }), /measure is "mood"/);
  assert.throws(() => sweep(NETWORK, { parameters, ms: 50, warmUpMs: 50 }), /warmUpMs is 50/);
  assert.throws(() => sweep(NETWORK, { parameters, ms: 50, colour: 1 }), /no option `colour`/);
});

test("files of a sweep: rows, arrays, and JSON that repeats it", async () => {
  const options = { parameters: [{ path: "E.I", values: [1, 1.4] }, { path: "E.tau", values: [8, 12] }], ms: 50, repeats: 2, population: "E" };
  const result = await sweep(NETWORK, options).result;
  assert.equal(sweepRows(result).length, 9);
  const archive = Buffer.from(sweepNpz(result));
  for (const name of ["measured.npy", "axis_0.npy", "axis_1.npy", "paths.npy"]) assert.ok(archive.includes(name), name);
  assert.ok(archive.includes("'shape': (2, 2, 2)"));
  const file = JSON.parse(JSON.stringify(sweepFile(NETWORK, options)));
  const again = await sweep(file.network, file.sweep).result;
  assert.deepEqual(again.points, result.points);
});

test("the F–I curve of a leaky integrator is the analytic one", async () => {
  const network = { name: "cells", dt_ms: 0.1, duration_ms: 100, populations: [{ name: "P", size: 7, model: "lif_exp", parameters: { taum: "20 ms", El: "-65 mV", Vt: "-50 mV", Vr: "-65 mV", tref: "2 ms", I: { values: [1, 2, 3, 4, 5, 6, 7], unit: "mV" } } }], projections: [] };
  const { points, rheobase } = await fiCurve(network, { population: "P", parameter: "I", unit: "mV", from: 0, to: 60, steps: 31, ms: 2000 });
  // A second run adds points around the rheobase.
  assert.equal(points.length, 31 + 29);
  for (const { x, rate } of points) {
    // At the threshold itself, the rounding of the potential decides.
    if (Math.abs(x - 15) < 0.01) continue;
    const expected = x <= 15 ? 0 : 1000 / (2 + 20 * Math.log(x / (x - 15)));
    assert.ok(Math.abs(rate - expected) <= 0.02 * expected, `${x} mV: ${rate} Hz, expected ${expected} Hz`);
  }
  assert.ok(Math.abs(rheobase.fires - 15) < 0.1 && rheobase.rests < rheobase.fires, JSON.stringify(rheobase));
});

test("the transfer curve rises with the rate of the inputs", async () => {
  const simulation = await Spikelet.create("cuba", { scale: 0.05, threads: 1, backend: "cpu" });
  const network = await simulation.network();
  simulation.dispose();
  network.populations[0].parameters.El = "-60 mV";
  const { points, unit } = await transferCurve(network, { population: "E", projection: "EE", from: 0, to: 20, steps: 5, copies: 4, ms: 600 });
  assert.equal(unit, "Hz");
  assert.equal(points[0].rate, 0);
  assert.ok(points[4].rate > points[2].rate && points[4].rate > 5, JSON.stringify(points));
  await fails(transferCurve(network, { population: "E", projection: "II", from: 0, to: 20 }), "projection", /EE, IE/);
});

/** A run of the network with a value, kept. */
async function kept(name, value, ms = 200) {
  const simulation = await Spikelet.create(NETWORK, { threads: 1, backend: "cpu" });
  const list = new SpikeList();
  simulation.on("spikes", (event) => list.push(event));
  await simulation.set("E.I", String(value));
  await simulation.reset();
  await simulation.run(ms);
  simulation.dispose();
  return keepRun(name, simulation.info, list, ms);
}

test("two runs are compared in the time that both have", async () => {
  const [before, same, other] = [await kept("A", 1.1), await kept("B", 1.1, 150), await kept("C", 1.3)];
  const none = difference(before, same);
  assert.deepEqual([none.first, none.values, none.fromMs, none.toMs], [null, [], 0, 150]);
  assert.ok(none.measures.every(({ difference: value }) => value === 0 || Number.isNaN(value)));
  const found = difference(before, other);
  assert.deepEqual(found.values, [{ path: "E.I", unit: "", before: 1.1, now: 1.3 }]);
  const { timeMs, population, neuron, isBefore } = found.first;
  const has = ({ steps, neurons }) => steps.some((step, place) => step === Math.round(timeMs / 0.1) && neurons[place] === neuron);
  assert.deepEqual([has(before), has(other), population], [isBefore, !isBefore, "E"]);
  const rate = found.measures.find((row) => row.population === "E" && row.unit === "Hz");
  assert.ok(rate.now > rate.before && Math.abs(rate.percent - (100 * rate.difference) / rate.before) < 1e-9);
  const bins = ratesIn(before, "E", 0, 200);
  const sum = bins.values.reduce((total, value) => total + value, 0) / bins.values.length;
  assert.ok(Math.abs(sum - rate.before) < 1e-9 * sum + 0.5, `${sum} and ${rate.before}`);
  assert.throws(() => keepRun("none", { dtMs: 0.1, network: { populations: [], projections: [] } }, new SpikeList(), 0), /no run to keep/);
  assert.equal(difference(before, { ...other, dtMs: 0.2 }).first, undefined);
});
