import type { Spikelet } from "../spikelet.js";
import { h } from "./dom.js";
import { type Extras, Frame } from "./frame.js";
import { customary } from "./numbers.js";
import { Past } from "./past.js";
import type { Chosen, Plot, Scene } from "./plot.js";
import { saveTable } from "./save.js";
import { Theme } from "./theme.js";

/** Minimum time between updates of the text alternatives, in ms. */
const TELLING_MS = 1000;
/** Minimum time between frames for users who prefer reduced motion, in ms. */
const CALM_MS = 1000;
/** Default time span, in ms. */
const WINDOW_MS = 1000;

/** Options of a board. */
export interface BoardOptions {
  /** Time span of the plots, in ms. */
  readonly windowMs?: number;
  /** Maximum time span of the plots, in ms. */
  readonly longestMs?: number;
  /** Prefix of the custom properties for colours; default `--`. */
  readonly prefix?: string;
  /** Additional elements of plots, by the names of the plots. */
  readonly extras?: Readonly<Record<string, Extras>>;
}

/** A plot on the board. */
interface Placed {
  chosen: Chosen;
  frame: Frame;
  plot: Plot;
}

/** The plots of a simulation, with the data that they show. They are drawn in animation frames, only when data have changed. */
export class Board {
  readonly element: HTMLElement;
  readonly #theme: Theme;
  readonly #simulation: Spikelet;
  readonly #options: BoardOptions;
  readonly #placed: Placed[];
  readonly #past: Past;
  readonly #end = new AbortController();
  readonly #calm = matchMedia("(prefers-reduced-motion: reduce)");
  #windowMs: number;
  #nowMs: number;
  #isDue = false;
  #frame = 0;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #drawn = -Infinity;
  #lastTold = -Infinity;
  #telling: ReturnType<typeof setTimeout> | undefined;

  /** @param plots Plots as returned by `choose`. They show data from now on. */
  constructor(simulation: Spikelet, plots: readonly Chosen[], options: BoardOptions = {}) {
    const { windowMs = WINDOW_MS, longestMs = windowMs, prefix = "--" } = options;
    this.#simulation = simulation;
    this.#options = options;
    this.#windowMs = windowMs;
    this.#nowMs = simulation.timeMs;
    this.#theme = new Theme(prefix, () => this.redraw());
    this.#past = new Past(simulation.info, plots, Math.max(longestMs, windowMs));
    this.#placed = plots.map((chosen) => this.#place(chosen));
    this.element = h("div", { part: "plots", class: "plots" }, this.#theme.probe, ...this.#placed.map(({ frame }) => frame.figure));
    this.setWindow(windowMs);
    this.#listen();
    this.#measure();
  }

  /** Changes the time span, in ms. */
  setWindow(windowMs: number): void {
    this.#windowMs = windowMs;
    this.#past.spikes.shown = Math.ceil(windowMs / this.#simulation.info.dtMs);
    this.redraw();
  }

  /** Marks a change at the current time: `weights = learned.npz`. */
  mark(text: string): void {
    this.#past.marks.push({ timeMs: this.#nowMs, text });
    this.redraw();
  }

  /** Draws in the next frame, or later for reduced motion. */
  redraw(): void {
    if (this.#isDue || this.#end.signal.aborted) return;
    this.#isDue = true;
    const rest = this.#drawn + (this.#calm.matches ? CALM_MS : 0) - performance.now();
    if (rest > 0) this.#resting = setTimeout(() => this.#ask(), rest);
    else this.#ask();
  }

  dispose(): void {
    this.#end.abort();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#resting);
    clearTimeout(this.#telling);
  }

  #place(chosen: Chosen): Placed {
    const { info } = this.#simulation;
    const { kind } = chosen;
    const frame = new Frame(chosen, info, this.#theme, this.#options.extras?.[kind.name] ?? {}, {
      save: () => saveTable(`${info.network.name} ${chosen.word}`, placed.plot.export(this.#scene)),
      choose: (name, value) => {
        placed.chosen = { ...placed.chosen, settings: { ...placed.chosen.settings, [name]: value } };
        placed.plot = kind.make(frame, info, placed.chosen);
        this.redraw();
      },
    });
    const placed: Placed = { chosen, frame, plot: kind.make(frame, info, chosen) };
    const { canvas } = frame.surface;
    const options = { signal: this.#end.signal };
    canvas.setAttribute("aria-label", placed.plot.describe(this.#scene));
    canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => frame.setUnder(placed.plot.under(offsetX, offsetY, this.#scene)), options);
    canvas.addEventListener("pointerleave", () => frame.setUnder(""), options);
    return placed;
  }

  #listen(): void {
    const options = { signal: this.#end.signal };
    const simulation = this.#simulation;
    const past = this.#past;
    // Only the first trial is drawn.
    simulation.on("spikes", (event) => {
      if (event.trial !== 0) return;
      past.takeSpikes(event, simulation.info);
      this.#nowMs = (event.firstStep + event.steps) * event.dtMs;
      this.redraw();
    }, options);
    simulation.on("samples", (event) => void (event.trial === 0 && past.takeSamples(event, simulation.info)), options);
    simulation.on("statistics", (event) => {
      if (event.trial !== 0) return;
      past.takeMeasured(event);
      this.redraw();
    }, options);
    simulation.on("changed", ({ path, value, step }) => {
      const { populations, projections } = simulation.info.network;
      const parameter = [...populations, ...projections].flatMap(({ parameters }) => parameters).find((one) => one.path === path);
      if (step === 0) return;
      past.marks.push({ timeMs: step * simulation.info.dtMs, text: `${path} = ${customary(value, parameter?.unit ?? "")}` });
      this.redraw();
    }, options);
    simulation.on("state", ({ moved, timeMs }) => {
      if (!moved) return;
      past.clear();
      this.#nowMs = timeMs;
      this.redraw();
    }, options);
  }

  /** Follows the size of the canvases. */
  #measure(): void {
    const surfaces = new Map(this.#placed.map(({ frame: { surface } }) => [surface.canvas as Element, surface]));
    const observer = new ResizeObserver((entries) => {
      for (const entry of entries) surfaces.get(entry.target)?.resize(entry);
      // Drawn at once, because a resized canvas is blank.
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
      this.#telling ??= setTimeout(() => this.#tell(), Math.max(this.#lastTold + TELLING_MS - now, 0));
    });
  }

  #draw(): void {
    const scene = this.#scene;
    for (const { frame, plot } of this.#placed) {
      if (frame.surface.width > 0) plot.draw(scene);
    }
  }

  #tell(): void {
    this.#telling = undefined;
    this.#lastTold = performance.now();
    const scene = this.#scene;
    for (const { frame, plot } of this.#placed) frame.surface.canvas.setAttribute("aria-label", plot.describe(scene));
  }

  get #scene(): Scene {
    const toMs = Math.max(this.#nowMs, this.#windowMs);
    return { info: this.#simulation.info, past: this.#past, span: { fromMs: toMs - this.#windowMs, toMs, nowMs: this.#nowMs } };
  }
}
