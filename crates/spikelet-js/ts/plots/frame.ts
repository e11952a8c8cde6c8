import type { Info } from "../raw.js";
import { h, icon, say } from "./dom.js";
import type { Chosen } from "./plot.js";
import { Surface } from "./surface.js";
import { DASHES, type Theme, type Use, marksOf } from "./theme.js";

// An arrow pointing down to a line.
const SAVE = "M7 1h2v7l2.6-2.6L13 6.8l-5 5-5-5 1.4-1.4L7 8zM2 13h12v2H2z";

/** Additions of the user to a plot; can be reused with other plots. */
export interface Extras {
  /** Shown in the caption. */
  readonly tools?: HTMLElement | undefined;
  /** Shown above the canvas. */
  readonly over?: HTMLElement | undefined;
}

/** Callbacks of a frame. */
interface Asks {
  save(): void;
  choose(setting: string, value: number): void;
}

/** The figure around a plot: title, description, remark, value under the pointer, legend, menus of settings, and the canvas. */
export class Frame {
  readonly figure: HTMLElement;
  readonly surface: Surface;
  readonly #title = h("b");
  readonly #about = h("span", { class: "about" });
  readonly #remark = h("span", { class: "remark" });
  readonly #under = h("span", { class: "under" });
  readonly #legend = h("span", { class: "legend" });

  constructor({ kind, settings }: Chosen, info: Info, theme: Theme, extras: Extras, asks: Asks) {
    this.surface = new Surface(theme);
    const save = h("button", { type: "button", part: "button save", class: "save", "aria-label": `Save as a table: ${kind.title}`, title: "Save the displayed data as a table (CSV)" }, icon(SAVE));
    save.addEventListener("click", asks.save);
    const menus = kind.settings.flatMap(({ name, about, menu }) => {
      const choices = menu?.(info) ?? [];
      if (choices.length < 2) return [];
      const select = h("select", { part: "menu", "aria-label": about }, ...choices.map((choice, value) => h("option", { value: String(value) }, choice)));
      select.value = String(settings[name]);
      select.addEventListener("change", () => asks.choose(name, Number(select.value)));
      return [h("span", { class: "field small" }, select)];
    });
    const tools = h("span", { class: "tools" }, ...menus, ...(extras.tools ? [extras.tools] : []), save);
    const caption = h("figcaption", { part: "caption" }, this.#title, this.#about, this.#remark, this.#under, this.#legend, tools);
    const canvas = h("div", { class: "canvas" }, this.surface.canvas, ...(extras.over ? [extras.over] : []));
    this.figure = h("figure", { part: `plot ${kind.name}`, class: `plot ${kind.name}` }, caption, canvas);
    this.setTitle(kind.title);
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

  /** The legend: line styles by name. */
  setLegend(names: readonly { readonly name: string; readonly use: Use; readonly dash: number }[]): void {
    const entries = names.map(({ name, use, dash }) => {
      const swatch = this.surface.theme.coloured(icon("M0 8h16"), use);
      swatch.classList.add("swatch");
      swatch.style.strokeDasharray = DASHES[dash]!.join(" ");
      return h("span", { title: name }, swatch, name);
    });
    this.#legend.replaceChildren(...entries);
  }
}

/** The legend of populations. */
export function legendOf({ network }: Info, nameOf: (place: number) => string): { name: string; use: Use; dash: number }[] {
  return marksOf(network.populations).map((mark, place) => ({ ...mark, name: nameOf(place) }));
}
