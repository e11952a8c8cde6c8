/**
 * Spiking neural networks in web pages and in Node: {@link Spikelet.create} builds a simulation.
 *
 * @module spikelet
 */
export type { ListenOptions, Unsubscribe } from "./emitter.js";
export { type ErrorCode, SpikeletError } from "./errors.js";
export type { Events, Progress, Samples, Spikes } from "./events.js";
export type * from "./network.js";
export type { AskOptions, CreateOptions, EngineOptions, JudgeOptions, RunOptions, TrialOptions } from "./options.js";
export type { Rates } from "./rates.js";
export type {
  BackendChoice, BackendKind, BackendSummary, StopReason, Buffer, Building, BuildSeconds, CatalogueEntry, Changed, Channel, Code, Device,
  Devices, Diagnostic, Estimate, DeviceProperty, Info, Judged, Judgement, StatisticValues, Memory, Missing, Model, ModelKind, ModelParameter, ModelPreset,
  ModelVariable, Notice, NoticeCode, Parameter, PopulationSummary, ProjectionEstimate, ProjectionSummary, RunResult, State,
  Statistic as StatisticInfo, Summary, Value, Variable,
} from "./raw.js";
export type { Files, NetworkSource } from "./source.js";
export { Spikelet } from "./spikelet.js";
