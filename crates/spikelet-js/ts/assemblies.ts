/**
 * The assembly calculus in web pages and in Node: {@link Brain.create} makes a brain.
 *
 * @module assemblies
 */
export {
  type AreaOptions, Brain, type BrainEvents, type BrainOptions, type Fibres, type Round, overlap,
} from "./assemblies/brain.js";
export type { AreaInfo, BrainInfo, Fibre, MemoryItem, Mode, Refraction, StimulusInfo } from "./assemblies/raw.js";
export { SpikeletError } from "./errors.js";
