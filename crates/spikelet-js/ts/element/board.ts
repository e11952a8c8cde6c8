import { RateCounter } from "../rates.js";
import type { Spikelet } from "../spikelet.js";
import { h } from "./dom.js";
import type { Past, Plot } from "./plot.js";
import type { Span } from "./surface.js";
import { RateWindow, SpikeWindow, TraceWindow } from "./windows.js";

/** Texts of canvases are at most renewed so often, in ms. */
const TELLING_MS = 1000;
/** Rates are counted in bins of the window's length by this: in whole steps, but one at least. */
const BINS = 100;

/** The plots of a simulation, and the past that they show. They are drawn in animation frames, and only when there is something new. */
export class Board {
  readonly element: HTMLElement;
  readonly #plots: readonly Plot[];
  readonly #past: Past;
  readonly #simulation: Spikelet;
  readonly #windowMs: number;
  readonly #end = new AbortController();
  /** Least time between two pictures, in ms; 0: every frame. */
  readonly #restMs: () => number;
  #nowMs: number;
  #isDue = false;
  #frame = 0;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #drawn = -Infinity;
  #told = -Infinity;
  #telling: ReturnType<typeof setTimeout> | undefined;

  constructor(simulation: Spikelet, plots: readonly Plot[], windowMs: number, restMs: () => number) {
    const { info } = simulation;
    const steps = Math.max(1, Math.ceil(windowMs / info.dtMs));
    this.#simulation = simulation;
    this.#plots = plots;
    this.#windowMs = windowMs;
    this.#restMs = restMs;
    this.#nowMs = simulation.timeMs;
    this.element = h("div", { part: "plots", class: "plots" }, ...plots.map(({ figure }) => figure));
    this.#past = {
      spikes: new SpikeWindow(steps, info.neurons),
      rates: new RateWindow(windowMs),
      traces: new TraceWindow(steps, info.channels.length),
    };
    this.#listen();
    this.#measure();
  }

  /** Draws in the next frame, or in a later one where there is to be less motion. */
  redraw(): void {
    if (this.#isDue || this.#end.signal.aborted) return;
    this.#isDue = true;
    const rest = this.#drawn + this.#restMs() - performance.now();
    if (rest > 0) this.#resting = setTimeout(() => this.#ask(), rest);
    else this.#ask();
  }

  dispose(): void {
    this.#end.abort();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#resting);
    clearTimeout(this.#telling);
  }

  #listen(): void {
    const { spikes, rates, traces } = this.#past;
    const options = { signal: this.#end.signal };
    const shows = (kind: string) => this.#plots.some(({ figure }) => figure.classList.contains(kind));
    const simulation = this.#simulation;
    let counter = this.#counter();
    simulation.on("spikes", (event) => {
      if (shows("raster")) spikes.push(event);
      if (shows("rates")) rates.push(counter.take({ ...event, spikeNeurons: event.neurons }));
      this.#nowMs = (event.firstStep + event.steps) * event.dtMs;
      this.redraw();
    }, options);
    if (shows("trace")) simulation.on("samples", (event) => traces.push(event), options);
    simulation.on("state", ({ moved, timeMs }) => {
      if (!moved) return;
      for (const past of [spikes, rates, traces]) past.clear();
      counter = this.#counter();
      this.#nowMs = timeMs;
      this.redraw();
    }, options);
  }

  #counter(): RateCounter {
    const { info } = this.#simulation;
    return new RateCounter(info, 0, Math.max(1, Math.round(this.#windowMs / BINS / info.dtMs)));
  }

  /** Follows the size of canvases. */
  #measure(): void {
    const surfaces = new Map(this.#plots.map(({ surface }) => [surface.canvas as Element, surface]));
    const observer = new ResizeObserver((entries) => {
      for (const entry of entries) surfaces.get(entry.target)?.resize(entry);
      // At once: a canvas of a new size is blank.
      this.#draw();
    });
    this.#end.signal.addEventListener("abort", () => observer.disconnect());
    for (const canvas of surfaces.keys()) {
      try {
        observer.observe(canvas, { box: "device-pixel-content-box" });
      } catch {
        observer.observe(canvas);
      }
    }
  }

  #ask(): void {
    this.#frame = requestAnimationFrame((now) => {
      this.#isDue = false;
      this.#drawn = now;
      this.#draw();
      this.#telling ??= setTimeout(() => this.#tell(), Math.max(this.#told + TELLING_MS - now, 0));
    });
  }

  #draw(): void {
    for (const plot of this.#plots) {
      if (plot.surface.width > 0) plot.draw(this.#past, this.#span());
    }
  }

  #tell(): void {
    this.#telling = undefined;
    this.#told = performance.now();
    for (const plot of this.#plots) plot.surface.canvas.setAttribute("aria-label", plot.describe(this.#past, this.#span()));
  }

  #span(): Span {
    const toMs = Math.max(this.#nowMs, this.#windowMs);
    return { fromMs: toMs - this.#windowMs, toMs, nowMs: this.#nowMs };
  }
}
