import { SpikeletError } from "./errors.js";
import { type EngineListener, type Host, type ModuleName, type WorkerSource, startHost } from "./host.js";
import type { Command, Event, Failure, Message, Reply } from "./raw.js";

/** A command, reply or event. */
interface Typed {
  type: string;
}

/** The content of a reply of a type. */
export type Body<Type extends Answer["type"], Answer extends Typed = Reply> =
  Extract<Answer, { type: Type }> extends { body: infer Content } ? Content : undefined;

interface PendingRequest<Answer> {
  resolve(reply: Answer): void;
  reject(error: unknown): void;
}

/** A module in its own Worker, which answers commands: an engine, or another module with commands, replies and events of its own. */
export class Engine<Asked extends Typed = Command, Answer extends Typed = Reply, Told extends Typed = Event> implements EngineListener {
  #host: Host | null = null;
  #gone: SpikeletError | null = null;
  #fallen: string | null = null;
  #last = 0;
  readonly #pending = new Map<number, PendingRequest<Answer>>();
  readonly #onEvent: (event: Told) => void;
  readonly #ready: Promise<void>;
  #isReady!: { resolve(): void; reject(error: unknown): void };

  private constructor(onEvent: (event: Told) => void) {
    this.#onEvent = onEvent;
    this.#ready = new Promise((resolve, reject) => (this.#isReady = { resolve, reject }));
  }

  /** Starts a module, with one thread if a reason is given. Aborting `signal` before it has started ends it. */
  static async start<Asked extends Typed = Command, Answer extends Typed = Reply, Told extends Typed = Event>(
    source: WorkerSource,
    oneThreadBecause: string | null,
    onEvent: (event: Told) => void,
    signal?: AbortSignal,
    module: ModuleName = "engine",
  ): Promise<Engine<Asked, Answer, Told>> {
    signal?.throwIfAborted();
    const engine = new Engine<Asked, Answer, Told>(onEvent);
    const end = () => engine.end(signal?.reason);
    signal?.addEventListener("abort", end);
    try {
      const host = await startHost(source, oneThreadBecause, engine, module);
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
  async request<Type extends Answer["type"]>(command: Asked, type: Type, signal?: AbortSignal): Promise<Body<Type, Answer>> {
    signal?.throwIfAborted();
    if (this.#gone) throw this.#gone;
    const id = (this.#last += 1);
    const replied = new Promise<Answer>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    const abort = () => this.#pending.get(id)?.reject(signal?.reason);
    signal?.addEventListener("abort", abort);
    try {
      this.#host?.hold(true);
      this.#host?.post({ id, command });
      const reply = await replied;
      if (reply.type !== type) throw new SpikeletError("protocol", `the engine answered ${command.type} by ${reply.type}`);
      return ("body" in reply ? reply.body : undefined) as Body<Type, Answer>;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#host?.hold(false);
    }
  }

  /** Sends a command without a reply. */
  send(command: Asked): void {
    this.#host?.post({ id: null, command });
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
    for (const pending of this.#pending.values()) pending.reject(gone);
    this.#pending.clear();
  }

  /** The error of the thread that ended the engine, if there was one. */
  get fallen(): string | null {
    return this.#fallen;
  }

  receive(message: unknown): void {
    const received = message as Message;
    switch (received.type) {
      case "answer":
        return this.#pending.get(received.body.id)?.resolve(received.body.reply as Typed as Answer);
      case "error":
        return this.#pending.get(received.body.id)?.reject(SpikeletError.of(received.body.failure));
      case "event":
        if (received.body.type === "ready") this.#isReady.resolve();
        else if (received.body.type === "stopped") this.#stop(received.body.body);
        else this.#onEvent(received.body as Typed as Told);
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
    this.#onEvent({ type: "stopped", body: failure } satisfies Event as Typed as Told);
  }
}
