/**
 * A report on the GPU that the browser offers: what it is, whether it computes rightly, and how fast networks are on it; {@link gpuReport}.
 *
 * @module gpu-report
 */
export { type GpuReport, type GpuReportOptions, gpuReport } from "./gpu-report/report.js";
export type {
  AdapterLine, Bits, FigureLine, FirstDifference, KernelsLine, MachineLine, NetworkLine, OperationLine, ReportHead, ReportLine, StepLine, StepName,
} from "./gpu-report/lines.js";
export { SpikeletError } from "./errors.js";
