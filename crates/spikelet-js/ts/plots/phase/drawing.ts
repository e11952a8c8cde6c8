// Draws a phase plane on the canvas of a plot.

import type { FixedPoint, PlaneLines, PhasePlane } from "../../raw.js";
import { type Area, type Surface, valueToY } from "../surface.js";
import type { Use } from "../theme.js";
import { type Point, type Ranges, arrowsOf, linesOf, toPixels } from "./geometry.js";
import { rateOf, rateUnitOf } from "./words.js";

/** Radius of a fixed point, in CSS pixels. */
const RADIUS = 5.5;

/** A kind of line: its colour, and its dashes as an index into `DASHES`. */
interface Style {
  readonly use: Use;
  readonly dash: number;
}

/** The lines by their names in the legend. */
export const STYLES = {
  x: { use: "excitatory", dash: 0 },
  y: { use: "inhibitory", dash: 0 },
  threshold: { use: "muted", dash: 1 },
  reset: { use: "weights", dash: 0 },
  path: { use: "ink", dash: 0 },
} as const satisfies Record<string, Style>;

/** What is drawn on top of the plane. */
export interface Overlay {
  /** Calls `to` for the points of the trajectory; `true` begins a new line. */
  readonly path: (to: (point: Point, isNew: boolean) => void) => void;
  readonly now: Point | null;
  /** The point chosen by keyboard. */
  readonly aim: Point | null;
}

/** Draws the plane, and what is on top of it. */
export function drawPlane(surface: Surface, plane: PhasePlane, ranges: Ranges, overlay: Overlay): void {
  const area = surface.begin();
  const { pen } = surface;
  const place = (point: Point) => toPixels(point, area, ranges);
  surface.within(area, () => {
    if (plane.y === null) drawRate(surface, plane, area, ranges);
    else drawField(surface, plane, area, ranges);
    pen.lineJoin = pen.lineCap = "round";
    drawJumps(surface, plane.jumps, place);
    strokes(surface, plane.threshold, STYLES.threshold, 1.5, place, area, plane.y === null);
    strokes(surface, plane.reset, STYLES.reset, 2.5, place, area, plane.y === null);
    strokes(surface, plane.xNullcline, STYLES.x, 2, place, area, false);
    strokes(surface, plane.yNullcline, STYLES.y, 2, place, area, false);
    drawPath(surface, overlay, place);
    for (const point of plane.fixedPoints) drawFixedPoint(surface, point, place(point));
    if (overlay.now !== null) drawNow(surface, place(overlay.now));
    if (overlay.aim !== null) drawAim(surface, area, place(overlay.aim));
  });
  surface.widthAxis(area, ranges.x);
  surface.valueAxis(area, ranges.y);
  const unit = (of: string) => (of === "" ? "" : ` (${of})`);
  const upwards = plane.y === null ? `${rateOf(plane.x.symbol, plane)} (${rateUnitOf(plane.x.unit, plane)})` : plane.y.symbol + unit(plane.y.unit);
  surface.name(upwards, area, surface.theme.colour("muted").css);
  nameOfX(surface, area, plane.x.symbol + unit(plane.x.unit));
}

function nameOfX({ pen, theme }: Surface, { left, top, width, height }: Area, text: string): void {
  pen.save();
  pen.font = `600 ${theme.font.css}`;
  pen.textAlign = "right";
  pen.textBaseline = "bottom";
  const across = pen.measureText(text).width;
  pen.globalAlpha = 0.8;
  pen.fillStyle = theme.colour("background").css;
  pen.fillRect(left + width - across - 8, top + height - theme.font.size * 1.5, across + 8, theme.font.size * 1.5);
  pen.globalAlpha = 1;
  pen.fillStyle = theme.colour("muted").css;
  pen.fillText(text, left + width - 4, top + height - 2);
  pen.restore();
}

function drawField({ pen, theme }: Surface, plane: PhasePlane, area: Area, ranges: Ranges): void {
  pen.strokeStyle = pen.fillStyle = theme.colour("muted").css;
  pen.globalAlpha = 0.55;
  pen.lineWidth = 1;
  pen.beginPath();
  for (const { x, y, dx, dy } of arrowsOf(plane, area, ranges)) {
    const [tipX, tipY] = [x + dx / 2, y + dy / 2];
    const length = Math.hypot(dx, dy);
    const head = Math.min(4, length / 2);
    const [ux, uy] = [(dx / length) * head, (dy / length) * head];
    pen.moveTo(x - dx / 2, y - dy / 2);
    pen.lineTo(tipX, tipY);
    pen.moveTo(tipX - ux - uy / 2, tipY - uy + ux / 2);
    pen.lineTo(tipX, tipY);
    pen.lineTo(tipX - ux + uy / 2, tipY - uy - ux / 2);
  }
  pen.stroke();
  pen.globalAlpha = 1;
}

/** The rate of a phase line over its variable, with arrows along the zero line. */
function drawRate(surface: Surface, plane: PhasePlane, area: Area, ranges: Ranges): void {
  const { pen, theme } = surface;
  const [from, to] = plane.x.range;
  const count = plane.xRates.length;
  const zero = valueToY(0, area, ranges.y);
  pen.strokeStyle = theme.colour("muted").css;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(area.left, zero);
  pen.lineTo(area.left + area.width, zero);
  const arrows = Math.max(2, Math.round(area.width / 48));
  for (let arrow = 0; arrow < arrows; arrow += 1) {
    const value = ranges.x[0] + ((arrow + 0.5) / arrows) * (ranges.x[1] - ranges.x[0]);
    const rate = plane.xRates[Math.round(((value - from) / (to - from)) * (count - 1))];
    if (rate === undefined || !(rate !== 0)) continue;
    const { x } = toPixels({ x: value, y: 0 }, area, ranges);
    const tip = x + Math.sign(rate) * 5;
    pen.moveTo(tip - Math.sign(rate) * 6, zero - 4);
    pen.lineTo(tip, zero);
    pen.lineTo(tip - Math.sign(rate) * 6, zero + 4);
  }
  pen.stroke();
  pen.strokeStyle = theme.colour(STYLES.x.use).css;
  pen.lineWidth = 2;
  pen.beginPath();
  plane.xRates.forEach((rate, at) => {
    const { x, y } = toPixels({ x: from + (at / (count - 1)) * (to - from), y: rate }, area, ranges);
    if (Number.isFinite(y)) pen.lineTo(x, y);
  });
  pen.stroke();
}

/** Draws lines; single points, as on a phase line, become vertical lines. */
function strokes(surface: Surface, lines: PlaneLines, { use, dash }: Style, width: number, place: (point: Point) => Point, area: Area, isUpright: boolean): void {
  const { pen, theme } = surface;
  pen.strokeStyle = pen.fillStyle = theme.colour(use).css;
  pen.lineWidth = width;
  pen.setLineDash(dash === 0 ? [] : [6, 4]);
  pen.beginPath();
  for (const line of linesOf(lines)) {
    const pixels = line.map(place);
    const [first] = pixels;
    if (first === undefined) continue;
    if (isUpright) {
      pen.moveTo(first.x, area.top);
      pen.lineTo(first.x, area.top + area.height);
    } else if (pixels.length === 1) {
      pen.fillRect(first.x - 4, first.y - 4, 8, 8);
    } else {
      pixels.forEach(({ x, y }, at) => (at === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)));
    }
  }
  pen.stroke();
  pen.setLineDash([]);
}

/** Thin arcs with a head from the threshold to the reset. */
function drawJumps({ pen, theme }: Surface, jumps: PlaneLines, place: (point: Point) => Point): void {
  pen.strokeStyle = pen.fillStyle = theme.colour(STYLES.reset.use).css;
  pen.lineWidth = 1;
  pen.globalAlpha = 0.6;
  for (const line of linesOf(jumps)) {
    const [from, to] = line.map(place);
    if (from === undefined || to === undefined) continue;
    pen.setLineDash([2, 4]);
    pen.beginPath();
    pen.moveTo(from.x, from.y);
    pen.lineTo(to.x, to.y);
    pen.stroke();
    pen.setLineDash([]);
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const [ux, uy] = [((to.x - from.x) / length) * 7, ((to.y - from.y) / length) * 7];
    pen.beginPath();
    pen.moveTo(to.x, to.y);
    pen.lineTo(to.x - ux - uy / 2, to.y - uy + ux / 2);
    pen.lineTo(to.x - ux + uy / 2, to.y - uy - ux / 2);
    pen.fill();
  }
  pen.globalAlpha = 1;
}

function drawPath({ pen, theme }: Surface, { path }: Overlay, place: (point: Point) => Point): void {
  pen.strokeStyle = theme.colour(STYLES.path.use).css;
  pen.lineWidth = 1.25;
  pen.globalAlpha = 0.75;
  pen.beginPath();
  path((point, isNew) => {
    const { x, y } = place(point);
    if (isNew) pen.moveTo(x, y);
    else pen.lineTo(x, y);
  });
  pen.stroke();
  pen.globalAlpha = 1;
}

/** Stable points are filled, unstable ones hollow; a saddle is half of each, a degenerate point a diamond. */
function drawFixedPoint({ pen, theme }: Surface, { kind }: FixedPoint, { x, y }: Point): void {
  const isStable = kind === "stableNode" || kind === "stableFocus";
  pen.strokeStyle = theme.colour("ink").css;
  pen.lineWidth = 2;
  pen.beginPath();
  if (kind === "degenerate") {
    [[x, y - RADIUS - 1], [x + RADIUS + 1, y], [x, y + RADIUS + 1], [x - RADIUS - 1, y]].forEach(([px, py]) => pen.lineTo(px!, py!));
    pen.closePath();
  } else {
    pen.arc(x, y, RADIUS, 0, 2 * Math.PI);
  }
  pen.fillStyle = theme.colour(isStable ? "ink" : "background").css;
  pen.fill();
  pen.stroke();
  if (kind !== "saddle") return;
  pen.beginPath();
  pen.arc(x, y, RADIUS, Math.PI / 2, 1.5 * Math.PI);
  pen.fillStyle = theme.colour("ink").css;
  pen.fill();
}

/** The current point: a ring in the background colour keeps it visible on lines. */
function drawNow({ pen, theme }: Surface, { x, y }: Point): void {
  pen.beginPath();
  pen.arc(x, y, 4.5, 0, 2 * Math.PI);
  pen.fillStyle = theme.colour("other-4").css;
  pen.strokeStyle = theme.colour("background").css;
  pen.lineWidth = 2;
  pen.stroke();
  pen.fill();
}

function drawAim({ pen, theme, ratio }: Surface, { left, top, width, height }: Area, { x, y }: Point): void {
  pen.fillStyle = theme.colour("ink").css;
  pen.globalAlpha = 0.6;
  pen.fillRect(x, top, 1 / ratio, height);
  pen.fillRect(left, y, width, 1 / ratio);
  pen.globalAlpha = 1;
}
