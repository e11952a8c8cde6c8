// Variability of counts of spikes in windows.

import { type Members, eachTrain } from "./trains.js";
import type { Computation } from "./computation.js";

/**
 * The Fano factor: the variance of the numbers of spikes of a neuron in successive windows divided by their mean, averaged over the measured
 * neurons with spikes. The variance is that of a sample, so that a Poisson process has 1 for any number of windows. NaN for fewer than two windows.
 *
 * @param steps Number of steps of the time span. @param window Number of steps of a window.
 */
export function* fanoOf(members: Members, steps: number, window: number): Computation<number> {
  const windows = Math.floor(steps / window);
  let [sum, count] = [0, 0];
  yield* eachTrain(members, (begin, end) => {
    const { first, second } = momentsOf(members.steps, begin, end, windows, window);
    if (first === 0) return;
    sum += (second - (first * first) / windows) / (windows - 1) / (first / windows);
    count += 1;
  });
  return windows < 2 ? NaN : sum / count;
}

/**
 * The synchrony χ: the standard deviation over time of the mean count of all measured neurons, divided by the root mean square over neurons of
 * the standard deviation of the count of one. NaN for fewer than two neurons or bins, or without spikes.
 *
 * @param steps Number of steps of the time span. @param bin Number of steps of a bin.
 */
export function* synchronyOf(members: Members, steps: number, bin: number): Computation<number> {
  const bins = Math.floor(steps / bin);
  const together = new Float64Array(bins);
  let [single, count] = [0, 0];
  yield* eachTrain(members, (begin, end) => {
    const { first, second } = momentsOf(members.steps, begin, end, bins, bin, together);
    single += second / bins - (first / bins) ** 2;
    count += 1;
  });
  let [first, second] = [0, 0];
  for (const value of together) {
    first += value;
    second += value * value;
  }
  const all = second / bins - (first / bins) ** 2;
  return bins < 2 || count < 2 || single === 0 ? NaN : Math.sqrt(Math.max(all, 0) / (count * single));
}

/** The sums of the counts and of their squares over complete windows. The counts are also added to `together`. */
function momentsOf(steps: Uint32Array, begin: number, end: number, windows: number, window: number, together?: Float64Array): { first: number; second: number } {
  let [first, second, current, run] = [0, 0, -1, 0];
  for (let spike = begin; spike < end; spike += 1) {
    const index = Math.floor(steps[spike]! / window);
    if (index >= windows) break;
    if (together) together[index]! += 1;
    if (index !== current) {
      second += run * run;
      [current, run] = [index, 0];
    }
    run += 1;
    first += 1;
  }
  return { first, second: second + run * run };
}
