import type { Info } from "../../raw.js";
import type { Frame } from "../frame.js";
import { SteadyRange, quantity, short } from "../numbers.js";
import type { PlotContext } from "../lazy.js";
import type { Chosen, Plot, Scene } from "../plot.js";
import { type Area, valueToY } from "../surface.js";
import { nearest } from "./bins.js";
import { tableOf } from "./matrix.js";
import { ProjectionReader } from "./projection.js";

/** Maximum number of synapses that are drawn. */
const MOST = 20_000;
/** Half the size of a dot, and the distance at which the pointer reaches it, in CSS pixels. */
const DOT = 1.25;
const REACH = 8;

/** The weight of each synapse of a projection against its delay. */
export class DelayPlot implements Plot {
  readonly #frame: Frame;
  readonly #synapses: ProjectionReader;
  readonly #delays = new SteadyRange();
  readonly #weights = new SteadyRange();
  readonly #dtMs: number;
  /** Positions of the drawn synapses, in CSS pixels. */
  #xs = new Float32Array(0);
  #ys = new Float32Array(0);

  constructor(frame: Frame, info: Info, { settings }: Chosen, live: PlotContext) {
    this.#frame = frame;
    this.#dtMs = info.dtMs;
    this.#synapses = new ProjectionReader(frame, info, settings["projection"]!, live, MOST);
  }

  draw(scene: Scene): void {
    const { surface } = this.#frame;
    const area = surface.begin();
    const synapses = this.#synapses.read(scene);
    if (synapses === null) return;
    this.#frame.setAbout(`${this.#synapses.named(synapses)} against delay in ms`);
    const { weights, delaysMs } = synapses;
    const [delays, values] = [this.#delays.hold(...widened(delaysMs, this.#dtMs)), this.#weights.hold(...widened(weights, 1e-3))];
    this.#xs = delaysMs.map((delay) => area.left + ((delay - delays[0]) / (delays[1] - delays[0])) * area.width);
    this.#ys = Float32Array.from(delaysMs, (_, place) => valueToY(weights[place] ?? 0, area, values));
    const { pen, theme } = surface;
    surface.within(area, () => {
      pen.fillStyle = theme.colour("weights").css;
      pen.globalAlpha = Math.min(1, Math.max(0.15, 30 / Math.sqrt(Math.max(weights.length, 1))));
      pen.beginPath();
      for (let place = 0; place < weights.length; place += 1) pen.rect(this.#xs[place]! - DOT, this.#ys[place]! - DOT, 2 * DOT, 2 * DOT);
      pen.fill();
      pen.globalAlpha = 1;
    });
    this.#zero(area, values);
    surface.widthAxis(area, delays);
    surface.valueAxis(area, values);
  }

  describe(): string {
    const synapses = this.#synapses.last;
    const { name } = this.#synapses.projection;
    if (synapses === null) return `Weights and delays of ${name}: no data yet.`;
    const { weights, delaysMs, unit } = synapses;
    if (weights.length === 0) return `The synapses of ${name} have no weight.`;
    const [least, most] = extremes(weights);
    const [first, last] = extremes(delaysMs);
    return `Weights and delays of ${name}: ${this.#synapses.named(synapses)} from ${short(least)} to ${quantity(most, unit)}, delays from ${short(first)} to ${short(last)} ms.`;
  }

  under(x: number, y: number): string {
    const synapses = this.#synapses.last;
    const found = nearest(this.#xs, this.#ys, x, y, REACH);
    if (synapses === null || found < 0) return "";
    const { pre, post } = this.#synapses;
    const pair = `${pre.population}[${synapses.pre[found]}] to ${post.population}[${synapses.post[found]}]`;
    return `${pair}: ${quantity(synapses.weights[found] ?? NaN, synapses.unit)}, ${short(synapses.delaysMs[found]!)} ms`;
  }

  *export(): Iterable<readonly (string | number)[]> {
    const synapses = this.#synapses.last;
    if (synapses !== null) yield* tableOf(synapses);
  }

  #zero(area: Area, [low, high]: readonly [number, number]): void {
    if (low >= 0 || high <= 0) return;
    const { pen, theme } = this.#frame.surface;
    pen.fillStyle = theme.colour("muted").css;
    pen.fillRect(area.left, Math.round(valueToY(0, area, [low, high])), area.width, 1);
  }
}

function extremes(values: Float32Array): [number, number] {
  return values.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity]);
}

/** The extremes of values with a margin, at least of a smallest width. */
function widened(values: Float32Array, width: number): [number, number] {
  const [least, most] = extremes(values);
  if (!(least <= most)) return [0, 1];
  const margin = Math.max((most - least) * 0.05, width / 2, Math.abs(most) * 1e-3);
  return [least - margin, most + margin];
}
