import type { PopulationSummary } from "../../raw.js";
import type { Computation } from "./computation.js";

/** Spikes of which trains are made, at most about; above it, those of every second, fourth, … neuron. */
const MAX_SPIKES = 1 << 19;
/** Width of the bins of counts in ms, and their maximum number; above it they become wider. */
const BIN_MS = 1;
const MAX_BINS = 1 << 18;
/** Spikes between two pauses. */
const AT_ONCE = 1 << 15;

/** What spikes are measured of: a scene of a plot, or the spikes of a run. Times without spikes count as silence. */
export interface Source {
  readonly info: { readonly dtMs: number; readonly network: { readonly populations: readonly Pick<PopulationSummary, "name" | "size" | "first">[] } };
  readonly past: {
    readonly spikes: {
      /** Spikes are known of neurons whose number is a multiple of this power of two. */
      readonly every: number;
      /** The first step whose spikes are known; 0 by default. */
      readonly since?: number;
      count(from: number, to: number): number;
      each(from: number, to: number, visit: (step: number, neuron: number) => void): void;
    };
  };
  /** The time span. It ends at `nowMs` if this is before `toMs`. */
  readonly span: { readonly fromMs: number; readonly toMs: number; readonly nowMs: number };
}

/** The neurons of a population that are measured. */
export interface Members {
  readonly name: string;
  /** Number of neurons of the population. */
  readonly size: number;
  /** Number of neurons whose spikes are known, and the number of their spikes. */
  readonly known: number;
  readonly spikes: number;
  /** Spikes of the known neurons in each bin. */
  readonly counts: Float64Array;
  /** The trains, of all neurons or of every second, fourth, … one: train `k` is `steps[starts[k]]` to before `steps[starts[k + 1]]`. */
  readonly starts: Uint32Array;
  /** Steps since the start of the span; ascending in each train. */
  readonly steps: Uint32Array;
}

/** The spikes of a time span by population and neuron. */
export interface Trains {
  readonly fromMs: number;
  readonly toMs: number;
  readonly dtMs: number;
  readonly steps: number;
  readonly binMs: number;
  /** There are trains of the neurons whose number is a multiple of this. */
  readonly every: number;
  readonly populations: readonly Members[];
}

/** Reads the spikes of a time span. */
export function* trainsOf({ info: { dtMs, network: { populations } }, past: { spikes }, span }: Source): Computation<Trains> {
  const from = Math.max(0, Math.ceil(span.fromMs / dtMs - 1e-6), spikes.since ?? 0);
  const to = Math.max(from, Math.ceil(Math.min(span.toMs, span.nowMs) / dtMs - 1e-6));
  const steps = to - from;
  const all = spikes.count(from, to);
  let every = spikes.every;
  while ((all * spikes.every) / every > MAX_SPIKES) every *= 2;
  let binSteps = Math.max(1, Math.round(BIN_MS / dtMs));
  while (steps / binSteps > MAX_BINS) binSteps *= 2;
  const bins = Math.floor(steps / binSteps);

  const neurons = populations.reduce((most, { first, size }) => Math.max(most, first + size), 0);
  const members = new Uint16Array(neurons);
  populations.forEach(({ first, size }, index) => members.fill(index, first, first + size));
  const counts = populations.map(() => new Float64Array(bins));
  const totals = new Float64Array(populations.length);
  // The spikes of a neuron are counted, then sorted by neuron.
  const starts = new Uint32Array(Math.ceil(neurons / every) + 1);
  const found = new Pairs();
  const chunk = Math.max(1, Math.floor((steps * AT_ONCE) / Math.max(all, 1)));
  for (let begin = from; begin < to; begin += chunk) {
    yield;
    spikes.each(begin, Math.min(begin + chunk, to), (step, neuron) => {
      const index = members[neuron]!;
      const bin = Math.floor((step - from) / binSteps);
      if (bin < bins) counts[index]![bin]! += 1;
      totals[index]! += 1;
      if (neuron % every !== 0) return;
      found.push(step - from, neuron / every);
      starts[neuron / every + 1]! += 1;
    });
  }
  yield;
  for (let index = 1; index < starts.length; index += 1) starts[index]! += starts[index - 1]!;
  const sorted = new Uint32Array(found.count);
  const next = starts.slice();
  for (let pair = 0; pair < found.count; pair += 1) {
    if (pair % AT_ONCE === 0) yield;
    const neuron = found.second[pair]!;
    sorted[next[neuron]!] = found.first[pair]!;
    next[neuron]! += 1;
  }
  yield;
  const within = (first: number, size: number, stride: number) => [Math.ceil(first / stride), Math.ceil((first + size) / stride)] as const;
  const read = populations.map(({ name, first, size }, index): Members => {
    const [begin, end] = within(first, size, every);
    const [low, high] = within(first, size, spikes.every);
    return { name, size, known: high - low, spikes: totals[index]!, counts: counts[index]!, starts: starts.subarray(begin, end + 1), steps: sorted };
  });
  return { fromMs: from * dtMs, toMs: to * dtMs, dtMs, steps, binMs: Number((binSteps * dtMs).toPrecision(12)), every, populations: read };
}

/** Trains between two pauses. */
const TRAINS_AT_ONCE = 1 << 13;

/** Calls `visit` for each train with its range in `steps`. */
export function* eachTrain({ starts }: Members, visit: (begin: number, end: number) => void): Computation<void> {
  for (let train = 0; train + 1 < starts.length; train += 1) {
    if (train % TRAINS_AT_ONCE === 0) yield;
    visit(starts[train]!, starts[train + 1]!);
  }
}

/** Pairs of whole numbers. */
class Pairs {
  first = new Uint32Array(1 << 12);
  second = new Uint32Array(1 << 12);
  count = 0;

  push(first: number, second: number): void {
    if (this.count === this.first.length) {
      const larger = (numbers: Uint32Array) => {
        const copy = new Uint32Array(numbers.length * 2);
        copy.set(numbers);
        return copy;
      };
      [this.first, this.second] = [larger(this.first), larger(this.second)];
    }
    this.first[this.count] = first;
    this.second[this.count] = second;
    this.count += 1;
  }
}
