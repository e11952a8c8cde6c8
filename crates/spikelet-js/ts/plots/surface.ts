// Drawing on a canvas with the resolution of the screen, with axes.

import { h } from "./dom.js";
import { digitsOf, short, ticks } from "./numbers.js";
import type { Mark } from "./past/marks.js";
import type { Theme } from "./theme.js";

/** The time span of plots in ms, and the time of the last data. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}

/** The data area of a canvas, in CSS pixels. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** What a surface draws on instead of its canvas, to save a picture. */
export interface Sheet {
  readonly pen: CanvasRenderingContext2D;
  /** Pixels per CSS pixel. */
  readonly ratio: number;
  /** Whether the pen records vector graphics: then there are no pixels to set. */
  readonly isVector: boolean;
}

/** A canvas and its context, in CSS pixels. */
export class Surface {
  readonly canvas = h("canvas", { role: "img", tabindex: "0" });
  readonly theme: Theme;
  width = 0;
  height = 0;
  readonly #screen: { -readonly [Key in keyof Sheet]: Sheet[Key] } = { pen: this.canvas.getContext("2d")!, ratio: 1, isVector: false };
  #sheet: Sheet = this.#screen;

  constructor(theme: Theme) {
    this.theme = theme;
  }

  /** The context to draw with. It differs while a picture is saved. */
  get pen(): CanvasRenderingContext2D {
    return this.#sheet.pen;
  }

  /** Pixels per CSS pixel. */
  get ratio(): number {
    return this.#sheet.ratio;
  }

  /** Whether the context records vector graphics. */
  get isVector(): boolean {
    return this.#sheet.isVector;
  }

  /** Draws on a sheet instead of the canvas while `draw` runs. */
  drawOn(sheet: Sheet, draw: () => void): void {
    this.#sheet = sheet;
    try {
      draw();
    } finally {
      this.#sheet = this.#screen;
    }
  }

  /** Adapts to the size of the canvas; the content is kept if the size is unchanged. */
  resize({ contentRect, devicePixelContentBoxSize }: ResizeObserverEntry): void {
    const { devicePixelRatio } = window;
    // The size reported by the browser is exact; some browsers report none, and emulated devices report that of the host.
    const box = devicePixelContentBoxSize?.[0];
    const pixels = (size: number, exact = Number.NaN) => (Math.abs(exact - size * devicePixelRatio) <= 1 ? exact : Math.round(size * devicePixelRatio));
    const width = pixels(contentRect.width, box?.inlineSize);
    const height = pixels(contentRect.height, box?.blockSize);
    this.width = contentRect.width;
    this.height = contentRect.height;
    this.#screen.ratio = contentRect.width > 0 ? width / contentRect.width : 1;
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
  }

  /** Clears the canvas and returns the area between axes. */
  begin(): Area {
    const { pen, ratio, width, height } = this;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = this.theme.font.css;
    return this.area;
  }

  /** The area between axes. */
  get area(): Area {
    const { width, height } = this;
    const { size } = this.theme.font;
    const left = Math.round(size * (width < 420 ? 4 : 4.4));
    const top = Math.round(size * 0.6);
    return { left, top, width: Math.max(1, width - left - 1), height: Math.max(1, height - top - Math.round(size * 1.8)) };
  }

  /** Draws the time axis, with its grid behind the data. */
  timeAxis(area: Area, span: Span): void {
    const { pen, theme } = this;
    const size = theme.font.size;
    pen.fillStyle = theme.colour("muted").css;
    pen.textBaseline = "alphabetic";
    pen.textAlign = "left";
    // Wide enough for the last label with its unit: a run of ten minutes has long numbers.
    const characters = short(span.toMs, 8).length + 3;
    const all = ticks(span.fromMs, span.toMs, area.width / (size * Math.max(5.5, 0.6 * characters + 1.5)));
    for (const at of all) {
      const x = timeToX(at, area, span);
      const text = at === all.at(-1) ? `${short(at, 8)} ms` : short(at, 8);
      this.#below(text, x, area, size * 1.4);
      this.#grid(x, area.top, 0, area.height);
    }
  }

  /** Draws a horizontal axis of values, as wide as the area. */
  widthAxis(area: Area, [low, high]: readonly [number, number]): void {
    const { pen, theme } = this;
    pen.fillStyle = theme.colour("muted").css;
    pen.textBaseline = "alphabetic";
    pen.textAlign = "left";
    for (const at of ticks(low, high, area.width / (theme.font.size * 8))) {
      const x = area.left + ((at - low) / (high - low)) * area.width;
      this.#below(short(at, 4), x, area, theme.font.size * 1.3);
    }
  }

  /** Draws dashed lines at changes, with a label if there is space. */
  marks(area: Area, span: Span, marks: readonly Mark[], withText: boolean): void {
    const { pen, theme } = this;
    pen.textBaseline = "top";
    pen.textAlign = "left";
    let free = area.left;
    for (const { timeMs, text } of marks) {
      const x = this.#crisp(timeToX(timeMs, area, span));
      if (x < area.left) continue;
      pen.fillStyle = theme.colour("muted").css;
      for (let y = 0; y < area.height - 3; y += 6) pen.fillRect(x, area.top + y, 1, 3);
      const { width } = pen.measureText(text);
      if (!withText || x < free || x + width + 10 > area.left + area.width) continue;
      pen.fillStyle = theme.colour("background").css;
      pen.fillRect(x + 1, area.top, width + 9, theme.font.size + 6);
      pen.fillStyle = theme.colour("muted").css;
      pen.fillText(text, x + 5, area.top + 4);
      free = x + width + 10;
    }
  }

  /** Draws a vertical axis of values on the left, with its grid. The unit stands behind the uppermost value, if it is given. */
  valueAxis(area: Area, range: readonly [number, number], unit = ""): void {
    const { pen, theme } = this;
    pen.fillStyle = theme.colour("muted").css;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    const all = ticks(range[0], range[1], Math.max(2, area.height / (theme.font.size * 2.6)));
    const digits = digitsOf(all);
    for (const at of all) {
      const y = valueToY(at, area, range);
      const text = at === all.at(-1) && unit !== "" ? `${short(at, digits)} ${unit}` : short(at, digits);
      pen.fillText(text, area.left - 7, y, area.left - 9);
      this.#grid(area.left, y, area.width, 0);
    }
  }

  /** Draws a dashed horizontal line at a value, with a text at its right end. */
  level(value: number, text: string, area: Area, range: readonly [number, number], colour: string): void {
    if (!(value >= range[0] && value <= range[1])) return;
    const { pen, theme } = this;
    const y = this.#crisp(valueToY(value, area, range));
    pen.save();
    pen.strokeStyle = pen.fillStyle = colour;
    pen.globalAlpha = 0.75;
    pen.lineWidth = 1;
    pen.setLineDash([5, 4]);
    pen.beginPath();
    pen.moveTo(area.left, y);
    pen.lineTo(area.left + area.width, y);
    pen.stroke();
    pen.textAlign = "right";
    pen.textBaseline = y - area.top > theme.font.size * 1.4 ? "bottom" : "top";
    pen.fillText(text, area.left + area.width - 3, y);
    pen.restore();
  }

  /** Draws a name in the upper left corner of an area. */
  name(text: string, { left, top, width }: Area, colour: string): void {
    const { pen, theme } = this;
    pen.save();
    pen.font = `600 ${theme.font.css}`;
    pen.textAlign = "left";
    pen.textBaseline = "top";
    const shown = this.shortened(text, width - 12);
    pen.globalAlpha = 0.8;
    pen.fillStyle = theme.colour("background").css;
    pen.fillRect(left + 1, top, pen.measureText(shown).width + 9, theme.font.size * 1.4);
    pen.globalAlpha = 1;
    pen.fillStyle = colour;
    pen.fillText(shown, left + 5, top + 2);
    pen.restore();
  }

  /** Draws a text in the current font, truncated to a width. */
  shortened(text: string, room: number): string {
    const fits = (shown: string) => this.pen.measureText(shown).width <= room;
    if (fits(text)) return text;
    const letters = [...text];
    while (letters.length > 0 && !fits(`${letters.join("")}…`)) letters.pop();
    return letters.length > 0 ? `${letters.join("")}…` : "";
  }

  /**
   * Draws a line through points that `each` yields in the order of x. Each column of device pixels uses at most four points: the first, the
   * extremes, and the last.
   */
  line(each: (to: (x: number, y: number) => void) => void): void {
    const { pen, ratio } = this;
    let [column, at, first, least, most, last] = [Number.NaN, 0, 0, 0, 0, 0];
    const draw = () => {
      pen.lineTo(at, first);
      if (least === most) return;
      pen.lineTo(at, least);
      pen.lineTo(at, most);
      pen.lineTo(at, last);
    };
    pen.beginPath();
    each((x, y) => {
      const next = Math.floor(x * ratio);
      if (next !== column) {
        if (!Number.isNaN(column)) draw();
        [column, at, first, least, most, last] = [next, x, y, y, y, y];
        return;
      }
      if (y < least) least = y;
      if (y > most) most = y;
      last = y;
    });
    if (!Number.isNaN(column)) draw();
    pen.stroke();
  }

  /** Calls `draw` with drawing clipped to an area. */
  within(area: Area, draw: () => void): void {
    const { pen } = this;
    pen.save();
    pen.beginPath();
    pen.rect(area.left, area.top - 1, area.width, area.height + 2);
    pen.clip();
    draw();
    pen.restore();
  }

  /** Draws a text below a position of an area, shifted to stay inside. */
  #below(text: string, x: number, area: Area, depth: number): void {
    const { width } = this.pen.measureText(text);
    this.pen.fillText(text, Math.min(Math.max(x - width / 2, area.left), area.left + area.width - width), area.top + area.height + depth);
  }

  /** Draws a line of one device pixel behind the existing content. */
  #grid(x: number, y: number, width: number, height: number): void {
    const { pen, ratio } = this;
    const colour = pen.fillStyle;
    pen.globalCompositeOperation = "destination-over";
    pen.fillStyle = this.theme.colour("line").css;
    pen.fillRect(this.#crisp(x), this.#crisp(y), Math.max(width, 1 / ratio), Math.max(height, 1 / ratio));
    pen.globalCompositeOperation = "source-over";
    pen.fillStyle = colour;
  }

  /** The nearest edge of a device pixel. */
  #crisp(at: number): number {
    return Math.round(at * this.ratio) / this.ratio;
  }
}

/** The position of a time. */
export function timeToX(timeMs: number, { left, width }: Area, { fromMs, toMs }: Span): number {
  return left + ((timeMs - fromMs) / (toMs - fromMs)) * width;
}

/** The time at a position; null outside of the area. */
export function xToTime(x: number, { left, width }: Area, { fromMs, toMs }: Span): number | null {
  const part = (x - left) / width;
  return part >= 0 && part < 1 ? fromMs + part * (toMs - fromMs) : null;
}

/** The position of a value. */
export function valueToY(value: number, { top, height }: Area, [low, high]: readonly [number, number]): number {
  return top + height - ((value - low) / (high - low)) * height;
}
