// The cursor of all plots: a line at the time of the pointer, up to two pinned times, and an interval that is being selected.

import { h } from "./dom.js";
import { quantity, time } from "./numbers.js";
import type { TimeAxis } from "./plot.js";
import { timeToX } from "./surface.js";
import type { Theme } from "./theme.js";

/** The times of the cursor, in ms. */
export class Cursor {
  /** The time of the pointer, or of the cursor that keys move. */
  timeMs: number | null = null;
  /** The interval that is being selected. */
  brush: readonly [number, number] | null = null;
  #pins: readonly number[] = [];
  #before: readonly number[] = [];

  /** Up to two pinned times, in the order in which they were pinned. */
  get pins(): readonly number[] {
    return this.#pins;
  }

  /** The time whose values are shown. */
  get shownMs(): number | null {
    return this.timeMs ?? this.#pins.at(-1) ?? null;
  }

  /** Pins a time; a third one begins again. */
  pin(timeMs: number): void {
    this.#before = this.#pins;
    this.#pins = this.#pins.length < 2 ? [...this.#pins, timeMs] : [timeMs];
  }

  /** The clicks of a double click pin nothing. */
  undoPin(): void {
    this.#pins = this.#before;
  }

  clear(): void {
    this.#pins = this.#before = [];
  }

  /** The pinned times, and the interval between them with its frequency: `Δt 25 ms, 40 Hz`. */
  words(): string {
    const [one, other] = this.#pins;
    if (one === undefined) return "";
    if (other === undefined) return `pinned at ${time(one)} ms`;
    const apart = Math.abs(other - one);
    const frequency = apart > 0 ? `, 1/Δt ${quantity(1000 / apart, "Hz")}` : "";
    return `${time(Math.min(one, other))} to ${time(Math.max(one, other))} ms: Δt ${quantity(apart, "ms", 4)}${frequency}`;
  }
}

/** The lines of the cursor over a canvas. They are elements, so that nothing is drawn again when the pointer moves. */
export class Overlay {
  readonly element: HTMLElement;
  readonly #hair: HTMLElement;
  readonly #pins: readonly HTMLElement[];
  readonly #brush: HTMLElement;

  constructor(theme: Theme) {
    const line = (name: string) => styled(theme.coloured(h("i", { class: name }), "ink"), { width: "1px", background: "currentColor" });
    this.#hair = styled(line("hair"), { opacity: "0.45" });
    this.#pins = [styled(line("pin"), { opacity: "0.9" }), styled(line("pin"), { opacity: "0.9" })];
    this.#brush = styled(theme.coloured(h("i", { class: "brush" }), "ink"), { background: "currentColor", opacity: "0.12" });
    this.element = styled(h("div", { class: "cursor", "aria-hidden": "true" }, this.#brush, this.#hair, ...this.#pins), {
      inset: "0", overflow: "hidden", "pointer-events": "none",
    });
    for (const part of this.element.children) (part as HTMLElement).hidden = true;
  }

  /** Shows the cursor on an axis; null hides it. */
  show(axis: TimeAxis | null, { timeMs, pins, brush }: Cursor): void {
    this.#place(this.#hair, axis, timeMs, timeMs);
    this.#pins.forEach((line, place) => this.#place(line, axis, pins[place] ?? null, pins[place] ?? null));
    this.#place(this.#brush, axis, brush?.[0] ?? null, brush?.[1] ?? null);
  }

  #place(part: HTMLElement, axis: TimeAxis | null, fromMs: number | null, toMs: number | null): void {
    const isSeen = axis !== null && fromMs !== null && toMs !== null && (fromMs === toMs ? inside(fromMs, axis) : fromMs < axis.span.toMs && toMs > axis.span.fromMs);
    part.hidden = !isSeen;
    if (!isSeen) return;
    const { area, span } = axis;
    const left = Math.max(timeToX(fromMs, area, span), area.left);
    styled(part, { transform: `translateX(${left}px)`, top: `${area.top}px`, height: `${area.height}px` });
    if (fromMs !== toMs) styled(part, { width: `${Math.min(timeToX(toMs, area, span), area.left + area.width) - left}px` });
  }
}

function inside(timeMs: number, { span }: TimeAxis): boolean {
  return timeMs >= span.fromMs && timeMs <= span.toMs;
}

/** Sets styles of an element that lies over a canvas. */
function styled(element: HTMLElement, styles: Readonly<Record<string, string>>): HTMLElement {
  for (const [name, value] of Object.entries({ position: "absolute", left: "0", ...styles })) element.style.setProperty(name, value);
  return element;
}
