// The visible time span on the time axis of the whole run, as numbers in ms.

import type { TimeView } from "../plots/view.js";

/** The part of a span by which keys move it, and by which they zoom. */
const MOVE = 0.1;
const ZOOM = 1.5;

/** The time at a part of the width, from 0 to 1. */
export function timeAt(part: number, whole: TimeView): number {
  return whole.fromMs + Math.min(Math.max(part, 0), 1) * (whole.toMs - whole.fromMs);
}

/** The part of the width at a time. */
export function partAt(timeMs: number, whole: TimeView): number {
  return (timeMs - whole.fromMs) / Math.max(whole.toMs - whole.fromMs, 1e-9);
}

/** A view of the same length that is moved, as far as the run reaches. */
export function moved({ fromMs, toMs }: TimeView, byMs: number, whole: TimeView): TimeView {
  const length = Math.min(toMs - fromMs, whole.toMs - whole.fromMs);
  const from = Math.min(Math.max(fromMs + byMs, whole.fromMs), whole.toMs - length);
  return { fromMs: from, toMs: from + length };
}

/** A view of the same length around a time, as far as the run reaches. */
export function centred(view: TimeView, timeMs: number, whole: TimeView): TimeView {
  return moved(view, timeMs - (view.fromMs + view.toMs) / 2, whole);
}

/** A view of another length around the same centre: `factor` times as long, at least `leastMs`. */
export function zoomed({ fromMs, toMs }: TimeView, factor: number, whole: TimeView, leastMs: number): TimeView {
  const length = Math.min(Math.max((toMs - fromMs) * factor, leastMs), Math.max(whole.toMs - whole.fromMs, leastMs));
  const centre = (fromMs + toMs) / 2;
  return moved({ fromMs: centre - length / 2, toMs: centre + length / 2 }, 0, whole);
}

/** A view whose start or end is moved to a time; it stays at least `leastMs` long and inside of the run. */
export function resized({ fromMs, toMs }: TimeView, edge: "from" | "to", timeMs: number, whole: TimeView, leastMs: number): TimeView {
  return edge === "from"
    ? { fromMs: Math.max(whole.fromMs, Math.min(timeMs, toMs - leastMs)), toMs }
    : { fromMs, toMs: Math.min(whole.toMs, Math.max(timeMs, fromMs + leastMs)) };
}

/** The view after a key; null: live; undefined: the key has another use. */
export function byKey(key: string, isLarge: boolean, view: TimeView, whole: TimeView, leastMs: number): TimeView | null | undefined {
  const step = (view.toMs - view.fromMs) * (isLarge ? 5 * MOVE : MOVE);
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return moved(view, -step, whole);
    case "ArrowRight":
    case "ArrowUp":
      return moved(view, step, whole);
    case "PageUp":
      return moved(view, view.toMs - view.fromMs, whole);
    case "PageDown":
      return moved(view, view.fromMs - view.toMs, whole);
    case "Home":
      return moved(view, -Infinity, whole);
    case "End":
      return moved(view, Infinity, whole);
    case "+":
    case "=":
      return zoomed(view, 1 / ZOOM, whole, leastMs);
    case "-":
    case "_":
      return zoomed(view, ZOOM, whole, leastMs);
    case "l":
    case "L":
      return null;
    default:
      return undefined;
  }
}

/** A time for people, with as many decimals as the length of the view needs: `2.35 s`. */
export function timeText(timeMs: number, lengthMs: number): string {
  if (Math.abs(timeMs) < 1000 && lengthMs < 1000) return `${timeMs.toFixed(lengthMs < 20 ? 1 : 0)} ms`;
  const decimals = lengthMs < 20 ? 4 : lengthMs < 2000 ? 3 : lengthMs < 20_000 ? 2 : 1;
  return `${(timeMs / 1000).toFixed(decimals)} s`;
}

/** Marks of one place: neighbours within `least` of the width are one, so that each can be pressed. */
export function clusters<Item>(items: readonly Item[], partOf: (item: Item) => number, least: number): { part: number; items: Item[] }[] {
  const found: { part: number; items: Item[] }[] = [];
  for (const item of items) {
    const part = partOf(item);
    const last = found.at(-1);
    if (last && part - last.part < least) last.items.push(item);
    else found.push({ part, items: [item] });
  }
  return found;
}
