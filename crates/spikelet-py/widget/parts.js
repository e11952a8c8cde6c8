// Large bytes, which the kernel sends in parts when the page asks for them.
//
// A Jupyter server drops messages of a kernel that sends more than a megabyte per second. Therefore one part is asked for after the other, and again
// if it does not arrive. A kernel that is busy answers when it is free.

import { bytesOf } from "./bytes.js";

/** Time after which a part is asked for again, in ms. */
const PATIENCE_MS = 5000;

/** A connection of one widget to its kernel: asks for parts, and hears them. */
export class Source {
  #model;
  #waiting = new Map();
  /** Called when the kernel has not answered for a while, and again when it does. */
  onSilence = (_isSilent) => {};

  constructor(model) {
    this.#model = model;
  }

  /** Handles a message of the kernel; whether it was a part. */
  hear(message, buffers) {
    if (message?.part === undefined) return false;
    this.onSilence(false);
    this.#waiting.get(`${message.name} ${message.part}`)?.({ of: message.of, bytes: bytesOf(buffers[0]) });
    return true;
  }

  /** One part; null if it does not arrive in time. */
  async part(name, part, patienceMs = PATIENCE_MS) {
    const key = `${name} ${part}`;
    const silent = setTimeout(() => this.onSilence(true), patienceMs / 2);
    try {
      return await new Promise((resolve) => {
        this.#waiting.set(key, resolve);
        setTimeout(() => resolve(null), patienceMs);
        this.#model.send({ ask: name, part });
      });
    } finally {
      clearTimeout(silent);
      this.#waiting.delete(key);
    }
  }
}

/**
 * All bytes of a name.
 *
 * @param {() => Iterable<Source>} sources Those that can be asked: if one is silent, the next one.
 * @param {AbortSignal} [signal] Ends the asking.
 */
export async function whole(sources, name, { signal, patienceMs } = {}) {
  const parts = [];
  for (let of = 1, turn = 0; parts.length < of; turn += 1) {
    signal?.throwIfAborted();
    const all = [...sources()];
    if (all.length === 0) throw new Error("no widget of this page is connected to a kernel");
    const answer = await all[turn % all.length].part(name, parts.length, patienceMs);
    if (answer === null) continue;
    // Stays at the source that answers.
    turn -= 1;
    of = answer.of;
    parts.push(answer.bytes);
  }
  return new Blob(parts);
}
