import { SpikeletError } from "./errors.js";
import { type Hearer, type Host, type WorkerSource, startHost } from "./host.js";
import type { Command, Event, Failure, Message, Reply } from "./raw.js";

/** The content of a reply of a type. */
export type Body<Type extends Reply["type"]> = Extract<Reply, { type: Type }> extends { body: infer Content } ? Content : undefined;

interface Asked {
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

/** Receives the events of an engine. */
export type Told = (event: Event) => void;

/** An engine in its own Worker, which answers commands. */
export class Engine implements Hearer {
  #host: Host | null = null;
  #gone: SpikeletError | null = null;
  #fallen: string | null = null;
  #last = 0;
  readonly #asked = new Map<number, Asked>();
  readonly #told: Told;
  readonly #ready: Promise<void>;
  #isReady!: { resolve(): void; reject(error: unknown): void };

  private constructor(told: Told) {
    this.#told = told;
    this.#ready = new Promise((resolve, reject) => (this.#isReady = { resolve, reject }));
  }

  /** Starts an engine, with one thread if a reason is given. Aborting `signal` before it has started ends it. */
  static async start(source: WorkerSource, oneThreadBecause: string | null, told: Told, signal?: AbortSignal): Promise<Engine> {
    signal?.throwIfAborted();
    const engine = new Engine(told);
    const end = () => engine.end(signal?.reason);
    signal?.addEventListener("abort", end);
    try {
      const host = await startHost(source, oneThreadBecause, engine);
      if (engine.#gone) host.end();
      else engine.#host = host;
      await engine.#ready;
      signal?.throwIfAborted();
      return engine;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof SpikeletError) throw error;
      throw new SpikeletError("engine", `the engine did not start: ${error}`);
    } finally {
      signal?.removeEventListener("abort", end);
    }
  }

  /** Sends a command and waits for its reply. Aborting `signal` stops waiting; the command is still executed. */
  async ask<Type extends Reply["type"]>(command: Command, type: Type, signal?: AbortSignal): Promise<Body<Type>> {
    signal?.throwIfAborted();
    if (this.#gone) throw this.#gone;
    const ask = (this.#last += 1);
    const answered = new Promise<Reply>((resolve, reject) => this.#asked.set(ask, { resolve, reject }));
    const abort = () => this.#asked.get(ask)?.reject(signal?.reason);
    signal?.addEventListener("abort", abort);
    try {
      this.#host?.hold(true);
      this.#host?.post({ ask, command });
      const reply = await answered;
      if (reply.type !== type) throw new SpikeletError("protocol", `the engine answered ${command.type} by ${reply.type}`);
      return ("body" in reply ? reply.body : undefined) as Body<Type>;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#asked.delete(ask);
      if (this.#asked.size === 0) this.#host?.hold(false);
    }
  }

  /** Sends a command without a reply. */
  say(command: Command): void {
    this.#host?.post({ ask: null, command });
  }

  /** Terminates the Worker at once. Pending commands are rejected with the reason. */
  end(reason: unknown): void {
    const gone = reason instanceof SpikeletError ? reason : new SpikeletError("disposed", "the simulation was disposed");
    this.#gone ??= gone;
    this.#host?.end();
    this.#host = null;
    this.#isReady.reject(reason ?? gone);
    // Prevents an unhandled rejection if no call waits for it.
    this.#ready.catch(() => {});
    for (const asked of this.#asked.values()) asked.reject(gone);
    this.#asked.clear();
  }

  /** The error of the thread that ended the engine, if there was one. */
  get fallen(): string | null {
    return this.#fallen;
  }

  heard(message: unknown): void {
    const said = message as Message;
    switch (said.type) {
      case "answer":
        return this.#asked.get(said.body.ask)?.resolve(said.body.reply);
      case "refusal":
        return this.#asked.get(said.body.ask)?.reject(SpikeletError.of(said.body.failure));
      case "event":
        if (said.body.type === "ready") this.#isReady.resolve();
        else if (said.body.type === "stopped") this.#stop(said.body.body);
        else this.#told(said.body);
    }
  }

  lost(why: string): void {
    this.#stop({ code: "engine", message: `the engine stopped: ${why}`, path: null, diagnostics: [] });
  }

  fell(why: string): void {
    this.#fallen ??= why;
    this.#stop({ code: "engine", message: `a thread of the engine stopped: ${why}`, path: null, diagnostics: [] });
  }

  #stop(failure: Failure): void {
    if (this.#gone) return;
    this.end(SpikeletError.of(failure));
    this.#told({ type: "stopped", body: failure });
  }
}
