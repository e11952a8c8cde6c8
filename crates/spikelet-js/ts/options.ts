// Options of the API, and their checks.

import { SpikeletError, notAllowed } from "./errors.js";
import type { WorkerSource } from "./host.js";
import type { BackendChoice, Building, PlaneRequest } from "./raw.js";
import type { Files } from "./source.js";

/** Options of every request. */
export interface AskOptions {
  /** Stops waiting when it is aborted: the promise rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** The source of the engine. */
export interface EngineOptions extends AskOptions {
  /**
   * The URL of a copy of the package's `js/worker.js`, whose parent folder contains `mt` and `st`; default: the script of the package. In a
   * browser also a function that starts a new Worker, whose script is `spikelet/worker.js` or imports it: `() => new Worker(…)`.
   */
  worker?: string | URL | (() => Worker) | undefined;
}

/** Options of the build. */
export interface CreateOptions extends EngineOptions {
  /** `gpu` (WebGPU), `cpu`, or `auto` (default): the GPU if there is one, else the CPU, with a notice that gives the reason. */
  backend?: BackendChoice | undefined;
  /** Maximum number of CPU threads; default: as many as make the network faster. */
  threads?: number | undefined;
  /** Seed of connectivity, initial values and noise; default: the seed of the network. */
  seed?: number | bigint | undefined;
  /** Number of trials that run in parallel; default 1. They share the connectivity and have independent noise. */
  trials?: number | undefined;
  /**
   * Whether neuron models are compiled to WebAssembly on the CPU; default true. `false` interprets them, which is slower and gives the same
   * results, for tests and measurements.
   */
  compile?: boolean | undefined;
  /**
   * Whether a GPU may use its own functions and fused products in neurons and synapses; default false. `true` is faster, and spikes are then
   * no longer those of other devices; see docs/precision.md.
   */
  fastMath?: boolean | undefined;
  /**
   * Invocations per workgroup of a GPU: a power of two from 64 to what the adapter supports, which its limit `maxComputeInvocationsPerWorkgroup`
   * says; default 64. The speed depends on it, spikes do not.
   */
  workgroupSize?: number | undefined;
  /** Whether the spikes are measured while the network runs, for {@link Spikelet.statistics}; a number: from this time on, in ms; default false. */
  statistics?: boolean | number | undefined;
  /**
   * Whether the runs are measured, for {@link Spikelet.profile}; default false. It costs a few percent on the CPU; on a GPU more, because kernels that
   * are measured are dispatched one by one.
   */
  profile?: boolean | undefined;
  /** Size of a built-in network relative to the published size; default 1. */
  scale?: number | undefined;
  /** Files that the network names, by name; for a network with a URL, other files are loaded relative to it. */
  files?: Files | undefined;
  /** Width of the bins of the event `rates`, in ms: a multiple of the time step; default: the multiple nearest to 10 ms. */
  rateBinMs?: number | undefined;
  /** Called with the progress of the build. */
  onProgress?: ((progress: Building) => void) | undefined;
}

/** Options of a run. */
export interface RunOptions {
  /** Pauses the run when it is aborted; the promise then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** Options of `edges`. */
export interface EdgeOptions extends TrialOptions {
  /** A file, `"npz"` (a NumPy archive, the default) or `"csv"`, or typed arrays: `"arrays"`. */
  format?: "npz" | "csv" | "arrays" | undefined;
}

/** Options of `restore`. */
export interface RestoreOptions extends AskOptions {
  /** Whether the snapshot is of the current run; default false. */
  rewind?: boolean | undefined;
}

/** Options of a request for one of several trials. */
export interface TrialOptions extends AskOptions {
  /** Index of the trial; default 0. */
  trial?: number | undefined;
}

/** Options of `synapses`. */
export interface SynapseOptions extends TrialOptions {
  /** Maximum number of synapses; default 20 000. */
  limit?: number | undefined;
  /** Only synapses from a presynaptic neuron, or from those from the first to before the second number: `3` or `[0, 100]`. */
  pre?: number | readonly [number, number] | undefined;
  /** The same for postsynaptic neurons. */
  post?: number | readonly [number, number] | undefined;
}

/** Options of `judge`. */
export interface JudgeOptions extends AskOptions {
  /** Index of the population that is being edited. It is also checked separately, so that other errors do not hide its errors. */
  population?: number | undefined;
  /**
   * Names of its parameters whose values were edited after its equations. These are checked against the equations; the equations are
   * checked against the other parameters.
   */
  typed?: string[] | undefined;
}

/** Options of `phasePlane`. Values are in the units that `get` returns. */
export interface PhasePlaneOptions extends AskOptions {
  /** The name of the population. */
  population: string;
  /** Index of the neuron in the population; default 0. */
  neuron?: number | undefined;
  /** The variable on the horizontal axis; default: the one that the threshold compares. */
  x?: string | undefined;
  /** The variable on the vertical axis; default: one that is coupled with `x`. With the name of `x` the result is a phase line: its rate. */
  y?: string | undefined;
  /** The first and the last value of `x`; default: what the neuron reaches by itself. */
  xRange?: readonly [number, number] | undefined;
  /** The same for `y`. */
  yRange?: readonly [number, number] | undefined;
  /**
   * Values of other variables, by name; default: their initial values. `"steady"` is the value at which the rate of the variable itself is 0, the
   * limit of a very fast variable; its equation must be linear in it.
   */
  clamp?: Readonly<Record<string, number | "steady">> | undefined;
  /** Number of grid nodes along each axis, from 8 to 256; default 64. */
  resolution?: number | undefined;
  /** The time in ms at which functions of time are evaluated; default: the current time. */
  timeMs?: number | undefined;
}

const PLANE = ["population", "neuron", "x", "y", "xRange", "yRange", "clamp", "resolution", "timeMs", "signal"] satisfies (keyof PhasePlaneOptions)[];

/** The request of a phase plane. */
export function planeOf(options: PhasePlaneOptions): PlaneRequest {
  checkKeys(options, ...PLANE);
  const { population, neuron = 0, x, y, xRange, yRange, clamp = {}, resolution = 64, timeMs } = options;
  for (const [name, value] of Object.entries({ population, x: x ?? "", y: y ?? "" })) {
    if (typeof value !== "string") throw notAllowed(name, value, "a name");
  }
  wholeNumber("neuron", neuron, 0);
  wholeNumber("resolution", resolution, 0);
  for (const [name, range] of Object.entries({ xRange, yRange })) {
    const isRange = range === undefined || (range?.length === 2 && range[0] < range[1] && range.every(Number.isFinite));
    if (!isRange) throw notAllowed(name, JSON.stringify(range), "two finite numbers, the smaller one first");
  }
  if (timeMs !== undefined && !Number.isFinite(timeMs)) throw notAllowed("timeMs", timeMs, "a finite number of ms");
  if (typeof clamp !== "object" || clamp === null) throw notAllowed("clamp", clamp, "an object of numbers by the names of variables");
  const clamped = Object.entries(clamp).map(([symbol, value]) => {
    if (value !== "steady" && !Number.isFinite(value)) throw notAllowed(`clamp.${symbol}`, value, 'a finite number, or "steady"');
    return { symbol, value: value === "steady" ? null : value };
  });
  const range = (given: readonly [number, number] | undefined): [number, number] | null => (given === undefined ? null : [given[0], given[1]]);
  return {
    population, neuron, x: x ?? null, y: y ?? null, xRange: range(xRange), yRange: range(yRange), clamp: clamped, resolution, timeMs: timeMs ?? null,
  };
}

/** Rejects unknown options and an invalid signal. */
export function checkKeys(options: object, ...names: string[]): void {
  if (typeof options !== "object" || options === null) throw notAllowed("options", options, `an object with ${names.join(", ")}`);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new SpikeletError("argument", `there is no option \`${unknown}\`; the options here are ${names.join(", ")}`, unknown);
  }
  const { signal } = options as AskOptions;
  if (signal !== undefined && typeof signal?.throwIfAborted !== "function") throw notAllowed("signal", signal, "an AbortSignal");
}

const CREATE = ["backend", "threads", "seed", "trials", "compile", "fastMath", "workgroupSize", "statistics", "profile", "scale", "files", "rateBinMs", "onProgress", "worker", "signal"] satisfies
  (keyof CreateOptions)[];

/** Rejects invalid options of `create`. */
export function checkOptions(options: CreateOptions): void {
  checkKeys(options, ...CREATE);
  const { backend, threads, seed, trials, compile, fastMath, workgroupSize, statistics, profile, scale, files, rateBinMs, onProgress } = options;
  if (backend !== undefined && !["auto", "gpu", "cpu"].includes(backend)) {
    throw notAllowed("backend", backend, '"auto", "gpu" or "cpu"');
  }
  if (threads !== undefined) wholeNumber("threads", threads, 1);
  if (trials !== undefined) wholeNumber("trials", trials, 1);
  if (compile !== undefined && typeof compile !== "boolean") throw notAllowed("compile", compile, "true or false");
  if (fastMath !== undefined && typeof fastMath !== "boolean") throw notAllowed("fastMath", fastMath, "true or false");
  if (profile !== undefined && typeof profile !== "boolean") throw notAllowed("profile", profile, "true or false");
  if (workgroupSize !== undefined) wholeNumber("workgroupSize", workgroupSize, 1);
  if (statistics !== undefined && typeof statistics !== "boolean" && !(Number.isFinite(statistics) && statistics >= 0)) {
    throw notAllowed("statistics", statistics, "true, false, or a time in ms, 0 or more");
  }
  if (seed !== undefined) checkSeed(seed);
  if (scale !== undefined) positive("scale", scale, "a number above 0");
  if (rateBinMs !== undefined) positive("rateBinMs", rateBinMs, "a number of ms above 0");
  if (onProgress !== undefined && typeof onProgress !== "function") throw notAllowed("onProgress", onProgress, "a function");
  if (files !== undefined && (typeof files !== "object" || files === null)) throw notAllowed("files", files, "an object of Uint8Arrays");
  for (const [name, content] of Object.entries(files ?? {})) {
    if (!(content instanceof Uint8Array)) throw notAllowed(`files[${JSON.stringify(name)}]`, content, "a Uint8Array");
  }
}

/** Rejects a value that is not a seed. */
export function checkSeed(seed: number | bigint): void {
  if (typeof seed !== "bigint") wholeNumber("seed", seed, 0);
  else if (BigInt.asUintN(64, seed) !== seed) throw notAllowed("seed", seed, "a whole number of 64 bits");
}

/** Converts one or several finite numbers. */
export function numbersOf(path: string, value: number | ArrayLike<number>): Float64Array {
  const expected = 'a quantity such as "15 ms", a number, or an array of numbers, all of them finite';
  if (typeof value !== "number" && typeof (value as ArrayLike<number> | null)?.length !== "number") throw notAllowed(path, value, expected);
  const all: ArrayLike<number> = typeof value === "number" ? [value] : value;
  for (let place = 0; place < all.length; place += 1) {
    const number: unknown = all[place];
    if (typeof number !== "number" || !Number.isFinite(number)) throw notAllowed(path, number, expected);
  }
  return Float64Array.from(all);
}

/** The source of the Worker, if it is set. */
export function workerOf({ worker }: EngineOptions): WorkerSource {
  if (worker === undefined || typeof worker === "function") return worker;
  try {
    return new URL(worker, (globalThis as { document?: Document }).document?.baseURI);
  } catch {
    throw notAllowed("worker", worker, "the URL of a copy of the package's js/worker.js, or a function that starts it");
  }
}

/** Rejects a value that is not a multiple of the time step. */
export function multipleOf(path: string, value: number, dtMs: number): void {
  const steps = value / dtMs;
  if (Math.round(steps) < 1 || Math.abs(steps - Math.round(steps)) > 1e-6) {
    throw notAllowed(path, value, `a multiple of the time step, ${dtMs} ms`);
  }
}

/** The index of the trial. */
export function trialOf({ trial = 0 }: TrialOptions): number {
  wholeNumber("trial", trial, 0);
  return trial;
}

/** Some neurons: the first, and the one after the last; null if all. */
export function rangeOf(path: string, given: number | readonly [number, number] | undefined): [number, number] | null {
  if (given === undefined) return null;
  const [first, end] = typeof given === "number" ? [given, given + 1] : given;
  wholeNumber(path, first, 0);
  wholeNumber(path, end, first + 1);
  return [first, end];
}

/** The index of a population. */
export function placeOf(population: number): number {
  wholeNumber("population", population, 0);
  return population;
}

/** Rejects a value that is not a whole number of at least `least`. */
export function wholeNumber(path: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) throw notAllowed(path, value, `a whole number, ${least} or more`);
}

/** Rejects a value that is not above 0 and finite. */
export function positive(path: string, value: number, expected: string): void {
  if (!(value > 0 && Number.isFinite(value))) throw notAllowed(path, value, expected);
}
