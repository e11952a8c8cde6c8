// Gestures on a plot with an axis of time: drag, wheel, pinch, selection, clicks, and keys that do the same.

import type { TimeAxis } from "./plot.js";
import { type TimeView, type ViewLimits, between, isSame, panned, viewAfterKey, zoomed } from "./view.js";

/** Distance in CSS pixels from which a press is a drag. */
const DRAG = 4;
/** Logarithm of the zoom per pixel of a wheel, and per pixel of a pinch on a touch pad. */
const WHEEL = 0.0016;
const PINCH = 0.011;
/** The same for one event: a notch of a wheel with Control has as many pixels as a long pinch. */
const NOTCH = 0.35;
/** Pixels of a line of a wheel. */
const LINE = 16;
/** Fraction of the view by which a key moves the cursor. */
const CURSOR_STEP = 0.01;

/** What gestures act on. */
export interface GestureTarget {
  /** The axis of time of the canvas; null if it has none. */
  axis(): TimeAxis | null;
  /** The shown time span. */
  view(): TimeView;
  limits(): ViewLimits;
  /** Null for the latest data. */
  setView(view: TimeView | null): void;
  /** The position of the pointer; null if it is not over the canvas. */
  point(at: { readonly x: number; readonly y: number } | null): void;
  /** The time of the cursor, moved by keys; null if there is none. */
  cursor(): number | null;
  setCursor(timeMs: number): void;
  select(interval: readonly [number, number] | null): void;
  pin(timeMs: number): void;
  /** The last pin was half of a double click. */
  undoPin(): void;
  clearPins(): void;
}

/** Options of {@link listenToGestures}. */
export interface GestureOptions {
  readonly signal: AbortSignal;
  /** Whether a wheel zooms without a key; otherwise it scrolls the page, and zooms with Control. */
  readonly wheelZooms: boolean;
}

/** A drag since its start. */
interface Drag {
  readonly x: number;
  readonly view: TimeView;
  readonly axis: TimeAxis;
  readonly kind: "pan" | "select";
  isMoving: boolean;
}

/** Handles the gestures on a canvas. */
export function listenToGestures(canvas: HTMLCanvasElement, target: GestureTarget, { signal, wheelZooms }: GestureOptions): void {
  const fingers = new Map<number, { x: number }>();
  let drag: Drag | null = null;
  let pinch: { readonly apart: number; readonly view: TimeView; readonly timeMs: number } | null = null;
  let wasDragged = false;

  const show = (view: TimeView) => {
    // A view that cannot move stays live.
    if (!isSame(view, target.view())) target.setView(view);
  };
  const listen = <Type extends keyof HTMLElementEventMap>(type: Type, act: (event: HTMLElementEventMap[Type]) => void) =>
    canvas.addEventListener(type, act, { signal, passive: false });

  const beginPinch = (axis: TimeAxis) => {
    const [one, other] = [...fingers.values()];
    if (one === undefined || other === undefined) return;
    endDrag();
    wasDragged = true;
    pinch = { apart: Math.max(Math.abs(one.x - other.x), DRAG), view: target.view(), timeMs: timeAt((one.x + other.x) / 2, axis) };
  };
  const endDrag = () => {
    drag = null;
    canvas.style.removeProperty("cursor");
    target.select(null);
  };

  listen("pointerdown", (event) => {
    const axis = target.axis();
    if (axis === null || event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.offsetX });
    if (fingers.size === 2) return beginPinch(axis);
    wasDragged = false;
    const isOnAxis = event.offsetY > axis.area.top + axis.area.height;
    drag = { x: event.offsetX, view: target.view(), axis, kind: event.shiftKey || isOnAxis ? "select" : "pan", isMoving: false };
  });
  listen("pointermove", (event) => {
    target.point({ x: event.offsetX, y: event.offsetY });
    const finger = fingers.get(event.pointerId);
    if (finger === undefined) return;
    finger.x = event.offsetX;
    if (pinch !== null) {
      const [one, other] = [...fingers.values()];
      const axis = target.axis();
      if (axis === null || one === undefined || other === undefined) return;
      const factor = pinch.apart / Math.max(Math.abs(one.x - other.x), DRAG);
      const zoom = zoomed(pinch.view, factor, pinch.timeMs, target.limits());
      const middle = timeAt((one.x + other.x) / 2, { ...axis, span: { ...axis.span, ...zoom } });
      return show(panned(zoom, pinch.timeMs - middle, target.limits()));
    }
    if (drag === null || (!drag.isMoving && Math.abs(event.offsetX - drag.x) < DRAG)) return;
    drag.isMoving = wasDragged = true;
    const perPixel = (drag.axis.span.toMs - drag.axis.span.fromMs) / drag.axis.area.width;
    if (drag.kind === "select") return target.select(ordered(timeAt(drag.x, drag.axis), timeAt(event.offsetX, drag.axis)));
    canvas.style.setProperty("cursor", "grabbing");
    show(panned(drag.view, (drag.x - event.offsetX) * perPixel, target.limits()));
  });
  const up = (event: PointerEvent) => {
    fingers.delete(event.pointerId);
    const ended = drag;
    const isSelected = ended?.isMoving && ended.kind === "select" && event.type === "pointerup";
    endDrag();
    pinch = null;
    if (isSelected) show(between(timeAt(ended.x, ended.axis), timeAt(event.offsetX, ended.axis), target.limits()));
  };
  listen("pointerup", up);
  listen("pointercancel", up);
  listen("pointerleave", (event) => void (fingers.has(event.pointerId) || target.point(null)));

  listen("click", ({ offsetX, offsetY }) => {
    const axis = target.axis();
    if (axis === null || wasDragged || offsetY > axis.area.top + axis.area.height) return;
    target.pin(timeAt(offsetX, axis));
  });
  listen("dblclick", () => {
    if (target.axis() === null) return;
    target.undoPin();
    target.setView(null);
  });
  listen("wheel", (event) => {
    const axis = target.axis();
    if (axis === null || !(wheelZooms || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE;
    const view = target.view();
    const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (Math.abs(sideways) > 0 && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
      return show(panned(view, (sideways * unit * (view.toMs - view.fromMs)) / axis.area.width, target.limits()));
    }
    const by = event.deltaY * unit * (event.ctrlKey ? PINCH : WHEEL);
    show(zoomed(view, Math.exp(Math.min(Math.max(by, -NOTCH), NOTCH)), timeAt(event.offsetX, axis), target.limits()));
  });
  listen("keydown", (event) => {
    if (target.axis() === null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (onKey(event, target)) {
      event.preventDefault();
      event.stopPropagation();
    }
  });
}

/** Handles a key; returns whether it has a meaning. */
function onKey({ key, shiftKey }: KeyboardEvent, target: GestureTarget): boolean {
  const view = target.view();
  const middle = (view.fromMs + view.toMs) / 2;
  const cursor = target.cursor() ?? middle;
  if (shiftKey && (key === "ArrowLeft" || key === "ArrowRight")) {
    const next = cursor + (key === "ArrowLeft" ? -1 : 1) * CURSOR_STEP * (view.toMs - view.fromMs);
    target.setCursor(Math.min(Math.max(next, view.fromMs), view.toMs));
  } else if (key === "Enter") target.pin(cursor);
  else if (key === "Escape") target.clearPins();
  else {
    const next = viewAfterKey(key, view, target.cursor(), target.limits());
    if (next === undefined) return false;
    if (next === null || !isSame(next, view)) target.setView(next);
  }
  return true;
}

/** The time at a position, inside of the axis. */
function timeAt(x: number, { area, span }: TimeAxis): number {
  const part = Math.min(Math.max((x - area.left) / area.width, 0), 1);
  return span.fromMs + part * (span.toMs - span.fromMs);
}

function ordered(one: number, other: number): readonly [number, number] {
  return [Math.min(one, other), Math.max(one, other)];
}
