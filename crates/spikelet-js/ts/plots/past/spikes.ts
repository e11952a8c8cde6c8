import type { Spikes } from "../../events.js";

/** Maximum number of stored spikes, a power of two; they need 16 MiB. */
const MOST = 1 << 21;
/** Initial capacity. */
const FIRST = 1 << 14;

/**
 * The spikes of the last steps. If there are too many, the oldest ones outside of the time span are removed first. If that is not
 * sufficient, only the spikes of every second, fourth, … neuron are stored.
 */
export class SpikePast {
  #steps = new Uint32Array(FIRST);
  #neurons = new Uint32Array(FIRST);
  readonly #kept: number;
  readonly #size: number;
  #begin = 0;
  #count = 0;
  #every = 1;
  #end = 0;
  /** Number of the last steps that are shown. */
  shown: number;

  /** @param size Number of neurons. @param kept Number of steps to store. */
  constructor(kept: number, size: number) {
    this.#kept = kept;
    this.#size = size;
    this.shown = kept;
  }

  /** Spikes are stored for neurons whose number is a multiple of this. */
  get every(): number {
    return this.#every;
  }

  push({ neurons, spikeSteps, firstStep, steps }: Spikes): void {
    this.#end = firstStep + steps;
    for (let spike = 0; spike < neurons.length; spike += 1) {
      const neuron = neurons[spike]!;
      if ((neuron & (this.#every - 1)) !== 0) continue;
      if (this.#count === this.#steps.length) this.#makeRoom();
      const place = (this.#begin + this.#count) & (this.#steps.length - 1);
      this.#steps[place] = spikeSteps[spike]!;
      this.#neurons[place] = neuron;
      this.#count += 1;
    }
    this.#forget(this.#end - this.#kept);
  }

  clear(): void {
    this.#begin = 0;
    this.#count = 0;
    this.#every = 1;
    this.#end = 0;
  }

  /** Number of spikes from a step on. */
  countSince(step: number): number {
    return this.#count - this.#find(step);
  }

  /** Calls `visit` for each spike from a step on, in the order of steps. */
  each(from: number, visit: (step: number, neuron: number) => void): void {
    const mask = this.#steps.length - 1;
    for (let spike = this.#find(from); spike < this.#count; spike += 1) {
      const place = (this.#begin + spike) & mask;
      visit(this.#steps[place]!, this.#neurons[place]!);
    }
  }

  /** Number of spikes before a step. */
  #find(step: number): number {
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#steps[(this.#begin + middle) & (this.#steps.length - 1)]! < step) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #forget(step: number): void {
    const gone = this.#find(step);
    this.#begin = (this.#begin + gone) & (this.#steps.length - 1);
    this.#count -= gone;
  }

  #makeRoom(): void {
    if (this.#steps.length < MOST) return this.#grow();
    this.#forget(this.#end - this.shown);
    while (this.#count === MOST && this.#every < this.#size) this.#thin();
    // Only one neuron is left: its oldest spike is removed.
    if (this.#count === MOST) this.#forget(this.#steps[this.#begin]! + 1);
  }

  #grow(): void {
    const copy = (ring: Uint32Array) => {
      const larger = new Uint32Array(ring.length * 2);
      larger.set(ring.subarray(this.#begin));
      larger.set(ring.subarray(0, this.#begin), ring.length - this.#begin);
      return larger;
    };
    [this.#steps, this.#neurons] = [copy(this.#steps), copy(this.#neurons)];
    this.#begin = 0;
  }

  #thin(): void {
    this.#every *= 2;
    let kept = 0;
    this.each(0, (step, neuron) => {
      if ((neuron & (this.#every - 1)) !== 0) return;
      const place = (this.#begin + kept) & (MOST - 1);
      this.#steps[place] = step;
      this.#neurons[place] = neuron;
      kept += 1;
    });
    this.#count = kept;
  }
}
