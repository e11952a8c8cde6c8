import type { Info } from "../../raw.js";
import type { Frame } from "../frame.js";
import { quantity, short, whole } from "../numbers.js";
import type { PlotContext } from "../lazy.js";
import type { Chosen, Plot, Scene } from "../plot.js";
import { drawScale, scaleWidth } from "../colour-scale.js";
import { type Rgb, colourAt, gradient, mixed, rgbOf, wordOf } from "../sheet/colours.js";
import { type Area, timeToX, xToTime } from "../surface.js";
import { atTime } from "../words.js";
import { CountPast } from "./counts.js";

/** Histograms from the start of this plot on. */
const pasts = new WeakMap<object, Map<number, CountPast>>();

/** The histogram of a statistic over time. */
export class HistogramPlot implements Plot {
  readonly #frame: Frame;
  readonly #label: string;
  readonly #unit: string;
  readonly #ends: readonly number[];
  readonly #past: CountPast;
  readonly #canvas = document.createElement("canvas");
  #area: Area | null = null;
  #colours: { readonly key: string; readonly map: readonly Rgb[] } = { key: "", map: [] };

  constructor(frame: Frame, info: Info, { settings }: Chosen, live: PlotContext) {
    this.#frame = frame;
    const usable = info.statistics.map((of, index) => ({ ...of, index })).filter(({ ends }) => ends.length > 1);
    const { label, unit, ends, index } = usable[settings["statistic"]!] ?? usable[0]!;
    [this.#label, this.#unit, this.#ends] = [label, unit, ends];
    frame.setAbout(unit === "" ? label : `${label} in ${unit}`);
    // Kept when settings change, so that going back to a statistic shows it from the start.
    const known = pasts.get(frame) ?? new Map<number, CountPast>();
    pasts.set(frame, known);
    const past = (this.#past = known.get(index) ?? new CountPast());
    known.set(index, past);
    const width = ends.length + 2;
    live.simulation.on("statistics", ({ trial, statistic, steps, counts }) => {
      if (trial !== 0 || statistic !== index) return;
      // Each row begins with three counts of values outside of the bins.
      steps.forEach((step, row) => past.push(step * info.dtMs, counts.slice(row * width + 3, (row + 1) * width)));
      live.redraw();
    }, { signal: live.signal });
    live.simulation.on("state", ({ moved }) => void (moved && past.clear()), { signal: live.signal });
  }

  draw(scene: Scene): void {
    const { surface } = this.#frame;
    const whole = surface.begin();
    const area = (this.#area = { ...whole, width: Math.max(1, whole.width - scaleWidth(surface)) });
    const span = spanOf(scene);
    const limits = [this.#ends[0]!, this.#ends.at(-1)!] as const;
    const all = this.#past.all.filter(({ timeMs }) => timeMs <= span.toMs);
    const most = all.reduce((found, { counts }) => counts.reduce((one, count) => Math.max(one, count), found), 1);
    const map = this.#map();
    if (all.length > 0) {
      this.#paint(all.map(({ counts }) => counts), map, most);
      const { pen } = surface;
      pen.imageSmoothingEnabled = false;
      // Statistics are taken at regular times: each column of the picture lasts until the next one.
      const [first, last] = [all[0]!.timeMs, all.at(-1)!.timeMs];
      const lasts = all.length > 1 ? (last - first) / (all.length - 1) : Math.max(span.nowMs - first, span.toMs / 100);
      const [left, right] = [timeToX(first, area, span), timeToX(last + lasts, area, span)];
      const seen = { ...area, width: Math.max(1, timeToX(Math.min(span.nowMs, span.toMs), area, span) - area.left) };
      surface.within(seen, () => pen.drawImage(this.#canvas, left, area.top, right - left, area.height));
      pen.imageSmoothingEnabled = true;
      drawScale(surface, area, map, [0, most], "");
    }
    surface.marks(area, span, scene.past.marks.all, false);
    surface.timeAxis(area, span);
    surface.valueAxis(area, limits);
  }

  describe(): string {
    const latest = this.#past.all.at(-1);
    if (!latest) return `Histogram of ${this.#label} over time: no data yet.`;
    const place = latest.counts.reduce((found, count, bin) => (count > latest.counts[found]! ? bin : found), 0);
    return `Histogram of ${this.#label} over time, ${this.#past.all.length} times up to ${short(latest.timeMs, 6)} ms; now most synapses, ${whole(latest.counts[place]!)}, are from ${this.#bin(place)}.`;
  }

  under(x: number, y: number, scene: Scene): string {
    const area = this.#area;
    if (area === null) return "";
    const timeMs = xToTime(x, area, spanOf(scene));
    const part = (area.top + area.height - y) / area.height;
    const found = timeMs === null || part < 0 || part >= 1 ? undefined : this.#past.at(timeMs);
    if (!found) return "";
    const value = this.#ends[0]! + part * (this.#ends.at(-1)! - this.#ends[0]!);
    const place = this.#ends.findLastIndex((end) => end <= value);
    return `${whole(found.counts[place] ?? 0)} synapses from ${this.#bin(place)} ${atTime(found.timeMs)}`;
  }

  *export(): Iterable<readonly (string | number)[]> {
    yield ["time_ms", "statistic", "from", "to", "unit", "synapses"];
    for (const { timeMs, counts } of this.#past.all) {
      for (const [place, count] of counts.entries()) {
        yield [Number(timeMs.toPrecision(12)), this.#label, this.#ends[place]!, this.#ends[place + 1]!, this.#unit, count];
      }
    }
  }

  #bin(place: number): string {
    return `${short(this.#ends[place]!)} to ${quantity(this.#ends[place + 1]!, this.#unit)}`;
  }

  /** One column of pixels for each time, one row for each bin, the first at the bottom. */
  #paint(all: readonly Uint32Array[], map: readonly Rgb[], most: number): void {
    const rows = this.#ends.length - 1;
    [this.#canvas.width, this.#canvas.height] = [all.length, rows];
    const image = new ImageData(all.length, rows);
    const words = new Uint32Array(image.data.buffer);
    const table = Uint32Array.from(map, wordOf);
    all.forEach((counts, column) => counts.forEach((count, bin) => {
      if (count > 0) words[(rows - 1 - bin) * all.length + column] = table[colourAt(count, 0, most)]!;
    }));
    this.#canvas.getContext("2d")!.putImageData(image, 0, 0);
  }

  #map(): readonly Rgb[] {
    const { theme } = this.#frame.surface;
    const words = (["background", "weights", "ink"] as const).map((use) => theme.colour(use).word);
    const key = words.join();
    if (this.#colours.key !== key) {
      const [background, weights, ink] = words.map(rgbOf) as unknown as [Rgb, Rgb, Rgb];
      this.#colours = { key, map: gradient([mixed(background, weights, 0.15), weights, ink]) };
    }
    return this.#colours.map;
  }
}

/** The whole run, as weights change slowly. */
function spanOf({ span }: Scene): { fromMs: number; toMs: number; nowMs: number } {
  return { fromMs: 0, toMs: span.toMs, nowMs: span.nowMs };
}
