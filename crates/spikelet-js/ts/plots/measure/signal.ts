import type { Computation } from "./computation.js";

/** Distance of the samples of a signal in ms, unless those recorded are further apart. */
const SAMPLE_MS = 1;

/** Samples at equal distances. */
export interface Signal {
  readonly values: Float64Array;
  readonly sampleMs: number;
}

/** A recorded variable: least and largest values in intervals around steps. */
interface Samples {
  each(label: string, from: number, to: number, visit: (step: number, least: number, most: number) => void): void;
}

/** A recorded variable in a time span, as means over intervals of 1 ms. It starts with the first sample in the span. */
export function* signalOf(samples: Samples, label: string, fromMs: number, toMs: number, dtMs: number): Computation<Signal> {
  const [from, to] = [Math.max(0, Math.ceil(fromMs / dtMs - 1e-6)), toMs / dtMs];
  let [first, last, count] = [NaN, NaN, 0];
  samples.each(label, from, to, (step) => {
    if (count === 0) first = step;
    last = step;
    count += 1;
  });
  yield;
  if (count < 2) return { values: new Float64Array(0), sampleMs: SAMPLE_MS };
  const width = Math.max(1, Math.round(SAMPLE_MS / dtMs), (last - first) / (count - 1));
  const values = new Float64Array(Math.floor((last - first) / width + 1e-6) + 1);
  const counts = new Uint32Array(values.length);
  samples.each(label, from, to, (step, least, most) => {
    const index = Math.floor((step - first) / width + 1e-6);
    values[index]! += (least + most) / 2;
    counts[index]! += 1;
  });
  // A gap, such as one between intervals of different lengths, has the value before it.
  for (let index = 0; index < values.length; index += 1) values[index] = counts[index] ? values[index]! / counts[index]! : values[index - 1]!;
  // The last interval may be incomplete.
  return { values: values.subarray(0, values.length - 1), sampleMs: width * dtMs };
}
