// Arithmetic of the visible time span.

import { notAllowed } from "../errors.js";

/** A time span in ms that is shown instead of the latest data. */
export interface TimeView {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The limits of a view that is moved by hand. */
export interface ViewLimits {
  /** The shortest span, in ms. */
  readonly shortestMs: number;
  /** The end of the data, or of the window before it is full, in ms. */
  readonly endMs: number;
}

/** Fraction of the view by which a key moves it, and by which a key zooms. */
const KEY_PAN = 0.1;
const KEY_ZOOM = 1.5;

/** @throws `SpikeletError` if a view is not a time span. */
export function checkView(view: TimeView): TimeView {
  const { fromMs, toMs } = view;
  if (!Number.isFinite(fromMs) || !Number.isFinite(toMs)) throw notAllowed("view", `${fromMs} to ${toMs} ms`, "two finite times in ms");
  if (!(toMs > fromMs)) throw notAllowed("view", `${fromMs} to ${toMs} ms`, "a start before its end");
  return { fromMs, toMs };
}

/** Moves a view by a time in ms, at most to the limits; its length stays. */
export function panned({ fromMs, toMs }: TimeView, byMs: number, limits: ViewLimits): TimeView {
  const length = toMs - fromMs;
  const start = Math.min(Math.max(fromMs + byMs, 0), Math.max(limits.endMs - length, 0));
  return { fromMs: start, toMs: start + length };
}

/** Multiplies the length of a view; the time `aboutMs` stays where it is, as far as the limits allow. */
export function zoomed({ fromMs, toMs }: TimeView, factor: number, aboutMs: number, limits: ViewLimits): TimeView {
  const length = toMs - fromMs;
  const next = Math.min(Math.max(length * factor, limits.shortestMs), Math.max(limits.endMs, limits.shortestMs));
  const start = aboutMs - ((aboutMs - fromMs) / length) * next;
  return panned({ fromMs: start, toMs: start + next }, 0, limits);
}

/** The view between two times in any order, at least of the shortest length. */
export function between(oneMs: number, otherMs: number, limits: ViewLimits): TimeView {
  const [fromMs, toMs] = [Math.min(oneMs, otherMs), Math.max(oneMs, otherMs)];
  return zoomed({ fromMs, toMs: Math.max(toMs, fromMs + 1e-9) }, 1, (fromMs + toMs) / 2, limits);
}

/** The view after a key; `null` for the latest data, `undefined` if the key has no meaning. */
export function viewAfterKey(key: string, view: TimeView, aboutMs: number | null, limits: ViewLimits): TimeView | null | undefined {
  const length = view.toMs - view.fromMs;
  const about = aboutMs ?? (view.fromMs + view.toMs) / 2;
  switch (key) {
    case "ArrowLeft":
      return panned(view, -KEY_PAN * length, limits);
    case "ArrowRight":
      return panned(view, KEY_PAN * length, limits);
    case "+":
    case "=":
      return zoomed(view, 1 / KEY_ZOOM, about, limits);
    case "-":
    case "_":
      return zoomed(view, KEY_ZOOM, about, limits);
    case "Home":
      return panned(view, -Infinity, limits);
    case "End":
      return null;
    default:
      return undefined;
  }
}

/** Whether two views are the same up to rounding. */
export function isSame(one: TimeView, other: TimeView): boolean {
  const tolerance = 1e-9 * Math.max(Math.abs(one.toMs), Math.abs(other.toMs), 1);
  return Math.abs(one.fromMs - other.fromMs) <= tolerance && Math.abs(one.toMs - other.toMs) <= tolerance;
}
