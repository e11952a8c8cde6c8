// The messages of the module of training, as `crates/spikelet-train-js/src/protocol.rs` defines them.

import type { Failure, NamedFile } from "../raw.js";

/** Ways to compute a gradient: `bptt` (surrogate gradients), `eventprop` (exact gradients of spike times) or `eprop` (online, three factors). */
export type Method = "bptt" | "eventprop" | "eprop";

/** Samples to train on, or those to evaluate with. */
export type Part = "train" | "validation" | "test";

/** @internal A request. */
export type Command =
  | { type: "presets" | "evaluate" | "weights" | "network" | "checkpoint" }
  | { type: "preset"; body: { name: string; method: Method | null } }
  | { type: "open"; body: RawOpen }
  | { type: "train"; body: { batches: number; seconds: number } }
  | { type: "sample"; body: { of: Part; index: number } }
  | { type: "plane"; body: { resolution: number } }
  | { type: "restore"; body: { content: Uint8Array } };

/** @internal A training, and what replaces its values. */
export interface RawOpen {
  json: string;
  files: NamedFile[];
  epochs: number | null;
  seed: number | bigint | null;
  rate: number | null;
  batch: number | null;
}

/** @internal The answer to a request. */
export type Reply =
  | { type: "done" }
  | { type: "presets"; body: Preset[] }
  | { type: "opened"; body: TrainingInfo }
  | { type: "trained"; body: RawTrained }
  | { type: "score"; body: Score | null }
  | { type: "sample"; body: RawSample }
  | { type: "plane"; body: Uint8Array }
  | { type: "weights"; body: ParameterGroup[] }
  | { type: "text"; body: string }
  | { type: "bytes"; body: Uint8Array };

/** @internal An event. */
export type ModuleEvent = { type: "ready" } | { type: "stopped"; body: Failure };

/** A named training. */
export interface Preset {
  /** Its name. */
  name: string;
  /** A short title. */
  title: string;
  /** Its publication. */
  citation: string;
  /** Its methods, the usual one first. */
  methods: Method[];
}

/** A training that is open. */
export interface TrainingInfo {
  /** Its name. */
  name: string;
  /** How the gradient is computed. */
  method: Method;
  /** The method and the device, for users. */
  device: string;
  /** Passes over the data. */
  epochs: number;
  /** Epochs that were done when it was opened or restored. */
  epoch: number;
  /** Batches of an epoch. */
  batches: number;
  /** Samples in a batch. */
  batch: number;
  /** The rate of learning at the start. */
  rate: number;
  /** Number of samples to train on. */
  trainSamples: number;
  /** Number of samples to evaluate with. */
  testSamples: number;
  /** Number of classes; 0 if samples have none. */
  classes: number;
  /** Duration of a sample, in ms. */
  durationMs: number;
  /** The time step, in ms. */
  dtMs: number;
  /** The population whose spikes are the input of a sample. */
  input: string;
  /** The populations, in the order of the network. */
  populations: { name: string; size: number }[];
  /** Number of synapses. */
  synapses: number;
  /** Number of numbers that are trained. */
  parameters: number;
  /** Whether the input is two numbers, so that there is a picture of decisions. */
  hasPlane: boolean;
}

/** @internal What a request has trained. */
export interface RawTrained {
  epoch: number;
  batch: number;
  loss: number;
  accuracy: number | null;
  ended: RawEpoch | null;
}

/** @internal An epoch. */
export interface RawEpoch {
  epoch: number;
  loss: number;
  lossTest: number | null;
  accuracyTrain: number | null;
  accuracyTest: number | null;
  rates: PopulationRate[];
  notices: string[];
}

/** The mean rate of a population. */
export interface PopulationRate {
  /** Its name. */
  population: string;
  /** Spikes per neuron and second. */
  rateHz: number;
}

/** An evaluation. */
export interface Score {
  /** The mean loss. */
  loss: number;
  /** The share of correct samples, from 0 to 1; null if samples have no classes. */
  accuracy: number | null;
}

/** @internal A sample. */
export interface RawSample {
  class: number | null;
  decision: number | null;
  neurons: Uint32Array;
  timesMs: Float32Array;
}

/** Numbers that are trained alike. */
export interface ParameterGroup {
  /** What they are: the name of a projection, or a parameter such as `hidden.tau`. */
  path: string;
  /** Their values before training, in inner units. */
  before: Float32Array;
  /** Their values now. */
  now: Float32Array;
}
