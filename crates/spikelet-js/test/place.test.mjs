// Saved runs when things happen at once: writes that begin together, and a tab that turns to another run meanwhile. The browser's parts are
// replaced by ones that wait until the test lets them go on.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { RunPlace, Writer } from "../../../target/engine/js/keep/continue/place.js";

const RUN = { title: "cuba", source: "cuba", timeMs: 5, savedMs: 1e12, content: "{}", run: null };
const turns = () => new Promise((resolve) => setTimeout(resolve));

let [held, folders, orders, noted] = [new Set(), [], [], ""];

/** A root folder whose folders are made when the test says so. */
function slowRoot() {
  const waiting = [];
  const getDirectoryHandle = (id) => new Promise((resolve) => waiting.push(() => (folders.push(id), resolve({ id }))));
  return { root: { getDirectoryHandle }, make: () => waiting.splice(0).forEach((go) => go()) };
}

/** The Worker ends its oldest order. */
const written = () => orders.shift().done();

beforeEach(() => {
  [held, folders, orders, noted] = [new Set(), [], [], ""];
  const locks = {
    request: async (name, _options, callback) => {
      if (held.has(name)) return callback(null);
      held.add(name);
      return Promise.resolve(callback({ name })).finally(() => held.delete(name));
    },
  };
  Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
  globalThis.sessionStorage = { setItem: (_name, id) => (noted = id), getItem: () => noted };
  globalThis.Worker = class {
    postMessage(order) {
      orders.push({ ...order, done: () => this.onmessage({ data: { id: order.id, problem: "" } }) });
    }
  };
});

test("two writes that begin before the folder exists make one run, and follow each other", async () => {
  const { root, make } = slowRoot();
  const place = new RunPlace(root, new Writer());
  const both = [place.write(RUN, []), place.write(RUN, [])];
  await turns();
  make();
  await turns();
  assert.deepEqual([folders.length, orders.length, held.size], [1, 1, 1]);
  written();
  await turns();
  assert.deepEqual(orders.map(({ manifest: { number } }) => number), [2]);
  written();
  assert.deepEqual(await Promise.all(both), ["", ""]);
  assert.deepEqual([folders.length, place.id, noted], [1, folders[0], folders[0]]);
});

test("a write that is on its way ends in its own folder, and the run is free only then", async () => {
  const { root, make } = slowRoot();
  const writer = new Writer();
  const place = new RunPlace(root, writer);
  const first = place.write(RUN, []);
  await turns();
  // The tab continues another run, of which it has the lock, before the folder is made.
  place.leave();
  const other = new RunPlace(root, writer, { id: "other", folder: { id: "other" }, manifests: [null, null], release() {} });
  const second = other.write(RUN, []);
  make();
  await turns();
  assert.deepEqual(orders.map(({ folder }) => folder.id), ["other", folders[0]]);
  assert.equal(noted, "", "a reload offers the other one");
  assert.equal(held.size, 1);
  written();
  written();
  assert.deepEqual(await Promise.all([first, second]), ["", ""]);
  await turns();
  assert.equal(held.size, 0);
  assert.deepEqual(folders.length, 1);
});

test("nothing is written to a run that was left", async () => {
  const { root, make } = slowRoot();
  const place = new RunPlace(root, new Writer());
  place.leave();
  const late = place.write(RUN, []);
  await turns();
  make();
  assert.equal(await late, "AbortError");
  assert.deepEqual([folders.length, held.size], [0, 0]);
});
