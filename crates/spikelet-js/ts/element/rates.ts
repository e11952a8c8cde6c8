import type { Info } from "../raw.js";
import { SteadyRange, short, whole } from "./numbers.js";
import { type Past, type Plot, between, figure, legendOf } from "./plot.js";
import { type Span, Surface, timeToX, valueToY } from "./surface.js";
import { DASHES, type Mark, type Theme, marksOf } from "./theme.js";

/** The axis reaches at least so far, in Hz: a silent network has a scale, too. */
const LEAST_HZ = 8;

/** The mean firing rate of each population over time. */
export class RatePlot implements Plot {
  readonly surface: Surface;
  readonly figure: HTMLElement;
  readonly #info: Info;
  readonly #marks: readonly Mark[];
  readonly #range = new SteadyRange();

  constructor(info: Info, theme: Theme) {
    this.#info = info;
    this.#marks = marksOf(info.network.populations);
    this.surface = new Surface(theme);
    this.figure = figure("rates", "Mean rate", "in Hz", this.surface, legendOf(info.network.populations)).figure;
  }

  draw({ rates }: Past, span: Span): void {
    const { surface } = this;
    const { pen, theme } = surface;
    const area = surface.begin();
    const { populations } = this.#info.network;
    let most = LEAST_HZ;
    populations.forEach((_, place) => rates.each(place, (timeMs, rate) => {
      if (timeMs >= span.fromMs) most = Math.max(most, rate);
    }));
    const range = this.#range.hold(0, most);
    surface.within(area, () => {
      pen.lineWidth = 1.5;
      pen.lineJoin = "round";
      this.#marks.forEach(({ use, dash }, place) => {
        pen.strokeStyle = theme.colour(use).css;
        pen.setLineDash([...DASHES[dash]!]);
        pen.beginPath();
        rates.each(place, (timeMs, rate) => pen.lineTo(timeToX(timeMs, area, span), valueToY(rate, area, range)));
        pen.stroke();
      });
    });
    surface.timeAxis(area, span);
    surface.valueAxis(area, range);
  }

  describe({ rates }: Past, span: Span): string {
    const said = this.#info.network.populations.map(({ name }, place) => {
      let [least, most, last] = [Infinity, -Infinity, NaN];
      rates.each(place, (_, rate) => ([least, most, last] = [Math.min(least, rate), Math.max(most, rate), rate]));
      return Number.isNaN(last) ? `${name} not known yet` : `${name} ${short(last)} Hz, between ${short(least)} and ${short(most)} Hz`;
    });
    return `Mean firing rates ${between(span, whole)}: ${said.join("; ")}.`;
  }
}
