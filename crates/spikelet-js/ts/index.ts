/**
 * Spiking neural networks in web pages and in Node: {@link Spikelet.create} builds a simulation.
 *
 * @module spikelet
 */
export type { ListenOptions, Unsubscribe } from "./emitter.js";
export { type ErrorCode, SpikeletError } from "./errors.js";
export type { Compiled } from "./host.js";
export type { Events, Progress, Samples, Spikes } from "./events.js";
export type * from "./network.js";
export type { PopulationStatistics, SpikeStatistics } from "./statistics.js";
export type { Advice, CpuProfile, GpuProfile, RunProfile } from "./profile.js";
export type { AskOptions, CreateOptions, EdgeOptions, EngineOptions, JudgeOptions, PhasePlaneOptions, RestoreOptions, RunOptions, SynapseOptions, TrialOptions } from "./options.js";
export type { Rates } from "./rates.js";
export type {
  AdapterFeature, AdapterLimit, BackendChoice, BackendKind, BackendSummary, StopReason, Buffer, Building, BuildSeconds, CatalogueEntry, Changed, Channel, Code, Device,
  Devices, Diagnostic, Eigenvalue, Estimate, DeviceProperty, FixedPoint, FixedPointKind, GpuEstimate, Info, Judged, Judgement, StatisticValues, Memory, Missing, Model, ModelKind, ModelParameter, ModelPreset,
  ModelVariable, NeuronPositions, Notice, NoticeCode, Parameter, PhasePlane, PlaneAxis, PlaneLines, PlaneRole, PlaneVariable, PopulationSummary, ProjectionEstimate, ProjectionSummary, RunResult, State,
  Statistic as StatisticInfo, Summary, SynapseSample, Value, Variable, ValuesWritten,
} from "./raw.js";
export type { FunctionRule, NetworkObject } from "./rules.js";
export type { Files, NetworkSource } from "./source.js";
export { Spikelet } from "./spikelet.js";
export type { EventStream, StreamOptions, StreamedEvent } from "./stream.js";
