// The frame of a body in three or four dimensions: the edges of its box.

import { short } from "../numbers.js";
import type { Surface } from "../surface.js";
import type { BodyLayout } from "./layout.js";
import { type Matrix, projected } from "./rotation.js";

export const AXES = ["x", "y", "z", "w"] as const;

/** A line between two corners of a box, along an axis. */
export interface Edge {
  readonly axis: number;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** The edges of a box around 0: 12 in three dimensions, 32 in four. */
export function edgesOf(half: readonly number[], dimensions: number): Edge[] {
  const corners = Array.from({ length: 1 << dimensions }, (_, corner) => half.map((length, axis) => (axis < dimensions ? ((corner >> axis) & 1 ? length : -length) : 0)));
  return Array.from({ length: dimensions }, (_, axis) => axis).flatMap((axis) =>
    corners.flatMap((from, corner) => ((corner >> axis) & 1 ? [] : [{ axis, from, to: corners[corner | (1 << axis)]! }])),
  );
}

/** A box on a surface: its centre, in CSS pixels, and CSS pixels per radius. */
export interface Placed {
  readonly centre: readonly [number, number];
  readonly scale: number;
}

/** Draws the edges of the box of a body. */
export function drawBox(surface: Surface, layout: BodyLayout, rotation: Matrix, placed: Placed): void {
  const { pen, theme } = surface;
  pen.lineWidth = 1;
  pen.strokeStyle = theme.colour("line").css;
  pen.beginPath();
  for (const { from, to } of edgesOf(layout.half, layout.dimensions)) {
    pen.moveTo(...position(from, layout, rotation, placed));
    pen.lineTo(...position(to, layout, rotation, placed));
  }
  pen.stroke();
}

/** Draws name and extent of each axis at the outermost of its edges that is still free. */
export function labelBox(surface: Surface, layout: BodyLayout, rotation: Matrix, placed: Placed): void {
  const { pen, theme } = surface;
  const { dimensions, ranges, unit } = layout;
  const [centreX, centreY] = placed.centre;
  const by = theme.font.size * 1.4;
  const edges = edgesOf(layout.half, dimensions).map(({ axis, from, to }) => {
    const [[x0, y0], [x1, y1]] = [position(from, layout, rotation, placed), position(to, layout, rotation, placed)];
    const [x, y] = [(x0 + x1) / 2 - centreX, (y0 + y1) / 2 - centreY];
    const away = Math.hypot(x, y);
    return { axis, away, x: centreX + x + (x / Math.max(away, 1)) * by, y: centreY + y + (y / Math.max(away, 1)) * by };
  });
  const taken: { readonly x: number; readonly y: number }[] = [];
  pen.fillStyle = theme.colour("muted").css;
  pen.textBaseline = "middle";
  for (let axis = 0; axis < dimensions; axis += 1) {
    const outer = edges.filter((edge) => edge.axis === axis).sort((a, b) => b.away - a.away);
    const edge = outer.find(({ x, y }) => taken.every((other) => Math.abs(other.x - x) > 6 * by || Math.abs(other.y - y) > by)) ?? outer[0]!;
    taken.push(edge);
    const [low, high] = ranges[axis]!;
    pen.textAlign = edge.x < centreX ? "right" : "left";
    pen.fillText(`${AXES[axis]} ${short(high - low)} ${unit}`.trim(), edge.x, edge.y);
  }
}

function position(corner: readonly number[], { dimensions }: BodyLayout, rotation: Matrix, { centre: [centreX, centreY], scale }: Placed): [number, number] {
  const [x, y] = projected(corner, rotation, dimensions);
  return [centreX + x * scale, centreY - y * scale];
}
