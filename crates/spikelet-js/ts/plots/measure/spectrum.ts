// Power spectra by Welch's method.

import type { Computation } from "./computation.js";

/** Lengths of segments: powers of two, of which at least this number fits if they overlap by half, and the limits. */
const SEGMENTS = 7;
const SHORTEST = 64;
const LONGEST = 4096;
/** The lowest frequencies contain the trend that is left in a segment; a peak is sought from this multiple of the resolution on. */
const LOWEST = 2;

/** A one-sided power spectral density. */
export interface Spectrum {
  /** Distance of frequencies, in Hz: `power[k]` is at `k * stepHz`. */
  readonly stepHz: number;
  /** Density in the square of the signal's unit per Hz. */
  readonly power: Float64Array;
  /** Number of segments that were averaged. */
  readonly segments: number;
}

/** The peak of a spectrum. */
export interface Peak {
  readonly hz: number;
  readonly power: number;
  /** Its power relative to the median power. */
  readonly height: number;
}

/**
 * The power spectral density of a signal by Welch's method: segments that overlap by half, each without its mean, with a Hann window. The sum of
 * `power * stepHz` is about the variance of the signal. Null if the signal is shorter than 64 samples.
 */
export function* welch(signal: Float64Array, sampleMs: number): Computation<Spectrum | null> {
  if (signal.length < SHORTEST) return null;
  let length = SHORTEST;
  while (length < LONGEST && length * (SEGMENTS + 1) <= signal.length) length *= 2;
  const window = Float64Array.from({ length }, (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / length));
  const norm = window.reduce((sum, value) => sum + value * value, 0);
  const power = new Float64Array(length / 2 + 1);
  let segments = 0;
  for (let begin = 0; begin + length <= signal.length; begin += length / 2) {
    yield;
    const part = signal.subarray(begin, begin + length);
    const mean = part.reduce((sum, value) => sum + value, 0) / length;
    const [real, imaginary] = [part.map((value, index) => (value - mean) * window[index]!), new Float64Array(length)];
    transform(real, imaginary);
    // Both signs of a frequency count, except for zero and the highest one, which have only one.
    for (let k = 0; k < power.length; k += 1) {
      const sides = k === 0 || k === length / 2 ? 1 : 2;
      power[k]! += sides * (real[k]! ** 2 + imaginary[k]! ** 2);
    }
    segments += 1;
  }
  const rateHz = 1000 / sampleMs;
  for (let k = 0; k < power.length; k += 1) power[k]! /= segments * norm * rateHz;
  return { stepHz: rateHz / length, power, segments };
}

/** The largest value of a spectrum, interpolated by a parabola through the logarithms of it and its neighbours; null if there is none. */
export function peakOf({ stepHz, power }: Spectrum): Peak | null {
  let best = LOWEST;
  for (let k = LOWEST; k < power.length; k += 1) if (power[k]! > power[best]!) best = k;
  const most = power[best] ?? 0;
  const sorted = power.slice(LOWEST).sort();
  const median = sorted[sorted.length >> 1]!;
  if (!(most > 0)) return null;
  const [before, at, after] = [power[best - 1] ?? 0, most, power[best + 1] ?? 0].map(Math.log) as [number, number, number];
  const bend = before - 2 * at + after;
  const shift = best === LOWEST || !Number.isFinite(bend) || bend >= 0 ? 0 : Math.min(Math.max((0.5 * (before - after)) / bend, -0.5), 0.5);
  return { hz: (best + shift) * stepHz, power: most, height: most / median };
}

/** The discrete Fourier transform in place; the length is a power of two. */
export function transform(real: Float64Array, imaginary: Float64Array): void {
  const { length } = real;
  for (let from = 1, to = 0; from < length; from += 1) {
    let bit = length >> 1;
    for (; (to & bit) !== 0; bit >>= 1) to ^= bit;
    to ^= bit;
    if (from >= to) continue;
    [real[from], real[to]] = [real[to]!, real[from]!];
    [imaginary[from], imaginary[to]] = [imaginary[to]!, imaginary[from]!];
  }
  for (let half = 1; half < length; half *= 2) {
    for (let k = 0; k < half; k += 1) {
      const [cos, sin] = [Math.cos((Math.PI * k) / half), -Math.sin((Math.PI * k) / half)];
      for (let low = k; low < length; low += 2 * half) {
        const high = low + half;
        const re = real[high]! * cos - imaginary[high]! * sin;
        const im = real[high]! * sin + imaginary[high]! * cos;
        real[high] = real[low]! - re;
        imaginary[high] = imaginary[low]! - im;
        real[low]! += re;
        imaginary[low]! += im;
      }
    }
  }
}
