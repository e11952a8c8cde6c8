// The dedicated Worker that an engine lives in. The page waits for its first message before it sends anything.
import init, { start } from "./spikelet_engine.js";

try {
  await init();
  start();
} catch (error) {
  const message = `the engine did not start: ${error}`;
  postMessage({ type: "failed", body: { id: null, message, path: null, fatal: true } });
}
