import type { ListenOptions, Unsubscribe } from "./emitter.js";
import { type Usable, letUsingDispose } from "./disposal.js";
import { type Body, Engine } from "./engine.js";
import { SpikeletError, notAllowed } from "./errors.js";
import { EVENTS, type Events } from "./events.js";
import { type Compiled, provide } from "./host.js";
import type { Network, Recording } from "./network.js";
import {
  type AskOptions, type CreateOptions, type EdgeOptions, type EngineOptions, type JudgeOptions, type PhasePlaneOptions, type RestoreOptions, type RunOptions, type SynapseOptions, type TrialOptions, checkKeys, multipleOf, numbersOf,
  planeOf, rangeOf, trialOf, wholeNumber, workerOf,
} from "./options.js";
import type {
  CatalogueEntry, Command, Devices, Diagnostic, Estimate, Event, Info, Judgement, Memory, Model, NeuronPositions, Notice, PhasePlane, RunResult, Reply, State, SynapseSample, Value,
} from "./raw.js";
import type { RunProfile } from "./profile.js";
import { Reception } from "./reception.js";
import { recordingOf } from "./recording.js";
import { check, createOf, judge, withEngine } from "./requests.js";
import type { NetworkSource } from "./source.js";
import type { SpikeStatistics } from "./statistics.js";
import { type EventStream, type StreamOptions, type StreamedEvent, checkStream } from "./stream.js";
import type { TrainOptions } from "./training/options.js";
import type { TrainingRun } from "./training/run.js";

/** Approximate width of the bins of rates. */
const RATE_BIN_MS = 10;

/** Usual limit of `synapses`. */
const SYNAPSES = 20_000;

/** The limit of the engine. */
const ALL_SYNAPSES = 2 ** 32 - 1;

/** The forms of a recording as text. */
const RECORDED = '"E.v", "E.v[3]" or "E.v[0:10]"';

/**
 * A simulation of a network.
 *
 * It runs in its own Worker with its own memory and does not block the main thread. There can be any number of simulations.
 *
 * ```js
 * const sim = await Spikelet.create("cuba");
 * sim.on("spikes", ({ neurons, spikeSteps }) => draw(neurons, spikeSteps));
 * await sim.run(1000);
 * sim.dispose();
 * ```
 *
 * `using sim = await Spikelet.create("cuba")` disposes of it at the end of the block.
 */
export class Spikelet {
  static {
    letUsingDispose(this);
  }

  readonly #engine: Engine;
  readonly #received: Reception;
  #speed = Infinity;

  private constructor(engine: Engine, received: Reception) {
    this.#engine = engine;
    this.#received = received;
  }

  /**
   * Builds a network. The simulation is paused at t = 0.
   *
   * @param network An object of the JSON format, JSON text, a URL, or the name of a built-in network.
   * @throws {@link SpikeletError} If the network or an option is invalid, or if the engine does not start. Aborting `options.signal`
   * cancels the build at once.
   */
  static async create(network: NetworkSource, options: CreateOptions = {}): Promise<Spikelet> {
    const create = await createOf(network, options);
    const { rateBinMs, signal, onProgress } = options;
    // Events during the build, before there are listeners.
    let received: Reception | null = null;
    const notices: Notice[] = [];
    let state: State = { running: false, timeMs: 0, moved: false, rewound: false, stopped: null };
    const onEvent = (event: Event) => {
      if (received) received.receive(event);
      else if (event.type === "building") onProgress?.(event.body);
      else if (event.type === "notice") notices.push(event.body);
      else if (event.type === "state") state = event.body;
    };
    const build = async (oneThreadBecause: string | null): Promise<[Engine, Info]> => {
      const engine = await Engine.start(workerOf(options), oneThreadBecause, onEvent, signal);
      try {
        return [engine, await engine.request({ type: "create", body: create }, "info", signal)];
      } catch (error) {
        engine.end(null);
        if (engine.fallen === null || oneThreadBecause !== null) throw error;
        return build(`a thread of the engine stopped (${engine.fallen}); reload the page, or try another browser`);
      }
    };
    const [engine, info] = await build(options.threads === 1 ? "one thread was requested" : null);
    try {
      const bin = rateBinMs ?? Math.max(1, Math.round(RATE_BIN_MS / info.dtMs)) * info.dtMs;
      multipleOf("rateBinMs", bin, info.dtMs);
      received = new Reception(info, notices, state, bin, (batch) => engine.send({ type: "ack", body: { batch } }));
      return new Spikelet(engine, received);
    } catch (error) {
      engine.end(null);
      throw error;
    }
  }

  /**
   * All errors in a network; an empty list if it can run. No synapse is drawn.
   *
   * Starts a Worker for this call; {@link check} of a simulation uses the existing one.
   */
  static async check(network: NetworkSource, options: EngineOptions = {}): Promise<Diagnostic[]> {
    return withEngine(options, (engine) => check(engine, network, options.signal));
  }

  /**
   * The memory that {@link create} would need with the same options, on the CPU and on the GPU, computed in milliseconds. No synapse is drawn.
   *
   * @throws {@link SpikeletError} If the network or an option is invalid, or if the network does not fit.
   */
  static async estimate(network: NetworkSource, options: CreateOptions = {}): Promise<Estimate> {
    const body = await createOf(network, options);
    const { worker, signal } = options;
    return withEngine({ worker, signal }, (engine) => engine.request({ type: "estimate", body }, "estimate", signal), false);
  }

  /**
   * {@link check} for a network editor: the errors of each field, names without a value with their dimensions, and the size of the network.
   * No synapse is drawn.
   */
  static async judge(network: NetworkSource, options: JudgeOptions & EngineOptions = {}): Promise<Judgement> {
    const { population, typed, ...rest } = options;
    return withEngine(rest, (engine) => judge(engine, network, { population, typed, signal: rest.signal }));
  }

  /** The library models with their parameters, units and ranges. */
  static async models(options: EngineOptions = {}): Promise<Model[]> {
    return withEngine(options, (engine) => engine.request({ type: "models" }, "models", options.signal));
  }

  /** The built-in networks. */
  static async networks(options: EngineOptions = {}): Promise<CatalogueEntry[]> {
    return withEngine(options, (engine) => engine.request({ type: "networks" }, "networks", options.signal));
  }

  /** The available devices: the GPU that the browser provides, and the number of threads. */
  static async devices(options: EngineOptions = {}): Promise<Devices> {
    // This needs the engine that a network would use, which knows whether there are threads.
    return withEngine(options, (engine) => engine.request({ type: "devices" }, "devices", options.signal), false);
  }

  /**
   * Provides compiled modules, for a page that has the bytes of an engine but no URL of them. Workers that start later do not load these modules. It
   * applies to the package's own Worker and to those that a function of the option `worker` starts.
   *
   * ```js
   * Spikelet.provide({ st: await WebAssembly.compile(bytes) });
   * ```
   *
   * @throws {@link SpikeletError} If one of them is not a module.
   */
  static provide(modules: Compiled): void {
    if (typeof modules !== "object" || modules === null) throw notAllowed("modules", modules, "an object such as { st: module }");
    for (const [name, module] of Object.entries(modules)) {
      if (!(module instanceof WebAssembly.Module)) throw notAllowed(`modules.${name}`, module, "a WebAssembly.Module");
    }
    provide(modules);
  }

  /** The network: populations, projections, parameters with unit and range, the device, and the columns of `samples`. */
  get info(): Info {
    return this.#received.info;
  }

  /** Biological time of the last received batch, in ms. */
  get timeMs(): number {
    return this.#received.state.timeMs;
  }

  /** Whether the simulation runs. */
  get isRunning(): boolean {
    return this.#received.state.running;
  }

  /** All notices since the simulation was created: see the event `notice`. */
  get notices(): readonly Notice[] {
    return this.#received.notices;
  }

  /**
   * Runs the simulation.
   *
   * @param ms Duration in ms of biological time: a multiple of the time step. Without it, the run continues until {@link pause}.
   * @returns How the run ended: after its duration, or before because of a pause, a reset, or a `stop` condition of the network.
   * @throws {@link SpikeletError} `running`: it already runs; `ended`, `broken`: only {@link reset} is possible; or the error that ended
   * the run.
   */
  async run(ms?: number, options: RunOptions = {}): Promise<RunResult> {
    return this.#run(ms ?? null, null, options);
  }

  /**
   * Runs until a condition is true at the end of a step: `"spikes > 10000"`, `"rate(E, 50 ms) > 100 Hz"`, `"spikes(E) >= 500"`, as in
   * `stop` of a network, counted from the start of this run. The next run continues from there.
   *
   * @param ms Maximum duration in ms of biological time.
   */
  async runUntil(condition: string, ms?: number, options: RunOptions = {}): Promise<RunResult> {
    if (typeof condition !== "string") throw notAllowed("condition", condition, 'a text such as "spikes > 10000"');
    return this.#run(ms ?? null, condition, options);
  }

  async #run(ms: number | null, until: string | null, options: RunOptions): Promise<RunResult> {
    checkKeys(options, "signal");
    const { signal } = options;
    signal?.throwIfAborted();
    if (ms !== null && typeof ms !== "number") throw notAllowed("ms", ms, "a number");
    const pause = () => void this.pause().catch(() => {});
    signal?.addEventListener("abort", pause);
    if (!this.isRunning) this.#received.setSpan(ms);
    try {
      const ran = await this.#engine.request({ type: "run", body: { ms, until } }, "runResult");
      signal?.throwIfAborted();
      this.#received.endRun(null);
      return ran;
    } catch (reason) {
      // Another run continues.
      if (!this.isRunning) this.#received.endRun({ reason });
      throw reason;
    } finally {
      signal?.removeEventListener("abort", pause);
    }
  }

  /**
   * The largest speed: biological time per wall time. 1 is real time, `Infinity` (default) has no limit. A change takes effect at once, also during
   * a run.
   */
  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    if (typeof speed !== "number" || !(speed > 0)) throw notAllowed("speed", speed, "a number above 0: 1 is real time, Infinity has no limit");
    this.#speed = speed;
    this.#engine.send({ type: "setSpeed", body: { speed: speed === Infinity ? null : speed } });
  }

  /** Runs a number of time steps; see {@link run}. */
  async step(count = 1, options: RunOptions = {}): Promise<RunResult> {
    wholeNumber("count", count, 1);
    return this.#run(count * this.info.dtMs, null, options);
  }

  /** Ends the run after the current batch of steps. Has no effect if there is no run. */
  async pause(options: AskOptions = {}): Promise<void> {
    await this.#request({ type: "pause" }, "done", options);
  }

  /**
   * Returns to t = 0. Parameters keep the values that were set; changes made by the network are undone. Ends the current run. After a
   * failed run, the network is rebuilt.
   */
  async reset(options: AskOptions = {}): Promise<void> {
    await this.#request({ type: "reset" }, "done", options);
  }

  /**
   * Sets a parameter or a variable at once, also during a run.
   *
   * @param path `E.taum`: a parameter of a population or projection. `E.v`, `E.v[3]`, `E.v[0:100]`: a variable of all or some neurons or
   * synapses.
   * @param value A quantity with a unit, `"15 ms"`; or numbers in the unit that {@link get} returns: one for all, or one for each.
   * @returns The new value.
   */
  async set(path: string, value: string | number | ArrayLike<number>, options: AskOptions = {}): Promise<Value> {
    if (typeof path !== "string") throw notAllowed("path", path, 'a text such as "E.taum"');
    const body = typeof value === "string" ? { path, text: value, values: undefined } : { path, text: null, values: numbersOf(path, value) };
    return this.#request({ type: "set", body }, "value", options);
  }

  /** The current value of a parameter, or of a variable of all or some neurons or synapses: a path as in {@link set}. */
  async get(path: string, options: TrialOptions = {}): Promise<Value> {
    if (typeof path !== "string") throw notAllowed("path", path, 'a text such as "E.v"');
    return this.#request({ type: "get", body: { path, trial: trialOf(options) } }, "value", options, "trial");
  }

  /**
   * Gives a variable of neurons the values of a live source, such as a camera, at once, also during a run, as often as needed. In contrast to
   * {@link set}, there is no event `changed`, and a parameter returns to the value of the network at the next reset.
   *
   * @param path `Input.I`, `Input.I[3]` or `Input.I[0:100]`.
   * @param values Numbers in the unit that {@link get} returns: one for all, or one for each.
   */
  async feed(path: string, values: number | ArrayLike<number>, options: AskOptions = {}): Promise<void> {
    if (typeof path !== "string") throw notAllowed("path", path, 'a text such as "Input.I"');
    await this.#request({ type: "feed", body: { path, values: numbersOf(path, values) } }, "done", options);
  }

  /** The positions of the neurons of a population. */
  async positions(population: string, options: AskOptions = {}): Promise<NeuronPositions> {
    if (typeof population !== "string") throw notAllowed("population", population, "the name of a population");
    return this.#request({ type: "positions", body: { population } }, "positions", options);
  }

  /**
   * Synapses of a projection with their current weights and delays: all, or an even sample of at most `options.limit`, always of the same
   * synapses. Rows of procedural projections are drawn for it.
   */
  async synapses(projection: string, options: SynapseOptions = {}): Promise<SynapseSample> {
    if (typeof projection !== "string") throw notAllowed("projection", projection, "the name of a projection");
    const { limit = SYNAPSES, pre, post } = options;
    wholeNumber("limit", limit, 1);
    const body = { projection, limit: Math.min(limit, ALL_SYNAPSES), pre: rangeOf("pre", pre), post: rangeOf("post", post), trial: trialOf(options) };
    return this.#request({ type: "synapses", body }, "synapses", options, "limit", "pre", "post", "trial");
  }

  /**
   * Replaces the recordings from the next step on. The event `samples` delivers the values; `info.channels` describes the columns.
   *
   * @param what `"E.v[0:3]"`, `"mean(E.v)"`, a list of such texts, or recordings as in the JSON format. An empty list ends the recording.
   */
  async record(what: string | readonly (string | Recording)[], options: AskOptions = {}): Promise<Info> {
    const given: unknown = typeof what === "string" ? [what] : what;
    if (!Array.isArray(given)) throw notAllowed("record", what, `a list of recordings, or a text such as ${RECORDED}`);
    const list = given.map((one, place) => {
      if (typeof one === "string") return this.#recording(one);
      if (typeof one !== "object" || one === null) throw notAllowed(`record[${place}]`, one, `a recording, or a text such as ${RECORDED}`);
      return one;
    });
    this.#received.update(await this.#request({ type: "record", body: { json: JSON.stringify(list) } }, "info", options));
    return this.info;
  }

  /** The network in the JSON format with all values that were set. */
  async network(options: AskOptions = {}): Promise<Network> {
    return JSON.parse(await this.#request({ type: "network" }, "text", options)) as Network;
  }

  /**
   * The statistics of the spikes of a trial up to now, of a simulation with the option `statistics`: CV2, Fano factor, synchrony, correlations,
   * spectra and correlograms, measured while it runs in bounded memory. `reset` and `restore` begin again.
   */
  async statistics(options: TrialOptions = {}): Promise<SpikeStatistics> {
    return JSON.parse(await this.#request({ type: "statistics", body: { trial: trialOf(options) } }, "text", options, "trial")) as SpikeStatistics;
  }

  /**
   * The profile of all runs, of a simulation with the option `profile`: the time of each operation of the CPU threads or kernel of the GPU, and what to
   * change to make it faster. On a GPU it also measures the bandwidth of its memory.
   */
  async profile(options: AskOptions = {}): Promise<RunProfile> {
    return JSON.parse(await this.#request({ type: "profile" }, "text", options)) as RunProfile;
  }

  /** The current values of the synapses: a NumPy archive (`.npz`), see docs/networks.md. */
  async weights(options: TrialOptions = {}): Promise<Uint8Array> {
    const { content } = await this.#request({ type: "saveWeights", body: { trial: trialOf(options) } }, "bytes", options, "trial");
    return content;
  }

  /**
   * All synapses of a projection, with the delay and the current value of whatever differs between them, as a file: for `pairs` of a
   * projection (docs/networks.md), for NumPy or a spreadsheet. It is the file of `spikelet export`. At most 1 GiB.
   *
   * With the format `"arrays"`, typed arrays: presynaptic and postsynaptic neuron, weight, and delay in ms, as from {@link synapses} without its limit.
   */
  async edges(projection: string, options: EdgeOptions & { format: "arrays" }): Promise<SynapseSample>;
  async edges(projection: string, options?: EdgeOptions & { format?: "npz" | "csv" | undefined }): Promise<Uint8Array>;
  async edges(projection: string, options: EdgeOptions = {}): Promise<SynapseSample | Uint8Array> {
    if (typeof projection !== "string") throw notAllowed("projection", projection, "the name of a projection");
    const { format = "npz" } = options;
    const trial = trialOf(options);
    if (format === "arrays") {
      const body = { projection, limit: ALL_SYNAPSES, pre: null, post: null, trial };
      return this.#request({ type: "synapses", body }, "synapses", options, "trial", "format");
    }
    if (!["npz", "csv"].includes(format)) throw notAllowed("format", format, '"npz", "csv" or "arrays"');
    const { content } = await this.#request({ type: "saveEdges", body: { projection, format, trial } }, "bytes", options, "trial", "format");
    return content;
  }

  /** Loads learned weights of another run at once. They stay until the next reset. Loads all values, or none if the file does not fit. */
  async loadWeights(content: Uint8Array, options: TrialOptions & { file?: string | undefined } = {}): Promise<void> {
    if (!(content instanceof Uint8Array)) throw notAllowed("content", content, "the Uint8Array of a file of learned weights");
    const body = { trial: trialOf(options), file: options.file ?? "weights.npz", content };
    if (typeof body.file !== "string") throw notAllowed("file", body.file, "the name of a file");
    await this.#request({ type: "loadWeights", body }, "done", options, "trial", "file");
  }

  /**
   * The complete state as bytes (docs/snapshot.md), to continue later, in this or another simulation of the same network. On the same kind
   * of device, all later spikes are the same, bit by bit.
   */
  async snapshot(options: AskOptions = {}): Promise<Uint8Array> {
    return (await this.#request({ type: "snapshot" }, "bytes", options)).content;
  }

  /**
   * Continues from a {@link snapshot}, with its time and all its values. Ends the current run. The event `info` follows.
   *
   * With `rewind`, the snapshot is of the current run: plots keep what they show of the time before it.
   */
  async restore(content: Uint8Array, options: RestoreOptions = {}): Promise<void> {
    if (!(content instanceof Uint8Array)) throw notAllowed("content", content, "the Uint8Array of a snapshot");
    const { rewind = false } = options;
    if (typeof rewind !== "boolean") throw notAllowed("rewind", rewind, "true or false");
    this.#received.update(await this.#request({ type: "restore", body: { content, rewind } }, "info", options, "rewind"));
    this.#received.events.emit("info", this.info);
  }

  /**
   * The phase plane of a neuron: rates of two of its variables on a grid, nullclines, fixed points with their eigenvalues, threshold and reset. It
   * is computed from the equations with the present values of the parameters, also during a run, without synapses, noise and the refractory time;
   * the other variables are clamped. For several trials it is that of the first one.
   *
   * ```js
   * const { fixedPoints } = await simulation.phasePlane({ population: "E", x: "v", y: "u" });
   * ```
   */
  async phasePlane(options: PhasePlaneOptions): Promise<PhasePlane> {
    return this.#request({ type: "phasePlane", body: planeOf(options) }, "phasePlane", { signal: options.signal });
  }

  /** Memory: buffers of the device, and the memory of the engine. */
  async memory(options: AskOptions = {}): Promise<Memory> {
    return this.#request({ type: "memory" }, "memory", options);
  }

  /** See {@link Spikelet.devices}. */
  async devices(options: AskOptions = {}): Promise<Devices> {
    return this.#request({ type: "devices" }, "devices", options);
  }

  /** See {@link Spikelet.check}; for any network. */
  async check(network: NetworkSource, options: AskOptions = {}): Promise<Diagnostic[]> {
    checkKeys(options, "signal");
    return check(this.#engine, network, options.signal);
  }

  /** See {@link Spikelet.judge}; for any network. */
  async judge(network: NetworkSource, options: JudgeOptions = {}): Promise<Judgement> {
    return judge(this.#engine, network, options);
  }

  /** See {@link Spikelet.models}. */
  async models(options: AskOptions = {}): Promise<Model[]> {
    return this.#request({ type: "models" }, "models", options);
  }

  /** See {@link Spikelet.networks}. */
  async networks(options: AskOptions = {}): Promise<CatalogueEntry[]> {
    return this.#request({ type: "networks" }, "networks", options);
  }

  /**
   * Trains the network of this simulation, with all values that were set; see docs/training.md. The simulation itself does not change, and can
   * run meanwhile: the training has a Worker of its own.
   *
   * @param training What is trained, and how: the JSON of a training without its network.
   */
  async train(training: Readonly<Record<string, unknown>>, options: TrainOptions = {}): Promise<TrainingRun> {
    if (typeof training !== "object" || training === null) throw notAllowed("training", training, "an object with `input`, `data`, `loss` …");
    // Only who trains loads this.
    const [{ train }, network] = await Promise.all([import("./training/run.js"), this.network({ signal: options.signal })]);
    return train({ name: network.name, ...training, network }, options);
  }

  /** Destroys the GPU of the simulation, as a failing driver would, for tests. Has no effect on the CPU. */
  async loseDevice(options: AskOptions = {}): Promise<void> {
    await this.#request({ type: "loseDevice" }, "done", options);
  }

  /**
   * Adds a listener for an event; see {@link Events}. Earlier notices are delivered at once.
   *
   * ```js
   * const stop = simulation.on("rates", ({ values }) => console.log(values));
   * stop();
   * ```
   *
   * @returns A function that removes the listener.
   */
  on<Type extends keyof Events>(type: Type, listener: (event: Events[Type]) => void, options: ListenOptions = {}): Unsubscribe {
    checkEvent(type);
    if (typeof listener !== "function") throw notAllowed("listener", listener, "a function");
    checkKeys(options, "signal");
    const end = this.#received.events.on(type, listener, options);
    if (type === "notice" && !options.signal?.aborted) {
      for (const notice of this.notices) (listener as (event: Notice) => void)(notice);
    }
    return end;
  }

  /**
   * The next event of a type; see {@link Events}. Aborting `options.signal` stops waiting. The promise rejects with the code `disposed` if the
   * simulation is disposed before, and with the error of its engine if that stops.
   */
  async once<Type extends keyof Events>(type: Type, options: AskOptions = {}): Promise<Events[Type]> {
    checkEvent(type);
    checkKeys(options, "signal");
    return this.#received.once(type, options.signal);
  }

  /**
   * The events of a run, one per batch and trial, for a loop. The run is the current one, the next one, or with `ms` one that the stream starts.
   * The loop ends with it, also if it was paused, and throws its error.
   *
   * The run waits for the loop: it is at most two batches ahead. Events before the loop begins are stored. Several streams are possible. Leaving
   * the loop removes the stream.
   *
   * ```js
   * for await (const { neurons, spikeSteps } of simulation.stream({ ms: 1000 })) await save(neurons, spikeSteps);
   * ```
   */
  stream<Type extends StreamedEvent = "spikes">(options: StreamOptions<Type> = {}): EventStream<Events[Type]> {
    const { event = "spikes", ms, signal } = checkStream(options);
    signal?.throwIfAborted();
    const stream = this.#received.stream(event as Type, signal, () => {
      if (ms !== undefined) this.pause().catch(() => {});
    });
    if (ms !== undefined) this.run(ms).catch((reason: unknown) => stream.end({ reason }));
    return stream;
  }

  /**
   * The hash of the spikes of the first trial since t = 0, as the command line reports it: 16 hexadecimal digits. It is the sum of a hash of
   * (population, neuron, step) over all spikes, so that equal spikes have equal hashes. After {@link restore} of a later time than 0 it is null,
   * until {@link reset}.
   */
  get spikesHash(): string | null {
    return this.spikesHashes[0] ?? null;
  }

  /** {@link spikesHash} of each trial. */
  get spikesHashes(): readonly (string | null)[] {
    return this.#received.hashes;
  }

  /** Ends the simulation and frees its memory at once. Pending calls are rejected with the code `disposed`; streams end. */
  dispose(): void {
    this.#received.end(new SpikeletError("disposed", "the simulation was disposed"), null);
    this.#engine.end(null);
  }

  /** Sends a command with the options of a method. `names` are the valid ones in addition to `signal`. */
  async #request<Type extends Reply["type"]>(command: Command, type: Type, options: AskOptions, ...names: string[]): Promise<Body<Type>> {
    checkKeys(options, "signal", ...names);
    return this.#engine.request(command, type, options.signal);
  }

  #recording(text: string): Recording {
    const recording = recordingOf(text, this.info);
    if (recording === null) throw notAllowed("record", text, `${RECORDED}, with indices in range`);
    return recording;
  }
}

/** `using` disposes of it at the end of its block. */
export interface Spikelet extends Usable {}

function checkEvent(type: string): void {
  if (!Object.hasOwn(EVENTS, type)) throw notAllowed("type", type, `one of ${Object.keys(EVENTS).join(", ")}`);
}
