// What plots are drawn on: a canvas with as many pixels as the screen has there, and axes.

import { h } from "./dom.js";
import { short, ticks } from "./numbers.js";
import type { Theme } from "./theme.js";

/** The time that plots show, in ms, and up to when something is known. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}

/** The part of a canvas that holds data, in CSS pixels. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A canvas and its pen, which counts in CSS pixels. */
export class Surface {
  readonly canvas = h("canvas", { role: "img" });
  readonly pen = this.canvas.getContext("2d")!;
  readonly theme: Theme;
  /** Device pixels per CSS pixel. */
  ratio = 1;
  width = 0;
  height = 0;

  constructor(theme: Theme) {
    this.theme = theme;
  }

  /** Takes the size that the canvas was given; a canvas that keeps its size keeps its picture. */
  resize({ contentRect, devicePixelContentBoxSize }: ResizeObserverEntry): void {
    const { devicePixelRatio } = window;
    // What a browser says is exact; but some say nothing, and one that plays a phone speaks of its own screen.
    const box = devicePixelContentBoxSize?.[0];
    const pixels = (size: number, exact = Number.NaN) => (Math.abs(exact - size * devicePixelRatio) <= 1 ? exact : Math.round(size * devicePixelRatio));
    const width = pixels(contentRect.width, box?.inlineSize);
    const height = pixels(contentRect.height, box?.blockSize);
    this.width = contentRect.width;
    this.height = contentRect.height;
    this.ratio = contentRect.width > 0 ? width / contentRect.width : 1;
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
  }

  /** Wipes the canvas; gives the area between axes. */
  begin(): Area {
    const { pen, ratio, width, height } = this;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const { css, size } = this.theme.font;
    pen.font = css;
    const left = Math.round(size * (width < 420 ? 3.4 : 4.4));
    const top = Math.round(size * 0.6);
    return { left, top, width: Math.max(1, width - left - 1), height: Math.max(1, height - top - Math.round(size * 1.8)) };
  }

  /** The axis of time, with its grid behind what is there. */
  timeAxis(area: Area, span: Span): void {
    const { pen, theme } = this;
    const size = theme.font.size;
    const base = area.top + area.height + size * 1.4;
    pen.fillStyle = theme.colour("muted").css;
    pen.textBaseline = "alphabetic";
    pen.textAlign = "left";
    const all = ticks(span.fromMs, span.toMs, area.width / (size * 5.5));
    for (const at of all) {
      const x = timeToX(at, area, span);
      const text = at === all.at(-1) ? `${short(at, 8)} ms` : short(at, 8);
      const { width } = pen.measureText(text);
      // Nothing is cut off at the ends.
      pen.fillText(text, Math.min(Math.max(x - width / 2, area.left), area.left + area.width - width), base);
      this.#grid(x, area.top, 0, area.height);
    }
  }

  /** An axis of values at the left, with its grid. */
  valueAxis(area: Area, range: readonly [number, number]): void {
    const { pen, theme } = this;
    pen.fillStyle = theme.colour("muted").css;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const at of ticks(range[0], range[1], Math.max(2, area.height / (theme.font.size * 2.6)))) {
      const y = valueToY(at, area, range);
      pen.fillText(short(at, 4), area.left - 7, y, area.left - 9);
      this.#grid(area.left, y, area.width, 0);
    }
  }

  /** A name above an area. */
  name(text: string, { left, top }: Area): void {
    const { pen, theme } = this;
    pen.textAlign = "left";
    pen.textBaseline = "bottom";
    pen.fillStyle = theme.colour("ink").css;
    pen.fillText(text, left, top - 2);
  }

  /** Draws what `draw` draws, inside of an area. */
  within(area: Area, draw: () => void): void {
    const { pen } = this;
    pen.save();
    pen.beginPath();
    pen.rect(area.left, area.top - 1, area.width, area.height + 2);
    pen.clip();
    draw();
    pen.restore();
  }

  /** A hairline on the edge of a device pixel, behind what is drawn already. */
  #grid(x: number, y: number, width: number, height: number): void {
    const { pen, ratio } = this;
    const crisp = (at: number) => Math.round(at * ratio) / ratio;
    const colour = pen.fillStyle;
    pen.globalCompositeOperation = "destination-over";
    pen.fillStyle = this.theme.colour("line").css;
    pen.fillRect(crisp(x), crisp(y), Math.max(width, 1 / ratio), Math.max(height, 1 / ratio));
    pen.globalCompositeOperation = "source-over";
    pen.fillStyle = colour;
  }
}

export function timeToX(timeMs: number, { left, width }: Area, { fromMs, toMs }: Span): number {
  return left + ((timeMs - fromMs) / (toMs - fromMs)) * width;
}

export function valueToY(value: number, { top, height }: Area, [low, high]: readonly [number, number]): number {
  return top + height - ((value - low) / (high - low)) * height;
}
