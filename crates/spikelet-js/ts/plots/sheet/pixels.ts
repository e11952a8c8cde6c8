// Painting of points pixel by pixel, without a GPU.

import { COLOURS, mixed, wordOf } from "./colours.js";
import { FAR, type Painter, type Picture, QUIET, pointSize } from "./picture.js";
import { projected } from "./rotation.js";

/** Paints without a GPU. */
export class PixelPainter implements Painter {
  readonly #canvas = document.createElement("canvas");
  readonly #pen = this.#canvas.getContext("2d")!;

  paint(picture: Picture): CanvasImageSource {
    const { width, height } = picture;
    if (this.#canvas.width !== width || this.#canvas.height !== height) [this.#canvas.width, this.#canvas.height] = [width, height];
    this.#pen.putImageData(new ImageData(pixelsOf(picture), width, height), 0, 0);
    return this.#canvas;
  }
}

/** The pixels of a picture; transparent where there are no points. */
export function pixelsOf({ layout, rotation, values, colours, background, width, height, scale }: Picture): Uint8ClampedArray<ArrayBuffer> {
  const { dimensions, points, size } = layout;
  const pixels = new Uint8ClampedArray(width * height * 4);
  const words = new Uint32Array(pixels.buffer);
  const highest = new Float32Array(width * height).fill(-1);
  const shades = [1, 0.75, 0.5, 0.25, 0].map((far) => Uint32Array.from(colours, (colour) => wordOf(mixed(colour, background, far * FAR))));
  const dot = pointSize({ layout, scale });
  const point = new Float32Array(4);
  for (let neuron = 0; neuron < size; neuron += 1) {
    for (let axis = 0; axis < 4; axis += 1) point[axis] = points[neuron * 4 + axis]!;
    const [x, y, depth, near] = projected(point, rotation, dimensions);
    const value = values[neuron]!;
    const shade = shades[dimensions <= 2 ? 4 : Math.min(4, Math.max(0, Math.round((depth + 1) * 2)))]!;
    const word = shade[Math.round(value * (COLOURS - 1))]!;
    const half = (dot * near * (dimensions <= 2 ? 1 : QUIET + (1 - QUIET) * Math.min(1, 2 * value))) / 2;
    const [left, right] = [Math.max(0, Math.round(width / 2 + x * scale - half)), Math.min(width, Math.round(width / 2 + x * scale + half))];
    const [top, bottom] = [Math.max(0, Math.round(height / 2 - y * scale - half)), Math.min(height, Math.round(height / 2 - y * scale + half))];
    for (let row = top; row < bottom; row += 1) {
      for (let at = row * width + left; at < row * width + right; at += 1) {
        if (value <= highest[at]!) continue;
        highest[at] = value;
        words[at] = word;
      }
    }
  }
  return pixels;
}
