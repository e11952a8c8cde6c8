import { type BodyLayout, arranged, compact, layoutOf } from "../plots/sheet/layout.js";
import type { Spikelet } from "../spikelet.js";
import type { SenseGrid } from "./sense.js";

/** The neurons of a population as pixels: by their positions if they have two dimensions or more, else in rows of a square. */
export async function gridOf(simulation: Spikelet, population: string): Promise<SenseGrid> {
  const found = simulation.info.network.populations.find(({ name }) => name === population);
  const size = found?.size ?? 0;
  if (!found || found.dimensions < 2) return pixelsOf(arranged(size, compact(size)), [compact(size), Math.ceil(size / compact(size))]);
  const positions = await simulation.positions(population);
  const side = compact(size);
  return pixelsOf(layoutOf(positions), [positions.shape[0] ?? side, positions.shape[1] ?? side]);
}

/** Divides the first two dimensions of a layout into pixels; y points up. */
export function pixelsOf({ size, points, half }: Pick<BodyLayout, "size" | "points" | "half">, [columns, rows]: readonly [number, number]): SenseGrid {
  const index = (at: number, extent: number, count: number) => Math.min(count - 1, Math.max(0, Math.floor((extent === 0 ? 0 : (at / extent + 1) / 2) * count)));
  const pixels = new Uint32Array(size);
  for (let neuron = 0; neuron < size; neuron += 1) {
    pixels[neuron] = index(-points[neuron * 4 + 1]!, half[1], rows) * columns + index(points[neuron * 4]!, half[0], columns);
  }
  return { columns, rows, pixels };
}
