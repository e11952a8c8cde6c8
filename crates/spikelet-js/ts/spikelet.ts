import { Emitter, type ListenOptions, type Unsubscribe } from "./emitter.js";
import { type Body, Engine } from "./engine.js";
import { SpikeletError, notAllowed } from "./errors.js";
import { EVENTS, type Events, type Spikes } from "./events.js";
import type { Network, Recording } from "./network.js";
import {
  type AskOptions, type CreateOptions, type EngineOptions, type JudgeOptions, type RunOptions, type TrialOptions, checkKeys, checkOptions, multipleOf,
  numbersOf, placeOf, trialOf, workerOf,
} from "./options.js";
import { RateCounter } from "./rates.js";
import type {
  Batch, Catalogued, Command, Create, Devices, Diagnostic, Event, Info, Judgement, Memory, Model, Notice, Ran, Reply, State, Value,
} from "./raw.js";
import { recordingOf } from "./recording.js";
import { type NetworkSource, read, resolve } from "./source.js";

/** Width of the bins of rates, about. */
const RATE_BIN_MS = 10;

/** How a recording is written as a text. */
const RECORDED = '"E.v", "E.v[3]" or "E.v[0:10]"';

/**
 * A network that is simulated.
 *
 * It lives in a Worker of its own, with its own memory; the page's thread never computes. There can be any number of them.
 *
 * ```js
 * const sim = await Spikelet.create("cuba");
 * sim.on("spikes", ({ neurons, spikeSteps }) => draw(neurons, spikeSteps));
 * await sim.run(1000);
 * sim.dispose();
 * ```
 */
export class Spikelet {
  readonly #engine: Engine;
  readonly #events = new Emitter<Events>();
  readonly #notices: Notice[];
  readonly #rateBinMs: number;
  #info: Info;
  #state: State;
  #rates: RateCounter[] = [];
  /** Number of the latest batch that came. */
  #batch = 0;
  /** Biological time at which the run under way began and ends, in ms; none where that is open. */
  #span: { fromMs: number; toMs: number } | null = null;

  private constructor(engine: Engine, info: Info, notices: Notice[], state: State, rateBinMs: number) {
    this.#engine = engine;
    this.#info = info;
    this.#notices = notices;
    this.#state = state;
    this.#rateBinMs = rateBinMs;
  }

  /**
   * Builds a network, paused at t = 0.
   *
   * @param network What to build: an object of the JSON format, its text, its address, or the name of a built-in network.
   * @throws {@link SpikeletError} What is wrong with the network or the options, or why the engine does not start. Aborting
   *   `options.signal` gives up at once, wherever the building stands.
   */
  static async create(network: NetworkSource, options: CreateOptions = {}): Promise<Spikelet> {
    checkOptions(options);
    const { backend = "auto", threads, seed, trials = 1, scale = 1, files = {}, rateBinMs, signal, onProgress } = options;
    const { source, files: named } = await resolve(network, scale, files, signal);
    // Events of an engine that builds: all that comes before there is somebody to listen.
    let simulation: Spikelet | null = null;
    const notices: Notice[] = [];
    let state: State = { running: false, timeMs: 0, moved: false, stopped: null };
    const told = (event: Event) => {
      if (simulation) simulation.#hear(event);
      else if (event.type === "building") onProgress?.(event.body);
      else if (event.type === "notice") notices.push(event.body);
      else if (event.type === "state") state = event.body;
    };
    const create: Create = { source, files: named, backend, threads: threads ?? null, seed: seed ?? null, trials };
    const build = async (oneThreadBecause: string | null): Promise<[Engine, Info]> => {
      const engine = await Engine.start(workerOf(options), oneThreadBecause, told, signal);
      try {
        return [engine, await engine.ask({ type: "create", body: create }, "info", signal)];
      } catch (error) {
        engine.end(null);
        if (engine.fallen === null || oneThreadBecause !== null) throw error;
        return build(`a thread of the engine stopped (${engine.fallen}); reload the page, or try another browser`);
      }
    };
    const [engine, info] = await build(threads === 1 ? "one was asked for" : null);
    try {
      const bin = rateBinMs ?? Math.max(1, Math.round(RATE_BIN_MS / info.dtMs)) * info.dtMs;
      multipleOf("rateBinMs", bin, info.dtMs);
      simulation = new Spikelet(engine, info, notices, state, bin);
      simulation.#countRates();
      return simulation;
    } catch (error) {
      engine.end(null);
      throw error;
    }
  }

  /**
   * What is wrong with a network: nothing (an empty list) where it could run. No synapse is drawn.
   *
   * A Worker is started for the question; {@link check} of a simulation asks the one that is there.
   */
  static async check(network: NetworkSource, options: EngineOptions = {}): Promise<Diagnostic[]> {
    return withEngine(options, (engine) => check(engine, network, options.signal));
  }

  /**
   * {@link check} for an editor of networks: what is wrong with each field while it is typed, names without a value and what they must
   * measure, and how large the network will be. No synapse is drawn.
   */
  static async judge(network: NetworkSource, options: JudgeOptions & EngineOptions = {}): Promise<Judgement> {
    const { population, typed, ...rest } = options;
    return withEngine(rest, (engine) => judge(engine, network, { population, typed, signal: rest.signal }));
  }

  /** The models of the library, with their parameters, units and ranges. */
  static async models(options: EngineOptions = {}): Promise<Model[]> {
    return withEngine(options, (engine) => engine.ask({ type: "models" }, "models", options.signal));
  }

  /** The built-in networks. */
  static async networks(options: EngineOptions = {}): Promise<Catalogued[]> {
    return withEngine(options, (engine) => engine.ask({ type: "networks" }, "networks", options.signal));
  }

  /** What a network could run on here: the GPU that the browser gives, and how many threads. */
  static async devices(options: EngineOptions = {}): Promise<Devices> {
    // Asked of the engine that a network would have: it knows whether there are threads.
    return withEngine(options, (engine) => engine.ask({ type: "devices" }, "devices", options.signal), false);
  }

  /** What the network is: populations, projections, parameters with unit and range, the device, the columns of `samples`. */
  get info(): Info {
    return this.#info;
  }

  /** Biological time, in ms, that was told so far. */
  get timeMs(): number {
    return this.#state.timeMs;
  }

  /** Whether it runs. */
  get isRunning(): boolean {
    return this.#state.running;
  }

  /** What there is to know, since it was created: see the event `notice`. */
  get notices(): readonly Notice[] {
    return this.#notices;
  }

  /**
   * Runs.
   *
   * @param ms For how long, in ms of biological time: a multiple of the time step. Without it, until {@link pause}.
   * @returns How the run ended: when its time had passed, or before, because it was paused or reset, or a `stop` condition of
   *   the network held.
   * @throws {@link SpikeletError} `running`: it runs already; `ended`, `broken`: only {@link reset} leads on; or whatever broke the run off.
   */
  async run(ms?: number, options: RunOptions = {}): Promise<Ran> {
    return this.#run(ms ?? null, null, options);
  }

  /**
   * Runs until a condition holds at the end of a step: `"spikes > 10000"`, `"rate(E, 50 ms) > 100 Hz"`, `"spikes(E) >= 500"`, as in the
   * `stop` of a network, counted from the start of this run. The next run goes on from there.
   *
   * @param ms At most for so long, in ms of biological time.
   */
  async runUntil(condition: string, ms?: number, options: RunOptions = {}): Promise<Ran> {
    if (typeof condition !== "string") throw notAllowed("condition", condition, 'a text such as "spikes > 10000"');
    return this.#run(ms ?? null, condition, options);
  }

  async #run(ms: number | null, until: string | null, options: RunOptions): Promise<Ran> {
    checkKeys(options, "signal");
    const { signal } = options;
    signal?.throwIfAborted();
    if (ms !== null && typeof ms !== "number") throw notAllowed("ms", ms, "a number");
    const pause = () => void this.pause().catch(() => {});
    signal?.addEventListener("abort", pause);
    if (!this.isRunning) this.#span = ms === null ? null : { fromMs: this.timeMs, toMs: this.timeMs + ms };
    try {
      const ran = await this.#engine.ask({ type: "run", body: { ms, until } }, "ran");
      signal?.throwIfAborted();
      return ran;
    } finally {
      signal?.removeEventListener("abort", pause);
    }
  }

  /** Ends a run after the batch of steps under way. Nothing happens where none is. */
  async pause(options: AskOptions = {}): Promise<void> {
    await this.#ask({ type: "pause" }, "done", options);
  }

  /**
   * Back to t = 0, with parameters as they were set; changes that the network itself made are undone. Ends a run. A network
   * whose run broke off is built anew.
   */
  async reset(options: AskOptions = {}): Promise<void> {
    await this.#ask({ type: "reset" }, "done", options);
  }

  /**
   * Sets a parameter or a variable, at once, also while it runs.
   *
   * @param path `E.taum`: a parameter of a population or projection. `E.v`, `E.v[3]`, `E.v[0:100]`: a variable of all neurons or synapses, or of some.
   * @param value A quantity with its unit, `"15 ms"`; or numbers in the unit that {@link get} gives: one for all, or one for each.
   * @returns The new value.
   */
  async set(path: string, value: string | number | ArrayLike<number>, options: AskOptions = {}): Promise<Value> {
    if (typeof path !== "string") throw notAllowed("path", path, 'a text such as "E.taum"');
    const body = typeof value === "string" ? { path, text: value, values: undefined } : { path, text: null, values: numbersOf(path, value) };
    return this.#ask({ type: "set", body }, "value", options);
  }

  /** A parameter, or a variable of all neurons or synapses, or of some, as it is now: a path as in {@link set}. */
  async get(path: string, options: TrialOptions = {}): Promise<Value> {
    if (typeof path !== "string") throw notAllowed("path", path, 'a text such as "E.v"');
    return this.#ask({ type: "get", body: { path, trial: trialOf(options) } }, "value", options, "trial");
  }

  /**
   * Replaces what is recorded, from the next step on; the event `samples` tells it, and `info.channels` what its columns are.
   *
   * @param what `"E.v[0:3]"`, several of them, or recordings as in the JSON format. Nothing is recorded after an empty list.
   */
  async record(what: string | readonly (string | Recording)[], options: AskOptions = {}): Promise<Info> {
    const given: unknown = typeof what === "string" ? [what] : what;
    if (!Array.isArray(given)) throw notAllowed("record", what, `a list of recordings, or a text such as ${RECORDED}`);
    const list = given.map((one, place) => {
      if (typeof one === "string") return this.#recording(one);
      if (typeof one !== "object" || one === null) throw notAllowed(`record[${place}]`, one, `a recording, or a text such as ${RECORDED}`);
      return one;
    });
    this.#take(await this.#ask({ type: "record", body: { json: JSON.stringify(list) } }, "info", options));
    return this.#info;
  }

  /** The network in the JSON format, with all that was set. */
  async network(options: AskOptions = {}): Promise<Network> {
    return JSON.parse(await this.#ask({ type: "network" }, "text", options)) as Network;
  }

  /** What its synapses have learnt so far: a NumPy archive (`.npz`), see docs/networks.md. */
  async weights(options: TrialOptions = {}): Promise<Uint8Array> {
    const { content } = await this.#ask({ type: "saveWeights", body: { trial: trialOf(options) } }, "bytes", options, "trial");
    return content;
  }

  /** Gives its synapses what they have learnt in another run, at once, up to the next reset: all of it, or nothing where it does not fit. */
  async learn(content: Uint8Array, options: TrialOptions & { file?: string | undefined } = {}): Promise<void> {
    if (!(content instanceof Uint8Array)) throw notAllowed("content", content, "the Uint8Array of a file of learnt values");
    const body = { trial: trialOf(options), file: options.file ?? "weights.npz", content };
    if (typeof body.file !== "string") throw notAllowed("file", body.file, "the name of a file");
    await this.#ask({ type: "takeWeights", body }, "done", options, "trial", "file");
  }

  /**
   * All that moves, as bytes (docs/snapshot.md): to go on from later, here or in another simulation of the same network. On
   * the same sort of device every later spike is the same, to the bit.
   */
  async snapshot(options: AskOptions = {}): Promise<Uint8Array> {
    return (await this.#ask({ type: "snapshot" }, "bytes", options)).content;
  }

  /** Goes on from a {@link snapshot}, in time and with all values as they were there. Ends a run. */
  async restore(content: Uint8Array, options: AskOptions = {}): Promise<void> {
    if (!(content instanceof Uint8Array)) throw notAllowed("content", content, "the Uint8Array of a snapshot");
    this.#take(await this.#ask({ type: "restore", body: { content } }, "info", options));
  }

  /** What it takes: buffers of the device, and the engine's memory. */
  async memory(options: AskOptions = {}): Promise<Memory> {
    return this.#ask({ type: "memory" }, "memory", options);
  }

  /** As {@link Spikelet.devices}. */
  async devices(options: AskOptions = {}): Promise<Devices> {
    return this.#ask({ type: "devices" }, "devices", options);
  }

  /** As {@link Spikelet.check}, of any network. */
  async check(network: NetworkSource, options: AskOptions = {}): Promise<Diagnostic[]> {
    checkKeys(options, "signal");
    return check(this.#engine, network, options.signal);
  }

  /** As {@link Spikelet.judge}, of any network. */
  async judge(network: NetworkSource, options: JudgeOptions = {}): Promise<Judgement> {
    return judge(this.#engine, network, options);
  }

  /** As {@link Spikelet.models}. */
  async models(options: AskOptions = {}): Promise<Model[]> {
    return this.#ask({ type: "models" }, "models", options);
  }

  /** As {@link Spikelet.networks}. */
  async networks(options: AskOptions = {}): Promise<Catalogued[]> {
    return this.#ask({ type: "networks" }, "networks", options);
  }

  /** Destroys the GPU that it runs on, as a driver that fails would: to try what a page does then. Nothing happens on the CPU. */
  async loseDevice(options: AskOptions = {}): Promise<void> {
    await this.#ask({ type: "loseDevice" }, "done", options);
  }

  /**
   * Listens to an event; see {@link Events}. What was noticed before is told at once.
   *
   * @returns A function that ends it.
   */
  on<Type extends keyof Events>(type: Type, listener: (event: Events[Type]) => void, options: ListenOptions = {}): Unsubscribe {
    if (!Object.hasOwn(EVENTS, type)) throw notAllowed("type", type, `one of ${Object.keys(EVENTS).join(", ")}`);
    if (typeof listener !== "function") throw notAllowed("listener", listener, "a function");
    checkKeys(options, "signal");
    const end = this.#events.on(type, listener, options);
    if (type === "notice" && !options.signal?.aborted) {
      for (const notice of this.#notices) (listener as (event: Notice) => void)(notice);
    }
    return end;
  }

  /** Ends the simulation and frees all that it holds, at once. Whatever is waited for is rejected, with the code `disposed`. */
  dispose(): void {
    this.#engine.end(null);
    this.#state = { ...this.#state, running: false };
  }

  /** Asks with the options of a method, of which there are these besides `signal`. */
  async #ask<Type extends Reply["type"]>(command: Command, type: Type, options: AskOptions, ...names: string[]): Promise<Body<Type>> {
    checkKeys(options, "signal", ...names);
    return this.#engine.ask(command, type, options.signal);
  }

  #recording(text: string): Recording {
    const recording = recordingOf(text, this.#info);
    if (recording === null) throw notAllowed("record", text, `${RECORDED}, with places that there are`);
    return recording;
  }

  #take(info: Info): void {
    this.#info = info;
    this.#countRates();
  }

  #countRates(): void {
    const steps = Math.round(this.#rateBinMs / this.#info.dtMs);
    this.#rates = Array.from({ length: this.#info.trials }, (_, trial) => new RateCounter(this.#info, trial, steps));
  }

  #hear(event: Event): void {
    switch (event.type) {
      case "batch":
        return this.#tell(event.body);
      case "measured":
        return this.#events.emit("statistics", event.body);
      case "state":
        this.#state = event.body;
        if (event.body.moved) this.#countRates();
        return this.#events.emit("state", event.body);
      case "changed":
        this.#note(event.body.path, event.body.value);
        return this.#events.emit("changed", event.body);
      case "info":
        this.#take(event.body);
        return this.#events.emit("info", event.body);
      case "notice":
        this.#notices.push(event.body);
        return this.#events.emit("notice", event.body);
      case "failed":
      case "stopped":
        this.#state = { ...this.#state, running: false };
        return this.#events.emit("error", SpikeletError.of(event.body));
      case "building":
        return this.#events.emit("progress", { building: event.body, timeMs: this.timeMs, done: event.body.done, realTimeFactor: null });
      case "ready":
    }
  }

  #tell(batch: Batch): void {
    const { number, trial, firstStep, steps, timeMs, realTimeFactor, spikeNeurons, spikeSteps, samples } = batch;
    this.#state = { ...this.#state, timeMs };
    const spikes: Spikes = { trial, firstStep, steps, dtMs: this.#info.dtMs, neurons: spikeNeurons, spikeSteps };
    this.#events.emit("spikes", spikes);
    if (this.#info.channels.length > 0) {
      this.#events.emit("samples", { trial, firstStep, steps, dtMs: this.#info.dtMs, columns: this.#info.channels.length, values: samples });
    }
    if (this.#events.hears("rates")) {
      const rates = this.#rates[trial]?.take(batch);
      if (rates) this.#events.emit("rates", rates);
    }
    // Once for all trials: any of them may have ended before.
    if (number === this.#batch) return;
    this.#batch = number;
    this.#events.emit("progress", { building: null, timeMs, done: this.#done(timeMs), realTimeFactor });
    this.#engine.say({ type: "taken", body: { batch: number } });
  }

  /** The part of the run that is done. */
  #done(timeMs: number): number | null {
    if (this.#span === null) return null;
    const { fromMs, toMs } = this.#span;
    return toMs > fromMs ? Math.min(1, Math.max(0, (timeMs - fromMs) / (toMs - fromMs))) : 1;
  }

  /** Keeps the new value of a parameter. */
  #note(path: string, value: number): void {
    const { populations, projections } = this.#info.network;
    const noted = <Object extends { parameters: Info["network"]["populations"][number]["parameters"] }>(all: Object[]): Object[] =>
      all.map((object) => ({
        ...object,
        parameters: object.parameters.map((parameter) => (parameter.path === path ? { ...parameter, value } : parameter)),
      }));
    const network = { ...this.#info.network, populations: noted(populations), projections: noted(projections) };
    this.#info = { ...this.#info, network };
  }
}

async function check(engine: Engine, network: NetworkSource, signal?: AbortSignal): Promise<Diagnostic[]> {
  const { text } = await read(network, signal);
  return engine.ask({ type: "check", body: { json: text } }, "diagnostics", signal);
}

async function judge(engine: Engine, network: NetworkSource, options: JudgeOptions): Promise<Judgement> {
  checkKeys(options, "population", "typed", "signal");
  const { population, typed = [], signal } = options;
  const place = population === undefined ? null : placeOf(population);
  if (!Array.isArray(typed)) throw notAllowed("typed", typed, "a list of names");
  const { text } = await read(network, signal);
  return engine.ask({ type: "judge", body: { json: text, population: place, typed } }, "judgement", signal);
}

/** Asks an engine that is there for the question alone. */
async function withEngine<Answer>(options: EngineOptions, ask: (engine: Engine) => Promise<Answer>, oneThread = true): Promise<Answer> {
  checkKeys(options, "signal", "worker");
  const engine = await Engine.start(workerOf(options), oneThread ? "one was asked for" : null, () => {}, options.signal);
  try {
    return await ask(engine);
  } finally {
    engine.end(null);
  }
}
