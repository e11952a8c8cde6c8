// What the network decides over the plane of its input, with the borders of the Yin-Yang set.

import { h } from "../plots/dom.js";
import type { Theme, Use } from "../plots/theme.js";
import { Figure } from "./figure.js";

/** The colours of the classes of Yin-Yang, with their names. */
export const CLASSES: readonly { readonly name: string; readonly use: Use }[] = [
  { name: "yang", use: "inhibitory" },
  { name: "yin", use: "excitatory" },
  { name: "dot", use: "weights" },
];

/** The radius of the dots, if that of the disc is 0.5 (Kriener, Göltz & Petrovici 2022). */
const DOT = 0.1;

/** The picture: each point has the colour of the class for which the network decides. */
export class Plane extends Figure {
  #classes: Uint8Array | null = null;

  constructor(theme: Theme, end: AbortSignal) {
    super(theme, end, "Decisions", "plane");
    this.say(...CLASSES.map(({ name, use }) => {
      const dot = h("i", { class: "dot", "aria-hidden": "true" });
      dot.style.setProperty("background", `var(--_${use})`);
      return h("span", { class: "key" }, dot, name);
    }));
  }

  /** Shows classes, row by row, from the lowest; null for none. */
  show(classes: Uint8Array | null): void {
    this.#classes = classes;
    this.draw();
  }

  protected override drawn(): void {
    const { pen, theme, width, height, ratio } = this.surface;
    const size = Math.min(width, height) - 4;
    const [left, top] = [(width - size) / 2, (height - size) / 2];
    const classes = this.#classes;
    pen.save();
    pen.beginPath();
    pen.arc(left + size / 2, top + size / 2, size / 2, 0, 2 * Math.PI);
    pen.clip();
    if (classes) {
      const side = Math.round(Math.sqrt(classes.length));
      const cell = size / side;
      pen.globalAlpha = 0.75;
      classes.forEach((found, place) => {
        const known = CLASSES[found];
        if (!known) return;
        const [column, row] = [place % side, side - 1 - Math.floor(place / side)];
        // Edges of device pixels: cells that overlap would be darker there.
        const edge = (from: number, at: number) => Math.round((from + at * cell) * ratio) / ratio;
        const [x, y] = [edge(left, column), edge(top, row)];
        pen.fillStyle = theme.colour(known.use).css;
        pen.fillRect(x, y, edge(left, column + 1) - x, edge(top, row + 1) - y);
      });
      pen.globalAlpha = 1;
    }
    pen.restore();
    this.#borders(left, top, size);
    this.describe(classes ? this.#shares(classes) : "Not trained yet: the borders of the three classes.");
  }

  /** The borders of the classes as defined. */
  #borders(left: number, top: number, size: number): void {
    const { pen, theme } = this.surface;
    const arc = (x: number, y: number, radius: number, from = 0, to = 2 * Math.PI) => {
      pen.beginPath();
      pen.arc(left + x * size, top + (1 - y) * size, radius * size, from, to);
      pen.stroke();
    };
    pen.strokeStyle = theme.colour("ink").css;
    pen.lineWidth = 1.5;
    arc(0.5, 0.5, 0.5);
    // The left half disc hangs below the middle, the right one stands above it.
    arc(0.25, 0.5, 0.25, 0, Math.PI);
    arc(0.75, 0.5, 0.25, Math.PI, 2 * Math.PI);
    arc(0.25, 0.5, DOT);
    arc(0.75, 0.5, DOT);
  }

  #shares(classes: Uint8Array): string {
    const parts = CLASSES.map(({ name }, index) => `${name} ${Math.round((100 * classes.filter((found) => found === index).length) / classes.length)} %`);
    return `Decisions over the plane: ${parts.join(", ")}`;
  }
}

