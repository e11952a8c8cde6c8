import type { Spikes } from "../../events.js";

/** Maximum number of stored spikes, a power of two; they need 64 MiB. */
const MOST = 1 << 23;
/** Initial capacity. */
const FIRST = 1 << 14;

/**
 * The spikes of the run. If there are too many, the oldest eighth is removed, as far as it is outside of the time span that is shown. If that
 * is not sufficient, only the spikes of every second, fourth, … neuron are stored.
 */
export class SpikePast {
  #steps: Uint32Array;
  #neurons: Uint32Array;
  readonly #most: number;
  readonly #size: number;
  #begin = 0;
  #count = 0;
  #every = 1;
  #since = 0;
  #end = 0;
  /** Number of the last steps that are shown, whose spikes are not removed. */
  shown: number;

  /** @param size Number of neurons. @param shown Number of the last steps that are shown. @param most Maximum number of spikes, a power of two. */
  constructor(size: number, shown: number, most = MOST) {
    this.#size = size;
    this.#most = most;
    this.shown = shown;
    this.#steps = new Uint32Array(Math.min(FIRST, most));
    this.#neurons = new Uint32Array(Math.min(FIRST, most));
  }

  /** Spikes are stored for neurons whose number is a multiple of this. */
  get every(): number {
    return this.#every;
  }

  /** The first step whose spikes are stored. */
  get since(): number {
    return this.#since;
  }

  /** Maximum number of stored spikes. */
  get most(): number {
    return this.#most;
  }

  /** Whether all spikes from a step on are stored. */
  isComplete(from: number): boolean {
    return this.#every === 1 && this.#since <= from;
  }

  push({ neurons, spikeSteps, firstStep, steps }: Spikes): void {
    if (this.#end === 0) this.#since = firstStep;
    this.#end = firstStep + steps;
    for (let spike = 0; spike < neurons.length; spike += 1) this.#add(spikeSteps[spike]!, neurons[spike]!);
  }

  /** Adds a spike, in the order of steps. */
  add(step: number, neuron: number): void {
    this.#end = Math.max(this.#end, step + 1);
    this.#add(step, neuron);
  }

  clear(): void {
    this.#begin = 0;
    this.#count = 0;
    this.#every = 1;
    this.#since = 0;
    this.#end = 0;
  }

  /** Removes all spikes from a step on. */
  rewind(step: number): void {
    this.#count = this.#find(step);
    this.#end = Math.min(this.#end, step);
    this.#since = Math.min(this.#since, step);
  }

  /** Number of spikes in the steps from `from` to before `to`. */
  count(from: number, to = Infinity): number {
    return this.#find(to) - this.#find(from);
  }

  /** Calls `visit` for each spike in the steps from `from` to before `to`, in the order of steps. */
  each(from: number, to: number, visit: (step: number, neuron: number) => void): void {
    const mask = this.#steps.length - 1;
    const end = this.#find(to);
    for (let spike = this.#find(from); spike < end; spike += 1) {
      const place = (this.#begin + spike) & mask;
      visit(this.#steps[place]!, this.#neurons[place]!);
    }
  }

  #add(step: number, neuron: number): void {
    if ((neuron & (this.#every - 1)) !== 0) return;
    if (this.#count === this.#steps.length) this.#makeRoom();
    if ((neuron & (this.#every - 1)) !== 0) return;
    const place = (this.#begin + this.#count) & (this.#steps.length - 1);
    this.#steps[place] = step;
    this.#neurons[place] = neuron;
    this.#count += 1;
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
    this.#since = Math.max(this.since, step);
    this.#begin = (this.#begin + gone) & (this.#steps.length - 1);
    this.#count -= gone;
    this.#since = Math.max(this.#since, step);
  }

  #makeRoom(): void {
    if (this.#steps.length < this.#most) return this.#grow();
    const eighth = this.#steps[(this.#begin + this.#most / 8) & (this.#most - 1)]!;
    this.#forget(Math.min(eighth, this.#end - this.shown));
    while (this.#count === this.#most && this.#every < this.#size) this.#thin();
    // Only one neuron is left: its oldest spike is removed.
    if (this.#count === this.#most) this.#forget(this.#steps[this.#begin]! + 1);
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
    this.each(0, Infinity, (step, neuron) => {
      if ((neuron & (this.#every - 1)) !== 0) return;
      const place = (this.#begin + kept) & (this.#most - 1);
      this.#steps[place] = step;
      this.#neurons[place] = neuron;
      kept += 1;
    });
    this.#count = kept;
  }
}
