// The host of an engine: a Worker of the browser or of Node.

import { SpikeletError, notAllowed } from "./errors.js";
import { nodeModule } from "./node.js";

/** A Worker with an engine. */
export interface Host {
  post(message: unknown): void;
  /** Whether a call is pending: a script of Node exits only when no call is pending. */
  hold(busy: boolean): void;
  end(): void;
}

/** Receives the messages of a Worker. */
export interface EngineListener {
  receive(message: unknown): void;
  /** The Worker has ended, or did not start. */
  lost(why: string): void;
  /** A thread of the Worker has ended, and the Worker waits for it. */
  fell(why: string): void;
}

/**
 * The source of a Worker: the URL of a copy of the package's `js/worker.js`, a function that starts a Worker, or by default the script of
 * the package.
 */
export type WorkerSource = URL | (() => Worker) | undefined;

/** What a Worker runs. */
export type ModuleName = "engine" | "assemblies" | "training" | "interchange";

/** Compiled modules, by the folder of the package. With one, a Worker starts five times as fast. */
export interface Compiled {
  st?: WebAssembly.Module;
  mt?: WebAssembly.Module;
  assemblies?: WebAssembly.Module;
  training?: WebAssembly.Module;
  interchange?: WebAssembly.Module;
}

/** Message of a thread that has stopped. */
export interface Fallen {
  fallen: string;
}

/** Messages of the Worker itself: the engine that it compiled; that it holds the lock with the name of its channel. */
export type WorkerNote = { compiled: Compiled } | { locked: true } | Fallen;

/** The first message to a Worker. */
export interface WorkerStart {
  /** What it runs. */
  module: ModuleName;
  /**
   * A unique name. A thread that stops reports it on the BroadcastChannel of this name, because the Worker waits for the thread and cannot
   * forward it. The Worker also holds the lock of this name while it exists.
   */
  channel: string;
  /** The reason for using one thread, if there is one. */
  oneThreadBecause: string | null;
  compiled: Compiled;
}

/** Modules compiled by Workers so far, by the URL of their script. */
const compiled = new Map<string, Compiled>();

/** Adds modules that the page has compiled, for Workers of the package's script and of functions. */
export function provide(modules: Compiled): void {
  compiled.set("", { ...compiled.get(""), ...modules });
}

/** Starts a Worker. */
export async function startHost(
  source: WorkerSource,
  oneThreadBecause: string | null,
  listener: EngineListener,
  module: ModuleName,
): Promise<Host> {
  const key = source instanceof URL ? source.href : "";
  const keeping: EngineListener = {
    receive: (message) => {
      if (typeof message !== "object" || message === null || "type" in message) return listener.receive(message);
      const note = message as WorkerNote;
      if ("compiled" in note) compiled.set(key, { ...compiled.get(key), ...note.compiled });
      if ("fallen" in note) listener.fell(note.fallen);
    },
    lost: (why) => listener.lost(why),
    fell: (why) => listener.fell(why),
  };
  const start: WorkerStart = {
    module,
    channel: `spikelet ${crypto.getRandomValues(new Uint32Array(4)).join("-")}`,
    oneThreadBecause,
    compiled: compiled.get(key) ?? {},
  };
  if (typeof Worker !== "undefined") return new BrowserHost(source, start, keeping);
  if (typeof source === "function") throw notAllowed("worker", source, "the address of a copy of the package's js/worker.js, in Node");
  return inNode(source, start, keeping);
}

/** This module. Written such that bundlers do not include the files beside it. */
const HERE = import.meta.url;

/** A Worker of a browser. */
class BrowserHost implements Host {
  readonly #message: WorkerStart;
  readonly #listener: EngineListener;
  readonly #channel: BroadcastChannel;
  readonly #over = new AbortController();
  readonly #script: string;
  #worker!: Worker;

  constructor(source: WorkerSource, start: WorkerStart, listener: EngineListener) {
    this.#message = start;
    this.#listener = listener;
    this.#script = source instanceof URL ? source.href : "its script";
    this.#channel = new BroadcastChannel(start.channel);
    this.#channel.onmessage = ({ data }) => listener.receive(data);
    try {
      if (typeof source === "function") this.#start(given(source));
      else this.#startPlain(source);
    } catch (error) {
      this.end();
      throw error;
    }
  }

  post(message: unknown): void {
    this.#worker.postMessage(message);
  }

  hold(): void {}

  end(): void {
    this.#over.abort();
    this.#channel.close();
    if (!this.#worker) return;
    this.#silence();
    this.#worker.terminate();
  }

  #silence(): void {
    this.#worker.onmessage = this.#worker.onerror = this.#worker.onmessageerror = null;
  }

  /** Starts the Worker of a script. Browsers reject a script of another origin at once or by an error event; a blob script is then used. */
  #startPlain(url: URL | undefined): void {
    const byBlob = () => this.#start(this.#blobWorker(url ?? new URL("worker.js", HERE)));
    let worker: Worker;
    try {
      // Bundlers recognise this exact form.
      worker = url ? new Worker(url, { type: "module" }) : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    } catch (error) {
      if (error instanceof DOMException && error.name === "SecurityError") return byBlob();
      const way = "start it yourself: worker: () => new Worker(…)";
      throw new SpikeletError("engine", `the browser does not start the engine's Worker (${error}); ${way}`);
    }
    this.#start(worker, byBlob);
  }

  /** A module imported by a Worker script can be of another origin. Threads use the same script later. */
  #blobWorker(url: URL): Worker {
    // The script is not a module: Chromium starts no module in a sandboxed frame. Messages before the end of the import are queued.
    const script = `const early = []; onmessage = (event) => early.push(event);
      import(${JSON.stringify(url.href)}).then(() => early.forEach((event) => onmessage(event)), (error) => setTimeout(() => { throw error; }));`;
    const blob = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.#over.signal.addEventListener("abort", () => URL.revokeObjectURL(blob));
    return new Worker(blob);
  }

  /** Connects to a Worker; to an alternative one if it fails before its first message. */
  #start(worker: Worker, otherwise?: () => void): void {
    this.#worker = worker;
    let hasSpoken = false;
    worker.onmessage = ({ data }) => {
      hasSpoken = true;
      if (data.locked) this.#awaitEnd();
      this.#listener.receive(data);
    };
    worker.onmessageerror = () => this.#listener.lost("it sent a message that this page cannot read");
    worker.onerror = (event) => {
      if (otherwise && !hasSpoken) {
        this.#silence();
        worker.terminate();
        try {
          return otherwise();
        } catch (error) {
          return this.#listener.lost(String(error));
        }
      }
      const why = event.message ? ` (${event.message})` : "";
      const notLoaded = `${this.#script} could not be loaded${why}; check that all files of the package are served`;
      this.#listener.lost(hasSpoken ? (event.message ?? "it failed") : notLoaded);
    };
    worker.postMessage(this.#message);
  }

  /** Detects that the Worker was terminated from outside. There is no event for this, but its lock becomes free. */
  #awaitEnd(): void {
    const ended = () => this.#listener.lost("its Worker was terminated");
    navigator.locks.request(this.#message.channel, { signal: this.#over.signal }, ended).catch(() => {});
  }
}

/** The Worker started by the user. */
function given(start: () => Worker): Worker {
  const worker: unknown = start();
  if (worker instanceof Worker) return worker;
  throw notAllowed("worker", worker, "a function that returns a new Worker");
}

/** The used part of a Worker of Node. */
interface NodeWorker {
  on(type: "message" | "messageerror" | "error" | "exit", listener: (value: unknown) => void): void;
  removeAllListeners(): void;
  postMessage(message: unknown): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<number>;
}

interface WorkerThreads {
  Worker: new (url: URL, options: { name: string; execArgv: string[] }) => NodeWorker;
}

async function inNode(url: URL | undefined, start: WorkerStart, listener: EngineListener): Promise<Host> {
  const { Worker: NodeWorker } = await nodeModule<WorkerThreads>("node:worker_threads");
  const script = url ?? new URL("worker.js", HERE);
  // Options of the main script, such as `--input-type`, have another meaning here.
  const worker = new NodeWorker(script, { name: "spikelet", execArgv: [] });
  worker.on("message", (message) => listener.receive(message));
  worker.on("messageerror", () => listener.lost("it sent a message that this script cannot read"));
  worker.on("error", (error) => listener.lost(String(error)));
  worker.on("exit", (code) => listener.lost(`its Worker was terminated, with exit code ${code}`));
  worker.postMessage(start);
  return {
    post: (message) => worker.postMessage(message),
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    end: () => {
      worker.removeAllListeners();
      void worker.terminate();
    },
  };
}
