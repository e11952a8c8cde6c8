import { worded } from "../errors.js";
import type { Spikelet } from "../spikelet.js";
import { dragByCaption } from "./arranging.js";
import { type Choice, choose } from "./choose.js";
import { h, say } from "./dom.js";
import { type Extras, Frame } from "./frame.js";
import { type BoardLayout, type PlotLayout, MAX_PLOTS, checkLayout, isSameLayout, moved, readLayout, rowsOf, wordOf, writeLayout } from "./layout.js";
import { Menu, type MenuItem } from "./menu.js";
import { type Offer, kindOffers, variableOffers } from "./offers.js";
import type { Chosen, Plot } from "./plot.js";
import type { Theme } from "./theme.js";

/** Minimum width of a board with two columns, in CSS pixels. */
const TWO_COLUMNS = 760;

/** Options of an arrangement. */
export interface ArrangementOptions {
  /** Additional elements of plots, by the names of the plots. */
  readonly extras?: Readonly<Record<string, Extras>>;
  /** Whether the user can add, remove, arrange and resize plots; default false. */
  readonly editable?: boolean;
  /** The name under which the browser stores the layout; default: it is not stored. */
  readonly store?: string;
}

/** What an arrangement needs of its board. */
export interface ArrangementOwner {
  readonly simulation: Spikelet;
  readonly theme: Theme;
  /** Aborted when the board ends. */
  readonly end: AbortSignal;
  /** A plot is created; its listeners end with `signal`. */
  placed(placed: Placed, signal: AbortSignal): void;
  removed(placed: Placed): void;
  /** Items of the menu of a plot, above those of the arrangement. */
  items(placed: Placed): readonly MenuItem[];
  redraw(): void;
  /** The user has changed the layout. */
  changed(layout: BoardLayout): void;
}

/** A plot on the board. */
export interface Placed {
  chosen: Chosen;
  readonly frame: Frame;
  plot: Plot;
  /** The height of the canvas in CSS pixels; null for the usual one. */
  height: number | null;
  half: boolean;
  readonly end: AbortController;
}

/** The plots of a board in their order, with their sizes: made, moved, removed and stored. */
export class Arrangement {
  readonly element: HTMLElement;
  readonly #owner: ArrangementOwner;
  readonly #options: ArrangementOptions;
  readonly #remark = h("span", { class: "remark", role: "status" });
  readonly #adding: HTMLElement | null;
  readonly #standard: BoardLayout;
  #placed: readonly Placed[] = [];
  #hidden: ReadonlySet<string> = new Set();
  #columns: 1 | 2 = 1;
  /** Changes that wait for recordings, one after the other. */
  #changes: Promise<unknown> = Promise.resolve();

  /** @param plots The usual plots, which {@link restore} shows unless there is a stored layout. */
  constructor(owner: ArrangementOwner, plots: readonly Chosen[], options: ArrangementOptions) {
    this.#owner = owner;
    this.#options = options;
    this.#standard = { plots: plots.map((chosen) => ({ plot: wordOf(chosen) })) };
    this.#adding = options.editable ? this.#addMenu() : null;
    this.element = h("div", { part: "plots", class: options.editable ? "plots editable" : "plots" }, owner.theme.probe, ...(this.#adding ? [this.#adding] : []));
  }

  /** The plots from top to bottom. */
  get placed(): readonly Placed[] {
    return this.#placed;
  }

  /** What is hidden in all plots. */
  get hidden(): ReadonlySet<string> {
    return this.#hidden;
  }

  get layout(): BoardLayout {
    const plots = this.#placed.map(({ chosen, height, half }): PlotLayout => ({ plot: wordOf(chosen), ...(height === null ? {} : { height }), ...(half ? { half } : {}) }));
    return this.#hidden.size === 0 ? { plots } : { plots, hidden: [...this.#hidden] };
  }

  /** Shows the stored layout if the network has its plots, else the usual ones. */
  restore(plots: readonly Chosen[]): void {
    const stored = this.#options.store === undefined ? null : readLayout(this.#options.store);
    try {
      const choices = stored?.plots.map(({ plot }) => this.#parse(plot)) ?? null;
      if (stored !== null && choices?.every(({ recordings }) => recordings === null)) {
        return this.#replace(choices.map((choice) => choice.plots[0]!), stored, false);
      }
      this.#replace(plots, this.#standard, false);
      if (stored !== null) this.setLayout(stored).catch((error: unknown) => this.say(error));
    } catch {
      // The network may have changed since the layout was stored.
      this.#replace(plots, this.#standard, false);
    }
  }

  /** See `Board.setLayout`. */
  async setLayout(layout: BoardLayout): Promise<void> {
    const checked = checkLayout(layout);
    await this.#change(async () => {
      // All words are parsed before anything is recorded.
      for (const { plot } of checked.plots) this.#parse(plot);
      const all: Chosen[] = [];
      for (const { plot } of checked.plots) all.push(await this.#record(plot));
      this.#replace(all, checked);
    });
  }

  /** See `Board.add`. */
  async add(word: string): Promise<void> {
    await this.#change(async () => {
      const placed = this.#make(await this.#record(word), { plot: word });
      this.#placed = [...this.#placed, placed];
      this.#arrange();
      placed.frame.figure.scrollIntoView({ block: "nearest" });
      placed.frame.surface.canvas.focus({ preventScroll: true });
    });
  }

  /** Records again what plots show, if other recordings have replaced it. */
  keepRecordings(): void {
    const there = new Set(this.#owner.simulation.info.channels.map(({ label }) => label));
    const lacking = this.#placed.flatMap(({ chosen }) => chosen.labels).filter((label) => !there.has(label));
    if (lacking.length === 0) return;
    this.#change(async () => {
      for (const label of lacking) await this.#record(label);
    }).catch((error: unknown) => this.say(error));
  }

  /** Follows the width of the board. */
  setWidth(width: number): void {
    const columns = width >= TWO_COLUMNS ? 2 : 1;
    if (columns === this.#columns) return;
    this.#columns = columns;
    this.#arrange(false);
  }

  /** Shows an error beside the button that adds plots. */
  say(error: unknown): void {
    if (!this.#owner.end.aborted) say(this.#remark, worded(error).message);
  }

  dispose(): void {
    for (const placed of this.#placed) this.#drop(placed);
  }

  /** Runs changes one after the other. */
  #change(act: () => Promise<void>): Promise<void> {
    const next = this.#changes.then(() => {
      this.#owner.end.throwIfAborted();
      return act();
    });
    this.#changes = next.catch(() => {});
    return next;
  }

  #parse(word: string): Choice {
    return choose(word, this.#owner.simulation.info);
  }

  /** Parses a plot, and records the variables that it lacks. */
  async #record(word: string): Promise<Chosen> {
    const { plots, recordings } = this.#parse(word);
    if (recordings !== null) await this.#owner.simulation.record(recordings);
    this.#owner.end.throwIfAborted();
    return plots[0]!;
  }

  #replace(all: readonly Chosen[], layout: BoardLayout, isChange = true): void {
    for (const placed of this.#placed) this.#drop(placed);
    this.#placed = [];
    this.#hidden = new Set(layout.hidden);
    all.forEach((chosen, place) => (this.#placed = [...this.#placed, this.#make(chosen, layout.plots[place]!)]));
    this.#arrange(isChange);
  }

  #make(chosen: Chosen, { height = null, half = false }: Omit<PlotLayout, "height"> & { readonly height?: number | null }): Placed {
    const { simulation, theme } = this.#owner;
    const { kind } = chosen;
    const { editable = false, extras } = this.#options;
    // An element of the page can be in one place only.
    const isFirst = !this.#placed.some((other) => other.chosen.kind === kind);
    const frame = new Frame(chosen, simulation.info, theme, (isFirst ? extras?.[kind.name] : undefined) ?? {}, {
      items: () => [...this.#owner.items(placed), ...(editable ? this.#items(placed) : [])],
      toggle: (name) => this.#toggle(name),
      remove: editable ? () => this.#remove(placed) : null,
      resize: (to) => this.#setHeight(placed, to),
      choose: (name, value) => {
        placed.chosen = { ...placed.chosen, settings: { ...placed.chosen.settings, [name]: value } };
        placed.plot.dispose?.();
        placed.plot = kind.make(frame, simulation.info, placed.chosen, simulation);
        this.#arrange();
      },
    });
    const placed: Placed = { chosen, frame, plot: kind.make(frame, simulation.info, chosen, simulation), height, half, end: new AbortController() };
    frame.setHeight(height);
    frame.setHidden(this.#hidden);
    if (editable) dragByCaption(frame, () => this.#placed.map((other) => other.frame), (to) => this.#moveTo(placed, to), placed.end.signal);
    this.#owner.placed(placed, placed.end.signal);
    return placed;
  }

  #drop(placed: Placed): void {
    placed.end.abort();
    this.#owner.removed(placed);
    placed.plot.dispose?.();
    placed.frame.dispose();
    placed.frame.figure.remove();
  }

  #remove(placed: Placed): void {
    const place = this.#placed.indexOf(placed);
    this.#drop(placed);
    this.#placed = this.#placed.filter((other) => other !== placed);
    this.#arrange();
    // The focus stays near the removed button.
    const next = this.#placed[Math.min(place, this.#placed.length - 1)];
    (next?.frame.figure ?? this.#adding)?.querySelector<HTMLElement>("button.remove, button.add")?.focus();
  }

  #moveTo(placed: Placed, to: number): void {
    this.#placed = moved(this.#placed, this.#placed.indexOf(placed), to);
    this.#arrange();
  }

  #setHeight(placed: Placed, height: number | null): void {
    placed.height = height;
    placed.frame.setHeight(height);
    this.#arrange();
  }

  #toggle(name: string): void {
    const hidden = new Set(this.#hidden);
    if (!hidden.delete(name)) hidden.add(name);
    this.#hidden = hidden;
    for (const { frame } of this.#placed) frame.setHidden(hidden);
    this.#arrange();
  }

  /** Puts the plots into their places, and stores the layout if the user has changed it. */
  #arrange(isChange = true): void {
    const { theme, redraw, changed } = this.#owner;
    const rows = rowsOf(this.#placed.map(({ half }) => half), this.#columns);
    for (const row of rows) for (const place of row) this.#placed[place]!.frame.figure.classList.toggle("half", row.length === 2);
    const fills = (place: number) => this.#placed[place]!.chosen.kind.fills === true && this.#placed[place]!.height === null;
    this.element.style.setProperty("--_rows", rows.map((row) => (row.some(fills) ? "minmax(var(--_least, 180px), 1fr)" : "max-content")).join(" "));
    // Only what is not in its place is moved, because an element that is moved loses its focus.
    this.#placed.forEach(({ frame: { figure } }, place) => {
      const before = place === 0 ? theme.probe : this.#placed[place - 1]!.frame.figure;
      if (before.nextElementSibling !== figure) before.after(figure);
    });
    redraw();
    if (!isChange) return;
    const { layout } = this;
    if (this.#options.store !== undefined) writeLayout(this.#options.store, isSameLayout(layout, this.#standard) ? null : layout);
    changed(layout);
  }

  /** The items of the menu of a plot that arrange it. */
  #items(placed: Placed): MenuItem[] {
    const place = this.#placed.indexOf(placed);
    const last = this.#placed.length - 1;
    const columns = this.#columns === 1 ? "two columns need a wider window" : "beside a neighbour of half width";
    return [
      { text: "Move up", lack: place === 0 ? "it is the first plot" : null, act: () => this.#moveTo(placed, place - 1), group: "Arrange" },
      { text: "Move down", lack: place === last ? "it is the last plot" : null, act: () => this.#moveTo(placed, place + 1) },
      {
        text: "Half width",
        isOn: placed.half,
        about: columns,
        act: () => {
          placed.half = !placed.half;
          this.#arrange();
        },
      },
      { text: "Usual height", lack: placed.height === null ? "it has its usual height" : null, act: () => this.#setHeight(placed, null) },
      { text: "Remove", act: () => this.#remove(placed) },
    ];
  }

  /** The button that adds a plot, below the plots. */
  #addMenu(): HTMLElement {
    const act = (change: () => Promise<void>) => (): void => {
      say(this.#remark, "");
      change().catch((error: unknown) => this.say(error));
    };
    const menu = new Menu("Add a plot", () => {
      const { info } = this.#owner.simulation;
      const full = this.#placed.length >= MAX_PLOTS ? `there are ${MAX_PLOTS} plots, which is the limit` : null;
      const items = (group: string, offers: readonly Offer[]): MenuItem[] =>
        offers.map(({ word, text, unit, lack }, place) => ({
          text, hint: unit, lack: full ?? lack, act: act(() => this.add(word)), group: place === 0 ? group : undefined,
        }));
      const isUsual = isSameLayout(this.layout, this.#standard);
      return [
        ...items("Plots", kindOffers(info)),
        ...items("Variables over time", variableOffers(info)),
        { text: "Usual plots", about: "undoes all changes of the arrangement", lack: isUsual ? "these are the usual plots" : null, group: "", act: act(() => this.setLayout(this.#standard)) },
      ];
    }, "Add plot");
    return h("div", { class: "adding" }, menu.button, menu.popup, this.#remark);
  }
}
