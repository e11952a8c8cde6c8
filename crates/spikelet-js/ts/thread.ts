// Threads of the engine `mt`: each is a Worker with the same script as the Worker of the engine. It shares the compiled module and the
// memory.

import type { Fallen } from "./host.js";

/** The first message to a Worker that becomes a thread. */
export interface ThreadStart {
  seat: number;
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** The channel to the page, see `WorkerStart`. */
  channel: string;
}

/** Messages of a thread: that it has started, that its pool has ended, or why it could not start. */
type ThreadNote = "seated" | "ended" | { why: string };

/** The used part of the global scope of a Worker. */
interface Scope {
  postMessage(note: ThreadNote): void;
  importScripts?(url: string): void;
  trustedTypes?: { createPolicy(name: string, policy: Policy): Policy };
}

/** Creates trusted URLs. */
interface Policy {
  createScriptURL(url: string): string;
}

const scope = globalThis as unknown as Scope;

/** Running Workers. Without this reference a browser might collect them as garbage. */
const alive = new Set<Worker>();

/** How long a thread may take to start, in ms. WebKit reports no error for a Worker in a Worker whose script it blocks. */
const PATIENCE = 20_000;

/** Returns the function that starts a thread and resolves when it has started. A thread ends with its pool. */
export function starter(channel: string): (module: WebAssembly.Module, memory: WebAssembly.Memory, seat: number) => Promise<void> {
  return (module, memory, seat) => {
    const started = new Promise<void>((resolve, reject) => {
      const worker = new Worker(trusted(location.href), { type: ownSort(), name: "spikelet thread" });
      const waiting = setTimeout(() => end(`a thread did not start in ${PATIENCE / 1000} s`), PATIENCE);
      const end = (why: unknown) => {
        clearTimeout(waiting);
        worker.terminate();
        alive.delete(worker);
        // Has no effect if the thread had started.
        reject(why);
      };
      alive.add(worker);
      worker.onmessage = ({ data }: MessageEvent<ThreadNote>) => {
        if (data !== "seated") return end(data === "ended" ? data : data.why);
        clearTimeout(waiting);
        resolve();
      };
      worker.onerror = ({ message }) => end(message ?? "its script could not be loaded");
      try {
        worker.postMessage({ seat, module, memory, channel } satisfies ThreadStart);
      } catch (error) {
        end(error);
      }
    });
    // The engine waits for its threads in turn: a second failure is no unhandled one.
    started.catch(() => {});
    return started;
  };
}

let policy: Policy | undefined;

/** A URL in the form that pages with trusted types require. */
function trusted(url: string): string {
  policy ??= scope.trustedTypes?.createPolicy("spikelet", { createScriptURL: (script) => script });
  return policy?.createScriptURL(url) ?? url;
}

/** The type of this script: bundlers convert modules to classic scripts. */
function ownSort(): WorkerType {
  try {
    scope.importScripts?.(trusted("http://["));
  } catch (error) {
    // A classic script rejects the URL as invalid; in a module the call itself is not allowed.
    if (error instanceof DOMException) return "classic";
  }
  return "module";
}

/** Runs a thread until its pool ends. */
export async function serve({ seat, module, memory, channel }: ThreadStart): Promise<void> {
  let isSeated = false;
  try {
    const { initSync, serveSeat } = await import("../mt/spikelet_engine.js");
    const wasm = initSync({ module, memory });
    scope.postMessage("seated");
    isSeated = true;
    serveSeat(seat);
    // Frees the stack and the thread-local storage; no function of the module may be called after this.
    wasm.__wbindgen_thread_destroy();
    scope.postMessage("ended");
  } catch (error) {
    if (!isSeated) return scope.postMessage({ why: String(error) });
    // The engine waits for this thread and receives no message, so the page is notified directly.
    new BroadcastChannel(channel).postMessage({ fallen: String(error) } satisfies Fallen);
  }
}
