// Positions on a phase plane, without a canvas.

import type { PhasePlane } from "../../raw.js";
import type { Area } from "../surface.js";

/** The first and the last value of an axis. */
export type Range = readonly [number, number];

/** The ranges of both axes. Those of a phase line show the rate upwards. */
export interface Ranges {
  readonly x: Range;
  readonly y: Range;
}

/** A point of the plane, in the units of its axes. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** An arrow of the vector field, in pixels from its middle. */
export interface Arrow {
  readonly x: number;
  readonly y: number;
  readonly dx: number;
  readonly dy: number;
}

/** Distance between arrows, in CSS pixels. */
const SPACING = 30;
/** Length of the longest arrows, relative to their distance. */
const LENGTH = 0.62;

/** The position of a point in CSS pixels. */
export function toPixels({ x, y }: Point, { left, top, width, height }: Area, ranges: Ranges): Point {
  return { x: left + part(x, ranges.x) * width, y: top + (1 - part(y, ranges.y)) * height };
}

/** The point at a position; null outside of the area. */
export function toPoint(x: number, y: number, { left, top, width, height }: Area, ranges: Ranges): Point | null {
  const [across, up] = [(x - left) / width, 1 - (y - top) / height];
  return across >= 0 && across <= 1 && up >= 0 && up <= 1 ? { x: within(across, ranges.x), y: within(up, ranges.y) } : null;
}

/** A range that shows `factor` times as much, with the same value at a part of it from 0 to 1. */
export function zoomed(range: Range, about: number, factor: number): Range {
  const [low, high] = range;
  const fixed = within(about, range);
  return [fixed + (low - fixed) * factor, fixed + (high - fixed) * factor];
}

/** A range that is moved by a part of its width. */
export function panned([low, high]: Range, by: number): Range {
  const distance = by * (high - low);
  return [low + distance, high + distance];
}

/**
 * Arrows of the vector field in an area. Their direction is that of the motion on the screen; their length grows with the speed, which is
 * compared with the median of all, because speeds differ by orders of magnitude.
 */
export function arrowsOf(plane: PhasePlane, area: Area, ranges: Ranges): Arrow[] {
  if (plane.y === null) return [];
  const nodes = plane.resolution;
  const [columns, rows] = [area.width, area.height].map((length) => Math.max(2, Math.round(length / SPACING)));
  const all: Arrow[] = [];
  for (let row = 0; row < rows!; row += 1) {
    for (let column = 0; column < columns!; column += 1) {
      const at = { x: within((column + 0.5) / columns!, ranges.x), y: within((row + 0.5) / rows!, ranges.y) };
      const [i, j] = [nodeAt(at.x, plane.x.range, nodes), nodeAt(at.y, plane.y.range, nodes)];
      if (i === null || j === null) continue;
      const node = { x: within(i / (nodes - 1), plane.x.range), y: within(j / (nodes - 1), plane.y.range) };
      const { x, y } = toPixels(node, area, ranges);
      const dx = (plane.xRates[j * nodes + i]! / (ranges.x[1] - ranges.x[0])) * area.width;
      const dy = (-plane.yRates[j * nodes + i]! / (ranges.y[1] - ranges.y[0])) * area.height;
      if (Number.isFinite(dx) && Number.isFinite(dy) && (dx !== 0 || dy !== 0)) all.push({ x, y, dx, dy });
    }
  }
  const speeds = all.map(({ dx, dy }) => Math.hypot(dx, dy)).sort((a, b) => a - b);
  const usual = speeds[speeds.length >> 1] ?? 1;
  return all.map(({ x, y, dx, dy }) => {
    const speed = Math.hypot(dx, dy);
    const length = (SPACING * LENGTH * Math.sqrt(speed / (speed + usual))) / speed;
    return { x, y, dx: dx * length, dy: dy * length };
  });
}

/** The lines of a list of points and ends. */
export function linesOf({ points, ends }: { readonly points: Float64Array; readonly ends: Uint32Array }): Point[][] {
  return Array.from(ends, (end, place) => {
    const begin = place === 0 ? 0 : ends[place - 1]!;
    return Array.from({ length: end - begin }, (_, at) => ({ x: points[2 * (begin + at)]!, y: points[2 * (begin + at) + 1]! }));
  });
}

/** The extremes of the rates of a phase line, with 0 and some space. */
export function rateRange({ xRates }: PhasePlane): Range {
  const finite = xRates.filter((rate) => Number.isFinite(rate));
  const [least, most] = [finite.reduce((found, rate) => Math.min(found, rate), 0), finite.reduce((found, rate) => Math.max(found, rate), 0)];
  const space = (most - least || 1) * 0.08;
  return [least - space, most + space];
}

/** The rates at a point, from the node next to it. */
export function ratesAt(plane: PhasePlane, { x, y }: Point): readonly [number, number] | null {
  const [i, j] = [nodeAt(x, plane.x.range, plane.resolution), plane.y === null ? 0 : nodeAt(y, plane.y.range, plane.resolution)];
  if (i === null || j === null) return null;
  return [plane.xRates[j * plane.resolution + i]!, plane.yRates[j * plane.resolution + i] ?? 0];
}

function nodeAt(value: number, range: Range, nodes: number): number | null {
  const node = Math.round(part(value, range) * (nodes - 1));
  return node >= 0 && node < nodes ? node : null;
}

function part(value: number, [low, high]: Range): number {
  return (value - low) / (high - low);
}

function within(share: number, [low, high]: Range): number {
  return low + share * (high - low);
}
