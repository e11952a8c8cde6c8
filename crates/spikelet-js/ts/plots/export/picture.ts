// Pictures of a plot with its title and legend, as pixels or as vector graphics.

import type { Frame, LegendEntry } from "../frame.js";
import type { Sheet } from "../surface.js";
import { DASHES, type Theme } from "../theme.js";
import { Recorder, text } from "./recorder.js";

/** Pixels per CSS pixel of a saved picture. */
const RATIO = 2;
/** Space around a picture, and heights of the lines above the plot, in CSS pixels. */
const EDGE = 10;
const TITLE = 20;
const LINE = 18;

/** A plot to draw. */
export interface Drawn {
  readonly frame: Pick<Frame, "surface" | "words">;
  /** Draws it on its surface. */
  draw(): void;
  /** Its text alternative. */
  describe(): string;
  /** Whether it is drawn in the colours for white paper, whatever the page has. */
  readonly isOnWhite: boolean;
}

/** A picture of pixels, in twice the size of the plot. */
export async function png(drawn: Drawn): Promise<Blob> {
  const { surface } = drawn.frame;
  const canvas = document.createElement("canvas");
  const inner = document.createElement("canvas");
  [inner.width, inner.height] = [Math.round(surface.width * RATIO), Math.round(surface.height * RATIO)];
  const pen = canvas.getContext("2d")!;
  inColours(drawn, () => {
    const lines = layLegend(drawn, pen);
    const top = headHeight(lines);
    canvas.width = inner.width + 2 * EDGE * RATIO;
    canvas.height = inner.height + Math.round((top + EDGE) * RATIO);
    pen.setTransform(RATIO, 0, 0, RATIO, 0, 0);
    drawHead(drawn, pen, lines, canvas.width / RATIO, canvas.height / RATIO);
    drawPlot(drawn, { pen: inner.getContext("2d")!, ratio: RATIO, isVector: false });
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(inner, EDGE * RATIO, Math.round(top * RATIO));
  });
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser cannot encode a picture of this size; make the plot smaller"))), "image/png");
  });
}

/** A drawing in SVG, with one path for all spikes of a population. */
export function svg(drawn: Drawn): string {
  const { surface, words } = drawn.frame;
  const scratch = document.createElement("canvas").getContext("2d")!;
  const measure = (shown: string, font: string): number => {
    scratch.font = font;
    return scratch.measureText(shown).width;
  };
  const [head, plot] = [new Recorder(measure, encode, "h"), new Recorder(measure, encode, "p")];
  let [width, height, top] = [0, 0, 0];
  inColours(drawn, () => {
    const lines = layLegend(drawn, head.pen);
    top = headHeight(lines);
    [width, height] = [Math.ceil(surface.width) + 2 * EDGE, Math.ceil(surface.height + top) + EDGE];
    drawHead(drawn, head.pen, lines, width, height);
    drawPlot(drawn, { pen: plot.pen, ratio: 1, isVector: true });
  });
  const description = drawn.describe();
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${text(words.title)}</title>
<desc>${text(description)}</desc>
${head.svg}
<g transform="translate(${EDGE} ${top})">
${plot.svg}
</g>
</svg>
`;
}

function inColours({ frame: { surface: { theme } }, isOnWhite }: Drawn, draw: () => void): void {
  if (isOnWhite) theme.onPaper(draw);
  else draw();
}

/** Draws the plot on another sheet. */
function drawPlot(drawn: Drawn, sheet: Sheet): void {
  drawn.frame.surface.drawOn(sheet, () => drawn.draw());
}

/** An entry of the legend at its place. */
interface Laid {
  readonly entry: LegendEntry;
  readonly x: number;
  readonly line: number;
}

/** Distributes the legend over lines. */
function layLegend({ frame: { surface, words } }: Drawn, pen: CanvasRenderingContext2D): readonly Laid[] {
  pen.font = surface.theme.font.css;
  let [x, line] = [0, 0];
  return words.legend.map((entry) => {
    const width = 22 + pen.measureText(entry.name).width + 14;
    if (x > 0 && x + width > surface.width) [x, line] = [0, line + 1];
    const laid = { entry, x: EDGE + x, line };
    x += width;
    return laid;
  });
}

function headHeight(lines: readonly Laid[]): number {
  return EDGE + TITLE + (lines.length === 0 ? 0 : ((lines.at(-1)?.line ?? 0) + 1) * LINE);
}

/** Draws the background, the title and the legend. */
function drawHead({ frame: { surface, words } }: Drawn, pen: CanvasRenderingContext2D, lines: readonly Laid[], width: number, height: number): void {
  const { theme } = surface;
  const { css, size } = theme.font;
  const family = css.replace(/^\S+\s/, "");
  pen.fillStyle = theme.colour("background").css;
  pen.fillRect(0, 0, width, height);
  pen.textAlign = "left";
  pen.textBaseline = "alphabetic";
  pen.fillStyle = theme.colour("ink").css;
  pen.font = `600 ${size * 1.2}px ${family}`;
  const y = EDGE + size * 1.1;
  pen.fillText(words.title, EDGE, y);
  const after = EDGE + pen.measureText(words.title).width + 10;
  pen.font = css;
  pen.fillStyle = theme.colour("muted").css;
  if (words.about !== "") pen.fillText(words.about, after, y, Math.max(width - after - EDGE, 1));
  for (const { entry, x, line } of lines) drawEntry(entry, x, EDGE + TITLE + line * LINE + size, theme, pen);
}

function drawEntry({ name, use, dash }: LegendEntry, x: number, y: number, theme: Theme, pen: CanvasRenderingContext2D): void {
  pen.save();
  pen.strokeStyle = theme.colour(use).css;
  pen.lineWidth = 2.5;
  pen.setLineDash([...DASHES[dash]!]);
  pen.beginPath();
  pen.moveTo(x, y - 4);
  pen.lineTo(x + 16, y - 4);
  pen.stroke();
  pen.restore();
  pen.fillStyle = theme.colour("ink").css;
  pen.fillText(name, x + 22, y);
}

/** Pixels or a canvas as the address of a PNG. */
function encode(image: unknown): string {
  if (image instanceof HTMLCanvasElement) return image.toDataURL("image/png");
  const { width, height } = image as CanvasImageSource & { width: number; height: number };
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const pen = canvas.getContext("2d")!;
  if (image instanceof ImageData) pen.putImageData(image, 0, 0);
  else pen.drawImage(image as CanvasImageSource, 0, 0);
  return canvas.toDataURL("image/png");
}
