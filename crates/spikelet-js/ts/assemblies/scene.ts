// A picture of areas as discs of dots whose winners glow, with the fibres between them.

import { h } from "../plots/dom.js";
import { whole } from "../plots/numbers.js";
import { Surface } from "../plots/surface.js";
import type { Theme, Use } from "../plots/theme.js";
import { type Circle, drawDots } from "./disc.js";
import type { Fibre } from "./raw.js";

/** An area or a stimulus in the picture. */
export interface SceneNode {
  readonly name: string;
  /** What it is, for a label below its name. */
  readonly about?: string;
  /** Number of neurons; 0 for a stimulus, which fires as a whole. */
  readonly n: number;
  /** Its centre, relative to the width and height of the picture: in a wide and in a narrow one. */
  readonly wide: readonly [number, number];
  readonly narrow: readonly [number, number];
}

/** Neurons with a colour. */
export interface Coloured {
  readonly area: string;
  readonly neurons: Uint32Array;
  readonly use: Use;
}

/** What a picture shows. */
export interface SceneContent {
  /** The neurons that fire, by area. */
  readonly winners: ReadonlyMap<string, Uint32Array>;
  /** The fibres that are active. */
  readonly fibres: readonly Fibre[];
  /** Known assemblies. Winners of one have its colour; those that do not fire are faint. */
  readonly assemblies: readonly Coloured[];
}

/** Width of the picture in CSS pixels below which the narrow layout is used. */
const NARROW = 560;

/** The picture. It is drawn in the next frame after each change. */
export class Scene {
  readonly element = h("div", { class: "scene", part: "scene" });
  readonly #surface: Surface;
  readonly #discRadius: number;
  #nodes: readonly SceneNode[] = [];
  #view: SceneContent = { winners: new Map(), fibres: [], assemblies: [] };
  #isDue = false;

  /** @param discRadius Radius of a disc, relative to the smaller side of the picture. */
  constructor(theme: Theme, discRadius: number, end: AbortSignal) {
    this.#surface = new Surface(theme);
    this.#discRadius = discRadius;
    this.element.append(this.#surface.canvas);
    const observer = new ResizeObserver((entries) => {
      this.#surface.resize(entries.at(-1)!);
      this.draw();
    });
    observer.observe(this.#surface.canvas);
    end.addEventListener("abort", () => observer.disconnect());
  }

  setNodes(nodes: readonly SceneNode[]): void {
    this.#nodes = nodes;
    this.draw();
  }

  /** Shows a view; `label` describes it for screen readers. */
  show(view: SceneContent, label: string): void {
    this.#view = view;
    this.#surface.canvas.setAttribute("aria-label", label);
    this.draw();
  }

  /** Draws in the next frame. */
  draw(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#paint();
    });
  }

  #paint(): void {
    const surface = this.#surface;
    if (surface.width === 0) return;
    surface.begin();
    const circles = new Map(this.#nodes.map((place) => [place.name, this.#circle(place)]));
    for (const [from, to] of this.#view.fibres) {
      const [a, b] = [circles.get(from), circles.get(to)];
      if (a && b) this.#fibre(a, b);
    }
    for (const place of this.#nodes) {
      const circle = circles.get(place.name)!;
      if (place.n === 0) this.#stimulus(place, circle);
      else this.#area(place, circle);
    }
  }

  #circle({ n, wide, narrow }: SceneNode): Circle {
    const { width, height } = this.#surface;
    const [x, y] = width < NARROW ? narrow : wide;
    const radius = this.#discRadius * Math.min(width, height);
    return { x: x * width, y: y * height, radius: n === 0 ? Math.max(17, radius * 0.3) : radius };
  }

  #area({ name, n }: SceneNode, circle: Circle): void {
    const { pen, theme } = this.#surface;
    const { x, y, radius } = circle;
    const winners = this.#view.winners.get(name) ?? new Uint32Array();
    const isActive = winners.length > 0;
    pen.beginPath();
    pen.arc(x, y, radius + 4, 0, 2 * Math.PI);
    pen.fillStyle = theme.colour("background").css;
    pen.fill();
    pen.lineWidth = 1;
    pen.strokeStyle = theme.colour(isActive ? "muted" : "line").css;
    pen.stroke();
    drawDots(pen, circle, n, {
      area: name,
      base: theme.colour("muted").css,
      plain: theme.colour("ink").css,
      winners,
      assemblies: this.#view.assemblies.filter(({ area }) => area === name).map(({ neurons, use }) => ({ neurons, css: theme.colour(use).css })),
    });
    const isWide = 2 * radius > 130;
    const text = isActive && isWide ? `${name}  ${whole(winners.length)} of ${whole(n)}` : name;
    this.#label(text, x, y + radius + 7);
  }

  #stimulus({ name, about }: SceneNode, { x, y, radius }: Circle): void {
    const { pen, theme } = this.#surface;
    const isActive = this.#view.fibres.some(([from]) => from === name);
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fillStyle = theme.colour(isActive ? "excitatory" : "background").css;
    pen.fill();
    pen.lineWidth = 1.5;
    pen.strokeStyle = theme.colour(isActive ? "excitatory" : "muted").css;
    pen.stroke();
    pen.font = `600 ${theme.font.css}`;
    pen.fillStyle = theme.colour(isActive ? "background" : "ink").css;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(name, x, y + 0.5);
    pen.font = theme.font.css;
    if (about) this.#label(about, x, y + radius + 4);
  }

  #label(text: string, x: number, y: number): void {
    const { pen, theme, width } = this.#surface;
    pen.fillStyle = theme.colour("ink").css;
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const half = pen.measureText(text).width / 2 + 2;
    const at = Math.min(Math.max(x, half), width - half);
    // An outline in the colour of the background keeps it legible over fibres.
    pen.strokeStyle = theme.colour("background").css;
    pen.lineWidth = 4;
    pen.lineJoin = "round";
    pen.strokeText(text, at, y);
    pen.fillText(text, at, y);
  }

  /** An arrow between two circles, curved so that both directions are visible; a loop for a recurrent fibre. */
  #fibre(a: Circle, b: Circle): void {
    const { pen, theme } = this.#surface;
    pen.strokeStyle = pen.fillStyle = theme.colour("excitatory").css;
    pen.lineWidth = 2;
    pen.globalAlpha = 0.75;
    if (a === b) {
      const top = a.y - a.radius - 4;
      const reach = Math.max(14, a.radius * 0.32);
      pen.beginPath();
      pen.moveTo(a.x - reach * 0.7, top + 3);
      pen.bezierCurveTo(a.x - reach * 1.5, top - reach, a.x + reach * 1.5, top - reach, a.x + reach * 0.7, top + 3);
      pen.stroke();
      this.#head(a.x + reach * 0.7, top + 3, Math.PI * 0.66);
    } else {
      const [dx, dy] = [b.x - a.x, b.y - a.y];
      const length = Math.hypot(dx, dy);
      const bend = Math.min(26, length * 0.1);
      const middle = [(a.x + b.x) / 2 - (dy / length) * bend, (a.y + b.y) / 2 + (dx / length) * bend] as const;
      const begin = edge(a, middle, 4);
      const end = edge(b, middle, 7);
      pen.beginPath();
      pen.moveTo(...begin);
      pen.quadraticCurveTo(...middle, ...end);
      pen.stroke();
      this.#head(...end, Math.atan2(end[1] - middle[1], end[0] - middle[0]));
    }
    pen.globalAlpha = 1;
  }

  #head(x: number, y: number, angle: number): void {
    const { pen } = this.#surface;
    pen.beginPath();
    pen.moveTo(x + 4 * Math.cos(angle), y + 4 * Math.sin(angle));
    for (const turn of [2.5, -2.5]) pen.lineTo(x + 8 * Math.cos(angle + turn), y + 8 * Math.sin(angle + turn));
    pen.fill();
  }
}

/** The point of a circle, and a few pixels outside of it, towards another point. */
function edge({ x, y, radius }: Circle, [towardsX, towardsY]: readonly [number, number], gap: number): [number, number] {
  const length = Math.hypot(towardsX - x, towardsY - y) || 1;
  const reach = (radius + gap) / length;
  return [x + (towardsX - x) * reach, y + (towardsY - y) * reach];
}

