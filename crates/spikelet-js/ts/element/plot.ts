import { h, icon } from "./dom.js";
import type { Span, Surface } from "./surface.js";
import { DASHES, marksOf } from "./theme.js";
import type { RateWindow, SpikeWindow, TraceWindow } from "./windows.js";

/** The past that plots show. */
export interface Past {
  readonly spikes: SpikeWindow;
  readonly rates: RateWindow;
  readonly traces: TraceWindow;
}

/** A plot in its figure. */
export interface Plot {
  readonly figure: HTMLElement;
  readonly surface: Surface;
  draw(past: Past, span: Span): void;
  /** What it shows now, in words. */
  describe(past: Past, span: Span): string;
}

/** A figure: its title and what belongs to it, a remark that may come later, a legend, and the canvas. */
export function figure(kind: string, title: string, about: string, surface: Surface, legend: readonly Node[]): { figure: HTMLElement; remark: HTMLElement } {
  const remark = h("span", { class: "remark" });
  const caption = h("figcaption", { part: "caption" }, h("b", {}, title), h("span", {}, about), remark, h("span", { class: "legend" }, ...legend));
  return { figure: h("figure", { part: `plot ${kind}`, class: kind }, caption, surface.canvas), remark };
}

/** Names with their marks. */
export function legendOf(populations: readonly { readonly name: string }[]): Node[] {
  return marksOf(populations).map(({ use, dash }, place) => {
    const swatch = icon("M0 8h16");
    swatch.classList.add("swatch");
    swatch.dataset["use"] = use;
    swatch.style.strokeDasharray = DASHES[dash]!.join(" ");
    return h("span", {}, swatch, populations[place]!.name);
  });
}

/** The time that is shown, in words. */
export function between({ fromMs, nowMs }: Span, words: (ms: number) => string): string {
  return `from ${words(Math.max(0, fromMs))} to ${words(nowMs)} ms`;
}
