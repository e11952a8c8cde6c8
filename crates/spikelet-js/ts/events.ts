import type { SpikeletError } from "./errors.js";
import type { Rates } from "./rates.js";
import type { Building, Changed, Info, Measured, Notice, State } from "./raw.js";

/** The spikes of the latest steps of one trial; also told where there are none, so that time passes. */
export interface Spikes {
  /** Which trial. */
  readonly trial: number;
  /** First of the steps. */
  readonly firstStep: number;
  /** How many steps. */
  readonly steps: number;
  /** Length of a step, in ms: a spike of step k came at k · dtMs. */
  readonly dtMs: number;
  /** Number of the neuron of each spike, in the order of steps. Neurons are numbered through; see `first` of a population. */
  readonly neurons: Uint32Array;
  /** Step of each spike. */
  readonly spikeSteps: Uint32Array;
}

/** What was recorded in the latest steps of one trial. */
export interface Samples {
  /** Which trial. */
  readonly trial: number;
  /** First of the steps. */
  readonly firstStep: number;
  /** How many steps. */
  readonly steps: number;
  /** Length of a step, in ms. */
  readonly dtMs: number;
  /** How many columns: one for each of `info.channels`, which name them and their unit. */
  readonly columns: number;
  /** Row after row, a row per step: the state at the start of the step. */
  readonly values: Float32Array;
}

/** How far it is: while a network is built anew, or while it runs. */
export interface Progress {
  /** How far the network is, while it is built. */
  readonly building: Building | null;
  /** Biological time, in ms. */
  readonly timeMs: number;
  /** From 0 to 1; null in a run of open end. */
  readonly done: number | null;
  /** Wall time ÷ biological time, lately: below 1 is faster than real time. */
  readonly realTimeFactor: number | null;
}

/** What a simulation tells, by the type of event. */
export interface Events {
  /** Once for each batch of steps and each trial. */
  spikes: Spikes;
  /** Once for each batch in which a bin ended. */
  rates: Rates;
  /** Once for each batch and trial, where something is recorded. */
  samples: Samples;
  /** Statistics over synapses, where the network asks for them. */
  statistics: Measured;
  /** It runs or pauses now, or was put to another time. */
  state: State;
  /** A parameter has a new value: it was set, or a change of the network's own came due or was undone. */
  changed: Changed;
  /** What the network is has changed: it was built anew, or goes on on another device. */
  info: Info;
  /** Once for each batch, and while the network is built anew. */
  progress: Progress;
  /** Something to know that stops nothing: no threads, no GPU, a device that was lost. */
  notice: Notice;
  /** A run broke off, or the engine is gone. */
  error: SpikeletError;
}

/** Their names. */
export const EVENTS: Readonly<Record<keyof Events, true>> = {
  spikes: true, rates: true, samples: true, statistics: true, state: true, changed: true, info: true, progress: true, notice: true, error: true,
};
