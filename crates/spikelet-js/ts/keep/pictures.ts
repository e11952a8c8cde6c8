// Pictures of plots: small ones for the list of projects, whole ones for the lab book.

/** Size of a small picture in CSS pixels. */
const SMALL = { width: 144, height: 54 };

/** A small picture of a canvas as a `data:` address, on the background of the page; empty if it cannot be drawn. */
export function thumbnail(canvas: HTMLCanvasElement): string {
  if (canvas.width === 0 || canvas.height === 0) return "";
  const small = document.createElement("canvas");
  Object.assign(small, SMALL);
  const context = small.getContext("2d");
  if (!context) return "";
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, small.width, small.height);
  context.drawImage(canvas, 0, 0, small.width, small.height);
  return small.toDataURL("image/webp", 0.6);
}

/** A picture of a plot. */
export interface PlotPicture {
  readonly title: string;
  /** The text alternative of the plot. */
  readonly text: string;
  readonly address: string;
  /** Size in CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** Pictures of all plots in an element, as JSON of {@link PlotPicture}s. */
export function pictures(board: Element): string {
  const found: PlotPicture[] = [];
  for (const figure of board.querySelectorAll("figure")) {
    const title = figure.querySelector("figcaption b")?.textContent?.trim() ?? "";
    for (const canvas of figure.querySelectorAll("canvas")) {
      if (canvas.width === 0 || canvas.height === 0) continue;
      const { width, height } = canvas.getBoundingClientRect();
      found.push({ title, text: canvas.ariaLabel ?? "", address: canvas.toDataURL("image/png"), width, height });
    }
  }
  return JSON.stringify(found);
}
