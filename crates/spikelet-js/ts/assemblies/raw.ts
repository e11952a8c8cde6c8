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
  | { type: "operate"; body: { operation: Operation; watch: boolean } }
  | { type: "parse"; body: { text: string; grammar: string; p: number; seed: number | bigint; n: number; k: number; rounds: number } }
  | { type: "winners" | "fix" | "unfix" | "forget"; body: { area: string } }
  | { type: "setWinners"; body: { area: string; winners: number[] } }
  | { type: "activate"; body: { area: string; index: number } }
  | { type: "describe" | "memory" | "grammars" };

/** @internal The answer to a request. */
export type Reply =
  | { type: "done" }
  | { type: "neurons"; body: Uint32Array }
  | { type: "report"; body: Report }
  | { type: "parse"; body: Parse }
  | { type: "grammars"; body: Lexicon[] }
  | { type: "description"; body: BrainInfo }
  | { type: "memory"; body: MemoryItem[] };

/** @internal An event. */
export type ModuleEvent = { type: "ready" } | { type: "round"; body: RawRound } | { type: "stopped"; body: Failure };

/** @internal A round. */
export interface RawRound {
  round: number;
  fibres: Fibre[];
  winners: { area: string; neurons: Uint32Array }[];
}

/** @internal An operation. */
export type Operation =
  | { type: "form"; source: string; area: string; rounds: number }
  | { type: "reciprocalProject"; from: string; to: string; rounds: number }
  | { type: "associate" | "merge"; parents: [RawParent, RawParent]; area: string; rounds: number }
  | { type: "recall"; parent: RawParent; merged: string; other: string; rounds: number }
  | { type: "complete"; area: string; fraction: number; rounds: number; draw: number }
  | { type: "separate"; stimuli: [string, string]; area: string; rounds: number };

/** @internal An assembly that takes part in an operation. */
export interface RawParent {
  area: string;
  stimulus: string | null;
}

/** @internal What an operation gives. */
export type Report = Formed | Reciprocal | Association | Merged | Completed | Separated;

/** An assembly that was formed. */
export interface Formed {
  /** Its area. */
  area: string;
  /** The winners of the last round, in ascending order. */
  neurons: Uint32Array;
  /** The number of neurons of the area that have ever won. */
  support: number;
  /** Share of the winners of the last round that had won the round before: 1 if the assembly does not change any more. */
  stability: number;
}

/** The result of a reciprocal projection. */
export interface Reciprocal {
  /** The assembly of the other area. */
  formed: Formed;
  /** Overlap of the original assembly with what one round back gives. */
  returned: number;
  /** The same after more rounds with recurrent input. */
  settled: number;
}

/** The result of an association. Overlaps are of images in the third area. */
export interface Association {
  /** The images of the two parents, of both together, and of the two parents afterwards. */
  images: [Formed, Formed, Formed, Formed, Formed];
  /** Overlap of the two images before. */
  before: number;
  /** Overlap of each image before with that of both together. */
  joint: [number, number];
  /** Overlap of the two images afterwards. */
  after: number;
  /** Overlap of the image of each parent afterwards with that of the other one before. */
  crossed: [number, number];
  /** Overlap of the image of each parent afterwards with that of both together. */
  kept: [number, number];
}

/** The result of a merge. */
export interface Merged {
  /** The assemblies of the parents. */
  parents: [Formed, Formed];
  /** The assembly of the third area. */
  merged: Formed;
}

/** The result of a completion. */
export interface Completed {
  /** The winners before. */
  original: Uint32Array;
  /** Those of them that fired at first. */
  kept: Uint32Array;
  /** The assembly afterwards. */
  formed: Formed;
  /** Its overlap with the original. */
  recovered: number;
}

/** The result of a separation. */
export interface Separated {
  /** The assemblies of both stimuli. */
  formed: [Formed, Formed];
  /** Their overlap. */
  overlap: number;
}

/** A sentence that was parsed. */
export interface Parse {
  /** The path of each word. */
  words: WordPath[];
  /** The root of the sentence. */
  root: string;
  /** The dependencies, as they were read out of the synapses. */
  dependencies: Dependency[];
}

/** What happened while a word was read. */
export interface WordPath {
  /** The word. */
  word: string;
  /** Its kind, such as `noun`. */
  kind: string;
  /** The area in which its assembly formed. */
  area: string;
  /** The areas that were open. */
  openAreas: string[];
  /** The fibres that were active. */
  fibres: Fibre[];
  /** The winners of each area that has some, after the rounds of the word. */
  winners: { area: string; neurons: Uint32Array }[];
}

/** A dependency between two words. */
export interface Dependency {
  /** The word on which the other one depends. */
  head: string;
  /** The other word. */
  dependent: string;
  /** What it is: the name of its area, such as `SUBJ`. */
  area: string;
}

/** A grammar. */
export interface Lexicon {
  /** Its name: `english` or `russian`. */
  name: string;
  /** The areas of its parser; words are blocks of neurons of the first one. */
  areas: string[];
  /** Its words with their kinds. */
  words: { word: string; kind: string }[];
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
