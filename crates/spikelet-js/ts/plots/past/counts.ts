import type { Spikes } from "../../events.js";
import type { SpikePast } from "./spikes.js";

/**
 * Counts of spikes in bins of equal width: one row per bin, one column per population. The memory is fixed: either the last bins are kept
 * (`recent`), or the bins of the whole run, whose width doubles whenever they are too many (`whole`).
 */
export class Counts {
  readonly #members: Uint16Array;
  readonly #columns: number;
  readonly #rows: number;
  readonly #keeps: "recent" | "whole";
  readonly #narrow: number;
  readonly #counts: Float64Array;
  #binSteps: number;
  #begin = 0;
  #end = 0;
  #isFirst = true;

  /** @param members Index of the population of each neuron. @param binSteps Width of the bins at first, in steps. */
  constructor(members: Uint16Array, columns: number, rows: number, binSteps: number, keeps: "recent" | "whole") {
    this.#members = members;
    this.#columns = columns;
    this.#rows = rows + (rows % 2);
    this.#keeps = keeps;
    this.#narrow = this.#binSteps = binSteps;
    this.#counts = new Float64Array(this.#rows * columns);
  }

  /** Width of the bins in steps. */
  get binSteps(): number {
    return this.#binSteps;
  }

  /** The first bin whose start was received. */
  get begin(): number {
    return this.#begin;
  }

  /** The first bin that is not complete. */
  get end(): number {
    return this.#end;
  }

  /** The count of a bin; NaN if a part of it is not known. */
  at(bin: number, column: number): number {
    return this.#counts[(bin % this.#rows) * this.#columns + column]!;
  }

  push({ neurons, spikeSteps, firstStep, steps }: Spikes): void {
    if (this.#isFirst) this.#start(firstStep);
    while (this.#keeps === "whole" && Math.floor((firstStep + steps) / this.#binSteps) >= this.#rows) this.#double();
    const open = this.#end;
    const last = Math.floor((firstStep + steps) / this.#binSteps);
    for (let bin = Math.max(open + 1, last + 1 - this.#rows); bin <= last; bin += 1) this.#clear(bin);
    const oldest = Math.max(this.#begin, last + 1 - this.#rows);
    for (let spike = 0; spike < neurons.length; spike += 1) {
      const bin = Math.floor(spikeSteps[spike]! / this.#binSteps);
      if (bin < oldest) continue;
      const at = (bin % this.#rows) * this.#columns + this.#members[neurons[spike]!]!;
      this.#counts[at] = this.#counts[at]! + 1;
    }
    this.#begin = oldest;
    this.#end = Math.max(last, open);
  }

  clear(): void {
    this.#isFirst = true;
    this.#begin = this.#end = 0;
    this.#binSteps = this.#narrow;
  }

  /** Removes all spikes from a step on. The bin that contains this step is counted again; without all its spikes, it is unknown. */
  rewind(step: number, spikes: SpikePast): void {
    const bin = Math.floor(step / this.#binSteps);
    if (this.#isFirst || bin > this.#end) return;
    if (bin < this.#begin) return this.#start(step);
    for (let later = bin; later <= this.#end; later += 1) this.#clear(later);
    const first = bin * this.#binSteps;
    const row = (bin % this.#rows) * this.#columns;
    if (step > first) {
      if (spikes.isComplete(first)) {
        spikes.each(first, step, (_, neuron) => {
          const at = row + this.#members[neuron]!;
          this.#counts[at] = this.#counts[at]! + 1;
        });
      } else {
        this.#counts.fill(NaN, row, row + this.#columns);
      }
    }
    this.#end = bin;
  }

  /** A copy that receives no more spikes. */
  copy(): Counts {
    const copy = new Counts(this.#members, this.#columns, this.#rows, this.#binSteps, this.#keeps);
    copy.#counts.set(this.#counts);
    [copy.#begin, copy.#end, copy.#isFirst] = [this.#begin, this.#end, this.#isFirst];
    return copy;
  }

  #start(step: number): void {
    this.#begin = this.#end = Math.ceil(step / this.#binSteps);
    this.#isFirst = false;
    this.#counts.fill(0);
  }

  #clear(bin: number): void {
    const row = (bin % this.#rows) * this.#columns;
    this.#counts.fill(0, row, row + this.#columns);
  }

  #double(): void {
    const [counts, columns] = [this.#counts, this.#columns];
    for (let bin = 0; bin < this.#rows / 2; bin += 1) {
      for (let column = 0; column < columns; column += 1) {
        counts[bin * columns + column] = counts[2 * bin * columns + column]! + counts[(2 * bin + 1) * columns + column]!;
      }
    }
    counts.fill(0, (this.#rows / 2) * columns);
    this.#binSteps *= 2;
    this.#begin = Math.ceil(this.#begin / 2);
    this.#end = Math.max(this.#begin, Math.floor(this.#end / 2));
  }
}
