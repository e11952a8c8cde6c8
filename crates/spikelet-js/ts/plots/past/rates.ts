import type { Spikes } from "../../events.js";
import type { Info } from "../../raw.js";
import { Counts } from "./counts.js";
import type { SpikePast } from "./spikes.js";

/** Width of the narrowest bins in ms, and the least and largest number of them in the recent time. */
const BIN_MS = 5;
const MIN_BINS = 100;
const MAX_BINS = 1000;
/** Number of bins of the whole run, for all populations together (4 MiB), and for each: 32 768 bins of 5 ms are 163 s. */
const WHOLE = 1 << 19;
const MAX_ROWS = 1 << 15;
const MIN_ROWS = 1 << 11;
/** Maximum number of narrow bins in a bin of a small population. */
const TOGETHER = [1, 2, 4, 10, 20];
/** Maximum rate in Hz that a single spike can cause, if the widest bins are sufficient. */
const HIGHEST_HZ = 10;

/**
 * Counts of spikes per population in bins, of the whole run: recent ones in narrow bins, older ones in bins that double their width instead of
 * becoming more. Bins of small populations are wider, so that a single spike causes no peak: the rate of a single neuron does not alternate
 * between 0 and 200 Hz.
 */
export class RatePast {
  readonly #info: Info;
  /** Number of narrow bins per bin of each population. */
  readonly #together: readonly number[];
  readonly #recent: Counts;
  readonly #whole: Counts;

  constructor(info: Info, members: Uint16Array, recentMs: number) {
    this.#info = info;
    const { populations } = info.network;
    const binMs = Math.min(Math.max(BIN_MS, recentMs / MAX_BINS), recentMs / MIN_BINS);
    const binSteps = Math.max(1, Math.round(binMs / info.dtMs));
    const width = binSteps * info.dtMs;
    this.#together = populations.map(({ size }) => TOGETHER.find((bins) => bins * size * width * HIGHEST_HZ >= 1000) ?? TOGETHER.at(-1)!);
    const columns = populations.length;
    const rows = Math.min(MAX_ROWS, Math.max(MIN_ROWS, Math.floor(WHOLE / Math.max(columns, 1))));
    this.#recent = new Counts(members, columns, Math.ceil(recentMs / width) + 2 * TOGETHER.at(-1)!, binSteps, "recent");
    this.#whole = new Counts(members, columns, rows, binSteps, "whole");
  }

  /** Width of the recent bins of a population, in ms. */
  binMs(population: number): number {
    return this.#widthMs(this.#recent, this.#together[population]!);
  }

  /** Biological time of the first rate, in ms. */
  get sinceMs(): number {
    return Math.min(this.#whole.begin * this.#whole.binSteps, this.#recent.begin * this.#recent.binSteps) * this.#info.dtMs;
  }

  push(spikes: Spikes): void {
    this.#recent.push(spikes);
    this.#whole.push(spikes);
  }

  clear(): void {
    this.#recent.clear();
    this.#whole.clear();
  }

  rewind(step: number, spikes: SpikePast): void {
    this.#recent.rewind(step, spikes);
    this.#whole.rewind(step, spikes);
  }

  /**
   * Calls `visit` with the centre in ms and the rate in Hz of each complete bin of a population that overlaps a time span. Bins before the
   * recent time can be wider.
   */
  each(population: number, fromMs: number, toMs: number, visit: (timeMs: number, rate: number) => void): void {
    const together = this.#together[population]!;
    const recentMs = Math.ceil(this.#recent.begin / together) * this.#widthMs(this.#recent, together);
    const coarse = Math.max(1, Math.ceil((together * this.#recent.binSteps) / this.#whole.binSteps));
    if (fromMs < recentMs) this.#each(this.#whole, coarse, population, fromMs, Math.min(toMs, recentMs), visit, recentMs);
    this.#each(this.#recent, together, population, Math.max(fromMs, recentMs), toMs, visit, Infinity);
  }

  #each(
    counts: Counts, together: number, population: number, fromMs: number, toMs: number, visit: (timeMs: number, rate: number) => void, beforeMs: number,
  ): void {
    const width = this.#widthMs(counts, together);
    const toHz = 1000 / (Math.max(this.#info.network.populations[population]!.size, 1) * width);
    const first = Math.max(Math.ceil(counts.begin / together), Math.floor(fromMs / width));
    const end = Math.min(Math.floor(counts.end / together), Math.ceil(toMs / width));
    for (let bin = first; bin < end && (bin + 0.5) * width < beforeMs; bin += 1) {
      let count = 0;
      for (let row = bin * together; row < (bin + 1) * together; row += 1) count += counts.at(row, population);
      if (!Number.isNaN(count)) visit((bin + 0.5) * width, count * toHz);
    }
  }

  #widthMs(counts: Counts, together: number): number {
    return Number((together * counts.binSteps * this.#info.dtMs).toPrecision(12));
  }
}
