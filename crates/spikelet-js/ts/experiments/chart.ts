// A figure of experiments: a canvas with points that are reached by pointer and keyboard, and that is saved as a picture.

import { h, say } from "../plots/dom.js";
import type { LegendEntry } from "../plots/frame.js";
import { type ValueScale, drawAcross } from "../plots/scale.js";
import { type Area, Surface } from "../plots/surface.js";
import type { Theme } from "../plots/theme.js";

/** A chart. */
export abstract class Chart {
  readonly element: HTMLElement;
  readonly surface: Surface;
  readonly #title = h("b");
  readonly #about = h("span", { class: "about" });
  readonly #under = h("output", { class: "under-chart", part: "value" });
  #isDue = false;
  #selected: number | null = null;
  #isPicture = false;
  #described = "";

  /** @param part Its part of the element. @param act Called for the point that is clicked, or on which Enter is pressed. */
  constructor(theme: Theme, end: AbortSignal, part: string, act?: (point: number) => void) {
    this.surface = new Surface(theme);
    const { canvas } = this.surface;
    this.element = h("figure", { class: part, part }, h("figcaption", {}, this.#title, this.#about), canvas, this.#under);
    const observer = new ResizeObserver((entries) => {
      this.surface.resize(entries.at(-1)!);
      this.draw();
    });
    observer.observe(canvas);
    end.addEventListener("abort", () => observer.disconnect());
    canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => this.#select(this.nearest(offsetX, offsetY, this.surface.area)));
    canvas.addEventListener("pointerleave", () => this.#select(null));
    canvas.addEventListener("click", ({ offsetX, offsetY }) => {
      const point = this.nearest(offsetX, offsetY, this.surface.area);
      if (point !== null) act?.(point);
    });
    canvas.addEventListener("keydown", (event) => {
      const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (by) this.#select(this.moved(this.#selected, by[0]!, by[1]!));
      else if (event.key === "Enter" && this.#selected !== null) act?.(this.#selected);
      else if (event.key === "Escape" && this.#selected !== null) this.#select(null);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** Whether there is something to show. */
  set isEmpty(isEmpty: boolean) {
    this.element.hidden = isEmpty;
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

  /** For saved pictures. */
  get words(): { readonly title: string; readonly about: string; readonly legend: readonly LegendEntry[] } {
    return { title: this.#title.textContent ?? "", about: this.#about.textContent ?? "", legend: this.legend };
  }

  /** The text alternative. */
  get description(): string {
    return this.#described;
  }

  /** Draws without the marked point, for a picture. */
  drawPicture(): void {
    this.#isPicture = true;
    try {
      this.paint();
    } finally {
      this.#isPicture = false;
    }
  }

  /** The point that is marked; none in saved pictures. */
  protected get marked(): number | null {
    return this.#isPicture ? null : this.#selected;
  }

  protected get legend(): readonly LegendEntry[] {
    return [];
  }

  protected caption(title: string, about: string, description: string): void {
    say(this.#title, title);
    say(this.#about, about);
    this.#described = description;
    this.surface.canvas.setAttribute("aria-label", description);
  }

  /** Forgets the marked point, because the points are others. */
  protected forget(): void {
    this.#select(null);
  }

  protected paint(): void {
    const { width, height } = this.surface;
    if (Math.min(width, height) > 40) this.drawn(this.surface.begin());
  }

  /** Draws a title of the horizontal axis within its last line. */
  protected across(area: Area, scale: ValueScale, unit: string): void {
    drawAcross(this.surface, area, scale, unit);
  }

  protected abstract drawn(area: Area): void;
  /** The point at a position. */
  protected abstract nearest(x: number, y: number, area: Area): number | null;
  /** The next point in a direction; the first one if none is marked. */
  protected abstract moved(from: number | null, right: number, up: number): number | null;
  /** The values of a point as text. */
  protected abstract text(point: number): string;

  #select(point: number | null): void {
    if (point === this.#selected) return;
    this.#selected = point;
    say(this.#under, point === null ? "" : this.text(point));
    this.draw();
  }
}
