// Wider bins, and smoothing, of rates.

/** A curve over equal bins: the centre of the first bin in ms, the width of bins in ms, and the values. NaN where there is no value. */
export interface Binned {
  readonly startMs: number;
  readonly binMs: number;
  readonly values: Float64Array;
}

/** Half the width of the Gaussian kernel in standard deviations. */
const REACH = 4;

/** The number of narrow bins in a wide one: at least one, the nearest number to the requested width. */
export function binsIn(requestedMs: number, binMs: number): number {
  return Math.max(1, Math.round(requestedMs / binMs));
}

/**
 * Joins bins to bins that begin at multiples of their width, so that they do not move with the view. Incomplete bins are left out.
 *
 * @param points Centre in ms and value of each narrow bin, in the order of time.
 */
export function rebinned(points: readonly (readonly [number, number])[], binMs: number, together: number): Binned {
  const number = (timeMs: number) => Math.round(timeMs / binMs - 0.5);
  const width = binMs * together;
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return { startMs: 0, binMs: width, values: new Float64Array(0) };
  const begin = Math.ceil(number(first[0]) / together);
  const end = Math.floor((number(last[0]) + 1) / together);
  const sums = new Float64Array(Math.max(0, end - begin));
  const counts = new Uint32Array(sums.length);
  for (const [timeMs, value] of points) {
    const bin = Math.floor(number(timeMs) / together) - begin;
    if (bin < 0 || bin >= sums.length) continue;
    sums[bin] = sums[bin]! + value;
    counts[bin] = counts[bin]! + 1;
  }
  const values = sums.map((sum, bin) => (counts[bin] === together ? sum / together : Number.NaN));
  return { startMs: (begin + 0.5) * width, binMs: width, values };
}

/**
 * Convolves a curve with a Gaussian of standard deviation `sigmaMs`. At the ends, and beside missing values, the kernel is normalised to the
 * values that exist.
 */
export function smoothed({ startMs, binMs, values }: Binned, sigmaMs: number): Binned {
  const sigma = sigmaMs / binMs;
  const reach = Math.ceil(REACH * sigma);
  if (!(sigma > 0) || reach < 1) return { startMs, binMs, values };
  const kernel = Float64Array.from({ length: 2 * reach + 1 }, (_, at) => Math.exp(-0.5 * ((at - reach) / sigma) ** 2));
  const result = new Float64Array(values.length).fill(Number.NaN);
  for (let at = 0; at < values.length; at += 1) {
    if (Number.isNaN(values[at])) continue;
    let [sum, weight] = [0, 0];
    const end = Math.min(values.length - 1, at + reach);
    for (let other = Math.max(0, at - reach); other <= end; other += 1) {
      const value = values[other]!;
      if (Number.isNaN(value)) continue;
      const part = kernel[other - at + reach]!;
      sum += part * value;
      weight += part;
    }
    result[at] = sum / weight;
  }
  return { startMs, binMs, values: result };
}
