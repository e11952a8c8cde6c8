// Modules that a page provides, in place of those that a Worker loads. In a process of its own: they stay.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { Spikelet, create, listen } from "./simulation.mjs";

/** The smallest module. */
const EMPTY = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

test("only modules can be provided", () => {
  for (const wrong of [null, 3, "st"]) assert.throws(() => Spikelet.provide(wrong), { code: "argument", path: "modules" });
  assert.throws(() => Spikelet.provide({ st: EMPTY }), { code: "argument", path: "modules.st", message: /expected a WebAssembly.Module/ });
});

test("a Worker takes the module that was provided, and loads none", async (t) => {
  Spikelet.provide({ st: await WebAssembly.compile(EMPTY) });
  await assert.rejects(create(t), { code: "engine", message: /the engine did not start/ });
  const bytes = await readFile(new URL("../../../target/engine/st/spikelet_engine_bg.wasm", import.meta.url));
  Spikelet.provide({ st: await WebAssembly.compile(bytes) });
  const simulation = await create(t);
  const [spikes] = listen(simulation);
  await simulation.run(20);
  assert.ok(spikes.length > 0);
});
