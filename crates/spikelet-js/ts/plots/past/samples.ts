import type { Samples, Spikes } from "../../events.js";
import type { Channel, Info } from "../../raw.js";

/** Approximate maximum number of intervals of a trace; each stores the least and the largest value. */
const STRETCHES = 50_000;

/** Recorded variables of the last steps, as far as they are shown: the least and the largest value in each of many short intervals. */
export class SamplePast {
  readonly #labels: readonly string[];
  readonly #stretch: number;
  readonly #capacity: number;
  readonly #extremes: Float32Array;
  /** Spikes of the neurons shown. */
  readonly #spikes: { readonly step: number; readonly neuron: number }[] = [];
  readonly #kept: number;
  #channels: readonly Channel[] = [];
  #columns: readonly number[] = [];
  /** The neuron of each lane; null for a synapse. */
  #lanes: readonly (number | null)[] = [];
  #neurons: ReadonlySet<number | null> = new Set();
  #begin = 0;
  #end = 0;

  /** @param kept Number of steps to store. */
  constructor(kept: number, labels: readonly string[]) {
    this.#kept = kept;
    this.#labels = labels;
    this.#stretch = Math.max(1, Math.ceil(kept / STRETCHES));
    this.#capacity = Math.ceil(kept / this.#stretch) + 2;
    this.#extremes = new Float32Array(this.#capacity * labels.length * 2);
  }

  push({ firstStep, steps, columns, values }: Samples, info: Info): void {
    this.#follow(info);
    const count = this.#labels.length;
    for (let row = 0; row < steps; row += 1) {
      const stretch = Math.floor((firstStep + row) / this.#stretch);
      if (stretch >= this.#end) this.#open(stretch);
      const place = (stretch % this.#capacity) * count * 2;
      for (let lane = 0; lane < count; lane += 1) {
        const value = values[row * columns + this.#columns[lane]!]!;
        const at = place + lane * 2;
        if (value < this.#extremes[at]!) this.#extremes[at] = value;
        if (value > this.#extremes[at + 1]!) this.#extremes[at + 1] = value;
      }
    }
  }

  pushSpikes({ neurons, spikeSteps, firstStep, steps }: Spikes, info: Info): void {
    this.#follow(info);
    for (let spike = 0; spike < neurons.length; spike += 1) {
      const neuron = neurons[spike]!;
      if (this.#neurons.has(neuron)) this.#spikes.push({ step: spikeSteps[spike]!, neuron });
    }
    const oldest = firstStep + steps - this.#kept;
    const gone = this.#spikes.findIndex(({ step }) => step >= oldest);
    this.#spikes.splice(0, gone < 0 ? this.#spikes.length : gone);
  }

  clear(): void {
    this.#begin = 0;
    this.#end = 0;
    this.#spikes.length = 0;
  }

  /** Calls `visit` with the centre in steps, and the least and largest value, of each interval from a given step on. */
  each(label: string, from: number, visit: (step: number, least: number, most: number) => void): void {
    const lane = this.#labels.indexOf(label);
    if (lane < 0) return;
    for (let stretch = Math.max(this.#begin, Math.floor(from / this.#stretch)); stretch < this.#end; stretch += 1) {
      const [least, most] = this.#at(lane, stretch);
      if (least <= most) visit(this.#stretch === 1 ? stretch : (stretch + 0.5) * this.#stretch, least, most);
    }
  }

  /** Calls `visit` with each step from a given one on in which the neuron of a column fired, and the largest value near it. */
  eachSpike(label: string, from: number, visit: (step: number, value: number) => void): void {
    const lane = this.#labels.indexOf(label);
    const neuron = this.#lanes[lane];
    for (const spike of this.#spikes) {
      if (spike.neuron !== neuron || spike.step < from) continue;
      const stretch = Math.floor(spike.step / this.#stretch);
      if (stretch < this.#begin || stretch >= this.#end) continue;
      const [least, most] = this.#at(lane, stretch);
      if (least <= most) visit(spike.step, most);
    }
  }

  #at(lane: number, stretch: number): readonly [number, number] {
    const at = ((stretch % this.#capacity) * this.#labels.length + lane) * 2;
    return [this.#extremes[at]!, this.#extremes[at + 1]!];
  }

  /** The recordings may be replaced; the columns then have other indices. */
  #follow({ channels, network }: Info): void {
    if (channels === this.#channels) return;
    this.#channels = channels;
    this.#columns = this.#labels.map((label) => channels.findIndex((channel) => channel.label === label));
    const isNeuron = (label: string) => network.populations.some(({ name }) => label.startsWith(`${name}.`));
    this.#lanes = this.#labels.map((label, lane) => (isNeuron(label) ? channels[this.#columns[lane]!]?.neuron ?? null : null));
    this.#neurons = new Set(this.#lanes);
  }

  /** Begins an interval; skipped intervals are empty. */
  #open(stretch: number): void {
    if (this.#end === 0) this.#begin = this.#end = stretch;
    const count = this.#labels.length;
    for (; this.#end <= stretch; this.#end += 1) {
      const place = (this.#end % this.#capacity) * count * 2;
      for (let at = place; at < place + count * 2; at += 2) {
        this.#extremes[at] = Infinity;
        this.#extremes[at + 1] = -Infinity;
      }
    }
    this.#begin = Math.max(this.#begin, this.#end - this.#capacity);
  }
}
