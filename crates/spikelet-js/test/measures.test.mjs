// Measures of spikes against closed forms: Poisson processes, regular trains, known spectra and lags.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { MEASURES, SpikeList, measure } from "../../../target/engine/js/plots.js";
import { histogram } from "../../../target/engine/js/plots/histogram.js";
import { correlate, correlatePairs } from "../../../target/engine/js/plots/measure/correlation.js";
import { cvOf, cvsOf, intervalsOf, meanOf } from "../../../target/engine/js/plots/measure/intervals.js";
import { signalOf } from "../../../target/engine/js/plots/measure/signal.js";
import { peakOf, transform, welch } from "../../../target/engine/js/plots/measure/spectrum.js";
import { trainsOf } from "../../../target/engine/js/plots/measure/trains.js";
import { complete, later } from "../../../target/engine/js/plots/measure/computation.js";
import { partOf, ticksOf, valueAt } from "../../../target/engine/js/plots/scale.js";
import { create } from "./simulation.mjs";

const DT = 0.1;

/** Uniform numbers from 0 to 1 (mulberry32), the same in every run. */
function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function near(found, expected, tolerance) {
  assert.ok(Math.abs(found - expected) <= tolerance, `${found} instead of ${expected} ± ${tolerance}`);
}

/** A scene with the spikes of populations: lists of trains in steps. */
function sceneOf(toMs, lists, fromMs = 0) {
  let first = 0;
  const populations = Object.entries(lists).map(([name, trains]) => {
    const population = { name, size: trains.length, first };
    first += trains.length;
    return population;
  });
  const pairs = Object.values(lists).flat().flatMap((train, neuron) => Array.from(train, (step) => [step, neuron]));
  pairs.sort(([a], [b]) => a - b);
  const spikes = new SpikeList();
  spikes.push({ firstStep: 0, steps: Math.ceil(toMs / DT), spikeSteps: Uint32Array.from(pairs, ([step]) => step), neurons: Uint32Array.from(pairs, ([, neuron]) => neuron) });
  return { info: { dtMs: DT, network: { populations } }, past: { spikes }, span: { fromMs, toMs, nowMs: toMs } };
}

/** Poisson processes with a rate that may depend on time, by thinning. */
function poisson(neurons, toMs, rateHz, seed = 1, most = rateHz(0)) {
  const random = uniform(seed);
  return Array.from({ length: neurons }, () => {
    const train = [];
    for (let time = 0; ; ) {
      time += (-Math.log(1 - random()) * 1000) / most;
      if (time >= toMs) return [...new Set(train)];
      if (random() * most < rateHz(time)) train.push(Math.floor(time / DT));
    }
  });
}

const regular = (neurons, toMs, everyMs, shift = () => 0) =>
  Array.from({ length: neurons }, (_, neuron) => Array.from({ length: Math.floor(toMs / everyMs) }, (__, spike) => Math.round((spike * everyMs + shift(neuron)) / DT)));

const valueOf = (name, scene, population = "E") => measure(name, scene, population).value;

test("a Poisson process has exponential intervals, CV 1, Fano factor 1, and no synchrony", () => {
  const scene = sceneOf(20_000, { E: poisson(400, 20_000, () => 20) });
  near(valueOf("rate", scene), 20, 0.25);
  near(valueOf("cv", scene), 1, 0.02);
  near(valueOf("fano", scene), 1, 0.02);
  near(valueOf("synchrony", scene), 1 / Math.sqrt(400), 0.003);
  const intervals = complete(intervalsOf(complete(trainsOf(scene)).populations[0], DT));
  near(meanOf(intervals), 50, 0.6);
  // The share of intervals up to t is 1 - exp(-t / 50 ms).
  for (const upTo of [10, 50, 100, 200]) near(intervals.filter((interval) => interval <= upTo).length / intervals.length, 1 - Math.exp(-upTo / 50), 0.005);
  const { shares, outside } = complete(histogram(intervals, { low: 0, high: 200, isLog: false }, 50));
  shares.forEach((share, bin) => near(share, 100 * (Math.exp((-4 * bin) / 50) - Math.exp((-4 * (bin + 1)) / 50)), 0.25));
  near(shares.reduce((sum, share) => sum + share, 0) + (100 * outside) / intervals.length, 100, 1e-9);
});

test("a regular train has CV 0 and Fano factor 0; neurons that spike together have synchrony 1 and the frequency of their spikes", () => {
  const together = sceneOf(5000, { E: regular(50, 5000, 25) });
  assert.deepEqual([valueOf("rate", together), valueOf("cv", together), valueOf("fano", together)], [40, 0, 0]);
  near(valueOf("synchrony", together), 1, 1e-9);
  near(valueOf("peak", together), 40, 0.3);
  const apart = sceneOf(5000, { E: regular(50, 5000, 25, (neuron) => neuron / 2) });
  assert.ok(valueOf("synchrony", apart) < 0.3);
  // Intervals of 10 and 30 ms: mean 20, standard deviation 10.
  assert.equal(cvOf([0, 100, 400, 500, 800]), 0.5);
});

test("too few spikes are not measured, and a neuron without four of them is left out", () => {
  const scene = sceneOf(1000, { E: [[10, 20, 30, 50], [5, 900, 910], []], I: [[]], G: [] });
  assert.equal(complete(cvsOf(complete(trainsOf(scene)).populations[0])).length, 1);
  for (const { name } of MEASURES) assert.ok(Number.isNaN(valueOf(name, scene, "G")), name);
  assert.deepEqual([valueOf("rate", scene, "I"), valueOf("cv", scene, "I"), valueOf("fano", scene, "I"), valueOf("synchrony", scene, "I")], [0, NaN, NaN, NaN]);
  assert.throws(() => measure("rate", scene, "X"), /there is no population “X”; there are E, I, G/);
  assert.throws(() => measure("mean", scene, "E"), /measure is "mean"; expected one of rate, cv, cv2, lv, fano, synchrony, correlation, peak/);
  assert.deepEqual(Object.keys(measure("rate", scene, "E")), ["value", "unit", "definition"]);
});

test("only the time span is measured, up to now", () => {
  const lists = { E: [[...Array(100).keys()].map((spike) => spike * 100)] };
  const rate = (span) => measure("rate", { ...sceneOf(1000, lists), span }, "E").value;
  near(rate({ fromMs: 0, toMs: 1000, nowMs: 1000 }), 100, 1e-9);
  near(rate({ fromMs: 500, toMs: 600, nowMs: 1000 }), 100, 1e-9);
  near(rate({ fromMs: 0, toMs: 1000, nowMs: 100 }), 100, 1e-9);
  // Spikes at the start belong to the span, those at its end do not.
  assert.equal(complete(trainsOf({ ...sceneOf(1000, lists), span: { fromMs: 100, toMs: 120, nowMs: 1000 } })).populations[0].spikes, 2);
  const later = { ...sceneOf(1000, lists), span: { fromMs: 0, toMs: 1000, nowMs: 1000 } };
  later.past = { spikes: { every: 1, since: 5000, count: (...range) => range.length && 50, each: (from, to, visit) => sceneOf(1000, lists).past.spikes.each(from, to, visit) } };
  near(valueOf("rate", later), 100, 1e-9);
});

test("of millions of spikes, neurons are sampled evenly, but all spikes are counted", () => {
  const trains = regular(4000, 2000, 10, (neuron) => neuron % 7);
  const found = complete(trainsOf(sceneOf(2000, { E: trains.slice(0, 3000), I: trains.slice(3000) })));
  assert.equal(found.every, 2);
  assert.deepEqual(found.populations.map(({ known, spikes, starts }) => [known, spikes, starts.length - 1]), [[3000, 600_000, 1500], [1000, 200_000, 500]]);
  const [{ counts, starts, steps }] = found.populations;
  assert.equal(counts.reduce((sum, count) => sum + count, 0), 600_000);
  assert.deepEqual([...steps.slice(starts[1], starts[1] + 3)], [20, 120, 220]);
});

test("a known oscillation is the peak of the spectrum, and the power is the variance", () => {
  const random = uniform(3);
  const signal = Float64Array.from({ length: 8000 }, (_, ms) => 3 * Math.sin(2 * Math.PI * 0.0437 * ms) + random() - 0.5);
  const spectrum = complete(welch(signal, 1));
  const peak = peakOf(spectrum);
  near(peak.hz, 43.7, 0.05);
  assert.ok(peak.height > 1000);
  // A sine of amplitude 3 has the variance 4.5, a uniform number that of 1/12.
  near(spectrum.power.reduce((sum, power) => sum + power, 0) * spectrum.stepHz, 4.5 + 1 / 12, 0.06);
  assert.equal(complete(welch(new Float64Array(63), 1)), null);
  assert.equal(peakOf(complete(welch(new Float64Array(64), 1))), null);
});

test("the spectrum of a Poisson process is flat at the rate times two, divided by the number of neurons", () => {
  const scene = sceneOf(50_000, { E: poisson(100, 50_000, () => 10, 5) });
  const { populations: [{ counts, known }], binMs } = complete(trainsOf(scene));
  const { power } = complete(welch(counts.map((count) => (1000 * count) / (known * binMs)), binMs));
  const inside = power.slice(2, -2);
  near(meanOf(inside), (2 * 10) / 100, 0.01);
  const modulated = sceneOf(10_000, { E: poisson(200, 10_000, (ms) => 20 * (1 + Math.sin(2 * Math.PI * 0.03 * ms)), 7, 40) });
  near(valueOf("peak", modulated), 30, 0.3);
});

test("the transform of an impulse is flat, and that of a wave one line", () => {
  const [real, imaginary] = [new Float64Array(16), new Float64Array(16)];
  real[3] = 1;
  transform(real, imaginary);
  real.forEach((value, k) => near(Math.hypot(value, imaginary[k]), 1, 1e-12));
  near(real[1], Math.cos((2 * Math.PI * 3) / 16), 1e-12);
  near(imaginary[1], -Math.sin((2 * Math.PI * 3) / 16), 1e-12);
});

test("a correlation has its peak at the known lag, and is 1 for a signal with itself", () => {
  const random = uniform(11);
  const a = Float64Array.from({ length: 5000 }, () => random());
  const b = a.map((_, index) => (a[index - 7] ?? 0.5) + 0.5 * random());
  const found = complete(correlate(a, b, 20));
  assert.equal(found.indexOf(Math.max(...found)) - 20, 7);
  // Variance 1/12 of each uniform number: 1 / √1.25.
  near(found[27], 1 / Math.sqrt(1.25), 0.02);
  const own = complete(correlate(a, a, 20));
  near(own[20], 1, 1e-12);
  for (let lag = 1; lag <= 20; lag += 1) near(own[20 + lag], own[20 - lag], 1e-12);
  assert.equal(complete(correlate(new Float64Array(100).fill(0.1), a, 20)), null);
  assert.equal(complete(correlate(a.subarray(0, 40), b.subarray(0, 40), 20)), null);
});

test("independent neurons have no correlation, copies have 1, and pairs of a neuron with itself do not count", () => {
  const pairs = (lists, a, b, lags = 10) => {
    const { populations } = complete(trainsOf(sceneOf(20_000, lists)));
    return complete(correlatePairs(populations[a], populations[b], 10, 20_000, lags));
  };
  const [one] = poisson(1, 20_000, () => 20, 13);
  const copies = pairs({ E: Array(20).fill(one) }, 0, 0);
  near(copies[10], 1, 1e-9);
  const delayed = pairs({ E: Array(5).fill(one), I: Array(3).fill(one.map((step) => step + 40)) }, 0, 1);
  near(delayed[14], 1, 0.02);
  const apart = pairs({ E: poisson(200, 20_000, () => 20, 17) }, 0, 0);
  apart.forEach((value) => near(value, 0, 1e-3));
  // The definition, pair by pair.
  const few = { E: poisson(4, 20_000, () => 30, 19) };
  const { populations: [{ starts, steps }] } = complete(trainsOf(sceneOf(20_000, few)));
  const signals = [0, 1, 2, 3].map((neuron) => {
    const counts = new Float64Array(20_000);
    for (const step of steps.subarray(starts[neuron], starts[neuron + 1])) counts[Math.floor(step / 10)] += 1;
    return counts;
  });
  const variances = signals.map((signal) => meanOf(signal.map((value) => value ** 2)) - meanOf(signal) ** 2);
  const mean = meanOf(variances);
  const expected = new Float64Array(21);
  signals.forEach((a, i) => signals.forEach((b, j) => {
    if (i !== j) complete(correlate(a, b, 10)).forEach((value, lag) => (expected[lag] += (value * Math.sqrt(variances[i] * variances[j])) / mean / 12));
  }));
  pairs(few, 0, 0).forEach((value, lag) => near(value, expected[lag], 1e-9));
});

test("a recorded variable becomes a signal with equal distances", () => {
  const samples = { each: (_, from, to, visit) => { for (let step = Math.max(from, 100); step < Math.min(to, 1100); step += 1) visit(step, step / 10 - 1, step / 10 + 1); } };
  const { values, sampleMs } = complete(signalOf(samples, "E.v[0]", 0, 1000, DT));
  assert.equal(sampleMs, 1);
  assert.equal(values.length, 99);
  near(values[0], 10.45, 1e-9);
  near(values[50], 60.45, 1e-9);
  assert.equal(complete(signalOf({ each: () => {} }, "E.v[0]", 0, 1000, DT)).values.length, 0);
  const coarse = { each: (_, from, to, visit) => { for (let step = 25; step < 1000; step += 50) visit(step, 1, 3); } };
  assert.deepEqual([complete(signalOf(coarse, "", 0, 100, DT)).sampleMs, complete(signalOf(coarse, "", 0, 100, DT)).values.every((value) => value === 2)], [5, true]);
});

test("scales have round values and go back and forth", () => {
  for (const scale of [{ low: 1, high: 1000, isLog: true }, { low: -100, high: 100, isLog: false }]) {
    for (const part of [0, 0.2, 0.5, 1]) near(partOf(valueAt(part, scale), scale), part, 1e-12);
  }
  assert.deepEqual(ticksOf({ low: 1, high: 1000, isLog: true }, 5), [1, 10, 100, 1000]);
  assert.deepEqual(ticksOf({ low: 1, high: 10, isLog: true }, 8), [1, 2, 5, 10]);
  const { shares, outside } = complete(histogram([1, 10, 99, 100, 1000, 0.5], { low: 1, high: 100, isLog: true }, 2));
  assert.deepEqual([...shares].map(Math.round), [17, 50]);
  assert.equal(outside, 2);
});

test("cuba has the rates and the irregularity of other simulators", async (t) => {
  const simulation = await create(t, "cuba");
  const spikes = new SpikeList();
  simulation.on("spikes", (event) => spikes.push(event));
  await simulation.run(1000);
  const scene = spikes.in(simulation.info, 0, 1000);
  // Those of `spikelet show network cuba`, over seeds; this is one of them.
  near(valueOf("rate", scene, "E"), 5.67, 1.46);
  near(valueOf("rate", scene, "I"), 5.59, 0.44);
  near(valueOf("cv", scene, "E"), 0.503, 0.06);
  near(valueOf("cv", scene, "I"), 0.506, 0.09);
});

test("the docs have the definitions", () => {
  const docs = readFileSync(new URL("../../../docs/element.md", import.meta.url), "utf8");
  for (const { name, unit, definition, source } of MEASURES) assert.ok(docs.includes(`| \`${name}\` | ${unit} | ${definition} (${source}) |`), name);
});

test("long computations are done in pieces, one by one", async () => {
  const order = [];
  function* work(name) {
    for (let piece = 0; piece < 3; piece += 1) {
      order.push(name);
      for (const end = performance.now() + 3; performance.now() < end; );
      yield;
    }
    return name;
  }
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  const failing = later(function* () {
    yield;
    throw new Error("broken");
  });
  const [a, b] = await Promise.all([later(() => work("a")), later(() => work("b")), assert.rejects(failing, /broken/)]);
  clearInterval(timer);
  assert.deepEqual([a, b, order.join("")], ["a", "b", "aaabbb"]);
  assert.ok(ticks >= 2, "there is time between the pieces");
});
