// Scales of values other than times, linear or logarithmic, and their axes.

import { short, ticks } from "./numbers.js";
import type { Area, Surface } from "./surface.js";

/** A scale; the ends of a logarithmic one are above 0. */
export interface ValueScale {
  readonly low: number;
  readonly high: number;
  readonly isLog: boolean;
}

/** The setting of a plot with a choice of scales; 0 is logarithmic. */
export function scaleSetting(of: string) {
  return { name: "scale", about: `scale of the ${of}: 0 logarithmic, 1 linear`, value: 0, least: 0, menu: () => ["logarithmic", "linear"] } as const;
}

/** Where a value is on a scale: 0 at its lower end, 1 at its upper end. */
export function partOf(value: number, { low, high, isLog }: ValueScale): number {
  return isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
}

/** The value at a part of a scale. */
export function valueAt(part: number, { low, high, isLog }: ValueScale): number {
  return isLog ? low * (high / low) ** part : low + part * (high - low);
}

/** The horizontal position of a value. */
export function toX(value: number, { left, width }: Area, scale: ValueScale): number {
  return left + partOf(value, scale) * width;
}

/** The value at a horizontal position; null outside of the area. */
export function fromX(x: number, { left, width }: Area, scale: ValueScale): number | null {
  const part = (x - left) / width;
  return part >= 0 && part <= 1 ? valueAt(part, scale) : null;
}

/** The vertical position of a value. */
export function toY(value: number, { top, height }: Area, scale: ValueScale): number {
  return top + height - partOf(value, scale) * height;
}

/** Round values on a scale, at most about `most`. */
export function ticksOf({ low, high, isLog }: ValueScale, most: number): number[] {
  if (!isLog) return ticks(low, high, most);
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(most, 1)));
  const decades = Array.from({ length: Math.max(0, Math.floor((last - first) / every) + 1) }, (_, index) => 10 ** (first + index * every));
  // A scale of few decades also shows steps within them.
  const fine = decades.length * 3 <= most ? [low / 10, ...decades].map((decade) => 10 ** Math.floor(Math.log10(decade) + 1e-9)) : [];
  const between = fine.flatMap((decade) => [2 * decade, 5 * decade]).filter((value) => value >= low && value <= high);
  return [...new Set([...decades, ...between])].sort((a, b) => a - b);
}

/** Draws a horizontal axis with its grid; the last value has the unit. */
export function drawAcross(surface: Surface, area: Area, scale: ValueScale, unit: string): void {
  const { pen, theme } = surface;
  const { size } = theme.font;
  pen.textBaseline = "alphabetic";
  pen.textAlign = "left";
  const all = ticksOf(scale, area.width / (size * 6));
  for (const at of all) {
    const x = toX(at, area, scale);
    const text = at === all.at(-1) && unit !== "" ? `${short(at, 4)} ${unit}` : short(at, 4);
    const { width } = pen.measureText(text);
    pen.fillStyle = theme.colour("muted").css;
    pen.fillText(text, Math.min(Math.max(x - width / 2, area.left), area.left + area.width - width), area.top + area.height + size * 1.4);
    grid(surface, x, area.top, 0, area.height);
  }
}

/** Draws a vertical axis on the left, with its grid. */
export function drawUp(surface: Surface, area: Area, scale: ValueScale): void {
  const { pen, theme } = surface;
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  for (const at of ticksOf(scale, Math.max(2, area.height / (theme.font.size * 2.6)))) {
    const y = toY(at, area, scale);
    pen.fillStyle = theme.colour("muted").css;
    pen.fillText(short(at, 3), area.left - 7, y, area.left - 9);
    grid(surface, area.left, y, area.width, 0);
  }
}

/** Draws a text in the middle of an empty plot. */
export function drawLack(surface: Surface, area: Area, text: string): void {
  const { pen, theme } = surface;
  pen.textBaseline = "middle";
  pen.textAlign = "center";
  pen.fillStyle = theme.colour("muted").css;
  pen.fillText(surface.shortened(text, area.width), area.left + area.width / 2, area.top + area.height / 2);
}

/** Draws a line of one device pixel behind the existing content. */
function grid({ pen, ratio, theme }: Surface, x: number, y: number, width: number, height: number): void {
  const crisp = (at: number) => Math.round(at * ratio) / ratio;
  pen.globalCompositeOperation = "destination-over";
  pen.fillStyle = theme.colour("line").css;
  pen.fillRect(crisp(x), crisp(y), Math.max(width, 1 / ratio), Math.max(height, 1 / ratio));
  pen.globalCompositeOperation = "source-over";
}
