/**
 * Spiking neural networks in a page, or in Node: {@link Spikelet.create} builds one.
 *
 * @module spikelet
 */
export type { ListenOptions, Unsubscribe } from "./emitter.js";
export { type ErrorCode, SpikeletError } from "./errors.js";
export type { Events, Progress, Samples, Spikes } from "./events.js";
export type * from "./network.js";
export type { AskOptions, CreateOptions, EngineOptions, RunOptions, TrialOptions } from "./options.js";
export type { Rates } from "./rates.js";
export type {
  BackendChoice, BackendKind, BackendSummary, Because, Buffer, Building, BuildSeconds, Catalogued, Changed, Channel, Code, Device,
  Devices, Diagnostic, Fact, Info, Measured, Memory, Model, ModelKind, ModelParameter, ModelPreset, ModelVariable, Notice,
  NoticeCode, Parameter, PopulationSummary, ProjectionSummary, Ran, State, Statistic as StatisticInfo, Summary, Value, Variable,
} from "./raw.js";
export type { Files, NetworkSource } from "./source.js";
export { Spikelet } from "./spikelet.js";
