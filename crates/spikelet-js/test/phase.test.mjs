// Phase planes: the request on the real engine, and what the plot computes without a canvas.

import assert from "node:assert/strict";
import { test } from "node:test";

import { arrowsOf, linesOf, panned, rateRange, ratesAt, toPixels, toPoint, zoomed } from "../../../target/engine/js/plots/phase/geometry.js";
import { Trajectory } from "../../../target/engine/js/plots/phase/trajectory.js";
import { describe as inWords, eigenvaluesOf, kindOf, remarksOf } from "../../../target/engine/js/plots/phase/words.js";
import { create } from "./simulation.mjs";

/** Two cells of Izhikevich (2003), with a recording of the first one. */
const CELLS = {
  name: "cells", dt_ms: 0.1, duration_ms: 100,
  populations: [{ name: "N", size: 2, model: "izhikevich", parameters: { I: 0 } }],
};

const AREA = { left: 40, top: 10, width: 300, height: 200 };

const near = (found, expected, tolerance = 1e-6) => assert.ok(Math.abs(found - expected) <= tolerance, `${found}, expected ${expected}`);

test("the plane of Izhikevich's cell has its published fixed points, nullclines and reset", async (t) => {
  const simulation = await create(t, CELLS);
  const plane = await simulation.phasePlane({ population: "N" });
  assert.deepEqual([plane.x.symbol, plane.y.symbol, plane.resolution, plane.isMap, plane.hasNoise], ["v", "u", 64, false, false]);
  assert.equal(plane.xRates.length, 64 * 64);
  // 0.04 v² + 5 v + 140 = u and u = 0.2 v meet at −70 and −50.
  assert.deepEqual(plane.fixedPoints.map(({ kind }) => kind), ["stableNode", "saddle"]);
  for (const [point, v] of [[plane.fixedPoints[0], -70], [plane.fixedPoints[1], -50]]) {
    near(point.x, v);
    near(point.y, 0.2 * v);
  }
  const nullcline = linesOf(plane.xNullcline).flat();
  assert.ok(nullcline.length > 60, `${nullcline.length} points`);
  for (const { x, y } of nullcline) near(y, 0.04 * x * x + 5 * x + 140, 1e-5);
  for (const { x, y } of linesOf(plane.yNullcline).flat()) near(y, 0.2 * x, 1e-6);
  for (const { x } of linesOf(plane.threshold).flat()) near(x, 30, 1e-6);
  for (const { x } of linesOf(plane.reset).flat()) near(x, -65, 1e-9);
  for (const [from, to] of linesOf(plane.jumps)) near(to.y - from.y, 8, 1e-9);
});

test("the plane follows parameters, ranges and the resolution, also during a run", async (t) => {
  const simulation = await create(t, CELLS);
  const running = simulation.run();
  await simulation.set("N.I", "4.5");
  const without = await simulation.phasePlane({ population: "N", xRange: [-90, 40], yRange: [-20, 10], resolution: 16 });
  assert.deepEqual(without.fixedPoints, []);
  assert.deepEqual([without.x.range, without.y.range, without.xRates.length], [[-90, 40], [-20, 10], 256]);
  assert.equal(without.variables[0].range, null);
  near(without.xRates[0], 0.04 * 8100 - 450 + 140 + 20 + 4.5, 1e-6);
  await simulation.set("N.I", "0");
  const { fixedPoints } = await simulation.phasePlane({ population: "N", xRange: [-60, 40], yRange: [-20, 10] });
  assert.deepEqual(fixedPoints.map(({ kind }) => kind), ["saddle"]);
  await simulation.pause();
  await running;
  // A line: the rate of v, with u held.
  const line = await simulation.phasePlane({ population: "N", neuron: 1, x: "v", y: "v", clamp: { u: -14 } });
  assert.equal(line.y, null);
  assert.deepEqual(line.variables.find(({ symbol }) => symbol === "u").role, "held");
  near(line.fixedPoints[0].x, -70, 1e-5);
});

test("what cannot be shown is an error that names what can", async (t) => {
  const simulation = await create(t, CELLS);
  const fails = (options, ...parts) => assert.rejects(simulation.phasePlane(options), ({ message }) => parts.every((part) => message.includes(part)) || assert.fail(message));
  await fails({ population: "M" }, "M", "N");
  await fails({ population: "N", x: "w" }, "w", "v", "u");
  await fails({ population: "N", neuron: 2 }, "2 neurons");
  await fails({ population: "N", xRange: [1, 0] }, "xRange", "smaller");
  await fails({ population: "N", clamp: { u: NaN } }, "clamp.u");
  await fails({ population: "N", x: "v", y: "v", clamp: { u: "steady" } }, "linear");
  await fails({ population: "N", range: 3 }, "range", "xRange");
});

test("positions and values correspond, and zoom keeps the point under the pointer", () => {
  const ranges = { x: [-80, 40], y: [-20, 10] };
  const point = { x: -50, y: 4 };
  const { x, y } = toPixels(point, AREA, ranges);
  const back = toPoint(x, y, AREA, ranges);
  near(back.x, point.x);
  near(back.y, point.y);
  assert.equal(toPoint(39, 50, AREA, ranges), null);
  const closer = zoomed(ranges.x, 0.25, 0.5);
  assert.deepEqual(closer, [-65, -5]);
  assert.deepEqual(panned(closer, 0.5), [-35, 25]);
});

/** x' = −x, y' = 2 x from −1 to 1. */
function plane(changes = {}) {
  const nodes = 8;
  const at = (place) => -1 + (2 * place) / (nodes - 1);
  const rates = (rate) => Float64Array.from({ length: nodes * nodes }, (_, node) => rate(at(node % nodes)));
  const none = { points: new Float64Array(0), ends: new Uint32Array(0) };
  return {
    population: "N", neuron: 3, resolution: nodes, timeMs: 0, isMap: false, hasNoise: false, followsTime: false,
    x: { symbol: "x", unit: "mV", range: [-1, 1] }, y: { symbol: "y", unit: "", range: [-1, 1] },
    variables: [], xRates: rates((x) => -x), yRates: rates((x) => 2 * x),
    xNullcline: none, yNullcline: none, threshold: none, reset: none, jumps: none, fixedPoints: [], ...changes,
  };
}

test("arrows point where the state moves on the screen", () => {
  const arrows = arrowsOf(plane(), AREA, { x: [-1, 1], y: [-1, 1] });
  assert.ok(arrows.length > 40, `${arrows.length} arrows`);
  for (const { x, dx, dy } of arrows) {
    const right = x > AREA.left + AREA.width / 2;
    assert.ok(right ? dx < 0 && dy < 0 : dx > 0 && dy > 0, `${x}: ${dx}, ${dy}`);
    // The slope −2 of the field, in pixels.
    near(dy / dx, (2 * AREA.height) / AREA.width, 1e-9);
    assert.ok(Math.hypot(dx, dy) < 30);
  }
  // What is outside of the plane has no arrows.
  assert.ok(arrowsOf(plane(), AREA, { x: [-1, 3], y: [-1, 1] }).every(({ x }) => x <= AREA.left + AREA.width / 2 + 20));
  assert.deepEqual(ratesAt(plane(), { x: 1, y: 0 }), [-1, 2]);
  assert.equal(ratesAt(plane(), { x: 1.5, y: 0 }), null);
  const [low, high] = rateRange(plane({ y: null, xRates: Float64Array.of(1, 2, 3) }));
  assert.ok(low < 0 && high > 3);
});

test("a trajectory keeps the last steps, and begins anew after a gap", () => {
  const trajectory = new Trajectory(8);
  const push = (firstStep, values) => trajectory.push({ trial: 0, firstStep, steps: values.length, dtMs: 1, every: 1, columns: 3, values: Float32Array.from(values.flatMap((x) => [x, 99, -x])) }, 0, 2);
  const all = (from = 0, to = Infinity) => {
    const found = [];
    trajectory.each(from, to, (x, y, step) => found.push([step, x, y]));
    return found;
  };
  push(0, [0, 1, 2]);
  push(3, [3]);
  assert.deepEqual(all(2), [[2, 2, -2], [3, 3, -3]]);
  assert.deepEqual(trajectory.before(3), { x: 2, y: -2 });
  push(4, Array.from({ length: 20 }, (_, place) => place + 4));
  assert.deepEqual([trajectory.begin, trajectory.end, all().length, all()[0][1]], [16, 24, 8, 16]);
  assert.equal(trajectory.before(10), null);
  push(50, [50]);
  assert.deepEqual(all(), [[50, 50, -50]]);
  trajectory.clear();
  assert.deepEqual(all(), []);
});

test("a plane is told in words, with its fixed points and their eigenvalues", () => {
  const focus = { x: -0.5, y: 0.25, kind: "unstableFocus", eigenvalues: [{ re: 0.05, im: 0.28 }, { re: 0.05, im: -0.28 }] };
  const saddle = { x: 0.5, y: 0, kind: "saddle", eigenvalues: [{ re: -0.02, im: 0 }, { re: 0.62, im: 0 }] };
  const held = { symbol: "m", unit: "", role: "held", value: 0.05, range: [0, 1], canBeSteady: true };
  const shown = plane({ fixedPoints: [focus, saddle], hasNoise: true, variables: [held, { ...held, symbol: "h", role: "steady" }] });
  assert.equal(eigenvaluesOf(focus, shown), "0.05 ± 0.28 i per ms");
  assert.equal(eigenvaluesOf(saddle, shown), "−0.02 and 0.62 per ms");
  assert.equal(remarksOf(shown), "m = 0.05 held; h at steady state; noise left out");
  const text = inWords(shown, { x: 0, y: 0.5 });
  for (const part of ["neuron 3 of N", "x from −1 to 1 mV", "2 fixed points", "unstable focus at x −0.5 mV, y 0.25", "saddle", "noise left out", "The neuron is at x 0 mV, y 0.5"]) {
    assert.ok(text.includes(part), `${part}: ${text}`);
  }
  const line = plane({ y: null, fixedPoints: [{ x: 0, y: 0, kind: "stableNode", eigenvalues: [{ re: -1, im: 0 }] }] });
  assert.equal(kindOf(line.fixedPoints[0], line), "stable");
  assert.ok(inWords(line, null).startsWith("Phase line of neuron 3"));
  assert.ok(inWords(plane(), null).includes("No fixed point in these ranges"));
});
