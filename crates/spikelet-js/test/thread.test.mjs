// Starting threads, with Workers that behave as those of browsers can.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { starter } from "../../../target/engine/js/thread.js";

/** Replaces the Workers of the browser; each receives a message, and what it does then is `receive`. */
function workers(receive) {
  const ended = [];
  globalThis.location = { href: "https://a.test/worker.js" };
  globalThis.Worker = class {
    postMessage({ seat }) {
      queueMicrotask(() => receive(this, seat));
    }
    terminate() {
      ended.push(this);
    }
  };
  return ended;
}

test("a thread that never answers is given up", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const ended = workers(() => {});
    const thread = starter("channel")({}, {}, 0);
    mock.timers.tick(19_999);
    assert.equal(ended.length, 0);
    mock.timers.tick(1);
    await assert.rejects(thread, (why) => why === "a thread did not start in 20 s");
    assert.equal(ended.length, 1);
  } finally {
    mock.timers.reset();
  }
});

test("a thread that has started is not ended by the time limit", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const ended = workers((worker) => worker.onmessage({ data: "seated" }));
    await starter("channel")({}, {}, 0);
    mock.timers.tick(1_000_000);
    assert.equal(ended.length, 0);
  } finally {
    mock.timers.reset();
  }
});

test("a thread that fails says why", async () => {
  workers((worker) => worker.onmessage({ data: { why: "no memory" } }));
  await assert.rejects(starter("channel")({}, {}, 0), (why) => why === "no memory");
});

test("several threads that fail are one failure, whichever is waited for first", async () => {
  const unhandled = [];
  const listener = (why) => unhandled.push(why);
  process.on("unhandledRejection", listener);
  workers((worker) => worker.onerror({ message: undefined }));
  const start = starter("channel");
  const [first, second] = [start({}, {}, 0), start({}, {}, 1)];
  await assert.rejects(first, (why) => why === "its script could not be loaded");
  await new Promise((resolve) => setTimeout(resolve, 20));
  await assert.rejects(second);
  process.off("unhandledRejection", listener);
  assert.deepEqual(unhandled, []);
});
