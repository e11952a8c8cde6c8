// The engine's Worker as it is after it was busy for a while: between `{hold: true}` and `{hold: false}` it hears nothing, and then all that
// was said to it at once.

import { parentPort } from "node:worker_threads";

const on = parentPort.on.bind(parentPort);
let waiting = null;

parentPort.on = (type, listener) =>
  on(type, (message) => {
    if (typeof message?.hold === "boolean") {
      const heard = waiting ?? [];
      waiting = message.hold ? [] : null;
      heard.forEach(listener);
    } else if (waiting) {
      waiting.push(message);
    } else {
      listener(message);
    }
  });

await import("../../../target/engine/js/worker.js");
