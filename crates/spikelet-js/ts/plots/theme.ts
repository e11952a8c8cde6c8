// Colours and font of plots, as the style sheet has them now.

import { h } from "./dom.js";

/** A colour of the style sheet. */
export interface Colour {
  readonly css: string;
  /** Red, green and blue as the lower bytes of a pixel's word; the byte of its opacity is 0. */
  readonly word: number;
}

/** What a colour is for: the names of custom properties of the style sheet, but for their prefix. */
const USES = ["ink", "muted", "line", "background", "weights", "excitatory", "inhibitory", "other-1", "other-2", "other-3", "other-4"] as const;
export type Use = (typeof USES)[number];
const OTHERS: readonly Use[] = ["other-1", "other-2", "other-3", "other-4"];

/** How populations are told apart: by colour, and where several have one, by how their lines are dashed. */
export interface Mark {
  readonly use: Use;
  /** Which of {@link DASHES}. */
  readonly dash: number;
}

/** Lengths of dashes and gaps, in CSS pixels. */
export const DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 2.5], [9, 2.5, 2, 2.5]];

/** The marks of populations. `E`, `exc_1`, `L4E` excite, `I`, `inh`, `L4I` inhibit, others have the colour of their place. */
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

/** The theme of plots, which follows whatever changes their colours: the system, a class of the page, a custom property. */
export class Theme {
  /** Belongs beside the plots; the style sheet hides it, and says its font. */
  readonly probe: HTMLElement;
  readonly #prefix: string;
  #colours: ReadonlyMap<Use, Colour> | null = null;
  #font = { css: "", size: 11 };

  /** With the colours that are called so: `--ink` with the prefix `--`. */
  constructor(prefix: string, changed: () => void) {
    this.#prefix = prefix;
    // Nobody tells of computed styles that change, but a transition of them does.
    this.probe = h("div", { class: "probe", "aria-hidden": "true" }, ...USES.map((use) => this.coloured(h("i"), use)));
    this.probe.addEventListener("transitionend", () => {
      this.#colours = null;
      changed();
    });
  }

  /** The font of axes, as canvas takes it, and its size in px. */
  get font(): { readonly css: string; readonly size: number } {
    this.#read();
    return this.#font;
  }

  colour(use: Use): Colour {
    return this.#read().get(use)!;
  }

  /** An element in a colour that the style sheet changes with the others. */
  coloured<Kind extends HTMLElement | SVGElement>(element: Kind, use: Use): Kind {
    element.style.setProperty("color", `var(${this.#prefix}${use})`);
    return element;
  }

  #read(): ReadonlyMap<Use, Colour> {
    if (this.#colours !== null) return this.#colours;
    const pen = h("canvas", { width: "1", height: "1" }).getContext("2d", { willReadFrequently: true })!;
    const colour = (probe: Element): Colour => {
      const css = getComputedStyle(probe).color;
      // However the colour is written, a pixel says what it is.
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
