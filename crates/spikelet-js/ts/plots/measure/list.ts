import type { Spikes } from "../../events.js";
import type { Source } from "./trains.js";

/** All spikes of a run, for {@link measure}; 8 bytes per spike. */
export class SpikeList {
  readonly #events: Pick<Spikes, "firstStep" | "steps" | "spikeSteps" | "neurons">[] = [];

  /** Spikes are stored of all neurons. */
  get every(): number {
    return 1;
  }

  /** The first step of the first event. */
  get since(): number {
    return this.#events[0]?.firstStep ?? 0;
  }

  /** Adds the spikes of an event, in the order of time. */
  push({ firstStep, steps, spikeSteps, neurons }: Pick<Spikes, "firstStep" | "steps" | "spikeSteps" | "neurons">): void {
    this.#events.push({ firstStep, steps, spikeSteps, neurons });
  }

  /** Number of spikes in the steps from `from` to before `to`. */
  count(from: number, to: number): number {
    return this.#events.reduce((sum, { spikeSteps }) => sum + firstFrom(spikeSteps, to) - firstFrom(spikeSteps, from), 0);
  }

  /** Calls `visit` for each spike in the steps from `from` to before `to`, in the order of steps. */
  each(from: number, to: number, visit: (step: number, neuron: number) => void): void {
    for (const { firstStep, steps, spikeSteps, neurons } of this.#events) {
      if (firstStep + steps <= from || firstStep >= to) continue;
      for (let spike = firstFrom(spikeSteps, from); spike < spikeSteps.length && spikeSteps[spike]! < to; spike += 1) {
        visit(spikeSteps[spike]!, neurons[spike]!);
      }
    }
  }

  /** What {@link measure} needs: these spikes with a network, in a time span in ms. */
  in(info: Source["info"], fromMs: number, toMs: number): Source {
    return { info, past: { spikes: this }, span: { fromMs, toMs, nowMs: toMs } };
  }
}

/** @internal Index of the first spike from a step on, or their number. */
export function firstFrom(steps: Uint32Array, step: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle]! < step) low = middle + 1;
    else high = middle;
  }
  return low;
}
