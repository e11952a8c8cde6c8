// Where an engine lives: a Worker of the browser, or one of Node.

import { SpikeletError, notAllowed } from "./errors.js";
import { nodeModule } from "./node.js";

/** A Worker with an engine in it. */
export interface Host {
  post(message: unknown): void;
  /** Whether somebody waits for an answer: a script of Node does not end before that comes, and ends where nobody does. */
  hold(busy: boolean): void;
  end(): void;
}

/** Who is told what a Worker says. */
export interface Hearer {
  heard(message: unknown): void;
  /** The Worker is gone, or never came. */
  lost(why: string): void;
  /** One of its threads is gone, and it waits for that one. */
  fell(why: string): void;
}

/** Where a Worker comes from: a copy of the package's `js/worker.js`, somebody who starts it, or else the package's own. */
export type WorkerSource = URL | (() => Worker) | undefined;

/** An engine that is compiled. Who has it starts another Worker five times as fast. */
export interface Compiled {
  st?: WebAssembly.Module;
  mt?: WebAssembly.Module;
}

/** What a thread says when it stops. */
export interface Fallen {
  fallen: string;
}

/** What a Worker says of itself, besides what its engine says: what it has compiled; that it holds the lock of its channel's name. */
export type Said = { compiled: Compiled } | { locked: true } | Fallen;

/** What is said to a Worker first. */
export interface Greeting {
  /**
   * A name of its own. A thread that stops calls out on the BroadcastChannel of this name: the Worker, which waits for it, cannot pass that
   * on. And the Worker holds the lock of this name, for as long as it lives.
   */
  channel: string;
  /** Why there is to be one thread, if so. */
  oneThreadBecause: string | null;
  compiled: Compiled;
}

/** What Workers have compiled so far, by the address of their script. */
const compiled = new Map<string, Compiled>();

/** Starts a Worker. */
export async function startHost(source: WorkerSource, oneThreadBecause: string | null, hearer: Hearer): Promise<Host> {
  const key = source instanceof URL ? source.href : "";
  const keeping: Hearer = {
    heard: (message) => {
      if (typeof message !== "object" || message === null || "type" in message) return hearer.heard(message);
      const said = message as Said;
      if ("compiled" in said) compiled.set(key, { ...compiled.get(key), ...said.compiled });
      if ("fallen" in said) hearer.fell(said.fallen);
    },
    lost: (why) => hearer.lost(why),
    fell: (why) => hearer.fell(why),
  };
  const greeting: Greeting = {
    channel: `spikelet ${crypto.getRandomValues(new Uint32Array(4)).join("-")}`,
    oneThreadBecause,
    compiled: compiled.get(key) ?? {},
  };
  if (typeof Worker !== "undefined") return new BrowserHost(source, greeting, keeping);
  if (typeof source === "function") throw notAllowed("worker", source, "the address of a copy of the package's js/worker.js, in Node");
  return inNode(source, greeting, keeping);
}

/** This module. Not in the words that bundlers look for, who would take whatever is named beside it along. */
const HERE = import.meta.url;

/** A Worker of a browser. */
class BrowserHost implements Host {
  readonly #greeting: Greeting;
  readonly #hearer: Hearer;
  readonly #channel: BroadcastChannel;
  readonly #over = new AbortController();
  readonly #script: string;
  #worker!: Worker;

  constructor(source: WorkerSource, greeting: Greeting, hearer: Hearer) {
    this.#greeting = greeting;
    this.#hearer = hearer;
    this.#script = source instanceof URL ? source.href : "its script";
    this.#channel = new BroadcastChannel(greeting.channel);
    this.#channel.onmessage = ({ data }) => hearer.heard(data);
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

  /** Starts the Worker of a script; a foreign one, as browsers refuse it at once or by an error event, by way of a script of the page's own. */
  #startPlain(url: URL | undefined): void {
    const byBlob = () => this.#start(this.#blobWorker(url ?? new URL("worker.js", HERE)));
    let worker: Worker;
    try {
      // Bundlers look for these very words.
      worker = url ? new Worker(url, { type: "module" }) : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    } catch (error) {
      if (error instanceof DOMException && error.name === "SecurityError") return byBlob();
      const way = "start it yourself: worker: () => new Worker(…)";
      throw new SpikeletError("engine", `the browser does not start the engine's Worker (${error}); ${way}`);
    }
    this.#start(worker, byBlob);
  }

  /** A module that a Worker's script imports may come from anywhere that allows it. Threads are started with the same script later on. */
  #blobWorker(url: URL): Worker {
    // Not itself a module: Chromium starts none in a sandboxed frame. What is said to it before the import is there waits.
    const script = `const early = []; onmessage = (event) => early.push(event);
      import(${JSON.stringify(url.href)}).then(() => early.forEach((event) => onmessage(event)), (error) => setTimeout(() => { throw error; }));`;
    const blob = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.#over.signal.addEventListener("abort", () => URL.revokeObjectURL(blob));
    return new Worker(blob);
  }

  /** Speaks with a Worker from now on; with another one where it fails before it has said anything. */
  #start(worker: Worker, otherwise?: () => void): void {
    this.#worker = worker;
    let hasSpoken = false;
    worker.onmessage = ({ data }) => {
      hasSpoken = true;
      if (data.locked) this.#awaitEnd();
      this.#hearer.heard(data);
    };
    worker.onmessageerror = () => this.#hearer.lost("it sent what this page cannot read");
    worker.onerror = (event) => {
      if (otherwise && !hasSpoken) {
        this.#silence();
        worker.terminate();
        try {
          return otherwise();
        } catch (error) {
          return this.#hearer.lost(String(error));
        }
      }
      const why = event.message ? ` (${event.message})` : "";
      const notLoaded = `${this.#script} could not be loaded${why}; check that all files of the package are served`;
      this.#hearer.lost(hasSpoken ? (event.message ?? "it failed") : notLoaded);
    };
    worker.postMessage(this.#greeting);
  }

  /** Hears when the Worker ends other than by its host, of which no event tells: its lock is free then. */
  #awaitEnd(): void {
    const ended = () => this.#hearer.lost("its Worker was ended");
    navigator.locks.request(this.#greeting.channel, { signal: this.#over.signal }, ended).catch(() => {});
  }
}

/** The Worker that a user starts. */
function given(start: () => Worker): Worker {
  const worker: unknown = start();
  if (worker instanceof Worker) return worker;
  throw notAllowed("worker", worker, "a function that gives a new Worker");
}

/** What is used of a Worker of Node. */
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

async function inNode(url: URL | undefined, greeting: Greeting, hearer: Hearer): Promise<Host> {
  const { Worker: NodeWorker } = await nodeModule<WorkerThreads>("node:worker_threads");
  const script = url ?? new URL("worker.js", HERE);
  // Options of the script's own, such as `--input-type`, mean something else here.
  const worker = new NodeWorker(script, { name: "spikelet", execArgv: [] });
  worker.on("message", (message) => hearer.heard(message));
  worker.on("messageerror", () => hearer.lost("it sent what this script cannot read"));
  worker.on("error", (error) => hearer.lost(String(error)));
  worker.on("exit", (code) => hearer.lost(`its Worker was ended, with exit code ${code}`));
  worker.postMessage(greeting);
  return {
    post: (message) => worker.postMessage(message),
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    end: () => {
      worker.removeAllListeners();
      void worker.terminate();
    },
  };
}
