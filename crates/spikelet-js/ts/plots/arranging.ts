// Plots that are dragged by their captions to another place.

/** Distance in CSS pixels from which a press is a drag. */
const DRAG = 6;

/** A plot that can be dragged. */
export interface Movable {
  readonly figure: HTMLElement;
  readonly caption: HTMLElement;
}

/** The place that a dragged plot takes: before the first plot whose middle is below and to the right of the pointer. */
export function placeAt(boxes: readonly { readonly top: number; readonly bottom: number; readonly left: number; readonly right: number }[], x: number, y: number): number {
  const place = boxes.findIndex(({ top, bottom, left, right }) => {
    const isInRow = y >= top && y < bottom && x < right;
    // In a row of two the sides count, else the height.
    const isHalf = boxes.some((other) => other.top < bottom && other.bottom > top && other.left !== left);
    return y < top || (isInRow && (isHalf ? x < (left + right) / 2 : y < (top + bottom) / 2));
  });
  return place < 0 ? boxes.length : place;
}

/**
 * Lets the user drag a plot by its caption.
 *
 * @param all All plots in their order. @param move Called with the place that the plot takes among the others.
 */
export function dragByCaption(one: Movable, all: () => readonly Movable[], move: (to: number) => void, signal: AbortSignal): void {
  const { figure, caption } = one;
  let start: { readonly x: number; readonly y: number; readonly id: number } | null = null;
  let to: number | null = null;
  const others = () => all().filter((other) => other !== one);
  const clear = () => all().forEach((other) => other.figure.classList.remove("moving", "before", "behind"));
  const end = () => {
    start = null;
    clear();
  };
  caption.addEventListener("pointerdown", (event) => {
    const isControl = (event.target as Element).closest("button, select, input, label, a, [popover]") !== null;
    // A finger scrolls; the menu moves the plot, too.
    if (isControl || event.button !== 0 || event.pointerType === "touch") return;
    start = { x: event.clientX, y: event.clientY, id: event.pointerId };
    to = null;
  }, { signal });
  caption.addEventListener("pointermove", (event) => {
    if (start === null || (to === null && Math.hypot(event.clientX - start.x, event.clientY - start.y) < DRAG)) return;
    caption.setPointerCapture(start.id);
    clear();
    figure.classList.add("moving");
    const rest = others();
    to = placeAt(rest.map((other) => other.figure.getBoundingClientRect()), event.clientX, event.clientY);
    (rest[to] ?? rest.at(-1))?.figure.classList.add(to < rest.length ? "before" : "behind");
  }, { signal });
  caption.addEventListener("pointerup", () => {
    const place = start === null ? null : to;
    end();
    if (place !== null) move(place);
  }, { signal });
  caption.addEventListener("pointercancel", end, { signal });
}
