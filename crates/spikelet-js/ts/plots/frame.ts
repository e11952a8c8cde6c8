import type { Info } from "../raw.js";
import { type Cursor, Overlay } from "./cursor.js";
import { h, icon, say } from "./dom.js";
import { HEIGHTS } from "./layout.js";
import { Menu, type MenuItem } from "./menu.js";
import type { Chosen, TimeAxis } from "./plot.js";
import { Surface } from "./surface.js";
import { DASHES, type Theme, type Use, marksOf } from "./theme.js";

// A cross.
const CLOSE = "M3.4 2 8 6.6 12.6 2 14 3.4 9.4 8 14 12.6 12.6 14 8 9.4 3.4 14 2 12.6 6.6 8 2 3.4z";

/** Additions of the user to a plot; can be reused with other plots. */
export interface Extras {
  /** Shown in the caption. */
  readonly tools?: HTMLElement | undefined;
  /** Shown above the canvas. */
  readonly over?: HTMLElement | undefined;
}

/** Callbacks of a frame. */
export interface FrameAsks {
  /** The items of its menu. */
  items(): readonly MenuItem[];
  choose(setting: string, value: number): void;
  /** Hides or shows a population or a variable in all plots. */
  toggle(name: string): void;
  /** Removes the plot; null if the user cannot change the plots. */
  remove: (() => void) | null;
  /** A height in CSS pixels, or null for the usual one. */
  resize(height: number | null): void;
}

/** An entry of a legend. */
export interface LegendEntry {
  readonly name: string;
  readonly use: Use;
  readonly dash: number;
  /** The name of the population, or the label of the variable, that the entry hides; absent if it cannot be hidden. */
  readonly hides?: string;
}

/** The figure around a plot: title, description, remark, value under the pointer, legend, menus of settings, and the canvas. */
export class Frame {
  readonly figure: HTMLElement;
  readonly surface: Surface;
  /** The caption, by which the plot is dragged. */
  readonly caption: HTMLElement;
  readonly #asks: FrameAsks;
  readonly #title = h("b");
  readonly #about = h("span", { class: "about" });
  readonly #remark = h("span", { class: "remark" });
  readonly #under = h("span", { class: "under" });
  readonly #legend = h("span", { class: "legend" });
  readonly #canvas: HTMLElement;
  readonly #overlay: Overlay;
  readonly #grip: HTMLElement | null;
  readonly #end = new AbortController();
  #entries: readonly LegendEntry[] = [];
  #hidden: ReadonlySet<string> = new Set();
  #body: HTMLElement | null = null;

  constructor({ kind, settings }: Chosen, info: Info, theme: Theme, extras: Extras, asks: FrameAsks) {
    this.#asks = asks;
    this.surface = new Surface(theme);
    this.#overlay = new Overlay(theme);
    const menus = kind.settings.flatMap(({ name, about, menu }) => {
      const choices = menu?.(info) ?? [];
      if (choices.length < 2) return [];
      const select = h("select", { part: "menu", "aria-label": about, title: about }, ...choices.map((choice, value) => h("option", { value: String(value) }, choice)));
      select.value = String(settings[name]);
      select.addEventListener("change", () => asks.choose(name, Number(select.value)));
      return [h("span", { class: "field small" }, select)];
    });
    const menu = new Menu(`Save or arrange: ${kind.title}`, () => asks.items());
    const { remove } = asks;
    const close = remove === null ? [] : [h("button", { type: "button", part: "button remove", class: "remove", "aria-label": `Remove: ${kind.title}`, title: "Remove this plot" }, icon(CLOSE))];
    close[0]?.addEventListener("click", () => remove?.());
    const buttons = h("span", { class: "plot-buttons" }, menu.button, ...close);
    const tools = h("span", { class: "tools" }, ...menus, ...(extras.tools ? [extras.tools] : []), buttons);
    this.caption = h("figcaption", { part: "caption" }, this.#title, this.#about, this.#remark, this.#under, this.#legend, tools, menu.popup);
    this.#canvas = h("div", { class: "canvas" }, this.surface.canvas, this.#overlay.element, ...(extras.over ? [extras.over] : []));
    this.#canvas.style.setProperty("position", "relative");
    this.#grip = remove === null ? null : this.#makeGrip(kind.title);
    this.figure = h("figure", { part: `plot ${kind.name}`, class: `plot ${kind.name}` }, this.caption, this.#canvas, ...(this.#grip ? [this.#grip] : []));
    this.setTitle(kind.title);
  }

  /** Whether there is space to draw. */
  get isShown(): boolean {
    return this.#body ? this.#body.isConnected : this.surface.width > 0;
  }

  /** Shows an element, such as a table, instead of the canvas. */
  setBody(body: HTMLElement): void {
    (this.#body ?? this.surface.canvas).replaceWith(body);
    this.#body = body;
  }

  /** Changes a setting, as its menu does. */
  choose(setting: string, value: number): void {
    this.#asks.choose(setting, value);
  }

  setTitle(text: string): void {
    say(this.#title, text);
  }

  /** Description of the plot; constant for a network. */
  setAbout(text: string): void {
    say(this.#about, text);
  }

  /** A remark on the current data. */
  setRemark(text: string): void {
    say(this.#remark, text);
  }

  /** The value under the pointer. */
  setUnder(text: string): void {
    say(this.#under, text);
  }

  /** The legend: line styles by name. Entries that can be hidden are buttons. */
  setLegend(entries: readonly LegendEntry[]): void {
    this.#entries = entries;
    const elements = entries.map(({ name, use, dash, hides }) => {
      const swatch = this.surface.theme.coloured(icon("M0 8h16"), use);
      swatch.classList.add("swatch");
      swatch.style.strokeDasharray = DASHES[dash]!.join(" ");
      const text = h("span", {}, name);
      if (hides === undefined) return h("span", { title: name }, swatch, text);
      const button = h("button", { type: "button", part: "button legend", title: `Show or hide ${name} in all plots` }, swatch, text);
      button.addEventListener("click", () => this.#asks.toggle(hides));
      return button;
    });
    this.#legend.replaceChildren(...elements);
    this.setHidden(this.#hidden);
  }

  /** Shows in the legend what is hidden. */
  setHidden(hidden: ReadonlySet<string>): void {
    this.#hidden = hidden;
    this.#entries.forEach(({ hides }, place) => {
      if (hides !== undefined) this.#legend.children[place]!.setAttribute("aria-pressed", String(!hidden.has(hides)));
    });
  }

  /** Shows an element over the canvas. */
  overlay(element: HTMLElement): void {
    if (element.parentElement !== this.#canvas) this.#canvas.append(element);
  }

  /** Shows the cursor; null hides it. */
  showCursor(axis: TimeAxis | null, cursor: Cursor): void {
    this.#overlay.show(axis, cursor);
  }

  /** Sets the height of the canvas in CSS pixels, or the usual one. */
  setHeight(height: number | null): void {
    this.figure.classList.toggle("sized", height !== null);
    if (height === null) this.#canvas.style.removeProperty("height");
    else this.#canvas.style.setProperty("height", `${height}px`);
    this.#grip?.setAttribute("aria-valuenow", String(Math.round(height ?? this.surface.height)));
  }

  /** The texts of the caption for a saved picture. */
  get words(): { readonly title: string; readonly about: string; readonly legend: readonly LegendEntry[] } {
    const text = (element: Element) => element.textContent ?? "";
    const about = [this.#about, this.#remark].map(text).filter((part) => part !== "").join("; ");
    return { title: text(this.#title), about, legend: this.#entries.filter(({ hides }) => hides === undefined || !this.#hidden.has(hides)) };
  }

  dispose(): void {
    this.#end.abort();
  }

  /** The lower edge, which changes the height: by dragging, or by arrow keys. */
  #makeGrip(title: string): HTMLElement {
    const grip = h("div", {
      class: "grip", part: "grip", role: "separator", tabindex: "0", "aria-orientation": "horizontal", "aria-label": `Height: ${title}`,
      "aria-valuemin": String(HEIGHTS.least), "aria-valuemax": String(HEIGHTS.most), title: "Drag to change the height; double click for the usual height",
    });
    const options = { signal: this.#end.signal };
    const set = (height: number) => this.#asks.resize(Math.round(Math.min(Math.max(height, HEIGHTS.least), HEIGHTS.most)));
    let start: { y: number; height: number } | null = null;
    grip.addEventListener("pointerdown", (event) => {
      grip.setPointerCapture(event.pointerId);
      start = { y: event.clientY, height: this.surface.height };
    }, options);
    grip.addEventListener("pointermove", (event) => void (start && set(start.height + event.clientY - start.y)), options);
    for (const type of ["pointerup", "pointercancel"] as const) grip.addEventListener(type, () => (start = null), options);
    grip.addEventListener("dblclick", () => this.#asks.resize(null), options);
    grip.addEventListener("keydown", (event) => {
      const by = { ArrowUp: -HEIGHTS.step, ArrowDown: HEIGHTS.step }[event.key];
      if (by === undefined && event.key !== "Home") return;
      event.preventDefault();
      event.stopPropagation();
      if (by === undefined) this.#asks.resize(null);
      else set(this.surface.height + by);
    }, options);
    grip.addEventListener("focus", () => grip.setAttribute("aria-valuenow", String(Math.round(this.surface.height))), options);
    return grip;
  }
}

/** The legend of populations. */
export function legendOf({ network }: Info, nameOf: (place: number) => string): LegendEntry[] {
  return marksOf(network.populations).map((mark, place) => ({ ...mark, name: nameOf(place), hides: network.populations[place]!.name }));
}
