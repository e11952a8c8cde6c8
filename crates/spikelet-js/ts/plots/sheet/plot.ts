import type { Info, NeuronPositions } from "../../raw.js";
import type { Spikelet } from "../../spikelet.js";
import { h } from "../dom.js";
import type { Frame } from "../frame.js";
import { SteadyRange, quantity, short, whole } from "../numbers.js";
import type { PlotContext } from "../lazy.js";
import type { Chosen, Plot, Scene } from "../plot.js";
import { Reader } from "../reader.js";
import { drawScale, scaleWidth } from "../colour-scale.js";
import { type Shown, shownOf } from "../sheet.js";
import type { Area } from "../surface.js";
import { marksOf } from "../theme.js";
import { ordinal } from "../words.js";
import { AXES, drawBox, labelBox } from "./axes.js";
import { type Rgb, gradient, mixed, rgbOf, viridis } from "./colours.js";
import { turnBy } from "./controls.js";
import { glow } from "./glow.js";
import { type BodyLayout, arranged, compact, layoutOf } from "./layout.js";
import { paint } from "./painter.js";
import { type Matrix, firstView, projected } from "./rotation.js";

/** Minimum time between two readings of a variable, in ms. */
const READING_MS = 100;
/** The radius of a body in any position, after perspective, in radii without it, by dimension. */
const ROOM = [1, 1, 1, 1.05, 1.14];
/** Distance of the pointer from a neuron at which its value is shown, in CSS pixels. */
const REACH = 12;

/** The layouts of the populations of a simulation. */
const layouts = new WeakMap<Spikelet, Map<string, Promise<BodyLayout>>>();
/** The current views of plots, which stay when settings change. */
const views = new WeakMap<Frame, { population: string; rotation: Matrix }>();

/** The neurons of a population in space, coloured by their spikes or by a variable. */
export class SheetPlot implements Plot {
  readonly plane: number;
  readonly #frame: Frame;
  readonly #info: Info;
  readonly #live: PlotContext;
  readonly #shown: Shown;
  readonly #decayMs: number;
  readonly #reader: Reader<Float64Array> | null;
  readonly #range = new SteadyRange();
  /** Values in their unit, and from 0 to 1 on the scale. */
  readonly #values: Float32Array;
  readonly #parts: Float32Array;
  #layout: BodyLayout | null = null;
  #failure = "";
  #rotation: Matrix;
  #colours: { readonly key: string; readonly map: readonly Rgb[] } = { key: "", map: [] };
  /** The current scale, and where the picture is. */
  #limits: readonly [number, number] = [0, 1];
  #picture: { readonly area: Area; readonly scale: number } | null = null;

  constructor(frame: Frame, info: Info, { settings }: Chosen, live: PlotContext) {
    [this.#frame, this.#info, this.#live] = [frame, info, live];
    const all = shownOf(info);
    this.#shown = all[settings["of"]!] ?? all[0]!;
    this.plane = settings["plane"]!;
    this.#decayMs = settings["decay"]!;
    const { population, path } = this.#shown;
    this.#values = new Float32Array(population.size);
    this.#parts = new Float32Array(population.size);
    const before = views.get(frame);
    this.#rotation = before?.population === population.name ? before.rotation : firstView(population.dimensions);
    this.#reader = path === null ? null : new Reader(live, frame.surface.canvas, READING_MS, async () => (await live.simulation.get(path)).values);
    if (population.dimensions > 0) this.#lay(positioned(live.simulation, population.name));
    else this.#arrange(Math.floor(settings["columns"]!));
  }

  get dimensions(): number {
    return this.#layout?.dimensions ?? this.#shown.population.dimensions;
  }

  get rotation(): Matrix {
    return this.#rotation;
  }

  set rotation(rotation: Matrix) {
    this.#rotation = rotation;
    views.set(this.#frame, { population: this.#shown.population.name, rotation });
  }

  draw(scene: Scene): void {
    const { surface } = this.#frame;
    const whole = surface.begin();
    const layout = this.#layout;
    if (layout === null) return this.#frame.setRemark(this.#failure);
    const isKnown = this.#measure(scene);
    this.#frame.setRemark(this.#remark(scene));
    const room: Area = { ...whole, width: Math.max(1, whole.width - scaleWidth(surface)) };
    const colours = this.#map();
    const [area, scale] = this.#place(room, layout);
    this.#picture = { area, scale };
    const isBody = layout.dimensions > 2;
    const placed = { centre: [area.left + area.width / 2, area.top + area.height / 2], scale } as const;
    if (isBody) drawBox(surface, layout, this.#rotation, placed);
    if (isKnown) {
      const { ratio, pen, theme } = surface;
      const [width, height] = [Math.max(1, Math.round(area.width * ratio)), Math.max(1, Math.round(area.height * ratio))];
      const background = rgbOf(theme.colour("background").word);
      const image = paint({ layout, rotation: this.#rotation, values: this.#parts, colours, background, width, height, scale: scale * ratio });
      pen.drawImage(image, area.left, area.top, area.width, area.height);
      drawScale(surface, { ...area, top: room.top, height: room.height }, colours, this.#limits, this.#shown.unit);
    }
    if (isBody) labelBox(surface, layout, this.#rotation, placed);
    else if (layout.unit !== "") {
      surface.widthAxis(area, layout.ranges[0]!);
      surface.valueAxis(area, layout.ranges[1] ?? [0, 1]);
    }
  }

  describe(): string {
    const { population, path } = this.#shown;
    const layout = this.#layout;
    if (layout === null) return `Sheet of ${population.name}: ${this.#failure || "no positions yet"}.`;
    const where = layout.unit === "" ? "in rows" : `at positions in ${layout.dimensions} ${layout.dimensions === 1 ? "dimension" : "dimensions"}`;
    let [least, most, sum, place] = [Infinity, -Infinity, 0, 0];
    this.#values.forEach((value, neuron) => {
      sum += value;
      if (value < least) least = value;
      if (value > most) [most, place] = [value, neuron];
    });
    const what = path === null ? "rate" : path;
    const mean = quantity(sum / Math.max(population.size, 1), this.#shown.unit);
    return `Sheet of ${population.name}, ${whole(population.size)} neurons ${where}: ${what} from ${short(least)} to ${quantity(most, this.#shown.unit)}, mean ${mean}; largest in ${this.#named(place)}.`;
  }

  under(x: number, y: number): string {
    const [layout, picture] = [this.#layout, this.#picture];
    if (layout === null || picture === null) return "";
    const { area, scale } = picture;
    const [wantedX, wantedY] = [(x - area.left - area.width / 2) / scale, (area.top + area.height / 2 - y) / scale];
    let [best, found] = [Math.max(REACH / scale, layout.spacing * 0.75) ** 2, -1];
    const point = new Float32Array(4);
    for (let neuron = 0; neuron < layout.size; neuron += 1) {
      for (let axis = 0; axis < 4; axis += 1) point[axis] = layout.points[neuron * 4 + axis]!;
      const [atX, atY] = projected(point, this.#rotation, layout.dimensions);
      const apart = (atX - wantedX) ** 2 + (atY - wantedY) ** 2;
      if (apart < best) [best, found] = [apart, neuron];
    }
    return found < 0 ? "" : `${this.#named(found)}: ${quantity(this.#values[found]!, this.#shown.unit)}`;
  }

  *export(): Iterable<readonly (string | number)[]> {
    const layout = this.#layout;
    if (layout === null) return;
    const { path, unit } = this.#shown;
    const named = layout.unit === "" ? ["column", "row"] : AXES.slice(0, layout.dimensions).map((axis) => `${axis}_${layout.unit}`);
    yield ["neuron", ...named, `${path ?? "rate"}${unit === "" ? "" : `_${unit}`}`];
    for (let neuron = 0; neuron < layout.size; neuron += 1) yield [neuron, ...this.#coordinates(neuron, layout), this.#values[neuron]!];
  }

  /** Computes or reads the values; false before they are known. */
  #measure({ past, span, info: { dtMs } }: Scene): boolean {
    const { population } = this.#shown;
    let [least, most] = [Infinity, -Infinity];
    if (this.#reader === null) {
      const endStep = Math.round(Math.min(span.toMs, Math.max(span.nowMs, 0)) / dtMs);
      glow(past.spikes, population.first, endStep, dtMs, this.#decayMs, this.#values);
      [least, most] = [0, Math.max(1000 / this.#decayMs, this.#values.reduce((found, value) => Math.max(found, value), 0))];
    } else {
      this.#reader.ask(this.#live.simulation.timeMs);
      const values = this.#reader.value;
      if (values === null) return false;
      values.forEach((value, neuron) => {
        this.#values[neuron] = value;
        if (value < least) least = value;
        if (value > most) most = value;
      });
    }
    const [low, high] = (this.#limits = this.#range.hold(Number.isFinite(least) ? least : 0, Number.isFinite(most) ? most : 1));
    this.#values.forEach((value, neuron) => {
      const part = (value - low) / (high - low);
      this.#parts[neuron] = part > 0 ? Math.min(part, 1) : 0;
    });
    return true;
  }

  #remark({ past, isReview }: Scene): string {
    if (this.#failure !== "") return this.#failure;
    if (this.#reader !== null) {
      if (this.#reader.failure !== "") return this.#reader.failure;
      return isReview ? `values of now, at ${short(this.#live.simulation.timeMs, 6)} ms; those of the past are not stored` : "";
    }
    return past.spikes.every === 1 ? "" : `too many spikes to store: those of every ${ordinal(past.spikes.every)} neuron`;
  }

  /** The rectangle of the picture, and CSS pixels per radius. */
  #place(room: Area, { dimensions, half }: BodyLayout): [Area, number] {
    if (dimensions > 2) return [room, Math.max(1, Math.min(room.width, room.height) / 2 - 2 * this.#frame.surface.theme.font.size) / ROOM[dimensions]!];
    const [halfX, halfY] = [half[0], half[1] || half[0] / 20];
    const scale = Math.min(room.width / (2 * halfX), room.height / (2 * halfY));
    const [width, height] = [2 * halfX * scale, 2 * halfY * scale];
    return [{ left: room.left + Math.max(0, (room.width - width) / 2), top: room.top + (room.height - height) / 2, width, height }, scale];
  }

  /** The colour map in the colours of the page. */
  #map(): readonly Rgb[] {
    const { theme } = this.#frame.surface;
    const { use } = marksOf(this.#info.network.populations)[this.#shown.place]!;
    const words = (["background", "muted", use, "ink"] as const).map((one) => theme.colour(one).word);
    const key = words.join();
    if (this.#colours.key === key) return this.#colours.map;
    const [background, muted, own, ink] = words.map(rgbOf) as unknown as [Rgb, Rgb, Rgb, Rgb];
    // Quiet neurons are close to the background, active ones in the colour of the population and beyond.
    const map = this.#reader === null ? gradient([mixed(background, muted, 0.2), own, ink]) : viridis();
    this.#colours = { key, map };
    return map;
  }

  #lay(coming: Promise<BodyLayout>): void {
    coming.then((layout) => this.#show(layout), (error: unknown) => (this.#failure = error instanceof Error ? error.message : String(error))).finally(() => {
      if (!this.#live.signal.aborted) this.#live.redraw();
    });
  }

  #show(layout: BodyLayout): void {
    if (this.#live.signal.aborted) return;
    this.#layout = layout;
    const { population, path } = this.#shown;
    const turn = layout.dimensions > 3 ? "drag to turn, with Shift in the other planes" : layout.dimensions > 2 ? "drag to turn" : "";
    const what = path === null ? `rate in Hz over the last ${short(this.#decayMs)} ms` : "";
    const where = layout.dimensions <= 2 && layout.unit !== "" ? `positions in ${layout.unit}` : "";
    this.#frame.setAbout([`${whole(population.size)} neurons`, what, where, turn].filter((part) => part !== "").join(", "));
    if (layout.dimensions > 2) turnBy(this.#frame.surface.canvas, this, () => this.#live.redraw(), this.#live.signal);
  }

  /** Neurons without positions are shown in rows if the user says how many columns. */
  #arrange(columns: number): void {
    const { population } = this.#shown;
    if (columns > 0) this.#show(arranged(population.size, columns));
    else this.#failure = `${population.name} has no positions`;
    const field = h("input", { type: "number", min: "1", max: String(population.size), step: "1", value: String(columns > 0 ? columns : compact(population.size)), "aria-label": "Columns" });
    const form = h("form", { class: "arrange" }, h("label", {}, `Arrange ${population.name} as a grid of `, field, " columns"), h("button", { type: "submit", part: "button" }, "Arrange"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.reportValidity()) this.#frame.choose("columns", field.valueAsNumber);
    });
    this.#frame.surface.canvas.after(form);
    this.#live.signal.addEventListener("abort", () => form.remove());
  }

  /** `E[3] at 10, 20 µm`. */
  #named(neuron: number): string {
    const layout = this.#layout!;
    const name = `${this.#shown.population.name}[${neuron}]`;
    if (layout.unit === "") return name;
    return `${name} at ${this.#coordinates(neuron, layout).map((at) => short(at, 4)).join(", ")} ${layout.unit}`;
  }

  #coordinates(neuron: number, { points, dimensions, ranges, half }: BodyLayout): number[] {
    return Array.from({ length: dimensions }, (_, axis) => {
      const [low, high] = ranges[axis]!;
      const at = (low + high) / 2 + (half[axis] === 0 ? 0 : (points[neuron * 4 + axis]! / half[axis]!) * ((high - low) / 2));
      return Number(at.toPrecision(6));
    });
  }
}

/** The layout of a population with positions, which do not change. */
function positioned(simulation: Spikelet, population: string): Promise<BodyLayout> {
  const known = layouts.get(simulation) ?? new Map<string, Promise<BodyLayout>>();
  layouts.set(simulation, known);
  const layout = known.get(population) ?? simulation.positions(population).then((positions: NeuronPositions) => layoutOf(positions));
  known.set(population, layout);
  layout.catch(() => known.delete(population));
  return layout;
}
