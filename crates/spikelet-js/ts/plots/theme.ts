// Colours and font of plots, read from the style sheet.

import { h } from "./dom.js";

/** A colour of the style sheet. */
export interface Colour {
  readonly css: string;
  /** Red, green and blue as the lower bytes of a pixel; the byte of the opacity is 0. */
  readonly word: number;
}

/** The uses of colours: the names of custom properties without prefix. */
const USES = ["ink", "muted", "line", "background", "weights", "excitatory", "inhibitory", "other-1", "other-2", "other-3", "other-4"] as const;
export type Use = (typeof USES)[number];
const OTHERS: readonly Use[] = ["other-1", "other-2", "other-3", "other-4"];

/** The mark of a population: a colour, and a dash pattern if several populations have the same colour. */
export interface Mark {
  readonly use: Use;
  /** Index into {@link DASHES}. */
  readonly dash: number;
}

/** Lengths of dashes and gaps, in CSS pixels. */
export const DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 2.5], [9, 2.5, 2, 2.5]];

/** Assigns marks to populations. `E`, `exc_1`, `L4E` are excitatory, `I`, `inh`, `L4I` are inhibitory, others have colours by index. */
export function marksOf(populations: readonly { readonly name: string }[]): Mark[] {
  const seen = new Map<Use, number>();
  return populations.map(({ name }, place) => {
    const use = roleOf(name) ?? OTHERS[place % OTHERS.length]!;
    const dash = seen.get(use) ?? 0;
    seen.set(use, dash + 1);
    return { use, dash: dash % DASHES.length };
  });
}

function roleOf(name: string): Use | null {
  const is = (letter: string, word: string): boolean =>
    new RegExp(`^${letter}$|^${word}|_${letter}$`, "i").test(name) || new RegExp(`\\d.*${letter}$`).test(name);
  if (is("E", "exc")) return "excitatory";
  return is("I", "inh") ? "inhibitory" : null;
}

/** Colours on white paper: those of light pages of the element. */
const PAPER: Readonly<Record<Use, string>> = {
  ink: "#16181d", muted: "#5d636e", line: "#e6e6e2", background: "#ffffff", weights: "#0f766e", excitatory: "#1f5fc4", inhibitory: "#c2410c",
  "other-1": "#720346", "other-2": "#2d99e1", "other-3": "#152e93", "other-4": "#fb6060",
};

/** The colours of plots. They follow all changes: system settings, classes of the page, custom properties. */
export class Theme {
  /** An element beside the plots that the style sheet hides and that has its font. */
  readonly probe: HTMLElement;
  readonly #prefix: string;
  #colours: ReadonlyMap<Use, Colour> | null = null;
  #font = { css: "", size: 11 };
  #isPaper = false;

  /** @param prefix Prefix of the custom properties: `--ink` has the prefix `--`. */
  constructor(prefix: string, changed: () => void) {
    this.#prefix = prefix;
    // There is no event for changes of computed styles, but there are events for their transitions.
    this.probe = h("div", { class: "probe", "aria-hidden": "true" }, ...USES.map((use) => this.coloured(h("i"), use)));
    this.probe.addEventListener("transitionend", () => {
      this.#colours = null;
      changed();
    });
  }

  /** The font of axes in canvas syntax, and its size in px. */
  get font(): { readonly css: string; readonly size: number } {
    this.#read();
    return this.#font;
  }

  colour(use: Use): Colour {
    return this.#isPaper ? onPaper(use) : this.#read().get(use)!;
  }

  /** Uses the colours for white paper while `draw` runs. */
  onPaper(draw: () => void): void {
    this.#isPaper = true;
    try {
      draw();
    } finally {
      this.#isPaper = false;
    }
  }

  /** An element whose colour changes with the style sheet. */
  coloured<Kind extends HTMLElement | SVGElement>(element: Kind, use: Use): Kind {
    element.style.setProperty("color", `var(${this.#prefix}${use})`);
    return element;
  }

  #read(): ReadonlyMap<Use, Colour> {
    if (this.#colours !== null) return this.#colours;
    const pen = h("canvas", { width: "1", height: "1" }).getContext("2d", { willReadFrequently: true })!;
    const colour = (probe: Element): Colour => {
      const css = getComputedStyle(probe).color;
      // Drawing a pixel converts any CSS colour to numbers.
      pen.fillStyle = css;
      pen.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0] = pen.getImageData(0, 0, 1, 1).data;
      return { css, word: red | (green << 8) | (blue << 16) };
    };
    const { fontFamily, fontSize } = getComputedStyle(this.probe);
    this.#font = { css: `${fontSize} ${fontFamily}`, size: Number.parseFloat(fontSize) };
    return (this.#colours = new Map([...this.probe.children].map((probe, place) => [USES[place]!, colour(probe)])));
  }
}

function onPaper(use: Use): Colour {
  const css = PAPER[use];
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(css.slice(at, at + 2), 16));
  return { css, word: red | (green << 8) | (blue << 16) };
}
