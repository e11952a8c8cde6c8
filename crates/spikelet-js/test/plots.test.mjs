// The plots, as far as they need no canvas: what they keep of the past, which are asked for, what their table says.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { PLOTS, choose, kindsOf, plotsOf } from "../../../target/engine/js/plots.js";
import { customary, digitsOf, short, ticks } from "../../../target/engine/js/plots/numbers.js";
import { MarkPast } from "../../../target/engine/js/plots/past/marks.js";
import { RatePast } from "../../../target/engine/js/plots/past/rates.js";
import { SamplePast } from "../../../target/engine/js/plots/past/samples.js";
import { SpikePast } from "../../../target/engine/js/plots/past/spikes.js";
import { StatisticPast } from "../../../target/engine/js/plots/past/statistics.js";
import { opacityAt, share } from "../../../target/engine/js/plots/paint.js";
import { marksOf } from "../../../target/engine/js/plots/theme.js";

/** What a simulation says of populations E (40) and R (10), and of what it records. */
function info(changes = {}) {
  const population = (name, size, first) => ({ name, size, first, source: false, parameters: [], variables: [{ symbol: "v", about: "", unit: "mV" }] });
  return {
    dtMs: 0.5,
    neurons: 50,
    network: { name: "pair", description: "", populations: [population("E", 40, 0), population("R", 10, 40)], projections: [] },
    channels: [],
    statistics: [],
    ...changes,
  };
}

const V = ["E.v[0]", "R.v[3]"].map((label, place) => ({ label, variable: "v", unit: "mV", neuron: place * 43 }));

/** Spikes as they are told, each a pair of step and neuron. */
function spikes(firstStep, steps, pairs) {
  const column = (place) => Uint32Array.from(pairs, (pair) => pair[place]);
  return { trial: 0, firstStep, steps, dtMs: 0.5, spikeSteps: column(0), neurons: column(1) };
}

function collect(visit) {
  const found = [];
  visit((...values) => found.push(values));
  return found;
}

test("ticks differ from each other, however small their distance", () => {
  for (const [low, high] of [[-55.012, -55.004], [0, 1], [-65, -50], [573_000, 573_002], [0, 0]]) {
    const all = ticks(low, high, 5);
    const texts = all.map((at) => short(at, digitsOf(all)));
    assert.equal(new Set(texts).size, all.length, texts.join(" "));
  }
  assert.equal(digitsOf([0, 0.5, 1]), 4);
});

test("spikes of the whole run are kept, and found by their steps", () => {
  const past = new SpikePast(50, 1000);
  for (let step = 0; step < 5000; step += 100) past.push(spikes(step, 100, [[step, 1], [step + 99, 7]]));
  assert.deepEqual([past.count(0), past.count(4000), past.since], [100, 20, 0]);
  assert.deepEqual(collect((visit) => past.each(4890, Infinity, visit)), [[4899, 7], [4900, 1], [4999, 7]]);
  past.clear();
  assert.equal(past.count(0), 0);
});

test("of too many spikes the oldest go that are not shown, then those of every second neuron", () => {
  const batch = (step) => spikes(step, 1, Array.from({ length: 1 << 16 }, (_, neuron) => [step, neuron]));
  const past = new SpikePast(1 << 16, 10, 1 << 21);
  for (let step = 0; step < 60; step += 1) past.push(batch(step));
  assert.equal(past.every, 1);
  assert.equal(past.count(50), 10 * (1 << 16));
  assert.ok(past.count(0) <= 1 << 21 && past.count(0) > 1 << 20);
  assert.deepEqual([past.isComplete(past.since), past.isComplete(past.since - 1)], [true, false]);
  past.shown = 100;
  for (let step = 60; step < 200; step += 1) past.push(batch(step));
  assert.equal(past.every, 4);
  assert.ok(past.count(0) <= 1 << 21);
  assert.equal(past.count(199), 1 << 14);
  assert.ok(collect((visit) => past.each(199, Infinity, visit)).every(([, neuron]) => neuron % 4 === 0));
});

test("rates are those of complete bins, which are wide for small populations", () => {
  const past = new RatePast(info(), Uint16Array.from({ length: 50 }, (_, neuron) => Number(neuron >= 40)), 5000);
  assert.deepEqual([past.binMs(0), past.binMs(1)], [5, 10]);
  past.push(spikes(0, 45, [[0, 0], [9, 1], [9, 40], [10, 41], [24, 3]]));
  // 2 spikes of 40 neurons in 5 ms; 2 of 10 neurons in 10 ms.
  assert.deepEqual(collect((visit) => past.each(0, 0, Infinity, visit)), [[2.5, 10], [7.5, 0], [12.5, 5], [17.5, 0]]);
  assert.deepEqual(collect((visit) => past.each(1, 0, Infinity, visit)), [[5, 20], [15, 0]]);
  assert.deepEqual(collect((visit) => past.each(0, 12, Infinity, visit)), [[12.5, 5], [17.5, 0]]);
  for (let step = 45; step < 40_000; step += 45) past.push(spikes(step, 45, [[step, 0]]));
  const kept = collect((visit) => past.each(0, 0, Infinity, visit));
  assert.equal(kept.length, 4000);
  assert.ok(kept.slice(4).every(([, rate]) => rate === 5 || rate === 0));
  // Of a long run all is kept, in bins that are wider where they are old.
  for (let step = 40_000; step < 4_000_000; step += 4000) past.push(spikes(step, 4000, [[step, 0]]));
  const long = collect((visit) => past.each(0, 0, Infinity, visit));
  assert.ok(long.length > 10_000 && long.length < 40_000 && long[0][0] > 2.5 && past.sinceMs === 0, `${long.length} bins, the first ${long[0]}`);
  assert.ok(long.every(([timeMs], place) => place === 0 || timeMs > long[place - 1][0]));
  assert.equal(long.at(-1)[0] - long.at(-2)[0], 5);
});

test("a bin of which the start was not seen does not count", () => {
  const past = new RatePast(info(), new Uint16Array(50), 5000);
  past.push(spikes(105, 25, [[107, 0], [111, 0]]));
  assert.deepEqual(collect((visit) => past.each(0, 0, Infinity, visit)), [[57.5, 5], [62.5, 0]]);
});

test("samples of what is shown are kept, wherever their columns stand, with the spikes of their neurons", () => {
  const past = new SamplePast(100, ["R.v[3]"]);
  const of = info({ channels: V });
  const rows = (firstStep, columns, values) => ({ trial: 0, firstStep, steps: values.length / columns, dtMs: 0.5, every: 1, columns, values: Float32Array.from(values) });
  past.pushSpikes(spikes(0, 3, [[1, 43], [1, 0], [2, 44]]), of);
  past.push(rows(0, 2, [1, -60, 2, -50, 3, -65]), of);
  assert.deepEqual(collect((visit) => past.each("R.v[3]", 0, Infinity, visit)), [[0, -60, -60], [1, -50, -50], [2, -65, -65]]);
  assert.deepEqual(collect((visit) => past.each("E.v[0]", 0, Infinity, visit)), []);
  assert.deepEqual(collect((visit) => past.eachSpike("R.v[3]", 0, Infinity, visit)), [[1, -50]]);
  past.push(rows(3, 1, [-70]), info({ channels: [V[1]] }));
  assert.deepEqual(collect((visit) => past.each("R.v[3]", 3, Infinity, visit)), [[3, -70, -70]]);
  for (let step = 4; step < 400; step += 1) past.push(rows(step, 1, [step]), info({ channels: [V[1]] }));
  assert.equal(collect((visit) => past.each("R.v[3]", 0, Infinity, visit)).length, 400);
  past.rewind(200);
  assert.equal(collect((visit) => past.each("R.v[3]", 0, Infinity, visit)).length, 200);
  assert.deepEqual(collect((visit) => past.eachSpike("R.v[3]", 0, Infinity, visit)), [[1, -50]]);
  // Of a long window each stretch keeps its extremes.
  const long = new SamplePast(200_000, ["E.v[0]"]);
  long.push(rows(0, 2, [1, 0, 5, 0, -3, 0, 2, 0]), of);
  assert.deepEqual(collect((visit) => long.each("E.v[0]", 0, Infinity, visit)), [[2, -3, 5]]);
});

test("the latest counts of a statistic stay, and its times thin out", () => {
  const past = new StatisticPast(info({ statistics: [{ label: "EE.w", unit: "mV", ends: [0, 1, 2] }] }));
  past.push({ trial: 0, statistic: 0, steps: Uint32Array.of(0, 100), moments: Float64Array.of(1, 0.5, 0, 2, 1.5, 0.25, 0.5, 2), counts: Uint32Array.of(0, 0, 0, 3, 4, 0, 1, 2, 4, 0) });
  assert.deepEqual([past.outside(0), [...past.parts(0)]], [[0, 1, 2], [4, 0]]);
  assert.deepEqual(past.latest(0), { timeMs: 50, mean: 1.5, sd: 0.25 });
  for (let step = 2; step < 10_000; step += 1) {
    past.push({ trial: 0, statistic: 0, steps: Uint32Array.of(step * 100), moments: Float64Array.of(step, 0, 1, 1), counts: Uint32Array.of(0, 0, 0, 7, 0) });
  }
  const times = past.moments(0).map(({ timeMs }) => timeMs);
  assert.ok(times.length > 1000 && times.length <= 2048 && times[0] === 0, `${times.length} times`);
  assert.deepEqual(times, times.toSorted((a, b) => a - b));
  assert.deepEqual(past.latest(0), { timeMs: 499_950, mean: 9999, sd: 0 });
  past.clear();
  assert.equal(past.latest(0), null);
});

test("a slider that is dragged leaves one mark", () => {
  const past = new MarkPast();
  for (const [timeMs, text] of [[0, "E.a = 1"], [5, "E.a = 2"], [10, "E.b = 1"], [500, "E.b = 2"]]) past.push({ timeMs, text });
  assert.deepEqual(past.all.map(({ text }) => text), ["E.a = 2", "E.b = 1", "E.b = 2"]);
  past.push({ timeMs: 5400, text: "E.a = 3" });
  assert.deepEqual(past.all.map(({ timeMs }) => timeMs), [5, 10, 500, 5400]);
  past.rewind(500);
  assert.deepEqual(past.all.map(({ timeMs }) => timeMs), [5, 10]);
});

test("bands fill the height and none vanishes; single spikes are seen and thick ones do not drown", () => {
  const bands = share([{ size: 100_000 }, { size: 1 }, { size: 0 }], 400);
  assert.ok(bands.every(({ height }) => height >= 20) && bands[0].height > 250);
  assert.ok(Math.abs(bands[2].top + bands[2].height - 400) < 1e-9);
  const crowded = share([{ size: 1 }, { size: 1 }, { size: 1 }], 50);
  assert.ok(Math.abs(crowded[2].top + crowded[2].height - 50) < 1e-9);
  assert.equal(opacityAt(0), 255);
  for (const cover of [0.1, 0.5, 2, 8]) {
    const shade = opacityAt(cover) * cover;
    assert.ok(shade >= 20 && shade <= 130, `${cover} spikes a pixel make ${shade}`);
  }
});

test("names tell the colours of populations, and dashes tell apart those of one colour", () => {
  const uses = (...names) => marksOf(names.map((name) => ({ name }))).map(({ use }) => use);
  assert.deepEqual(uses("E", "e", "exc", "Excitatory", "L23E", "pop_e"), Array(6).fill("excitatory"));
  assert.deepEqual(uses("I", "inh", "L4I", "cortex_i"), Array(4).fill("inhibitory"));
  assert.deepEqual(uses("neurons", "E", "elephant", "G", "input"), ["other-1", "excitatory", "other-3", "other-4", "other-1"]);
  assert.deepEqual(marksOf([{ name: "L4E" }, { name: "L5E" }]).map(({ dash }) => dash), [0, 1]);
});

test("numbers read well", () => {
  assert.deepEqual([short(0.1 + 0.2), short(-49), short(123_456, 6)], ["0.3", "−49", "123\u202f456"]);
  assert.deepEqual([customary(20, "ms"), customary(0.015, "kHz"), customary(2, "kHz"), customary(0.1, "GΩ"), customary(0.02, "")], ["20 ms", "15 Hz", "2 kHz", "100 MΩ", "0.02"]);
  assert.deepEqual(ticks(130, 330, 4), [150, 200, 250, 300]);
});

test("plots are asked for by name, with settings, or by variable", () => {
  const there = info({ channels: V });
  const chosen = (text, of = there) => choose(text, of).plots.map(({ kind, word, settings, labels, all }) => [kind.name, word, settings, labels, all]);
  const labels = V.map(({ label }) => label);
  assert.deepEqual(chosen("raster, rates(reach=20)\n trace(lanes=1)"), [
    ["raster", "raster", { sort: 0, bands: 0 }, [], 0],
    ["rates", "rates", { reach: 20, bin: 0, smooth: 0 }, [], 0],
    ["trace", "trace", { lanes: 1, together: 0 }, labels.slice(0, 1), 2],
  ]);
  assert.deepEqual(chosen("v"), [["trace", "v", { lanes: 8, together: 0 }, labels, 2]]);
  assert.equal(choose("v", there).recordings, null);
  const more = choose("E.v[1:3] raster", there);
  assert.deepEqual(more.plots[0].labels, ["E.v[1]", "E.v[2]"]);
  assert.deepEqual(more.recordings.map(({ object, indices }) => [object, indices]), [["E", [0]], ["R", [3]], ["E", [1]], ["E", [2]]]);
  assert.deepEqual(chosen(""), []);
  assert.deepEqual(plotsOf(info()), ["raster", "rates"]);
  assert.deepEqual(kindsOf(info()).map(({ name }) => name), ["raster", "sheet", "rates", "isi", "cv", "correlation", "spectrum", "counts", "phase"]);
  assert.deepEqual(chosen("isi(scale=1) spectrum(of=2, reach=500)"), [
    ["isi", "isi", { scale: 1 }, [], 0],
    ["spectrum", "spectrum", { of: 2, scale: 0, reach: 500 }, labels, 2],
  ]);
  assert.deepEqual(plotsOf(info({ channels: V, statistics: [{ label: "EE.w", unit: "", ends: [] }] })), ["raster", "rates", "trace", "weights"]);
});

test("what is wrong with a word is a sentence that lists what there is", () => {
  const refused = (text, of = info({ statistics: [{ label: "EE.w", unit: "", ends: [] }] })) => {
    try {
      choose(text, of);
    } catch ({ code, message }) {
      return `${code}: ${message}`;
    }
    return "";
  };
  assert.equal(refused("rastr"), "argument: plots: there is no “rastr”; there are raster, sheet, rates, trace, weights, histogram, matrix, delays, isi, cv, correlation, spectrum, counts, phase, and the variables v");
  assert.match(refused("raster(dots=2)"), /“raster” has no setting “dots”; it has sort, bands/);
  assert.match(refused("spectrum(of=1)"), /of of spectrum is "1"; expected a number from 0 to 0/);
  assert.match(refused("correlation(pair=3)"), /pair of correlation is "3"; expected a number from 0 to 2/);
  assert.match(refused("rates(range=2)"), /“rates” has no setting “range”; it has reach, bin, smooth/);
  assert.match(refused("raster(sort=3)"), /sort of raster is "3"; expected a number from 0 to 2/);
  assert.match(refused("rates(reach=0)"), /reach of rates is "0"; expected a number from 1 on/);
  assert.match(refused("weights(statistic=1)"), /statistic of weights is "1"; expected a number from 0 to 0/);
  assert.match(refused("trace"), /“trace” has nothing to show: the network records nothing/);
  assert.match(refused("weights", info()), /“weights” has nothing to show: the network has no plastic synapses, and no statistics/);
  assert.match(refused("rates(reach=20"), /there is no “rates\(reach=20”/);
});

test("the docs say what the table of plots says", () => {
  const docs = readFileSync(new URL("../../../docs/element.md", import.meta.url), "utf8");
  for (const { name, about, settings } of PLOTS) {
    const of = settings.map((setting) => `; \`${setting.name}=${setting.value}\`: ${setting.about}`).join("");
    const row = `| \`${name}\` | ${about}${of} |`;
    assert.ok(docs.includes(row), `docs/element.md lacks the row\n${row}`);
  }
});

test("rows at an interval are those of its steps, and a value that is not sampled there is none", () => {
  const past = new SamplePast(100, ["R.v[3]"]);
  const of = info({ channels: V });
  // Steps 3 to 8 have the rows 4 and 6 and 8.
  past.push({ trial: 0, firstStep: 3, steps: 6, dtMs: 0.5, every: 2, columns: 2, values: Float32Array.of(1, -60, 2, NaN, 3, -65) }, of);
  const found = collect((visit) => past.each("R.v[3]", 0, Infinity, visit)).filter(([, least]) => !Number.isNaN(least));
  assert.deepEqual(found, [[4, -60, -60], [8, -65, -65]]);
});
