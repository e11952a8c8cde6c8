// QR codes of links: what is drawn is read again by the decoder of the same package, from pixels.

import assert from "node:assert/strict";
import { test } from "node:test";

import decodeQR from "qr/decode.js";

globalThis.HTMLElement ??= class {};
globalThis.customElements ??= { get: () => undefined, define: () => {} };
const { codeOf } = await import("../../../target/engine/js/qr/element.js");

/** The pixels of a path, enlarged. */
function pixels({ path, size }, scale) {
  const width = size * scale;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, from, row, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\d+z/g)) {
    for (let y = row * scale; y < (Number(row) + 1) * scale; y += 1) for (let x = from * scale; x < (Number(from) + Number(length)) * scale; x += 1) data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
  }
  return { width, height: width, data };
}

test("a code is read as the link that it was made of", () => {
  for (const text of ["https://spikelet.example/#network=cuba", `https://spikelet.example/#class=1${"eJyrVkrLz1eyUkpKLFKqBQA".repeat(30)}`, "größer"]) {
    assert.equal(decodeQR(pixels(codeOf(text), 4)), text);
  }
});

test("what is too long for a code is an error", () => {
  assert.throws(() => codeOf("x".repeat(3000)));
});
