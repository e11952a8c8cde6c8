// A phase plane in words.

import type { Eigenvalue, FixedPoint, FixedPointKind, PhasePlane } from "../../raw.js";
import { quantity, short } from "../numbers.js";
import type { Point } from "./geometry.js";

const KINDS: Readonly<Record<FixedPointKind, string>> = {
  stableNode: "stable node",
  unstableNode: "unstable node",
  stableFocus: "stable focus",
  unstableFocus: "unstable focus",
  saddle: "saddle",
  centre: "centre",
  degenerate: "saddle-node (degenerate)",
};

/** The kind of a fixed point: of a phase line only its stability. */
export function kindOf({ kind }: FixedPoint, { y }: PhasePlane): string {
  if (y !== null) return KINDS[kind];
  return kind === "stableNode" ? "stable" : kind === "unstableNode" ? "unstable" : "half-stable";
}

/** The eigenvalues with their unit: `−0.62 and −0.02 per ms`, `0.05 ± 0.28 i per ms`. */
export function eigenvaluesOf({ eigenvalues }: FixedPoint, { isMap }: PhasePlane): string {
  const [first, second] = eigenvalues;
  const unit = isMap ? "" : " per ms";
  if (first === undefined) return "";
  if (second === undefined) return short(first.re) + unit;
  if (first.im !== 0) return `${short(first.re)} ± ${short(Math.abs(first.im))} i${unit}`;
  return `${real(first)} and ${real(second)}${unit}`;
}

/** A point with units: `v −70 mV, u −14`. */
export function pointOf({ x, y }: Point, plane: PhasePlane): string {
  const horizontal = `${plane.x.symbol} ${quantity(x, plane.x.unit, 4)}`;
  return plane.y === null ? horizontal : `${horizontal}, ${plane.y.symbol} ${quantity(y, plane.y.unit, 4)}`;
}

/** The name of a rate: `dv/dt`; of a map `Δv`. */
export function rateOf(symbol: string, { isMap }: PhasePlane): string {
  return isMap ? `Δ${symbol}` : `d${symbol}/dt`;
}

/** The unit of a rate; empty for changes of pure numbers. */
export function rateUnitOf(unit: string, { isMap }: PhasePlane): string {
  return isMap ? unit : unit === "" ? "per ms" : `${unit}/ms`;
}

/** What is left out or held, for the caption. */
export function remarksOf(plane: PhasePlane): string {
  const held = plane.variables.filter(({ role }) => role === "held").map(({ symbol, value, unit }) => `${symbol} = ${quantity(value, unit)}`);
  const steady = plane.variables.filter(({ role }) => role === "steady").map(({ symbol }) => symbol);
  const parts = [
    held.length === 0 ? "" : `${held.join(", ")} held`,
    steady.length === 0 ? "" : `${steady.join(", ")} at steady state`,
    plane.hasNoise ? "noise left out" : "",
    plane.followsTime ? `at ${short(plane.timeMs, 5)} ms` : "",
  ];
  return parts.filter((part) => part !== "").join("; ");
}

/** The text alternative. `now` is the current point of the neuron. */
export function describe(plane: PhasePlane, now: Point | null): string {
  const { population, neuron, x, y, fixedPoints } = plane;
  const range = ({ symbol, unit, range: [low, high] }: PhasePlane["x"]) => `${symbol} from ${short(low, 4)} to ${quantity(high, unit, 4)}`;
  const axes = y === null ? `rate of ${x.symbol}, ${range(x)}` : `${range(x)} across, ${range(y)} upwards`;
  const points = fixedPoints.map((point) => `${kindOf(point, plane)} at ${pointOf(point, plane)} with eigenvalues ${eigenvaluesOf(point, plane)}`);
  const found = points.length === 0 ? "No fixed point in these ranges" : `${points.length} fixed point${points.length === 1 ? "" : "s"}: ${points.join("; ")}`;
  const reset = plane.reset.points.length === 0 ? "" : ` The reset leads to ${x.symbol} ${resetOf(plane)}.`;
  const where = now === null ? "" : ` The neuron is at ${pointOf(now, plane)}.`;
  const remarks = remarksOf(plane);
  return `${y === null ? "Phase line" : "Phase plane"} of neuron ${neuron} of ${population}: ${axes}.${remarks === "" ? "" : ` ${remarks}.`} ${found}.${reset}${where}`;
}

function resetOf({ x, reset: { points } }: PhasePlane): string {
  const values = points.filter((_, place) => place % 2 === 0);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? quantity(least, x.unit, 4) : `from ${short(least, 4)} to ${quantity(most, x.unit, 4)}`;
}

function real({ re }: Eigenvalue): string {
  return short(re);
}
