import { type Usable, letUsingDispose } from "../disposal.js";
import { type ListenOptions, type Unsubscribe, Emitter } from "../emitter.js";
import { type Body, Engine } from "../engine.js";
import { notAllowed } from "../errors.js";
import type { Network } from "../network.js";
import { type AskOptions, type EngineOptions, checkKeys, wholeNumber, workerOf } from "../options.js";
import { type TrainingOptions, type TrainingSource, checkTraining, openOf, textOf } from "./options.js";
import type { Command, Method, ModuleEvent, ParameterGroup, Part, PopulationRate, Preset, Reply, Score, TrainingInfo } from "./raw.js";

/** Wall time after which batches pause for other requests, for a stop and for an abort, in ms. */
const SLICE_MS = 40;

/** Batches that were trained. */
export interface BatchReport {
  /** The epoch, from 1. */
  epoch: number;
  /** Batches of this epoch that are done. */
  batch: number;
  /** Batches of an epoch. */
  batches: number;
  /** The mean loss of the batches since the last report. */
  loss: number;
  /** The share of their samples that were classified correctly, from 0 to 1; null if samples have no classes. */
  accuracy: number | null;
  /** Wall time of the training so far, in seconds. */
  seconds: number;
}

/** An epoch that was trained. */
export interface EpochReport {
  /** Its number, from 1. */
  epoch: number;
  /** The mean loss of its batches. */
  loss: number;
  /** The mean loss of the samples for evaluation after the epoch; null if there are none. */
  lossTest: number | null;
  /** The share of correct samples during training, from 0 to 1; null if samples have no classes. */
  accuracyTrain: number | null;
  /** The share of correct samples for evaluation after the epoch; null if there are none. */
  accuracyTest: number | null;
  /** Mean rates of the populations that fire, in some samples of its last batch. */
  rates: PopulationRate[];
  /** What does not learn and what may help, as sentences that no earlier epoch had. */
  notices: string[];
  /** Its wall time in seconds, with the evaluation. */
  seconds: number;
}

/** The events of a training. */
export interface TrainingEvents {
  /** Some batches were trained. */
  batch: BatchReport;
  /** An epoch has ended. */
  epoch: EpochReport;
}

/** A sample, simulated with the current parameters. */
export interface SampleActivity {
  /** Its class; null if samples have none. */
  class: number | null;
  /** The class for which the network decides. */
  decision: number | null;
  /** The number of each neuron that fired, through all populations, in the order of time. */
  neurons: Uint32Array;
  /** The time of each spike, in ms. */
  timesMs: Float32Array;
}

type Module = Engine<Command, Reply, ModuleEvent>;

/**
 * A training of a spiking network by gradients.
 *
 * It runs in its own Worker. Requests are executed in the order of the calls; while it trains, between two batches. The same training gives
 * the same numbers, on every machine.
 *
 * ```js
 * const training = await Training.open("yin-yang", { epochs: 10 });
 * training.on("epoch", ({ epoch, loss, accuracyTest }) => console.log(epoch, loss, accuracyTest));
 * await training.run();
 * const network = await training.network();
 * training.dispose();
 * ```
 */
export class Training {
  static {
    letUsingDispose(this);
  }

  readonly #engine: Module;
  readonly #events = new Emitter<TrainingEvents>();
  readonly #curve: EpochReport[] = [];
  #info: TrainingInfo;
  #epoch: number;
  #seconds = 0;
  /** Wall time of the current epoch, in ms. */
  #epochMs = 0;
  #isStopping = false;
  #isRunning = false;

  private constructor(engine: Module, info: TrainingInfo) {
    this.#engine = engine;
    this.#info = info;
    this.#epoch = info.epoch;
  }

  /**
   * Opens a training at its beginning.
   *
   * @throws SpikeletError If the training or an option is invalid, or if the module does not start. Aborting `options.signal` ends its Worker.
   */
  static async open(source: TrainingSource, options: TrainingOptions = {}): Promise<Training> {
    checkTraining(options);
    const { method, signal } = options;
    return start(options, async (engine) => {
      const preset = (name: string) => engine.request({ type: "preset", body: { name, method: method ?? null } }, "text", signal);
      const json = await textOf(source, options, preset);
      return new Training(engine, await engine.request({ type: "open", body: openOf(json, options) }, "opened", signal));
    });
  }

  /** The named trainings. */
  static async presets(options: EngineOptions = {}): Promise<Preset[]> {
    checkKeys(options, "worker", "signal");
    return once(options, (engine) => engine.request({ type: "presets" }, "presets", options.signal));
  }

  /** A named training as JSON, to be changed and opened. */
  static async preset(name: string, options: EngineOptions & { method?: Method | undefined } = {}): Promise<string> {
    if (typeof name !== "string") throw notAllowed("name", name, 'a text such as "yin-yang"');
    checkKeys(options, "method", "worker", "signal");
    return once(options, (engine) => engine.request({ type: "preset", body: { name, method: options.method ?? null } }, "text", options.signal));
  }

  /** What is trained, and how. */
  get info(): TrainingInfo {
    return this.#info;
  }

  /** Epochs that are done. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The epochs that were trained so far. */
  get curve(): readonly EpochReport[] {
    return this.#curve;
  }

  /** Whether it trains. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * Trains.
   *
   * @param epochs How many epochs; default: until those of the training are done.
   * @param options Aborting `signal` stops between two batches; the promise then rejects with its reason. What was trained stays.
   * @returns Whether all epochs were trained; false after {@link stop}.
   */
  async run(epochs?: number, options: AskOptions = {}): Promise<boolean> {
    if (epochs !== undefined) wholeNumber("epochs", epochs, 1);
    checkKeys(options, "signal");
    const { signal } = options;
    if (this.#isRunning) throw notAllowed("run", "a second run", "one run at a time; stop it first, or await it");
    const last = epochs === undefined ? this.#info.epochs : this.#epoch + epochs;
    this.#isRunning = true;
    this.#isStopping = false;
    let batches = 1;
    try {
      while (this.#epoch < last) {
        signal?.throwIfAborted();
        if (this.#isStopping) return false;
        const began = performance.now();
        // What a request trains is done in any case, so its end is awaited even if the signal is aborted.
        const trained = await this.#engine.request({ type: "train", body: { batches, seconds: this.#epochMs / 1000 } }, "trained");
        const ms = performance.now() - began;
        batches = ms < SLICE_MS / 2 ? batches * 2 : ms > SLICE_MS ? Math.max(1, batches >> 1) : batches;
        this.#epochMs += ms;
        this.#seconds += ms / 1000;
        const { ended, ...report } = trained;
        this.#events.emit("batch", { ...report, batches: this.#info.batches, seconds: this.#seconds });
        if (ended === null) continue;
        const epoch = { ...ended, seconds: this.#epochMs / 1000 };
        this.#epoch = ended.epoch;
        this.#epochMs = 0;
        this.#curve.push(epoch);
        this.#events.emit("epoch", epoch);
      }
      return true;
    } finally {
      this.#isRunning = false;
    }
  }

  /** Ends {@link run} after the current batch. A later run continues. */
  stop(): void {
    this.#isStopping = true;
  }

  /** The loss and the accuracy on the samples for evaluation; null if there are none. */
  async evaluate(options: AskOptions = {}): Promise<Score | null> {
    return this.#ask({ type: "evaluate" }, "score", options);
  }

  /** Simulates a sample: by default the first of those for evaluation. */
  async sample(index = 0, options: AskOptions & { of?: Part | undefined } = {}): Promise<SampleActivity> {
    const { of = "test", ...rest } = options;
    wholeNumber("index", index, 0);
    if (of !== "train" && of !== "test") throw notAllowed("of", of, '"train" or "test"');
    return this.#ask({ type: "sample", body: { of, index } }, "sample", rest);
  }

  /**
   * The classes for which the network decides over the plane, for a task whose input is two numbers from 0 to 1, such as Yin-Yang: row by row,
   * from the lowest, with `resolution` points in each. See {@link TrainingInfo.hasPlane}.
   */
  async plane(resolution = 50, options: AskOptions = {}): Promise<Uint8Array> {
    wholeNumber("resolution", resolution, 2);
    return this.#ask({ type: "plane", body: { resolution } }, "plane", options);
  }

  /** The numbers that are trained, before training and now. */
  async weights(options: AskOptions = {}): Promise<ParameterGroup[]> {
    return this.#ask({ type: "weights" }, "weights", options);
  }

  /** The network with the trained numbers, which `Spikelet.create` takes. Its input has no spikes of its own. */
  async network(options: AskOptions = {}): Promise<Network> {
    return JSON.parse(await this.#ask({ type: "network" }, "text", options)) as Network;
  }

  /** The state of the training as bytes: parameters, optimiser, epoch and batch. */
  async checkpoint(options: AskOptions = {}): Promise<Uint8Array> {
    return this.#ask({ type: "checkpoint" }, "bytes", options);
  }

  /** Continues from a {@link checkpoint} of the same training, to the bit. */
  async restore(content: Uint8Array, options: AskOptions = {}): Promise<void> {
    if (!(content instanceof Uint8Array)) throw notAllowed("content", content, "the Uint8Array of a checkpoint");
    this.#info = await this.#ask({ type: "restore", body: { content } }, "opened", options);
    this.#epoch = this.#info.epoch;
    this.#curve.length = 0;
  }

  /** Adds a listener for an event; see {@link TrainingEvents}. Returns a function that removes it. */
  on<Type extends keyof TrainingEvents>(type: Type, listener: (event: TrainingEvents[Type]) => void, options: ListenOptions = {}): Unsubscribe {
    if (type !== "batch" && type !== "epoch") throw notAllowed("type", type, '"batch" or "epoch"');
    if (typeof listener !== "function") throw notAllowed("listener", listener, "a function");
    checkKeys(options, "signal");
    return this.#events.on(type, listener, options);
  }

  /** Ends the training and frees its memory at once. Pending calls are rejected with the code `disposed`. */
  dispose(): void {
    this.#engine.end(null);
  }

  async #ask<Type extends Reply["type"]>(command: Command, type: Type, options: AskOptions): Promise<Body<Type, Reply>> {
    checkKeys(options, "signal");
    return this.#engine.request(command, type, options.signal);
  }
}

/** `using` disposes of it at the end of its block. */
export interface Training extends Usable {}

/** Starts a module, and uses it; it ends if that fails. */
async function start<Result>(options: EngineOptions, use: (engine: Module) => Promise<Result>): Promise<Result> {
  const engine: Module = await Engine.start(workerOf(options), null, () => {}, options.signal, "training");
  try {
    return await use(engine);
  } catch (error) {
    engine.end(null);
    throw error;
  }
}

/** Uses a module for a single request. */
function once<Result>(options: EngineOptions, use: (engine: Module) => Promise<Result>): Promise<Result> {
  return start(options, async (engine) => {
    const result = await use(engine);
    engine.end(null);
    return result;
  });
}
