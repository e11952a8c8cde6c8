import type { Info } from "../raw.js";
import { type Frame, legendOf } from "./frame.js";
import { SteadyRange, short } from "./numbers.js";
import type { Chosen, Plot, PlotKind, Scene } from "./plot.js";
import { timeToX, valueToY, xToTime } from "./surface.js";
import { DASHES, type Mark, marksOf } from "./theme.js";
import { atTime, between } from "./words.js";

/** The plot of mean firing rates. */
export const RATES: PlotKind = {
  name: "rates",
  title: "Mean rate",
  about: "the mean firing rate of each population, in bins of 5 ms for windows of up to 5 s, in wider bins for small populations; lines of the same colour have different dashes",
  needs: ["rates"],
  settings: [{ name: "reach", about: "least upper end of the axis in Hz", value: 8, least: 1 }],
  lacking: () => null,
  make: (frame, info, chosen) => new Rates(frame, info, chosen),
};

/** The mean firing rate of each population over time. */
class Rates implements Plot {
  readonly #frame: Frame;
  readonly #info: Info;
  readonly #marks: readonly Mark[];
  readonly #reach: number;
  readonly #range = new SteadyRange();
  #isTold = false;

  constructor(frame: Frame, info: Info, { settings }: Chosen) {
    this.#frame = frame;
    this.#info = info;
    this.#reach = settings["reach"]!;
    this.#marks = marksOf(info.network.populations);
  }

  draw(scene: Scene): void {
    const { past: { rates, marks }, span } = scene;
    const { surface } = this.#frame;
    this.#tell(scene);
    const { pen, theme } = surface;
    const area = surface.begin();
    let most = this.#reach;
    this.#marks.forEach((_, place) => rates.each(place, span.fromMs, (_, rate) => (most = Math.max(most, rate))));
    const range = this.#range.hold(0, most);
    surface.within(area, () => {
      pen.lineWidth = 1.5;
      pen.lineJoin = "round";
      this.#marks.forEach(({ use, dash }, place) => {
        pen.strokeStyle = theme.colour(use).css;
        pen.setLineDash([...DASHES[dash]!]);
        surface.line((to) => rates.each(place, span.fromMs, (timeMs, rate) => to(timeToX(timeMs, area, span), valueToY(rate, area, range))));
      });
    });
    surface.marks(area, span, marks.all, false);
    surface.timeAxis(area, span);
    surface.valueAxis(area, range);
  }

  describe({ past: { rates }, span }: Scene): string {
    const said = this.#info.network.populations.map(({ name }, place) => {
      let [least, most, last] = [Infinity, -Infinity, NaN];
      rates.each(place, span.fromMs, (_, rate) => ([least, most, last] = [Math.min(least, rate), Math.max(most, rate), rate]));
      return Number.isNaN(last) ? `${name} not available yet` : `${name} ${short(last)} Hz, between ${short(least)} and ${short(most)} Hz`;
    });
    return `Mean firing rates ${between(span)}: ${said.join("; ")}.`;
  }

  under(x: number, _: number, { past: { rates }, span }: Scene): string {
    const timeMs = xToTime(x, this.#frame.surface.area, span);
    if (timeMs === null) return "";
    const said = this.#info.network.populations.flatMap(({ name }, place) => {
      const half = rates.binMs(place) / 2;
      let found: number | null = null;
      rates.each(place, timeMs - half, (middle, rate) => {
        if (Math.abs(middle - timeMs) <= half) found ??= rate;
      });
      return found === null ? [] : [`${name} ${short(found)} Hz`];
    });
    return said.length === 0 ? "" : `${said.join(", ")} ${atTime(timeMs)}`;
  }

  *export({ past: { rates }, span }: Scene): Iterable<readonly (string | number)[]> {
    yield ["time_ms", "population", "rate_hz"];
    for (const [place, { name }] of this.#info.network.populations.entries()) {
      const rows: [number, string, number][] = [];
      rates.each(place, span.fromMs, (timeMs, rate) => rows.push([Number(timeMs.toPrecision(12)), name, rate]));
      yield* rows;
    }
  }

  /** Describes the lines and bins; populations with wider bins are listed separately. */
  #tell({ past: { rates } }: Scene): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const { populations } = this.#info.network;
    const widths = populations.map((_, place) => rates.binMs(place));
    const usual = Math.min(...widths);
    this.#frame.setAbout(`in Hz, mean of ${short(usual)} ms`);
    const named = (place: number) => populations[place]!.name + (widths[place] === usual ? "" : ` (${short(widths[place]!)} ms)`);
    this.#frame.setLegend(legendOf(this.#info, named));
  }
}
