// Threads of the engine `mt`: each is another Worker with the script that the engine's own was started with, wherever that came from, and
// shares its compiled module and its memory.

import type { Fallen } from "./host.js";

/** What a Worker is told first that is to be a thread. */
export interface Enlisted {
  seat: number;
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** Where the page hears of it, see `Greeting`. */
  channel: string;
}

/** What it says: that it sits in its seat, that its pool has ended, or why it cannot take the seat. */
type Told = "seated" | "ended" | { why: string };

/** What is used of a Worker's own scope. */
interface Scope {
  postMessage(told: Told): void;
  importScripts?(url: string): void;
  trustedTypes?: { createPolicy(name: string, policy: Policy): Policy };
}

/** What makes addresses trusted. */
interface Policy {
  createScriptURL(url: string): string;
}

const scope = globalThis as unknown as Scope;

/** Workers that live; kept here too since a browser may else take one that nobody holds for garbage. */
const alive = new Set<Worker>();

/** What starts the Worker of a seat, and resolves once it sits there. It ends by itself when its pool does. */
export function starter(channel: string): (module: WebAssembly.Module, memory: WebAssembly.Memory, seat: number) => Promise<void> {
  return (module, memory, seat) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(trusted(location.href), { type: ownSort(), name: "spikelet thread" });
      const end = (why: unknown) => {
        worker.terminate();
        alive.delete(worker);
        // Nothing, where it sat there before.
        reject(why);
      };
      alive.add(worker);
      worker.onmessage = ({ data }: MessageEvent<Told>) => (data === "seated" ? resolve() : end(data === "ended" ? data : data.why));
      worker.onerror = ({ message }) => end(message ?? "its script could not be loaded");
      try {
        worker.postMessage({ seat, module, memory, channel } satisfies Enlisted);
      } catch (error) {
        end(error);
      }
    });
}

let policy: Policy | undefined;

/** An address as the Worker of a page with trusted types takes it. */
function trusted(url: string): string {
  policy ??= scope.trustedTypes?.createPolicy("spikelet", { createScriptURL: (script) => script });
  return policy?.createScriptURL(url) ?? url;
}

/** What sort of script this is: bundlers make classic ones of modules. */
function ownSort(): WorkerType {
  try {
    scope.importScripts?.(trusted("http://["));
  } catch (error) {
    // A classic script finds no address in that; a module may not even ask.
    if (error instanceof DOMException) return "classic";
  }
  return "module";
}

/** Is a thread, up to the end of its pool. */
export async function serve({ seat, module, memory, channel }: Enlisted): Promise<void> {
  let isSeated = false;
  try {
    const { initSync, serveSeat } = await import("../mt/spikelet_engine.js");
    const wasm = initSync({ module, memory });
    scope.postMessage("seated");
    isSeated = true;
    serveSeat(seat);
    // Gives back its stack and what was its own; nothing of the module may be called from here on.
    wasm.__wbindgen_thread_destroy();
    scope.postMessage("ended");
  } catch (error) {
    if (!isSeated) return scope.postMessage({ why: String(error) });
    // The engine waits for this thread and hears nothing: the page itself is told.
    new BroadcastChannel(channel).postMessage({ fallen: String(error) } satisfies Fallen);
  }
}
