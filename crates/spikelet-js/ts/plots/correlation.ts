import type { Info } from "../raw.js";
import { ComputedPlot, sampled } from "./computed.js";
import type { Frame } from "./frame.js";
import { correlate, correlatePairs } from "./measure/correlation.js";
import { trainsOf } from "./measure/trains.js";
import type { Computation } from "./measure/computation.js";
import { SteadyRange, short } from "./numbers.js";
import type { Chosen, PlotKind, Scene } from "./plot.js";
import { type ValueScale, drawAcross, drawLack, drawUp, fromX, toX, toY } from "./scale.js";
import type { Span } from "./surface.js";
import { marksOf } from "./theme.js";
import { between } from "./words.js";

/** The plot of correlations between populations. */
export const CORRELATION: PlotKind = {
  name: "correlation",
  title: "Correlation",
  about: "correlation coefficient of numbers of spikes in bins of 1 ms against their lag: of two populations, or the mean over pairs of their neurons; at a positive lag the second population follows the first",
  needs: ["spikes"],
  standard: false,
  settings: [
    { name: "pair", about: "pair of populations, from 0", value: 0, least: 0, menu: ({ network: { populations } }) => pairsOf(populations.length).map(([a, b]) => `${populations[a]!.name} and ${populations[b]!.name}`) },
    { name: "of", about: "0 numbers of spikes of populations, 1 mean over pairs of neurons", value: 0, least: 0, menu: () => ["of populations", "of pairs of neurons"] },
    { name: "reach", about: "largest lag in ms", value: 100, least: 1 },
  ],
  lacking: () => null,
  make: (frame, info, chosen) => new Correlation(frame, info, chosen),
};

interface Result {
  /** Coefficients by lag; null if they are not defined. */
  readonly values: Float64Array | null;
  readonly binMs: number;
  readonly every: number;
}

/** The correlogram of two populations. */
class Correlation extends ComputedPlot<Result> {
  readonly #info: Info;
  readonly #pair: readonly [number, number];
  readonly #isOfPairs: boolean;
  readonly #reachMs: number;
  readonly #range = new SteadyRange();

  constructor(frame: Frame, info: Info, { settings }: Chosen) {
    super(frame);
    this.#info = info;
    this.#pair = pairsOf(info.network.populations.length)[settings["pair"]!] ?? [0, 0];
    this.#isOfPairs = settings["of"] === 1;
    this.#reachMs = settings["reach"]!;
    frame.setAbout(`coefficient against lag${info.network.populations.length > 1 ? "" : ` of ${this.#names[0]}`}`);
  }

  get #names(): readonly [string, string] {
    const { populations } = this.#info.network;
    return [populations[this.#pair[0]]?.name ?? "", populations[this.#pair[1]]?.name ?? ""];
  }

  /** Whether the coefficient at lag 0 is 1 by definition. */
  get #isOwn(): boolean {
    return this.#pair[0] === this.#pair[1] && !this.#isOfPairs;
  }

  protected *compute(scene: Scene): Computation<Result> {
    const { populations, binMs, every, dtMs } = yield* trainsOf(scene);
    const [a, b] = [populations[this.#pair[0]], populations[this.#pair[1]]];
    if (!a || !b) return { values: null, binMs, every: 1 };
    const lags = Math.max(1, Math.round(this.#reachMs / binMs));
    if (!this.#isOfPairs) return { values: yield* correlate(a.counts, b.counts, lags), binMs, every: 1 };
    return { values: yield* correlatePairs(a, b, Math.round(binMs / dtMs), a.counts.length, lags), binMs, every };
  }

  protected paint({ values, binMs, every }: Result): void {
    const { surface } = this.frame;
    const { pen, theme } = surface;
    const area = surface.begin();
    const across: ValueScale = { low: -this.#reachMs, high: this.#reachMs, isLog: false };
    let [least, most] = [0, 0];
    values?.forEach((value, index) => {
      if (this.#isOwn && 2 * index === values.length - 1) return;
      [least, most] = [Math.min(least, value), Math.max(most, value)];
    });
    const [low, high] = this.#range.hold(least, most);
    const up: ValueScale = { low, high, isLog: false };
    surface.within(area, () => {
      pen.fillStyle = theme.colour("line").css;
      pen.fillRect(area.left, toY(0, area, up), area.width, 1);
      pen.fillRect(toX(0, area, across), area.top, 1, area.height);
      pen.strokeStyle = theme.colour(marksOf(this.#info.network.populations)[this.#pair[0]]?.use ?? "ink").css;
      pen.lineWidth = 1.5;
      pen.lineJoin = "round";
      pen.setLineDash([]);
      pen.beginPath();
      values?.forEach((value, index) => pen.lineTo(toX(lagOf(index, values, binMs), area, across), toY(value, area, up)));
      pen.stroke();
    });
    if (!values) drawLack(surface, area, `needs spikes and more than ${short(2 * this.#reachMs)} ms`);
    drawAcross(surface, area, across, "ms");
    drawUp(surface, area, up);
    const peak = this.#peak(values, binMs);
    const said = [peak && `${peak}${this.#isOwn ? "; 1 at lag 0 (not shown)" : ""}`, binMs > 1 ? `bins of ${short(binMs)} ms` : "", sampled({ every })];
    this.frame.setRemark(said.filter((one) => one !== "").join("; "));
  }

  protected tell({ values, binMs }: Result, span: Span): string {
    const [a, b] = this.#names;
    const of = this.#isOfPairs ? `pairs of neurons of ${a} and ${b}` : `the numbers of spikes of ${a} and ${b}`;
    return `Correlation of ${of} ${between(span)}: ${this.#peak(values, binMs) || "not available yet"}.`;
  }

  protected read(x: number, _: number, { values, binMs }: Result): string {
    const lag = fromX(x, this.frame.surface.area, { low: -this.#reachMs, high: this.#reachMs, isLog: false });
    if (lag === null || !values) return "";
    const index = Math.min(Math.max(Math.round(lag / binMs) + (values.length - 1) / 2, 0), values.length - 1);
    return `${short(values[index]!)} at lag ${short(lagOf(index, values, binMs))} ms`;
  }

  protected *rows({ values, binMs }: Result): Iterable<readonly (string | number)[]> {
    yield ["first", "second", "of", "lag_ms", "correlation"];
    if (!values) return;
    for (const [index, value] of values.entries()) {
      yield [...this.#names, this.#isOfPairs ? "pairs of neurons" : "populations", Number(lagOf(index, values, binMs).toPrecision(6)), value];
    }
  }

  /** The largest coefficient in size; of a population with itself, that beside lag 0. */
  #peak(values: Float64Array | null, binMs: number): string {
    if (!values) return "";
    let best = 0;
    values.forEach((value, index) => {
      const isSkipped = this.#isOwn && 2 * index === values.length - 1;
      if (!isSkipped && Math.abs(value) > Math.abs(values[best]!)) best = index;
    });
    return `largest ${short(values[best]!)} at lag ${short(lagOf(best, values, binMs))} ms`;
  }
}

/** The lag of an element, in ms. */
function lagOf(index: number, { length }: Float64Array, binMs: number): number {
  return (index - (length - 1) / 2) * binMs;
}

/** The pairs of populations, each also with itself. */
function pairsOf(populations: number): (readonly [number, number])[] {
  return Array.from({ length: populations }, (_, a) => Array.from({ length: populations - a }, (__, b) => [a, a + b] as const)).flat();
}
