import type { Info, PopulationSummary } from "../raw.js";
import { short, whole } from "./numbers.js";
import { type Past, type Plot, between, figure } from "./plot.js";
import { type Area, type Span, Surface } from "./surface.js";
import { type Mark, type Theme, marksOf } from "./theme.js";

/** Room between two bands, in CSS pixels. */
const GAP = 6;
/** A band is at least this high, however few neurons it has. */
const LEAST_BAND = 16;
/** A dot is at most this high, however few neurons there are. */
const HIGHEST_DOT = 10;
/** Spikes per device pixel above which a dot is one device pixel. */
const DENSE = 0.3;

/** Where a population stands, in CSS pixels. */
interface Band {
  readonly top: number;
  readonly height: number;
}

/** A dot for each spike: time to the right, neurons from top to bottom, a band for each population. */
export class Raster implements Plot {
  readonly surface: Surface;
  readonly figure: HTMLElement;
  readonly #remark: HTMLElement;
  readonly #info: Info;
  readonly #marks: readonly Mark[];
  /** Number of the population of each neuron. */
  readonly #members: Uint16Array;
  #image: ImageData | null = null;

  constructor(info: Info, theme: Theme) {
    this.#info = info;
    this.surface = new Surface(theme);
    const { populations } = info.network;
    this.#marks = marksOf(populations);
    const made = figure("raster", "Spikes", info.neurons === 1 ? "of one neuron" : `of ${whole(info.neurons)} neurons`, this.surface, []);
    this.figure = made.figure;
    this.figure.style.setProperty("--_neurons", String(info.neurons));
    this.#remark = made.remark;
    this.#members = new Uint16Array(info.neurons);
    populations.forEach(({ first, size }, place) => this.#members.fill(place, first, first + size));
  }

  draw(past: Past, span: Span): void {
    const { surface } = this;
    const area = surface.begin();
    const bands = share(this.#info.network.populations, area.height);
    this.#paint(area, bands, past, span);
    surface.timeAxis(area, span);
    this.#names(area, bands);
    const { every } = past.spikes;
    const said = every === 1 ? "" : `too many to draw: every ${ordinal(every)} neuron`;
    if (this.#remark.textContent !== said) this.#remark.textContent = said;
  }

  describe({ spikes }: Past, span: Span): string {
    const { populations } = this.#info.network;
    const counts = populations.map(() => 0);
    spikes.each((_, neuron) => (counts[this.#members[neuron]!]! += 1));
    const seconds = Math.max(span.nowMs - Math.max(span.fromMs, 0), 1e-9) / 1000;
    const rates = populations.map(({ name, first, size }, place) => {
      const drawn = Math.ceil((first + size) / spikes.every) - Math.ceil(first / spikes.every);
      return `${name} ${drawn > 0 ? short(counts[place]! / drawn / seconds) : "—"} Hz`;
    });
    return `Raster of spikes ${between(span, whole)}. Mean rates: ${rates.join(", ")}.`;
  }

  /** Sets the pixels of all spikes at once: a call for each would not fit a frame. */
  #paint(area: Area, bands: readonly Band[], { spikes }: Past, span: Span): void {
    const { ratio, pen, theme } = this.surface;
    const [width, height] = [Math.floor(area.width * ratio), Math.floor(area.height * ratio)];
    if (width < 1 || height < 1) return;
    if (this.#image?.width !== width || this.#image.height !== height) this.#image = new ImageData(width, height);
    const pixels = new Uint32Array(this.#image.data.buffer).fill(0);

    const { populations } = this.#info.network;
    const passed = Math.max((span.nowMs - Math.max(span.fromMs, 0)) / (span.toMs - span.fromMs), 0.05);
    const density = spikes.count / (width * height * passed);
    const dot = density > DENSE ? 1 : Math.max(2, Math.round(1.5 * ratio));
    const rows = populations.map(({ size }, place) => (bands[place]!.height * ratio) / size);
    const heights = rows.map((row) => Math.floor(Math.min(Math.max(row * 0.8, dot), HIGHEST_DOT * ratio)));
    const opacity = opacityAt(density * dot * dot) << 24;
    const colours = this.#marks.map(({ use }) => theme.colour(use).word);
    // In the middle of the row, where that is higher.
    const tops = bands.map(({ top }, place) => top * ratio + Math.max(0, rows[place]! - heights[place]!) / 2);
    const firsts = populations.map(({ first }) => first);

    const perStep = (this.#info.dtMs / (span.toMs - span.fromMs)) * width;
    const offset = (span.fromMs / (span.toMs - span.fromMs)) * width;
    const members = this.#members;
    spikes.each((step, neuron) => {
      const place = members[neuron]!;
      const left = Math.floor(step * perStep - offset);
      if (left < 0) return;
      const top = Math.floor(tops[place]! + (neuron - firsts[place]!) * rows[place]!);
      const right = Math.min(left + dot, width);
      const bottom = Math.min(top + heights[place]!, height);
      for (let y = top; y < bottom; y += 1) {
        for (let at = y * width + left; at < y * width + right; at += 1) {
          // Upon each other they become darker, up to full.
          const alpha = Math.min((pixels[at]! >>> 24) + (opacity >>> 24), 255);
          pixels[at] = colours[place]! | (alpha << 24);
        }
      }
    });
    pen.putImageData(this.#image, Math.round(area.left * ratio), Math.round(area.top * ratio));
  }

  #names({ left, top }: Area, bands: readonly Band[]): void {
    const { pen, theme } = this.surface;
    pen.textAlign = "right";
    pen.textBaseline = "top";
    this.#info.network.populations.forEach(({ name }, place) => {
      const band = bands[place]!;
      pen.fillStyle = theme.colour(this.#marks[place]!.use).css;
      pen.fillRect(left - 4, top + band.top, 3, band.height);
      pen.fillStyle = theme.colour("ink").css;
      pen.fillText(name, left - 8, top + band.top, left - 9);
    });
  }
}

/** Shares a height among populations by their sizes; none vanishes. */
function share(populations: readonly PopulationSummary[], height: number): Band[] {
  const free = Math.max(height - GAP * (populations.length - 1), 1);
  const least = Math.min(LEAST_BAND, free / populations.length);
  const rest = free - least * populations.length;
  const all = populations.reduce((sum, { size }) => sum + size, 0);
  let top = 0;
  return populations.map(({ size }) => {
    const band = { top, height: least + (rest * size) / Math.max(all, 1) };
    top += band.height + GAP;
    return band;
  });
}

/** How opaque one spike makes a pixel, of 255, where there are `cover` on each: one alone is seen well, and many do not drown. */
function opacityAt(cover: number): number {
  const shade = Math.min(255 * Math.sqrt(0.1 / Math.max(cover, 1e-3)), 120 / Math.max(cover, 1e-3));
  return Math.round(Math.min(Math.max(shade, 8), 255));
}

/** Of powers of two. */
function ordinal(every: number): string {
  return every === 2 ? "second" : `${every}${every % 10 === 2 && every % 100 !== 12 ? "nd" : "th"}`;
}
