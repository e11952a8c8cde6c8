import type { Info, PopulationSummary } from "../raw.js";
import type { Frame } from "./frame.js";
import { short, whole } from "./numbers.js";
import type { Plot, PlotKind, Scene } from "./plot.js";
import { type Area, type Surface, xToTime } from "./surface.js";
import { type Mark, marksOf } from "./theme.js";
import { atTime, between, ordinal } from "./words.js";

/** The plot of all spikes. */
export const RASTER: PlotKind = {
  name: "raster",
  title: "Spikes",
  about: "one dot per spike, one band per population; above two million spikes in the window it shows only every second, fourth, … neuron and reports this",
  needs: ["spikes"],
  settings: [],
  lacking: () => null,
  make: (frame, info) => new Raster(frame, info),
};

/** Space between two bands, in CSS pixels. */
const GAP = 6;
/** Minimum height of a band. */
const MIN_BAND = 20;
/** Minimum height of a band, in font sizes, for which its number of neurons is shown. */
const ROOMY = 2.4;
/** Maximum height of a dot. */
const HIGHEST_DOT = 10;
/** Spikes per device pixel above which a dot is one device pixel, and below which it grows again. */
const DENSE = [0.35, 0.25] as const;

/** Position of a population, in CSS pixels. */
interface Band {
  readonly top: number;
  readonly height: number;
}

/** One dot per spike: time from left to right, neurons from top to bottom, one band per population. */
class Raster implements Plot {
  readonly #frame: Frame;
  readonly #info: Info;
  readonly #marks: readonly Mark[];
  #image: ImageData | null = null;
  #isDense = false;

  constructor(frame: Frame, info: Info) {
    this.#frame = frame;
    this.#info = info;
    this.#marks = marksOf(info.network.populations);
    frame.setAbout(info.neurons === 1 ? "of one neuron" : `of ${whole(info.neurons)} neurons`);
    frame.figure.style.setProperty("--_neurons", String(info.neurons));
  }

  get #surface(): Surface {
    return this.#frame.surface;
  }

  draw(scene: Scene): void {
    const { past, span } = scene;
    const surface = this.#surface;
    const area = surface.begin();
    const bands = share(this.#info.network.populations, area.height);
    this.#paint(area, bands, scene);
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
    spikes.each(firstStep(scene), (_, neuron) => {
      const place = members[neuron]!;
      counts[place] = counts[place]! + 1;
    });
    const seconds = Math.max(span.nowMs - Math.max(span.fromMs, 0), 1e-9) / 1000;
    const rates = populations.map(({ name, first, size }, place) => {
      const drawn = Math.ceil((first + size) / spikes.every) - Math.ceil(first / spikes.every);
      return `${name} ${drawn > 0 ? short(counts[place]! / drawn / seconds) : "—"} Hz`;
    });
    return `Raster of spikes ${between(span)}. Mean rates: ${rates.join(", ")}.`;
  }

  under(x: number, y: number, { span }: Scene): string {
    const { area } = this.#surface;
    const timeMs = xToTime(x, area, span);
    if (timeMs === null) return "";
    const { populations } = this.#info.network;
    const within = share(populations, area.height).map(({ top, height }) => (y - area.top - top) / height);
    const place = within.findIndex((part) => part >= 0 && part < 1);
    const population = populations[place];
    return population ? `${population.name}[${Math.floor(within[place]! * population.size)}] ${atTime(timeMs)}` : "";
  }

  *export(scene: Scene): Iterable<readonly (string | number)[]> {
    yield ["time_ms", "population", "neuron"];
    const { past: { spikes, members } } = scene;
    const { dtMs, network } = this.#info;
    const rows: [number, number][] = [];
    spikes.each(firstStep(scene), (step, neuron) => rows.push([step, neuron]));
    for (const [step, neuron] of rows) {
      const { name, first } = network.populations[members[neuron]!]!;
      yield [Number((step * dtMs).toPrecision(12)), name, neuron - first];
    }
  }

  /** Sets the pixels of all spikes at once; one call per spike is too slow for a frame. */
  #paint(area: Area, bands: readonly Band[], scene: Scene): void {
    const { past: { spikes, members }, span } = scene;
    const { ratio, pen, theme } = this.#surface;
    const [width, height] = [Math.floor(area.width * ratio), Math.floor(area.height * ratio)];
    if (width < 1 || height < 1) return;
    if (this.#image?.width !== width || this.#image.height !== height) this.#image = new ImageData(width, height);
    const pixels = new Uint32Array(this.#image.data.buffer).fill(0);

    const { populations } = this.#info.network;
    const from = firstStep(scene);
    const passed = Math.max((span.nowMs - Math.max(span.fromMs, 0)) / (span.toMs - span.fromMs), 0.05);
    const density = spikes.countSince(from) / (width * height * passed);
    this.#isDense = density > DENSE[this.#isDense ? 1 : 0];
    const dot = this.#isDense ? 1 : Math.max(2, Math.round(1.5 * ratio));
    const rows = populations.map(({ size }, place) => (bands[place]!.height * ratio) / size);
    const heights = rows.map((row) => Math.floor(Math.min(Math.max(row * 0.8, dot), HIGHEST_DOT * ratio)));
    const opacity = opacityAt(density * dot * dot);
    const colours = this.#marks.map(({ use }) => theme.colour(use).word);
    // Centred in the row if the row is higher.
    const tops = bands.map(({ top }, place) => top * ratio + Math.max(0, rows[place]! - heights[place]!) / 2);
    const firsts = populations.map(({ first }) => first);

    const perStep = (this.#info.dtMs / (span.toMs - span.fromMs)) * width;
    const offset = (span.fromMs / (span.toMs - span.fromMs)) * width;
    spikes.each(from, (step, neuron) => {
      const place = members[neuron]!;
      const left = Math.floor(step * perStep - offset);
      if (left < 0) return;
      const top = Math.floor(tops[place]! + (neuron - firsts[place]!) * rows[place]!);
      const right = Math.min(left + dot, width);
      const bottom = Math.min(top + heights[place]!, height);
      for (let y = top; y < bottom; y += 1) {
        for (let at = y * width + left; at < y * width + right; at += 1) {
          // Overlapping dots are darker, up to full opacity.
          const alpha = Math.min((pixels[at]! >>> 24) + opacity, 255);
          pixels[at] = colours[place]! | (alpha << 24);
        }
      }
    });
    pen.putImageData(this.#image, Math.round(area.left * ratio), Math.round(area.top * ratio));
  }

  /** Draws names and sizes of populations beside their bands. */
  #names({ left, top }: Area, bands: readonly Band[]): void {
    const surface = this.#surface;
    const { pen, theme } = surface;
    const { css, size } = theme.font;
    pen.textAlign = "right";
    pen.textBaseline = "top";
    this.#info.network.populations.forEach((population, place) => {
      const band = bands[place]!;
      pen.fillStyle = theme.colour(this.#marks[place]!.use).css;
      pen.fillRect(left - 4, top + band.top, 3, band.height);
      pen.font = `600 ${css}`;
      pen.fillText(surface.shortened(population.name, left - 9), left - 8, top + band.top);
      pen.font = css;
      if (band.height < ROOMY * size) return;
      pen.fillStyle = theme.colour("muted").css;
      pen.fillText(surface.shortened(whole(population.size), left - 9), left - 8, top + band.top + size * 1.25);
    });
  }
}

/** The first step shown. */
function firstStep({ info, span }: Scene): number {
  return Math.max(0, Math.ceil(span.fromMs / info.dtMs));
}

/** Divides a height among populations in proportion to their sizes, with a minimum height. */
export function share(populations: readonly Pick<PopulationSummary, "size">[], height: number): Band[] {
  const free = Math.max(height - GAP * (populations.length - 1), 1);
  const least = Math.min(MIN_BAND, free / populations.length);
  const rest = free - least * populations.length;
  const all = populations.reduce((sum, { size }) => sum + size, 0);
  let top = 0;
  return populations.map(({ size }) => {
    const band = { top, height: least + (rest * size) / Math.max(all, 1) };
    top += band.height + GAP;
    return band;
  });
}

/** Opacity of a spike, of 255, for `cover` spikes per pixel: single spikes are visible, dense ones do not saturate. */
export function opacityAt(cover: number): number {
  const shade = Math.min(255 * Math.sqrt(0.1 / Math.max(cover, 1e-3)), 120 / Math.max(cover, 1e-3));
  return Math.round(Math.min(Math.max(shade, 8), 255));
}
