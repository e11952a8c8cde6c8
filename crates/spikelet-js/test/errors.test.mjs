// Every way in which the API refuses: code, message and path.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Spikelet, SpikeletError, create, pair } from "./simulation.mjs";

async function refused(promise, code, message, path = null) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof SpikeletError, String(error));
    assert.equal(error.name, "SpikeletError");
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    assert.equal(error.path, path);
    return true;
  });
}

/** A pair with one thing changed in its first population. */
function withE(changes) {
  const network = pair();
  Object.assign(network.populations[0], changes);
  return network;
}

test("options that are none", async () => {
  for (const [options, path] of [
    [{ backend: "abacus" }, "backend"],
    [{ threads: 0 }, "threads"],
    [{ trials: 1.5 }, "trials"],
    [{ compile: "no" }, "compile"],
    [{ fastMath: 1 }, "fastMath"],
    [{ workgroupSize: 0.5 }, "workgroupSize"],
    [{ seed: -1 }, "seed"],
    [{ seed: 2n ** 64n }, "seed"],
    [{ scale: NaN }, "scale"],
    [{ rateBinMs: 0 }, "rateBinMs"],
    [{ rateBinMs: 0.15 }, "rateBinMs"],
    [{ scale: 2 }, "scale"],
    [{ onProgress: "tell" }, "onProgress"],
    [{ files: null }, "files"],
    [{ files: { "edges.csv": "0,1" } }, 'files\\["edges.csv"\\]'],
    [{ signal: {} }, "signal"],
    [{ worker: () => null }, "worker"],
  ]) {
    await refused(Spikelet.create(pair(), { backend: "cpu", ...options }), "argument", new RegExp(`^${path} is .*expected`), path.replaceAll("\\", ""));
  }
  const unknown = Spikelet.create(pair(), { sed: 3 });
  await refused(unknown, "argument", /^there is no option `sed`; the options here are backend, threads, seed, /, "sed");
  await refused(Spikelet.create(pair(), null), "argument", /^options is null/, "options");
  await refused(Spikelet.networks({ workr: "x" }), "argument", /no option `workr`; the options here are signal, worker/, "workr");
});

test("networks that are none", async () => {
  await refused(Spikelet.create(null), "argument", /network is null; expected an object/, "network");
  await refused(Spikelet.create(7), "argument", /network is 7/, "network");
  await refused(Spikelet.create("http://["), "argument", /network is "http:\/\/\["/, "network");
  const loop = {};
  loop.loop = loop;
  await refused(Spikelet.create(loop), "argument", /the network cannot be converted to JSON/, "network");
  const missing = new URL("no-such-network.json", import.meta.url);
  await refused(Spikelet.create(missing), "fetch", /no-such-network\.json could not be loaded: .*; check the URL/, String(missing));
});

test("networks that cannot run", async () => {
  const cpu = { backend: "cpu" };
  await refused(Spikelet.create('{"name": }', cpu), "json", /line 1, column 10/);
  await refused(Spikelet.create({ ...pair(), dt: 0.1 }, cpu), "unknown_key", /unknown key `dt`/);
  await refused(Spikelet.create({ ...pair(), dt_ms: undefined }, cpu), "missing_key", /lacks the key `dt_ms`/);
  await refused(Spikelet.create({ ...pair(), dt_ms: -1 }, cpu), "invalid_value", /dt_ms is -1/, "dt_ms");
  await refused(Spikelet.create("cube", cpu), "unknown_name", /no network `cube`.*`cuba`/);
  const named = { model: "liff", equations: undefined, threshold: undefined, reset: undefined, refractory: undefined };
  await refused(Spikelet.create(withE(named), cpu), "unknown_name", /`liff`/, "populations[0].model");
  const wrong = withE({ threshold: "v > 1*mV" });
  await refused(Spikelet.create(wrong, cpu), "equations", /threshold, line 1/, "populations[0]");
  const error = await Spikelet.create(wrong, cpu).catch((error) => error);
  assert.deepEqual(error.diagnostics.map(({ code, path, line }) => [code, path, line]), [["dimension_mismatch", "populations[0].threshold", 1]]);
});

test("no GPU where one was asked for", async () => {
  await refused(Spikelet.create(pair(), { backend: "gpu" }), "no_gpu", /WebGPU/);
});

test("an engine that is not there", async () => {
  const worker = new URL("no-such-worker.js", import.meta.url);
  await refused(Spikelet.create(pair(), { worker }), "engine", /no-such-worker\.js/);
  await refused(Spikelet.networks({ worker: "worker.js" }), "argument", /worker is "worker\.js"; expected the URL/, "worker");
  await refused(Spikelet.networks({ worker }), "engine", /no-such-worker\.js/);
});

test("what a simulation refuses, it goes on after", async (t) => {
  const simulation = await create(t);
  await refused(simulation.run(0.05), "invalid_value", /0\.05/, "ms");
  await refused(simulation.run(-1), "invalid_value", /-1/, "ms");
  await refused(simulation.run(NaN), "invalid_value", /NaN/, "ms");
  await refused(simulation.run("10"), "argument", /ms is "10"/, "ms");
  await refused(simulation.runUntil(7), "argument", /condition is 7/, "condition");
  await refused(simulation.runUntil("spikes(X) > 3"), "equations", /no population or source `X`/, "until");
  await refused(simulation.runUntil("spikes >"), "equations", /spikes >/, "until");
  await refused(simulation.set("E.tau", "fast"), "equations", /fast/, "E.tau");
  await refused(simulation.set("E.tau", "3 mV"), "equations", /mV/, "E.tau");
  await refused(simulation.set("E.tua", "3 ms"), "unknown_name", /`tua`; .*`tau`/, "E.tua");
  await refused(simulation.set("X.tau", "3 ms"), "unknown_name", /`X`/, "X.tau");
  await refused(simulation.set("E.v", [1, 2, 3]), "invalid_value", /3.*40/, "E.v");
  await refused(simulation.set("E.v[38:42]", 1), "invalid_value", /42/, "E.v[38:42]");
  await refused(simulation.set("E.tau", null), "argument", /E\.tau is null/, "E.tau");
  for (const value of [NaN, Infinity, [1, NaN], ["1"], [null], {}, undefined, 3n]) {
    await refused(simulation.set("E.v", value), "argument", /^E\.v is .*a number, or an array of numbers/, "E.v");
  }
  await refused(simulation.set(3, 3), "argument", /path is 3/, "path");
  await refused(simulation.get("E.x"), "unknown_name", /`x`/, "E.x");
  await refused(simulation.get("E.v", { trial: 1 }), "invalid_value", /trial is 1, but the network has 1/, "E.v");
  await refused(simulation.get("E.v", { trial: -1 }), "argument", /trial is -1/, "trial");
  await refused(simulation.record("E"), "argument", /record is "E"/, "record");
  await refused(simulation.record(null), "argument", /record is null; expected a list/, "record");
  await refused(simulation.record([null]), "argument", /record\[0\] is null/, "record[0]");
  await refused(simulation.loadWeights(null), "argument", /content is null; expected the Uint8Array/, "content");
  await refused(simulation.loadWeights(new Uint8Array(8), { file: 3 }), "argument", /file is 3/, "file");
  await refused(simulation.run(1, { signl: null }), "argument", /no option `signl`; the options here are signal/, "signl");
  await refused(simulation.get("E.v", { trail: 1 }), "argument", /no option `trail`; the options here are signal, trial/, "trail");
  await refused(simulation.pause({ signal: "stop" }), "argument", /signal is "stop"; expected an AbortSignal/, "signal");
  await refused(simulation.record("E.v[0:41]"), "argument", /E\.v\[0:41\]/, "record");
  await refused(simulation.record("E.x"), "unknown_name", /`x`/, "recordings[0].var");
  await refused(simulation.loadWeights(new Uint8Array(8)), "invalid_value", /weights\.npz/, "weights.npz");
  await refused(simulation.restore(new Uint8Array(8)), "invalid_value", /snapshot/, "the snapshot");
  await refused(simulation.restore([]), "argument", /content is an object of type Array/, "content");
  const other = await create(t, pair({ dt_ms: 0.2 }));
  await refused(other.restore(await simulation.snapshot()), "invalid_value", /time step of 0\.1 ms, but in this network it is of 0\.2 ms/, "the snapshot");
  assert.equal((await simulation.run(10)).because, "time");
});

test("listeners that are none", async (t) => {
  const simulation = await create(t);
  const thrown = (path, message) => (error) => error instanceof SpikeletError && error.path === path && message.test(error.message);
  assert.throws(() => simulation.on("bogus", () => {}), thrown("type", /"bogus"; expected one of spikes, rates, /));
  assert.throws(() => simulation.on("toString", () => {}), thrown("type", /"toString"/));
  assert.throws(() => simulation.on("spikes", null), thrown("listener", /null; expected a function/));
  assert.throws(() => simulation.on("spikes", () => {}, { once: true }), thrown("once", /no option `once`/));
});

test("one run at a time", async (t) => {
  const simulation = await create(t);
  const running = simulation.run();
  await refused(simulation.run(10), "running", /is already running.*pause it/);
  await simulation.pause();
  assert.equal((await running).because, "paused");
});

test("after a condition of the network only a reset leads on", async (t) => {
  const simulation = await create(t, pair({ stop: ["spikes > 0"] }));
  await simulation.run(100);
  await refused(simulation.run(1), "ended", /spikes > 0.*reset/);
});

test("a state that leaves the numbers breaks the run off; a reset leads on", async (t) => {
  const network = withE({ equations: "dv/dt = (I + v**3)/tau : 1\nI : 1\ntau : second (shared)", threshold: "v < -1e9", refractory: undefined });
  network.recordings = [{ object: "E", var: "v", indices: [0] }];
  const simulation = await create(t, network);
  const errors = [];
  simulation.on("error", (error) => errors.push(error.code));
  await refused(simulation.run(100), "diverged", /v of neuron \d+ in `E`/);
  assert.deepEqual(errors, ["diverged"]);
  await refused(simulation.run(1), "broken", /reset/);
  await simulation.reset();
  assert.equal((await simulation.run(1)).because, "time");
});

test("an aborted signal", async (t) => {
  const simulation = await create(t);
  const signal = AbortSignal.abort(new Error("gone"));
  for (const asked of [
    simulation.run(1, { signal }), simulation.get("E.v", { signal }), simulation.set("E.tau", 1, { signal }), simulation.snapshot({ signal }),
    simulation.memory({ signal }), simulation.check(pair(), { signal }), Spikelet.models({ signal }),
  ]) {
    await assert.rejects(asked, /gone/);
  }
});

test("a Worker that is ended from outside", async () => {
  let worker;
  process.once("worker", (started) => (worker = started));
  const simulation = await Spikelet.create(pair(), { backend: "cpu" });
  const errors = [];
  simulation.on("error", ({ code }) => errors.push(code));
  const running = simulation.run();
  await worker.terminate();
  await refused(running, "engine", /the engine stopped: its Worker was terminated/);
  await refused(simulation.get("E.v"), "engine", /terminated/);
  assert.deepEqual([errors, simulation.isRunning], [["engine"], false]);
});

test("a simulation that was disposed of", async () => {
  const simulation = await Spikelet.create(pair(), { backend: "cpu" });
  const running = simulation.run();
  simulation.dispose();
  await refused(running, "disposed", /was disposed/);
  await refused(simulation.run(1), "disposed", /was disposed/);
  assert.equal(simulation.isRunning, false);
  simulation.dispose();
});
