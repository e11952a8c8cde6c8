// The API as a script of Node uses it: every method and event once, on the real engine.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Spikelet, create, listen, pair } from "./simulation.mjs";

test("a run tells spikes, its end and the time", async (t) => {
  const simulation = await create(t);
  const { info } = simulation;
  assert.equal(info.network.name, "pair");
  assert.equal(info.neurons, 50);
  assert.equal(info.synapses, 400);
  assert.equal(info.seed, 7n);
  assert.equal(info.backend.kind, "cpu");
  assert.deepEqual(info.network.populations.map(({ name, size, first }) => [name, size, first]), [["E", 40, 0], ["R", 10, 40]]);
  const [spikes] = listen(simulation);
  const states = [];
  simulation.on("state", ({ running }) => states.push(running));
  const ran = await simulation.run(50);
  assert.deepEqual(ran, { timeMs: 50, steps: 500, because: "time", condition: null });
  assert.equal(simulation.timeMs, 50);
  assert.equal(simulation.isRunning, false);
  assert.deepEqual(states, [true, false]);
  assert.ok(spikes.length > 40, `${spikes.length} spikes`);
  assert.ok(spikes.every((spike) => Number(spike.split(" ")[0]) < 500));
});

test("the same seed gives the same spikes, however the run is cut; another seed gives others", async (t) => {
  const whole = await create(t);
  const cut = await create(t);
  const other = await create(t, pair(), { seed: 8 });
  const [[a], [b], [c]] = [listen(whole), listen(cut), listen(other)];
  await whole.run(60);
  for (const ms of [0.1, 9.9, 0, 30, 20]) await cut.run(ms);
  await other.run(60);
  assert.deepEqual(a, b);
  assert.notDeepEqual(a, c);
  assert.equal(other.info.seed, 8n);
});

test("two simulations at once do not disturb each other", async (t) => {
  const alone = await create(t);
  const [expected] = listen(alone);
  await alone.run(80);
  const [one, two] = await Promise.all([create(t), create(t, pair({ seed: 9 }))]);
  const [[a], [b]] = [listen(one), listen(two)];
  await Promise.all([one.run(80), two.run(80)]);
  assert.deepEqual(a, expected);
  assert.notDeepEqual(b, expected);
});

test("a run of open end goes on until it is paused", async (t) => {
  const simulation = await create(t);
  const running = simulation.run();
  await new Promise((resolve) => simulation.on("progress", ({ timeMs }) => timeMs > 20 && resolve()));
  assert.equal(simulation.isRunning, true);
  await simulation.pause();
  const { because, timeMs } = await running;
  assert.equal(because, "paused");
  assert.ok(timeMs > 20);
  const [spikes] = listen(simulation);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(spikes.length, 0, "it stands still");
});

test("an aborted run is paused, and can go on", async (t) => {
  const simulation = await create(t);
  const abort = new AbortController();
  const running = simulation.run(undefined, { signal: abort.signal });
  await new Promise((resolve) => simulation.on("progress", resolve));
  abort.abort(new Error("enough"));
  await assert.rejects(running, /enough/);
  assert.equal(simulation.isRunning, false);
  assert.equal((await simulation.run(10)).because, "time");
});

test("an aborted create starts nothing", async () => {
  await assert.rejects(Spikelet.create(pair(), { signal: AbortSignal.abort(new Error("never")) }), /never/);
  const abort = new AbortController();
  const creating = Spikelet.create("cuba", { backend: "cpu", signal: abort.signal, onProgress: () => abort.abort(new Error("midway")) });
  await assert.rejects(creating, /midway/);
});

test("a run until a condition goes on from there with nothing lost", async (t) => {
  const [one, two] = [await create(t), await create(t)];
  const [[a], [b]] = [listen(one), listen(two)];
  const ran = await one.runUntil("spikes(E) >= 30", 100);
  assert.equal(ran.because, "condition");
  assert.equal(ran.condition, "spikes(E) >= 30");
  const ofE = a.filter((spike) => Number(spike.split(" ")[1]) < 40);
  assert.ok(ofE.length >= 30);
  const last = Number(a.at(-1).split(" ")[0]);
  assert.equal(ran.timeMs, (last + 1) / 10);
  assert.ok(ofE.filter((spike) => Number(spike.split(" ")[0]) < last).length < 30, "it ends with the first step for which it holds");
  await one.run(100 - ran.timeMs);
  await two.run(100);
  assert.deepEqual(a, b);
  assert.equal((await one.runUntil("spikes(E) > 1000000", 5)).because, "time");
});

test("a stop condition of the network ends the run", async (t) => {
  const simulation = await create(t, pair({ stop: ["spikes > 20"] }));
  const ran = await simulation.run(100);
  assert.deepEqual([ran.because, ran.condition], ["stopped", "spikes > 20"]);
  await simulation.reset();
  assert.equal(simulation.timeMs, 0);
  assert.equal((await simulation.run(1)).because, "time");
});

test("parameters and variables are set and read", async (t) => {
  const simulation = await create(t);
  const changed = [];
  simulation.on("changed", (event) => changed.push(event));
  assert.deepEqual(await simulation.get("E.tau"), { unit: "ms", values: Float64Array.of(10) });
  await simulation.set("E.tau", "25 ms");
  assert.deepEqual(await simulation.get("E.tau"), { unit: "ms", values: Float64Array.of(25) });
  await simulation.set("E.tau", 5);
  assert.equal((await simulation.get("E.tau")).values[0], 5);
  assert.deepEqual(changed.map(({ path, value }) => [path, value]), [["E.tau", 25], ["E.tau", 5]]);
  const tau = simulation.info.network.populations[0].parameters.find(({ path }) => path === "E.tau");
  assert.equal(tau.value, 5, "`info` follows");

  assert.deepEqual((await simulation.get("E.v")).values, new Float64Array(40));
  await simulation.set("E.v[2:5]", [0.25, 0.5, 0.75]);
  assert.deepEqual((await simulation.get("E.v[1:6]")).values, Float64Array.of(0, 0.25, 0.5, 0.75, 0));
  await simulation.set("E.v", 0.125);
  assert.deepEqual((await simulation.get("E.v[39]")).values, Float64Array.of(0.125));
  assert.deepEqual(simulation.info.network.populations[0].variables.map(({ path }) => path).includes("E.v"), true);
  const network = await simulation.network();
  assert.equal(network.populations[0].parameters.tau, "5 ms");
});

test("a time is the number that one would write", async (t) => {
  const simulation = await create(t, pair(), { rateBinMs: 0.3 });
  const [times, bins] = [[], []];
  simulation.on("progress", ({ timeMs }) => times.push(timeMs));
  simulation.on("rates", ({ timeMs, binMs }) => bins.push(timeMs, binMs));
  for (const ms of [0.3, 0.3, 0.1]) times.push((await simulation.run(ms)).timeMs, simulation.timeMs);
  assert.deepEqual([...new Set(times)].filter((timeMs) => String(timeMs).length > 3), []);
  assert.deepEqual([...new Set(bins)], [0, 0.3]);
  assert.equal(simulation.timeMs, 0.7);
});

test("thousands of values that are set between two batches are merged, and a run goes on", async (t) => {
  let worker;
  process.once("worker", (started) => (worker = started));
  const simulation = await create(t, pair(), { worker: new URL("held-worker.mjs", import.meta.url) });
  const later = (ms) => new Promise((resolve) => simulation.on("progress", ({ timeMs }) => timeMs > ms && resolve()));
  const changed = [];
  simulation.on("changed", ({ path, value }) => changed.push([path, value]));
  const running = simulation.run();
  await later(10);
  worker.postMessage({ hold: true });
  // Every parameter of the network and a variable, in turns.
  const paths = ["E.tau", "E.I", "ER.w", "E.v[3]"];
  const told = paths.map(() => []);
  for (let place = 0; place < 5000; place += 1) {
    const which = place % 2 ? (place % 8) >> 1 : 0;
    told[which].push(simulation.set(paths[which], 10 + (place + 1) / 1000));
  }
  // What is wrong is refused, though another value follows; what comes in between keeps its place.
  const wrong = simulation.set("E.tau", "3 mV");
  const first = simulation.set("E.tau", "20 ms");
  const between = simulation.get("E.tau");
  const second = simulation.set("E.tau", "21 ms");
  worker.postMessage({ hold: false });
  await assert.rejects(wrong, { code: "equations", path: "E.tau" });
  assert.deepEqual((await Promise.all([first, between, second])).map(({ values }) => values[0]), [20, 20, 21]);
  // The last value of each path is set, once, and told to all who have set one before it.
  const lasts = [20, 14.996, 14.998, 15];
  for (const [which, last] of lasts.entries()) {
    const values = (await Promise.all(told[which])).map(({ values }) => values[0]);
    assert.ok(values.every((value) => Math.abs(value - last) < 1e-5), `${paths[which]} is ${new Set(values)}, not ${last}`);
  }
  assert.deepEqual(changed.map(([path]) => path), ["E.I", "ER.w", "E.tau", "E.tau"]);
  assert.deepEqual(changed.slice(2).map(([, value]) => value), [20, 21]);
  await later(simulation.timeMs + 10);
  await simulation.pause();
  await running;
});

test("a parameter that is set changes the activity, and stays over a reset", async (t) => {
  const [one, two] = [await create(t), await create(t)];
  const [[a], [b]] = [listen(one), listen(two)];
  await one.run(50);
  await two.set("E.tau", "5 ms");
  await two.run(50);
  assert.ok(b.length > a.length);
  const before = b.length;
  await two.reset();
  await two.run(50);
  assert.deepEqual(b.slice(before), b.slice(0, before));
});

test("what is recorded is told, and recording changes no spike", async (t) => {
  const [one, two] = [await create(t), await create(t)];
  const [[a], [b]] = [listen(one), listen(two)];
  await one.run(60);
  await two.run(20);
  const info = await two.record(["E.v[0:2]", { object: "R", var: "v", indices: [3] }]);
  assert.deepEqual(info.channels.map(({ label }) => label), ["E.v[0]", "E.v[1]", "R.v[3]"]);
  const rows = [];
  two.on("samples", ({ firstStep, steps, columns, values }) => {
    assert.equal(columns, 3);
    assert.equal(values.length, 3 * steps);
    for (let step = 0; step < steps; step += 1) rows[firstStep + step] = [...values.subarray(3 * step, 3 * step + 3)];
  });
  const { values: now } = await two.get("E.v");
  await two.run(40);
  assert.deepEqual(a, b);
  assert.equal(Object.keys(rows).length, 400);
  assert.equal(rows[200][0], Math.fround(now[0]));
  await two.record([]);
  assert.equal(two.info.channels.length, 0);
});

test("rates are counts of spikes", async (t) => {
  const simulation = await create(t, pair(), { rateBinMs: 5 });
  const [spikes] = listen(simulation);
  const rates = [];
  simulation.on("rates", (told) => rates.push(told));
  await simulation.run(52);
  const values = rates.flatMap(({ values }) => [...values]);
  assert.equal(values.length, 2 * 10, "ten whole bins");
  assert.deepEqual(rates[0].populations, ["E", "R"]);
  for (let bin = 0; bin < 10; bin += 1) {
    const inBin = spikes.map((spike) => spike.split(" ").map(Number)).filter(([step]) => Math.floor(step / 50) === bin);
    const ofE = inBin.filter(([, neuron]) => neuron < 40).length;
    assert.ok(Math.abs(values[2 * bin] - (1000 * ofE) / 40 / 5) < 1e-3);
  }
});

test("trials run side by side, each with its own noise", async (t) => {
  const simulation = await create(t, pair(), { trials: 3 });
  assert.equal(simulation.info.trials, 3);
  const trials = listen(simulation);
  await simulation.run(60);
  const alone = await create(t);
  const [first] = listen(alone);
  await alone.run(60);
  assert.deepEqual(trials[0], first);
  const noisy = trials.map((spikes) => spikes.filter((spike) => Number(spike.split(" ")[1]) >= 40).join());
  assert.equal(new Set(noisy).size, 3);
  assert.notDeepEqual((await simulation.get("R.v", { trial: 1 })).values, (await simulation.get("R.v", { trial: 2 })).values);
});

test("a snapshot goes on as if nothing had happened", async (t) => {
  const one = await create(t);
  const [all] = listen(one);
  await one.run(30);
  const snapshot = await one.snapshot();
  assert.ok(snapshot instanceof Uint8Array);
  const before = all.length;
  await one.run(30);
  const two = await create(t);
  const [restored] = listen(two);
  await two.restore(snapshot);
  assert.equal(two.timeMs, 30);
  await two.run(30);
  assert.deepEqual(restored, all.slice(before));
  await one.restore(snapshot);
  assert.equal(one.timeMs, 30);
});

test("tables, devices, memory and diagnostics", async (t) => {
  const simulation = await create(t);
  const [networks, models, devices, memory] = await Promise.all([
    Spikelet.networks(), simulation.models(), simulation.devices(), simulation.memory(),
  ]);
  assert.ok(networks.some(({ name, citation }) => name === "cuba" && citation.length > 0));
  const lif = models.find(({ name }) => name === "lif_exp");
  assert.ok(lif.parameters.every(({ unit, min, max, about }) => typeof unit === "string" && min <= max && about.length > 0));
  assert.equal(devices.threads, 1);
  assert.equal(devices.gpu, null);
  assert.match(devices.noGpuBecause, /WebGPU/);
  assert.match(devices.oneThreadBecause, /Node/);
  assert.ok(memory.usedBytes > 0 && memory.usedBytes <= memory.engineBytes && memory.engineBytes <= memory.mostBytes);
  assert.ok(memory.buffers.length > 0);
  assert.deepEqual(await Spikelet.check(pair()), []);

  const wrong = pair();
  wrong.populations[0].equations = "dv/dt = (I - w)/tau : 1\nI : 1\ntau : second (shared)";
  wrong.populations[1].threshold = "v > 1*mV";
  const found = await simulation.check(wrong);
  assert.deepEqual(
    found.map(({ isError, code, path, line, column }) => [isError, code, path, line, column]),
    [
      [true, "undefined_name", "populations[0].equations", 1, 14],
      [true, "dimension_mismatch", "populations[1].threshold", 1, 1],
    ],
  );
});

test("an editor is told of each field, though others are wrong too", async (t) => {
  const network = pair();
  network.populations[0].equations = "dv/dt = (I - v + R*J)/tau : 1\nI : 1\ntau : second (shared)\nJ = 3*nA : amp";
  network.populations[0].threshold = "v > 1*mV";
  const simulation = await create(t);
  const found = await simulation.judge(network, { population: 0 });
  assert.deepEqual(await Spikelet.judge(network, { population: 0 }), found);
  const places = found.population.map(({ diagnostic: { code, path, column }, undefinedName }) => [code, path, column, undefinedName]);
  assert.deepEqual(places, [
    ["undefined_name", "populations[0].equations", 18, true],
    ["dimension_mismatch", "populations[0].threshold", 1, false],
  ]);
  assert.equal(found.population[1].excerpt, "v > 1*mV");
  assert.deepEqual(found.missing.map(({ name }) => name), ["R"]);
  assert.ok(found.network.length > 0);
  const sound = await simulation.judge(pair(), { population: 1, typed: [] });
  assert.deepEqual([sound.population, sound.network, sound.missing], [[], [], []]);
  assert.ok(sound.method.length > 0 && sound.estimate.bytes > 0 && sound.estimate.projections.length > 0);
  await assert.rejects(simulation.judge(pair(), { population: -1 }), /population is -1/);
  await assert.rejects(simulation.judge(pair(), { typed: "R" }), /typed is "R"/);
});

test("one thread and no GPU are notices, also for who listens late", async (t) => {
  const simulation = await Spikelet.create(pair(), { backend: "auto" });
  t.after(() => simulation.dispose());
  const codes = [];
  simulation.on("notice", ({ code, message }) => codes.push(code) && assert.ok(message.length > 20));
  assert.deepEqual(codes.sort(), ["no_gpu", "one_thread"]);
  assert.equal(simulation.notices.length, 2);
});

test("a built-in network runs by its name, at a scale", async (t) => {
  const simulation = await create(t, "cuba", { scale: 0.1 });
  assert.equal(simulation.info.neurons, 400);
  const [spikes] = listen(simulation);
  await simulation.run(100);
  assert.ok(spikes.length > 0);
});

test("a listener can end, and one that throws keeps no other from hearing", async (t) => {
  const simulation = await create(t);
  const heard = { first: 0, second: 0, third: 0 };
  const end = simulation.on("spikes", () => (heard.first += 1));
  const abort = new AbortController();
  simulation.on("spikes", () => (heard.second += 1), { signal: abort.signal });
  const thrown = [];
  process.setUncaughtExceptionCaptureCallback(({ message }) => thrown.push(message));
  t.after(() => process.setUncaughtExceptionCaptureCallback(null));
  simulation.on("spikes", () => {
    throw new Error("mine");
  });
  simulation.on("spikes", () => (heard.third += 1));
  await simulation.run(1);
  assert.equal(thrown.length, heard.third);
  end();
  abort.abort();
  const before = { ...heard };
  assert.ok(before.first > 0 && before.second > 0 && before.third > 0);
  await simulation.run(1);
  assert.deepEqual([heard.first, heard.second], [before.first, before.second]);
  assert.ok(heard.third > before.third);
});

test("a sense takes an array in every frame", async (t) => {
  const simulation = await create(t, {
    name: "retina",
    dt_ms: 1,
    duration_ms: 100,
    populations: [
      { name: "retina", size: 8, equations: "dv/dt = (sense - v)/(20*ms) : volt\nsense : volt", method: "euler" },
      { name: "sight", size: 4, equations: "dvalue/dt = 0*mV/ms : volt", method: "euler", initial: { value: "0 mV" } },
    ],
    projections: [
      { pre: "sight", post: "retina[0:4]", connect: { rule: "one_to_one" }, equations: "sense_post = value_pre : volt (summed)" },
    ],
  });
  const running = simulation.run();
  for (const frame of [[0, 10, 20, 30], [5, 5, 5, 5], [0, 0, 255, 0]]) {
    const { unit, values } = await simulation.set("sight.value", Uint8ClampedArray.from(frame));
    assert.equal(unit, "mV");
    assert.deepEqual([...values], frame);
  }
  await simulation.pause();
  await running;
  await simulation.run(1);
  assert.deepEqual([...(await simulation.get("retina.sense")).values], [0, 0, 255, 0, 0, 0, 0, 0]);
  await assert.rejects(simulation.set("sight.value", [1, 2, 3]), /it has 4 values/);
});
