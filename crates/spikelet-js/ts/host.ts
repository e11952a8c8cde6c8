// Where an engine lives: a Worker of the browser, or one of Node.

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
}

/** An engine that is compiled. Who has it starts another Worker five times as fast. */
export interface Compiled {
  st?: WebAssembly.Module;
  mt?: WebAssembly.Module;
}

/** What a Worker says of itself, besides what its engine says. */
export interface Said {
  compiled: Compiled;
}

/** What is said to a Worker first. */
export interface Greeting {
  /** Where threads call out when they stop: a BroadcastChannel. The Worker, which waits for them, cannot pass it on. */
  channel: string;
  /** Whether there is to be one thread. */
  oneThread: boolean;
  compiled: Compiled;
}

/** What Workers have compiled so far, by the address of their script. */
const compiled = new Map<string, Compiled>();

/** Starts a Worker: the package's own, or the one at `url`, a copy of the package's `js/worker.js`. */
export async function startHost(url: URL | undefined, oneThread: boolean, hearer: Hearer): Promise<Host> {
  const key = url?.href ?? "";
  const keeping: Hearer = {
    heard: (message) => {
      if (!isSaid(message)) return hearer.heard(message);
      compiled.set(key, { ...compiled.get(key), ...message.compiled });
    },
    lost: (why) => hearer.lost(why),
  };
  const greeting: Greeting = {
    channel: `spikelet ${crypto.getRandomValues(new Uint32Array(4)).join("-")}`,
    oneThread,
    compiled: compiled.get(key) ?? {},
  };
  return typeof Worker === "undefined" ? inNode(url, greeting, keeping) : inBrowser(url, greeting, keeping);
}

function isSaid(message: unknown): message is Said {
  return typeof message === "object" && message !== null && "compiled" in message;
}

function inBrowser(url: URL | undefined, greeting: Greeting, hearer: Hearer): Host {
  const worker = browserWorker(url);
  const channel = new BroadcastChannel(greeting.channel);
  channel.onmessage = worker.onmessage = ({ data }: MessageEvent) => hearer.heard(data);
  worker.onmessageerror = () => hearer.lost("it sent what this page cannot read");
  worker.onerror = (event) => {
    // A script that is not there gives an event without a message.
    hearer.lost(event.message ?? `${url ?? "its script"} could not be loaded; check that all files of the package are served`);
  };
  worker.postMessage(greeting);
  return {
    post: (message) => worker.postMessage(message),
    hold: () => {},
    end: () => {
      worker.onmessage = worker.onerror = worker.onmessageerror = null;
      worker.terminate();
      channel.close();
    },
  };
}

function browserWorker(url: URL | undefined): Worker {
  try {
    // Bundlers look for these very words.
    if (url === undefined) return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    if (url.origin === location.origin) return new Worker(url, { type: "module" });
  } catch (error) {
    // A Worker's script must come from the page's origin; a module that it imports need not.
    if (!(error instanceof DOMException && error.name === "SecurityError")) throw error;
  }
  const script = `import ${JSON.stringify(String(url ?? new URL("./worker.js", import.meta.url)))};`;
  const blob = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(blob, { type: "module" });
  // The Worker says something once it has loaded; from then on nobody needs the script.
  worker.addEventListener("message", () => URL.revokeObjectURL(blob), { once: true });
  return worker;
}

/** What is used of a Worker of Node. */
interface NodeWorker {
  on(type: "message" | "messageerror" | "error", listener: (value: unknown) => void): void;
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
  // Not in the words that bundlers look for: a bundle for browsers needs one Worker, not two.
  const script = url ?? new URL("worker.js", new URL(".", import.meta.url));
  // Options of the script's own, such as `--input-type`, mean something else here.
  const worker = new NodeWorker(script, { name: "spikelet", execArgv: [] });
  worker.on("message", (message) => hearer.heard(message));
  worker.on("messageerror", () => hearer.lost("it sent what this script cannot read"));
  worker.on("error", (error) => hearer.lost(String(error)));
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
