import type { Info, PopulationSummary } from "../raw.js";
import type { NamedArray } from "./export/npz.js";
import { type Frame, legendOf } from "./frame.js";
import { short, ticks, whole } from "./numbers.js";
import { type Band, type Rows, opacityAt, paintSpikes, share } from "./paint.js";
import type { Chosen, Plot, PlotKind, Scene } from "./plot.js";
import { ORDERS, type NeuronOrder, orderOf } from "./sorting.js";
import { type Area, type Surface, xToTime } from "./surface.js";
import { type Mark, marksOf } from "./theme.js";
import { atTime, between, ordinal } from "./words.js";

/** The plot of all spikes. */
export const RASTER: PlotKind = {
  name: "raster",
  title: "Spikes",
  about: "one dot per spike, one band per population, the first neuron at the bottom; above eight million spikes in the window it shows only every second, fourth, … neuron and reports this",
  needs: ["spikes"],
  standard: true,
  fills: true,
  settings: [
    { name: "sort", about: "order of neurons: 0 by number, 1 by first spike, 2 by rate in the visible time span", value: 0, least: 0, menu: ({ neurons }) => (neurons < 2 ? [] : ORDERS.map((order) => `By ${order}`)) },
    { name: "bands", about: "heights of populations: 0 by size, 1 equal", value: 0, least: 0, menu: ({ network }) => (network.populations.length < 2 ? [] : ["Height by size", "Equal heights"]) },
  ],
  lacking: () => null,
  make: (frame, info, chosen) => new Raster(frame, info, chosen),
};

/** Minimum height of a band, in font sizes, for which its number of neurons is shown, and for which it has an axis. */
const ROOMY = 2.4;
const WITH_AXIS = 7;
/** Maximum height of a dot. */
const HIGHEST_DOT = 10;
/** Spikes per device pixel above which a dot is one device pixel, and below which it grows again. */
const DENSE = [0.35, 0.25] as const;
/** Wall time after which the latest data are sorted again, in ms. */
const SORTED_MS = 700;
/** Minimum width of the time around the cursor in which spikes are counted, in ms. */
const NEAR_MS = 1;

/** One dot per spike: time from left to right, one band per population, in each the first neuron at the bottom. */
class Raster implements Plot {
  readonly #frame: Frame;
  readonly #info: Info;
  readonly #marks: readonly Mark[];
  readonly #sort: number;
  readonly #isEqual: boolean;
  #order: NeuronOrder | null = null;
  #sorted = { at: -Infinity, fromMs: NaN, toMs: NaN };
  #image: ImageData | null = null;
  #isDense = false;

  constructor(frame: Frame, info: Info, { settings }: Chosen) {
    this.#frame = frame;
    this.#info = info;
    this.#sort = settings["sort"] ?? 0;
    this.#isEqual = settings["bands"] === 1;
    this.#marks = marksOf(info.network.populations);
    frame.setAbout(info.neurons === 1 ? "of one neuron" : `of ${whole(info.neurons)} neurons`);
    frame.figure.style.setProperty("--_neurons", String(info.neurons));
    if (info.network.populations.length > 1) frame.setLegend(legendOf(info, (place) => info.network.populations[place]!.name));
  }

  get #surface(): Surface {
    return this.#frame.surface;
  }

  draw(scene: Scene): void {
    const { past, span } = scene;
    const surface = this.#surface;
    const area = surface.begin();
    this.#arrange(scene);
    const bands = this.#bands(area, scene);
    if (surface.isVector) this.#trace(area, bands, scene);
    else this.#paint(area, bands, scene);
    surface.timeAxis(area, span);
    surface.marks(area, span, past.marks.all, true);
    this.#names(area, bands);
    const { every } = past.spikes;
    this.#frame.setRemark(every === 1 ? "" : `too many to draw: every ${ordinal(every)} neuron`);
  }

  describe(scene: Scene): string {
    const { past: { spikes, members }, span } = scene;
    const { populations } = this.#info.network;
    const counts = new Float64Array(populations.length);
    spikes.each(firstStep(scene), endStep(scene), (_, neuron) => {
      const place = members[neuron]!;
      counts[place] = counts[place]! + 1;
    });
    const seconds = Math.max(span.nowMs - Math.max(span.fromMs, 0), 1e-9) / 1000;
    const rates = populations.map(({ name, first, size }, place) => {
      const drawn = Math.ceil((first + size) / spikes.every) - Math.ceil(first / spikes.every);
      return `${name} ${drawn > 0 ? short(counts[place]! / drawn / seconds) : "—"} Hz`;
    });
    const order = this.#sort === 0 ? "" : ` Sorted by ${ORDERS[this.#sort]}.`;
    return `Raster of spikes ${between(span)}. Mean rates: ${rates.join(", ")}.${order}`;
  }

  under(x: number, y: number, scene: Scene): string {
    const { area } = this.#surface;
    const timeMs = xToTime(x, area, scene.span);
    if (timeMs === null) return "";
    const { populations } = this.#info.network;
    const within = this.#bands(area, scene).map((band) => (band === null ? -1 : (y - area.top - band.top) / band.height));
    const place = within.findIndex((part) => part >= 0 && part < 1);
    const population = populations[place];
    if (!population) return "";
    const row = Math.min(Math.floor((1 - within[place]!) * population.size), population.size - 1);
    const neuron = this.#order === null ? row : this.#order.neurons[population.first + row]! - population.first;
    return `${population.name}[${neuron}] ${atTime(timeMs)}`;
  }

  at(timeMs: number, scene: Scene): string {
    const { past: { spikes, members }, span, hidden } = scene;
    const width = Math.max(NEAR_MS, (span.toMs - span.fromMs) / Math.max(this.#surface.area.width, 1));
    const { dtMs, network: { populations } } = this.#info;
    const counts = new Float64Array(populations.length);
    spikes.each(Math.max(0, Math.ceil((timeMs - width / 2) / dtMs)), Math.ceil((timeMs + width / 2) / dtMs), (_, neuron) => {
      const place = members[neuron]!;
      counts[place] = counts[place]! + 1;
    });
    const counted = populations.flatMap(({ name }, place) => (hidden?.has(name) ? [] : [`${name} ${whole(counts[place]!)}`]));
    return `${counted.join(", ")} spikes in ${short(width)} ms ${atTime(timeMs)}`;
  }

  *export(scene: Scene): Iterable<readonly (string | number)[]> {
    yield ["time_ms", "population", "neuron"];
    const { past: { spikes, members }, hidden } = scene;
    const { dtMs, network } = this.#info;
    const rows: [number, number][] = [];
    spikes.each(firstStep(scene), endStep(scene), (step, neuron) => rows.push([step, neuron]));
    for (const [step, neuron] of rows) {
      const { name, first } = network.populations[members[neuron]!]!;
      if (!hidden?.has(name)) yield [Number((step * dtMs).toPrecision(12)), name, neuron - first];
    }
  }

  /** One array of times and one of neurons per population. */
  arrays(scene: Scene): readonly NamedArray[] {
    const { past: { spikes, members }, hidden } = scene;
    const { dtMs, network: { populations } } = this.#info;
    const found = populations.map(() => ({ times: [] as number[], neurons: [] as number[] }));
    spikes.each(firstStep(scene), endStep(scene), (step, neuron) => {
      const one = found[members[neuron]!]!;
      one.times.push(Number((step * dtMs).toPrecision(12)));
      one.neurons.push(neuron);
    });
    return populations.flatMap(({ name, first }, place): NamedArray[] => {
      const { times, neurons } = found[place]!;
      if (hidden?.has(name)) return [];
      return [{ name: `${name}.time_ms`, values: Float64Array.from(times) }, { name: `${name}.neuron`, values: Uint32Array.from(neurons, (neuron) => neuron - first) }];
    });
  }

  /** The bands by population; null for hidden ones. */
  #bands(area: Area, { hidden }: Scene): (Band | null)[] {
    const { populations } = this.#info.network;
    const seen = populations.filter(({ name }) => !hidden?.has(name));
    const bands = share(seen, area.height, this.#isEqual);
    return populations.map((population) => bands[seen.indexOf(population)] ?? null);
  }

  /** Sorts the neurons of a view once, and those of the latest data now and then, so that they do not jump in each frame. */
  #arrange(scene: Scene): void {
    if (this.#sort === 0) return;
    const { past, span: { fromMs, toMs }, isReview = false } = scene;
    const now = performance.now();
    const isSame = this.#sorted.fromMs === fromMs && this.#sorted.toMs === toMs;
    if ((isReview && isSame) || (!isReview && now - this.#sorted.at < SORTED_MS)) return;
    this.#sorted = { at: now, fromMs, toMs };
    this.#order = orderOf(this.#sort, this.#info.network.populations, this.#info.neurons, (visit) => past.spikes.each(firstStep(scene), endStep(scene), visit));
  }

  #paint(area: Area, bands: readonly (Band | null)[], scene: Scene): void {
    const { past: { spikes, members }, span } = scene;
    const { ratio, pen, theme } = this.#surface;
    const [width, height] = [Math.floor(area.width * ratio), Math.floor(area.height * ratio)];
    if (width < 1 || height < 1) return;
    if (this.#image?.width !== width || this.#image.height !== height) this.#image = new ImageData(width, height);
    const pixels = new Uint32Array(this.#image.data.buffer).fill(0);

    const from = firstStep(scene);
    const passed = Math.max((span.nowMs - Math.max(span.fromMs, 0)) / (span.toMs - span.fromMs), 0.05);
    const density = spikes.count(from, endStep(scene)) / (width * height * passed);
    this.#isDense = density > DENSE[this.#isDense ? 1 : 0];
    const dot = this.#isDense ? 1 : Math.max(2, Math.round(1.5 * ratio));
    const rows = this.#info.network.populations.map(({ first, size }, place): Rows | null => {
      const band = bands[place];
      if (!band) return null;
      const pitch = (band.height * ratio) / size;
      const high = Math.floor(Math.min(Math.max(pitch * 0.8, dot), HIGHEST_DOT * ratio));
      // The lowest row, from which the others are counted upwards; dots are centred in rows that are higher. The tiny part keeps rounding
      // errors of the topmost row in the band.
      const top = (band.top + band.height) * ratio - pitch + Math.max(0, pitch - high) / 2 + 1e-6;
      return { first, top, pitch: -pitch, height: high, colour: theme.colour(this.#marks[place]!.use).word };
    });
    const perMs = width / (span.toMs - span.fromMs);
    const image = { pixels, width, height, perStep: this.#info.dtMs * perMs, offset: span.fromMs * perMs, dot, opacity: opacityAt(density * dot * dot) };
    paintSpikes(image, members, rows, this.#order?.rows ?? null, (visit) => spikes.each(from, endStep(scene), visit));
    pen.putImageData(this.#image, Math.round(area.left * ratio), Math.round(area.top * ratio));
  }

  /** Draws the spikes of each population as one path, for vector graphics. Spikes at the same half pixel are drawn once. */
  #trace(area: Area, bands: readonly (Band | null)[], scene: Scene): void {
    const { past: { spikes, members }, span } = scene;
    const { pen, theme } = this.#surface;
    const { dtMs, network: { populations } } = this.#info;
    const columns = Math.ceil(area.width * 2) + 1;
    populations.forEach(({ first, size }, place) => {
      const band = bands[place];
      if (!band) return;
      const drawn = new Uint8Array(columns * (Math.ceil(area.height * 2) + 1));
      const pitch = band.height / size;
      const high = Math.min(Math.max(pitch * 0.8, 1), HIGHEST_DOT);
      pen.strokeStyle = theme.colour(this.#marks[place]!.use).css;
      pen.lineWidth = high;
      pen.lineCap = "butt";
      pen.setLineDash([]);
      pen.beginPath();
      spikes.each(firstStep(scene), endStep(scene), (step, neuron) => {
        if (members[neuron] !== place) return;
        const x = ((step * dtMs - span.fromMs) / (span.toMs - span.fromMs)) * area.width;
        const row = this.#order === null ? neuron - first : this.#order.rows[neuron]!;
        const y = band.top + band.height - (row + 0.5) * pitch;
        const at = Math.floor(y * 2) * columns + Math.floor(x * 2);
        if (x < 0 || x >= area.width || drawn[at] === 1) return;
        drawn[at] = 1;
        pen.moveTo(area.left + x, area.top + y);
        pen.lineTo(area.left + x + 1.2, area.top + y);
      });
      pen.stroke();
    });
  }

  /** Draws names, sizes and axes of populations beside their bands. */
  #names({ left, top }: Area, bands: readonly (Band | null)[]): void {
    const surface = this.#surface;
    const { pen, theme } = surface;
    const { css, size } = theme.font;
    this.#info.network.populations.forEach((population, place) => {
      const band = bands[place];
      if (!band) return;
      pen.textAlign = "right";
      pen.textBaseline = "top";
      pen.fillStyle = theme.colour(this.#marks[place]!.use).css;
      pen.fillRect(left - 4, top + band.top, 3, band.height);
      pen.font = `600 ${css}`;
      pen.fillText(surface.shortened(population.name, left - 9), left - 8, top + band.top);
      pen.font = css;
      pen.fillStyle = theme.colour("muted").css;
      if (band.height < ROOMY * size) return;
      // Rows that are sorted have no numbers.
      if (this.#sort !== 0 || band.height < WITH_AXIS * size) return pen.fillText(surface.shortened(whole(population.size), left - 9), left - 8, top + band.top + size * 1.25);
      this.#numbers(population, band, left, top);
    });
  }

  /** Draws numbers of neurons below the name of a population. */
  #numbers({ size: neurons }: PopulationSummary, band: Band, left: number, top: number): void {
    const { pen, theme } = this.#surface;
    const { size } = theme.font;
    pen.textBaseline = "middle";
    for (const at of ticks(0, neurons, band.height / (size * 3.5))) {
      // The middle of the row.
      const y = band.top + band.height * (1 - (at + 0.5) / neurons);
      if (!Number.isInteger(at) || at >= neurons || y < size * 2 + band.top) continue;
      pen.fillText(whole(at), left - 8, top + Math.min(y, band.top + band.height - size * 0.4), left - 9);
      pen.fillRect(left - 6, top + y - 0.5, 2, 1);
    }
  }
}

/** The first step shown. */
function firstStep({ info, span }: Scene): number {
  return Math.max(0, Math.ceil(span.fromMs / info.dtMs));
}

/** The step after the last one shown. */
function endStep({ info, span }: Scene): number {
  return Math.ceil(span.toMs / info.dtMs);
}
