// Intervals between successive spikes of a neuron.

import { type Members, eachTrain } from "./trains.js";
import type { Computation } from "./computation.js";

/** Minimum number of spikes of a neuron for its CV: three intervals, as in the summary of the command line. */
export const MIN_SPIKES = 4;

/** The intervals between successive spikes of all measured neurons, in ms. */
export function* intervalsOf(members: Members, dtMs: number): Computation<Float64Array> {
  const { starts, steps } = members;
  const intervals = new Float64Array(Math.max(0, (starts.at(-1) ?? 0) - (starts[0] ?? 0)));
  let count = 0;
  yield* eachTrain(members, (begin, end) => {
    for (let spike = begin + 1; spike < end; spike += 1) {
      intervals[count] = (steps[spike]! - steps[spike - 1]!) * dtMs;
      count += 1;
    }
  });
  return intervals.subarray(0, count);
}

/** The coefficients of variation of the intervals of all measured neurons that have at least {@link MIN_SPIKES} spikes. */
export function* cvsOf(members: Members): Computation<Float64Array> {
  const cvs: number[] = [];
  yield* eachTrain(members, (begin, end) => {
    if (end - begin >= MIN_SPIKES) cvs.push(cvOf(members.steps, begin, end));
  });
  return Float64Array.from(cvs);
}

/** The coefficient of variation of the intervals of a train: their standard deviation, with their number as the divisor, divided by their mean. */
export function cvOf(steps: ArrayLike<number>, begin = 0, end = steps.length): number {
  const count = end - begin - 1;
  const mean = (steps[end - 1]! - steps[begin]!) / count;
  let sum = 0;
  for (let spike = begin + 1; spike < end; spike += 1) sum += (steps[spike]! - steps[spike - 1]! - mean) ** 2;
  return Math.sqrt(sum / count) / mean;
}

/** Sums over successive intervals of a train, of their difference relative to their sum, or of its square. */
function* ratiosOf(members: Members, power: 1 | 2, factor: number): Computation<number> {
  const { steps } = members;
  const found: number[] = [];
  yield* eachTrain(members, (begin, end) => {
    if (end - begin < MIN_SPIKES) return;
    let sum = 0;
    for (let spike = begin + 2; spike < end; spike += 1) {
      const [one, next] = [steps[spike - 1]! - steps[spike - 2]!, steps[spike]! - steps[spike - 1]!];
      sum += Math.abs((next - one) / (next + one)) ** power;
    }
    found.push((factor * sum) / (end - begin - 2));
  });
  return meanOf(found);
}

/** The mean of 2|I₂ − I₁|/(I₂ + I₁) over successive intervals of a neuron, averaged over the measured neurons with at least {@link MIN_SPIKES} spikes. */
export function cv2Of(members: Members): Computation<number> {
  return ratiosOf(members, 1, 2);
}

/** The mean of 3(I₁ − I₂)²/(I₁ + I₂)², averaged in the same way. */
export function lvOf(members: Members): Computation<number> {
  return ratiosOf(members, 2, 3);
}

/** The mean of numbers; NaN of none. */
export function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) sum += values[index]!;
  return sum / values.length;
}
