// The Worker of the widget: that of the package, in one script, with the engine of one thread.

import "spikelet/worker.js";

// The page checks first whether Workers start here, and receive a module.
const start = globalThis.onmessage;
globalThis.onmessage = (event) => (event.data?.probe ? globalThis.postMessage({ probed: true }) : start(event));
