/**
 * The assembly calculus in web pages and in Node: {@link Brain.create} makes a brain, {@link Brain.parse} parses a sentence.
 *
 * @module assemblies
 */
export { Brain, type BrainEvents, type Round, overlap } from "./assemblies/brain.js";
export type { AreaOptions, BrainOptions, CompleteOptions, Fibres, Parent, ParseOptions } from "./assemblies/options.js";
export type {
  AreaInfo, Association, BrainInfo, Completed, Dependency, Fibre, Formed, Lexicon, MemoryItem, Merged, Mode, Parse, Reciprocal, Refraction,
  Separated, StimulusInfo, WordPath,
} from "./assemblies/raw.js";
export { type AskOptions, type EngineOptions } from "./options.js";
export { SpikeletError } from "./errors.js";
