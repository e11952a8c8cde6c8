// A figure of the element: a caption, and a canvas that is drawn again whenever its size or its data change.

import { h } from "../plots/dom.js";
import { type Area, Surface } from "../plots/surface.js";
import type { Theme } from "../plots/theme.js";

/** A figure. */
export abstract class Figure {
  readonly element: HTMLElement;
  protected readonly surface: Surface;
  readonly #about = h("span", { class: "about" });
  #isDue = false;

  /** @param name Its name in the caption; `part` is its part of the element. */
  constructor(theme: Theme, end: AbortSignal, name: string, part: string, ...tools: HTMLElement[]) {
    this.surface = new Surface(theme);
    const caption = h("figcaption", {}, h("b", {}, name), this.#about, h("span", { class: "tools" }, ...tools));
    this.element = h("figure", { class: part, part }, caption, this.surface.canvas);
    const observer = new ResizeObserver((entries) => {
      this.surface.resize(entries.at(-1)!);
      this.paint();
    });
    observer.observe(this.surface.canvas);
    end.addEventListener("abort", () => observer.disconnect());
  }

  /** Draws in the next frame. */
  draw(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.paint();
    });
  }

  /** The text beside the name. */
  protected say(...content: (Node | string)[]): void {
    this.#about.replaceChildren(...content);
  }

  /** What screen readers say. */
  protected describe(text: string): void {
    this.surface.canvas.setAttribute("aria-label", text);
  }

  protected paint(): void {
    const { width, height } = this.surface;
    if (Math.min(width, height) > 20) this.drawn(this.surface.begin());
  }

  /** Draws into the area between axes. */
  protected abstract drawn(area: Area): void;
}
