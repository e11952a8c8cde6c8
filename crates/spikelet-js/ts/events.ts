import type { SpikeletError } from "./errors.js";
import type { Rates } from "./rates.js";
import type { Building, Changed, Info, StatisticValues, Notice, State, ValuesWritten } from "./raw.js";

/** The spikes of the latest steps of one trial. The event also occurs without spikes, to report the time. */
export interface Spikes {
  /** Index of the trial. */
  readonly trial: number;
  /** The first step. */
  readonly firstStep: number;
  /** Number of steps. */
  readonly steps: number;
  /** Time step in ms: a spike of step k has the time k · dtMs. */
  readonly dtMs: number;
  /** Neuron of each spike, in the order of steps. Neurons are numbered over all populations; see `first` of a population. */
  readonly neurons: Uint32Array;
  /** Step of each spike. */
  readonly spikeSteps: Uint32Array;
}

/** Recorded values of the latest steps of one trial. */
export interface Samples {
  /** Index of the trial. */
  readonly trial: number;
  /** The first step. */
  readonly firstStep: number;
  /** Number of steps. */
  readonly steps: number;
  /** Time step in ms. */
  readonly dtMs: number;
  /** Number of columns: one per element of `info.channels`, which gives names and units. */
  readonly columns: number;
  /** There is a row for each step that is a multiple of this: 1 for recordings in every step. */
  readonly every: number;
  /** Values by rows: the state at the start of the step of the row; NaN where a recording has a longer interval. */
  readonly values: Float32Array;
}

/** Calls `visit` with each row of samples: its step, and the place of its first value. */
export function eachRow({ firstStep, steps, every, columns }: Samples, visit: (step: number, place: number) => void): void {
  let place = 0;
  for (let step = Math.ceil(firstStep / every) * every; step < firstStep + steps; step += every, place += columns) visit(step, place);
}

/** Progress while a network is rebuilt or runs. */
export interface Progress {
  /** Progress of the build. */
  readonly building: Building | null;
  /** Biological time in ms. */
  readonly timeMs: number;
  /** From 0 to 1; null for a run without end. */
  readonly done: number | null;
  /** Recent ratio of wall time to biological time: below 1 is faster than real time. */
  readonly realTimeFactor: number | null;
}

/** The events of a simulation by type. */
export interface Events {
  /** Once per batch of steps and trial. */
  spikes: Spikes;
  /** Once per batch in which a bin ended. */
  rates: Rates;
  /** Once per batch and trial, if there are recordings. */
  samples: Samples;
  /** Statistics of synaptic variables, if the network requests them. */
  statistics: StatisticValues;
  /** The simulation runs, pauses, or has moved to another time. */
  state: State;
  /** A parameter has a new value: it was set, or a change of the network was applied or undone. */
  changed: Changed;
  /** Values were written that `changed` does not contain: variables were set, or learned weights were loaded. */
  written: ValuesWritten;
  /** The network has changed: it was rebuilt, or continues on another device. */
  info: Info;
  /** Once per batch, and while the network is rebuilt. */
  progress: Progress;
  /** A condition that is not an error: no threads, no GPU, a lost device. */
  notice: Notice;
  /** A run failed, or the engine has ended. */
  error: SpikeletError;
}

/** Names of the events. */
export const EVENTS: Readonly<Record<keyof Events, true>> = {
  spikes: true, rates: true, samples: true, statistics: true, state: true, changed: true, written: true, info: true, progress: true, notice: true, error: true,
};
