import type { Channel, Info } from "../raw.js";
import type { Frame } from "./frame.js";
import { SteadyRange, quantity, short } from "./numbers.js";
import type { Chosen, Plot, PlotKind, Scene } from "./plot.js";
import { type Area, timeToX, valueToY, xToTime } from "./surface.js";
import { type Use, marksOf } from "./theme.js";
import { atTime, between } from "./words.js";

/** The plot of recorded variables. */
export const TRACE: PlotKind = {
  name: "trace",
  title: "Traces",
  about: "the recordings of the network, one lane per neuron or synapse; a stroke above a lane is a spike",
  needs: ["samples"],
  settings: [{ name: "lanes", about: "maximum number of lanes", value: 8, least: 1 }],
  lacking: ({ channels }) => (channels.length === 0 ? "the network records nothing (`recordings`); name a variable instead" : null),
  make: (frame, info, chosen) => new Trace(frame, info, chosen),
};

/** Space between two lanes, in CSS pixels. */
const GAP = 6;
/** Height of the stroke of a spike above the values. */
const SPIKE = 7;
/** Minimum height of a lane for a name above it, else the name is in the corner; in font sizes. */
const ROOMY = 4.5;
const NAME = 1.4;

/** A recorded variable of a neuron or a synapse. */
interface Lane {
  readonly channel: Channel;
  readonly name: string;
  readonly use: Use;
  /** The scale shared by all lanes of one variable. */
  readonly range: SteadyRange;
}

/** Recorded variables over time, one lane each. */
class Trace implements Plot {
  readonly #frame: Frame;
  readonly #title: string;
  readonly #lanes: readonly Lane[];

  constructor(frame: Frame, info: Info, { kind, word, labels, all }: Chosen) {
    this.#frame = frame;
    const channels = labels.map((label) => info.channels.find((channel) => channel.label === label)!);
    const symbols = [...new Set(channels.map(({ variable }) => variable))];
    this.#title = word === kind.name ? kind.title : symbols[0] ?? kind.title;
    const marks = marksOf(info.network.populations);
    const ranges = new Map(channels.map((channel) => [kindOf(channel), new SteadyRange()]));
    this.#lanes = channels.map((channel) => {
      const object = channel.label.split(".", 1)[0]!;
      const place = info.network.populations.findIndex(({ name }) => name === object);
      const short = channel.label.replace(`.${channel.variable}`, "");
      // The only neuron of a population is shown without index, the only variable without name.
      const name = symbols.length > 1 ? channel.label : info.network.populations[place]?.size === 1 ? object : short;
      return { channel, name, use: marks[place]?.use ?? "ink", range: ranges.get(kindOf(channel))! };
    });
    const units = [...new Set(channels.map(({ unit }) => unit))];
    const measured = symbols.map((symbol) => {
      const { unit } = channels.find(({ variable }) => variable === symbol)!;
      return unit === "" ? symbol : `${symbol} in ${unit}`;
    });
    const what = word === kind.name ? measured.join(", ") : units.filter((unit) => unit !== "").map((unit) => `in ${unit}`).join(", ");
    const of = this.#lanes.length === 1 ? `of ${this.#lanes[0]!.name}` : "";
    const more = all > labels.length ? `the first ${labels.length} of ${all}` : "";
    frame.setTitle(this.#title);
    frame.setAbout([of, what, more].filter((part) => part !== "").join(", "));
    frame.figure.style.setProperty("--_lanes", String(labels.length));
  }

  draw(scene: Scene): void {
    const { past: { samples, marks }, span } = scene;
    const { surface } = this.#frame;
    const area = surface.begin();
    const extremes = new Map<SteadyRange, readonly [number, number]>();
    for (const { channel: { label }, range } of this.#lanes) {
      let [least, most] = extremes.get(range) ?? [Infinity, -Infinity];
      samples.each(label, firstStep(scene), (_, low, high) => {
        if (low < least) least = low;
        if (high > most) most = high;
      });
      extremes.set(range, [least, most]);
    }
    const height = Math.max(1, (area.height - GAP * (this.#lanes.length - 1)) / this.#lanes.length);
    this.#lanes.forEach((lane, place) => {
      const [least, most] = extremes.get(lane.range)!;
      const whole = { ...area, top: area.top + place * (height + GAP), height };
      const { size } = surface.theme.font;
      const name = this.#lanes.length > 1 && height > ROOMY * size ? NAME * size : 0;
      const below = { ...whole, top: whole.top + name, height: height - name };
      if (least <= most) this.#draw(lane, below, lane.range.hold(least, most), scene);
      if (this.#lanes.length > 1) surface.name(lane.name, whole, surface.theme.colour(lane.use).css);
    });
    surface.marks(area, span, marks.all, false);
    surface.timeAxis(area, span);
  }

  #draw({ channel: { label }, use }: Lane, whole: Area, range: readonly [number, number], scene: Scene): void {
    const { info: { dtMs }, past: { samples }, span } = scene;
    const { surface } = this.#frame;
    const { pen, theme } = surface;
    const area = { ...whole, top: whole.top + SPIKE, height: Math.max(1, whole.height - SPIKE) };
    const from = firstStep(scene);
    surface.within(whole, () => {
      pen.strokeStyle = pen.fillStyle = theme.colour(use).css;
      pen.lineWidth = 1.25;
      pen.lineJoin = "round";
      surface.line((to) => samples.each(label, from, (step, low, high) => {
        const x = timeToX(step * dtMs, area, span);
        to(x, valueToY(low, area, range));
        if (high > low) to(x, valueToY(high, area, range));
      }));
      // Many models have no spike shape; the stroke shows the spike.
      samples.eachSpike(label, from, (step, value) => {
        const x = timeToX(step * dtMs, area, span);
        pen.fillRect(x - 0.625, whole.top, 1.25, valueToY(value, area, range) - whole.top);
      });
    });
    surface.valueAxis(area, range);
  }

  describe(scene: Scene): string {
    const said = this.#lanes.map(({ channel: { label, unit }, name }) => {
      let [least, most] = [Infinity, -Infinity];
      scene.past.samples.each(label, firstStep(scene), (_, low, high) => ([least, most] = [Math.min(least, low), Math.max(most, high)]));
      return least > most ? `${name} not available yet` : `${name} between ${short(least, 4)} and ${quantity(most, unit, 4)}`;
    });
    return `${this.#title} ${between(scene.span)}: ${said.join("; ")}.`;
  }

  under(x: number, y: number, scene: Scene): string {
    const { area } = this.#frame.surface;
    const timeMs = xToTime(x, area, scene.span);
    const lane = this.#lanes[Math.floor(((y - area.top) / (area.height + GAP)) * this.#lanes.length)];
    if (timeMs === null || lane === undefined) return "";
    const { label, unit } = lane.channel;
    let found: number | null = null;
    scene.past.samples.each(label, Math.max(0, timeMs / scene.info.dtMs), (step, _, most) => {
      if (found === null && step * scene.info.dtMs - timeMs < 1) found = most;
    });
    return found === null ? "" : `${lane.name} ${quantity(found, unit, 4)} ${atTime(timeMs)}`;
  }

  *export(scene: Scene): Iterable<readonly (string | number)[]> {
    yield ["time_ms", "variable", "unit", "least", "largest"];
    for (const { channel: { label, unit } } of this.#lanes) {
      const rows: (readonly [number, string, string, number, number])[] = [];
      scene.past.samples.each(label, firstStep(scene), (step, low, high) => {
        rows.push([Number((step * scene.info.dtMs).toPrecision(12)), label, unit, low, high]);
      });
      yield* rows;
    }
  }
}

function kindOf({ variable, unit }: Channel): string {
  return `${variable} ${unit}`;
}

/** The first step shown. */
function firstStep({ info, span }: Scene): number {
  return Math.max(0, span.fromMs / info.dtMs);
}
