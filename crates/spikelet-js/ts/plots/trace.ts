import type { Info } from "../raw.js";
import type { NamedArray } from "./export/npz.js";
import type { Frame } from "./frame.js";
import { SteadyRange, quantity, short } from "./numbers.js";
import { type Lane, lanesOf, levelsOf, panelsOf, withLevels } from "./panels.js";
import type { Chosen, Plot, PlotKind, Scene } from "./plot.js";
import { type Area, timeToX, valueToY, xToTime } from "./surface.js";
import { DASHES, type Mark, type Use, marksOf } from "./theme.js";
import { atTime, between } from "./words.js";

/** The plot of recorded variables. */
export const TRACE: PlotKind = {
  name: "trace",
  title: "Traces",
  about: "the recordings of the network, one lane per neuron or synapse; variables of the same unit have the same scale; a stroke above a lane is a spike, dashed lines are the threshold and the value after a spike",
  needs: ["samples"],
  standard: true,
  settings: [
    { name: "lanes", about: "maximum number of lanes", value: 8, least: 1 },
    { name: "together", about: "0 one lane each, 1 one panel per unit", value: 0, least: 0, menu: () => ["One lane each", "Together by unit"] },
  ],
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
/** Colours of several lanes in one panel, after that of their population. */
const USES: readonly Use[] = ["other-1", "other-2", "other-3", "other-4"];

/** Recorded variables over time, one lane each, or one panel for each unit. */
class Trace implements Plot {
  readonly #frame: Frame;
  readonly #info: Info;
  readonly #title: string;
  readonly #lanes: readonly Lane[];
  readonly #marks: ReadonlyMap<Lane, Mark>;
  readonly #together: boolean;
  /** One scale for all lanes of a unit. */
  readonly #ranges: ReadonlyMap<string, SteadyRange>;

  constructor(frame: Frame, info: Info, { kind, word, labels, all, settings }: Chosen) {
    this.#frame = frame;
    this.#info = info;
    const { lanes, symbols } = lanesOf(labels, info);
    this.#lanes = lanes;
    this.#together = settings["together"] === 1;
    this.#title = word === kind.name ? kind.title : symbols[0] ?? kind.title;
    this.#marks = marksIn(lanes, info, this.#together);
    const units = [...new Set(lanes.map(({ channel }) => channel.unit))];
    this.#ranges = new Map(units.map((unit) => [unit, new SteadyRange()]));
    const measured = symbols.map((symbol) => {
      const { unit } = lanes.find(({ channel }) => channel.variable === symbol)!.channel;
      return unit === "" ? symbol : `${symbol} in ${unit}`;
    });
    const what = word === kind.name ? measured.join(", ") : units.filter((unit) => unit !== "").map((unit) => `in ${unit}`).join(", ");
    const of = lanes.length === 1 ? `of ${lanes[0]!.name}` : "";
    const more = all > labels.length ? `the first ${labels.length} of ${all}` : "";
    frame.setTitle(this.#title);
    frame.setAbout([of, what, more].filter((part) => part !== "").join(", "));
    frame.figure.style.setProperty("--_lanes", String(this.#together ? units.length + 1 : labels.length));
    if (lanes.length > 1) frame.setLegend(lanes.map((lane) => ({ name: lane.name, ...this.#marks.get(lane)!, hides: lane.channel.label })));
  }

  draw(scene: Scene): void {
    const { past: { marks }, span } = scene;
    const { surface } = this.#frame;
    const area = surface.begin();
    const seen = this.#seen(scene);
    const panels = panelsOf(seen, this.#together);
    const extremes = this.#extremes(seen, scene);
    const height = Math.max(1, (area.height - GAP * (panels.length - 1)) / panels.length);
    panels.forEach((lanes, place) => {
      const { unit } = lanes[0]!.channel;
      const [least, most] = extremes.get(unit)!;
      const whole = { ...area, top: area.top + place * (height + GAP), height };
      const { size } = surface.theme.font;
      const isNamed = panels.length > 1 && !this.#together;
      const name = isNamed && height > ROOMY * size ? NAME * size : 0;
      const below = { ...whole, top: whole.top + name, height: height - name };
      const levels = seen.filter(({ channel }) => channel.unit === unit).flatMap((lane) => levelsOf(lane, this.#info).map(({ value }) => value));
      if (least <= most) this.#panel(lanes, below, this.#ranges.get(unit)!.hold(...withLevels(least, most, levels)), scene);
      if (isNamed) surface.name(lanes[0]!.name, whole, surface.theme.colour(this.#marks.get(lanes[0]!)!.use).css);
    });
    surface.marks(area, span, marks.all, false);
    surface.timeAxis(area, span);
  }

  describe(scene: Scene): string {
    const said = this.#seen(scene).map((lane) => {
      const { name, channel: { unit, label } } = lane;
      const [least, most] = scene.past.samples.range(label, firstStep(scene), endStep(scene));
      return least > most ? `${name} not available yet` : `${name} between ${short(least, 4)} and ${quantity(most, unit, 4)}`;
    });
    const hidden = this.#lanes.length - said.length;
    return `${this.#title} ${between(scene.span)}: ${said.join("; ")}${hidden > 0 ? `; ${hidden} hidden` : ""}.`;
  }

  under(x: number, y: number, scene: Scene): string {
    const { area } = this.#frame.surface;
    const timeMs = xToTime(x, area, scene.span);
    if (timeMs === null) return "";
    const panels = panelsOf(this.#seen(scene), this.#together);
    const panel = panels[Math.floor(((y - area.top) / (area.height + GAP)) * panels.length)];
    return panel === undefined ? "" : this.#values(panel, timeMs, scene);
  }

  at(timeMs: number, scene: Scene): string {
    return this.#values(this.#seen(scene), timeMs, scene);
  }

  *export(scene: Scene): Iterable<readonly (string | number)[]> {
    yield ["time_ms", "variable", "unit", "least", "largest"];
    for (const { channel: { label, unit } } of this.#seen(scene)) {
      const rows: (readonly [number, string, string, number, number])[] = [];
      scene.past.samples.each(label, firstStep(scene), endStep(scene), (step, low, high) => {
        rows.push([Number((step * scene.info.dtMs).toPrecision(12)), label, unit, low, high]);
      });
      yield* rows;
    }
  }

  /** For each variable the times, the values in its unit (the least and largest where steps are joined), and the unit. */
  arrays(scene: Scene): readonly NamedArray[] {
    return this.#seen(scene).flatMap(({ channel: { label, unit } }): NamedArray[] => {
      const [times, lows, highs]: [number[], number[], number[]] = [[], [], []];
      scene.past.samples.each(label, firstStep(scene), endStep(scene), (step, low, high) => {
        times.push(Number((step * scene.info.dtMs).toPrecision(12)));
        lows.push(low);
        highs.push(high);
      });
      const isJoined = lows.some((low, place) => low !== highs[place]);
      const values = isJoined ? [{ name: `${label}.least`, values: Float32Array.from(lows) }, { name: `${label}.largest`, values: Float32Array.from(highs) }] : [{ name: label, values: Float32Array.from(lows) }];
      return [{ name: `${label}.time_ms`, values: Float64Array.from(times) }, ...values, { name: `${label}.unit`, values: [unit], shape: [] }];
    });
  }

  /** The lanes that are not hidden, by themselves or with their population. */
  #seen({ hidden }: Scene): readonly Lane[] {
    return this.#lanes.filter(({ channel: { label }, object }) => !hidden?.has(label) && !hidden?.has(object));
  }

  /** The least and the largest value of each unit. */
  #extremes(lanes: readonly Lane[], scene: Scene): Map<string, readonly [number, number]> {
    const extremes = new Map<string, readonly [number, number]>();
    for (const { channel: { label, unit } } of lanes) {
      const [least, most] = extremes.get(unit) ?? [Infinity, -Infinity];
      const [low, high] = scene.past.samples.range(label, firstStep(scene), endStep(scene));
      extremes.set(unit, [Math.min(least, low), Math.max(most, high)]);
    }
    return extremes;
  }

  #panel(lanes: readonly Lane[], whole: Area, range: readonly [number, number], scene: Scene): void {
    const { surface } = this.#frame;
    const area = { ...whole, top: whole.top + SPIKE, height: Math.max(1, whole.height - SPIKE) };
    surface.within(whole, () => {
      for (const lane of lanes) this.#line(lane, area, whole, range, scene);
      this.#levels(lanes, area, range, scene);
    });
    surface.valueAxis(area, range, this.#together ? lanes[0]!.channel.unit : "");
  }

  #line(lane: Lane, area: Area, whole: Area, range: readonly [number, number], scene: Scene): void {
    const { info: { dtMs }, past: { samples }, span } = scene;
    const { surface } = this.#frame;
    const { pen, theme } = surface;
    const { label } = lane.channel;
    const { use, dash } = this.#marks.get(lane)!;
    const from = firstStep(scene);
    pen.strokeStyle = pen.fillStyle = theme.colour(use).css;
    pen.lineWidth = 1.25;
    pen.lineJoin = "round";
    pen.setLineDash([...DASHES[dash]!]);
    surface.line((to) => samples.each(label, from, endStep(scene), (step, low, high) => {
      const x = timeToX(step * dtMs, area, span);
      to(x, valueToY(low, area, range));
      if (high > low) to(x, valueToY(high, area, range));
    }));
    pen.setLineDash([]);
    // Many models have no spike shape; the stroke shows the spike.
    samples.eachSpike(label, from, endStep(scene), (step, value) => {
      const x = timeToX(step * dtMs, area, span);
      pen.fillRect(x - 0.625, whole.top, 1.25, valueToY(value, area, range) - whole.top);
    });
  }

  /** Draws the threshold of each population, and its value after a spike, once. */
  #levels(lanes: readonly Lane[], area: Area, range: readonly [number, number], { info }: Scene): void {
    const { surface } = this.#frame;
    const colour = surface.theme.colour("muted").css;
    const objects = new Set<string>();
    for (const lane of lanes) {
      const levels = objects.has(lane.object) ? [] : levelsOf(lane, info);
      objects.add(lane.object);
      for (const { value, symbol } of levels) surface.level(value, symbol, area, range, colour);
    }
  }

  /** The values at a time: `E[0] −49 mV, E[1] −52 mV at 12.5 ms`. */
  #values(lanes: readonly Lane[], timeMs: number, { past: { samples } }: Scene): string {
    const { dtMs } = this.#info;
    const said = lanes.flatMap(({ name, channel: { label, unit, everyMs } }) => {
      let found: number | null = null;
      // The last sample at this time.
      samples.each(label, Math.max(0, (timeMs - everyMs) / dtMs + 1), timeMs / dtMs + 1, (_step, _, most) => {
        found = most;
      });
      return found === null ? [] : [`${name} ${quantity(found, unit, 4)}`];
    });
    return said.length === 0 ? "" : `${said.join(", ")} ${atTime(timeMs)}`;
  }
}

/** The colour of each lane: that of its population, and in a common panel others for its further lanes. */
function marksIn(lanes: readonly Lane[], { network }: Info, together: boolean): Map<Lane, Mark> {
  const marks = marksOf(network.populations);
  const seen = new Map<string, number>();
  let further = 0;
  return new Map(lanes.map((lane) => {
    const place = network.populations.findIndex(({ name }) => name === lane.object);
    const use = marks[place]?.use ?? "ink";
    const index = seen.get(use) ?? 0;
    seen.set(use, index + 1);
    if (!together || index === 0) return [lane, { use, dash: 0 }];
    const other = USES[further % USES.length]!;
    const dash = Math.floor(further / USES.length) % DASHES.length;
    further += 1;
    return [lane, { use: other, dash }];
  }));
}

/** The step after the last one shown. */
function endStep({ info, span }: Scene): number {
  return span.toMs / info.dtMs + 1;
}

/** The first step shown. */
function firstStep({ info, span }: Scene): number {
  return Math.max(0, span.fromMs / info.dtMs);
}
