// What plots show of the past: so much, and never more, however long a run is.

import type { Samples, Spikes } from "../events.js";
import type { Rates } from "../rates.js";

/** Most spikes that are kept, a power of two. As many are drawn within a frame. */
const MOST_SPIKES = 1 << 18;

/** A trace is kept as the least and the largest value of about so many stretches of the window. */
const STRETCHES = 1500;

/** The spikes of the last so many steps. Where they are too many, those of every second neuron are kept, of every fourth, and so on. */
export class SpikeWindow {
  readonly #steps = new Uint32Array(MOST_SPIKES);
  readonly #neurons = new Uint32Array(MOST_SPIKES);
  readonly #width: number;
  readonly #size: number;
  #begin = 0;
  #count = 0;
  #every = 1;

  /** Of `size` neurons, `width` steps. */
  constructor(width: number, size: number) {
    this.#width = width;
    this.#size = size;
  }

  /** Spikes are kept of neurons whose number is a multiple of this. */
  get every(): number {
    return this.#every;
  }

  /** How many spikes there are. */
  get count(): number {
    return this.#count;
  }

  push({ neurons, spikeSteps, firstStep, steps }: Spikes): void {
    for (let spike = 0; spike < neurons.length; spike += 1) {
      const neuron = neurons[spike]!;
      if ((neuron & (this.#every - 1)) !== 0) continue;
      if (this.#count === MOST_SPIKES) this.#makeRoom();
      const place = (this.#begin + this.#count) & (MOST_SPIKES - 1);
      this.#steps[place] = spikeSteps[spike]!;
      this.#neurons[place] = neuron;
      this.#count += 1;
    }
    const first = firstStep + steps - this.#width;
    while (this.#count > 0 && this.#steps[this.#begin]! < first) this.#drop();
  }

  clear(): void {
    this.#begin = 0;
    this.#count = 0;
    this.#every = 1;
  }

  /** Calls `visit` for each spike, in the order of steps. */
  each(visit: (step: number, neuron: number) => void): void {
    for (let spike = 0; spike < this.#count; spike += 1) {
      const place = (this.#begin + spike) & (MOST_SPIKES - 1);
      visit(this.#steps[place]!, this.#neurons[place]!);
    }
  }

  #makeRoom(): void {
    while (this.#count === MOST_SPIKES && this.#every < this.#size) {
      this.#every *= 2;
      let kept = 0;
      this.each((step, neuron) => {
        if ((neuron & (this.#every - 1)) !== 0) return;
        const place = (this.#begin + kept) & (MOST_SPIKES - 1);
        this.#steps[place] = step;
        this.#neurons[place] = neuron;
        kept += 1;
      });
      this.#count = kept;
    }
    // A single neuron that fires so often: the oldest spikes go.
    if (this.#count === MOST_SPIKES) this.#drop();
  }

  #drop(): void {
    this.#begin = (this.#begin + 1) & (MOST_SPIKES - 1);
    this.#count -= 1;
  }
}

/** Mean rates of populations in the last so many ms. */
export class RateWindow {
  readonly #widthMs: number;
  #bins = new Float32Array(0);
  #columns = 0;
  #capacity = 0;
  /** How many bins came so far; the last of them are kept. */
  #came = 0;
  #binMs = 1;
  #endMs = 0;

  constructor(widthMs: number) {
    this.#widthMs = widthMs;
  }

  push(rates: Rates | null): void {
    if (rates === null) return;
    const { timeMs, binMs, bins, populations, values } = rates;
    if (this.#came === 0) {
      this.#binMs = binMs;
      this.#columns = populations.length;
      this.#capacity = Math.ceil(this.#widthMs / binMs) + 2;
      this.#bins = new Float32Array(this.#capacity * this.#columns);
    }
    for (let bin = Math.max(0, bins - this.#capacity); bin < bins; bin += 1) {
      const row = values.subarray(bin * this.#columns, (bin + 1) * this.#columns);
      this.#bins.set(row, (this.#came % this.#capacity) * this.#columns);
      this.#came += 1;
    }
    this.#endMs = timeMs + bins * binMs;
  }

  clear(): void {
    this.#came = 0;
  }

  /** Calls `visit` with the middle of each bin, in ms, and the rate in it, of population `column`. */
  each(column: number, visit: (timeMs: number, rate: number) => void): void {
    const kept = Math.min(this.#came, this.#capacity);
    for (let bin = 0; bin < kept; bin += 1) {
      const place = (this.#came - kept + bin) % this.#capacity;
      visit(this.#endMs - (kept - bin - 0.5) * this.#binMs, this.#bins[place * this.#columns + column]!);
    }
  }
}

/** Recorded variables in the last so many steps: the least and the largest value in each of many short stretches. */
export class TraceWindow {
  readonly #stretch: number;
  readonly #capacity: number;
  readonly #columns: number;
  readonly #extremes: Float32Array;
  #begin = 0;
  #end = 0;

  constructor(width: number, columns: number) {
    this.#stretch = Math.max(1, Math.ceil(width / STRETCHES));
    this.#capacity = Math.ceil(width / this.#stretch) + 2;
    this.#columns = columns;
    this.#extremes = new Float32Array(this.#capacity * columns * 2);
  }

  push({ firstStep, steps, columns, values }: Samples): void {
    for (let row = 0; row < steps; row += 1) {
      const stretch = Math.floor((firstStep + row) / this.#stretch);
      if (stretch >= this.#end) this.#open(stretch);
      const place = (stretch % this.#capacity) * this.#columns * 2;
      for (let column = 0; column < columns; column += 1) {
        const value = values[row * columns + column]!;
        const at = place + column * 2;
        if (value < this.#extremes[at]!) this.#extremes[at] = value;
        if (value > this.#extremes[at + 1]!) this.#extremes[at + 1] = value;
      }
    }
  }

  clear(): void {
    this.#begin = 0;
    this.#end = 0;
  }

  /** Calls `visit` with the middle of each stretch, in steps, and the least and largest value in it. */
  each(column: number, visit: (step: number, least: number, most: number) => void): void {
    for (let stretch = this.#begin; stretch < this.#end; stretch += 1) {
      const at = ((stretch % this.#capacity) * this.#columns + column) * 2;
      const least = this.#extremes[at]!;
      if (least <= this.#extremes[at + 1]!) visit((stretch + 0.5) * this.#stretch, least, this.#extremes[at + 1]!);
    }
  }

  /** Begins a stretch; those that were left out hold nothing. */
  #open(stretch: number): void {
    if (this.#end === 0) this.#begin = this.#end = stretch;
    for (; this.#end <= stretch; this.#end += 1) {
      const place = (this.#end % this.#capacity) * this.#columns * 2;
      for (let at = place; at < place + this.#columns * 2; at += 2) {
        this.#extremes[at] = Infinity;
        this.#extremes[at + 1] = -Infinity;
      }
    }
    this.#begin = Math.max(this.#begin, this.#end - this.#capacity);
  }
}
