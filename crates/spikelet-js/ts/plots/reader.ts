import type { PlotContext } from "./lazy.js";

/** A reading takes at most this part of the time. */
const SHARE = 0.2;

/**
 * Reads something of the simulation again whenever it has changed, at most every `leastMs`, and more slowly if a reading takes long. It
 * reads only when it is asked to, which a plot does when it is drawn.
 */
export class Reader<Read> {
  value: Read | null = null;
  /** The error of the last reading; empty if there was none. */
  failure = "";
  readonly #read: () => Promise<Read>;
  readonly #live: PlotContext;
  readonly #leastMs: number;
  #state: unknown;
  #wanted: unknown;
  #isInSight = false;
  #isReading = false;
  #next = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param element What shows the value: nothing is read while it is out of sight. */
  constructor(live: PlotContext, element: Element, leastMs: number, read: () => Promise<Read>) {
    [this.#live, this.#leastMs, this.#read] = [live, leastMs, read];
    // What comes into sight after the run has ended is read, too.
    const observer = new IntersectionObserver((entries) => {
      this.#isInSight = entries.at(-1)!.isIntersecting;
      if (this.#isInSight) live.redraw();
    });
    observer.observe(element);
    live.signal.addEventListener("abort", () => {
      observer.disconnect();
      clearTimeout(this.#timer);
    });
    // Values can change while the time stands still.
    const forget = () => {
      this.#state = undefined;
      live.redraw();
    };
    for (const event of ["changed", "state", "info"] as const) live.simulation.on(event, forget, { signal: live.signal });
  }

  /** Reads unless the value is of this state, such as a time. */
  ask(state: unknown): void {
    this.#wanted = state;
    if (this.#isReading || this.#timer !== undefined || this.#state === state || this.#live.signal.aborted) return;
    if (!this.#isInSight) return;
    const rest = this.#next - performance.now();
    if (rest <= 0) void this.#start();
    else this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#start();
    }, rest);
  }

  async #start(): Promise<void> {
    const began = performance.now();
    this.#isReading = true;
    this.#state = this.#wanted;
    try {
      this.value = await this.#read();
      this.failure = "";
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
    }
    this.#isReading = false;
    this.#next = Math.max(began + this.#leastMs, performance.now() + (performance.now() - began) / SHARE);
    if (!this.#live.signal.aborted) this.#live.redraw();
  }
}
