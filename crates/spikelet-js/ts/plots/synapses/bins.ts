// Synapses in bins.

import type { SynapseSample } from "../../raw.js";

/** A picture of a weight matrix: presynaptic neurons from left to right, postsynaptic ones from top to bottom. */
export interface Bins {
  readonly columns: number;
  readonly rows: number;
  /** Mean weight of the synapses of each bin by rows; NaN without synapses. With one pair of neurons per bin, their total weight. */
  readonly means: Float32Array;
  readonly counts: Uint32Array;
  readonly least: number;
  readonly most: number;
}

/** Sorts synapses into a matrix of at most `most` columns and rows. Without weights, each synapse counts as 1. */
export function binned({ pre, post, weights }: Pick<SynapseSample, "pre" | "post" | "weights">, pres: number, posts: number, mostBins: number): Bins {
  const [columns, rows] = [Math.max(1, Math.min(pres, mostBins)), Math.max(1, Math.min(posts, mostBins))];
  const isSingle = columns === pres && rows === posts;
  const sums = new Float64Array(columns * rows);
  const counts = new Uint32Array(columns * rows);
  for (let synapse = 0; synapse < pre.length; synapse += 1) {
    const column = Math.floor((pre[synapse]! * columns) / pres);
    const row = Math.floor((post[synapse]! * rows) / posts);
    const bin = row * columns + column;
    sums[bin] = sums[bin]! + (weights.length === 0 ? 1 : weights[synapse]!);
    counts[bin] = counts[bin]! + 1;
  }
  let [least, most] = [Infinity, -Infinity];
  const means = Float32Array.from(sums, (sum, bin) => {
    const count = counts[bin]!;
    if (count === 0) return NaN;
    const mean = isSingle ? sum : sum / count;
    if (mean < least) least = mean;
    if (mean > most) most = mean;
    return mean;
  });
  return { columns, rows, means, counts, least, most };
}

/** The index of the nearest point to a position, within a distance; −1 if there is none. */
export function nearest(xs: ArrayLike<number>, ys: ArrayLike<number>, x: number, y: number, reach: number): number {
  let [best, found] = [reach * reach, -1];
  for (let place = 0; place < xs.length; place += 1) {
    const apart = (xs[place]! - x) ** 2 + (ys[place]! - y) ** 2;
    if (apart < best) [best, found] = [apart, place];
  }
  return found;
}
