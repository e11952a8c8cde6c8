/**
 * Experiments with networks: {@link sweep} measures runs with many values of parameters, {@link fiCurve} and {@link transferCurve} a single neuron,
 * {@link difference} compares two runs.
 *
 * @module experiments
 */
export { type Axis, MAX_RUNS, type SweptParameter } from "./experiments/grid.js";
export { type MeasureWords, SWEEP_MEASURES, type SweepMeasure } from "./experiments/reading.js";
export {
  type SweepEvents, type SweepOptions, type SweepPoint, type SweepProgress, type SweepResult, SweepRun, sweep,
} from "./experiments/sweep.js";
export { type SweepFile, sweepFile, sweepNpz, sweepRows } from "./experiments/save.js";
export {
  type CurvePoint, type FiOptions, type NeuronCurve, type TransferOptions, fiCurve, transferCurve,
} from "./experiments/neuron.js";
export {
  type Difference, type FirstDifference, type KeptRun, type MeasureDifference, type RunRates, type StoredSpikes, type ValueDifference, difference, keepRun, ratesIn,
} from "./experiments/compare.js";
export { SpikeList } from "./plots/measure/list.js";
export { SpikeletError } from "./errors.js";
