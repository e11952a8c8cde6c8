import type { Info, Measured } from "../../raw.js";

/** Most measurements of a statistic that are kept: of more, every other one goes. */
const MOST = 2048;

/** A variable of all synapses at a time. */
export interface Moment {
  readonly timeMs: number;
  readonly mean: number;
  /** Standard deviation about it. */
  readonly sd: number;
}

/** A statistic since it was first told. */
interface Series {
  moments: Moment[];
  latest: Moment | null;
  /** The latest counts: not finite, below the range, above it, in each of its parts. */
  counts: Uint32Array;
}

/** What the statistics of a network came to, however long a run is. */
export class StatisticPast {
  readonly #dtMs: number;
  readonly #ends: readonly (readonly number[])[];
  #series: readonly Series[] = [];

  constructor({ statistics, dtMs }: Info) {
    this.#dtMs = dtMs;
    this.#ends = statistics.map(({ ends }) => ends);
    this.clear();
  }

  push({ statistic, steps, moments, counts }: Measured): void {
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

  clear(): void {
    this.#series = this.#ends.map(() => ({ moments: [], latest: null, counts: new Uint32Array(0) }));
  }

  /** What was kept of all times of a statistic, in their order. */
  moments(statistic: number): readonly Moment[] {
    return this.#series[statistic]?.moments ?? [];
  }

  latest(statistic: number): Moment | null {
    return this.#series[statistic]?.latest ?? null;
  }

  /** How many synapses have a value in each part of the range, by the latest. */
  parts(statistic: number): Uint32Array {
    return this.#series[statistic]?.counts.subarray(3) ?? new Uint32Array(0);
  }

  /** How many values are no finite numbers, below the range, and above it, by the latest. */
  outside(statistic: number): readonly [number, number, number] {
    const [notFinite = 0, below = 0, above = 0] = this.#series[statistic]?.counts ?? [];
    return [notFinite, below, above];
  }
}
