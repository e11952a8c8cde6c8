/**
 * Training of spiking networks by gradients, in web pages and in Node: {@link train} trains a network to its end, {@link Training} step by step.
 *
 * @module training
 */
export { TrainingRun, type TrainingResult, train } from "./training/run.js";
export {
  Training, type BatchReport, type EpochReport, type SampleActivity, type TrainingEvents,
} from "./training/training.js";
export type { TrainOptions, TrainingOptions, TrainingSource } from "./training/options.js";
export type { Method, ParameterGroup, Part, PopulationRate, Preset, Score, TrainingInfo } from "./training/raw.js";
export { type AskOptions, type EngineOptions } from "./options.js";
export { SpikeletError } from "./errors.js";
