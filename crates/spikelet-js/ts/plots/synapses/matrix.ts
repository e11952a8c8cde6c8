import type { Info } from "../../raw.js";
import type { Frame } from "../frame.js";
import { SteadyRange, quantity, short, ticks, whole } from "../numbers.js";
import type { PlotContext } from "../lazy.js";
import type { Chosen, Plot, Scene } from "../plot.js";
import { drawScale, scaleWidth } from "../colour-scale.js";
import { type Rgb, colourAt, diverging, mixed, rgbOf, wordOf } from "../sheet/colours.js";
import type { Area } from "../surface.js";
import { type Bins, binned } from "./bins.js";
import { ProjectionReader } from "./projection.js";

/** Maximum number of synapses that are read. */
const MOST = 200_000;
/** Maximum number of bins along each axis. */
const MAX_BINS = 256;

/** The weight matrix of a projection. */
export class MatrixPlot implements Plot {
  readonly #frame: Frame;
  readonly #synapses: ProjectionReader;
  readonly #range = new SteadyRange();
  readonly #canvas = document.createElement("canvas");
  #of: unknown = null;
  #bins: Bins | null = null;
  #area: Area | null = null;
  #colours: { readonly key: string; readonly map: readonly Rgb[] } = { key: "", map: [] };

  constructor(frame: Frame, info: Info, { settings }: Chosen, live: PlotContext) {
    this.#frame = frame;
    this.#synapses = new ProjectionReader(frame, info, settings["projection"]!, live, MOST);
    const { pre, post } = this.#synapses.projection;
    frame.setAbout(`from ${pre} (→) to ${post} (↓)`);
  }

  draw(scene: Scene): void {
    const { surface } = this.#frame;
    const whole = surface.begin();
    const synapses = this.#synapses.read(scene);
    if (synapses === null) return;
    const { pre, post, last } = this.#synapses;
    if (this.#of !== last) {
      const shifted = (neurons: Uint32Array, first: number) => (first === 0 ? neurons : neurons.map((neuron) => neuron - first));
      const own = { pre: shifted(synapses.pre, pre.first), post: shifted(synapses.post, post.first), weights: synapses.weights };
      this.#bins = binned(own, pre.size, post.size, MAX_BINS);
      this.#of = last;
    }
    const bins = this.#bins!;
    const room = { ...whole, width: Math.max(1, whole.width - scaleWidth(surface)) };
    // Pairs of neurons are squares as far as possible.
    const ratio = Math.min(Math.max(pre.size / Math.max(post.size, 1), 0.5), 3);
    const width = Math.min(room.width, room.height * ratio);
    const area = (this.#area = { ...room, width });
    const most = Math.max(Math.abs(bins.least), Math.abs(bins.most));
    const [, high] = this.#range.hold(0, Number.isFinite(most) && most > 0 ? most : 1);
    const map = this.#map();
    this.#paint(bins, map, high);
    const { pen } = surface;
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.#canvas, area.left, area.top, area.width, area.height);
    pen.imageSmoothingEnabled = true;
    pen.strokeStyle = surface.theme.colour("line").css;
    pen.lineWidth = 1;
    pen.strokeRect(area.left + 0.5, area.top + 0.5, area.width - 1, area.height - 1);
    surface.widthAxis(area, [pre.first, pre.first + pre.size]);
    this.#rowAxis(area);
    // Only the signs that occur are on the scale.
    const low = bins.least < 0 ? -high : 0;
    const top = bins.most > 0 || low === 0 ? high : 0;
    const part = (value: number) => colourAt(value, -high, high);
    drawScale(surface, area, map.slice(part(low), part(top) + 1), [low, top], synapses.unit);
  }

  describe(): string {
    const synapses = this.#synapses.last;
    const bins = this.#bins;
    const { name, pre, post } = this.#synapses.projection;
    if (synapses === null || bins === null) return `Weight matrix of ${name}: no data yet.`;
    const { weights, unit, total } = synapses;
    if (weights.length === 0) return `Synapses of ${name} from ${pre} to ${post}: ${whole(total)}, which have no weight.`;
    const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
    return `Weight matrix of ${name} from ${pre} to ${post}, ${whole(total)} synapses: ${this.#synapses.named(synapses)}, mean ${quantity(mean, unit)}, shown from ${short(bins.least)} to ${quantity(bins.most, unit)}.`;
  }

  under(x: number, y: number): string {
    const [bins, area, synapses] = [this.#bins, this.#area, this.#synapses.last];
    if (bins === null || area === null || synapses === null) return "";
    const [column, row] = [Math.floor(((x - area.left) / area.width) * bins.columns), Math.floor(((y - area.top) / area.height) * bins.rows)];
    if (column < 0 || row < 0 || column >= bins.columns || row >= bins.rows) return "";
    const { pre, post } = this.#synapses;
    const range = (first: number, size: number, at: number, count: number) => {
      const [from, to] = [first + Math.ceil((at * size) / count), first + Math.ceil(((at + 1) * size) / count)];
      return to - from <= 1 ? `[${from}]` : `[${from}:${to}]`;
    };
    const pair = `${pre.population}${range(pre.first, pre.size, column, bins.columns)} to ${post.population}${range(post.first, post.size, row, bins.rows)}`;
    const bin = row * bins.columns + column;
    if (bins.counts[bin] === 0) return `${pair}: no synapse${synapses.pre.length < synapses.total ? " in the sample" : ""}`;
    return `${pair}: ${quantity(bins.means[bin]!, synapses.unit)}${bins.counts[bin]! > 1 ? `, ${whole(bins.counts[bin]!)} synapses` : ""}`;
  }

  *export(): Iterable<readonly (string | number)[]> {
    const synapses = this.#synapses.last;
    if (synapses === null) return;
    yield* tableOf(synapses);
  }

  /** Numbers of postsynaptic neurons, from top to bottom. */
  #rowAxis({ left, top, height }: Area): void {
    const { pen, theme } = this.#frame.surface;
    const { first, size } = this.#synapses.post;
    pen.fillStyle = theme.colour("muted").css;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const at of ticks(first, first + size, Math.max(2, height / (theme.font.size * 2.6)))) {
      pen.fillText(short(at, 6), left - 7, top + ((at - first) / size) * height);
    }
  }

  #paint(bins: Bins, map: readonly Rgb[], high: number): void {
    const { columns, rows, means, counts } = bins;
    if (this.#canvas.width !== columns || this.#canvas.height !== rows) [this.#canvas.width, this.#canvas.height] = [columns, rows];
    const image = new ImageData(columns, rows);
    const words = new Uint32Array(image.data.buffer);
    const table = Uint32Array.from(map, wordOf);
    means.forEach((mean, bin) => {
      if (counts[bin]! > 0) words[bin] = table[colourAt(mean, -high, high)]!;
    });
    this.#canvas.getContext("2d")!.putImageData(image, 0, 0);
  }

  /** Inhibition, 0 and excitation in the colours of the page; 0 differs from the background, where there is no synapse. */
  #map(): readonly Rgb[] {
    const { theme } = this.#frame.surface;
    const words = (["inhibitory", "background", "muted", "excitatory"] as const).map((use) => theme.colour(use).word);
    const key = words.join();
    if (this.#colours.key !== key) {
      const [negative, background, muted, positive] = words.map(rgbOf) as unknown as [Rgb, Rgb, Rgb, Rgb];
      this.#colours = { key, map: diverging(negative, mixed(background, muted, 0.22), positive) };
    }
    return this.#colours.map;
  }
}

/** Synapses as rows of a table. */
export function* tableOf({ pre, post, weights, delaysMs, variable, unit }: { pre: Uint32Array; post: Uint32Array; weights: Float32Array; delaysMs: Float32Array; variable: string; unit: string }): Iterable<readonly (string | number)[]> {
  const weight = variable === "" ? "weight" : variable;
  yield ["pre", "post", unit === "" ? weight : `${weight}_${unit}`, "delay_ms"];
  for (let synapse = 0; synapse < pre.length; synapse += 1) {
    yield [pre[synapse]!, post[synapse]!, weights[synapse] ?? "", Number(delaysMs[synapse]!.toPrecision(7))];
  }
}
