import type { Samples, Spikes } from "../../events.js";
import type { Info } from "../../raw.js";
import { SamplePast } from "./samples.js";

/** Recorded variables that were added at different times: each group is stored from its addition on, and none is lost when another one is added. */
export class SampleGroups {
  readonly #recent: number;
  readonly #groups: SamplePast[] = [];
  readonly #groupOf = new Map<string, SamplePast>();

  /** @param recent Number of recent steps, whose intervals are the shortest. */
  constructor(recent: number) {
    this.#recent = recent;
  }

  /** Stores further variables from now on. */
  add(labels: readonly string[]): void {
    const further = [...new Set(labels)].filter((label) => !this.#groupOf.has(label));
    if (further.length === 0) return;
    const group = new SamplePast(this.#recent, further);
    this.#groups.push(group);
    for (const label of further) this.#groupOf.set(label, group);
  }

  push(samples: Samples, info: Info): void {
    for (const group of this.#groups) group.push(samples, info);
  }

  pushSpikes(spikes: Spikes, info: Info): void {
    for (const group of this.#groups) group.pushSpikes(spikes, info);
  }

  /** The first step of which there are values. */
  get since(): number {
    return this.#groups.reduce((least, group) => Math.min(least, group.since), this.#groups[0]?.since ?? 0);
  }

  rewind(step: number): void {
    for (const group of this.#groups) group.rewind(step);
  }

  clear(): void {
    for (const group of this.#groups) group.clear();
  }

  /** See `SamplePast`. */
  each(label: string, from: number, to: number, visit: (step: number, least: number, most: number) => void): void {
    this.#groupOf.get(label)?.each(label, from, to, visit);
  }

  /** See `SamplePast`. */
  range(label: string, from: number, to: number): [least: number, most: number] {
    return this.#groupOf.get(label)?.range(label, from, to) ?? [Infinity, -Infinity];
  }

  /** See `SamplePast`. */
  eachSpike(label: string, from: number, to: number, visit: (step: number, value: number) => void): void {
    this.#groupOf.get(label)?.eachSpike(label, from, to, visit);
  }
}
