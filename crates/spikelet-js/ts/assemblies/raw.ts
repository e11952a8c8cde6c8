// The messages of the module of assemblies, as `crates/spikelet-assemblies-js/src/protocol.rs` defines them.

import type { Failure } from "../raw.js";

/** How synapses are represented; see `BrainOptions`. */
export type Mode = "explicit" | "procedural" | "lazy";

/** What makes it harder for a neuron that has won to win again. */
export type Refraction =
  | {
      /** A penalty that decays: in the next round `strength`, after `period` rounds 0. It is subtracted from the input. */
      kind: "refractory";
      strength: number;
      period: number;
    }
  | {
      /** A bias that never decays: it grows by `strength` × input at each win, and is subtracted from the input. */
      kind: "refracted";
      strength: number;
    };

/** A fibre: source and target. */
export type Fibre = [from: string, to: string];

/** @internal A request. */
export type Command =
  | { type: "create"; body: { p: number; seed: number | bigint; mode: Mode; wMax: number; memory: number } }
  | { type: "addArea"; body: { name: string; n: number; k: number; beta: number; explicit: boolean; refraction: Refraction | null } }
  | { type: "addStimulus"; body: { name: string; size: number } }
  | { type: "setBeta"; body: { from: string; to: string; beta: number } }
  | { type: "setPlasticity"; body: { learns: boolean } }
  | { type: "project"; body: { fibres: Fibre[]; rounds: number; watch: boolean } }
  | { type: "winners" | "fix" | "unfix" | "forget"; body: { area: string } }
  | { type: "setWinners"; body: { area: string; winners: number[] } }
  | { type: "activate"; body: { area: string; index: number } }
  | { type: "describe" | "memory" };

/** @internal The answer to a request. */
export type Reply =
  | { type: "done" }
  | { type: "neurons"; body: Uint32Array }
  | { type: "description"; body: BrainInfo }
  | { type: "memory"; body: MemoryItem[] };

/** @internal An event. */
export type Told = { type: "ready" } | { type: "round"; body: RawRound } | { type: "stopped"; body: Failure };

/** @internal A round. */
export interface RawRound {
  round: number;
  fibres: Fibre[];
  winners: { area: string; neurons: Uint32Array }[];
}

/** A brain. */
export interface BrainInfo {
  /** The number of rounds so far. */
  rounds: number;
  /** Whether synapses learn. */
  plastic: boolean;
  /** Its areas, in the order in which they were added. */
  areas: AreaInfo[];
  /** Its stimuli, in the order in which they were added. */
  stimuli: StimulusInfo[];
}

/** An area of a brain. */
export interface AreaInfo {
  /** Its name. */
  name: string;
  /** Number of neurons. */
  n: number;
  /** How many of them fire in a round. */
  k: number;
  /** β of the fibres into it. */
  beta: number;
  /** Whether it keeps its winners. */
  fixed: boolean;
  /** The number of neurons that have ever won. */
  support: number;
}

/** A stimulus of a brain. */
export interface StimulusInfo {
  /** Its name. */
  name: string;
  /** Number of its neurons. */
  size: number;
}

/** A part of the memory of a brain. */
export interface MemoryItem {
  /** What it is. */
  what: string;
  /** Its size. */
  bytes: number;
}
