import type { Info, StatisticValues } from "../../raw.js";

/** Maximum number of stored values of a statistic; above it, every other value is removed. */
const MOST = 2048;

/** Summary of a variable of all synapses at a time. */
export interface Moment {
  readonly timeMs: number;
  readonly mean: number;
  /** Standard deviation. */
  readonly sd: number;
}

/** A statistic since it was first received. */
interface Series {
  moments: Moment[];
  latest: Moment | null;
  /** The last counts: not finite, below the range, above it, then the bins. */
  counts: Uint32Array;
}

/** The statistics of a network, with limited memory for any duration of a run. */
export class StatisticPast {
  readonly #dtMs: number;
  readonly #ends: readonly (readonly number[])[];
  #series: readonly Series[] = [];

  constructor({ statistics, dtMs }: Info) {
    this.#dtMs = dtMs;
    this.#ends = statistics.map(({ ends }) => ends);
    this.clear();
  }

  push({ statistic, steps, moments, counts }: StatisticValues): void {
    const series = this.#series[statistic];
    if (!series) return;
    steps.forEach((step, row) => {
      const [mean = NaN, sd = NaN] = moments.subarray(row * 4, row * 4 + 2);
      series.latest = { timeMs: step * this.#dtMs, mean, sd };
      series.moments.push(series.latest);
      if (series.moments.length > MOST) series.moments = series.moments.filter((_, place) => place % 2 === 0);
    });
    const width = 3 + Math.max(0, this.#ends[statistic]!.length - 1);
    if (counts.length >= width) series.counts = counts.slice(counts.length - width);
  }

  /** Removes the values from a time on. The last counts stay until the next ones. */
  rewind(timeMs: number): void {
    for (const series of this.#series) {
      series.moments = series.moments.filter((moment) => moment.timeMs < timeMs);
      series.latest = series.moments.at(-1) ?? null;
    }
  }

  clear(): void {
    this.#series = this.#ends.map(() => ({ moments: [], latest: null, counts: new Uint32Array(0) }));
  }

  /** The stored values of a statistic, in the order of time. */
  moments(statistic: number): readonly Moment[] {
    return this.#series[statistic]?.moments ?? [];
  }

  latest(statistic: number): Moment | null {
    return this.#series[statistic]?.latest ?? null;
  }

  /** The last counts of the bins. */
  parts(statistic: number): Uint32Array {
    return this.#series[statistic]?.counts.subarray(3) ?? new Uint32Array(0);
  }

  /** The last counts of values that are not finite, below the range, and above it. */
  outside(statistic: number): readonly [number, number, number] {
    const [notFinite = 0, below = 0, above = 0] = this.#series[statistic]?.counts ?? [];
    return [notFinite, below, above];
  }
}
