import { type ListenOptions, type Unsubscribe, Emitter } from "../emitter.js";
import { type Body, Engine } from "../engine.js";
import { notAllowed } from "../errors.js";
import { type AskOptions, type EngineOptions, checkKeys, checkSeed, positive, wholeNumber, workerOf } from "../options.js";
import type { BrainInfo, Command, Fibre, MemoryItem, Mode, RawRound, Refraction, Reply, Told } from "./raw.js";

/** Wall time after which rounds pause for other requests and for an abort, in ms. */
const SLICE_MS = 25;

/** Options of a brain. */
export interface BrainOptions extends EngineOptions {
  /** Probability of a synapse between any two neurons; default 0.05. */
  p?: number | undefined;
  /** Seed of all random choices; default 1. */
  seed?: number | bigint | undefined;
  /**
   * How synapses are represented. `lazy` (default): only neurons that have won exist, and the inputs of others are drawn from their
   * distribution. `explicit`: all synapses are drawn and stored. `procedural`: those of a neuron are drawn when it fires; the winners are
   * those of `explicit`.
   */
  mode?: Mode | undefined;
  /** The largest weight; default 10 000. */
  wMax?: number | undefined;
  /** Memory that areas and synapses may use, in bytes; default 1 GiB. */
  memory?: number | undefined;
}

/** Options of an area. */
export interface AreaOptions extends AskOptions {
  /** Number of neurons. */
  n: number;
  /** How many of them fire in a round. */
  k: number;
  /** Plasticity: a synapse from a neuron that fired to a new winner is multiplied by 1 + β; default 0.05. */
  beta?: number | undefined;
  /** Whether all neurons exist from the start also in the mode `lazy`, so that blocks of them can be activated; default false. */
  explicit?: boolean | undefined;
  /** What makes it harder for a neuron that has won to win again; default nothing. */
  refraction?: Refraction | undefined;
}

/** The targets of each source, an area or a stimulus: `{ S: "A", A: ["A", "B"] }`. */
export type Fibres = Readonly<Record<string, string | readonly string[]>>;

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

type Module = Engine<Command, Reply, Told>;

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
    if (!(typeof p === "number" && p > 0 && p <= 1)) throw notAllowed("p", p, "a probability above 0, at most 1");
    checkSeed(seed);
    if (!["explicit", "procedural", "lazy"].includes(mode)) throw notAllowed("mode", mode, '"lazy", "explicit" or "procedural"');
    if (!(wMax >= 1 && Number.isFinite(wMax))) throw notAllowed("wMax", wMax, "a number, 1 or more");
    positive("memory", memory, "a number of bytes");
    let told: (round: RawRound) => void = () => {};
    const onEvent = (event: Told) => void (event.type === "round" && told(event.body));
    const engine: Module = await Engine.start(workerOf(options), null, onEvent, signal, "assemblies");
    try {
      await engine.request({ type: "create", body: { p, seed, mode, wMax, memory } }, "done", signal);
      return new Brain(engine, (listener) => (told = listener));
    } catch (error) {
      engine.end(null);
      throw error;
    }
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

/** The overlap of two sets of neurons in ascending order: the size of their intersection divided by the size of the smaller one. */
export function overlap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const other = new Set(Array.from(b));
  const common = Array.from(a).filter((neuron) => other.has(neuron)).length;
  return common === 0 ? 0 : common / Math.min(a.length, b.length);
}

function pairsOf(fibres: Fibres): Fibre[] {
  const expected = 'an object with the targets of each source, such as { S: "A", A: ["A", "B"] }';
  if (typeof fibres !== "object" || fibres === null) throw notAllowed("fibres", fibres, expected);
  return Object.entries(fibres).flatMap(([from, targets]) => {
    const list: readonly unknown[] = typeof targets === "string" ? [targets] : targets;
    if (!Array.isArray(list)) throw notAllowed(`fibres.${from}`, targets, "the name of an area, or a list of names");
    return list.map((to): Fibre => [from, checkName(`fibres.${from}`, to)]);
  });
}

function checkName(path: string, name: unknown): string {
  if (typeof name !== "string" || name === "") throw notAllowed(path, name, "a name");
  return name;
}

function checkBeta(beta: number): void {
  if (!(beta >= 0 && Number.isFinite(beta))) throw notAllowed("beta", beta, "a number, 0 or more");
}

function checkRefraction(refraction: Refraction): void {
  if (refraction?.kind !== "refractory" && refraction?.kind !== "refracted") {
    throw notAllowed("refraction", refraction, 'an object with kind "refractory" or "refracted"');
  }
  positive("refraction.strength", refraction.strength, "a number above 0");
  if (refraction.kind === "refractory") wholeNumber("refraction.period", refraction.period, 1);
}
