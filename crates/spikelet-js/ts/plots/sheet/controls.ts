// Turning a body with pointer and keys.

import { type Matrix, firstView, turned } from "./rotation.js";

/** Radians per CSS pixel of a drag, and per press of an arrow key. */
const PER_PIXEL = 0.008;
const PER_KEY = Math.PI / 24;

/** The pairs of axes in which a horizontal and a vertical drag turn: the usual three dimensions, or towards w. */
const PLANES = [
  [[0, 2], [1, 2]],
  [[0, 3], [1, 3]],
] as const;

/** The rotation after a drag, in CSS pixels; the body follows the pointer. */
export function dragged(rotation: Matrix, right: number, down: number, plane: number): Matrix {
  const [[a, b], [c, d]] = PLANES[plane] ?? PLANES[0];
  return turned(turned(rotation, a, b, -right * PER_PIXEL), c, d, down * PER_PIXEL);
}

const KEYS: Readonly<Record<string, readonly [number, number]>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** A body that is turned. */
export interface Turned {
  readonly dimensions: number;
  readonly plane: number;
  rotation: Matrix;
}

/**
 * Lets a body be turned by dragging on its canvas, with Shift towards w, and by arrow keys; double click and Home return to the first view.
 * These events are not seen by others that listen to the canvas.
 */
export function turnBy(canvas: HTMLCanvasElement, body: Turned, changed: () => void, signal: AbortSignal): void {
  const around = canvas.parentElement;
  if (!around) return;
  const options = { signal, capture: true };
  const plane = (shift: boolean) => (body.dimensions < 4 ? 0 : shift ? 1 - body.plane : body.plane);
  const turn = (right: number, down: number, shift: boolean) => {
    body.rotation = dragged(body.rotation, right, down, plane(shift));
    changed();
  };
  let at: { readonly id: number; readonly x: number; readonly y: number } | null = null;
  canvas.classList.add("turned");
  signal.addEventListener("abort", () => canvas.classList.remove("turned"));
  around.addEventListener("pointerdown", (event) => {
    if (event.target !== canvas || event.button !== 0) return;
    event.stopPropagation();
    canvas.setPointerCapture(event.pointerId);
    at = { id: event.pointerId, x: event.clientX, y: event.clientY };
  }, options);
  around.addEventListener("pointermove", (event) => {
    if (at === null || event.pointerId !== at.id) return;
    event.stopPropagation();
    turn(event.clientX - at.x, event.clientY - at.y, event.shiftKey);
    at = { id: at.id, x: event.clientX, y: event.clientY };
  }, options);
  for (const end of ["pointerup", "pointercancel"] as const) {
    around.addEventListener(end, (event) => {
      if (at === null || event.pointerId !== at.id) return;
      event.stopPropagation();
      at = null;
    }, options);
  }
  const home = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
    body.rotation = firstView(body.dimensions);
    changed();
  };
  around.addEventListener("dblclick", (event) => void (event.target === canvas && home(event)), options);
  around.addEventListener("keydown", (event) => {
    if (event.target !== canvas || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Home") return home(event);
    const way = KEYS[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    turn((way[0] * PER_KEY) / PER_PIXEL, (way[1] * PER_KEY) / PER_PIXEL, event.shiftKey);
  }, options);
  if (canvas.tabIndex < 0) canvas.tabIndex = 0;
}
