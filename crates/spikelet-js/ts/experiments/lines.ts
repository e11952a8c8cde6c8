// Curves: a value against a parameter, with a band of one standard deviation.

import type { LegendEntry } from "../plots/frame.js";
import { quantity } from "../plots/numbers.js";
import { type ValueScale, drawLack, drawUp, toX, toY } from "../plots/scale.js";
import type { Area } from "../plots/surface.js";
import { DASHES, type Use } from "../plots/theme.js";
import { Chart } from "./chart.js";

/** A point of a curve; `y` is NaN where it is not known. */
export interface LinePoint {
  readonly x: number;
  readonly y: number;
  /** Half of the width of the band. */
  readonly sd: number;
  /** Text added to its value. */
  readonly note?: string;
}

/** A curve. */
export interface ChartLine {
  readonly name: string;
  readonly use: Use;
  readonly dash: number;
  /** In the order of x. */
  readonly points: readonly LinePoint[];
  /** Whether single points are marked. */
  readonly hasDots: boolean;
}

/** What a chart of curves shows. */
export interface LinesContent {
  readonly title: string;
  readonly about: string;
  readonly x: { readonly name: string; readonly unit: string; readonly isLog: boolean; readonly range: readonly [number, number] };
  readonly y: { readonly name: string; readonly unit: string };
  /** Points are reached on the first one. */
  readonly lines: readonly ChartLine[];
  /** A dashed vertical line. */
  readonly mark: { readonly x: number; readonly text: string } | null;
}

/** The chart. */
export class Lines extends Chart {
  #content: LinesContent | null = null;

  /** Shows curves. */
  show(content: LinesContent): void {
    const isOther = this.#content?.title !== content.title || this.#content.lines[0]?.points.length !== content.lines[0]?.points.length;
    this.#content = content;
    this.isEmpty = false;
    if (isOther) this.forget();
    const known = content.lines[0]?.points.filter(({ y }) => !Number.isNaN(y)) ?? [];
    const said = known.length === 0 ? "no value yet" : `${known.length} values from ${this.#value(Math.min(...known.map(({ y }) => y)))} to ${this.#value(Math.max(...known.map(({ y }) => y)))}`;
    this.caption(content.title, content.about, `${content.title}: ${said}; arrow keys read single values`);
    this.draw();
  }

  protected override get legend(): readonly LegendEntry[] {
    const lines = this.#content?.lines ?? [];
    return lines.length > 1 ? lines.map(({ name, use, dash }) => ({ name, use, dash })) : [];
  }

  protected override drawn(whole: Area): void {
    const content = this.#content;
    if (!content) return;
    const { surface } = this;
    const { pen, theme } = surface;
    const { size } = theme.font;
    // The names of both axes.
    const area = { ...whole, top: whole.top + size * 1.6, height: whole.height - size * 3 };
    pen.fillStyle = theme.colour("muted").css;
    pen.textBaseline = "alphabetic";
    pen.textAlign = "left";
    const named = (name: string, unit: string) => (unit === "" ? name : `${name} (${unit})`);
    pen.fillText(surface.shortened(named(content.y.name, content.y.unit), whole.width), 2, whole.top + size);
    pen.textAlign = "center";
    pen.fillText(surface.shortened(named(content.x.name, content.x.unit), whole.width), area.left + area.width / 2, area.top + area.height + size * 2.8);
    const ends = content.lines.flatMap(({ points }) => points.filter(({ y }) => Number.isFinite(y)).flatMap(({ y, sd }) => [y - (sd || 0), y + (sd || 0)]));
    if (ends.length === 0) return drawLack(surface, area, "no value yet");
    const [least, most] = [Math.min(...ends), Math.max(...ends)];
    // Values of one sign are shown with 0, unless they vary little.
    const room = 0.06 * (most - least || Math.abs(most) || 1);
    const low = least >= 0 && least < 0.5 * most + room ? 0 : least - room;
    const y: ValueScale = { low, high: most + room, isLog: false };
    const x = this.#x;
    drawUp(surface, area, y);
    this.across(area, x, "");
    surface.within(area, () => {
      for (const line of content.lines) this.#draw(line, area, x, y);
      if (content.mark) this.#drawMark(content.mark, area, x);
    });
    const point = this.marked === null ? undefined : content.lines[0]?.points[this.marked];
    if (!point || Number.isNaN(point.y)) return;
    pen.strokeStyle = theme.colour("ink").css;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.arc(toX(point.x, area, x), toY(point.y, area, y), 6, 0, 2 * Math.PI);
    pen.stroke();
  }

  #draw({ points, use, dash, hasDots }: ChartLine, area: Area, x: ValueScale, y: ValueScale): void {
    const { pen, theme } = this.surface;
    pen.strokeStyle = pen.fillStyle = theme.colour(use).css;
    // A curve is drawn through neighbours that are known.
    const known: LinePoint[][] = [[]];
    for (const point of points) {
      if (Number.isNaN(point.y)) known.push([]);
      else known.at(-1)!.push(point);
    }
    for (const run of known) {
      if (run.some(({ sd }) => sd > 0)) {
        pen.globalAlpha = 0.2;
        pen.beginPath();
        for (const { x: at, y: value, sd } of run) pen.lineTo(toX(at, area, x), toY(value + sd, area, y));
        for (const { x: at, y: value, sd } of run.toReversed()) pen.lineTo(toX(at, area, x), toY(value - sd, area, y));
        pen.closePath();
        pen.fill();
        pen.globalAlpha = 1;
      }
      pen.lineWidth = 2;
      pen.setLineDash([...DASHES[dash]!]);
      pen.beginPath();
      for (const { x: at, y: value } of run) pen.lineTo(toX(at, area, x), toY(value, area, y));
      pen.stroke();
      pen.setLineDash([]);
      if (!hasDots) continue;
      for (const { x: at, y: value } of run) {
        pen.beginPath();
        pen.arc(toX(at, area, x), toY(value, area, y), 3, 0, 2 * Math.PI);
        pen.fill();
      }
    }
  }

  #drawMark({ x, text }: { readonly x: number; readonly text: string }, area: Area, scale: ValueScale): void {
    const { pen, theme } = this.surface;
    const at = toX(x, area, scale);
    pen.strokeStyle = pen.fillStyle = theme.colour("muted").css;
    pen.lineWidth = 1;
    pen.setLineDash([5, 4]);
    pen.beginPath();
    pen.moveTo(at, area.top);
    pen.lineTo(at, area.top + area.height);
    pen.stroke();
    pen.setLineDash([]);
    pen.textBaseline = "top";
    const isRight = at > area.left + area.width / 2;
    pen.textAlign = isRight ? "right" : "left";
    pen.fillText(text, at + (isRight ? -5 : 5), area.top + 2);
  }

  get #x(): ValueScale {
    const { range: [one, other], isLog } = this.#content!.x;
    const [low, high] = [Math.min(one, other), Math.max(one, other)];
    // A single value lies in the middle.
    return low < high ? { low, high, isLog } : { low: low - (Math.abs(low) || 1) * 0.1, high: high + (Math.abs(high) || 1) * 0.1, isLog: false };
  }

  #value(value: number): string {
    return quantity(value, this.#content?.y.unit ?? "", 4);
  }

  protected override nearest(x: number, _: number, area: Area): number | null {
    const points = this.#content?.lines[0]?.points ?? [];
    if (points.length === 0) return null;
    const distance = ({ x: at }: LinePoint) => Math.abs(toX(at, area, this.#x) - x);
    return points.reduce((best, point, place) => (distance(point) < distance(points[best]!) ? place : best), 0);
  }

  protected override moved(from: number | null, right: number): number | null {
    const { length } = this.#content?.lines[0]?.points ?? [];
    if (length === 0) return null;
    return from === null ? 0 : Math.min(Math.max(from + right, 0), length - 1);
  }

  protected override text(place: number): string {
    const content = this.#content!;
    const at = content.lines[0]!.points[place]!;
    const values = content.lines.map(({ name, points }) => {
      const point = points[place];
      if (!point || point.x !== at.x) return "";
      const spread = point.sd > 0 ? ` ± ${quantity(point.sd, content.y.unit, 3)}` : "";
      return `${content.lines.length > 1 ? `${name} ` : ""}${this.#value(point.y)}${spread}${point.note ?? ""}`;
    });
    return `${content.x.name} = ${quantity(at.x, content.x.unit, 4)}: ${values.filter((one) => one !== "").join(", ")}`;
  }
}
