// The lines of a report: the results as JSON, one object per line. The command line writes the same lines in `results.jsonl`. What is not known is absent.

/** The bits of a number of four bytes: `0x3f800000` is 1. */
export type Bits = string;

/** The version of the package; a test compares it with package.json. */
export const VERSION = "0.1.0";

/** The first line. */
export interface ReportHead {
  readonly kind: "report";
  readonly format: 1;
  /** The version of the package. */
  readonly spikelet: string;
  /** ISO 8601, UTC. */
  readonly date: string;
  readonly from: "tab";
  readonly command: string;
  /** Whether sizes and times are tiny: its figures say nothing. */
  readonly rehearsal: boolean;
}

/** The machine, as far as a browser reports it. */
export interface MachineLine {
  readonly kind: "machine";
  readonly system?: string;
  /** Hardware threads. */
  readonly threads?: number;
  /** `navigator.userAgent`. */
  readonly browser?: string;
}

/** The GPU. */
export interface AdapterLine {
  readonly kind: "adapter";
  readonly name: string;
  readonly vendor?: string;
  readonly architecture?: string;
  readonly backend: "webgpu";
  readonly driver?: string;
  /** Browsers do not report other types. */
  readonly type?: "software";
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
}

/** How the GPU rounds an operation. */
export interface OperationLine {
  readonly kind: "operation";
  readonly operation: string;
  readonly cases: number;
  /** Number of cases whose results are not those of IEEE 754, rounded to the nearest after each operation. */
  readonly different: number;
  /** How many of them are those of `fma`: a product and a sum that are rounded together. */
  readonly fused?: number;
  readonly first?: { readonly inputs: readonly Bits[]; readonly expected: Bits; readonly found: Bits };
}

/** Whether the GPU compiles all kernels of a network. */
export interface KernelsLine {
  readonly kind: "kernels";
  readonly network: string;
  /** Number of kernels, where the GPU measures times. */
  readonly compiled?: number;
  readonly error?: string;
}

/** The first value that differs. */
export interface FirstDifference {
  /** The step that computed it. */
  readonly step: number;
  /** One of them. */
  readonly population?: string;
  readonly projection?: string;
  /** A neuron, or a synapse of a projection. */
  readonly neuron: number;
  readonly variable: string;
  readonly cpu: Bits;
  readonly gpu: Bits;
}

/** Whether CPU and GPU give the same spikes of a network. */
export interface NetworkLine {
  readonly kind: "network";
  readonly network: string;
  readonly steps: number;
  /** Hashes of the spikes; absent if the run failed. */
  readonly cpu?: string;
  readonly gpu?: string;
  readonly equal: boolean;
  readonly first?: FirstDifference;
  readonly error?: string;
}

/** The speed of a network. */
export interface FigureLine {
  readonly kind: "figure";
  /** Network and size. */
  readonly case: string;
  readonly device: "gpu" | "cpu";
  readonly trials: number;
  /** With the steps of all trials. */
  readonly steps_per_s?: number;
  /** Wall time divided by the biological time of all trials. */
  readonly real_time_factor?: number;
  /** Wall time from the start of the build to the first spike. */
  readonly first_spike_ms?: number;
  /** Wall time of the build. */
  readonly build_s?: number;
  readonly neurons?: number;
  readonly synapses?: number;
  /** CPU threads. */
  readonly threads?: number;
  /** Biological time from the start in which spikes are compared; spikes of the first trial in this time, and their hash. */
  readonly compared_ms?: number;
  readonly spikes?: number;
  readonly hash?: string;
  readonly error?: string;
}

/** The names of the steps of a report, in their order. */
export type StepName = "adapter" | "operations" | "networks" | "figures";

/** The end of a step. */
export interface StepLine {
  readonly kind: "step";
  readonly step: StepName;
  readonly seconds: number;
  /** Whether all of it was done, its time was over, or it failed. */
  readonly end: "done" | "limit" | "failed";
  readonly reason?: string;
}

/** A line of a report. */
export type ReportLine = ReportHead | MachineLine | AdapterLine | OperationLine | KernelsLine | NetworkLine | FigureLine | StepLine;

/** The text of a file of lines. */
export function jsonLines(lines: readonly ReportLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** The bits of a word. */
export function bits(word: number): Bits {
  return `0x${(word >>> 0).toString(16).padStart(8, "0")}`;
}
