// What painters paint.

import type { Rgb } from "./colours.js";
import type { BodyLayout } from "./layout.js";
import type { Matrix } from "./rotation.js";

/** A picture of points, in device pixels. */
export interface Picture {
  readonly layout: BodyLayout;
  readonly rotation: Matrix;
  /** A value from 0 to 1 for each neuron. */
  readonly values: Float32Array;
  readonly colours: readonly Rgb[];
  readonly background: Rgb;
  readonly width: number;
  readonly height: number;
  /** Device pixels per unit of the layout: the radius of the body. */
  readonly scale: number;
}

/** Paints pictures. */
export interface Painter {
  /** The picture, valid until the next one is painted; null if it cannot be painted any more. */
  paint(picture: Picture): CanvasImageSource | null;
}

/** Part of the colour of the farthest points that is that of the background. */
export const FAR = 0.45;

/** Part of its size that a point in space has when its value is 0: quiet neurons hide less. */
export const QUIET = 0.5;

/** Size of a point in device pixels before magnification: the cells of a grid touch, points in space do not. */
export function pointSize({ layout, scale }: Pick<Picture, "layout" | "scale">): number {
  return Math.max(1.5, layout.spacing * scale * (layout.dimensions <= 2 ? 1.02 : 0.7));
}
