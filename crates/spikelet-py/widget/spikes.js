// Spikes on their way to Python.
//
// A message is sent when the one before has been received: a kernel that is busy gets few large messages instead of many small ones. Each message has a
// number, and is sent again if it is not confirmed; the kernel ignores what it has.

/** Least time between two messages, in ms. */
const EVERY_MS = 250;

/** Most spikes of a message: two megabytes, less than servers accept. */
const PER_MESSAGE = 250_000;

/** Time after which a message is sent again, in ms. */
const PATIENCE_MS = 8000;

export class SpikeSender {
  #send;
  #most;
  #number = 0;
  #waiting = [];
  #count = 0;
  #sent = null;
  #timer = null;
  #last = 0;
  #run = 0;
  /** Until when all spikes are sent or waiting, in ms. */
  #untilMs = 0;
  #isFull = false;
  #idle = [];
  /** Called when there are more spikes than Python wants. */
  onFull = (_untilMs) => {};

  /**
   * @param send Sends a message with buffers.
   * @param most The largest number of spikes of a run.
   */
  constructor(send, most) {
    this.#send = send;
    this.#most = most;
    // Numbers of another page must not look like those of this one.
    this.page = crypto.getRandomValues(new Uint32Array(2)).join("-");
  }

  /** The run begins at a new time: what Python has belongs to another one. */
  restart(timeMs) {
    this.#run += 1;
    this.#waiting = [];
    this.#count = 0;
    this.#isFull = false;
    this.#untilMs = timeMs;
    this.#soon();
  }

  /** Spikes of a batch. */
  push({ neurons, spikeSteps, firstStep, steps, dtMs }) {
    if (this.#isFull) return;
    if (this.#count + neurons.length > this.#most) {
      this.#isFull = true;
      this.onFull(this.#untilMs);
      return;
    }
    this.#count += neurons.length;
    this.#untilMs = (firstStep + steps) * dtMs;
    this.#waiting.push({ neurons, spikeSteps });
    this.#soon();
  }

  /** The kernel has a message. */
  confirm(number) {
    if (this.#sent?.message.number !== number) return;
    clearTimeout(this.#sent.again);
    this.#sent = null;
    if (this.#waiting.length > 0) this.#soon();
    else for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Resolves when Python has everything. */
  async flushed() {
    if (this.#waiting.length === 0 && this.#sent === null && this.#timer === null) return;
    this.#last = 0;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#soon();
    await new Promise((resolve) => this.#idle.push(resolve));
  }

  end() {
    clearTimeout(this.#timer);
    clearTimeout(this.#sent?.again);
    this.#waiting = [];
  }

  #soon() {
    if (this.#timer !== null || this.#sent !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#next();
    }, Math.max(0, this.#last + EVERY_MS - performance.now()));
  }

  #next() {
    this.#last = performance.now();
    const taken = [];
    let count = 0;
    while (this.#waiting.length > 0 && (count === 0 || count + this.#waiting[0].neurons.length <= PER_MESSAGE)) {
      taken.push(this.#waiting.shift());
      count += taken.at(-1).neurons.length;
    }
    const message = {
      say: "spikes", page: this.page, number: (this.#number += 1), run: this.#run,
      // While others wait, only Python's own spikes are complete.
      until_ms: this.#waiting.length === 0 ? this.#untilMs : null,
    };
    const buffers = [joined(taken.map(({ neurons }) => neurons), count), joined(taken.map(({ spikeSteps }) => spikeSteps), count)];
    const post = () => {
      this.#send(message, buffers);
      this.#sent = { message, again: setTimeout(post, PATIENCE_MS) };
    };
    post();
  }
}

function joined(arrays, count) {
  const all = new Uint32Array(count);
  let place = 0;
  for (const array of arrays) {
    all.set(array, place);
    place += array.length;
  }
  return new DataView(all.buffer);
}
