// The messages between a page and its kernel, when some are late or lost.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Source, whole } from "../../widget/parts.js";
import { SpikeSender } from "../../widget/spikes.js";
import { isDark } from "../../widget/theme.js";
import { Values } from "../../widget/values.js";

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for a condition, which a busy machine delays. */
async function until(condition) {
  for (const end = Date.now() + 20_000; !condition(); await later(5)) assert.ok(Date.now() < end, `in vain: ${condition}`);
}

/** A kernel with bytes in three parts, which answers the requests of these numbers. */
function kernel(answers) {
  const parts = [[1, 2], [3], [4, 5, 6]];
  const asked = [];
  const source = new Source({
    send({ ask, part }) {
      asked.push(part);
      if (answers(asked.length)) queueMicrotask(() => source.hear({ name: ask, part, of: 3 }, [new DataView(Uint8Array.from(parts[part]).buffer)]));
    },
  });
  return { source, asked };
}

const read = async (blob) => [...new Uint8Array(await blob.arrayBuffer())];

test("parts come one after the other", async () => {
  const { source, asked } = kernel(() => true);
  assert.deepEqual(await read(await whole(() => [source], "engine")), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(asked, [0, 1, 2]);
});

test("a part that is lost is asked for again, and the silence is reported", async () => {
  const { source, asked } = kernel((count) => count !== 2);
  const silences = [];
  source.onSilence = (isSilent) => silences.push(isSilent);
  assert.deepEqual(await read(await whole(() => [source], "engine", { patienceMs: 20 })), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(asked, [0, 1, 1, 2]);
  assert.ok(silences.includes(true) && silences.at(-1) === false);
});

test("where one kernel is silent, another one is asked", async () => {
  const dead = kernel(() => false);
  const alive = kernel(() => true);
  assert.deepEqual(await read(await whole(() => [dead.source, alive.source], "engine", { patienceMs: 20 })), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual([dead.asked, alive.asked], [[0], [0, 1, 2]]);
});

test("asking ends with the widget", async () => {
  const { source } = kernel(() => false);
  const end = new AbortController();
  const asking = whole(() => [source], "engine", { patienceMs: 20, signal: end.signal });
  end.abort(new Error("gone"));
  await assert.rejects(asking, { message: "gone" });
  await assert.rejects(whole(() => [], "engine"), /no widget of this page is connected/);
});

const batch = (firstStep, neurons) => ({
  neurons: Uint32Array.from(neurons), spikeSteps: Uint32Array.from(neurons, () => firstStep), firstStep, steps: 10, dtMs: 0.1,
});
const numbers = (view) => [...new Uint32Array(view.buffer)];

test("a busy kernel gets one message after the other, with all spikes", async (t) => {
  const sent = [];
  const sender = new SpikeSender((message, buffers) => sent.push([message, ...buffers.map(numbers)]), 100);
  t.after(() => sender.end());
  sender.push(batch(0, [1, 2]));
  await until(() => sent.length === 1);
  sender.push(batch(10, [3]));
  sender.push(batch(20, [4]));
  await later(20);
  assert.equal(sent.length, 1);
  assert.deepEqual(sent[0].slice(1), [[1, 2], [0, 0]]);
  assert.equal(sent[0][0].until_ms, 1);
  const flushed = sender.flushed().then(() => "all");
  sender.confirm(7);
  sender.confirm(sent[0][0].number);
  await until(() => sent.length === 2);
  assert.deepEqual(sent[1].slice(1), [[3, 4], [10, 20]]);
  assert.equal(await Promise.race([flushed, later(5)]), undefined);
  sender.confirm(sent[1][0].number);
  assert.equal(await flushed, "all");
  assert.equal(sent[1][0].until_ms, 3);
});

test("a run has at most so many spikes, and says until when they are complete", async (t) => {
  const sent = [];
  const sender = new SpikeSender((message, buffers) => sent.push([message, ...buffers.map(numbers)]), 3);
  t.after(() => sender.end());
  const full = [];
  sender.onFull = (untilMs) => full.push(untilMs);
  sender.push(batch(0, [1, 2]));
  sender.push(batch(10, [3, 4]));
  sender.push(batch(20, []));
  await until(() => sent.length === 1);
  assert.deepEqual(full, [1]);
  assert.deepEqual(sent[0].slice(1), [[1, 2], [0, 0]]);
  assert.equal(sent[0][0].until_ms, 1);
  sender.confirm(sent[0][0].number);
  sender.restart(0);
  await until(() => sent.length === 2);
  assert.deepEqual([sent[1][0].run, sent[1][0].until_ms, sent[1][1]], [sent[0][0].run + 1, 0, []]);
});

/** A model of a widget, and a simulation with two parameters. */
function pair(values) {
  const model = { get: (name) => (name === "values" ? values.now : ["E.taum"]) };
  const parameters = [{ path: "E.taum", value: 20 }, { path: "E.v", value: 1 }];
  const listeners = [];
  const set = [];
  const simulation = {
    info: { network: { populations: [{ parameters }], projections: [] } },
    on: (_, listener) => listeners.push(listener),
    async set(path, value) {
      if (value === "x") throw Object.assign(new Error("not a quantity"), { code: "invalid_value" });
      set.push([path, value]);
      const number = typeof value === "string" ? Number.parseFloat(value) : value;
      for (const listener of listeners) listener({ path, value: number, scheduled: false });
      return { values: Float64Array.of(number), unit: "ms" };
    },
  };
  return { model, simulation, set, slide: (path, value, scheduled = false) => listeners.forEach((listener) => listener({ path, value, scheduled })) };
}

test("values of Python go to the network, those of sliders to Python", async () => {
  const values = { now: { "E.taum": "12 ms" } };
  const { model, simulation, set, slide } = pair(values);
  const problems = [];
  const heard = [];
  const both = new Values(model, (traits) => { heard.push(traits.values); values.now = traits.values; }, (error) => problems.push(error?.message ?? null));
  await both.open(simulation);
  assert.deepEqual(set, [["E.taum", "12 ms"]]);
  assert.deepEqual(heard, [{ "E.taum": 12 }]);
  for (const value of [13, 14, 15]) slide("E.taum", value);
  slide("E.v", 3, true);
  await until(() => heard.length > 1);
  assert.deepEqual(heard.slice(1), [{ "E.taum": 15 }]);
  await both.adopt();
  assert.equal(set.length, 1);
  values.now = { "E.taum": "x" };
  await both.adopt();
  await until(() => heard.length > 2);
  assert.deepEqual(problems, [null, "not a quantity"]);
  assert.deepEqual(heard.at(-1), { "E.taum": 15 });
  both.end();
  await both.adopt();
});

test("dark is what looks dark", () => {
  assert.equal(isDark([17, 17, 17]), true);
  assert.equal(isDark([255, 255, 255]), false);
  assert.equal(isDark([0, 0, 255]), true);
  assert.equal(isDark([250, 250, 210]), false);
});
