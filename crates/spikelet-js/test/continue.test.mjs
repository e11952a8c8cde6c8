// The manifest of a saved run: what of it is complete, what the next write replaces, and what is removed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { newestFirst, nextOf, readManifest, sha256, tooMany, writeManifest } from "../../../target/engine/js/keep/continue/manifest.js";

function manifest(number, changes = {}) {
  const state = { bytes: [5, 0], sha256: "00" };
  return { title: "µ", source: "cuba×1", timeMs: 3200, savedMs: 1e12, number, content: "{\"notes\":\"two\\nlines\"}", run: { step: 32000, spikes: 7, flags: [] }, state, ...changes };
}

test("a manifest is read as it was written, and not if a part is missing or changed", async () => {
  const text = await writeManifest(manifest(3));
  assert.deepEqual(await readManifest(text), { format: 1, ...manifest(3) });
  assert.equal(text.split("\n")[0], await sha256(new TextEncoder().encode(text.slice(text.indexOf("\n") + 1))));
  for (let length = 0; length < text.length; length += 7) assert.equal(await readManifest(text.slice(0, length)), null, `${length} characters`);
  assert.equal(await readManifest(text.replace("3200", "3201")), null);
  assert.equal(await readManifest(`${text} `), null);
});

test("the next write replaces the older generation, or one that is damaged", async () => {
  const read = async (...numbers) => Promise.all(numbers.map(async (number) => (number === null ? null : readManifest(await writeManifest(manifest(number))))));
  assert.deepEqual(nextOf(await read(null, null)), { generation: 0, number: 1 });
  assert.deepEqual(nextOf(await read(1, null)), { generation: 1, number: 2 });
  assert.deepEqual(nextOf(await read(1, 2)), { generation: 0, number: 3 });
  assert.deepEqual(nextOf(await read(null, 2)), { generation: 0, number: 3 });
  const order = newestFirst(await read(3, 2)).map(({ generation, manifest: { number } }) => [generation, number]);
  assert.deepEqual(order, [[0, 3], [1, 2]]);
  // One of a later format is none for this version, but it is not damaged.
  const later = { ...(await read(9))[0], format: 2 };
  assert.deepEqual(newestFirst([later, null]), []);
});

test("the newest three of the runs that no tab has stay", () => {
  const runs = [5, 1, 4, 2, 3].map((savedMs) => ({ savedMs }));
  assert.deepEqual(tooMany(runs).map(({ savedMs }) => savedMs), [2, 1]);
  assert.deepEqual(tooMany(runs.slice(0, 3)), []);
});
