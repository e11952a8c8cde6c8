// Plots of measured spikes, on a surface that records what is drawn: hidden populations, and the picture of a table.

import assert from "node:assert/strict";
import { test } from "node:test";

import { SpikeList, choose } from "../../../target/engine/js/plots.js";
import { Recorder } from "../../../target/engine/js/plots/export/recorder.js";
import { tablePicture } from "../../../target/engine/js/plots/export/table.js";

const AREA = { left: 40, top: 6, width: 300, height: 100 };
const THEME = { font: { css: "11px sans-serif", size: 11 }, colour: (use) => ({ css: use, word: 0 }) };

const recorder = () => new Recorder((text) => text.length * 6, () => "");

/** What plots need of the network: E fires every 10 ms, I every 200 ms, in both cases regularly. */
const INFO = {
  dtMs: 1,
  neurons: 8,
  network: { name: "pair", populations: [{ name: "E", size: 4, first: 0, parameters: [], variables: [] }, { name: "I", size: 4, first: 4, parameters: [], variables: [] }], projections: [] },
  channels: [],
  statistics: [],
};

function spikes() {
  const steps = Array.from({ length: 1000 }, (_, step) => step).filter((step) => step % 10 === 0);
  const pairs = steps.flatMap((step) => [0, 1, 2, 3, ...(step % 200 === 0 ? [4, 5, 6, 7] : [])].map((neuron) => [step, neuron]));
  const list = new SpikeList();
  list.push({ firstStep: 0, steps: 1000, spikeSteps: Uint32Array.from(pairs, ([step]) => step), neurons: Uint32Array.from(pairs, ([, neuron]) => neuron) });
  return list;
}

const PAST = { spikes: spikes() };

/** The scene of the whole second, with hidden populations. */
function scene(...hidden) {
  return { info: INFO, past: PAST, span: { fromMs: 0, toMs: 1000, nowMs: 1000 }, hidden: new Set(hidden) };
}

/** A plot in a frame without elements. */
function plot(word) {
  const seen = { remark: "", legend: [], svg: () => pen.svg };
  const pen = recorder();
  const surface = { pen: pen.pen, theme: THEME, ratio: 1, area: AREA, begin: () => (pen.clearRect(), AREA), within: (_, draw) => draw(), shortened: (text) => text };
  const frame = { surface, isShown: true, setAbout() {}, setRemark: (text) => (seen.remark = text), setLegend: (legend) => (seen.legend = legend) };
  const { plots: [chosen] } = choose(word, INFO);
  return { ...seen, seen, plot: chosen.kind.make(frame, INFO, chosen, null) };
}

/** The names in the first column of the table of a plot. */
const namesIn = (rows) => [...new Set(Array.from(rows, ([name]) => name).slice(1))];

/** Draws until the result is that of the scene. */
async function settled({ plot, seen }, wanted) {
  plot.draw(wanted);
  await new Promise((resolve) => setTimeout(resolve, 400));
  plot.draw(wanted);
  return seen.svg();
}

test("what a legend hides is neither drawn, nor said, nor saved", async () => {
  for (const word of ["isi", "cv", "spectrum"]) {
    const shown = plot(word);
    assert.deepEqual(shown.seen.legend.map(({ name, hides }) => [name, hides]), [["E", "E"], ["I", "I"]], word);
    assert.match(await settled(shown, scene()), /stroke="excitatory"/);
    assert.deepEqual(namesIn(shown.plot.export(scene())), ["E", "I"], word);
    const svg = await settled(shown, scene("E"));
    assert.doesNotMatch(svg, /stroke="excitatory"/, word);
    assert.match(svg, /stroke="inhibitory"/, word);
    assert.doesNotMatch(`${shown.seen.remark} ${shown.plot.describe(scene("E"))}`, /\bE\b/, word);
    assert.deepEqual(namesIn(shown.plot.export(scene("E"))), ["I"], word);
    assert.match(await settled(shown, scene("E", "I")), />all populations are hidden</, word);
    assert.match(shown.plot.describe(scene("E", "I")), /all populations are hidden/, word);
  }
});

test("scales are those of what is shown", () => {
  const ends = (...hidden) => {
    const rows = [...plot("isi").plot.export(scene(...hidden))].slice(1);
    return [Math.min(...rows.map(([, from]) => from)), Math.max(...rows.map(([, , to]) => to))];
  };
  assert.deepEqual(ends(), [10, 1000]);
  assert.deepEqual(ends("I"), [10, 100]);
  assert.deepEqual(ends("E"), [100, 1000]);
});

test("a pair that a menu names stays when one of it is hidden", () => {
  assert.equal([...plot("correlation").plot.export(scene("E"))].length, 202);
});

test("a table is drawn as wide as its texts, names on the left and numbers on the right", () => {
  const pen = recorder();
  globalThis.document = { createElement: () => ({ setAttribute() {}, append() {}, getContext: () => pen.pen }) };
  const { surface, draw } = tablePicture([["Population", "Neurons"], ["E", "3200"], ["I & J", "800"]], THEME);
  delete globalThis.document;
  // Columns of 10 and 7 letters with 16 px between them; rows of 24 px.
  assert.deepEqual([surface.width, surface.height], [60 + 16 + 42, 72]);
  draw();
  assert.match(pen.svg, /<text x="0" y="39\.85" text-anchor="start" style="font: 600 11px sans-serif" fill="ink">E<\/text>/);
  assert.match(pen.svg, /<text x="118" y="39\.85" text-anchor="end" style="font: 11px sans-serif" fill="ink">3200<\/text>/);
  assert.match(pen.svg, /fill="muted">Population</);
  assert.match(pen.svg, /I &amp; J/);
});
