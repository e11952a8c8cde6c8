// What the API takes besides, and how that is looked over.

import { SpikeletError, notAllowed } from "./errors.js";
import type { WorkerSource } from "./host.js";
import type { BackendChoice, Building } from "./raw.js";
import type { Files } from "./source.js";

/** What every question takes besides. */
export interface AskOptions {
  /** Ends the waiting when it is aborted: the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Where the engine comes from. */
export interface EngineOptions extends AskOptions {
  /**
   * A copy of the package's `js/worker.js`, with the folders `mt` and `st` beside its own; the package's own where none is given. Or, in a
   * browser, a function that starts a new Worker, whose script is `spikelet/worker.js` or imports it: `() => new Worker(…)`.
   */
  worker?: string | URL | (() => Worker) | undefined;
}

/** How a network is to be built. */
export interface CreateOptions extends EngineOptions {
  /** `gpu` (WebGPU), `cpu`, or `auto`: the GPU if there is one, else the CPU, with a notice that says why. */
  backend?: BackendChoice | undefined;
  /** At most so many CPU threads; as many as the network gains from where none is given. */
  threads?: number | undefined;
  /** Seed of connectivity, initial values and noise; the network's own where none is given. */
  seed?: number | bigint | undefined;
  /** How many trials run side by side; 1 where none is given. They share their wiring and differ in their noise. */
  trials?: number | undefined;
  /** Size of a built-in network, relative to the published one. */
  scale?: number | undefined;
  /** Files that the network names, by the name that it uses; those of a network with an address are else looked for beside it. */
  files?: Files | undefined;
  /** Width of the bins of the event `rates`, in ms: a multiple of the time step; the one nearest to 10 where none is given. */
  rateBinMs?: number | undefined;
  /** Told how far the network is while it is built. */
  onProgress?: ((progress: Building) => void) | undefined;
}

/** What a run takes besides. */
export interface RunOptions {
  /** Pauses the run when it is aborted; the promise then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What a question about one of several trials takes. */
export interface TrialOptions extends AskOptions {
  /** Which trial; the first, 0, where none is given. */
  trial?: number | undefined;
}

/** Where somebody edits a network. */
export interface JudgeOptions extends AskOptions {
  /** The population that is edited, by its place from 0; it is judged alone too, so that one mistake hides no other. */
  population?: number | undefined;
  /** Its parameters whose values were typed since its equations: these are judged by the equations, which are judged by the others. */
  typed?: string[] | undefined;
}

/** Refuses options by names that a function does not know, and a signal that is none. */
export function checkKeys(options: AskOptions, ...names: string[]): void {
  if (typeof options !== "object" || options === null) throw notAllowed("options", options, `an object with ${names.join(", ")}`);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new SpikeletError("argument", `there is no option \`${unknown}\`; the options here are ${names.join(", ")}`, unknown);
  }
  const { signal } = options;
  if (signal !== undefined && typeof signal?.throwIfAborted !== "function") throw notAllowed("signal", signal, "an AbortSignal");
}

const CREATE = ["backend", "threads", "seed", "trials", "scale", "files", "rateBinMs", "onProgress", "worker", "signal"] satisfies
  (keyof CreateOptions)[];

/** Refuses options that no network can be built with. */
export function checkOptions(options: CreateOptions): void {
  checkKeys(options, ...CREATE);
  const { backend, threads, seed, trials, scale, files, rateBinMs, onProgress } = options;
  if (backend !== undefined && !["auto", "gpu", "cpu"].includes(backend)) {
    throw notAllowed("backend", backend, '"auto", "gpu" or "cpu"');
  }
  if (threads !== undefined) wholeNumber("threads", threads, 1);
  if (trials !== undefined) wholeNumber("trials", trials, 1);
  if (seed !== undefined && typeof seed !== "bigint") wholeNumber("seed", seed, 0);
  if (typeof seed === "bigint" && BigInt.asUintN(64, seed) !== seed) throw notAllowed("seed", seed, "a whole number of 64 bits");
  if (scale !== undefined) positive("scale", scale, "a number above 0");
  if (rateBinMs !== undefined) positive("rateBinMs", rateBinMs, "a number of ms above 0");
  if (onProgress !== undefined && typeof onProgress !== "function") throw notAllowed("onProgress", onProgress, "a function");
  if (files !== undefined && (typeof files !== "object" || files === null)) throw notAllowed("files", files, "an object of Uint8Arrays");
  for (const [name, content] of Object.entries(files ?? {})) {
    if (!(content instanceof Uint8Array)) throw notAllowed(`files[${JSON.stringify(name)}]`, content, "a Uint8Array");
  }
}

/** A number or several, all of them finite. */
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

/** Where the Worker comes from, if that is said. */
export function workerOf({ worker }: EngineOptions): WorkerSource {
  if (worker === undefined || typeof worker === "function") return worker;
  try {
    return new URL(worker, (globalThis as { document?: Document }).document?.baseURI);
  } catch {
    throw notAllowed("worker", worker, "the address of a copy of the package's js/worker.js, or a function that starts it");
  }
}

/** Refuses what is no multiple of the time step. */
export function multipleOf(path: string, value: number, dtMs: number): void {
  const steps = value / dtMs;
  if (Math.round(steps) < 1 || Math.abs(steps - Math.round(steps)) > 1e-6) {
    throw notAllowed(path, value, `a multiple of the time step, ${dtMs} ms`);
  }
}

/** Which trial is meant. */
export function trialOf({ trial = 0 }: TrialOptions): number {
  wholeNumber("trial", trial, 0);
  return trial;
}

/** The place of a population. */
export function placeOf(population: number): number {
  wholeNumber("population", population, 0);
  return population;
}

function wholeNumber(path: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) throw notAllowed(path, value, `a whole number, ${least} or more`);
}

function positive(path: string, value: number, expected: string): void {
  if (!(value > 0 && Number.isFinite(value))) throw notAllowed(path, value, expected);
}
