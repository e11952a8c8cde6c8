import type { Batch, Info } from "./raw.js";

/** Mean firing rates of populations in the bins completed last. */
export interface Rates {
  /** Index of the trial. */
  readonly trial: number;
  /** Start of the first bin, in ms of biological time. */
  readonly timeMs: number;
  /** Width of a bin in ms. */
  readonly binMs: number;
  /** Number of bins. */
  readonly bins: number;
  /** Names of the populations, including sources. */
  readonly populations: readonly string[];
  /** Rates in Hz by rows, one row per bin and one column per population. */
  readonly values: Float32Array;
}

/** The time of a step rounded for display: 0.3, not 0.30000000000000004. */
function timeOf(step: number, dtMs: number): number {
  return Number((step * dtMs).toPrecision(15));
}

/** Counts spikes of one trial in bins. */
export class RateCounter {
  readonly #info: Info;
  readonly #trial: number;
  readonly #stepsPerBin: number;
  readonly #counts: Float64Array;
  /** First step of the current bin; null before the first complete bin. */
  #begin: number | null = null;

  constructor(info: Info, trial: number, stepsPerBin: number) {
    this.#info = info;
    this.#trial = trial;
    this.#stepsPerBin = stepsPerBin;
    this.#counts = new Float64Array(info.network.populations.length);
  }

  /** Adds the spikes of a batch. Returns the bins that end in it, or null. A bin counts only if all of its steps were added. */
  take({ firstStep, steps, spikeNeurons, spikeSteps }: Pick<Batch, "firstStep" | "steps" | "spikeNeurons" | "spikeSteps">): Rates | null {
    const { dtMs, network } = this.#info;
    const width = this.#stepsPerBin;
    const end = firstStep + steps;
    if (this.#begin === null || firstStep < this.#begin) {
      this.#begin = Math.ceil(firstStep / width) * width;
      this.#counts.fill(0);
    }
    const first = this.#begin;
    const bins = Math.max(0, Math.floor((end - first) / width));
    const columns = network.populations.length;
    const values = new Float32Array(bins * columns);
    const toHz = network.populations.map(({ size }) => 1000 / (Math.max(size, 1) * width * dtMs));
    let bin = 0;
    const close = () => {
      for (let column = 0; column < columns; column += 1) {
        values[bin * columns + column] = this.#counts[column]! * toHz[column]!;
      }
      this.#counts.fill(0);
      bin += 1;
    };
    for (let spike = 0; spike < spikeSteps.length; spike += 1) {
      const step = spikeSteps[spike]!;
      if (step < first) continue;
      while (step >= first + (bin + 1) * width) close();
      this.#counts[this.#populationOf(spikeNeurons[spike]!)]! += 1;
    }
    while (bin < bins) close();
    this.#begin = first + bins * width;
    if (bins === 0) return null;
    const names = network.populations.map(({ name }) => name);
    return { trial: this.#trial, timeMs: timeOf(first, dtMs), binMs: timeOf(width, dtMs), bins, populations: names, values };
  }

  #populationOf(neuron: number): number {
    const { populations } = this.#info.network;
    let low = 0;
    for (let high = populations.length - 1; low < high; ) {
      const middle = (low + high + 1) >> 1;
      if (populations[middle]!.first <= neuron) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
