// The recent data of plots. Their memory is limited for any duration of a run.

import type { Samples, Spikes } from "../events.js";
import type { Info, StatisticValues } from "../raw.js";
import { MarkPast } from "./past/marks.js";
import { RatePast } from "./past/rates.js";
import { SamplePast } from "./past/samples.js";
import { SpikePast } from "./past/spikes.js";
import { StatisticPast } from "./past/statistics.js";
import type { Chosen, Need } from "./plot.js";

/** Recent data of a simulation. Only data that a plot needs are stored. */
export class Past {
  readonly spikes: SpikePast;
  readonly rates: RatePast;
  readonly samples: SamplePast;
  readonly statistics: StatisticPast;
  readonly marks: MarkPast;
  /** Index of the population of each neuron. */
  readonly members: Uint16Array;
  readonly #needs: ReadonlySet<Need>;

  /** @param plots The plots that use the data. @param keptMs Length of the stored time, in ms. */
  constructor(info: Info, plots: readonly Chosen[], keptMs: number) {
    const steps = Math.max(1, Math.ceil(keptMs / info.dtMs));
    this.#needs = new Set(plots.flatMap(({ kind }) => kind.needs));
    this.members = new Uint16Array(info.neurons);
    info.network.populations.forEach(({ first, size }, place) => this.members.fill(place, first, first + size));
    this.spikes = new SpikePast(steps, info.neurons);
    this.rates = new RatePast(info, this.members, keptMs);
    this.samples = new SamplePast(steps, [...new Set(plots.flatMap(({ labels }) => labels))]);
    this.statistics = new StatisticPast(info);
    this.marks = new MarkPast(keptMs);
  }

  takeSpikes(spikes: Spikes, info: Info): void {
    if (this.#needs.has("spikes")) this.spikes.push(spikes);
    if (this.#needs.has("rates")) this.rates.push(spikes);
    if (this.#needs.has("samples")) this.samples.pushSpikes(spikes, info);
  }

  takeSamples(samples: Samples, info: Info): void {
    if (this.#needs.has("samples")) this.samples.push(samples, info);
  }

  takeMeasured(measured: StatisticValues): void {
    if (this.#needs.has("statistics")) this.statistics.push(measured);
  }

  clear(): void {
    for (const past of [this.spikes, this.rates, this.samples, this.statistics, this.marks]) past.clear();
  }
}
