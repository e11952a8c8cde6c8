// Histograms over time, with limited memory for any duration of a run.

/** Maximum number of stored histograms; above it, every other one is removed. */
const MOST = 512;

/** A histogram at a time. */
export interface Counts {
  readonly timeMs: number;
  /** Synapses in each bin. */
  readonly counts: Uint32Array;
}

/** The histograms of one statistic. */
export class CountPast {
  #all: Counts[] = [];
  #every = 1;
  #seen = 0;

  /** Adds a histogram; of a long run only every second, fourth … one is stored. */
  push(timeMs: number, counts: Uint32Array): void {
    const isKept = this.#seen % this.#every === 0;
    this.#seen += 1;
    if (!isKept) return;
    this.#all.push({ timeMs, counts });
    if (this.#all.length <= MOST) return;
    this.#all = this.#all.filter((_, place) => place % 2 === 0);
    this.#every *= 2;
  }

  clear(): void {
    [this.#all, this.#every, this.#seen] = [[], 1, 0];
  }

  get all(): readonly Counts[] {
    return this.#all;
  }

  /** The last histogram at or before a time. */
  at(timeMs: number): Counts | undefined {
    return this.#all.findLast((one) => one.timeMs <= timeMs);
  }
}
