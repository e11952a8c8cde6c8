import type { Spikes } from "../../events.js";
import type { Info } from "../../raw.js";

/** Width of the narrowest bins in ms, and the least and largest number of them in the stored time. */
const BIN_MS = 5;
const MIN_BINS = 100;
const MAX_BINS = 1000;
/** Maximum number of narrow bins in a bin of a small population. */
const TOGETHER = [1, 2, 4, 10, 20];
/** Maximum rate in Hz that a single spike can cause, if the widest bins are sufficient. */
const HIGHEST_HZ = 10;

/**
 * Counts of spikes per population in bins. Bins of small populations are wider, so that a single spike causes no peak: the rate of a single
 * neuron does not alternate between 0 and 200 Hz.
 */
export class RatePast {
  readonly #info: Info;
  /** Index of the population of each neuron. */
  readonly #members: Uint16Array;
  readonly #binSteps: number;
  /** Number of narrow bins per bin of each population. */
  readonly #together: readonly number[];
  /** Counts in a ring buffer of rows: one row per bin, one column per population. */
  readonly #counts: Uint32Array;
  readonly #rows: number;
  #begin = 0;
  /** First step of the incomplete bin, and of the first complete one. */
  #end = 0;
  #isFirst = true;

  constructor(info: Info, members: Uint16Array, keptMs: number) {
    this.#info = info;
    this.#members = members;
    const binMs = Math.min(Math.max(BIN_MS, keptMs / MAX_BINS), keptMs / MIN_BINS);
    this.#binSteps = Math.max(1, Math.round(binMs / info.dtMs));
    const width = this.#binSteps * info.dtMs;
    this.#together = info.network.populations.map(({ size }) => TOGETHER.find((bins) => bins * size * width * HIGHEST_HZ >= 1000) ?? TOGETHER.at(-1)!);
    this.#rows = Math.ceil(keptMs / width) + 2 * TOGETHER.at(-1)!;
    this.#counts = new Uint32Array(this.#rows * info.network.populations.length);
  }

  /** Width of the bins of a population, in ms. */
  binMs(population: number): number {
    return Number((this.#together[population]! * this.#binSteps * this.#info.dtMs).toPrecision(12));
  }

  push({ neurons, spikeSteps, firstStep, steps }: Spikes): void {
    if (this.#isFirst) {
      this.#begin = this.#end = Math.ceil(firstStep / this.#binSteps);
      this.#isFirst = false;
      this.#counts.fill(0);
    }
    const columns = this.#together.length;
    const open = this.#end;
    const last = Math.floor((firstStep + steps) / this.#binSteps);
    for (let bin = open; bin < last; bin += 1) {
      const row = ((bin + 1) % this.#rows) * columns;
      this.#counts.fill(0, row, row + columns);
    }
    const oldest = Math.max(this.#begin, last + 1 - this.#rows);
    for (let spike = 0; spike < neurons.length; spike += 1) {
      const bin = Math.floor(spikeSteps[spike]! / this.#binSteps);
      if (bin < oldest) continue;
      const at = (bin % this.#rows) * columns + this.#members[neurons[spike]!]!;
      this.#counts[at] = this.#counts[at]! + 1;
    }
    this.#begin = oldest;
    this.#end = Math.max(last, open);
  }

  clear(): void {
    this.#isFirst = true;
    this.#begin = this.#end = 0;
  }

  /** Calls `visit` with the centre in ms and the rate in Hz of each complete bin of a population from a given time on. */
  each(population: number, fromMs: number, visit: (timeMs: number, rate: number) => void): void {
    const together = this.#together[population]!;
    const columns = this.#together.length;
    const width = together * this.#binSteps * this.#info.dtMs;
    const toHz = 1000 / (Math.max(this.#info.network.populations[population]!.size, 1) * width);
    const first = Math.max(Math.ceil(this.#begin / together), Math.floor(fromMs / width));
    const end = Math.floor(this.#end / together);
    for (let bin = first; bin < end; bin += 1) {
      let count = 0;
      for (let row = bin * together; row < (bin + 1) * together; row += 1) count += this.#counts[(row % this.#rows) * columns + population]!;
      visit((bin + 0.5) * width, count * toHz);
    }
  }
}
