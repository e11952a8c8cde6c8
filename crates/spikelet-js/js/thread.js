// A Worker that is one thread of the engine `mt`, and how the engine starts one. The file is both: the engine imports it, the Worker
// runs it. Engine and threads share one compiled module and one memory.

const NAME = "spikelet thread";

/** Workers that live; kept here too since a browser may else take one that nobody holds for garbage. */
const alive = new Set();

/** How many threads there are beside the engine's own. */
export function countThreads() {
  return alive.size;
}

/** Starts a Worker for a seat; resolves once it sits there. It ends by itself when its pool does. */
export function startThread(engine, module, memory, seat) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./thread.js", import.meta.url), { type: "module", name: NAME });
    const end = () => {
      worker.terminate();
      alive.delete(worker);
    };
    alive.add(worker);
    worker.onmessage = ({ data }) => {
      // Only a Worker that has told so hears what it is sent.
      if (data === "loaded") worker.postMessage({ engine, module, memory, seat, page: globalThis.name });
      else if (data === "seated") resolve();
      else if (data === "ended") end();
    };
    worker.onerror = (event) => {
      end();
      reject(new Error(event.message ?? "its script could not be loaded"));
    };
  });
}

async function serve({ engine, module, memory, seat }) {
  const { initSync, serveSeat } = await import(engine);
  const wasm = initSync({ module, memory });
  postMessage("seated");
  serveSeat(seat);
  // Gives back its stack and what was its own; nothing of the module may be called from here on.
  wasm.__wbindgen_thread_destroy();
  postMessage("ended");
}

/** Tells the page itself, and not the engine, which waits for this thread and hears nothing. */
function fail(page, error) {
  const failure = { code: "engine", message: `a thread of the engine stopped: ${error}`, path: null, diagnostics: [] };
  new BroadcastChannel(page).postMessage({ type: "event", body: { type: "stopped", body: failure } });
}

if (globalThis.name === NAME) {
  onmessage = ({ data }) => serve(data).catch((error) => fail(data.page, error));
  postMessage("loaded");
}
