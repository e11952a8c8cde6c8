// Correlation of the activity of populations and of pairs of neurons.

import { type Members, eachTrain } from "./trains.js";
import type { Computation } from "./computation.js";

/** Maximum number of neurons of a population whose pairs are correlated one by one. */
export const PAIRED = 64;
/** Multiplications between two pauses. */
const AT_ONCE = 1 << 18;

/**
 * The correlation coefficient of two signals for each lag: the mean product of the deviations of `a` at a time and of `b` `lag` samples later from
 * their means, divided by the product of their standard deviations. Element `lags + k` is for the lag `k`; a peak at a positive lag means that `b`
 * follows `a`. Null if a signal is constant or not longer than twice the largest lag.
 */
export function* correlate(a: Float64Array, b: Float64Array, lags: number): Computation<Float64Array | null> {
  const [x, y] = [centred(a), centred(b)];
  if (a.length <= 2 * lags || x.variance === 0 || y.variance === 0) return null;
  const found = yield* covariances(x.values, y.values, lags);
  return found.map((value) => value / Math.sqrt(x.variance * y.variance));
}

/**
 * The mean correlation coefficient over all pairs of a measured neuron of `a` and another of `b`, of their numbers of spikes in bins: the mean covariance,
 * divided by the geometric mean of the mean variances of the two populations. Lags as in {@link correlate}.
 *
 * @param bin Steps of a bin. @param bins Number of bins.
 */
export function* correlatePairs(a: Members, b: Members, bin: number, bins: number, lags: number): Computation<Float64Array | null> {
  const [first, second] = [yield* singles(a, bin, bins, lags), yield* singles(b, bin, bins, lags)];
  const pairs = first.neurons * (a === b ? second.neurons - 1 : second.neurons);
  const variance = Math.sqrt((first.own[0]! / first.neurons) * (second.own[0]! / second.neurons));
  if (bins <= 2 * lags || pairs < 1 || !(variance > 0)) return null;
  const found = yield* covariances(centred(first.together).values, centred(second.together).values, lags);
  // The covariance of sums contains those of neurons with themselves, which are no pairs.
  return found.map((value, index) => (a === b ? value - first.own[Math.abs(index - lags)]! : value) / pairs / variance);
}

/**
 * The mean correlation coefficient of the numbers of spikes in bins, over the pairs of neurons with spikes among at most {@link PAIRED} at equal distances. NaN
 * without a pair of neurons whose numbers vary.
 *
 * @param bin Steps of a bin. @param bins Number of bins.
 */
export function* pairwiseOf({ starts, steps }: Members, bin: number, bins: number): Computation<number> {
  const neurons = starts.length - 1;
  const chosen = Math.min(neurons, PAIRED);
  const trains = Array.from({ length: chosen }, (_, place) => {
    const neuron = Math.floor((place * neurons) / chosen);
    return countsOf(steps.subarray(starts[neuron]!, starts[neuron + 1]!), bin, bins);
  }).filter(({ variance }) => variance > 1e-12);
  let [sum, pairs] = [0, 0];
  for (const [index, one] of trains.entries()) {
    yield;
    for (const other of trains.slice(index + 1)) {
      let products = 0;
      for (const [at, count] of one.counts) products += count * (other.counts.get(at) ?? 0);
      sum += (products / bins - one.mean * other.mean) / Math.sqrt(one.variance * other.variance);
      pairs += 1;
    }
  }
  return sum / pairs;
}

/** The numbers of spikes of a train in the bins that have any. */
function countsOf(steps: Uint32Array, bin: number, bins: number): { counts: Map<number, number>; mean: number; variance: number } {
  const counts = new Map<number, number>();
  let [first, second] = [0, 0];
  for (const step of steps) {
    const at = Math.floor(step / bin);
    if (at >= bins) break;
    const count = counts.get(at) ?? 0;
    counts.set(at, count + 1);
    first += 1;
    second += 2 * count + 1;
  }
  const mean = first / bins;
  return { counts, mean, variance: second / bins - mean * mean };
}

/** The mean products of two signals without mean. */
function* covariances(x: Float64Array, y: Float64Array, lags: number): Computation<Float64Array> {
  const { length } = x;
  const found = new Float64Array(2 * lags + 1);
  let done = 0;
  for (let lag = -lags; lag <= lags; lag += 1) {
    const [begin, end] = [Math.max(0, -lag), Math.min(length, length - lag)];
    let sum = 0;
    for (let index = begin; index < end; index += 1) sum += x[index]! * y[index + lag]!;
    found[lags + lag] = sum / (end - begin);
    done += end - begin;
    if (done < AT_ONCE) continue;
    done = 0;
    yield;
  }
  return found;
}

/** A signal without its mean, and its variance. */
function centred(signal: Float64Array): { values: Float64Array; variance: number } {
  const mean = signal.reduce((sum, value) => sum + value, 0) / signal.length;
  const values = signal.map((value) => value - mean);
  const variance = values.reduce((sum, value) => sum + value * value, 0) / signal.length;
  // Deviations of a constant signal are rounding errors.
  return { values, variance: variance > 1e-18 * mean * mean ? variance : 0 };
}

/** The counts of all measured neurons together, and the sum of the covariances of each neuron with itself, for lags from 0 on. */
function* singles(members: Members, bin: number, bins: number, lags: number): Computation<{ neurons: number; together: Float64Array; own: Float64Array }> {
  const { steps, starts } = members;
  const together = new Float64Array(bins);
  const products = new Float64Array(lags + 1);
  // Mean counts of the neurons of spikes in the last bins, and in the first ones: these have no partner at a lag.
  const [last, first] = [new Float64Array(lags + 1), new Float64Array(lags + 1)];
  let squares = 0;
  yield* eachTrain(members, (begin, end) => {
    const binAt = (spike: number) => Math.floor(steps[spike]! / bin);
    while (end > begin && binAt(end - 1) >= bins) end -= 1;
    const mean = (end - begin) / bins;
    squares += mean * mean;
    for (let spike = begin; spike < end; spike += 1) {
      const at = binAt(spike);
      together[at]! += 1;
      if (at < lags) first[at + 1]! += mean;
      if (bins - at <= lags) last[bins - at]! += mean;
      // Pairs of spikes within a bin count twice, once per order.
      products[0]! += 1;
      for (let later = spike + 1; later < end; later += 1) {
        const lag = binAt(later) - at;
        if (lag > lags) break;
        products[lag]! += lag === 0 ? 2 : 1;
      }
    }
  });
  let without = 0;
  const own = products.map((product, lag) => {
    without += first[lag]! + last[lag]!;
    const deviations = product - (2 * bins * squares - without) + (bins - lag) * squares;
    return deviations / (bins - lag);
  });
  return { neurons: starts.length - 1, together, own };
}
