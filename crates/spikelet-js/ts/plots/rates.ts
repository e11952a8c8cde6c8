import type { Info } from "../raw.js";
import type { NamedArray } from "./export/npz.js";
import { type Frame, legendOf } from "./frame.js";
import { SteadyRange, short } from "./numbers.js";
import type { Chosen, Plot, PlotKind, Scene } from "./plot.js";
import { type Binned, binsIn, rebinned, smoothed } from "./smooth.js";
import { timeToX, valueToY, xToTime } from "./surface.js";
import { DASHES, type Mark, marksOf } from "./theme.js";
import { atTime, between } from "./words.js";

/** Widths of bins and standard deviations of the kernel that can be chosen, in ms; 0 is automatic, or none. */
const BINS_MS = [0, 5, 10, 20, 50, 100, 200] as const;
const SIGMAS_MS = [0, 5, 10, 20, 50, 100] as const;

/** The plot of mean firing rates. */
export const RATES: PlotKind = {
  name: "rates",
  title: "Mean rate",
  about: "the mean firing rate of each population, in bins of 5 ms for windows of up to 5 s, in wider bins for small populations; lines of the same colour have different dashes",
  needs: ["rates"],
  standard: true,
  settings: [
    { name: "reach", about: "least upper end of the axis in Hz", value: 8, least: 1 },
    {
      name: "bin", about: `width of bins: 0 automatic, 1 to ${BINS_MS.length - 1} for ${BINS_MS.slice(1).join(", ")} ms`, value: 0, least: 0,
      menu: () => BINS_MS.map((width) => (width === 0 ? "Automatic bins" : `Bins of ${width} ms`)),
    },
    {
      name: "smooth", about: `smoothing by a Gaussian kernel: 0 none, 1 to ${SIGMAS_MS.length - 1} for a standard deviation of ${SIGMAS_MS.slice(1).join(", ")} ms`, value: 0, least: 0,
      menu: () => SIGMAS_MS.map((sigma) => (sigma === 0 ? "Not smoothed" : `Gaussian, σ ${sigma} ms`)),
    },
  ],
  lacking: () => null,
  make: (frame, info, chosen) => new Rates(frame, info, chosen),
};

/** The kernel reaches beyond the view by this number of standard deviations. */
const REACH = 4;

/** The mean firing rate of each population over time. */
class Rates implements Plot {
  readonly #frame: Frame;
  readonly #info: Info;
  readonly #marks: readonly Mark[];
  readonly #reach: number;
  readonly #binMs: number;
  readonly #sigmaMs: number;
  readonly #range = new SteadyRange();
  #about = "";

  constructor(frame: Frame, info: Info, { settings }: Chosen) {
    this.#frame = frame;
    this.#info = info;
    this.#reach = settings["reach"]!;
    this.#binMs = BINS_MS[settings["bin"] ?? 0] ?? 0;
    this.#sigmaMs = SIGMAS_MS[settings["smooth"] ?? 0] ?? 0;
    this.#marks = marksOf(info.network.populations);
  }

  draw(scene: Scene): void {
    const { past: { marks }, span } = scene;
    const { surface } = this.#frame;
    this.#tell(scene);
    const { pen, theme } = surface;
    const area = surface.begin();
    const curves = this.#curves(scene);
    let most = this.#reach;
    for (const curve of curves) if (curve) each(curve, span.fromMs, span.toMs, (_, rate) => (most = Math.max(most, rate)));
    const range = this.#range.hold(0, most);
    surface.within(area, () => {
      pen.lineWidth = 1.5;
      pen.lineJoin = "round";
      this.#marks.forEach(({ use, dash }, place) => {
        const curve = curves[place];
        if (!curve) return;
        pen.strokeStyle = theme.colour(use).css;
        pen.setLineDash([...DASHES[dash]!]);
        // Counts in bins are steps; only what is smoothed is a curve.
        const half = this.#sigmaMs > 0 ? 0 : curve.binMs / 2;
        surface.line((to) => each(curve, span.fromMs, span.toMs, (timeMs, rate) => {
          const y = valueToY(rate, area, range);
          to(timeToX(timeMs - half, area, span), y);
          if (half > 0) to(timeToX(timeMs + half, area, span), y);
        }));
      });
    });
    surface.marks(area, span, marks.all, false);
    surface.timeAxis(area, span);
    surface.valueAxis(area, range);
  }

  describe(scene: Scene): string {
    const { span } = scene;
    const curves = this.#curves(scene);
    const said = this.#info.network.populations.map(({ name }, place) => {
      const curve = curves[place];
      if (!curve) return `${name} is hidden`;
      let [least, most, last] = [Infinity, -Infinity, NaN];
      each(curve, span.fromMs, span.toMs, (_, rate) => ([least, most, last] = [Math.min(least, rate), Math.max(most, rate), rate]));
      return Number.isNaN(last) ? `${name} not available yet` : `${name} ${short(last)} Hz, between ${short(least)} and ${short(most)} Hz`;
    });
    return `Mean firing rates ${between(span)}: ${said.join("; ")}.`;
  }

  under(x: number, _: number, scene: Scene): string {
    const timeMs = xToTime(x, this.#frame.surface.area, scene.span);
    return timeMs === null ? "" : this.at(timeMs, scene);
  }

  at(timeMs: number, scene: Scene): string {
    const curves = this.#curves(scene);
    const said = this.#info.network.populations.flatMap(({ name }, place) => {
      const curve = curves[place];
      const value = curve ? curve.values[Math.round((timeMs - curve.startMs) / curve.binMs)] : undefined;
      return value === undefined || Number.isNaN(value) ? [] : [`${name} ${short(value)} Hz`];
    });
    return said.length === 0 ? "" : `${said.join(", ")} ${atTime(timeMs)}`;
  }

  *export(scene: Scene): Iterable<readonly (string | number)[]> {
    yield ["time_ms", "population", "rate_hz"];
    const curves = this.#curves(scene);
    for (const [place, { name }] of this.#info.network.populations.entries()) {
      const rows: [number, string, number][] = [];
      const curve = curves[place];
      if (curve) each(curve, scene.span.fromMs, scene.span.toMs, (timeMs, rate) => rows.push([Number(timeMs.toPrecision(12)), name, rate]));
      yield* rows;
    }
  }

  /** One array of times and one of rates per population. */
  arrays(scene: Scene): readonly NamedArray[] {
    return this.#curves(scene).flatMap((curve, place): NamedArray[] => {
      if (!curve) return [];
      const [times, rates]: [number[], number[]] = [[], []];
      each(curve, scene.span.fromMs, scene.span.toMs, (timeMs, rate) => void (times.push(Number(timeMs.toPrecision(12))), rates.push(rate)));
      const { name } = this.#info.network.populations[place]!;
      return [{ name: `${name}.time_ms`, values: Float64Array.from(times) }, { name: `${name}.rate_hz`, values: Float64Array.from(rates) }];
    });
  }

  /** The rates by population; null for hidden ones. */
  #curves({ past: { rates }, span, hidden }: Scene): (Binned | null)[] {
    return this.#info.network.populations.map(({ name }, place) => {
      if (hidden?.has(name)) return null;
      const narrow = rates.binMs(place);
      const together = this.#binMs === 0 ? 1 : binsIn(this.#binMs, narrow);
      const around = REACH * this.#sigmaMs + together * narrow;
      const points: [number, number][] = [];
      rates.each(place, span.fromMs - around, span.toMs + around, (timeMs, rate) => points.push([timeMs, rate]));
      return smoothed(rebinned(points, narrow, together), this.#sigmaMs);
    });
  }

  /** Describes the lines and bins; populations with wider bins are listed separately. */
  #tell({ past: { rates } }: Scene): void {
    const { populations } = this.#info.network;
    const widths = populations.map((_, place) => {
      const narrow = rates.binMs(place);
      return this.#binMs === 0 ? narrow : narrow * binsIn(this.#binMs, narrow);
    });
    const usual = Math.min(...widths);
    const kernel = this.#sigmaMs === 0 ? "" : `, Gaussian of ${this.#sigmaMs} ms`;
    // The bins of a long run become wider.
    const about = `in Hz, mean of ${short(usual)} ms${kernel}`;
    if (about === this.#about) return;
    this.#about = about;
    this.#frame.setAbout(about);
    const named = (place: number) => populations[place]!.name + (widths[place] === usual ? "" : ` (${short(widths[place]!)} ms)`);
    this.#frame.setLegend(legendOf(this.#info, named));
  }
}

/** Calls `visit` for each bin with a value whose centre is between two times, and for their neighbours. */
function each({ startMs, binMs, values }: Binned, fromMs: number, toMs: number, visit: (timeMs: number, value: number) => void): void {
  const first = Math.max(0, Math.floor((fromMs - startMs) / binMs));
  const last = Math.min(values.length - 1, Math.ceil((toMs - startMs) / binMs));
  for (let bin = first; bin <= last; bin += 1) {
    const value = values[bin]!;
    if (!Number.isNaN(value)) visit(startMs + bin * binMs, value);
  }
}
