// A report: what a GPU is, whether it computes rightly, and how fast it is.

import { SpikeletError, notAllowed } from "../errors.js";
import type { WorkerSource } from "../host.js";
import { type AskOptions, type EngineOptions, checkKeys, positive, workerOf } from "../options.js";
import { Spikelet } from "../spikelet.js";
import { adapterLine, machineLine, withoutGpu } from "./adapter.js";
import { type Shared, compare, sentence } from "./agree.js";
import { COMPARED_IN_REHEARSAL, MEASURED, REHEARSED, compared } from "./cases.js";
import { figure } from "./figures.js";
import { type AdapterLine, type ReportLine, type StepLine, type StepName, VERSION, jsonLines } from "./lines.js";
import { adapterOf, probe } from "./probe.js";

/** Options of {@link gpuReport}. */
export interface GpuReportOptions extends AskOptions, EngineOptions {
  /** Approximate wall time in s; default 60. Networks for which no time is left are left out. */
  seconds?: number | undefined;
  /** Whether networks and times are tiny, to try the report itself: its figures say nothing. Default false. */
  rehearsal?: boolean | undefined;
  /** Called with each line as soon as it is known. */
  onResult?: ((line: ReportLine) => void) | undefined;
}

/** A report. */
export interface GpuReport {
  readonly lines: readonly ReportLine[];
  /** The lines as the text of a file, one JSON object per line. */
  readonly text: string;
  /** The GPU; null if there is none, and the report has nothing else then. */
  readonly adapter: AdapterLine | null;
  /** Why there is no GPU, and what to do; null if there is one. */
  readonly noGpuBecause: string | null;
}

/** Usual wall time, and that of a rehearsal, in s. */
const [SECONDS, REHEARSAL_SECONDS] = [60, 20];
/** The part of the time after which no further network is compared. */
const COMPARISON = 0.45;
/** How much longer a network may take that was begun in time, relative to the whole time: then it is stopped. */
const OVERTIME = 0.25;
/** Wall times of the measurement of a figure, in s. */
const [SHORTEST_S, LONGEST_S] = [0.1, 1.5];

/**
 * Reports on the GPU that the browser offers: what it is; how it rounds single operations, and whether networks have the same spikes on it as on the
 * CPU; and the speed of networks on both. Takes about a minute.
 *
 * ```js
 * const { text } = await gpuReport({ onResult: (line) => console.log(line) });
 * ```
 *
 * @throws {@link SpikeletError} If an option is invalid. What fails on the GPU is a line of the report. Aborting `options.signal` ends the report at
 * once; the lines so far were passed to `onResult`.
 */
export async function gpuReport(options: GpuReportOptions = {}): Promise<GpuReport> {
  checkKeys(options, "seconds", "rehearsal", "onResult", "worker", "signal");
  const { rehearsal = false, onResult, worker, signal } = options;
  const seconds = options.seconds ?? (rehearsal ? REHEARSAL_SECONDS : SECONDS);
  positive("seconds", seconds, "a wall time in s above 0");
  if (typeof rehearsal !== "boolean") throw notAllowed("rehearsal", rehearsal, "true or false");
  if (onResult !== undefined && typeof onResult !== "function") throw notAllowed("onResult", onResult, "a function");
  workerOf({ worker });
  signal?.throwIfAborted();
  return new Report({ seconds, rehearsal, worker, signal, onResult }).run();
}

interface Checked {
  readonly seconds: number;
  readonly rehearsal: boolean;
  readonly worker: string | URL | Exclude<WorkerSource, URL> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onResult: GpuReportOptions["onResult"];
}

/** The end of a step that is not complete. */
class Unfinished {
  constructor(readonly reason: string) {}
}

class Report {
  readonly #lines: ReportLine[] = [];
  readonly #options: Checked;
  readonly #began = performance.now();
  #noGpuBecause: string | null = null;

  constructor(options: Checked) {
    this.#options = options;
  }

  async run(): Promise<GpuReport> {
    const { seconds, rehearsal } = this.#options;
    const command = `gpuReport({ ${rehearsal ? "rehearsal: true, " : ""}seconds: ${seconds} })`;
    this.#add({ kind: "report", format: 1, spikelet: VERSION, date: new Date().toISOString().replace(/\.\d+/, ""), from: "tab", command, rehearsal });
    this.#add(machineLine());
    const adapter = await this.#step("adapter", () => this.#adapter());
    if (adapter) {
      await this.#step("operations", () => probe(adapter.adapter, this.#options.signal, (line) => this.#add(line)));
      await this.#step("networks", () => this.#compare());
      await this.#step("figures", () => this.#measure());
    }
    return { lines: this.#lines, text: jsonLines(this.#lines), adapter: adapter?.line ?? null, noGpuBecause: this.#noGpuBecause };
  }

  get #left(): number {
    return this.#options.seconds - (performance.now() - this.#began) / 1000;
  }

  get #shared(): Shared {
    const { worker, signal } = this.#options;
    return { ...(worker !== undefined && { worker }), ...(signal && { signal }) };
  }

  #add(line: ReportLine): void {
    this.#lines.push(line);
    this.#options.onResult?.(line);
  }

  /** Takes a step, and adds how it ended. Rejects only if the report was stopped. */
  async #step<Result>(step: StepName, take: () => Promise<Result | Unfinished>): Promise<Result | null> {
    const began = performance.now();
    const end = (how: StepLine["end"], reason?: string) =>
      this.#add({ kind: "step", step, seconds: Number(((performance.now() - began) / 1000).toFixed(2)), end: how, ...(reason !== undefined && { reason }) });
    try {
      const result = await take();
      if (!(result instanceof Unfinished)) {
        end("done");
        return result;
      }
      end("limit", result.reason);
    } catch (error) {
      if (this.#options.signal?.aborted) {
        end("failed", "stopped by the user");
        throw error;
      }
      end("failed", sentence(error, undefined));
    }
    return null;
  }

  async #adapter(): Promise<{ readonly adapter: GPUAdapter; readonly line: AdapterLine }> {
    const devices = await Spikelet.devices(this.#shared);
    const gpu = (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu;
    const adapter = await adapterOf(gpu);
    if (!devices.gpu || !adapter) {
      this.#noGpuBecause = withoutGpu(devices);
      throw new SpikeletError("no_gpu", this.#noGpuBecause);
    }
    const line = adapterLine(devices.gpu, adapter);
    this.#add(line);
    return { adapter, line };
  }

  async #compare(): Promise<void | Unfinished> {
    const { rehearsal, seconds } = this.#options;
    const networks = rehearsal ? COMPARED_IN_REHEARSAL : compared(await Spikelet.networks(this.#shared));
    for (const [place, network] of networks.entries()) {
      if (this.#left < (1 - COMPARISON) * seconds) return new Unfinished(`${place} of ${networks.length} networks were compared`);
      const isDone = await this.#inTime((shared) => compare(network, shared, (line) => this.#add(line)));
      if (!isDone) return new Unfinished(`${network.name} takes too long`);
    }
  }

  async #measure(): Promise<void | Unfinished> {
    const cases = this.#options.rehearsal ? REHEARSED : MEASURED;
    for (const [place, measured] of cases.entries()) {
      const left = this.#left;
      // The build and the first spikes take about as long as the measurement.
      const time = Math.min(Math.max(left / (cases.length - place) / 4, SHORTEST_S), LONGEST_S);
      if (left < Math.max(measured.needsS ?? 0, 4 * SHORTEST_S)) return new Unfinished(`${place} of ${cases.length} networks were measured`);
      for (const device of ["gpu", "cpu"] as const) {
        const isDone = await this.#inTime(async (shared) => this.#add(await figure(measured, device, time, shared)));
        if (!isDone) return new Unfinished(`${measured.name} takes too long on the ${device.toUpperCase()}`);
      }
    }
  }

  /** Whether something was done before the time was long over. */
  async #inTime(act: (shared: Shared) => Promise<void>): Promise<boolean> {
    const { seconds, signal } = this.#options;
    const over = new AbortController();
    const stop = () => over.abort(signal?.reason);
    const timer = setTimeout(stop, 1000 * Math.max(this.#left + OVERTIME * seconds, 0));
    signal?.addEventListener("abort", stop);
    try {
      await act({ ...this.#shared, signal: over.signal });
      return true;
    } catch (error) {
      if (signal?.aborted || !over.signal.aborted) throw error;
      return false;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }
}
