import { type Usable, letUsingDispose } from "../disposal.js";
import { Emitter, type ListenOptions, type Unsubscribe } from "../emitter.js";
import { notAllowed } from "../errors.js";
import { checkKeys } from "../options.js";
import type { Spikelet } from "../spikelet.js";
import { Arrangement, type ArrangementOptions, type Placed } from "./arrangement.js";
import { Cursor } from "./cursor.js";
import type { Format } from "./export/save.js";
import { type GestureTarget, listenToGestures } from "./gestures.js";
import type { BoardLayout } from "./layout.js";
import type { MenuItem } from "./menu.js";
import { customary } from "./numbers.js";
import { type KeptData, Past } from "./past.js";
import type { Chosen, Need, Scene, TimeAxis } from "./plot.js";
import { Readout } from "./readout.js";
import { Theme } from "./theme.js";
import { type TimeView, type ViewLimits, checkView } from "./view.js";

/** Minimum time between updates of the text alternatives, in ms. */
const TELLING_MS = 1000;
/** Minimum time between frames for users who prefer reduced motion, in ms. */
const CALM_MS = 1000;
/** Default time span, in ms. */
const WINDOW_MS = 1000;
/** The shortest view, in steps. */
const SHORTEST = 10;
/** The data that an editable board stores for plots that are added later. */
const ALL_NEEDS: readonly Need[] = ["spikes", "rates", "samples", "statistics"];

/** Options of a board. */
export interface BoardOptions extends ArrangementOptions {
  /** Time span of the plots, in ms. */
  readonly windowMs?: number;
  /** Maximum time span of the plots, in ms. */
  readonly longestMs?: number;
  /** Prefix of the custom properties for colours; default `--`. */
  readonly prefix?: string;
  /** Whether the wheel zooms; by default it scrolls the page, and zooms with Control. */
  readonly wheelZooms?: boolean;
  /** Whether a reviewed time span has a button for the latest data; default true. A page with a `Strip` has one there. */
  readonly live?: boolean;
  /** Copies a link to the view; without it there is no such item in the menus. */
  readonly copyLink?: () => unknown;
}

const BOARD = ["windowMs", "longestMs", "prefix", "wheelZooms", "live", "copyLink", "extras", "editable", "store"] satisfies (keyof BoardOptions)[];

/** The events of a board. */
export interface BoardEvents {
  /** The time span that is reviewed; null for the latest data. */
  view: TimeView | null;
  /** The layout has changed. */
  layout: BoardLayout;
}

/** The plots of a simulation, with the data that they show. They are drawn in animation frames, only when data have changed. */
export class Board {
  static {
    letUsingDispose(this);
  }

  readonly element: HTMLElement;
  readonly #theme: Theme;
  readonly #simulation: Spikelet;
  readonly #options: BoardOptions;
  readonly #events = new Emitter<BoardEvents>();
  readonly #past: Past;
  readonly #arrangement: Arrangement;
  readonly #end = new AbortController();
  readonly #calm = matchMedia("(prefers-reduced-motion: reduce)");
  readonly #cursor = new Cursor();
  readonly #readout: Readout;
  readonly #resized = new ResizeObserver((entries) => this.#resize(entries));
  #windowMs: number;
  #nowMs: number;
  #view: TimeView | null = null;
  /** Whether saved pictures have a white background. */
  #isOnWhite = true;
  /** The time of the data that were drawn last, in ms. */
  #drawnMs = -Infinity;
  /** What the next frame draws: the plots that need these data, or all. */
  #stale: Set<Need> | "all" = new Set();
  #isDue = false;
  #frame = 0;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #drawn = -Infinity;
  #lastTold = -Infinity;
  #telling: ReturnType<typeof setTimeout> | undefined;

  /** @param plots Plots as returned by `choose`. They show data from now on. */
  constructor(simulation: Spikelet, plots: readonly Chosen[], options: BoardOptions = {}) {
    checkKeys(options, ...BOARD);
    const { windowMs = WINDOW_MS, longestMs = windowMs, prefix = "--", editable = false, live = true } = options;
    this.#simulation = simulation;
    this.#options = options;
    this.#windowMs = windowMs;
    this.#nowMs = simulation.timeMs;
    this.#readout = new Readout({ clearPins: () => this.#pin(() => this.#cursor.clear()), live: live ? () => this.setView(null) : null });
    this.#theme = new Theme(prefix, () => this.redraw());
    this.#past = new Past(simulation.info, plots, Math.max(longestMs, windowMs));
    if (editable) this.#past.need(ALL_NEEDS, simulation.info.channels.map(({ label }) => label));
    this.#arrangement = new Arrangement({
      simulation,
      theme: this.#theme,
      end: this.#end.signal,
      placed: (placed, signal) => this.#prepare(placed, signal),
      removed: ({ frame }) => this.#resized.unobserve(frame.surface.canvas),
      items: (placed) => this.#items(placed),
      redraw: () => this.redraw(),
      changed: (layout) => this.#events.emit("layout", layout),
    }, plots, options);
    this.element = this.#arrangement.element;
    this.#arrangement.restore(plots);
    this.#end.signal.addEventListener("abort", () => this.#resized.disconnect());
    this.#resized.observe(this.element);
    this.setWindow(windowMs);
    this.#listen();
  }

  /** Adds a listener. Returns a function that removes it. */
  on<Type extends keyof BoardEvents>(type: Type, listener: (event: BoardEvents[Type]) => void, options: ListenOptions = {}): Unsubscribe {
    if (type !== "view" && type !== "layout") throw notAllowed("type", type, '"view" or "layout"');
    if (typeof listener !== "function") throw notAllowed("listener", listener, "a function");
    checkKeys(options, "signal");
    return this.#events.on(type, listener, options);
  }

  /** The time span that is reviewed; null if the plots show the latest data. */
  get view(): TimeView | null {
    return this.#view;
  }

  /**
   * Shows a time span of the past, which stays while the simulation runs, or the latest data for null.
   *
   * @throws `SpikeletError` if it is not a time span.
   */
  setView(view: TimeView | null): void {
    const checked = view === null ? null : checkView(view);
    if (checked === null && this.#view === null) return;
    this.#view = checked;
    this.redraw();
    this.#events.emit("view", checked);
  }

  /** Changes the time span of the latest data, in ms. */
  setWindow(windowMs: number): void {
    this.#windowMs = windowMs;
    this.#past.spikes.shown = Math.ceil(windowMs / this.#simulation.info.dtMs);
    this.redraw();
  }

  /** @internal The stored data of the run, for comparisons. */
  get past(): Pick<Past, "spikes"> {
    return this.#past;
  }

  /** The plots with their settings and sizes, and what is hidden, as plain JSON. */
  get layout(): BoardLayout {
    return this.#arrangement.layout;
  }

  /**
   * Shows the plots of a layout. Variables that they show and that are not recorded are recorded in addition.
   *
   * @throws `SpikeletError` if the layout is invalid, or if the network does not have its plots; then nothing changes.
   */
  setLayout(layout: BoardLayout): Promise<void> {
    return this.#arrangement.setLayout(layout);
  }

  /** Adds a plot, given by a word of `choose`, at the end. Its variables are recorded from now on, if they are not yet. */
  add(word: string): Promise<void> {
    return this.#arrangement.add(word);
  }

  /** What is stored of the run. */
  get kept(): KeptData {
    return this.#past.kept;
  }

  /** Marks a change at the current time: `weights = learned.npz`. */
  mark(text: string): void {
    this.#past.marks.push({ timeMs: this.#nowMs, text });
    this.redraw();
  }

  /** Draws in the next frame, or later for reduced motion. */
  redraw(): void {
    this.#request("all");
  }

  dispose(): void {
    this.#end.abort();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#resting);
    clearTimeout(this.#telling);
    this.#arrangement.dispose();
  }

  /** Stores what a new plot needs, and listens to its canvas. */
  #prepare(placed: Placed, signal: AbortSignal): void {
    const { chosen, frame } = placed;
    const { canvas } = frame.surface;
    this.#past.need(chosen.kind.needs, chosen.labels);
    nameCanvas(placed, this.#scene);
    if (placed.plot.at) {
      canvas.setAttribute("aria-keyshortcuts", "ArrowLeft ArrowRight + - Home End Enter Escape Shift+ArrowLeft Shift+ArrowRight");
      canvas.style.setProperty("touch-action", "pan-y");
      listenToGestures(canvas, this.#gestures(placed), { signal, wheelZooms: this.#options.wheelZooms ?? false });
    } else {
      canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => frame.setUnder(placed.plot.under(offsetX, offsetY, this.#scene)), { signal });
      canvas.addEventListener("pointerleave", () => frame.setUnder(""), { signal });
    }
    try {
      this.#resized.observe(canvas, { box: "device-pixel-content-box" });
    } catch {
      this.#resized.observe(canvas);
    }
  }

  /** The items of the menu of a plot that save it. */
  #items(placed: Placed): MenuItem[] {
    const { copyLink } = this.#options;
    const noPicture = placed.plot.table || placed.frame.surface.width > 0 ? null : "it is not drawn on a canvas";
    const save = (format: Format) => (): void => void this.#save(placed, format).catch((error: unknown) => this.#arrangement.say(error));
    return [
      { text: "Save picture (PNG)", lack: noPicture, act: save("png"), group: "Save" },
      { text: "Save drawing (SVG)", lack: noPicture, act: save("svg") },
      { text: "White background", isOn: this.#isOnWhite, act: () => void (this.#isOnWhite = !this.#isOnWhite) },
      { text: "Save table (CSV)", act: save("csv") },
      { text: "Save arrays (NPZ)", act: save("npz") },
      ...(copyLink ? [{ text: "Copy link to this view", act: () => void copyLink() }] : []),
    ];
  }

  async #save({ chosen, frame, plot }: Placed, format: Format): Promise<void> {
    // Loaded when it is needed.
    const { savePlot } = await import("./export/save.js");
    const name = `${this.#simulation.info.network.name} ${chosen.word}`;
    await savePlot({ name, frame, plot, scene: this.#scene, isOnWhite: this.#isOnWhite }, format);
    // A plot may keep what it has drawn into the picture.
    this.redraw();
  }

  // ---- view and cursor ----

  /** The axis of time of a plot; null if it has none. */
  #axis({ frame: { surface }, plot }: Placed, scene: Scene): TimeAxis | null {
    if (!plot.at || surface.width === 0) return null;
    return plot.timeAxis?.(scene) ?? { area: surface.area, span: scene.span };
  }

  #gestures(placed: Placed): GestureTarget {
    const cursor = this.#cursor;
    return {
      axis: () => this.#axis(placed, this.#scene),
      view: () => this.#shown,
      limits: () => this.#limits,
      setView: (view) => this.setView(view),
      point: (at) => {
        const scene = this.#scene;
        const axis = this.#axis(placed, scene);
        const part = at === null || axis === null ? -1 : (at.x - axis.area.left) / axis.area.width;
        cursor.timeMs = axis !== null && part >= 0 && part <= 1 ? axis.span.fromMs + part * (axis.span.toMs - axis.span.fromMs) : null;
        this.#showCursor(placed, at === null ? "" : placed.plot.under(at.x, at.y, scene));
      },
      cursor: () => cursor.timeMs,
      setCursor: (timeMs) => {
        cursor.timeMs = timeMs;
        this.#showCursor();
      },
      select: (interval) => {
        cursor.brush = interval;
        this.#showCursor();
      },
      pin: (timeMs) => this.#pin(() => cursor.pin(timeMs)),
      undoPin: () => this.#pin(() => cursor.undoPin()),
      clearPins: () => this.#pin(() => cursor.clear()),
    };
  }

  #pin(act: () => void): void {
    act();
    this.#showCursor();
  }

  /** Shows the cursor in all plots, and the values at its time; `under` is the text of the plot under the pointer. */
  #showCursor(pointed: Placed | null = null, under = ""): void {
    const scene = this.#scene;
    const { shownMs } = this.#cursor;
    let isFirst = true;
    for (const placed of this.#arrangement.placed) {
      const axis = this.#axis(placed, scene);
      if (axis === null) continue;
      if (isFirst) placed.frame.overlay(this.#readout.element);
      isFirst = false;
      placed.frame.showCursor(axis, this.#cursor);
      const isSeen = shownMs !== null && shownMs >= axis.span.fromMs && shownMs <= axis.span.toMs;
      placed.frame.setUnder(placed === pointed && under !== "" ? under : isSeen ? placed.plot.at!(shownMs, scene) : "");
    }
    this.#readout.show(this.#cursor, this.#view);
  }

  /** The time span that is shown. */
  get #shown(): TimeView {
    if (this.#view !== null) return this.#view;
    const toMs = Math.max(this.#nowMs, this.#windowMs);
    return { fromMs: toMs - this.#windowMs, toMs };
  }

  get #limits(): ViewLimits {
    return { shortestMs: SHORTEST * this.#simulation.info.dtMs, endMs: Math.max(this.#nowMs, this.#windowMs) };
  }

  get #scene(): Scene {
    const { fromMs, toMs } = this.#shown;
    const nowMs = Math.min(this.#nowMs, toMs);
    return { info: this.#simulation.info, past: this.#past, span: { fromMs, toMs, nowMs }, hidden: this.#arrangement.hidden, isReview: this.#view !== null };
  }

  // ---- data ----

  #listen(): void {
    const options = { signal: this.#end.signal };
    const simulation = this.#simulation;
    const past = this.#past;
    // Only the first trial is drawn.
    simulation.on("spikes", (event) => {
      if (event.trial !== 0) return;
      past.takeSpikes(event, simulation.info);
      this.#nowMs = (event.firstStep + event.steps) * event.dtMs;
      // A picture of the past stays as it is.
      if (this.#view === null || this.#view.toMs > this.#drawnMs) this.redraw();
    }, options);
    simulation.on("samples", (event) => void (event.trial === 0 && past.takeSamples(event, simulation.info)), options);
    simulation.on("statistics", (event) => {
      if (event.trial !== 0) return;
      past.takeMeasured(event);
      this.#request("statistics");
    }, options);
    simulation.on("changed", ({ path, value, step }) => {
      const { populations, projections } = simulation.info.network;
      const parameter = [...populations, ...projections].flatMap(({ parameters }) => parameters).find((one) => one.path === path);
      if (step === 0) return;
      past.marks.push({ timeMs: step * simulation.info.dtMs, text: `${path} = ${customary(value, parameter?.unit ?? "")}` });
      this.redraw();
    }, options);
    simulation.on("info", () => this.#arrangement.keepRecordings(), options);
    simulation.on("state", ({ moved, rewound, timeMs }) => {
      if (!moved) return;
      if (rewound) past.rewind(Math.round(timeMs / simulation.info.dtMs));
      else past.clear();
      this.#nowMs = timeMs;
      this.#drawnMs = -Infinity;
      this.#cursor.clear();
      this.#arrangement.keepRecordings();
      this.setView(null);
      this.redraw();
    }, options);
  }

  // ---- drawing ----

  /** Follows the size of the board and of the canvases. */
  #resize(entries: readonly ResizeObserverEntry[]): void {
    for (const entry of entries) {
      if (entry.target === this.element) this.#arrangement.setWidth(entry.contentRect.width);
      else this.#arrangement.placed.find(({ frame }) => frame.surface.canvas === entry.target)?.frame.surface.resize(entry);
    }
    // Drawn at once, because a resized canvas is blank.
    this.#stale = "all";
    this.#draw();
  }

  /** Draws the plots that need some data, or all, in the next frame. */
  #request(what: Need | "all"): void {
    if (this.#end.signal.aborted) return;
    if (what === "all") this.#stale = "all";
    else if (this.#stale !== "all") this.#stale.add(what);
    if (this.#isDue) return;
    this.#isDue = true;
    const rest = this.#drawn + (this.#calm.matches ? CALM_MS : 0) - performance.now();
    if (rest > 0) this.#resting = setTimeout(() => this.#ask(), rest);
    else this.#ask();
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
    const stale = this.#stale;
    this.#stale = new Set();
    for (const { chosen, frame, plot } of this.#arrangement.placed) {
      const isStale = stale === "all" || chosen.kind.needs.some((need) => stale.has(need));
      if (isStale && frame.isShown) plot.draw(scene);
    }
    if (stale !== "all") return;
    this.#drawnMs = this.#nowMs;
    this.#showCursor();
  }

  #tell(): void {
    this.#telling = undefined;
    this.#lastTold = performance.now();
    const scene = this.#scene;
    for (const placed of this.#arrangement.placed) nameCanvas(placed, scene);
  }
}

/** Says what a plot shows; before it has data, which plot it is. */
function nameCanvas({ chosen, frame, plot }: Placed, scene: Scene): void {
  frame.surface.canvas.setAttribute("aria-label", plot.describe(scene) || chosen.kind.title);
}

/** `using` disposes of it at the end of its block. */
export interface Board extends Usable {}
