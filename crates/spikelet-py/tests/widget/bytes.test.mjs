// Bytes in every form in which frontends of notebooks deliver them.

import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";

import { bytesOf } from "../../widget/bytes.js";

const WANTED = [0, 1, 127, 128, 254, 255, 62, 63];
const bytes = Uint8Array.from(WANTED);
const base64 = Buffer.from(bytes).toString("base64");
/** The same bytes within a larger memory. */
const padded = Uint8Array.from([9, 9, 9, ...WANTED, 9]);

const FORMS = {
  "an ArrayBuffer": bytes.buffer.slice(0),
  "a DataView": new DataView(bytes.buffer),
  "a DataView of a part": new DataView(padded.buffer, 3, 8),
  "a typed array": bytes,
  "a typed array of a part": padded.subarray(3, 11),
  "a typed array of other numbers": new Uint16Array(bytes.buffer.slice(0)),
  "a Buffer": Buffer.from(bytes),
  "base64": base64,
  "base64 without padding": base64.replaceAll("=", ""),
  "base64 for addresses": base64.replaceAll("+", "-").replaceAll("/", "_"),
  "base64 in lines": `${base64.slice(0, 5)}\n${base64.slice(5)}\n`,
  "a data address": `data:application/octet-stream;base64,${base64}`,
  "a list of numbers": WANTED,
  "a list of one view": [new DataView(bytes.buffer)],
  "a nested list": [[base64]],
  "an object of one entry": { buffer: bytes.buffer.slice(0) },
  "a nested object": { data: { base64 } },
  "an ArrayBuffer of another realm": vm.runInNewContext("Uint8Array.from(all).buffer", { all: WANTED }),
  "a typed array of another realm": vm.runInNewContext("Uint8Array.from(all)", { all: WANTED }),
  "a shared buffer": (() => {
    const shared = new SharedArrayBuffer(8);
    new Uint8Array(shared).set(bytes);
    return shared;
  })(),
};

for (const [name, form] of Object.entries(FORMS)) {
  test(`bytes come as ${name}`, () => assert.deepEqual([...bytesOf(form)], WANTED));
}

test("no bytes, and one byte", () => {
  for (const none of ["", new ArrayBuffer(0), [], new DataView(new ArrayBuffer(0))]) assert.equal(bytesOf(none).length, 0);
  for (const one of ["Bw==", [7], [[7]], Uint8Array.of(7)]) assert.deepEqual([...bytesOf(one)], [7]);
});

test("a large text", () => {
  const large = new Uint8Array(3_000_000).map((_, place) => place % 251);
  assert.deepEqual(bytesOf(Buffer.from(large).toString("base64")), large);
});

test("what holds no bytes is an error with a sentence", () => {
  for (const wrong of [null, undefined, 7, true, "not base64!", [300, 1], { a: 1, b: 2 }, {}, [1.5, 2]]) {
    assert.throws(() => bytesOf(wrong), { name: "TypeError", message: /the notebook delivered .* in place of bytes/ });
  }
});
