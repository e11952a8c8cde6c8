import { type Usable, letUsingDispose } from "../disposal.js";
import { checkKeys } from "../options.js";
import { h, say } from "../plots/dom.js";
import { Counts } from "../plots/past/counts.js";
import { SpikePast } from "../plots/past/spikes.js";
import { Theme, marksOf } from "../plots/theme.js";
import type { TimeView } from "../plots/view.js";
import type { Spikelet } from "../spikelet.js";
import { type Flag, wordsOf } from "./flags.js";
import type { History } from "./history.js";
import { byKey, centred, clusters, moved, partAt, resized, timeAt, timeText, zoomed } from "./view.js";

/** Maximum number of bins of the whole run; more are joined. */
const BINS = 1024;
/** Wall time between two pictures while it runs, in ms; with reduced motion. */
const FRAME_MS = 60;
const CALM_MS = 1000;
/** Width of a flag that can be pressed, in CSS pixels. */
const TARGET = 24;
/** Width of its picture. */
const FLAG = 16;
/** Shortest view, in steps. */
const MIN_STEPS = 10;
/** Opacity of the rates, and relative to it that of a run before a fork. */
const AREA = 0.75;
const GHOST = 0.3;
const DROPPED = "before the fork";

/** The plots whose time span the strip shows and sets: a `Board`. */
export interface Reviewed {
  /** The visible time span in review; null while it follows the live edge. */
  readonly view: TimeView | null;
  setView(view: TimeView | null): void;
  on(type: "view", listener: () => void): () => void;
}

/** Options of a strip. */
export interface StripOptions {
  /** Time span of the plots at the live edge, in ms. */
  readonly windowMs: number;
  /** Prefix of the custom properties for colours; default `--`. */
  readonly prefix?: string;
  /** Called when a flag is pressed, with the flags of this place. */
  readonly onFlags?: (flags: readonly Flag[]) => void;
}

/** What a pointer drags. */
interface Drag {
  readonly edge: "from" | "to" | null;
  readonly startMs: number;
  readonly view: TimeView;
  hasMoved: boolean;
}

/**
 * The whole run on a strip: mean rates, flags, and the visible time span as a window. The window is dragged, its ends zoom, a click moves it, a
 * double click shows the whole run.
 */
export class Strip {
  static {
    letUsingDispose(this);
  }

  readonly element: HTMLElement;
  readonly #simulation: Spikelet;
  readonly #history: History;
  readonly #board: Reviewed;
  readonly #options: StripOptions;
  readonly #theme: Theme;
  readonly #canvas = h("canvas", { "aria-hidden": "true" });
  readonly #window: HTMLElement;
  readonly #flags = h("div", { class: "timeline-flags" });
  readonly #live: HTMLButtonElement;
  readonly #track: HTMLElement;
  readonly #from = h("span", { class: "timeline-handle from" });
  readonly #to = h("span", { class: "timeline-handle to" });
  readonly #ends = [h("span"), h("span")] as const;
  readonly #calm = matchMedia("(prefers-reduced-motion: reduce)");
  readonly #end = new AbortController();
  readonly #members: Uint16Array;
  #counts: Counts;
  #ghost: Counts | null = null;
  #windowMs: number;
  #sinceMs: number;
  #nowMs: number;
  #drag: Drag | null = null;
  /** Width and height of the track; read when they change, because reading them in a frame makes the browser lay out the page at once. */
  #size: readonly [number, number] = [0, 0];
  #isDue = false;
  #drawn = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;

  constructor(simulation: Spikelet, history: History, board: Reviewed, options: StripOptions) {
    checkKeys(options, "windowMs", "prefix", "onFlags");
    [this.#simulation, this.#history, this.#board, this.#options] = [simulation, history, board, options];
    this.#windowMs = options.windowMs;
    this.#sinceMs = this.#nowMs = simulation.timeMs;
    const { populations } = simulation.info.network;
    this.#members = new Uint16Array(simulation.info.neurons);
    populations.forEach(({ first, size }, place) => this.#members.fill(place, first, first + size));
    this.#counts = new Counts(this.#members, populations.length, BINS, Math.max(1, Math.round(1 / simulation.info.dtMs)), "whole");
    this.#theme = new Theme(options.prefix ?? "--", () => this.#redraw());
    this.#window = h("div", { class: "timeline-window", role: "slider", tabindex: "0", "aria-label": "Visible time span", id: "timeline-view" }, this.#from, this.#to);
    this.#live = h("button", { type: "button", class: "timeline-live", id: "live", title: "Follow the run (L)", "aria-pressed": "true" }, "Live");
    this.#track = h("div", { class: "timeline-track" }, this.#canvas, this.#window, this.#flags);
    const axis = h("div", { class: "timeline-axis", "aria-hidden": "true" }, ...this.#ends);
    this.element = h("div", { class: "timeline-strip" }, this.#theme.probe, h("div", { class: "timeline-area" }, this.#track, axis), this.#live);
    this.#listen();
    this.#point();
    const observer = new ResizeObserver(() => {
      this.#size = [this.#track.clientWidth, this.#track.clientHeight];
      this.#draw();
    });
    observer.observe(this.#track);
    this.#end.signal.addEventListener("abort", () => observer.disconnect());
  }

  /** The time span of the plots at the live edge has changed. */
  setWindow(windowMs: number): void {
    this.#windowMs = windowMs;
    this.#redraw();
  }

  /** Handles a key that is pressed on the strip or, as a shortcut, elsewhere; returns whether it has a use. */
  key(key: string, isLarge: boolean): boolean {
    const view = byKey(key, isLarge, this.#view, this.#whole, this.#leastMs);
    if (view === undefined) return false;
    this.#board.setView(view);
    return true;
  }

  dispose(): void {
    this.#end.abort();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
  }

  get #whole(): TimeView {
    return { fromMs: this.#sinceMs, toMs: Math.max(this.#nowMs, this.#sinceMs + this.#leastMs) };
  }

  get #leastMs(): number {
    return MIN_STEPS * this.#simulation.info.dtMs;
  }

  /** The extent of the strip: the run, and the run before a fork, which was longer. */
  get #axis(): TimeView {
    const { fromMs, toMs } = this.#whole;
    return { fromMs, toMs: Math.max(toMs, this.#ghost ? this.#endMs(this.#ghost) : 0) };
  }

  #endMs(counts: Counts): number {
    return counts.end * counts.binSteps * this.#simulation.info.dtMs;
  }

  /** The visible part of the run. */
  get #view(): TimeView {
    const whole = this.#whole;
    return this.#board.view ?? { fromMs: Math.max(whole.fromMs, whole.toMs - this.#windowMs), toMs: whole.toMs };
  }

  #listen(): void {
    const options = { signal: this.#end.signal };
    const [simulation, history] = [this.#simulation, this.#history];
    simulation.on("spikes", (spikes) => {
      if (spikes.trial !== 0) return;
      this.#counts.push(spikes);
      this.#nowMs = (spikes.firstStep + spikes.steps) * spikes.dtMs;
      this.#redraw();
    }, options);
    simulation.on("state", ({ moved: isMoved, rewound, timeMs }) => {
      if (!isMoved) return;
      // A fork of a fork shows the longest run.
      if (!rewound) this.#ghost = null;
      else if (!this.#ghost || this.#endMs(this.#counts) >= this.#endMs(this.#ghost)) this.#ghost = this.#counts.copy();
      if (rewound) {
        this.#counts.rewind(Math.round(timeMs / simulation.info.dtMs), new SpikePast(1, 0, 16));
      } else {
        this.#counts.clear();
        this.#sinceMs = timeMs;
      }
      this.#nowMs = timeMs;
      this.#redraw();
    }, options);
    this.#end.signal.addEventListener("abort", this.#board.on("view", () => this.#redraw()));
    history.on("change", () => this.#redraw(), options);
    this.#live.addEventListener("click", () => this.#board.setView(null), options);
    this.element.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLButtonElement) return;
      if (this.key(event.key, event.shiftKey)) event.preventDefault();
    }, options);
  }

  /** Follows the pointer. */
  #point(): void {
    const options = { signal: this.#end.signal };
    const track = this.#track;
    const at = ({ clientX }: MouseEvent): number => {
      const { left, width } = track.getBoundingClientRect();
      return timeAt((clientX - left) / Math.max(width, 1), this.#axis);
    };
    track.addEventListener("pointerdown", (event) => {
      const target = event.target as Node;
      if (event.button !== 0 || this.#flags.contains(target)) return;
      const edge = target === this.#from ? "from" : target === this.#to ? "to" : null;
      track.setPointerCapture(event.pointerId);
      if (edge === null && !this.#window.contains(target)) this.#board.setView(centred(this.#view, at(event), this.#whole));
      this.#drag = { edge, startMs: at(event), view: this.#view, hasMoved: false };
      event.preventDefault();
      this.#window.focus({ preventScroll: true });
    }, options);
    track.addEventListener("pointermove", (event) => {
      const drag = this.#drag;
      if (!drag) return;
      const byMs = at(event) - drag.startMs;
      const whole = this.#whole;
      if (byMs === 0 && !drag.hasMoved) return;
      drag.hasMoved = true;
      if (drag.edge !== null) {
        const edgeMs = drag.edge === "from" ? drag.view.fromMs : drag.view.toMs;
        return this.#board.setView(resized(drag.view, drag.edge, edgeMs + byMs, whole, this.#leastMs));
      }
      const view = moved(drag.view, byMs, whole);
      // At the right end it follows the run again.
      this.#board.setView(byMs > 0 && view.toMs >= whole.toMs ? null : view);
    }, options);
    for (const type of ["pointerup", "pointercancel"] as const) track.addEventListener(type, () => (this.#drag = null), options);
    track.addEventListener("dblclick", (event) => {
      if (!this.#flags.contains(event.target as Node)) this.#board.setView(this.#whole);
    }, options);
    track.addEventListener("wheel", (event) => {
      event.preventDefault();
      const factor = Math.exp(event.deltaY * 0.002);
      this.#board.setView(event.shiftKey ? moved(this.#view, (event.deltaY / 500) * (this.#view.toMs - this.#view.fromMs), this.#whole) : zoomed(this.#view, factor, this.#whole, this.#leastMs));
    }, { ...options, passive: false });
  }

  #redraw(): void {
    if (this.#isDue || this.#end.signal.aborted) return;
    this.#isDue = true;
    const rest = this.#drawn + (this.#calm.matches ? CALM_MS : FRAME_MS) - performance.now();
    const ask = () => (this.#frame = requestAnimationFrame(() => this.#draw()));
    // The window follows the pointer at once.
    if (rest > 0 && this.#drag === null) this.#timer = setTimeout(ask, rest);
    else ask();
  }

  #draw(): void {
    this.#isDue = false;
    this.#drawn = performance.now();
    this.#showView();
    this.#showFlags();
    this.#paint();
  }

  #showView(): void {
    const [view, whole, axis] = [this.#view, this.#whole, this.#axis];
    const isLive = this.#board.view === null;
    const [from, to] = [partAt(view.fromMs, axis), partAt(view.toMs, axis)].map((part) => Math.min(Math.max(part, 0), 1)) as [number, number];
    this.#window.style.left = `${from * 100}%`;
    this.#window.style.width = `${(to - from) * 100}%`;
    this.#live.setAttribute("aria-pressed", String(isLive));
    this.element.classList.toggle("live", isLive);
    this.element.classList.toggle("running", isLive && this.#simulation.isRunning);
    const length = view.toMs - view.fromMs;
    const [first, last] = [timeText(view.fromMs, length), timeText(view.toMs, length)];
    const text = `${isLive ? "live, " : ""}${first} to ${last} of ${timeText(whole.toMs, length)}`;
    for (const [name, value] of Object.entries({ min: whole.fromMs, max: whole.toMs, now: view.toMs, text })) {
      const written = typeof value === "number" ? String(Number(value.toFixed(3))) : value;
      if (this.#window.getAttribute(`aria-value${name}`) !== written) this.#window.setAttribute(`aria-value${name}`, written);
    }
    const extent = axis.toMs - axis.fromMs;
    say(this.#ends[0], timeText(axis.fromMs, extent));
    say(this.#ends[1], timeText(axis.toMs, extent));
  }

  #showFlags(): void {
    const [axis, [width]] = [this.#axis, this.#size];
    const { dtMs } = this.#simulation.info;
    // Those at the start are its values.
    const shown = this.#history.flags.filter(({ step }) => step * dtMs > this.#sinceMs);
    const found = clusters(shown, ({ step }) => partAt(step * dtMs, axis), TARGET / Math.max(width, 1));
    while (this.#flags.childElementCount > found.length) this.#flags.lastElementChild?.remove();
    while (this.#flags.childElementCount < found.length) this.#flags.append(h("button", { type: "button", class: "timeline-flag" }));
    found.forEach(({ part, items }, place) => {
      const button = this.#flags.children[place] as HTMLButtonElement;
      const text = items.map((flag) => `${timeText(flag.step * dtMs, 1000)}: ${wordsOf(flag)}`).slice(-6).join("\n");
      const label = items.length > 6 ? `${items.length} changes, the last ones:\n${text}` : text;
      if (button.title !== label) {
        button.title = label;
        button.setAttribute("aria-label", label);
      }
      // Whole also at the ends.
      button.style.left = `clamp(${FLAG / 2}px, ${part * 100}%, 100% - ${FLAG / 2}px)`;
      button.dataset["kind"] = items.length > 1 ? "several" : items[0]!.kind;
      say(button, items.length > 1 ? String(items.length) : "");
      button.onclick = () => this.#options.onFlags?.(items);
    });
  }

  #paint(): void {
    const ratio = globalThis.devicePixelRatio || 1;
    const [width, height] = this.#size;
    if (width < 1 || height < 1) return;
    const canvas = this.#canvas;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d")!;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const { populations } = this.#simulation.info.network;
    const most = Math.max(this.#most(this.#counts), this.#ghost ? this.#most(this.#ghost) : 0, 1e-9);
    marksOf(populations).forEach(({ use }, place) => {
      pen.fillStyle = this.#theme.colour(use).css;
      pen.globalAlpha = AREA;
      this.#area(pen, this.#counts, place, most, width, height, this.#sinceMs);
      pen.globalAlpha = AREA * GHOST;
      if (this.#ghost) this.#area(pen, this.#ghost, place, most, width, height, this.#nowMs);
    });
    pen.globalAlpha = 1;
    this.#name(pen, width);
  }

  /** Names the run before the fork. */
  #name(pen: CanvasRenderingContext2D, width: number): void {
    const left = partAt(this.#nowMs, this.#axis) * width + 6;
    const { css } = this.#theme.font;
    pen.font = css;
    if (!this.#ghost || pen.measureText(DROPPED).width > width - left) return;
    pen.fillStyle = this.#theme.colour("muted").css;
    pen.textBaseline = "top";
    pen.fillText(DROPPED, left, 3);
  }

  /** The largest mean rate, as spikes per step and neuron. */
  #most(counts: Counts): number {
    let most = 0;
    this.#simulation.info.network.populations.forEach(({ size }, place) => {
      for (let bin = counts.begin; bin < counts.end; bin += 1) most = Math.max(most, (counts.at(bin, place) || 0) / (Math.max(size, 1) * counts.binSteps));
    });
    return most;
  }

  #area(pen: CanvasRenderingContext2D, counts: Counts, place: number, most: number, width: number, height: number, fromMs: number): void {
    const { info } = this.#simulation;
    const axis = this.#axis;
    const binMs = counts.binSteps * info.dtMs;
    const size = Math.max(info.network.populations[place]!.size, 1) * counts.binSteps * most;
    pen.beginPath();
    pen.moveTo(partAt(counts.begin * binMs, axis) * width, height);
    for (let bin = counts.begin; bin < counts.end; bin += 1) {
      if ((bin + 1) * binMs <= fromMs) continue;
      const y = height - ((counts.at(bin, place) || 0) / size) * (height - 8);
      pen.lineTo(partAt(bin * binMs, axis) * width, y);
      pen.lineTo(partAt((bin + 1) * binMs, axis) * width, y);
    }
    pen.lineTo(partAt(counts.end * binMs, axis) * width, height);
    pen.fill();
  }
}

/** `using` disposes of it at the end of its block. */
export interface Strip extends Usable {}
