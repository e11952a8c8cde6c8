// How tests start the Worker of a thread. The package's own (`ts/thread.ts`) imports the engine by its name, which the module of a test
// does not have.

const NAME = "spikelet thread";

/** Workers that live. */
const alive = new Set();

export function countThreads() {
  return alive.size;
}

/** A function that starts one, see `Threads::available`. */
export function starter(engine) {
  return (module, memory, seat) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(import.meta.url, { type: "module", name: NAME });
      const end = () => {
        worker.terminate();
        alive.delete(worker);
      };
      alive.add(worker);
      worker.onmessage = ({ data }) => {
        // Only a Worker that has told so hears what it is sent.
        if (data === "loaded") worker.postMessage({ engine, module, memory, seat });
        else if (data === "seated") resolve();
        else end();
      };
      worker.onerror = ({ message }) => {
        end();
        reject(new Error(message));
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

if (globalThis.name === NAME) {
  onmessage = ({ data }) => serve(data);
  postMessage("loaded");
}
