import { type Usable, letUsingDispose } from "../disposal.js";
import { type ListenOptions, type Unsubscribe, Emitter } from "../emitter.js";
import { type Body, Engine } from "../engine.js";
import { notAllowed } from "../errors.js";
import { type AskOptions, type EngineOptions, checkKeys, checkSeed, positive, wholeNumber, workerOf } from "../options.js";
import {
  type AreaOptions, type BrainOptions, type CompleteOptions, type Fibres, type Parent, type ParseOptions, checkBeta, checkName,
  checkProbability, checkRefraction, pairsOf, parentOf, parentsOf, sentenceOf,
} from "./options.js";
import type {
  Association, BrainInfo, Command, Completed, Fibre, Formed, Lexicon, MemoryItem, Merged, Operation, Parse, RawRound, Reciprocal, Reply, Report,
  Separated, ModuleEvent,
} from "./raw.js";

/** Wall time after which rounds pause for other requests and for an abort, in ms. */
const SLICE_MS = 25;

/** A round that was computed. */
export interface Round {
  /** Its number, from 1. */
  round: number;
  /** The fibres: source and target. */
  fibres: Fibre[];
  /** The areas that received input, with their new winners in ascending order. */
  winners: Map<string, Uint32Array>;
}

/** The events of a brain. */
export interface BrainEvents {
  /** A round was computed. */
  round: Round;
}

type Module = Engine<Command, Reply, ModuleEvent>;

/**
 * A brain of the assembly calculus: areas of neurons of which only the k most excited fire, stimuli, and plastic fibres between them.
 *
 * It runs in its own Worker. Requests are executed in the order of the calls. The winners are a function of the seed.
 *
 * ```js
 * const brain = await Brain.create({ p: 0.05, seed: 1 });
 * await brain.addStimulus("S", 100);
 * await brain.addArea("A", { n: 10_000, k: 100, beta: 0.1 });
 * await brain.project({ S: "A" });
 * await brain.project({ S: "A", A: "A" }, 20);
 * console.log(await brain.winners("A"), await brain.support("A"));
 * brain.dispose();
 * ```
 */
export class Brain {
  static {
    letUsingDispose(this);
  }

  readonly #engine: Module;
  readonly #events = new Emitter<BrainEvents>();
  /** The end of the last request. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(engine: Module, listen: (told: (round: RawRound) => void) => void) {
    this.#engine = engine;
    listen(({ round, fibres, winners }) => {
      this.#events.emit("round", { round, fibres, winners: new Map(winners.map(({ area, neurons }) => [area, neurons])) });
    });
  }

  /**
   * A brain without areas.
   *
   * @throws SpikeletError If an option is invalid, or if the module does not start. Aborting `options.signal` ends its Worker.
   */
  static async create(options: BrainOptions = {}): Promise<Brain> {
    checkKeys(options, "p", "seed", "mode", "wMax", "memory", "worker", "signal");
    const { p = 0.05, seed = 1, mode = "lazy", wMax = 10_000, memory = 2 ** 30, signal } = options;
    checkProbability(p);
    checkSeed(seed);
    if (!["explicit", "procedural", "lazy"].includes(mode)) throw notAllowed("mode", mode, '"lazy", "explicit" or "procedural"');
    if (!(wMax >= 1 && Number.isFinite(wMax))) throw notAllowed("wMax", wMax, "a number, 1 or more");
    positive("memory", memory, "a number of bytes");
    return open(options, async (engine, listen) => {
      await engine.request({ type: "create", body: { p, seed, mode, wMax, memory } }, "done", signal);
      return new Brain(engine, listen);
    });
  }

  /**
   * Parses a sentence with a brain made of assemblies, which has seen no other sentence.
   *
   * Starts a Worker for this call; {@link parse} of a brain uses the existing one.
   */
  static async parse(sentence: string, options: ParseOptions & EngineOptions = {}): Promise<Parse> {
    const { worker, ...rest } = options;
    checkKeys(rest, ...PARSE);
    const body = sentenceOf(sentence, rest);
    return once({ worker, signal: rest.signal }, (engine) => engine.request({ type: "parse", body }, "parse", rest.signal));
  }

  /** The grammars of the parser, with their words. */
  static async grammars(options: EngineOptions = {}): Promise<Lexicon[]> {
    checkKeys(options, "worker", "signal");
    return once(options, (engine) => engine.request({ type: "grammars" }, "grammars", options.signal));
  }

  /** Adds an area. */
  async addArea(name: string, options: AreaOptions): Promise<void> {
    checkName("name", name);
    checkKeys(options, "n", "k", "beta", "explicit", "refraction", "signal");
    const { n, k, beta = 0.05, explicit = false, refraction } = options;
    wholeNumber("n", n, 1);
    wholeNumber("k", k, 1);
    checkBeta(beta);
    if (typeof explicit !== "boolean") throw notAllowed("explicit", explicit, "true or false");
    if (refraction !== undefined) checkRefraction(refraction);
    await this.#request({ type: "addArea", body: { name, n, k, beta, explicit, refraction: refraction ?? null } }, "done", options.signal);
  }

  /** Adds a stimulus: `size` neurons that all fire when it is projected. */
  async addStimulus(name: string, size: number, options: AskOptions = {}): Promise<void> {
    checkName("name", name);
    wholeNumber("size", size, 1);
    await this.#ask({ type: "addStimulus", body: { name, size } }, "done", options);
  }

  /** Sets β of the fibre from an area or stimulus to an area; otherwise it is that of the area. Set it before the first round of the fibre. */
  async setBeta(from: string, to: string, beta: number, options: AskOptions = {}): Promise<void> {
    checkName("from", from);
    checkName("to", to);
    checkBeta(beta);
    await this.#ask({ type: "setBeta", body: { from, to, beta } }, "done", options);
  }

  /** Sets whether synapses learn in the following rounds; at first they do. */
  async setPlasticity(learns: boolean, options: AskOptions = {}): Promise<void> {
    if (typeof learns !== "boolean") throw notAllowed("learns", learns, "true or false");
    await this.#ask({ type: "setPlasticity", body: { learns } }, "done", options);
  }

  /**
   * Projects sources into areas: in each round all areas are computed from the winners of the previous round, then all new winners fire.
   *
   * @param fibres The targets of each source: `{ S: "A", A: ["A", "B"] }`. Listed sources without winners have no effect.
   * @param options Aborting `signal` ends the projection after the current rounds; those that were computed stay.
   */
  async project(fibres: Fibres, rounds = 1, options: AskOptions = {}): Promise<void> {
    checkKeys(options, "signal");
    wholeNumber("rounds", rounds, 0);
    const pairs = pairsOf(fibres);
    const { signal } = options;
    await this.#inTurn(signal, async () => {
      const most = { rounds: 1 };
      for (let done = 0; done < rounds; ) {
        signal?.throwIfAborted();
        const slice = Math.min(most.rounds, rounds - done);
        const began = performance.now();
        const body = { fibres: pairs, rounds: slice, watch: this.#events.hears("round") };
        // The rounds of a slice are computed in any case, so their end is awaited even if the signal is aborted.
        await this.#engine.request({ type: "project", body }, "done");
        done += slice;
        most.rounds = performance.now() - began < SLICE_MS ? slice * 2 : Math.max(1, Math.floor(slice / 2));
      }
    });
  }

  /**
   * Forms an assembly (the operation *project*): one round in which a stimulus, or the assembly of another area, fires alone, then
   * `rounds` − 1 with recurrent input too.
   */
  async form(source: string, area: string, rounds = 20, options: AskOptions = {}): Promise<Formed> {
    const names = { source: checkName("source", source), area: checkName("area", area) };
    return this.#operate({ type: "form", ...names, rounds }, options);
  }

  /**
   * Projects the assembly of an area into another one and back: after one round forth the other area also projects to itself and back. Then
   * only the other one fires, and what returns is measured without plasticity.
   */
  async reciprocalProject(from: string, to: string, rounds = 20, options: AskOptions = {}): Promise<Reciprocal> {
    return this.#operate({ type: "reciprocalProject", from: checkName("from", from), to: checkName("to", to), rounds }, options);
  }

  /**
   * Associates the assemblies of two areas in a third one: projects the first, the second, both together, then each alone again, `rounds`
   * each. Their images overlap more afterwards.
   */
  async associate(parents: readonly [Parent, Parent], area: string, rounds = 20, options: AskOptions = {}): Promise<Association> {
    return this.#operate({ type: "associate", parents: parentsOf(parents), area: checkName("area", area), rounds }, options);
  }

  /** Merges the assemblies of two areas into one of a third area, which also projects back to both. */
  async merge(parents: readonly [Parent, Parent], area: string, rounds = 20, options: AskOptions = {}): Promise<Merged> {
    return this.#operate({ type: "merge", parents: parentsOf(parents), area: checkName("area", area), rounds }, options);
  }

  /** Recalls the other parent of a merged assembly: fires one parent, then the merged assembly with it, then the other one. */
  async recall(parent: Parent, merged: string, other: string, rounds = 20, options: AskOptions = {}): Promise<Formed> {
    const names = { merged: checkName("merged", merged), other: checkName("other", other) };
    return this.#operate({ type: "recall", parent: parentOf("parent", parent), ...names, rounds }, options);
  }

  /** Completes an assembly from a part: only some of the winners of an area fire, then `rounds` rounds of recurrent input alone. */
  async complete(area: string, rounds = 10, options: CompleteOptions = {}): Promise<Completed> {
    const { fraction = 0.5, draw = 0, ...rest } = options;
    if (typeof fraction !== "number") throw notAllowed("fraction", fraction, "a number above 0, at most 1");
    wholeNumber("draw", draw, 0);
    return this.#operate({ type: "complete", area: checkName("area", area), fraction, rounds, draw }, rest);
  }

  /** Forms assemblies of two stimuli in one area, one after the other; the recurrent synapses are reset in between. */
  async separate(stimuli: readonly [string, string], area: string, rounds = 20, options: AskOptions = {}): Promise<Separated> {
    if (!Array.isArray(stimuli) || stimuli.length !== 2) throw notAllowed("stimuli", stimuli, "a list of two names");
    const names: [string, string] = [checkName("stimuli[0]", stimuli[0]), checkName("stimuli[1]", stimuli[1])];
    return this.#operate({ type: "separate", stimuli: names, area: checkName("area", area), rounds }, options);
  }

  /** See {@link Brain.parse}. The areas of this brain do not take part. */
  async parse(sentence: string, options: ParseOptions = {}): Promise<Parse> {
    checkKeys(options, ...PARSE);
    return this.#request({ type: "parse", body: sentenceOf(sentence, options) }, "parse", options.signal);
  }

  /** See {@link Brain.grammars}. */
  async grammars(options: AskOptions = {}): Promise<Lexicon[]> {
    return this.#ask({ type: "grammars" }, "grammars", options);
  }

  /** The last winners of an area, in ascending order. */
  async winners(area: string, options: AskOptions = {}): Promise<Uint32Array> {
    return this.#ask({ type: "winners", body: { area: checkName("area", area) } }, "neurons", options);
  }

  /** Replaces the winners of an area. */
  async setWinners(area: string, winners: ArrayLike<number>, options: AskOptions = {}): Promise<void> {
    checkName("area", area);
    if (typeof winners?.length !== "number") throw notAllowed("winners", winners, "an array of indices of neurons");
    const list = Array.from(winners);
    for (const neuron of list) wholeNumber("winners", neuron, 0);
    await this.#ask({ type: "setWinners", body: { area, winners: list } }, "done", options);
  }

  /** Fires the block of k neurons with this index, and fixes it. In the mode `lazy` the area must be explicit. */
  async activate(area: string, index: number, options: AskOptions = {}): Promise<void> {
    wholeNumber("index", index, 0);
    await this.#ask({ type: "activate", body: { area: checkName("area", area), index } }, "done", options);
  }

  /** Lets an area keep its winners in the following rounds. Their incoming synapses still learn. */
  async fix(area: string, options: AskOptions = {}): Promise<void> {
    await this.#ask({ type: "fix", body: { area: checkName("area", area) } }, "done", options);
  }

  /** Lets an area choose new winners again. */
  async unfix(area: string, options: AskOptions = {}): Promise<void> {
    await this.#ask({ type: "unfix", body: { area: checkName("area", area) } }, "done", options);
  }

  /** Sets the weights of the synapses within an area back to 1. */
  async forget(area: string, options: AskOptions = {}): Promise<void> {
    await this.#ask({ type: "forget", body: { area: checkName("area", area) } }, "done", options);
  }

  /** The number of neurons of an area that have ever won. */
  async support(area: string, options: AskOptions = {}): Promise<number> {
    checkName("area", area);
    const { areas } = await this.info(options);
    const found = areas.find(({ name }) => name === area);
    if (!found) throw notAllowed("area", area, `the name of an area: ${areas.map(({ name }) => name).join(", ") || "there are none yet"}`);
    return found.support;
  }

  /** The areas and stimuli. */
  async info(options: AskOptions = {}): Promise<BrainInfo> {
    return this.#ask({ type: "describe" }, "description", options);
  }

  /** The parts of the memory. */
  async memory(options: AskOptions = {}): Promise<MemoryItem[]> {
    return this.#ask({ type: "memory" }, "memory", options);
  }

  /** Adds a listener for an event; see {@link BrainEvents}. Returns a function that removes it. */
  on<Type extends keyof BrainEvents>(type: Type, listener: (event: BrainEvents[Type]) => void, options: ListenOptions = {}): Unsubscribe {
    if (type !== "round") throw notAllowed("type", type, '"round"');
    if (typeof listener !== "function") throw notAllowed("listener", listener, "a function");
    checkKeys(options, "signal");
    return this.#events.on(type, listener, options);
  }

  /** Ends the brain and frees its memory at once. Pending calls are rejected with the code `disposed`. */
  dispose(): void {
    this.#engine.end(null);
  }

  async #operate<Result extends Report>(operation: Operation, options: AskOptions): Promise<Result> {
    checkKeys(options, "signal");
    wholeNumber("rounds", operation.rounds, 1);
    const command = (): Command => ({ type: "operate", body: { operation, watch: this.#events.hears("round") } });
    return this.#inTurn(options.signal, () => this.#engine.request(command(), "report")) as Promise<Result>;
  }

  async #ask<Type extends Reply["type"]>(command: Command, type: Type, options: AskOptions): Promise<Body<Type, Reply>> {
    checkKeys(options, "signal");
    return this.#request(command, type, options.signal);
  }

  #request<Type extends Reply["type"]>(command: Command, type: Type, signal?: AbortSignal): Promise<Body<Type, Reply>> {
    return this.#inTurn(signal, () => this.#engine.request(command, type));
  }

  /** Runs after all earlier requests. Aborting the signal stops waiting. */
  #inTurn<Result>(signal: AbortSignal | undefined, run: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => {
      signal?.throwIfAborted();
      return run();
    });
    this.#last = result.catch(() => {});
    if (!signal) return result;
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      signal.addEventListener("abort", abort);
      result.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    });
  }
}

/** `using` disposes of it at the end of its block. */
export interface Brain extends Usable {}

/** Names of the options of `parse`. */
const PARSE = ["grammar", "seed", "p", "n", "k", "rounds", "signal"];

/** Starts a module, and uses it; it ends if that fails. */
async function open<Result>(
  options: EngineOptions,
  use: (engine: Module, listen: (told: (round: RawRound) => void) => void) => Promise<Result>,
): Promise<Result> {
  let told: (round: RawRound) => void = () => {};
  const onEvent = (event: ModuleEvent) => void (event.type === "round" && told(event.body));
  const engine: Module = await Engine.start(workerOf(options), null, onEvent, options.signal, "assemblies");
  try {
    return await use(engine, (listener) => (told = listener));
  } catch (error) {
    engine.end(null);
    throw error;
  }
}

/** Uses a module for a single request. */
function once<Result>(options: EngineOptions, use: (engine: Module) => Promise<Result>): Promise<Result> {
  return open(options, async (engine) => {
    const result = await use(engine);
    engine.end(null);
    return result;
  });
}

/** The overlap of two sets of neurons in ascending order: the size of their intersection divided by the size of the smaller one. */
export function overlap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const other = new Set(Array.from(b));
  const common = Array.from(a).filter((neuron) => other.has(neuron)).length;
  return common === 0 ? 0 : common / Math.min(a.length, b.length);
}
