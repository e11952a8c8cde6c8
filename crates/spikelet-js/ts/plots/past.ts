// The data of plots of the whole run. Their memory is limited for any duration of a run.

import type { Samples, Spikes } from "../events.js";
import type { Info, StatisticValues } from "../raw.js";
import { MarkPast } from "./past/marks.js";
import { RatePast } from "./past/rates.js";
import { SampleGroups } from "./past/groups.js";
import { SpikePast } from "./past/spikes.js";
import { StatisticPast } from "./past/statistics.js";
import type { Chosen, Label, Need } from "./plot.js";

/** Biological times in ms since which data are stored; null if they are not stored. */
export interface KeptData {
  readonly spikesMs: number | null;
  /** Spikes are stored of neurons whose number is a multiple of this. */
  readonly every: number;
  readonly ratesMs: number | null;
  readonly tracesMs: number | null;
}

/** Data of a simulation. Only data that a plot needs are stored. */
export class Past {
  readonly spikes: SpikePast;
  readonly rates: RatePast;
  readonly samples: SampleGroups;
  readonly statistics: StatisticPast;
  readonly marks: MarkPast;
  /** Index of the population of each neuron. */
  readonly members: Uint16Array;
  readonly #needs: Set<Need>;
  readonly #dtMs: number;

  /** @param plots The plots that use the data. @param recentMs Time with the best resolution of rates and traces, in ms. */
  constructor(info: Info, plots: readonly Chosen[], recentMs: number) {
    const steps = Math.max(1, Math.ceil(recentMs / info.dtMs));
    this.#dtMs = info.dtMs;
    this.#needs = new Set(plots.flatMap(({ kind }) => kind.needs));
    this.members = new Uint16Array(info.neurons);
    info.network.populations.forEach(({ first, size }, place) => this.members.fill(place, first, first + size));
    this.spikes = new SpikePast(info.neurons, steps);
    this.rates = new RatePast(info, this.members, recentMs);
    this.samples = new SampleGroups(steps);
    this.statistics = new StatisticPast(info);
    this.marks = new MarkPast();
    this.need(this.#needs, plots.flatMap(({ labels }) => labels));
  }

  /** Stores further data from now on; what is stored stays. */
  need(needs: Iterable<Need>, labels: readonly Label[]): void {
    for (const one of needs) this.#needs.add(one);
    this.samples.add(labels);
  }

  takeSpikes(spikes: Spikes, info: Info): void {
    // Rates need the spikes to be counted again when the run goes back.
    if (this.#needs.has("spikes") || this.#needs.has("rates")) this.spikes.push(spikes);
    if (this.#needs.has("rates")) this.rates.push(spikes);
    if (this.#needs.has("samples")) this.samples.pushSpikes(spikes, info);
  }

  takeSamples(samples: Samples, info: Info): void {
    if (this.#needs.has("samples")) this.samples.push(samples, info);
  }

  takeMeasured(measured: StatisticValues): void {
    if (this.#needs.has("statistics")) this.statistics.push(measured);
  }

  /** What is stored. */
  get kept(): KeptData {
    return {
      spikesMs: this.#needs.has("spikes") ? this.spikes.since * this.#dtMs : null,
      every: this.spikes.every,
      ratesMs: this.#needs.has("rates") ? this.rates.sinceMs : null,
      tracesMs: this.#needs.has("samples") ? this.samples.since * this.#dtMs : null,
    };
  }

  /** The run continues from this step, where it has been before: what was later is removed. */
  rewind(step: number): void {
    const timeMs = step * this.#dtMs;
    this.spikes.rewind(step);
    this.rates.rewind(step, this.spikes);
    this.samples.rewind(step);
    this.statistics.rewind(timeMs);
    this.marks.rewind(timeMs);
  }

  clear(): void {
    for (const past of [this.spikes, this.rates, this.samples, this.statistics, this.marks]) past.clear();
  }
}
