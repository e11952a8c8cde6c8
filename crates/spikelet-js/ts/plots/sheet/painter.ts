// Painting of points: on the GPU if the browser has WebGL 2, else pixel by pixel. Of overlapping points the one with the largest value is
// seen, so that activity inside of a body is not hidden.

import { GlPainter } from "./gl.js";
import type { Picture } from "./picture.js";
import { PixelPainter } from "./pixels.js";

/** The painters of all sheets of the page: browsers limit the number of GPU contexts. */
let gpu: GlPainter | null | undefined;
let pixels: PixelPainter | undefined;

/** The image of a picture, valid until the next one is painted. */
export function paint(picture: Picture): CanvasImageSource {
  if (gpu === undefined) gpu = GlPainter.create();
  const painted = gpu?.paint(picture) ?? null;
  if (painted !== null) return painted;
  // There is no GPU, or it was lost.
  pixels ??= new PixelPainter();
  return pixels.paint(picture);
}
