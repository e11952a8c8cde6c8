/** What to change, in options of the package or keys of the network, and the measured reason. */
export interface Advice {
  change: string;
  reason: string;
}

/** The profile of runs on CPU threads. */
export interface CpuProfile {
  /** Those that took time, the slowest first; `share` is a fraction of the time of all. */
  operations: { name: "update" | "propagate" | "synapses" | "learn" | "select" | "exchange" | "record"; seconds: number; share: number }[];
  /** The populations whose neurons slept, with the fraction of their steps that were not computed. */
  asleep: { population: string; share: number }[];
  threads: number;
  neuron_updates_per_second: number | null;
  synaptic_events_per_second: number | null;
  advice: Advice[];
}

/** The profile of runs on a GPU. */
export interface GpuProfile {
  /** The slowest first; empty if the device has no timestamps. */
  kernels: { name: string; dispatches: number; seconds: number; share: number; bytes_per_second: number | null }[];
  /** The fraction of the time in which the device worked, if known. */
  busy: number | null;
  submissions: number;
  dispatches: number;
  dispatches_per_step: number;
  events_per_second: number;
  /** Wall time to record and submit commands. */
  encode_seconds: number;
  /** Bandwidth of a copy between buffers of the device, with bytes read and written. */
  copy_bytes_per_second: number;
  /** What limits the speed, as a sentence. */
  bottleneck: string;
  advice: Advice[];
}

/** The profile of all runs of a simulation: `profile` of the report of `spikelet run --profile --json`. */
export type RunProfile = CpuProfile | GpuProfile;
