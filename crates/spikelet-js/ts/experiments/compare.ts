// Runs that are kept, and how another run differs from one.

import { SpikeletError } from "../errors.js";
import { firstFrom } from "../plots/measure/list.js";
import { MEASURES, measure } from "../plots/measure/measures.js";
import type { Source } from "../plots/measure/trains.js";
import type { Info } from "../raw.js";
import { parametersOf } from "./grid.js";

/** Maximum number of kept runs. */
export const MAX_KEPT = 4;
/** Maximum number of spikes of a kept run; they need 8 bytes each. */
const MAX_SPIKES = 1 << 22;
/** Bins of the rates of a comparison. */
const BINS = 200;

/** The stored spikes of a run: those of the plots, or a `SpikeList`. */
export type StoredSpikes = Source["past"]["spikes"];

/** A run that is kept. */
export interface KeptRun {
  readonly name: string;
  readonly network: string;
  readonly seed: string;
  readonly dtMs: number;
  readonly populations: readonly { readonly name: string; readonly first: number; readonly size: number }[];
  /** The parameters at the end of the run. */
  readonly values: readonly { readonly path: string; readonly unit: string; readonly value: number }[];
  /** The steps whose spikes are known: from `since` to before `end`. */
  readonly since: number;
  readonly end: number;
  /** Spikes are known of neurons whose number is a multiple of this. */
  readonly every: number;
  /** In the order of steps. */
  readonly steps: Uint32Array;
  readonly neurons: Uint32Array;
}

/**
 * Copies the spikes and the values of a run.
 *
 * @param timeMs The time of the run, in ms.
 * @throws `SpikeletError` if there is nothing to keep, or too much.
 */
export function keepRun(name: string, info: Info, spikes: StoredSpikes, timeMs: number): KeptRun {
  const [since, end] = [spikes.since ?? 0, Math.round(timeMs / info.dtMs)];
  if (end <= since) throw new SpikeletError("argument", "there is no run to keep yet; let the network run first", "run");
  const count = spikes.count(since, end);
  if (count > MAX_SPIKES) throw new SpikeletError("argument", `the run has ${count} spikes, at most ${MAX_SPIKES} can be kept; keep a shorter run`, "run");
  const [steps, neurons] = [new Uint32Array(count), new Uint32Array(count)];
  let place = 0;
  spikes.each(since, end, (step, neuron) => {
    steps[place] = step;
    neurons[place] = neuron;
    place += 1;
  });
  const { network, seed, dtMs } = info;
  const values = parametersOf(info).map(({ path, unit, value }) => ({ path, unit, value }));
  const populations = network.populations.map(({ name: population, first, size }) => ({ name: population, first, size }));
  return { name, network: network.name, seed: String(seed), dtMs, populations, values, since, end, every: spikes.every, steps, neurons };
}

/** A measure of two runs. */
export interface MeasureDifference {
  readonly population: string;
  readonly title: string;
  readonly unit: string;
  /** Of the kept run and of the other one; NaN if there are too few spikes. */
  readonly before: number;
  readonly now: number;
  readonly difference: number;
  /** The difference in percent of the kept run; NaN if that is 0. */
  readonly percent: number;
}

/** A parameter that differs. NaN where it does not exist, or is not a single number. */
export interface ValueDifference {
  readonly path: string;
  readonly unit: string;
  readonly before: number;
  readonly now: number;
}

/** The first spike that only one of two runs has. */
export interface FirstDifference {
  readonly timeMs: number;
  /** Number of the neuron in its population. */
  readonly population: string;
  readonly neuron: number;
  /** Whether the kept run has it. */
  readonly isBefore: boolean;
}

/** How a run differs from a kept one. */
export interface Difference {
  /** The time that both runs have, in ms. Everything below is of this time. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Neurons are compared whose number is a multiple of this. */
  readonly every: number;
  readonly values: readonly ValueDifference[];
  readonly measures: readonly MeasureDifference[];
  /** The first spike that differs; null if the spikes are the same. Undefined if they cannot be compared: the time steps or the populations differ. */
  readonly first: FirstDifference | null | undefined;
}

/**
 * How a run differs from a kept one, in the time that both have.
 *
 * @throws `SpikeletError` if they have no time in common.
 */
export function difference(before: KeptRun, now: KeptRun): Difference {
  const fromMs = Math.max(before.since * before.dtMs, now.since * now.dtMs);
  const toMs = Math.min(before.end * before.dtMs, now.end * now.dtMs);
  if (toMs <= fromMs) {
    const span = ({ since, end, dtMs }: KeptRun) => `from ${Number((since * dtMs).toPrecision(12))} to ${Number((end * dtMs).toPrecision(12))} ms`;
    throw new SpikeletError("argument", `the runs have no time in common: spikes are stored ${span(before)} and ${span(now)}; let the network run longer`, "run");
  }
  const every = Math.max(before.every, now.every);
  return { fromMs, toMs, every, values: valueDifferences(before, now), measures: measureDifferences(before, now, fromMs, toMs), first: firstDifference(before, now, every) };
}

function valueDifferences(before: KeptRun, now: KeptRun): ValueDifference[] {
  const paths = [...new Set([...before.values, ...now.values].map(({ path }) => path))];
  const rows = paths.map((path) => {
    const [one, other] = [before, now].map(({ values }) => values.find((value) => value.path === path));
    return { path, unit: (one ?? other)!.unit, before: one?.value ?? NaN, now: other?.value ?? NaN };
  });
  return rows.filter((row) => !Object.is(row.before, row.now));
}

function measureDifferences(before: KeptRun, now: KeptRun, fromMs: number, toMs: number): MeasureDifference[] {
  const common = before.populations.filter(({ name }) => now.populations.some((other) => other.name === name));
  return common.flatMap(({ name: population }) =>
    MEASURES.map(({ name, title, unit }) => {
      const [one, other] = [before, now].map((run) => measure(name, sourceOf(run, fromMs, toMs), population).value) as [number, number];
      return { population, title, unit, before: one, now: other, difference: other - one, percent: one === 0 ? NaN : (100 * (other - one)) / Math.abs(one) };
    }),
  );
}

/** The spikes of a kept run, as a source of measures. */
function sourceOf(run: KeptRun, fromMs: number, toMs: number): Source {
  const { every, since, steps, neurons, dtMs, populations } = run;
  const place = (step: number) => firstFrom(steps, step);
  const spikes = {
    every,
    since,
    count: (from: number, to: number) => place(to) - place(from),
    each: (from: number, to: number, visit: (step: number, neuron: number) => void) => {
      const end = place(to);
      for (let spike = place(from); spike < end; spike += 1) visit(steps[spike]!, neurons[spike]!);
    },
  };
  return { info: { dtMs, network: { populations } }, past: { spikes }, span: { fromMs, toMs, nowMs: toMs } };
}

/** Compares the neurons that spike in each step; their order within a step has no meaning. */
function firstDifference(before: KeptRun, now: KeptRun, every: number): FirstDifference | null | undefined {
  const layout = ({ populations }: KeptRun) => JSON.stringify(populations);
  if (before.dtMs !== now.dtMs || layout(before) !== layout(now)) return undefined;
  const [from, to] = [Math.max(before.since, now.since), Math.min(before.end, now.end)];
  const runs = [before, now].map(({ steps, neurons }) => ({ steps, neurons, place: firstFrom(steps, from), end: firstFrom(steps, to) }));
  const [one, other] = runs as [(typeof runs)[0], (typeof runs)[0]];
  const next = (run: typeof one) => (run.place < run.end ? run.steps[run.place]! : Infinity);
  for (;;) {
    const step = Math.min(next(one), next(other));
    if (step === Infinity) return null;
    const [firsts, seconds] = runs.map((run) => {
      const found = new Set<number>();
      for (; next(run) === step; run.place += 1) if (run.neurons[run.place]! % every === 0) found.add(run.neurons[run.place]!);
      return found;
    }) as [Set<number>, Set<number>];
    const onlyFirst = [...firsts].filter((neuron) => !seconds.has(neuron));
    const onlySecond = [...seconds].filter((neuron) => !firsts.has(neuron));
    if (onlyFirst.length + onlySecond.length === 0) continue;
    const neuron = Math.min(...onlyFirst, ...onlySecond);
    const population = before.populations.find(({ first, size }) => neuron >= first && neuron < first + size)!;
    return { timeMs: Number((step * before.dtMs).toPrecision(12)), population: population.name, neuron: neuron - population.first, isBefore: onlyFirst.includes(neuron) };
  }
}

/** Rates of a population in bins. */
export interface RunRates {
  readonly binMs: number;
  /** Start of the first bin, in ms. */
  readonly fromMs: number;
  /** In Hz. */
  readonly values: Float64Array;
}

/** The rate of a population in complete bins of a time span; the bins are as wide for all runs of this span. */
export function ratesIn(run: KeptRun, population: string, fromMs: number, toMs: number): RunRates {
  const { dtMs, every } = run;
  const found = run.populations.find(({ name }) => name === population);
  const width = Math.max(1, Math.round((toMs - fromMs) / BINS / dtMs));
  const [from, to] = [Math.max(run.since, Math.ceil(fromMs / dtMs - 1e-6)), Math.min(run.end, Math.ceil(toMs / dtMs - 1e-6))];
  const values = new Float64Array(Math.max(0, Math.floor((to - from) / width)));
  if (found) {
    const known = Math.ceil((found.first + found.size) / every) - Math.ceil(found.first / every);
    const unit = 1000 / (Math.max(known, 1) * width * dtMs);
    for (let spike = firstFrom(run.steps, from); spike < run.steps.length; spike += 1) {
      const bin = Math.floor((run.steps[spike]! - from) / width);
      if (bin >= values.length) break;
      const neuron = run.neurons[spike]!;
      if (neuron >= found.first && neuron < found.first + found.size) values[bin]! += unit;
    }
  }
  return { binMs: width * dtMs, fromMs: from * dtMs, values };
}
