// The time axis of a run: what is kept of it, and how it is gone back to, with the same spikes.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Counts } from "../../../target/engine/js/plots/past/counts.js";
import { Extremes } from "../../../target/engine/js/plots/past/extremes.js";
import { RatePast } from "../../../target/engine/js/plots/past/rates.js";
import { SpikePast } from "../../../target/engine/js/plots/past/spikes.js";
import { Flags, wordsOf } from "../../../target/engine/js/timeline/flags.js";
import { History } from "../../../target/engine/js/timeline/history.js";
import { Snapshots } from "../../../target/engine/js/timeline/snapshots.js";
import { byKey, clusters, moved, resized, timeText, zoomed } from "../../../target/engine/js/timeline/view.js";
import { SpikeletError, create, pair } from "./simulation.mjs";

/** Spikes as they are told, each a pair of step and neuron. */
function spikes(firstStep, steps, pairs) {
  const column = (place) => Uint32Array.from(pairs, (of) => of[place]);
  return { trial: 0, firstStep, steps, dtMs: 0.1, spikeSteps: column(0), neurons: column(1) };
}

function collect(visit) {
  const found = [];
  visit((...values) => found.push(values));
  return found;
}

test("10^8 spikes leave the memory of the past bounded", (t) => {
  const neurons = 100_000;
  const past = new SpikePast(neurons, 10_000);
  const info = { dtMs: 0.1, network: { populations: [{ size: neurons }] } };
  const rates = new RatePast(info, new Uint16Array(neurons), 5000);
  const batch = 1 << 18;
  const numbers = Uint32Array.from({ length: batch }, (_, place) => (place * 7919) % neurons);
  const before = process.memoryUsage();
  const began = performance.now();
  let pushed = 0;
  for (let step = 0; pushed < 1e8; step += 1000, pushed += batch) {
    const told = { trial: 0, firstStep: step, steps: 1000, dtMs: 0.1, neurons: numbers, spikeSteps: Uint32Array.from({ length: batch }, (_, place) => step + Math.floor((place * 1000) / batch)) };
    past.push(told);
    rates.push(told);
  }
  globalThis.gc?.();
  const after = process.memoryUsage();
  const grown = (after.arrayBuffers - before.arrayBuffers) / 2 ** 20;
  t.diagnostic(`${pushed} spikes in ${((performance.now() - began) / 1000).toFixed(1)} s; ${past.count(0)} are kept since step ${past.since}, array buffers grew by ${grown.toFixed(0)} MiB`);
  // 64 MiB of spikes, their previous halves, 0.3 MiB of rates, and batches that are not collected yet.
  assert.ok(past.count(0) <= 1 << 23 && past.count(0) > 1 << 22);
  assert.ok(past.isComplete(past.since) && past.since > 0 && past.every === 1);
  assert.ok(grown < 256, `${grown} MiB`);
  // The mean rate of the whole run is there: 2^18 spikes of 10^5 neurons in 100 ms.
  const all = collect((visit) => rates.each(0, 0, Infinity, visit));
  assert.ok(all[0][0] < 20 && all.every(([, rate]) => Math.abs(rate - 26.2) < 0.2), `${all.length} bins, the first ${all[0]}`);
});

test("bins of the whole run double their width and lose no spike", () => {
  const counts = new Counts(new Uint16Array(4), 1, 8, 10, "whole");
  let told = 0;
  for (let step = 0; step < 1000; step += 7) {
    counts.push(spikes(step, 7, [[step, 1], [step + 6, 2]]));
    told += 2;
  }
  assert.equal(counts.binSteps, 160);
  let sum = 0;
  for (let bin = counts.begin; bin <= counts.end; bin += 1) sum += counts.at(bin, 0);
  assert.equal(sum, told);
});

test("what is after a step goes; the bin in which it lies is counted again", () => {
  const past = new SpikePast(4, 0);
  const counts = new Counts(new Uint16Array(4), 1, 8, 10, "whole");
  const recent = new Counts(new Uint16Array(4), 1, 4, 10, "recent");
  const all = Array.from({ length: 60 }, (_, step) => [step, step % 4]);
  for (const target of [past, counts, recent]) target.push(spikes(0, 60, all));
  for (const target of [counts, recent]) target.rewind(35, past);
  past.rewind(35);
  assert.equal(past.count(0), 35);
  assert.deepEqual([counts.at(2, 0), counts.at(3, 0), counts.end], [10, 5, 3]);
  assert.deepEqual([recent.at(3, 0), recent.begin, recent.end], [5, 3, 3]);
  for (const target of [counts, recent]) target.push(spikes(35, 10, [[36, 1]]));
  assert.deepEqual([counts.at(3, 0), recent.at(3, 0), counts.at(4, 0)], [6, 6, 0]);
  // Without its spikes a bin is unknown, not low.
  counts.rewind(25, new SpikePast(4, 0, 16));
  assert.ok(!Number.isNaN(counts.at(1, 0)));
});

test("traces of a long run keep their extremes", () => {
  const whole = new Extremes(2, 16, 1, "whole");
  for (let step = 0; step < 1000; step += 1) {
    const at = whole.at(step);
    for (const lane of [0, 1]) {
      const value = lane === 0 && step === 500 ? 50 : Math.sin(step);
      whole.values[at + 2 * lane] = Math.min(whole.values[at + 2 * lane], value);
      whole.values[at + 2 * lane + 1] = Math.max(whole.values[at + 2 * lane + 1], value);
    }
  }
  assert.equal(whole.steps, 64);
  const found = collect((visit) => whole.each(0, 0, Infinity, visit));
  assert.equal(found.length, 16);
  assert.deepEqual(found.filter(([, , most]) => most === 50).map(([step]) => step), [480]);
  assert.ok(collect((visit) => whole.each(1, 0, Infinity, visit)).every(([, least, most]) => least >= -1 && most <= 1));
  whole.rewind(200);
  assert.equal(collect((visit) => whole.each(0, 0, Infinity, visit)).length, 3);
});

test("a drag is one flag; flags are cut, edited and repeated in their order", () => {
  const flags = new Flags();
  flags.set("E.a", "1 mV", 10, 0);
  flags.set("E.a", "2 mV", 14, 300);
  flags.set("E.b", "5 ms", 20, 500);
  flags.set("E.a", "3 mV", 25, 700);
  flags.set("E.a", "4 mV", 90, 5000);
  flags.set("E.a", "5 mV", 90, 50_000);
  flags.written("weights = w.npz", "", 95);
  assert.deepEqual(flags.all.map((flag) => [flag.step, wordsOf(flag)]), [[10, "E.a = 2 mV"], [20, "E.b = 5 ms"], [25, "E.a = 3 mV"], [90, "E.a = 5 mV"], [95, "weights = w.npz"]]);
  assert.deepEqual(flags.after(1, 90).map(({ text, step }) => [text, step]), [["2 mV", 14], ["5 ms", 20], ["3 mV", 25]]);
  assert.equal(flags.unrepeatable(0, 95), null);
  assert.equal(flags.unrepeatable(0, 96)?.path, "weights = w.npz");
  assert.equal(flags.orderAt(21), 3);
  flags.edit(flags.all[0].id, "9 mV");
  assert.deepEqual(flags.after(0, 20).map(({ text, step }) => [text, step]), [["9 mV", 10]]);
  flags.remove(flags.all[1].id);
  flags.cut(90);
  assert.deepEqual(flags.all.map(wordsOf), ["E.a = 9 mV", "E.a = 3 mV"]);
});

test("snapshots are bounded in number and bytes, and twice as far apart when they are too many", () => {
  const store = new Snapshots({ dtMs: 0.1, synapses: 1000 }, { most: 4, mostBytes: 1000, mostBytesEach: 500 });
  const add = (step, bytes = 10, wallMs = 0) => store.add({ step, content: new Uint8Array(bytes), order: step, spikes: 0 }, wallMs, wallMs + 10);
  add(0);
  assert.equal(store.isDue(2500, 109), false);
  assert.equal(store.isDue(2500, 110), true);
  assert.equal(store.isDue(2499, 110), false);
  add(2500);
  // The engine worked for 10 ms: a twentieth of the time at most.
  assert.equal(store.isDue(5000, 209), false);
  assert.equal(store.isDue(5000, 210), true);
  for (const step of [5000, 7500, 10_000]) add(step);
  assert.deepEqual(store.all.map(({ step }) => step), [0, 5000, 10_000]);
  assert.equal(store.isDue(14_999, 1e6), false);
  assert.equal(store.isDue(15_000, 1e6), true);
  for (const step of [15_000, 20_000]) add(step, 400);
  assert.ok(store.bytes <= 1000 && store.all[0].step === 0);
  assert.equal(store.before(19_999).step, 10_000);
  assert.equal(store.before(20_000, 9999).step, 0);
  add(50_000, 501);
  assert.ok(store.isTooLarge && store.all.at(-1).step < 50_000 && !store.isDue(1e6, 1e9));
});

test("the view moves and zooms inside of the run", () => {
  const whole = { fromMs: 0, toMs: 10_000 };
  const view = { fromMs: 2000, toMs: 3000 };
  assert.deepEqual(moved(view, -5000, whole), { fromMs: 0, toMs: 1000 });
  assert.deepEqual(byKey("End", false, view, whole, 1), { fromMs: 9000, toMs: 10_000 });
  assert.deepEqual(byKey("ArrowRight", false, view, whole, 1), { fromMs: 2100, toMs: 3100 });
  assert.deepEqual(byKey("ArrowRight", true, view, whole, 1), { fromMs: 2500, toMs: 3500 });
  assert.deepEqual([byKey("l", false, view, whole, 1), byKey("x", false, view, whole, 1)], [null, undefined]);
  assert.deepEqual(zoomed(view, 100, whole, 1), whole);
  assert.deepEqual(zoomed(view, 0.001, whole, 10), { fromMs: 2495, toMs: 2505 });
  assert.deepEqual(resized(view, "from", 2999, whole, 10), { fromMs: 2990, toMs: 3000 });
  assert.deepEqual(resized(view, "to", 99_999, whole, 10), { fromMs: 2000, toMs: 10_000 });
  assert.deepEqual([timeText(2350, 1000), timeText(12.34, 10), timeText(47_000, 47_000)], ["2.350 s", "12.3 ms", "47.0 s"]);
  assert.deepEqual(clusters([0, 0.01, 0.5], (part) => part, 0.1).map(({ items }) => items.length), [2, 1]);
});

/** The spikes of a run by step, as they are at its end: a run that goes back takes them away. */
function recorded(simulation) {
  const found = [];
  simulation.on("spikes", ({ neurons, spikeSteps }) => neurons.forEach((neuron, place) => found.push([spikeSteps[place], neuron])));
  simulation.on("state", ({ moved: isMoved, timeMs }) => {
    const step = Math.round(timeMs / simulation.info.dtMs);
    if (isMoved) found.splice(found.findIndex(([at]) => at >= step) >>> 0);
  });
  return () => found.map((spike) => spike.join(" "));
}

/** A network whose weights learn, with noise. */
const network = () => pair({ changes: [{ at_ms: 60, set: { "E.tau": "11 ms" } }] });

test("a fork repeats the run bit by bit, with every change at its step", async (t) => {
  const simulation = await create(t, network());
  const history = new History(simulation);
  const all = recorded(simulation);
  await simulation.set("E.tau", "9 ms");
  const run = simulation.run(400);
  // While it runs, at whatever steps.
  for (const text of ["8 ms", "7.3 ms", "12 ms"]) {
    await new Promise((resolve) => simulation.on("spikes", resolve));
    await simulation.set("E.tau", text);
  }
  await simulation.set("ER.w", 0.06);
  await run;
  const original = all();
  const [flags, count] = [history.flags, history.spikes];
  assert.equal(count, original.length);
  assert.ok(flags.some(({ kind }) => kind === "scheduled") && flags.filter(({ kind, step }) => kind === "set" && step > 0).length >= 1, JSON.stringify(flags));
  // Without a change, everything again.
  const at = await history.fork(400);
  assert.equal(at, 400);
  assert.deepEqual(all(), original);
  assert.equal(await history.remove(history.flags.find(({ path }) => path === "ER.w").id), 400);
  assert.notDeepEqual(all(), original);
  // Back to before it all, and the same by hand.
  await history.fork(0);
  assert.deepEqual([simulation.timeMs, all().length, history.spikes], [0, 0, 0]);
  assert.equal((await simulation.get("E.tau")).values[0], 9);
  const values = flags.flatMap(({ path, values }) => values.map((value) => ({ path, ...value }))).filter(({ step }) => step > 0).sort((one, two) => one.order - two.order);
  for (const { path, step, text } of values) {
    const left = step - Math.round(simulation.timeMs / 0.1);
    if (left > 0) await simulation.run(Number((left * 0.1).toFixed(6)));
    await simulation.set(path, text);
  }
  await simulation.run(Number((400 - simulation.timeMs).toFixed(6)));
  assert.deepEqual(all(), original);
});

test("an edited change is what would have happened", async (t) => {
  const [edited, wanted] = [await create(t, network()), await create(t, network())];
  const [history, all, expected] = [new History(edited), recorded(edited), recorded(wanted)];
  for (const [simulation, text] of [[edited, "14 ms"], [wanted, "6 ms"]]) {
    await simulation.run(100);
    await simulation.set("E.tau", text);
    await simulation.run(80);
    await simulation.set("ER.w", 0.03);
    await simulation.run(70);
  }
  assert.notDeepEqual(all(), expected());
  const flag = history.flags.find(({ path, kind }) => path === "E.tau" && kind === "set");
  await assert.rejects(history.edit(flag.id, "6 mV"), (error) => error instanceof SpikeletError && /6 mV/.test(error.message));
  assert.deepEqual([edited.timeMs, history.flags.find(({ id }) => id === flag.id).value], [250, "14 ms"]);
  assert.equal(await history.edit(flag.id, "6 ms"), 250);
  assert.deepEqual(all(), expected());
  assert.deepEqual([history.spikes, (await edited.get("E.tau")).values[0]], [expected().length, 6]);
  assert.deepEqual(history.flags.filter(({ kind }) => kind === "set").map(wordsOf), ["E.tau = 6 ms", "ER.w = 0.03"]);
  await assert.rejects(history.fork(250.1), /from 0 ms to 250 ms/);
});

test("a file or single values that cannot be repeated have a snapshot; before it there is an error with a way out", async (t) => {
  const simulation = await create(t, network());
  const history = new History(simulation, { most: 100 });
  const all = recorded(simulation);
  await simulation.run(50);
  await simulation.set("E.v[0:5]", 0.5);
  // The snapshot at this step.
  await simulation.pause();
  await simulation.run(50);
  const original = all();
  assert.deepEqual(history.flags.map(({ kind, path }) => [kind, path]), [["written", "E.v[0:5]"], ["scheduled", "E.tau"]]);
  await history.fork(90);
  await simulation.run(10);
  assert.deepEqual(all(), original);
  await history.remove(history.flags[0].id);
  await assert.rejects(history.remove(history.flags[0].id), /timed change of the network/);
  assert.notDeepEqual(all(), original);
});

test("a network that is too large for snapshots is repeated from its start", async (t) => {
  const simulation = await create(t, network());
  const history = new History(simulation, { mostSynapses: 10 });
  const all = recorded(simulation);
  await simulation.set("E.tau", "9.3 ms");
  await simulation.run(80);
  await simulation.set("ER.w", 0.04);
  await simulation.run(40);
  const original = all();
  assert.deepEqual(history.stored, { snapshots: 1, bytes: 0, isTooLarge: true });
  assert.equal(await history.fork(120), 120);
  assert.deepEqual(all(), original);
  const { id } = history.flags.find(({ path }) => path === "ER.w");
  await history.edit(id, "0.06");
  assert.notDeepEqual(all(), original);
  await history.edit(id, "0.04");
  assert.deepEqual(all(), original);
  await simulation.set("E.v[0:5]", 0.5);
  await simulation.run(10);
  const told = [];
  history.on("change", () => told.push(history.flags.length));
  await assert.rejects(history.fork(125), /E.v\[0:5\] at 120 ms cannot be repeated; fork the run at this time or before$/);
  assert.deepEqual([simulation.timeMs, history.flags.length], [130, 4]);
  await history.restart();
  assert.deepEqual([simulation.timeMs, history.flags, (await simulation.get("E.tau")).values[0]], [0, [], 10]);
});

test("a reset keeps the values, a restart those of the network, and both begin a new history", async (t) => {
  const simulation = await create(t, network());
  const history = new History(simulation);
  const all = recorded(simulation);
  await simulation.run(50);
  const original = all();
  await simulation.set("E.tau", "7 ms");
  await simulation.run(50);
  await simulation.reset();
  assert.equal((await simulation.get("E.tau")).values[0], 7);
  assert.deepEqual([history.flags, history.spikes], [[], 0]);
  await simulation.run(50);
  assert.notDeepEqual(all(), original);
  const told = [];
  simulation.on("info", ({ network: { populations } }) => told.push(populations[0].parameters.find(({ symbol }) => symbol === "tau").value));
  await history.restart();
  assert.equal(told.at(-1), 10);
  assert.deepEqual([simulation.timeMs, history.flags], [0, []]);
  await simulation.run(50);
  assert.deepEqual(all(), original);
});

test("a recorded run continues in another simulation with the same spikes, and is forked before its record", async (t) => {
  const [whole, first] = [await create(t, network()), await create(t, network())];
  const [expected, before] = [recorded(whole), recorded(first)];
  const run = async (simulation) => {
    await simulation.set("E.tau", "9 ms");
    await simulation.run(100);
    await simulation.set("E.tau", "14 ms");
    await simulation.run(80);
  };
  const history = new History(first);
  await run(first);
  const steps = [];
  const record = await history.record((step) => steps.push(step));
  assert.deepEqual([record.step, steps, record.spikes], [1800, [1800], before().length]);
  assert.ok(record.flags.some(({ kind }) => kind === "set"));
  // As it is stored.
  const stored = { ...JSON.parse(JSON.stringify({ ...record, snapshot: null })), snapshot: record.snapshot.slice() };
  first.dispose();
  await run(whole);
  await whole.run(70);

  const second = await create(t, network());
  const [resumed, after] = [new History(second), recorded(second)];
  await resumed.resume(stored);
  assert.deepEqual([second.timeMs, second.isRunning, resumed.spikes, (await second.get("E.tau")).values[0]], [180, false, before().length, 14]);
  assert.deepEqual(resumed.flags, record.flags);
  await second.run(70);
  assert.deepEqual([...before(), ...after()], expected());
  assert.equal(resumed.spikes, expected().length);
  // Before its record it is repeated from the start.
  await resumed.fork(150);
  assert.deepEqual([second.timeMs, resumed.spikes], [150, expected().filter((spike) => Number.parseInt(spike) < 1500).length]);
  await second.run(100);
  assert.equal(resumed.spikes, expected().length);
  // Of another network: nothing has changed.
  const other = await create(t, pair({ seed: 8 }));
  const own = new History(other);
  await other.run(10);
  await assert.rejects(own.resume(stored), SpikeletError);
  assert.deepEqual([other.timeMs, own.flags], [10, []]);
});

test("a run is recorded while it goes", async (t) => {
  const simulation = await create(t, network());
  const [history, all] = [new History(simulation), recorded(simulation)];
  const run = simulation.run(400);
  const records = [];
  while (records.length < 3) records.push(await history.record());
  await run;
  for (const { step, spikes } of records) assert.equal(spikes, all().filter((spike) => Number.parseInt(spike) < step).length, `before step ${step}`);
  assert.equal(await new History(simulation, { mostSynapses: 10 }).record(), null);
});

test("the speed is limited, a step is a step, and a change takes effect at once", async (t) => {
  const simulation = await create(t);
  assert.equal(simulation.speed, Infinity);
  for (const wrong of [0, -1, NaN, "2"]) assert.throws(() => (simulation.speed = wrong), /expected a number above 0/);
  simulation.speed = 0.1;
  const began = performance.now();
  await simulation.run(50);
  const took = performance.now() - began;
  assert.ok(took > 400 && took < 5000, `50 ms at 0.1 took ${took} ms`);
  assert.equal((await simulation.step()).steps, 1);
  assert.equal((await simulation.step(3)).steps, 3);
  assert.ok(Math.abs(simulation.timeMs - 50.4) < 1e-9);
  // Slow enough for a step every second; a pause and a change are answered at once.
  simulation.speed = 0.0001;
  const run = simulation.run();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const paused = performance.now();
  await simulation.pause();
  assert.equal((await run).because, "paused");
  assert.ok(performance.now() - paused < 1000);
  const slow = simulation.run(1000);
  setTimeout(() => (simulation.speed = Infinity), 50);
  assert.equal((await slow).because, "time");
});
