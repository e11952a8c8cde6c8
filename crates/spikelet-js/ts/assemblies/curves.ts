// The support of areas against rounds.

import { h } from "../plots/dom.js";
import { whole } from "../plots/numbers.js";
import { Surface } from "../plots/surface.js";
import { DASHES, type Theme, type Use } from "../plots/theme.js";

/** Rounds that are kept; older ones are dropped. */
const MAX_ROUNDS = 2000;

/** How many neurons of an area have ever won, after each round. */
interface Curve {
  readonly name: string;
  readonly use: Use;
  readonly dash: number;
  readonly known: Set<number>;
  points: { round: number; support: number }[];
}

/** The plot. */
export class Curves {
  readonly element: HTMLElement;
  readonly #surface: Surface;
  readonly #caption = h("figcaption");
  #curves: Curve[] = [];

  constructor(theme: Theme, end: AbortSignal) {
    this.#surface = new Surface(theme);
    this.element = h("figure", { class: "support", part: "support" }, this.#caption, this.#surface.canvas);
    const observer = new ResizeObserver((entries) => {
      this.#surface.resize(entries.at(-1)!);
      this.draw();
    });
    observer.observe(this.#surface.canvas);
    end.addEventListener("abort", () => observer.disconnect());
  }

  /** Begins again with these areas. */
  clear(areas: readonly string[]): void {
    const uses: readonly Use[] = ["excitatory", "inhibitory", "weights"];
    this.#curves = areas.map((name, place) => {
      return { name, use: uses[place % uses.length]!, dash: place % DASHES.length, known: new Set(), points: [] };
    });
    const legend = this.#curves.map(({ name, use, dash }) => {
      const line = h("i", { class: "line", "aria-hidden": "true" });
      line.style.setProperty("border-top", `2px ${dash === 0 ? "solid" : dash === 1 ? "dashed" : "dotted"} var(--_${use})`);
      return h("span", {}, line, name);
    });
    this.#caption.replaceChildren(h("b", {}, "Support"), "neurons that have ever won ", h("span", { class: "legend" }, ...legend));
    this.draw();
  }

  /** Adds the winners of a round. */
  add(round: number, winners: ReadonlyMap<string, Uint32Array>): void {
    for (const curve of this.#curves) {
      const own = winners.get(curve.name);
      if (!own) continue;
      for (const neuron of own) curve.known.add(neuron);
      curve.points.push({ round, support: curve.known.size });
      if (curve.points.length > MAX_ROUNDS) curve.points = curve.points.slice(-MAX_ROUNDS);
    }
  }

  draw(): void {
    const surface = this.#surface;
    if (surface.width === 0) return;
    const { pen, theme } = surface;
    const area = surface.begin();
    const points = this.#curves.flatMap((curve) => curve.points);
    const [last, most] = [Math.max(10, ...points.map(({ round }) => round)), Math.max(10, ...points.map(({ support }) => support))];
    const range = [0, most * 1.08] as const;
    surface.valueAxis(area, range);
    surface.widthAxis(area, [0, last]);
    for (const { use, dash, points } of this.#curves) {
      pen.strokeStyle = theme.colour(use).css;
      pen.lineWidth = 2;
      pen.setLineDash([...DASHES[dash]!]);
      surface.line((to) => {
        for (const { round, support } of points) to(area.left + (round / last) * area.width, area.top + area.height * (1 - support / range[1]));
      });
    }
    pen.setLineDash([]);
    const said = this.#curves.map(({ name, known }) => `${name} ${whole(known.size)}`).join(", ");
    this.#surface.canvas.setAttribute("aria-label", `Neurons that have ever won: ${said}`);
  }
}
