import { type Samples, type Spikes, eachRow } from "../../events.js";
import type { Channel, Info } from "../../raw.js";
import { Extremes } from "./extremes.js";
import { SpikePast } from "./spikes.js";

/** Approximate maximum number of recent intervals of a trace; each stores the least and the largest value. */
const RECENT = 50_000;
/** Maximum number of intervals of the whole run, for all traces that were added together (16 MiB), and for each: 262 144 steps of 0.1 ms are 26 s. */
const WHOLE = 1 << 21;
const MAX_ROWS = 1 << 18;
/** Maximum number of spikes of the neurons shown, a power of two; they need 2 MiB. */
const SPIKES = 1 << 18;

/**
 * Recorded variables of the run, as far as they are shown: the least and the largest value in each of many short intervals. Those of the recent
 * time are as short as possible; those before double their length instead of becoming more.
 */
export class SamplePast {
  readonly #labels: readonly string[];
  readonly #recent: Extremes;
  readonly #whole: Extremes;
  /** Spikes of the neurons shown. */
  readonly #spikes: SpikePast;
  #channels: readonly Channel[] = [];
  #columns: readonly number[] = [];
  /** The neuron of each lane; null for a synapse. */
  #lanes: readonly (number | null)[] = [];
  #neurons: ReadonlySet<number | null> = new Set();

  /** @param recent Number of recent steps. */
  constructor(recent: number, labels: readonly string[]) {
    this.#labels = labels;
    const stretch = Math.max(1, Math.ceil(recent / RECENT));
    const rows = Math.min(MAX_ROWS, Math.floor(WHOLE / Math.max(labels.length, 1)));
    this.#recent = new Extremes(labels.length, Math.ceil(recent / stretch) + 2, stretch, "recent");
    this.#whole = new Extremes(labels.length, rows, stretch, "whole");
    this.#spikes = new SpikePast(1, 0, SPIKES);
  }

  /** The first step of which there are values. */
  get since(): number {
    return Math.min(this.#whole.since, this.#recent.since);
  }

  push(samples: Samples, info: Info): void {
    this.#follow(info);
    const { values } = samples;
    eachRow(samples, (step, row) => {
      for (const tier of [this.#recent, this.#whole]) {
        const place = tier.at(step);
        const extremes = tier.values;
        for (let lane = 0; lane < this.#columns.length; lane += 1) {
          const column = this.#columns[lane]!;
          // It is not recorded now.
          if (column < 0) continue;
          const value = values[row + column]!;
          const at = place + lane * 2;
          // NaN, where it has no sample, is neither.
          if (value < extremes[at]!) extremes[at] = value;
          if (value > extremes[at + 1]!) extremes[at + 1] = value;
        }
      }
    });
  }

  pushSpikes({ neurons, spikeSteps }: Spikes, info: Info): void {
    this.#follow(info);
    for (let spike = 0; spike < neurons.length; spike += 1) {
      if (this.#neurons.has(neurons[spike]!)) this.#spikes.add(spikeSteps[spike]!, neurons[spike]!);
    }
  }

  clear(): void {
    for (const past of [this.#recent, this.#whole, this.#spikes]) past.clear();
  }

  rewind(step: number): void {
    for (const past of [this.#recent, this.#whole, this.#spikes]) past.rewind(step);
  }

  /** Calls `visit` with the centre in steps, and the least and largest value, of each interval that overlaps the steps from `from` to before `to`. */
  each(label: string, from: number, to: number, visit: (step: number, least: number, most: number) => void): void {
    const lane = this.#labels.indexOf(label);
    if (lane < 0) return;
    if (from < this.#recent.since) this.#whole.each(lane, from, this.#endOfWhole(to), visit);
    this.#recent.each(lane, from, to, visit);
  }

  /** The least and the largest value of a label in the intervals that {@link each} visits; Infinity and -Infinity without one. */
  range(label: string, from: number, to: number): [least: number, most: number] {
    const lane = this.#labels.indexOf(label);
    if (lane < 0) return [Infinity, -Infinity];
    const [least, most] = this.#recent.range(lane, from, to);
    if (from >= this.#recent.since) return [least, most];
    const before = this.#whole.range(lane, from, this.#endOfWhole(to));
    return [Math.min(least, before[0]), Math.max(most, before[1])];
  }

  /** Calls `visit` with each step from `from` to before `to` in which the neuron of a column fired, and the largest value near it. */
  eachSpike(label: string, from: number, to: number, visit: (step: number, value: number) => void): void {
    const lane = this.#labels.indexOf(label);
    const own = this.#lanes[lane];
    if (own === undefined || own === null) return;
    this.#spikes.each(from, to, (step, neuron) => {
      if (neuron !== own) return;
      let found: number | null = null;
      this.each(label, step, step + 1, (_, __, most) => (found ??= most));
      if (found !== null) visit(step, found);
    });
  }

  /** Where intervals of the whole run end: the one that contains the first recent step is left out. */
  #endOfWhole(to: number): number {
    return Math.min(to, Math.floor(this.#recent.since / this.#whole.steps) * this.#whole.steps);
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
}
