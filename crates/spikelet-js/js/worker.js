// The dedicated Worker that an engine lives in. The page waits for its first message before it sends anything.
//
// There are two engines: `mt`, whose threads are Workers that share one memory, and `st`, of one thread, which runs everywhere.

/** Largest memories to ask for, in pages of 64 KiB: all that a 32-bit address reaches, and less for browsers that reserve less. */
const PAGES = [65536, 32768, 16384];

/** Pages that a shared memory begins with: more than the module has data. */
const FIRST_PAGES = 256;

/** A shared memory, and how many pages it may have. */
function sharedMemory() {
  for (const maximum of PAGES) {
    try {
      return [new WebAssembly.Memory({ initial: FIRST_PAGES, maximum, shared: true }), maximum];
    } catch (error) {
      if (maximum === PAGES.at(-1)) throw error;
    }
  }
}

/** Why there is to be one thread, if so. */
function oneThread() {
  if (!globalThis.crossOriginIsolated) {
    return "this page is not cross-origin isolated; serve it with the headers Cross-Origin-Opener-Policy: same-origin and " +
      "Cross-Origin-Embedder-Policy: require-corp, or have it load isolate.js";
  }
  if (navigator.hardwareConcurrency === 1) return "this machine has one core for the page";
}

async function load() {
  let why = oneThread();
  if (why === undefined) {
    try {
      const engine = await import("./mt/spikelet_engine.js");
      const [memory, pages] = sharedMemory();
      await engine.default({ memory });
      return engine.start(undefined, 65536 * pages);
    } catch (error) {
      why = `the engine with threads did not start (${error}); reload the page, or try another browser`;
    }
  }
  const engine = await import("./st/spikelet_engine.js");
  await engine.default();
  engine.start(why);
}

function fail(message) {
  postMessage({ type: "failed", body: { id: null, message, path: null, fatal: true } });
}

// What is thrown elsewhere reaches the page as an error of this Worker.
addEventListener("unhandledrejection", ({ reason }) => fail(`the engine stopped: ${reason}`));

try {
  await load();
} catch (error) {
  fail(`the engine did not start: ${error}`);
}
