// The board of plots, as far as it needs no browser: views, layouts, orders of neurons, smoothing, and what saved files contain.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { choose } from "../../../target/engine/js/plots.js";
import { placeAt } from "../../../target/engine/js/plots/arranging.js";
import { Cursor } from "../../../target/engine/js/plots/cursor.js";
import { columnsOf, npz } from "../../../target/engine/js/plots/export/npz.js";
import { Recorder } from "../../../target/engine/js/plots/export/recorder.js";
import { checkLayout, isSameLayout, moved, rowsOf, wordOf } from "../../../target/engine/js/plots/layout.js";
import { kindOffers, variableOffers } from "../../../target/engine/js/plots/offers.js";
import { paintSpikes } from "../../../target/engine/js/plots/paint.js";
import { lanesOf, levelsOf, panelsOf, withLevels } from "../../../target/engine/js/plots/panels.js";
import { SampleGroups } from "../../../target/engine/js/plots/past/groups.js";
import { rebinned, smoothed } from "../../../target/engine/js/plots/smooth.js";
import { orderOf } from "../../../target/engine/js/plots/sorting.js";
import { between, checkView, panned, viewAfterKey, zoomed } from "../../../target/engine/js/plots/view.js";

const LIMITS = { shortestMs: 1, endMs: 1000 };

/** What a simulation says of populations E (40) and R (10). */
function info(channels = []) {
  const parameters = [{ path: "E.Vt", symbol: "Vt", about: "threshold", unit: "mV", value: -50 }];
  const population = (name, size, first) => ({ name, size, first, source: false, parameters: name === "E" ? parameters : [], variables: [{ symbol: "v", unit: "mV" }, { symbol: "w", unit: "nA" }] });
  return { dtMs: 0.5, neurons: 50, network: { name: "pair", populations: [population("E", 40, 0), population("R", 10, 40)], projections: [] }, channels, statistics: [] };
}

const channel = (label, unit, neuron) => ({ label, variable: label.split(/[.[]/)[1], unit, neuron });

test("a view pans and zooms within the run, and the time under the pointer stays", () => {
  assert.deepEqual(panned({ fromMs: 100, toMs: 300 }, 50, LIMITS), { fromMs: 150, toMs: 350 });
  assert.deepEqual(panned({ fromMs: 100, toMs: 300 }, -500, LIMITS), { fromMs: 0, toMs: 200 });
  assert.deepEqual(panned({ fromMs: 100, toMs: 300 }, 5000, LIMITS), { fromMs: 800, toMs: 1000 });
  assert.deepEqual(zoomed({ fromMs: 100, toMs: 300 }, 0.5, 150, LIMITS), { fromMs: 125, toMs: 225 });
  assert.deepEqual(zoomed({ fromMs: 100, toMs: 300 }, 100, 150, LIMITS), { fromMs: 0, toMs: 1000 });
  const deep = zoomed({ fromMs: 100, toMs: 300 }, 1e-9, 150, LIMITS);
  assert.ok(Math.abs(deep.toMs - deep.fromMs - 1) < 1e-9 && deep.fromMs < 150 && deep.toMs > 150);
  assert.deepEqual(between(700, 200, LIMITS), { fromMs: 200, toMs: 700 });
  const narrow = between(500, 500, LIMITS);
  assert.ok(Math.abs(narrow.toMs - narrow.fromMs - 1) < 1e-6);
});

test("keys do what gestures do", () => {
  const view = { fromMs: 400, toMs: 600 };
  assert.deepEqual(viewAfterKey("ArrowRight", view, null, LIMITS), { fromMs: 420, toMs: 620 });
  assert.deepEqual(viewAfterKey("Home", view, null, LIMITS), { fromMs: 0, toMs: 200 });
  assert.equal(viewAfterKey("End", view, null, LIMITS), null);
  assert.equal(viewAfterKey("x", view, null, LIMITS), undefined);
  const zoom = viewAfterKey("+", view, 600, LIMITS);
  assert.ok(Math.abs(zoom.toMs - 600) < 1e-9 && zoom.toMs - zoom.fromMs < 200);
});

test("a view that is not a time span is an error that says so", () => {
  assert.throws(() => checkView({ fromMs: 5, toMs: 5 }), /view is "5 to 5 ms"; expected a start before its end/);
  assert.throws(() => checkView({ fromMs: NaN, toMs: 5 }), /two finite times/);
});

test("a layout survives JSON, and errors name the place", () => {
  const layout = { plots: [{ plot: "raster(sort=1)", height: 300 }, { plot: "rates", half: true }], hidden: ["E"] };
  assert.deepEqual(checkLayout(JSON.parse(JSON.stringify(layout))), layout);
  assert.ok(isSameLayout({ plots: [{ plot: "rates", half: false }], hidden: [] }, { plots: [{ plot: "rates" }] }));
  for (const [wrong, said] of [
    [null, /layout is null; expected an object/],
    [{ plots: 3 }, /layout\.plots is 3; expected a list/],
    [{ plots: [{ plot: "" }] }, /layout\.plots\[0\]\.plot is ""/],
    [{ plots: [{ plot: "rates" }, { plot: "rates", height: 5 }] }, /layout\.plots\[1\]\.height is 5; expected a height from 60 to 2000/],
    [{ plots: [{ plot: "rates", half: 1 }] }, /half is 1; expected true or false/],
    [{ plots: Array(25).fill({ plot: "rates" }) }, /at most 24 plots/],
    [{ plots: [], hidden: [1] }, /layout\.hidden/],
  ]) assert.throws(() => checkLayout(wrong), said);
});

test("the word of a plot has the settings that were changed, and makes the same plot", () => {
  const [chosen] = choose("rates(bin=2 reach=8)", info()).plots;
  assert.equal(wordOf(chosen), "rates(bin=2)");
  assert.deepEqual(choose(wordOf(chosen), info()).plots[0].settings, chosen.settings);
  assert.equal(wordOf(choose("E.v[0:2]", info()).plots[0]), "E.v[0:2]");
});

test("plots move, and neighbours of half width share a row", () => {
  assert.deepEqual(moved(["a", "b", "c"], 0, 2), ["b", "c", "a"]);
  assert.deepEqual(moved(["a", "b", "c"], 2, -4), ["c", "a", "b"]);
  const halves = [false, true, true, true, false, true];
  assert.deepEqual(rowsOf(halves, 2), [[0], [1, 2], [3], [4], [5]]);
  assert.deepEqual(rowsOf(halves, 1), [[0], [1], [2], [3], [4], [5]]);
  const box = (left, top) => ({ left, right: left + 100, top, bottom: top + 50 });
  const boxes = [box(0, 0), box(0, 50), box(100, 50)];
  assert.deepEqual([placeAt(boxes, 10, 10), placeAt(boxes, 10, 40), placeAt(boxes, 60, 80), placeAt(boxes, 190, 80)], [0, 1, 2, 3]);
});

test("what can be added are the kinds, with the reason if one is impossible, and the variables", () => {
  const kinds = kindOffers(info());
  assert.equal(kinds.find(({ word }) => word === "raster").lack, null);
  assert.match(kinds.find(({ word }) => word === "trace").lack, /records nothing/);
  const words = variableOffers(info()).map(({ word }) => word);
  assert.deepEqual(words, ["v", "E.v", "R.v", "w", "E.w", "R.w"]);
  for (const word of words) assert.equal(choose(word, info()).plots.length, 1);
});

test("neurons are sorted within their population by first spike or by rate, silent ones last", () => {
  const populations = [{ first: 0, size: 3 }, { first: 3, size: 2 }];
  const spikes = [[1, 2], [2, 1], [5, 1], [6, 4]];
  const each = (visit) => spikes.forEach(([step, neuron]) => visit(step, neuron));
  assert.equal(orderOf(0, populations, 5, each), null);
  const first = orderOf(1, populations, 5, each);
  assert.deepEqual([[...first.neurons], [...first.rows]], [[2, 1, 0, 4, 3], [2, 1, 0, 1, 0]]);
  assert.deepEqual([...orderOf(2, populations, 5, each).neurons], [1, 2, 0, 4, 3]);
});

test("wide bins keep the number of spikes, and begin at multiples of their width", () => {
  const points = Array.from({ length: 20 }, (_, bin) => [(bin + 3.5) * 5, bin]);
  const { startMs, binMs, values } = rebinned(points, 5, 4);
  assert.deepEqual([startMs, binMs, [...values]], [30, 20, [2.5, 6.5, 10.5, 14.5]]);
  assert.deepEqual([...rebinned(points, 5, 1).values], points.map(([, value]) => value));
  assert.equal(rebinned([], 5, 4).values.length, 0);
});

test("a Gaussian kernel keeps constants and the sum of a pulse, and has its width", () => {
  const curve = (values) => ({ startMs: 2.5, binMs: 5, values: Float64Array.from(values) });
  assert.ok(smoothed(curve(Array(50).fill(7)), 20).values.every((value) => Math.abs(value - 7) < 1e-12));
  const pulse = Array(201).fill(0);
  pulse[100] = 1;
  const { values } = smoothed(curve(pulse), 20);
  const sum = values.reduce((all, value) => all + value, 0);
  const variance = values.reduce((all, value, at) => all + value * (5 * (at - 100)) ** 2, 0) / sum;
  assert.ok(Math.abs(sum - 1) < 1e-9, `${sum}`);
  assert.ok(Math.abs(Math.sqrt(variance) - 20) < 0.1, `${Math.sqrt(variance)}`);
  assert.ok(Number.isNaN(smoothed(curve([1, NaN, 3]), 20).values[1]));
  assert.equal(smoothed(curve([1, 2]), 0).values[1], 2);
});

test("two million spikes of a view are painted in a fraction of a second", () => {
  const count = 2_000_000;
  const neurons = Uint32Array.from({ length: count }, (_, spike) => (spike * 7919) % 100_000);
  const members = new Uint16Array(100_000);
  const image = { pixels: new Uint32Array(1000 * 400), width: 1000, height: 400, perStep: 0.1, offset: 0, dot: 1, opacity: 40 };
  const rows = [{ first: 0, top: 0, pitch: 400 / 100_000, height: 1, colour: 0x123456 }];
  const each = (visit) => {
    for (let spike = 0; spike < count; spike += 1) visit(Math.floor(spike / 200), neurons[spike]);
  };
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now();
    paintSpikes(image, members, rows, null, each);
    return performance.now() - began;
  });
  console.log(`# 2,000,000 spikes: ${Math.min(...times).toFixed(1)} ms`);
  assert.ok(Math.min(...times) < 500);
  assert.ok(image.pixels.every((pixel) => (pixel & 0xffffff) === 0x123456 || pixel === 0));
  assert.ok(image.pixels.filter((pixel) => pixel !== 0).length > 300_000);
});

test("hidden populations are not painted, and sorted rows are where they belong", () => {
  const image = { pixels: new Uint32Array(10 * 4), width: 10, height: 4, perStep: 1, offset: 0, dot: 1, opacity: 255 };
  const rows = [null, { first: 1, top: 0, pitch: 1, height: 1, colour: 7 }];
  paintSpikes(image, Uint16Array.of(0, 1, 1), rows, Uint32Array.of(0, 3, 2), (visit) => [[0, 0], [4, 1], [5, 2], [99, 1]].forEach(([step, neuron]) => visit(step, neuron)));
  const found = [...image.pixels].flatMap((pixel, at) => (pixel === 0 ? [] : [[at % 10, Math.floor(at / 10)]]));
  assert.deepEqual(found, [[5, 2], [4, 3]]);
});

test("two pins give the interval and its frequency", () => {
  const cursor = new Cursor();
  assert.equal(cursor.words(), "");
  cursor.pin(120.5);
  assert.equal(cursor.words(), "pinned at 120.5 ms");
  cursor.pin(95.5);
  assert.equal(cursor.words(), "95.5 to 120.5 ms: Δt 25 ms, 1/Δt 40 Hz");
  // A double click pins nothing.
  cursor.pin(1);
  cursor.undoPin();
  assert.deepEqual(cursor.pins, [120.5, 95.5]);
  cursor.clear();
  assert.deepEqual(cursor.pins, []);
});

test("variables of one unit share a scale, different units do not; the threshold is that of the population", () => {
  const of = info([channel("E.v[0]", "mV", 0), channel("R.v[0]", "mV", 40), channel("E.w[0]", "nA", 0)]);
  const { lanes, symbols } = lanesOf(["E.v[0]", "R.v[0]", "E.w[0]"], of);
  assert.deepEqual([symbols, lanes.map(({ name }) => name)], [["v", "w"], ["E.v[0]", "R.v[0]", "E.w[0]"]]);
  assert.deepEqual(panelsOf(lanes, true).map((panel) => panel.length), [2, 1]);
  assert.equal(panelsOf(lanes, false).length, 3);
  assert.deepEqual(lanes.map((lane) => levelsOf(lane, of).map(({ value }) => value)), [[-50], [], []]);
});

test("the axis of a potential shows the threshold and the reset, unless they are far away", () => {
  assert.deepEqual(withLevels(-65, -55, [-50, -65]), [-65, -50]);
  assert.deepEqual(withLevels(-55.02, -55.01, [-50, -65]), [-65, -50]);
  assert.deepEqual(withLevels(-65, -55, [1e30]), [-65, -55]);
  assert.deepEqual(withLevels(Infinity, -Infinity, [-50]), [Infinity, -Infinity]);
});

test("a variable that is added later does not remove what is stored of others", () => {
  const [v, w] = [channel("E.v[0]", "mV", 0), channel("E.w[0]", "nA", 0)];
  const rows = (firstStep, columns, values) => ({ trial: 0, firstStep, steps: values.length / columns, dtMs: 0.5, every: 1, columns, values: Float32Array.from(values) });
  const collect = (groups, label) => {
    const found = [];
    groups.each(label, 0, Infinity, (step, least) => found.push([step, least]));
    return found;
  };
  const groups = new SampleGroups(100);
  groups.add(["E.v[0]"]);
  groups.push(rows(0, 1, [1, 2]), info([v]));
  groups.add(["E.v[0]", "E.w[0]"]);
  groups.push(rows(2, 2, [3, 30]), info([v, w]));
  assert.deepEqual(collect(groups, "E.v[0]"), [[0, 1], [1, 2], [2, 3]]);
  assert.deepEqual(collect(groups, "E.w[0]"), [[2, 30]]);
  assert.deepEqual(collect(groups, "E.x[0]"), []);
  groups.clear();
  assert.deepEqual(collect(groups, "E.v[0]"), []);
});

/** Reads a zip archive of stored files by its directory. */
function unzip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - 22;
  assert.equal(view.getUint32(end, true), 0x06054b50);
  let at = view.getUint32(end + 16, true);
  return Object.fromEntries(Array.from({ length: view.getUint16(end + 10, true) }, () => {
    assert.equal(view.getUint32(at, true), 0x02014b50);
    const [size, length, local] = [view.getUint32(at + 24, true), view.getUint16(at + 28, true), view.getUint32(at + 42, true)];
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + length));
    const start = local + 30 + view.getUint16(local + 26, true);
    at += 46 + length;
    return [name, bytes.slice(start, start + size)];
  }));
}

/** Reads a `.npy` file. */
function npy(bytes) {
  assert.equal(new TextDecoder("latin1").decode(bytes.subarray(0, 6)), "\x93NUMPY");
  const length = bytes[8] + 256 * bytes[9];
  assert.equal((10 + length) % 64, 0);
  const header = new TextDecoder().decode(bytes.subarray(10, 10 + length));
  const [, type, shape] = /^\{'descr': '([^']+)', 'fortran_order': False, 'shape': \(([\d, ]*)\), \} *\n$/.exec(header);
  const data = bytes.slice(10 + length).buffer;
  const width = Number(type.slice(2));
  const texts = () => Array.from({ length: data.byteLength / 4 / width }, (_, row) => String.fromCodePoint(...new Uint32Array(data, row * width * 4, width)).replaceAll("\0", ""));
  const values = { "<f8": () => [...new Float64Array(data)], "<f4": () => [...new Float32Array(data)], "<u4": () => [...new Uint32Array(data)] }[type] ?? texts;
  return { type, shape, values: values() };
}

test("an archive has the arrays with types, shapes and names", () => {
  const rows = [["time_ms", "population"], [0.5, "E"], [1.25, "I2"]];
  const files = unzip(npz([...columnsOf(rows), { name: "E.neuron", values: Uint32Array.of(7, 9) }, { name: "network", values: ["größe 𝛼"], shape: [] }]));
  assert.deepEqual(Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, npy(bytes)])), {
    "time_ms.npy": { type: "<f8", shape: "2,", values: [0.5, 1.25] },
    "population.npy": { type: "<U2", shape: "2,", values: ["E", "I2"] },
    "E.neuron.npy": { type: "<u4", shape: "2,", values: [7, 9] },
    "network.npy": { type: "<U7", shape: "", values: ["größe 𝛼"] },
  });
  assert.deepEqual(npy(unzip(npz(columnsOf([["time_ms"]])))["time_ms.npy"]).values, []);
});

test("other programs accept the archive", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "npz-"));
  try {
    const file = join(folder, "plot.npz");
    writeFileSync(file, npz([{ name: "E.rate_hz", values: Float64Array.of(1, 2, 3) }]));
    const check = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(z.namelist())\ntry:\n  import numpy\nexcept ImportError: sys.exit()\nassert list(numpy.load(sys.argv[1])['E.rate_hz']) == [1, 2, 3]";
    const { error, status, stdout, stderr } = spawnSync("python3", ["-c", check, file], { encoding: "utf8" });
    if (error) return context.skip("there is no python3");
    assert.equal(status, 0, stderr);
    assert.equal(stdout.trim(), "['E.rate_hz.npy']");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("drawing commands become SVG", () => {
  const recorder = new Recorder((text) => text.length * 6, () => "data:image/png;base64,AAAA");
  const { pen } = recorder;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, 10, 10);
  pen.save();
  pen.beginPath();
  pen.rect(0, 0, 50, 20);
  pen.clip();
  pen.strokeStyle = "#ff0000";
  pen.lineWidth = 1.5;
  pen.setLineDash([7, 3]);
  pen.beginPath();
  pen.moveTo(1, 2);
  pen.lineTo(3, 2);
  pen.lineTo(3, 4.567);
  pen.lineTo(5, 6);
  pen.stroke();
  pen.restore();
  pen.font = "11px sans-serif";
  pen.textAlign = "right";
  pen.fillText("a < b & \"c\"", 10, 20);
  pen.globalCompositeOperation = "destination-over";
  pen.fillRect(0, 0, 10, 1);
  pen.globalCompositeOperation = "source-over";
  pen.translate(5, 0);
  pen.globalAlpha = 0.5;
  pen.beginPath();
  pen.arc(0, 0, 2, 0, 2 * Math.PI);
  pen.fill();
  pen.drawImage({ width: 4, height: 3 }, 0, 0);
  assert.equal(pen.measureText("four").width, 24);
  const { svg } = recorder;
  assert.match(svg, /^<defs><clipPath id="clip0"><path d="M0 0h50v20h-50Z"\/><\/clipPath><\/defs><rect x="0" y="0" width="10" height="1"/);
  assert.match(svg, /<path d="M1 2H3V4\.57L5 6" fill="none" stroke="#ff0000" stroke-width="1\.5" [^>]*stroke-dasharray="7 3" clip-path="url\(#clip0\)"\/>/);
  assert.match(svg, /text-anchor="end" style="font: 11px sans-serif" fill="#000000">a &lt; b &amp; &quot;c&quot;<\/text>/);
  assert.match(svg, /<path d="M2 0A2 2 0 0 1 -2 0A2 2 0 0 1 2 0" fill="#000000" opacity="0\.5" transform="matrix\(1 0 0 1 5 0\)"\/>/);
  assert.match(svg, /<image x="0" y="0" width="4" height="3" preserveAspectRatio="none" href="data:image\/png;base64,AAAA"/);
  assert.throws(() => pen.isPointInPath(0, 0), /has no “isPointInPath”/);
  // Each element is closed: as many ends as starts.
  assert.equal(svg.match(/<[a-zA-Z]/g).length, svg.match(/\/>|<\//g).length);
});
