// Bytes as the frontends of notebooks deliver them.

/**
 * The bytes of a buffer. Jupyter delivers a DataView; others an ArrayBuffer, a typed array, text in base64, a list of numbers, or one of these
 * within an object or a list of a single entry.
 *
 * @param {unknown} value
 * @returns {Uint8Array} A view of the same memory where there is one.
 * @throws {TypeError} If it is none of these.
 */
export function bytesOf(value) {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (isBuffer(value)) return new Uint8Array(value);
  if (typeof value === "string") return fromBase64(value);
  if (typeof value === "object" && value !== null) {
    const entries = Object.values(value);
    if (Array.isArray(value) && entries.length !== 1 && entries.every(isByte)) return Uint8Array.from(entries);
    if (entries.length === 1) return isByte(entries[0]) ? Uint8Array.from(entries) : bytesOf(entries[0]);
  }
  throw new TypeError(`the notebook delivered ${inWords(value)} in place of bytes; update its widget extension, or report this to Spikelet`);
}

/** Also those of another frame, of which `instanceof` is false. */
function isBuffer(value) {
  return /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value));
}

function isByte(value) {
  return Number.isInteger(value) && value >= 0 && value < 256;
}

function fromBase64(text) {
  const [, , base64] = /^(data:[^,]*;base64,)?([A-Za-z0-9+/_-]*={0,2})\s*$/.exec(text.replace(/\s+/g, "")) ?? [];
  if (base64 === undefined) throw new TypeError(`the notebook delivered a text of ${text.length} characters in place of bytes, which is not base64`);
  const characters = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(characters, (character) => character.charCodeAt(0));
}

function inWords(value) {
  if (typeof value !== "object" || value === null) return String(value);
  return `an object with ${Object.keys(value).length} entries`;
}
