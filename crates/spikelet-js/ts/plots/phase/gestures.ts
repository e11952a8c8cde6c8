// Gestures on a phase plane: click, drag, wheel, pinch of a touch pad, double click, and keys that do the same.

import type { Area } from "../surface.js";
import { type Point, type Ranges, panned, toPoint, zoomed } from "./geometry.js";

/** Distance in CSS pixels from which a press is a drag. */
const DRAG = 5;
/** Logarithm of the zoom per pixel of a wheel. */
const WHEEL = 0.0016;
/** Zoom of a key. */
const ZOOM = 1.25;
/** Part of a range by which a key moves the cross. */
const STEP = 0.02;
/** Time in ms within which a second click is a double click. */
const DOUBLE_MS = 260;

/** What gestures act on. */
export interface PlaneTarget {
  area(): Area;
  /** Null before there is a plane. */
  ranges(): Ranges | null;
  setRanges(ranges: Ranges): void;
  fit(): void;
  /** Starts the neuron at a point. */
  start(point: Point): void;
  /** The cross of the keyboard; null hides it. */
  aim(): Point | null;
  setAim(point: Point | null): void;
}

/** Handles the gestures on a canvas. */
export function listenToPlane(canvas: HTMLCanvasElement, target: PlaneTarget, signal: AbortSignal): void {
  let drag: { x: number; y: number; ranges: Ranges; isMoving: boolean } | null = null;
  let click: ReturnType<typeof setTimeout> | undefined;
  const listen = <Type extends keyof HTMLElementEventMap>(type: Type, act: (event: HTMLElementEventMap[Type]) => void) =>
    canvas.addEventListener(type, act, { signal, passive: false });
  signal.addEventListener("abort", () => clearTimeout(click));

  listen("pointerdown", ({ button, pointerId, offsetX: x, offsetY: y }) => {
    const ranges = target.ranges();
    if (button !== 0 || ranges === null) return;
    canvas.setPointerCapture(pointerId);
    drag = { x, y, ranges, isMoving: false };
  });
  listen("pointermove", ({ offsetX: x, offsetY: y }) => {
    if (drag === null || (!drag.isMoving && Math.hypot(x - drag.x, y - drag.y) < DRAG)) return;
    drag.isMoving = true;
    canvas.style.setProperty("cursor", "grabbing");
    const { width, height } = target.area();
    target.setRanges({ x: panned(drag.ranges.x, (drag.x - x) / width), y: panned(drag.ranges.y, (y - drag.y) / height) });
  });
  const end = (): boolean => {
    const wasDragged = drag?.isMoving ?? true;
    drag = null;
    canvas.style.removeProperty("cursor");
    return wasDragged;
  };
  listen("pointercancel", () => void end());
  listen("pointerup", ({ offsetX, offsetY }) => {
    const ranges = target.ranges();
    if (end() || ranges === null) return;
    const point = toPoint(offsetX, offsetY, target.area(), ranges);
    clearTimeout(click);
    // The first click of a double click does not start the neuron.
    if (point !== null) click = setTimeout(() => target.start(point), DOUBLE_MS);
  });
  listen("dblclick", () => {
    clearTimeout(click);
    target.fit();
  });
  listen("wheel", (event) => {
    const ranges = target.ranges();
    // Otherwise it scrolls the page.
    if (ranges === null || !(event.ctrlKey || event.metaKey || canvas.matches(":focus"))) return;
    event.preventDefault();
    const { left, top, width, height } = target.area();
    const factor = Math.exp(event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 16) * WHEEL);
    target.setRanges(zoom(ranges, factor, (event.offsetX - left) / width, 1 - (event.offsetY - top) / height));
  });
  listen("blur", () => target.setAim(null));
  listen("keydown", (event) => {
    const ranges = target.ranges();
    if (ranges === null || event.ctrlKey || event.metaKey || event.altKey || !onKey(event, ranges, target)) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** Handles a key; returns whether it has a meaning. */
function onKey({ key, shiftKey }: KeyboardEvent, ranges: Ranges, target: PlaneTarget): boolean {
  const middle = { x: (ranges.x[0] + ranges.x[1]) / 2, y: (ranges.y[0] + ranges.y[1]) / 2 };
  const aim = target.aim() ?? middle;
  const across = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
  const up = { ArrowDown: -1, ArrowUp: 1 }[key] ?? 0;
  if (across !== 0 || up !== 0) {
    if (shiftKey) target.setRanges({ x: panned(ranges.x, across * 0.1), y: panned(ranges.y, up * 0.1) });
    else {
      const step = ([low, high]: readonly [number, number], by: number) => by * STEP * (high - low);
      target.setAim({ x: held(aim.x + step(ranges.x, across), ranges.x), y: held(aim.y + step(ranges.y, up), ranges.y) });
    }
  } else if (key === "+" || key === "=") target.setRanges(zoom(ranges, 1 / ZOOM, 0.5, 0.5));
  else if (key === "-") target.setRanges(zoom(ranges, ZOOM, 0.5, 0.5));
  else if (key === "0" || key === "Home") target.fit();
  else if (key === "Enter" && target.aim() !== null) target.start(aim);
  else if (key === "Escape" && target.aim() !== null) target.setAim(null);
  else return false;
  return true;
}

function zoom({ x, y }: Ranges, factor: number, across: number, up: number): Ranges {
  return { x: zoomed(x, across, factor), y: zoomed(y, up, factor) };
}

function held(value: number, [low, high]: readonly [number, number]): number {
  return Math.min(Math.max(value, low), high);
}
