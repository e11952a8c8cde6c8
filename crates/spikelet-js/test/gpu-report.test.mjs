// The report on a GPU where there is none: its arithmetic, its comparison of states, and what it says. The page's flows run it on a GPU.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";

import { SpikeletError, gpuReport } from "../../../target/engine/js/gpu-report.js";
import { adapterLine, withoutGpu } from "../../../target/engine/js/gpu-report/adapter.js";
import { firstDifference } from "../../../target/engine/js/gpu-report/agree.js";
import { MEASURED } from "../../../target/engine/js/gpu-report/cases.js";
import { figure } from "../../../target/engine/js/gpu-report/figures.js";
import { float, fromHalf, fused, roundEven, toHalf, word } from "../../../target/engine/js/gpu-report/float.js";
import { VERSION, bits, jsonLines } from "../../../target/engine/js/gpu-report/lines.js";
import { OPERATIONS, RELIED, casesOf, judge } from "../../../target/engine/js/gpu-report/operations.js";
import { PROBE } from "../../../target/engine/js/gpu-report/probe-text.js";
import { arraysOf, differenceOf } from "../../../target/engine/js/gpu-report/state.js";
import { create, pair } from "./simulation.mjs";

const named = (name) => OPERATIONS.find((operation) => operation.name === name);
const run = (operation, compute) => {
  const cases = casesOf(operation);
  return judge(operation, cases, Uint32Array.from(cases, compute));
};

test("the probe is the shader that the command line runs", () => {
  const shader = readFileSync(new URL("../../../shaders/probe.wgsl", import.meta.url), "utf8");
  const file = new URL("../ts/gpu-report/probe-text.ts", import.meta.url);
  if (process.env.UPDATE_EXPECT) {
    const [head] = readFileSync(file, "utf8").split("export const");
    writeFileSync(file, `${head}export const PROBE = \`${shader.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\`;\n`);
  } else assert.equal(PROBE, shader);
  for (const { number } of OPERATIONS) assert.ok(number === 23 || shader.includes(`case ${number}u:`), `the shader has no operation ${number}`);
});

test("numbers of four bytes are rounded once", () => {
  const [one, tiny] = [word(1), 2 ** -24];
  // Between 1 and its neighbour: the product alone would be rounded to 1 - 2^-23, and the sum with it to another number.
  const [a, b] = [float(one + 1), float(0x3f7ffffe)];
  assert.equal(fused(a, b, -1), Math.fround(a * b - 1));
  assert.notEqual(fused(a, b, -1), Math.fround(Math.fround(a * b) - 1));
  // A tie in eight bytes that the lost part decides: 1 + 2^-24 + 2^-80, and the same with the other sign.
  assert.equal(fused(tiny, 1, 1), 1);
  assert.equal(word(fused(tiny + 2 ** -47, 1, 1)), one + 1);
  assert.equal(word(fused(2 ** -30, 2 ** -50, 1 + tiny)), one + 1);
  assert.equal(word(fused(2 ** -30, -(2 ** -50), 1 + 3 * tiny)), one + 1);
  assert.deepEqual([-2.5, -0.4, 0.5, 1.5, 2.5, 8388609, -Infinity].map(roundEven), [-2, -0, 0, 2, 2, 8388609, -Infinity]);
});

test("numbers of two bytes", () => {
  for (const [half, value] of [[0x3c00, 1], [0xc000, -2], [0x7bff, 65504], [0x0400, 2 ** -14], [0x8000, -0]]) {
    assert.equal(fromHalf(half), word(value));
    assert.equal(toHalf(word(value)), half);
  }
  assert.equal(float(fromHalf(1)), 2 ** -24);
  assert.equal(float(fromHalf(0xfc00)), -Infinity);
  assert.deepEqual([1 + 1 / 2048, 1 + 3 / 2048, 1.9999].map((value) => toHalf(word(value))), [0x3c00, 0x3c02, 0x4000]);
});

test("a device that rounds as a CPU has no difference, in thousands of cases", () => {
  let all = 0;
  for (const operation of OPERATIONS) {
    const line = run(operation, operation.expected);
    assert.ok(line.cases >= 400, `${operation.name}: ${line.cases} cases`);
    assert.deepEqual([line.different, line.first, line.fused], [0, undefined, undefined], operation.name);
    all += line.cases;
  }
  assert.ok(all > 60_000, `${all} cases`);
  for (const name of RELIED) assert.ok(named(name), name);
});

test("a device that fuses, flushes or swaps is recognised", () => {
  const withFma = ([a, b, c]) => word(fused(float(a), float(b), float(c)));
  const line = run(named("a*b+c"), withFma);
  assert.ok(line.different > 100 && line.fused === line.different, JSON.stringify(line));
  assert.match(JSON.stringify(line.first), /^\{"inputs":\["0x[0-9a-f]{8}","0x[0-9a-f]{8}","0x[0-9a-f]{8}"\],"expected":"0x[0-9a-f]{8}","found":"0x[0-9a-f]{8}"\}$/);
  assert.equal(run(named("fma(a,b,c)"), withFma).different, 0);
  const flush = (bits) => ((bits & 0x7f800000) === 0 ? (bits & 0x80000000) >>> 0 : bits);
  const flushed = ([a, b, c]) => flush(named("a+b").expected([flush(a), flush(b), c]));
  assert.equal(run(named("a+b"), flushed).different, 0);
  assert.ok(run(named("a+b, subnormal"), flushed).different > 100);
  // Of numbers, one NaN is as good as another.
  const otherNaN = (operation) => (operands) => ((operation.expected(operands) & 0x7fffffff) > 0x7f800000 ? 0x7fc12345 : operation.expected(operands));
  assert.equal(run(named("sqrt(a)"), otherNaN(named("sqrt(a)"))).different, 0);
  assert.ok(run(named("exact(word)"), otherNaN(named("exact(word)"))).different > 0);
});

test("two states differ at a variable, a neuron and both values", async (t) => {
  const simulation = await create(t);
  await simulation.step(20);
  const snapshot = await simulation.snapshot();
  const arrays = arraysOf(snapshot);
  assert.ok(arrays.has("E.v") && arrays.get("E.v").length === 40, [...arrays.keys()].join());
  const { values } = await simulation.get("E.v");
  assert.deepEqual(Array.from(arrays.get("E.v"), float), Array.from(values));
  const sizes = new Map(simulation.info.network.populations.map(({ name, size }) => [name, size]));
  assert.equal(differenceOf(19, snapshot, snapshot, sizes), null);
  // The last bit of a value, found by its bytes.
  const changed = snapshot.slice();
  const wanted = new Uint8Array(arrays.get("E.v").slice(7, 10).buffer);
  const at = changed.findIndex((_, place) => wanted.every((byte, next) => changed[place + next] === byte));
  changed[at] ^= 1;
  const before = arrays.get("E.v")[7];
  assert.deepEqual(differenceOf(19, snapshot, changed, sizes), { step: 19, population: "E", neuron: 7, variable: "v", cpu: bits(before), gpu: bits(before ^ 1) });
});

test("the first step that differs is found by halves", async (t) => {
  // In place of a GPU that computes otherwise: the same network, with another time constant from a step on.
  const plain = await create(t);
  for (const step of [0, 1, 2, 37]) {
    const other = await create(t, pair({ changes: [{ at_ms: step / 10, set: { "E.tau": "9 ms" } }] }));
    const first = await firstDifference(plain, other, 60, undefined);
    assert.deepEqual([first?.step, first?.population, first?.variable, first?.neuron], [step, "E", "v", 0], JSON.stringify(first));
    assert.match(`${first.cpu} ${first.gpu}`, /^0x[0-9a-f]{8} 0x[0-9a-f]{8}$/);
  }
  assert.equal(await firstDifference(plain, await create(t), 60, undefined), null);
});

test("a case of the benchmarks has the spikes of the command line, and a speed", async () => {
  // `spikelet bench lif/1e3/cpu`.
  const line = await figure(MEASURED.find(({ name }) => name === "lif/1e3"), "cpu", 0.05, {});
  assert.deepEqual([line.kind, line.case, line.device, line.trials, line.spikes, line.hash], ["figure", "lif/1e3", "cpu", 1, 472, "4a5bc2f49d14ba49"]);
  assert.deepEqual([line.neurons, line.synapses, line.compared_ms], [1000, 100_000, 100]);
  assert.ok(line.steps_per_s > 0 && line.first_spike_ms > 0 && line.build_s > 0 && line.threads >= 1, JSON.stringify(line));
  assert.ok(Math.abs(line.real_time_factor * line.steps_per_s * 1e-4 - 1) < 0.01, JSON.stringify(line));
});

test("without a GPU the report says so, and how to get one", async () => {
  const lines = [];
  const { text, adapter, noGpuBecause } = await gpuReport({ rehearsal: true, onResult: (line) => lines.push(line) });
  assert.deepEqual([adapter, lines.map(({ kind }) => kind)], [null, ["report", "machine", "step"]]);
  assert.equal(text, jsonLines(lines));
  assert.match(noGpuBecause, /offers no GPU.*Chrome.*https:/s);
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  assert.deepEqual([lines[0].spikelet, VERSION], [version, version]);
  assert.deepEqual([lines[0].format, lines[0].from, lines[0].rehearsal, lines[2].end, lines[2].reason], [1, "tab", true, "failed", noGpuBecause]);
  assert.ok(text.split("\n").slice(0, -1).every((line) => JSON.parse(line).kind));
  assert.match(withoutGpu({ noGpuBecause: "blocked." }), /\(blocked\)/);
});

test("an adapter is described in the names of the command line", () => {
  const device = { name: "NVIDIA H100", software: false, facts: [{ what: "Driver", much: "550" }] };
  const limits = Object.create({ maxBufferSize: 5, maxComputeWorkgroupSizeX: 256 });
  const line = adapterLine(device, { info: { vendor: "nvidia", architecture: "" }, features: new Set(["subgroups", "shader-f16"]), limits });
  assert.deepEqual(line, {
    kind: "adapter", name: "NVIDIA H100", vendor: "nvidia", backend: "webgpu", driver: "550",
    features: ["shader-f16", "subgroups"], limits: { max_buffer_size: 5, max_compute_workgroup_size_x: 256 },
  });
});

test("wrong options are errors, and an aborted report ends", async () => {
  const fails = (options, path) => assert.rejects(gpuReport(options), (error) => error instanceof SpikeletError && error.path === path);
  await fails({ seconds: 0 }, "seconds");
  await fails({ second: 5 }, "second");
  await fails({ onResult: 5 }, "onResult");
  await fails({ rehearsal: "yes" }, "rehearsal");
  await assert.rejects(gpuReport({ signal: AbortSignal.abort() }), { name: "AbortError" });
});
