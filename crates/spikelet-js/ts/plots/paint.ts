// The pixels of spikes. One call per spike is too slow for a frame, so they are set in an array.

import type { PopulationSummary } from "../raw.js";

/** Space between two bands, in CSS pixels. */
const GAP = 6;
/** Minimum height of a band. */
const MIN_BAND = 20;

/** Position of a population, in pixels. */
export interface Band {
  readonly top: number;
  readonly height: number;
}

/** The rows of a population in an image. */
export interface Rows {
  /** Global number of the first neuron. */
  readonly first: number;
  /** The upper edge of the first dot, and the distance of rows, in pixels; negative upwards. */
  readonly top: number;
  readonly pitch: number;
  /** The height of a dot, a whole number of pixels. */
  readonly height: number;
  /** Red, green and blue as the lower bytes. */
  readonly colour: number;
}

/** An image of spikes. */
export interface SpikeImage {
  /** Pixels in the order of `ImageData`. */
  readonly pixels: Uint32Array;
  readonly width: number;
  readonly height: number;
  /** The column of step k is `k · perStep − offset`. */
  readonly perStep: number;
  readonly offset: number;
  /** The width of a dot. */
  readonly dot: number;
  /** The opacity of a dot, of 255; overlapping ones add up. */
  readonly opacity: number;
}

/** Calls a function for each spike. */
export type EachSpike = (visit: (step: number, neuron: number) => void) => void;

/**
 * Sets the pixels of spikes.
 *
 * @param members Index of the population of each neuron. @param rows The rows by population; null for a hidden one. @param order Row of each
 * neuron within its population; null for the order of numbers.
 */
export function paintSpikes(image: SpikeImage, members: Uint16Array, rows: readonly (Rows | null)[], order: Uint32Array | null, each: EachSpike): void {
  const { pixels, width, height, perStep, offset, dot, opacity } = image;
  const isPixel = dot === 1 && rows.every((one) => one === null || one.height === 1);
  if (isPixel) return paintPixels(image, members, rows, order, each);
  each((step, neuron) => {
    const one = rows[members[neuron]!];
    const left = Math.floor(step * perStep - offset);
    if (!one || left < 0 || left >= width) return;
    const top = Math.floor(one.top + (order === null ? neuron - one.first : order[neuron]!) * one.pitch);
    const right = Math.min(left + dot, width);
    const bottom = Math.min(top + one.height, height);
    for (let y = top; y < bottom; y += 1) {
      for (let at = y * width + left; at < y * width + right; at += 1) {
        // Overlapping dots are darker, up to full opacity.
        const alpha = Math.min((pixels[at]! >>> 24) + opacity, 255);
        pixels[at] = one.colour | (alpha << 24);
      }
    }
  });
}

/**
 * The same for dots of one pixel, of which there can be millions: the loop over spikes only adds up opacities, at a place that is looked up by
 * neuron. The colours are set afterwards, by rows of pixels.
 */
function paintPixels({ pixels, width, height, perStep, offset, opacity }: SpikeImage, members: Uint16Array, rows: readonly (Rows | null)[], order: Uint32Array | null, each: EachSpike): void {
  // The last place is for what is not shown.
  const opacities = new Uint8ClampedArray(width * height + 1);
  const nowhere = width * height;
  const colours = new Uint32Array(height);
  const starts = new Int32Array(members.length).fill(-1);
  for (let neuron = 0; neuron < members.length; neuron += 1) {
    const one = rows[members[neuron]!];
    if (!one) continue;
    const y = Math.floor(one.top + (order === null ? neuron - one.first : order[neuron]!) * one.pitch);
    if (y >= height) continue;
    colours[y] = one.colour;
    starts[neuron] = y * width;
  }
  each((step, neuron) => {
    const left = Math.floor(step * perStep - offset);
    const start = starts[neuron]!;
    const at = left < 0 || left >= width || start < 0 ? nowhere : start + left;
    // Overlapping dots are darker, up to full opacity.
    opacities[at] = opacities[at]! + opacity;
  });
  for (let y = 0, at = 0; y < height; y += 1) {
    const colour = colours[y]!;
    for (const end = at + width; at < end; at += 1) {
      if (opacities[at] !== 0) pixels[at] = colour | (opacities[at]! << 24);
    }
  }
}

/** Divides a height among populations, in proportion to their sizes with a minimum height, or equally. */
export function share(populations: readonly Pick<PopulationSummary, "size">[], height: number, isEqual = false): Band[] {
  const free = Math.max(height - GAP * (populations.length - 1), 1);
  const least = isEqual ? free / populations.length : Math.min(MIN_BAND, free / populations.length);
  const rest = free - least * populations.length;
  const all = populations.reduce((sum, { size }) => sum + size, 0);
  let top = 0;
  return populations.map(({ size }) => {
    const band = { top, height: least + (rest * size) / Math.max(all, 1) };
    top += band.height + GAP;
    return band;
  });
}

/** Opacity of a spike, of 255, for `cover` spikes per pixel: single spikes are visible, dense ones do not saturate. */
export function opacityAt(cover: number): number {
  const shade = Math.min(255 * Math.sqrt(0.1 / Math.max(cover, 1e-3)), 120 / Math.max(cover, 1e-3));
  return Math.round(Math.min(Math.max(shade, 8), 255));
}
