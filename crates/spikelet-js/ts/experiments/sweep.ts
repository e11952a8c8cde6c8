import { type ListenOptions, type Unsubscribe, Emitter } from "../emitter.js";
import { SpikeletError, notAllowed } from "../errors.js";
import { type CreateOptions, type EngineOptions, checkKeys, checkSeed, positive, wholeNumber } from "../options.js";
import type { Info } from "../raw.js";
import type { Files, NetworkSource } from "../source.js";
import { Spikelet } from "../spikelet.js";
import { type Axis, MAX_RUNS, type SweptParameter, axisOf, combinations } from "./grid.js";
import { type MeasureWords, Reading, type SweepMeasure, measureWords, summary } from "./reading.js";

/** Wall time that a sweep may take by its estimate, in s. */
const LIMIT_S = 3600;
/** Networks with more synapses run one at a time, with the threads of the engine. */
const LARGE_SYNAPSES = 3_000_000;
/** Maximum number of Workers; each has an engine with memory of its own. */
const MAX_WORKERS = 8;

/** Options of a sweep. */
export interface SweepOptions extends EngineOptions {
  /** One or two parameters; the first varies slowest. */
  parameters: readonly SweptParameter[];
  /** Duration of each run, in ms of biological time. */
  ms: number;
  /** Time at the start of each run that is not measured, in ms; default 0. */
  warmUpMs?: number | undefined;
  /** Number of trials of each combination, with the same connectivity and independent noise; default 1. */
  repeats?: number | undefined;
  /** What is measured; default `"rate"`. */
  measure?: SweepMeasure | undefined;
  /** The population that is measured; default: the first one. */
  population?: string | undefined;
  /** For the measure `"mean"`: the variable, `"E.v[0:20]"`. */
  variable?: string | undefined;
  /** Seed of connectivity, initial values and noise; default: the seed of the network. */
  seed?: number | bigint | undefined;
  /** As for `Spikelet.create`. */
  scale?: number | undefined;
  files?: Files | undefined;
  /** Maximum number of Workers; default: the number of cores less one. */
  workers?: number | undefined;
  /** Maximum wall time in s, by an estimate after the first combination; default 3600. */
  limitS?: number | undefined;
}

/** The result of a combination. */
export interface SweepPoint {
  /** Its index in the grid. */
  readonly index: number;
  /** The index of the value of each parameter. */
  readonly at: readonly number[];
  /** The values, in the unit of each parameter, and as quantities. */
  readonly values: readonly number[];
  readonly texts: readonly string[];
  /** The measured value of each trial; NaN if there are too few spikes for it. */
  readonly measured: readonly number[];
  /** Mean and standard deviation of the trials whose value is known. */
  readonly mean: number;
  readonly sd: number;
  /** Number of spikes of all neurons, for each trial. */
  readonly spikes: readonly number[];
  /** The hash of the spikes of each trial, as `Spikelet.spikesHash` and the command line report it. */
  readonly spikesHashes: readonly (string | null)[];
  /** The error of this combination; null if there was none. */
  readonly failure: string | null;
}

/** The result of a sweep. */
export interface SweepResult {
  /** Name of the network. */
  readonly network: string;
  readonly axes: readonly Axis[];
  readonly measure: MeasureWords;
  /** The population, or the variable, that was measured. */
  readonly of: string;
  readonly ms: number;
  readonly warmUpMs: number;
  readonly repeats: number;
  readonly seed: bigint;
  /** In the order of the grid; after {@link SweepRun.stop} only those that were computed. */
  readonly points: readonly SweepPoint[];
  /** Whether all combinations were computed. */
  readonly isComplete: boolean;
  /** Wall time in s, and the number of Workers. */
  readonly seconds: number;
  readonly workers: number;
}

/** The progress of a sweep. */
export interface SweepProgress {
  /** Combinations, and those that are computed. */
  readonly done: number;
  readonly total: number;
  /** Wall time so far, and the expected rest, in s; null before the first combination. */
  readonly seconds: number;
  readonly remaining: number | null;
}

/** The events of a sweep. */
export interface SweepEvents {
  /** The sweep has begun: its axes are known. */
  begin: Omit<SweepResult, "points" | "isComplete" | "seconds">;
  /** A combination was computed. */
  point: SweepPoint;
  progress: SweepProgress;
}

const KEYS = ["parameters", "ms", "warmUpMs", "repeats", "measure", "population", "variable", "seed", "scale", "files", "workers", "limitS", "worker", "signal"] satisfies (keyof SweepOptions)[];

/** A sweep that runs: an iterator of its combinations in the order of their completion, with events and a result. */
export class SweepRun implements AsyncIterable<SweepPoint> {
  /** All results. Rejects with the error that ended the sweep; an error of a single combination does not end it. */
  readonly result: Promise<SweepResult>;
  readonly #events = new Emitter<SweepEvents>();
  readonly #points: SweepPoint[] = [];
  readonly #stop = new AbortController();
  /** Resolves when a combination was computed, or the sweep has ended. */
  #turn = turn();
  #isOver = false;

  /** @internal */
  constructor(network: NetworkSource, options: SweepOptions) {
    checkSweep(options);
    this.result = this.#run(network, options).finally(() => {
      this.#isOver = true;
      this.#turn.resolve();
    });
    // Who only iterates gets the error there.
    this.result.catch(() => {});
  }

  /** Ends the sweep at once. The result has the combinations that were computed. */
  stop(): void {
    this.#stop.abort();
  }

  /** Adds a listener for an event; see {@link SweepEvents}. Returns a function that removes it. */
  on<Type extends keyof SweepEvents>(type: Type, listener: (event: SweepEvents[Type]) => void, options: ListenOptions = {}): Unsubscribe {
    if (!["begin", "point", "progress"].includes(type)) throw notAllowed("type", type, '"begin", "point" or "progress"');
    if (typeof listener !== "function") throw notAllowed("listener", listener, "a function");
    checkKeys(options, "signal");
    return this.#events.on(type, listener, options);
  }

  /** The combinations as they are computed. Leaving the loop early stops the sweep. */
  async *[Symbol.asyncIterator](): AsyncGenerator<SweepPoint, void, undefined> {
    let isLeft = true;
    try {
      for (let place = 0; ; ) {
        const { promise } = this.#turn;
        while (place < this.#points.length) yield this.#points[place++]!;
        if (this.#isOver) break;
        await promise;
      }
      isLeft = false;
      await this.result;
    } finally {
      if (isLeft) this.stop();
    }
  }

  async #run(network: NetworkSource, options: SweepOptions): Promise<SweepResult> {
    const { signal, repeats = 1, limitS = LIMIT_S } = options;
    signal?.throwIfAborted();
    const clock = stopwatch();
    const ended = new AbortController();
    const end = () => ended.abort();
    for (const one of [signal, this.#stop.signal]) one?.addEventListener("abort", end);
    if (this.#stop.signal.aborted) end();
    const open: Spikelet[] = [];
    let begun: SweepEvents["begin"] | null = null;
    try {
      const first = await opened(network, options, ended.signal, open);
      const { info } = first;
      const plan = planOf(info, options);
      const grid = combinations(plan.axes);
      const workers = isLarge(info) ? 1 : Math.min(options.workers ?? workersByDefault(), grid.length);
      begun = { ...plan, network: info.network.name, ms: options.ms, warmUpMs: options.warmUpMs ?? 0, repeats, seed: info.seed, workers };
      this.#events.emit("begin", begun);
      const beganS = clock();
      let next = 0;
      const work = async (simulation: Spikelet) => {
        if (plan.measure.name === "mean") await simulation.record(plan.of);
        while (next < grid.length) {
          const index = next++;
          const point = await compute(simulation, plan, options, index, grid[index]!);
          ended.signal.throwIfAborted();
          this.#add(point);
          const done = this.#points.length;
          // Other Workers have also begun a combination.
          const remaining = (clock() - beganS) * (grid.length / Math.min(done + workers - 1, grid.length) - 1);
          this.#events.emit("progress", { done, total: grid.length, seconds: clock(), remaining });
          if (done === 1 && remaining > limitS) throw tooLong(remaining, limitS, grid.length * repeats);
        }
      };
      const others = Array.from({ length: workers - 1 }, async () => work(await opened(network, options, ended.signal, open)));
      await Promise.all([work(first), ...others]);
      return this.#result(begun, clock());
    } catch (error) {
      signal?.throwIfAborted();
      if (!this.#stop.signal.aborted) throw error;
      if (!begun) throw new SpikeletError("disposed", "the sweep was stopped before its first run");
      return this.#result(begun, clock());
    } finally {
      for (const one of [signal, this.#stop.signal]) one?.removeEventListener("abort", end);
      open.forEach((one) => one.dispose());
      end();
    }
  }

  #add(point: SweepPoint): void {
    this.#points.push(point);
    this.#events.emit("point", point);
    const { resolve } = this.#turn;
    this.#turn = turn();
    resolve();
  }

  #result(begun: SweepEvents["begin"], seconds: number): SweepResult {
    const points = [...this.#points].sort((one, other) => one.index - other.index);
    const all = begun.axes.reduce((product, { numbers }) => product * numbers.length, 1);
    return { ...begun, points, isComplete: points.length === all, seconds };
  }
}

/**
 * Runs a network with all combinations of the values of one or two parameters, in Workers of its own, and measures each run; see
 * docs/experiments.md.
 *
 * ```js
 * const run = sweep("cuba", { parameters: [{ path: "E.taum", from: 10, to: 30, steps: 5 }], ms: 500, warmUpMs: 100, measure: "rate" });
 * for await (const { texts, mean, sd } of run) console.log(texts[0], mean, sd);
 * ```
 *
 * @param network A network as for `Spikelet.create`. The values of its parameters that are not varied stay.
 * @throws {@link SpikeletError} If an option is invalid; parameters are checked when the network is built.
 */
export function sweep(network: NetworkSource, options: SweepOptions): SweepRun {
  return new SweepRun(network, options);
}

/** What all runs of a sweep have in common. */
interface Plan {
  readonly axes: readonly Axis[];
  readonly measure: MeasureWords;
  readonly of: string;
}

/** Checks what does not depend on the network. */
function checkSweep(options: SweepOptions): void {
  checkKeys(options, ...KEYS);
  const { parameters, ms, warmUpMs = 0, repeats = 1, measure = "rate", population, variable, seed, workers, limitS } = options;
  if (!Array.isArray(parameters) || parameters.length < 1 || parameters.length > 2) throw notAllowed("parameters", parameters, "a list of one or two parameters");
  positive("ms", ms, "a duration in ms above 0");
  if (!(warmUpMs >= 0 && warmUpMs < ms)) throw notAllowed("warmUpMs", warmUpMs, `a time in ms from 0 to before the end of the run at ${ms} ms`);
  wholeNumber("repeats", repeats, 1);
  measureWords(measure);
  if (population !== undefined && typeof population !== "string") throw notAllowed("population", population, "the name of a population");
  if (measure === "mean" && typeof variable !== "string") throw notAllowed("variable", variable, 'the variable whose mean is measured, such as "E.v[0:20]"');
  if (measure !== "mean" && variable !== undefined) throw notAllowed("variable", variable, 'nothing, because only the measure "mean" has a variable');
  if (seed !== undefined) checkSeed(seed);
  if (workers !== undefined) wholeNumber("workers", workers, 1);
  if (limitS !== undefined) positive("limitS", limitS, "a wall time in s above 0");
}

function planOf(info: Info, { parameters, repeats = 1, measure = "rate", population, variable, ms }: SweepOptions): Plan {
  const axes = parameters.map((parameter, place) => axisOf(parameter, `parameters[${place}]`, info));
  if (axes.length === 2 && axes[0]!.path === axes[1]!.path) throw notAllowed("parameters[1].path", axes[1]!.path, "another parameter than the first one");
  const runs = axes.reduce((product, { numbers }) => product * numbers.length, repeats);
  if (runs > MAX_RUNS) {
    const sizes = axes.map(({ numbers }) => numbers.length).join(" × ");
    throw new SpikeletError("argument", `the sweep has ${runs} runs (${sizes} values, ${repeats} repetitions); at most ${MAX_RUNS} are allowed: use fewer values or repetitions`, "parameters");
  }
  const steps = ms / info.dtMs;
  if (Math.abs(steps - Math.round(steps)) > 1e-6) throw notAllowed("ms", ms, `a multiple of the time step, ${info.dtMs} ms`);
  const words = measureWords(measure);
  if (words.name === "mean") return { axes, measure: { ...words, unit: unitOf(info, variable!) }, of: variable! };
  const { populations } = info.network;
  const of = population ?? populations[0]?.name;
  if (!populations.some(({ name }) => name === of)) throw notAllowed("population", of, `one of ${populations.map(({ name }) => name).join(", ")}`);
  return { axes, measure: words, of: of! };
}

/** The unit of a recorded variable. */
function unitOf({ network: { populations, projections } }: Info, variable: string): string {
  const path = variable.replace(/\s*\[.*$/, "").trim();
  return [...populations, ...projections].flatMap(({ variables }) => variables).find((one) => one.path === path)?.unit ?? "";
}

/** Builds a simulation for one run after the other. */
async function opened(network: NetworkSource, options: SweepOptions, signal: AbortSignal, open: Spikelet[]): Promise<Spikelet> {
  const { repeats = 1, seed, scale, files, worker } = options;
  const create: CreateOptions = { backend: "cpu", threads: 1, trials: repeats, seed, scale, files, worker, signal };
  const simulation = await Spikelet.create(network, create);
  open.push(simulation);
  if (!isLarge(simulation.info)) return simulation;
  simulation.dispose();
  const large = await Spikelet.create(network, { ...create, threads: undefined });
  open.push(large);
  return large;
}

function isLarge({ synapses }: Info): boolean {
  return synapses > LARGE_SYNAPSES;
}

function workersByDefault(): number {
  const cores = (globalThis.navigator as Navigator | undefined)?.hardwareConcurrency ?? 2;
  return Math.min(Math.max(1, cores - 1), MAX_WORKERS);
}

/** Runs a combination. Set parameters stay over a reset, and the initial values are drawn with them: the spikes are those of a network with these values. */
async function compute(simulation: Spikelet, { axes, measure, of }: Plan, options: SweepOptions, index: number, at: readonly number[]): Promise<SweepPoint> {
  const { ms, warmUpMs = 0, repeats = 1 } = options;
  const point = { index, at, values: at.map((place, axis) => axes[axis]!.numbers[place]!), texts: at.map((place, axis) => axes[axis]!.texts[place]!) };
  const { info } = simulation;
  const population = info.network.populations.find(({ name }) => name === of) ?? { first: 0, size: 0 };
  const readings = Array.from({ length: repeats }, () => new Reading(measure.name, warmUpMs));
  const over = new AbortController();
  try {
    for (const [axis, text] of point.texts.entries()) await simulation.set(axes[axis]!.path, text);
    await simulation.reset();
    simulation.on("spikes", (event) => readings[event.trial]!.takeSpikes(event, population), { signal: over.signal });
    simulation.on("samples", (event) => readings[event.trial]!.takeSamples(event), { signal: over.signal });
    await simulation.run(ms);
    const measured = readings.map((reading) => reading.value(info, of));
    return { ...point, measured, ...summary(measured), spikes: readings.map(({ spikes }) => spikes), spikesHashes: simulation.spikesHashes, failure: null };
  } catch (error) {
    if (!(error instanceof SpikeletError) || error.code === "disposed" || error.code === "engine") throw error;
    return { ...point, measured: [], mean: NaN, sd: NaN, spikes: [], spikesHashes: [], failure: error.message };
  } finally {
    over.abort();
  }
}

function tooLong(remaining: number, limitS: number, runs: number): SpikeletError {
  const minutes = (seconds: number) => `${Math.ceil(seconds / 60)} min`;
  const message = `the ${runs} runs would take about ${minutes(remaining)}, more than the limit of ${minutes(limitS)}; use fewer values, fewer repetitions or a shorter run, or a larger limitS`;
  return new SpikeletError("argument", message, "limitS");
}

/** Seconds since now. */
function stopwatch(): () => number {
  const began = performance.now();
  return () => (performance.now() - began) / 1000;
}

/** A promise, and what resolves it. */
function turn(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((resolved) => (resolve = resolved));
  return { promise, resolve };
}
