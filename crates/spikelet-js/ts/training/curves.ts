// Loss and accuracy against epochs.

import { h } from "../plots/dom.js";
import { short } from "../plots/numbers.js";
import { type Area, valueToY } from "../plots/surface.js";
import { DASHES, type Theme, type Use } from "../plots/theme.js";
import { Figure } from "./figure.js";

/** A line of a plot: x in epochs, and a value. */
export interface Line {
  readonly name: string;
  readonly use: Use;
  readonly dash: number;
  readonly points: readonly Point[];
  /** Whether the points vary so much that a moving average is drawn over them. */
  readonly isNoisy?: boolean;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A plot of lines against epochs. */
export class Curves extends Figure {
  readonly #isShare: boolean;
  #lines: readonly Line[] = [];
  #epochs = 1;

  /** @param isShare Whether the values are shares, shown from 0 to 100 %. */
  constructor(theme: Theme, end: AbortSignal, name: string, part: string, isShare: boolean, ...tools: HTMLElement[]) {
    super(theme, end, name, part, ...tools);
    this.#isShare = isShare;
  }

  /** Shows lines over this many epochs. */
  show(lines: readonly Line[], epochs: number): void {
    this.#lines = lines;
    this.#epochs = Math.max(1, epochs);
    this.say(...lines.map(({ name, use, dash, points, isNoisy }) => {
      const line = h("i", { class: "line", "aria-hidden": "true" });
      line.style.setProperty("border-top", `2px ${dash === 0 ? "solid" : "dashed"} var(--_${use})`);
      const last = (isNoisy ? averaged(points) : points).at(-1);
      return h("span", { class: "key" }, line, `${name}${last ? ` ${this.#text(last.y)}` : ""}`);
    }));
    this.draw();
  }

  #text(value: number): string {
    return this.#isShare ? `${(100 * value).toFixed(1)} %` : short(value, 3);
  }

  protected override drawn(area: Area): void {
    const { surface } = this;
    const { pen, theme } = surface;
    const lines = this.#lines.map((line) => ({ ...line, shown: line.isNoisy ? averaged(line.points) : line.points }));
    const values = lines.flatMap(({ shown }) => shown.map(({ y }) => y)).filter(Number.isFinite);
    // Single batches may leave the plot.
    const most = values.length === 0 ? 1 : 1.15 * Math.max(1e-6, ...values);
    const range = this.#isShare ? ([0, 100] as const) : ([0, most * 1.05] as const);
    surface.valueAxis(area, range);
    surface.widthAxis(area, [0, this.#epochs]);
    const scale = this.#isShare ? 100 : 1;
    const x = (at: number) => area.left + (at / this.#epochs) * area.width;
    const draw = (points: readonly Point[]) => surface.within(area, () => surface.line((to) => points.forEach((point) => to(x(point.x), valueToY(point.y * scale, area, range)))));
    for (const { use, dash, points, shown, isNoisy } of lines) {
      pen.strokeStyle = pen.fillStyle = theme.colour(use).css;
      if (isNoisy) {
        pen.lineWidth = 1;
        pen.globalAlpha = 0.22;
        draw(points);
        pen.globalAlpha = 1;
      }
      pen.lineWidth = 2;
      pen.setLineDash([...DASHES[dash]!]);
      draw(shown);
      const last = shown.at(-1);
      pen.setLineDash([]);
      if (!last) continue;
      pen.beginPath();
      pen.arc(x(last.x), valueToY(last.y * scale, area, range), 3, 0, 2 * Math.PI);
      pen.fill();
    }
    const said = this.#lines.map(({ name, points }) => `${name} ${points.length > 0 ? this.#text(points.at(-1)!.y) : "not known yet"}`);
    this.describe(`${said.join(", ")}; the horizontal axis is the epoch, to ${this.#epochs}`);
  }
}

/** The moving average of a line: the mean of all points at first, later with a memory of about 30 points. */
function averaged(points: readonly Point[]): Point[] {
  let mean = 0;
  return points.map(({ x, y }, place) => ({ x, y: (mean += (y - mean) / Math.min(place + 1, 30)) }));
}
