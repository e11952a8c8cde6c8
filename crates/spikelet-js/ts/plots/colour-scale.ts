// The scale of a colour map.

import { quantity, short, ticks } from "./numbers.js";
import { type Rgb, cssOf } from "./sheet/colours.js";
import type { Area, Surface } from "./surface.js";

/** Width of the bar, and its distance from the picture, in CSS pixels. */
const BAR = 10;
const GAP = 14;

/** Width of a scale, in CSS pixels. */
export function scaleWidth(surface: Surface): number {
  return GAP + BAR + Math.round(surface.theme.font.size * 4.6);
}

/** Draws the scale of a colour map on the right of an area: the colours, with values and the unit. */
export function drawScale(surface: Surface, beside: Area, colours: readonly Rgb[], [low, high]: readonly [number, number], unit: string): void {
  const { pen, theme } = surface;
  const { size } = theme.font;
  const left = beside.left + beside.width + GAP;
  const [top, height] = [beside.top + size * 0.5, Math.max(1, beside.height - size)];
  const rows = Math.max(1, Math.round(height));
  for (let row = 0; row < rows; row += 1) {
    pen.fillStyle = cssOf(colours[Math.round((1 - row / Math.max(rows - 1, 1)) * (colours.length - 1))]!);
    pen.fillRect(left, top + (row / rows) * height, BAR, height / rows + 0.5);
  }
  pen.fillStyle = theme.colour("muted").css;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  const all = ticks(low, high, Math.max(2, height / (size * 2.6)));
  all.forEach((at, place) => {
    const y = top + height - ((at - low) / (high - low)) * height;
    pen.fillText(place === all.length - 1 ? quantity(at, unit, 4) : short(at, 4), left + BAR + 5, y);
  });
}
