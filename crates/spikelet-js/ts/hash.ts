import type { Spikes } from "./events.js";
import type { PopulationSummary } from "./raw.js";

// Whole numbers of 64 bits are slow in JavaScript: each is two halves of 32 bits.
/** The result of {@link mix}. */
let low = 0;
let high = 0;

/** The product of (low, high) and another number, modulo 2⁶⁴. */
function multiply(otherLow: number, otherHigh: number): void {
  const a = low & 0xffff;
  const b = low >>> 16;
  const c = otherLow & 0xffff;
  const d = otherLow >>> 16;
  const middle = (Math.imul(b, c) >>> 0) + (Math.imul(a, c) >>> 16);
  const carry = (Math.imul(a, d) >>> 0) + (middle & 0xffff);
  const upper = Math.imul(b, d) + (middle >>> 16) + (carry >>> 16);
  high = (upper + Math.imul(low, otherHigh) + Math.imul(high, otherLow)) | 0;
  low = Math.imul(low, otherLow);
}

/** SplitMix64 of a number. */
function mix(ofLow: number, ofHigh: number): void {
  const sum = (ofLow >>> 0) + 0x7f4a7c15;
  high = (ofHigh + 0x9e3779b9 + (sum > 0xffffffff ? 1 : 0)) | 0;
  low = sum | 0;
  shift(30);
  multiply(0x1ce4e5b9, 0xbf58476d);
  shift(27);
  multiply(0x133111eb, 0x94d049bb);
  shift(31);
}

/** Combines (low, high) with itself, shifted to the right. */
function shift(bits: number): void {
  low ^= (low >>> bits) | (high << (32 - bits));
  high ^= high >>> bits;
}

/** The hash of all spikes of a trial since t = 0, as the command line reports it: the sum of the hashes of all (population, neuron, step). */
export class SpikeHash {
  readonly #firsts: readonly number[];
  #low = 0;
  #high = 0;
  /** The step after the last one; null if earlier spikes are not known. */
  #next: number | null;

  /** @param isAtStart Whether the trial is at t = 0. */
  constructor(populations: readonly Pick<PopulationSummary, "first">[], isAtStart: boolean) {
    this.#firsts = populations.map(({ first }) => first);
    this.#next = isAtStart ? 0 : null;
  }

  take({ firstStep, steps, neurons, spikeSteps }: Spikes): void {
    this.#next = firstStep === this.#next ? firstStep + steps : null;
    if (this.#next === null) return;
    const firsts = this.#firsts;
    let [place, step, stepLow, stepHigh] = [0, -1, 0, 0];
    for (let spike = 0; spike < neurons.length; spike += 1) {
      const neuron = neurons[spike]!;
      if (spikeSteps[spike] !== step) {
        step = spikeSteps[spike]!;
        mix(step, 0);
        [stepLow, stepHigh] = [low, high];
      }
      while (neuron < firsts[place]!) place -= 1;
      while (neuron >= firsts[place + 1]!) place += 1;
      mix((neuron - firsts[place]!) ^ stepLow, stepHigh);
      mix(place ^ low, high);
      const sum = (this.#low >>> 0) + (low >>> 0);
      this.#high = (this.#high + high + (sum > 0xffffffff ? 1 : 0)) | 0;
      this.#low = sum | 0;
    }
  }

  /** 16 hexadecimal digits; null if spikes since t = 0 are not known. */
  get text(): string | null {
    const digits = (half: number) => (half >>> 0).toString(16).padStart(8, "0");
    return this.#next === null ? null : digits(this.#high) + digits(this.#low);
  }
}
