// What a sweep measures of a run.

import { notAllowed } from "../errors.js";
import { type Samples, type Spikes, eachRow } from "../events.js";
import { SpikeList } from "../plots/measure/list.js";
import { MEASURES, type MeasureName, measure } from "../plots/measure/measures.js";
import type { Info } from "../raw.js";

/** What a sweep measures: a measure of the spikes of a population, its first spike, or the mean of a recorded variable. */
export type SweepMeasure = MeasureName | "latency" | "mean";

/** A measure as text. */
export interface MeasureWords {
  readonly name: SweepMeasure;
  readonly title: string;
  /** Unit of its values; empty for pure numbers. For a variable it follows from the network. */
  readonly unit: string;
  readonly definition: string;
}

/** All measures of a sweep. */
export const SWEEP_MEASURES: readonly MeasureWords[] = [
  ...MEASURES.map(({ name, title, unit, definition }) => ({ name, title, unit, definition })),
  { name: "latency", title: "Latency of the first spike", unit: "ms", definition: "time from the end of the warm-up to the first spike of the population" },
  { name: "mean", title: "Mean of a variable", unit: "", definition: "mean over time and over the recorded neurons or synapses" },
];

/** Collects the data of one trial of a run, and measures it. */
export class Reading {
  readonly #name: SweepMeasure;
  readonly #warmUpMs: number;
  #list = new SpikeList();
  #spikes = 0;
  #first = Infinity;
  #end = 0;
  #sum = 0;
  #count = 0;

  constructor(name: SweepMeasure, warmUpMs: number) {
    this.#name = name;
    this.#warmUpMs = warmUpMs;
  }

  /** Number of spikes of all neurons, from the start of the run. */
  get spikes(): number {
    return this.#spikes;
  }

  takeSpikes(event: Spikes, { first, size }: { readonly first: number; readonly size: number }): void {
    const { firstStep, steps, dtMs, neurons, spikeSteps } = event;
    this.#end = Math.max(this.#end, firstStep + steps);
    this.#spikes += neurons.length;
    if (this.#name === "latency") {
      const from = stepOf(this.#warmUpMs, dtMs);
      neurons.forEach((neuron, spike) => {
        if (neuron >= first && neuron < first + size && spikeSteps[spike]! >= from) this.#first = Math.min(this.#first, spikeSteps[spike]!);
      });
    } else if (this.#name !== "mean") {
      this.#list.push(event);
    }
  }

  takeSamples(samples: Samples): void {
    const { dtMs, columns, values } = samples;
    if (this.#name !== "mean" || columns === 0) return;
    const from = stepOf(this.#warmUpMs, dtMs);
    eachRow(samples, (step, row) => {
      if (step < from) return;
      for (let place = row; place < row + columns; place += 1) {
        const value = values[place]!;
        if (Number.isNaN(value)) continue;
        this.#sum += value;
        this.#count += 1;
      }
    });
  }

  /** The measured value; NaN if there are too few spikes for it. A trial that ended before the run is measured until its end. */
  value(info: Info, population: string): number {
    switch (this.#name) {
      case "mean":
        return this.#sum / this.#count;
      case "latency":
        return Number.isFinite(this.#first) ? Number((this.#first * info.dtMs - this.#warmUpMs).toPrecision(12)) : NaN;
      default:
        return measure(this.#name, this.#list.in(info, this.#warmUpMs, this.#end * info.dtMs), population).value;
    }
  }
}

function stepOf(ms: number, dtMs: number): number {
  return Math.ceil(ms / dtMs - 1e-6);
}

/** The words of a measure. */
export function measureWords(name: unknown): MeasureWords {
  const found = SWEEP_MEASURES.find((one) => one.name === name);
  if (!found) throw notAllowed("measure", name, `one of ${SWEEP_MEASURES.map((one) => one.name).join(", ")}`);
  return found;
}

/** Mean and standard deviation (of a sample; 0 for one value) of the values that are known; NaN without any. */
export function summary(values: readonly number[]): { readonly mean: number; readonly sd: number } {
  const known = values.filter((value) => !Number.isNaN(value));
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, sd: known.length > 1 ? Math.sqrt(squares / (known.length - 1)) : known.length === 1 ? 0 : NaN };
}
