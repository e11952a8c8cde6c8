import type { Info } from "../raw.js";
import { SteadyRange, quantity, short, whole } from "./numbers.js";
import { type Past, type Plot, between, figure } from "./plot.js";
import { type Area, type Span, Surface, timeToX, valueToY } from "./surface.js";
import type { Mark, Theme } from "./theme.js";
import type { TraceWindow } from "./windows.js";

/** What a plot of traces shows: some of the recorded columns, all of one unit. */
export interface Traced {
  readonly title: string;
  readonly unit: string;
  readonly lanes: readonly { readonly label: string; readonly column: number; readonly use: Mark["use"] }[];
  /** What is not shown; empty where all is. */
  readonly remark: string;
}

/** Room above a lane for its name, in sizes of the font; there is none above a single one, which the caption names. */
const NAME = 1.6;

/** A recorded variable over time, a lane for each neuron, all on the same scale. */
export class TracePlot implements Plot {
  readonly surface: Surface;
  readonly figure: HTMLElement;
  readonly #traced: Traced;
  readonly #dtMs: number;
  readonly #range = new SteadyRange();

  constructor(traced: Traced, info: Info, theme: Theme) {
    this.#traced = traced;
    this.#dtMs = info.dtMs;
    this.surface = new Surface(theme);
    const { title, unit, lanes, remark } = traced;
    const of = lanes.length === 1 ? [`of ${lanes[0]!.label}`] : [];
    const words = [...of, ...(unit === "" ? [] : [`in ${unit}`]), ...(remark === "" ? [] : [remark])];
    const made = figure("trace", title, words.join(", "), this.surface, []);
    this.figure = made.figure;
    this.figure.style.setProperty("--_lanes", String(lanes.length));
  }

  draw({ traces }: Past, span: Span): void {
    const { surface } = this;
    const area = surface.begin();
    const { lanes } = this.#traced;
    let [least, most] = [Infinity, -Infinity];
    for (const { column } of lanes) {
      traces.each(column, (_, low, high) => ([least, most] = [Math.min(least, low), Math.max(most, high)]));
    }
    surface.timeAxis(area, span);
    if (least > most) return;
    const range = this.#range.hold(least, most);
    const name = lanes.length > 1 ? NAME * surface.theme.font.size : 0;
    const each = area.height / lanes.length;
    lanes.forEach((lane, place) => {
      const part = { ...area, top: area.top + place * each + name, height: Math.max(each - name, 1) };
      this.#lane(lane, part, range, traces, span);
    });
  }

  #lane(lane: Traced["lanes"][number], area: Area, range: readonly [number, number], traces: TraceWindow, span: Span): void {
    const { pen, theme } = this.surface;
    this.surface.within(area, () => {
      pen.strokeStyle = theme.colour(lane.use).css;
      pen.lineWidth = 1.25;
      pen.lineJoin = "round";
      pen.beginPath();
      let last = 0;
      traces.each(lane.column, (step, low, high) => {
        const x = timeToX(step * this.#dtMs, area, span);
        // From where the line is to the nearer end first.
        const [first, second] = Math.abs(last - low) <= Math.abs(last - high) ? [low, high] : [high, low];
        pen.lineTo(x, valueToY(first, area, range));
        if (second !== first) pen.lineTo(x, valueToY(second, area, range));
        last = second;
      });
      pen.stroke();
    });
    this.surface.valueAxis(area, range);
    if (this.#traced.lanes.length > 1) this.surface.name(lane.label, area);
  }

  describe({ traces }: Past, span: Span): string {
    const { title, unit, lanes } = this.#traced;
    const said = lanes.map(({ label, column }) => {
      let [least, most] = [Infinity, -Infinity];
      traces.each(column, (_, low, high) => ([least, most] = [Math.min(least, low), Math.max(most, high)]));
      return least > most ? `${label} not known yet` : `${label} between ${short(least, 4)} and ${quantity(most, unit, 4)}`;
    });
    return `${title} ${between(span, whole)}: ${said.join("; ")}.`;
  }
}
