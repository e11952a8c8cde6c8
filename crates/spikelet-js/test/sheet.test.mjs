// The maths of the sheet, the weight matrix and the senses: what needs no canvas.

import assert from "node:assert/strict";
import { test } from "node:test";

import { kindsOf, plotsOf } from "../../../target/engine/js/plots.js";
import { SteadyRange } from "../../../target/engine/js/plots/numbers.js";
import { SpikePast } from "../../../target/engine/js/plots/past/spikes.js";
import { shownOf } from "../../../target/engine/js/plots/sheet.js";
import { edgesOf } from "../../../target/engine/js/plots/sheet/axes.js";
import { COLOURS, colourAt, diverging, gradient, lightness, mixed, rgbOf, viridis, wordOf } from "../../../target/engine/js/plots/sheet/colours.js";
import { dragged } from "../../../target/engine/js/plots/sheet/controls.js";
import { glow } from "../../../target/engine/js/plots/sheet/glow.js";
import { arranged, compact, layoutOf } from "../../../target/engine/js/plots/sheet/layout.js";
import { pixelsOf as paintPixels } from "../../../target/engine/js/plots/sheet/pixels.js";
import { EYE_W, EYE_Z, firstView, identity, projected, turned } from "../../../target/engine/js/plots/sheet/rotation.js";
import { binned, nearest } from "../../../target/engine/js/plots/synapses/bins.js";
import { CountPast } from "../../../target/engine/js/plots/synapses/counts.js";
import { remarkOf, sliceOf } from "../../../target/engine/js/plots/synapses/projection.js";
import { brightness } from "../../../target/engine/js/senses/camera.js";
import { pixelsOf } from "../../../target/engine/js/senses/grid.js";
import { bandsOf } from "../../../target/engine/js/senses/microphone.js";
import { bump } from "../../../target/engine/js/senses/mouse.js";
import { CHARACTERS, TextSense, neuronsOf } from "../../../target/engine/js/senses/text.js";

const close = (found, expected, tolerance = 1e-6) => assert.ok(Math.abs(found - expected) <= tolerance, `${found} instead of ${expected}`);

function info(dimensions, changes = {}) {
  const population = (name, size, first, of) => ({ name, size, first, dimensions: of, source: false, parameters: [], variables: [{ path: `${name}.v`, symbol: "v", unit: "mV" }] });
  const network = { name: "n", description: "", populations: [population("R", 5, 0, 0), population("E", 12, 5, dimensions)], projections: [] };
  return { dtMs: 0.5, neurons: 17, channels: [], statistics: [], network, ...changes };
}

test("a sheet is shown by default if neurons have two dimensions or more, and can be chosen otherwise", () => {
  for (const [dimensions, isStandard] of [[0, false], [1, false], [2, true], [4, true]]) {
    assert.equal(plotsOf(info(dimensions)).includes("sheet"), isStandard, `${dimensions} dimensions`);
    assert.ok(kindsOf(info(dimensions)).some(({ name }) => name === "sheet"));
  }
  assert.deepEqual(shownOf(info(2)).map(({ label }) => label), ["E: spikes", "E: v in mV", "R: spikes", "R: v in mV"]);
});

test("the glow of spikes is their exponential rate", () => {
  const past = new SpikePast(10_000, 20);
  const pairs = [[90, 3], [99, 3], [50, 4], [99, 9], [100, 3]];
  past.push({ trial: 0, firstStep: 0, steps: 200, dtMs: 0.5, spikeSteps: Uint32Array.from(pairs.sort(([a], [b]) => a - b), ([step]) => step), neurons: Uint32Array.from(pairs, ([, neuron]) => neuron) });
  const rates = new Float32Array(4);
  glow(past, 3, 100, 0.5, 50, rates);
  // In Hz: 1000 ms / 50 ms per spike of this moment.
  close(rates[0], 20 * (1 + Math.exp((-9 * 0.5) / 50)), 1e-4);
  close(rates[1], 20 * Math.exp((-49 * 0.5) / 50), 1e-4);
  assert.equal(rates[2], 0);
  glow(past, 3, 101, 0.5, 50, rates);
  close(rates[0], 20 * (1 + Math.exp(-0.5 / 50) + Math.exp(-5 / 50)), 1e-4);
});

test("the mean of the glow of a regular train is its rate", () => {
  const past = new SpikePast(10_000, 1);
  const steps = Uint32Array.from({ length: 400 }, (_, spike) => spike * 10);
  past.push({ trial: 0, firstStep: 0, steps: 4000, dtMs: 1, spikeSteps: steps, neurons: new Uint32Array(400) });
  const [rates, all] = [new Float32Array(1), []];
  for (let end = 2000; end < 2010; end += 1) {
    glow(past, 0, end, 1, 50, rates);
    all.push(rates[0]);
  }
  close(all.reduce((sum, rate) => sum + rate, 0) / 10, 100, 1.5);
});

test("positions become points of a body of radius 1", () => {
  const coordinates = Float32Array.from({ length: 24 }, (_, at) => (at % 2 === 0 ? (at / 2) % 4 : Math.floor(at / 8)) * 10 + 5);
  const sheet = layoutOf({ dimensions: 2, coordinates, shape: [4, 3], unit: "µm" });
  assert.deepEqual([sheet.size, sheet.isGrid, sheet.ranges], [12, true, [[0, 40], [0, 30]]]);
  close(sheet.spacing, 0.5);
  assert.deepEqual(sheet.half.map((half) => Number(half.toFixed(6))), [1, 0.75, 0, 0]);
  assert.deepEqual([...sheet.points.subarray(0, 2)].map((at) => Number(at.toFixed(6))), [-0.75, -0.5]);
  const body = layoutOf({ dimensions: 4, coordinates: Float32Array.from([0, 0, 0, 0, 1, 1, 1, 1]), shape: [], unit: "µm" });
  assert.ok(Math.hypot(...body.half) <= 1 + 1e-6);
  // All neurons at the same place still have an extent.
  const single = layoutOf({ dimensions: 3, coordinates: new Float32Array(6), shape: [], unit: "µm" });
  assert.ok(single.points.every(Number.isFinite) && single.spacing > 0);
});

test("without positions neurons are in rows, the first at the top", () => {
  const rows = arranged(10, 4);
  assert.equal(compact(10), 4);
  assert.equal(rows.unit, "");
  assert.ok(rows.points[0] < 0 && rows.points[1] > 0, "the first is in the upper left");
  assert.ok(rows.points[9 * 4] < 0 && rows.points[9 * 4 + 1] < 0, "the last row is at the bottom");
  close(rows.points[3 * 4], 0.75);
});

test("rotations keep lengths, in any number of small turns, and projection is central", () => {
  let rotation = firstView(4);
  for (let turn = 0; turn < 20_000; turn += 1) rotation = dragged(rotation, (turn % 7) - 3, (turn % 5) - 2, turn % 2);
  for (let row = 0; row < 4; row += 1) {
    for (let other = 0; other < 4; other += 1) {
      let sum = 0;
      for (let column = 0; column < 4; column += 1) sum += rotation[row * 4 + column] * rotation[other * 4 + column];
      close(sum, Number(row === other), 1e-12);
    }
  }
  const quarter = turned(identity(), 0, 1, Math.PI / 2);
  const [x, y] = projected([1, 0, 0, 0], quarter, 2);
  close(x, 0);
  close(y, 1);
  // Nearer parts are larger: along z, and for four dimensions along w.
  close(projected([0.5, 0, 1, 0], identity(), 3)[0], (0.5 * EYE_Z) / (EYE_Z - 1));
  close(projected([0.5, 0, 0, 1], identity(), 4)[0], (0.5 * EYE_W) / (EYE_W - 1));
  close(projected([0.5, 0, 1, 1], identity(), 2)[0], 0.5);
  // Dragging in x, y and z does not move w; a drag towards w does.
  close(dragged(identity(), 40, 20, 0)[15], 1);
  assert.ok(dragged(identity(), 40, 20, 1)[15] < 0.999);
  assert.deepEqual([3, 4].map((dimensions) => edgesOf([1, 1, 1, 1], dimensions).length), [12, 32]);
});

test("the body never leaves its room", () => {
  const room = [1, 1, 1, 1.05, 1.14];
  for (const dimensions of [3, 4]) {
    let rotation = firstView(dimensions);
    for (let turn = 0; turn < 300; turn += 1) {
      rotation = dragged(rotation, 17, 11, dimensions === 4 ? turn % 2 : 0);
      for (let corner = 0; corner < 1 << dimensions; corner += 1) {
        const half = dimensions ** -0.5;
        const point = Array.from({ length: 4 }, (_, axis) => (axis < dimensions ? ((corner >> axis) & 1 ? half : -half) : 0));
        const [x, y] = projected(point, rotation, dimensions);
        assert.ok(Math.hypot(x, y) <= room[dimensions], `${Math.hypot(x, y)} in ${dimensions} dimensions`);
      }
    }
  }
});

test("colour maps are ordered by lightness, and signed ones are neutral at 0", () => {
  for (const map of [viridis(), gradient([[22, 24, 29], [124, 176, 255], [236, 235, 231]])]) {
    assert.equal(map.length, COLOURS);
    map.slice(1).forEach((colour, at) => assert.ok(lightness(colour) >= lightness(map[at]) - 2e-3, `colour ${at}`));
    // Steps of the same size look the same: none is more than three times the mean.
    const steps = map.slice(1).map((colour, at) => lightness(colour) - lightness(map[at]));
    assert.ok(Math.max(...steps) < (3 * (lightness(map.at(-1)) - lightness(map[0]))) / COLOURS + 6e-3);
  }
  assert.deepEqual(viridis()[0], [0x44, 0x01, 0x54]);
  assert.deepEqual(viridis()[17 * 8], [0x1f, 0x98, 0x8b]);
  const map = diverging([194, 65, 12], [230, 230, 226], [31, 95, 196]);
  assert.deepEqual([map[0], map.at(-1)], [[194, 65, 12], [31, 95, 196]]);
  assert.ok(lightness(map[127]) > 0.9);
  assert.deepEqual(mixed([10, 20, 30], [10, 20, 30], 0.5), [10, 20, 30]);
  assert.deepEqual(rgbOf(wordOf([1, 2, 3])), [1, 2, 3]);
  assert.deepEqual([-5, 0, 0.5, 1, 9].map((value) => colourAt(value, 0, 1)), [0, 0, 128, 255, 255]);
});

test("of overlapping points the largest value is painted", () => {
  const layout = { ...arranged(1, 1), size: 3, points: new Float32Array(12), spacing: 1, isGrid: true };
  const colours = Array.from({ length: COLOURS }, (_, at) => [at, 0, 0]);
  const picture = { layout, rotation: identity(), values: Float32Array.from([0.2, 1, 0.4]), colours, background: [0, 0, 0], width: 9, height: 9, scale: 3 };
  const pixels = paintPixels(picture);
  assert.deepEqual([...pixels.subarray((4 * 9 + 4) * 4, (4 * 9 + 4) * 4 + 4)], [255, 0, 0, 255]);
  assert.equal(pixels[3], 0, "there is no point in the corner");
});

test("synapses are binned, single pairs by their total, many by their mean", () => {
  const synapses = { pre: Uint32Array.from([0, 0, 3, 3]), post: Uint32Array.from([1, 1, 0, 1]), weights: Float32Array.from([1, 2, -4, 8]) };
  const single = binned(synapses, 4, 2, 256);
  assert.deepEqual([single.columns, single.rows, single.least, single.most], [4, 2, -4, 8]);
  assert.deepEqual([...single.means], [NaN, NaN, NaN, -4, 3, NaN, NaN, 8]);
  const coarse = binned(synapses, 4, 2, 2);
  assert.deepEqual([...coarse.means], [NaN, -4, 1.5, 8]);
  assert.deepEqual([...coarse.counts], [0, 1, 2, 1]);
  assert.deepEqual([...binned({ ...synapses, weights: new Float32Array(0) }, 4, 2, 2).means], [NaN, 1, 1, 1]);
  assert.equal(nearest([0, 10, 20], [0, 0, 0], 11, 1, 5), 1);
  assert.equal(nearest([0, 10, 20], [0, 0, 0], 15, 30, 5), -1);
});

test("slices of populations are parsed, and samples say of how many", () => {
  const of = info(2);
  assert.deepEqual(sliceOf("E", of), { population: "E", first: 0, size: 12 });
  assert.deepEqual(sliceOf("E[3]", of), { population: "E", first: 3, size: 1 });
  assert.deepEqual(sliceOf("E[2:7]", of), { population: "E", first: 2, size: 5 });
  assert.deepEqual(sliceOf("E[4:]", of), { population: "E", first: 4, size: 8 });
  assert.equal(remarkOf({ pre: { length: 20 }, total: 20 }, false), "20 synapses");
  assert.match(remarkOf({ pre: { length: 20 }, total: 12345 }, true), /^20 of 12.345 synapses, evenly sampled; .* now$/);
});

test("histograms over time are stored with a bound, from the start", () => {
  const past = new CountPast();
  for (let time = 0; time < 5000; time += 1) past.push(time, Uint32Array.of(time));
  assert.ok(past.all.length > 256 && past.all.length <= 513, `${past.all.length}`);
  assert.equal(past.all[0].timeMs, 0);
  assert.ok(past.all.at(-1).timeMs > 4950);
  assert.ok(past.at(2500).timeMs <= 2500 && past.at(2500).timeMs > 2450);
  past.clear();
  assert.equal(past.at(10), undefined);
});

test("the picture of the camera is upright on a sheet, and in rows otherwise", () => {
  // Row 0 of positions is at the bottom.
  const sheet = pixelsOf(layoutOf({ dimensions: 2, coordinates: Float32Array.from([0, 0, 1, 0, 0, 1, 1, 1]), shape: [2, 2], unit: "µm" }), [2, 2]);
  assert.deepEqual([...sheet.pixels], [2, 3, 0, 1]);
  const rows = pixelsOf(arranged(5, 3), [3, 2]);
  assert.deepEqual([...rows.pixels], [0, 1, 2, 3, 4]);
  const values = new Float32Array(2);
  brightness(Uint8ClampedArray.from([0, 0, 0, 255, 255, 255, 255, 255]), Uint32Array.from([1, 0]), values);
  close(values[0], 1);
  assert.equal(values[1], 0);
});

test("a tone is in its band, high tones in later ones", () => {
  const peaks = [110, 440, 1760, 7040].map((hertz) => {
    const spectrum = new Float32Array(1024).fill(-120);
    spectrum[Math.round(hertz / (48_000 / 2048))] = -25;
    const bands = bandsOf(spectrum, 48_000, 16);
    assert.equal(Math.max(...bands), 1, `${hertz} Hz`);
    return bands.indexOf(1);
  });
  assert.deepEqual(peaks, peaks.toSorted((a, b) => a - b));
  assert.ok(peaks[3] > peaks[0] + 10, peaks.join());
});

test("the pointer makes a bump at its position", () => {
  const grid = { columns: 10, rows: 10, pixels: Uint32Array.from({ length: 100 }, (_, at) => at) };
  const values = new Float32Array(100);
  bump(grid, [0.25, 0.85], values);
  assert.equal(values.indexOf(Math.max(...values)), 82);
  bump(grid, null, values);
  assert.ok(values.every((value) => value === 0));
});

test("each character has its own neurons, for 50 ms", async () => {
  const size = 82;
  const all = [...CHARACTERS].map((character) => neuronsOf(character, size));
  assert.deepEqual(all.map(([first]) => first), [...CHARACTERS].map((_, place) => place * 2));
  const sense = new TextSense("Ab#");
  await assert.rejects(sense.start({ pixels: new Uint32Array(40) }), /at least 41 neurons.*this one has 40/);
  await sense.start({ pixels: new Uint32Array(size) });
  const active = (timeMs) => {
    sense.sample(timeMs);
    return [...sense.values.keys()].filter((neuron) => sense.values[neuron] > 0);
  };
  assert.deepEqual(active(1000), [0, 1]);
  assert.deepEqual(active(1049), [0, 1]);
  assert.deepEqual(active(1050), [2, 3]);
  assert.deepEqual(active(1100), [], "# has no neurons");
  assert.deepEqual(active(1151), [0, 1], "and again");
  assert.deepEqual(active(3), [0, 1], "after a reset");
  sense.text = "";
  assert.deepEqual(active(5), []);
});

test("a scale that holds is not replaced by every frame", () => {
  const range = new SteadyRange();
  assert.deepEqual(range.hold(0, 20), range.hold(0, 19));
});
