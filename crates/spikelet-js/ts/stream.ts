import { notAllowed } from "./errors.js";
import type { Events } from "./events.js";
import { checkKeys } from "./options.js";

/** Events that can be streamed: those of the batches of a run. */
export type StreamedEvent = "spikes" | "rates" | "samples";

/** Options of `stream`. */
export interface StreamOptions<Type extends StreamedEvent = "spikes"> {
  /** The event that is streamed; default `"spikes"`. */
  event?: Type | undefined;
  /** Starts a run of this duration, in ms of biological time, which leaving the loop pauses; default: the stream is of a run that is started elsewhere. */
  ms?: number | undefined;
  /** Ends the stream when it is aborted: the loop throws the reason of the signal. */
  signal?: AbortSignal | undefined;
}

const STREAMED: readonly string[] = ["spikes", "rates", "samples"] satisfies StreamedEvent[];

/** @internal Rejects invalid options of `stream`. */
export function checkStream<Type extends StreamedEvent>(options: StreamOptions<Type>): StreamOptions<Type> {
  checkKeys(options, "event", "ms", "signal");
  const { event } = options;
  if (event !== undefined && !STREAMED.includes(event)) throw notAllowed("event", event, `one of ${STREAMED.join(", ")}`);
  return options;
}

interface Waiting<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
}

/** What the owner of a stream does. */
interface StreamOwner {
  /** An event was taken. */
  taken(): void;
  /** The stream has ended, because the run has, or because it was left. */
  ended(isLeft: boolean): void;
}

/** The events of a run as an async iterator: see `Spikelet.stream`. */
export class EventStream<T = Events["spikes"]> implements AsyncIterableIterator<T> {
  readonly #queue: { readonly batch: number; readonly event: T }[] = [];
  readonly #waiting: Waiting<T>[] = [];
  readonly #owner: StreamOwner;
  #isBegun = false;
  #isOver = false;
  #failure: { readonly reason: unknown } | null = null;

  /** @internal */
  constructor(owner: StreamOwner) {
    this.#owner = owner;
  }

  /** @internal The last batch that does not slow the run down: the one before the first in the queue. Before the loop begins, none does. */
  get takenBatch(): number {
    return this.#isBegun && this.#queue[0] ? this.#queue[0].batch - 1 : Infinity;
  }

  /** @internal */
  push(event: T, batch: number): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve({ value: event, done: false });
    else this.#queue.push({ batch, event });
  }

  /** @internal No event follows. Those in the queue are still delivered, then the failure, if there is one. */
  end(failure: { readonly reason: unknown } | null = null, isLeft = false): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    for (const waiting of this.#waiting.splice(0)) this.#finish(waiting);
    this.#owner.ended(isLeft);
  }

  /** @internal Ends the stream and drops what is in its queue. */
  leave(failure: { readonly reason: unknown } | null = null): void {
    this.#queue.length = 0;
    this.end(failure, true);
  }

  /** The next event. */
  next(): Promise<IteratorResult<T, undefined>> {
    this.#isBegun = true;
    return new Promise((resolve, reject) => {
      const taken = this.#queue.shift();
      if (taken) resolve({ value: taken.event, done: false });
      else if (this.#isOver) this.#finish({ resolve, reject });
      else this.#waiting.push({ resolve, reject });
      this.#owner.taken();
    });
  }

  /** Ends the stream. Leaving the loop calls it. */
  async return(): Promise<IteratorResult<T, undefined>> {
    this.leave();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #finish({ resolve, reject }: Waiting<T>): void {
    const failure = this.#failure;
    this.#failure = null;
    if (failure) reject(failure.reason);
    else resolve({ value: undefined, done: true });
  }
}
