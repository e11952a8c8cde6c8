import type { Info } from "../raw.js";
import type { Frame } from "./frame.js";
import { SteadyRange, quantity, short, whole as counted } from "./numbers.js";
import type { Chosen, Plot, PlotKind, Scene } from "./plot.js";
import { type Area, type Span, timeToX, valueToY, xToTime } from "./surface.js";
import { atTime, between } from "./words.js";

/** The plot of synaptic weights. */
export const WEIGHTS: PlotKind = {
  name: "weights",
  title: "Weights",
  about: "one of the `statistics` of the network: the current histogram, and mean and standard deviation since the start",
  needs: ["statistics"],
  standard: true,
  settings: [{
    name: "statistic",
    about: "index of the statistic, from 0",
    value: 0,
    least: 0,
    menu: ({ statistics }) => statistics.map(({ label, unit }) => (unit === "" ? label : `${label} in ${unit}`)),
  }],
  lacking: ({ network, statistics }) =>
    statistics.length > 0 || network.projections.some(({ learns }) => learns) ? null : "the network has no plastic synapses, and no statistics of synapses (`statistics`)",
  make: (frame, info, chosen) => new Weights(frame, info, chosen),
};

/** Space between the histogram and the plot below it. */
const GAP = 30;
/** Fraction of the height for the histogram. */
const SHARE = 0.5;
/** Minimum extent of the histogram's axis. */
const MIN_COUNT = 4;

/** A statistic over the synapses of a projection. */
class Weights implements Plot {
  readonly #frame: Frame;
  readonly #statistic: number;
  readonly #label: string;
  readonly #unit: string;
  readonly #ends: readonly number[];
  readonly #counts = new SteadyRange();
  readonly #values = new SteadyRange();

  constructor(frame: Frame, info: Info, { settings }: Chosen) {
    this.#frame = frame;
    this.#statistic = settings["statistic"]!;
    const { label = "", unit = "", ends = [] } = info.statistics[this.#statistic] ?? {};
    [this.#label, this.#unit, this.#ends] = [label, unit, ends];
    // If there are several, the menu shows the name of the current one.
    if (info.statistics.length === 1) frame.setAbout(unit === "" ? label : `${label} in ${unit}`);
    if (info.statistics.length > 0) return;
    frame.figure.classList.add("bare");
    frame.setAbout("the network has no statistics");
  }

  draw(scene: Scene): void {
    const { past: { statistics, marks } } = scene;
    const span = whole(scene.span);
    const { surface } = this.#frame;
    const area = surface.begin();
    this.#frame.setRemark(this.#latest(scene));
    const upper = this.#ends.length === 0 ? 0 : (area.height - GAP) * SHARE;
    if (upper > 0) this.#histogram({ ...area, height: upper }, scene);
    const top = upper > 0 ? area.top + upper + GAP : area.top;
    const lower = { ...area, top, height: Math.max(1, area.top + area.height - top) };
    if (statistics.latest(this.#statistic) !== null) this.#overTime(lower, span, scene);
    surface.marks(lower, span, marks.all, false);
    surface.timeAxis(lower, span);
  }

  describe(scene: Scene): string {
    const latest = this.#latest(scene);
    return latest === "" ? "Weights: no data yet." : `Weights ${between(whole(scene.span))}: ${this.#label} is ${latest} now.`;
  }

  under(x: number, _: number, { past: { statistics }, span }: Scene): string {
    const timeMs = xToTime(x, this.#frame.surface.area, whole(span));
    const moment = timeMs === null ? undefined : statistics.moments(this.#statistic).findLast((one) => one.timeMs <= timeMs);
    return moment ? `${this.#words(moment)} ${atTime(moment.timeMs)}` : "";
  }

  *export({ past: { statistics } }: Scene): Iterable<readonly (string | number)[]> {
    yield ["time_ms", "statistic", "unit", "mean", "sd"];
    for (const { timeMs, mean, sd } of statistics.moments(this.#statistic)) {
      yield [Number(timeMs.toPrecision(12)), this.#label, this.#unit, mean, sd];
    }
  }

  /** The last value: `1.2 ± 0.3 mV`. */
  #latest({ past: { statistics } }: Scene): string {
    const latest = statistics.latest(this.#statistic);
    return latest === null ? "" : this.#words(latest);
  }

  #words({ mean, sd }: { mean: number; sd: number }): string {
    return `${short(mean)} ± ${quantity(sd, this.#unit)}`;
  }

  #histogram(area: Area, { past: { statistics } }: Scene): void {
    const { surface } = this.#frame;
    const { pen, theme } = surface;
    const parts = statistics.parts(this.#statistic);
    const [first, last] = [this.#ends[0]!, this.#ends.at(-1)!];
    const range = this.#counts.hold(0, parts.reduce((most, count) => Math.max(most, count), MIN_COUNT));
    const x = (value: number) => area.left + ((value - first) / (last - first)) * area.width;
    pen.fillStyle = theme.colour("weights").css;
    parts.forEach((count, place) => {
      const [left, right] = [x(this.#ends[place]!), x(this.#ends[place + 1]!)];
      const top = valueToY(count, area, range);
      // A gap between bars if they are wide enough.
      pen.fillRect(left, top, right - left - (right - left > 4 ? 1 : 0), area.top + area.height - top);
    });
    surface.widthAxis(area, [first, last]);
    const [notFinite, below, above] = statistics.outside(this.#statistic);
    const outside = ([[below, "below"], [above, "above"], [notFinite, "not finite"]] as const).filter(([count]) => count > 0);
    pen.textAlign = "right";
    pen.textBaseline = "top";
    pen.fillText(outside.map(([count, word]) => `${counted(count)} ${word}`).join(", "), area.left + area.width, area.top);
    surface.valueAxis(area, range);
  }

  #overTime(area: Area, span: Span, { past: { statistics } }: Scene): void {
    const { surface } = this.#frame;
    const { pen, theme } = surface;
    const moments = statistics.moments(this.#statistic);
    const least = moments.reduce((found, { mean, sd }) => Math.min(found, mean - sd), Infinity);
    const most = moments.reduce((found, { mean, sd }) => Math.max(found, mean + sd), -Infinity);
    if (!(least <= most)) return;
    const range = this.#values.hold(least, most);
    surface.within(area, () => {
      pen.strokeStyle = pen.fillStyle = theme.colour("weights").css;
      pen.beginPath();
      for (const { timeMs, mean, sd } of moments) pen.lineTo(timeToX(timeMs, area, span), valueToY(mean + sd, area, range));
      for (const { timeMs, mean, sd } of moments.toReversed()) pen.lineTo(timeToX(timeMs, area, span), valueToY(mean - sd, area, range));
      pen.globalAlpha = 0.25;
      pen.fill();
      pen.globalAlpha = 1;
      pen.lineWidth = 1.5;
      pen.lineJoin = "round";
      surface.line((to) => moments.forEach(({ timeMs, mean }) => to(timeToX(timeMs, area, span), valueToY(mean, area, range))));
    });
    surface.valueAxis(area, range);
  }
}

/** The whole run, in contrast to the other plots, because weights change slowly. */
function whole({ toMs, nowMs }: Span): Span {
  return { fromMs: 0, toMs, nowMs };
}
