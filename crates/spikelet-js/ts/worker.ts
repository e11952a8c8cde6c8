// The Worker of an engine, of assemblies, of a training or of files of other tools.
//
// There are two engines: `mt`, whose threads are Workers that share one memory, and `st` with one thread, which runs everywhere. The others
// are modules of their own, with one thread. Only what a Worker runs is loaded.

import type { Compiled, WorkerStart, WorkerNote } from "./host.js";
import { nodeModule, readFile } from "./node.js";
import type { Failure, Message } from "./raw.js";
import { type ThreadStart, serve, starter } from "./thread.js";

/** Memory sizes to request, in pages of 64 KiB: the full 32-bit address space, then less for browsers that reserve less. */
const PAGES = [65536, 32768, 16384];

/** Initial pages of a shared memory; the data of the module need fewer. */
const FIRST_PAGES = 256;

interface Engine {
  handle(message: unknown): void;
}

/** The used part of the port to the page; in a browser the Worker itself. */
interface Port {
  postMessage(message: unknown, transfer: readonly Transferable[]): void;
}

/** The same in Node. */
interface NodePort extends Port {
  on(type: "message", listener: (data: unknown) => void): void;
}

const isNode = !("WorkerGlobalScope" in globalThis);
const waiting: unknown[] = [];
let engine: Engine | null = null;
let port: Port;

/** Creates a shared memory, and returns its maximum number of pages. */
function sharedMemory(): [WebAssembly.Memory, number] {
  for (const maximum of PAGES) {
    try {
      return [new WebAssembly.Memory({ initial: FIRST_PAGES, maximum, shared: true }), maximum];
    } catch (error) {
      if (maximum === PAGES.at(-1)) throw error;
    }
  }
  throw new RangeError("no shared memory is available");
}

/** The reason for using one thread, if there is one. */
function oneThread(): string | undefined {
  if (isNode) return "this is Node, where the engine has one thread";
  if (!globalThis.crossOriginIsolated) {
    return "this page is not cross-origin isolated; serve it with the headers Cross-Origin-Opener-Policy: same-origin and " +
      "Cross-Origin-Embedder-Policy: require-corp, or have it load isolate.js";
  }
  // WebKit can have isolated pages without it.
  if (typeof SharedArrayBuffer === "undefined") return "this browser does not share memory between Workers; use another or a newer browser";
  if (navigator.hardwareConcurrency === 1) return "the browser reports one core for this page";
  return undefined;
}

function post(message: Message, transfer: readonly Transferable[] = []): void {
  port.postMessage(message, transfer);
}

async function load({ module, channel, oneThreadBecause, compiled }: WorkerStart): Promise<Engine> {
  if (module === "assemblies") {
    const [glue, module_or_path] = await Promise.all([import("../assemblies/spikelet_assemblies.js"), compile("assemblies", compiled)]);
    await glue.default({ module_or_path });
    return new glue.RawAssemblies(post);
  }
  if (module === "training") {
    const [glue, module_or_path] = await Promise.all([import("../training/spikelet_training.js"), compile("training", compiled)]);
    await glue.default({ module_or_path });
    return new glue.RawTraining(post);
  }
  if (module === "interchange") {
    const [glue, module_or_path] = await Promise.all([import("../interchange/spikelet_interchange.js"), compile("interchange", compiled)]);
    await glue.default({ module_or_path });
    return new glue.RawInterchange(post);
  }
  const startThread = starter(channel);
  let why = oneThreadBecause ?? oneThread();
  if (why === undefined) {
    try {
      const [glue, module_or_path] = await Promise.all([import("../mt/spikelet_engine.js"), compile("mt", compiled)]);
      const [memory, pages] = sharedMemory();
      await glue.default({ module_or_path, memory });
      return new glue.RawEngine(post, startThread, undefined, 65536 * pages);
    } catch (error) {
      why = `the engine with threads did not start (${error}); reload the page, or try another browser`;
    }
  }
  const [glue, module_or_path] = await Promise.all([import("../st/spikelet_engine.js"), compile("st", compiled)]);
  await glue.default({ module_or_path });
  return new glue.RawEngine(post, startThread, why, undefined);
}

/** Compiles a module, unless it was compiled before. The page receives the module for the next Worker. */
async function compile(name: keyof Compiled, before: Compiled): Promise<WebAssembly.Module> {
  const kept = before[name];
  if (kept) return kept;
  const url = wasmOf(name);
  // In Node a file is read, not fetched.
  const module = await (isNode ? WebAssembly.compile(await readFile(url)) : compileResponse(await fetch(url)));
  port.postMessage({ compiled: { [name]: module } } satisfies WorkerNote, []);
  return module;
}

/** The URL of a module. Bundlers recognise this exact form. */
function wasmOf(name: keyof Compiled): URL {
  switch (name) {
    case "mt":
      return new URL("../mt/spikelet_engine_bg.wasm", import.meta.url);
    case "st":
      return new URL("../st/spikelet_engine_bg.wasm", import.meta.url);
    case "assemblies":
      return new URL("../assemblies/spikelet_assemblies_bg.wasm", import.meta.url);
    case "training":
      return new URL("../training/spikelet_training_bg.wasm", import.meta.url);
    case "interchange":
      return new URL("../interchange/spikelet_interchange_bg.wasm", import.meta.url);
  }
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`${response.url} could not be loaded: the server responded with ${response.status}`);
  // Some hosts send another type for WebAssembly files. The browser can compile during the download only with the right type.
  if (response.headers.get("Content-Type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

function stop(message: string): void {
  const failure: Failure = { code: "engine", message, path: null, diagnostics: [] };
  post({ type: "event", body: { type: "stopped", body: failure } });
}

/** The first message starts an engine or a thread. All others are for the engine; they are queued until it exists. */
function receive(data: unknown): void {
  if (engine) {
    engine.handle(data);
  } else if (typeof data === "object" && data !== null && "seat" in data) {
    void serve(data as ThreadStart);
  } else if (typeof data === "object" && data !== null && "channel" in data) {
    void begin(data as WorkerStart);
  } else {
    waiting.push(data);
  }
}

async function begin(start: WorkerStart): Promise<void> {
  if (!isNode) void holdLock(start.channel);
  try {
    engine = await load(start);
    for (const message of waiting.splice(0)) engine.handle(message);
  } catch (error) {
    stop(`the engine did not start: ${error}`);
  }
}

/** Holds a lock while this Worker exists, if locks are available. */
async function holdLock(name: string): Promise<void> {
  const held = () => {
    port.postMessage({ locked: true } satisfies WorkerNote, []);
    return new Promise<never>(() => {});
  };
  // A page of an opaque origin has no locks.
  await navigator.locks?.request(name, held).catch(() => {});
}

async function listenInNode(): Promise<void> {
  const { parentPort } = await nodeModule<{ parentPort: NodePort }>("node:worker_threads");
  port = parentPort;
  parentPort.on("message", receive);
}

if (isNode) {
  void listenInNode();
} else {
  port = globalThis as unknown as Port;
  // Set at once, before any `await`: messages without a handler are lost.
  globalThis.onmessage = ({ data }) => receive(data);
  // Other exceptions reach the page as an error of this Worker.
  addEventListener("unhandledrejection", ({ reason }) => stop(`the engine stopped: ${reason}`));
}
