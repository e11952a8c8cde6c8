import { notAllowed, worded } from "../../errors.js";
import type { Channel, PhasePlane, PopulationSummary } from "../../raw.js";
import { recordingOfChannel } from "../../recording.js";
import type { Spikelet } from "../../spikelet.js";
import type { Frame } from "../frame.js";
import { quantity } from "../numbers.js";
import type { Plot, Scene, Settings } from "../plot.js";
import { Controls } from "./controls.js";
import { STYLES, drawPlane } from "./drawing.js";
import { type Point, type Ranges, linesOf, rateRange, ratesAt, toPoint } from "./geometry.js";
import { listenToPlane } from "./gestures.js";
import { dress } from "./style.js";
import { Trajectory } from "./trajectory.js";
import { describe, eigenvaluesOf, kindOf, pointOf, rateOf, rateUnitOf, remarksOf } from "./words.js";

/** Number of grid nodes along each axis. */
const RESOLUTION = 64;
/** Minimum wall time between two planes that differ only by their time, in ms. */
const FOLLOW_MS = 200;
/** Part of a range by which a reset moves a variable, in contrast to a step. */
const JUMP = 0.4;
/** Distance within which the pointer is at a fixed point, in CSS pixels. */
const NEAR = 10;

/** What is requested of the plane; absent values are automatic. */
interface PlaneQuery {
  population: string;
  neuron: number;
  x: string | undefined;
  y: string | undefined;
  ranges: Ranges | null;
  clamp: Record<string, number | "steady">;
}

/** The phase plane of a neuron, with its trajectory. */
export class Plane implements Plot {
  readonly #frame: Frame;
  readonly #simulation: Spikelet;
  readonly #populations: readonly PopulationSummary[];
  readonly #controls: Controls;
  readonly #trajectory = new Trajectory();
  readonly #end = new AbortController();
  readonly #query: PlaneQuery;
  /** Numbers of the variables of the settings, until their names are known. */
  #numbers: { readonly x: number; readonly y: number } | null;
  #plane: PhasePlane | null = null;
  #scene: Scene | null = null;
  /** The columns of the samples for the variables of the axes; null if one is not recorded. */
  #columns: readonly [number, number] | null = null;
  /** The recordings for which the columns were found. */
  #channels: readonly Channel[] | null = null;
  /** Where the neuron was put, until it has run on. */
  #put: Point | null = null;
  #aim: Point | null = null;
  #isAsking = false;
  #isDue = false;
  #asked = -Infinity;

  constructor(frame: Frame, populations: readonly PopulationSummary[], settings: Settings, simulation: Spikelet) {
    this.#frame = frame;
    this.#simulation = simulation;
    this.#populations = populations;
    const { population: at = -1, neuron = -1, x = 0, y = 0 } = settings;
    const { name } = simulation.info.network.populations[at] ?? populations[0]!;
    this.#query = { population: name, neuron: neuron >= 0 ? neuron : this.#recorded(name), x: undefined, y: undefined, ranges: null, clamp: {} };
    this.#numbers = x === 0 && y === 0 ? null : { x, y };
    this.#controls = new Controls(populations, {
      population: (population) => this.#choose({ population, neuron: this.#recorded(population), x: undefined, y: undefined, clamp: {} }),
      neuron: (index) => this.#choose({ neuron: index }),
      axis: (axis, symbol) => this.#chooseAxis(axis, symbol),
      clamp: (symbol, value) => this.#want({ clamp: { ...this.#query.clamp, [symbol]: value } }),
      fit: () => this.#want({ ranges: null }),
      record: () => void this.#record().catch((error: unknown) => this.#fail(error)),
    });
    frame.figure.append(this.#controls.element);
    this.#listen();
    const { length } = simulation.info.network.populations;
    if (at < length) this.#ask();
    else this.#fail(notAllowed("plots: population of phase", at, `an index from 0 to ${length - 1}`));
  }

  draw(scene: Scene): void {
    this.#scene = scene;
    const { surface, figure } = this.#frame;
    dress(figure);
    const [plane, ranges] = [this.#plane, this.#ranges];
    if (plane === null || ranges === null || surface.width === 0) return;
    drawPlane(surface, plane, ranges, { path: this.#path(scene, plane, ranges), now: this.#now(scene), aim: this.#aim });
    if (plane.followsTime && Math.abs(timeOf(scene) - plane.timeMs) > scene.info.dtMs / 2 && performance.now() - this.#asked > FOLLOW_MS) this.#ask();
  }

  describe(scene: Scene): string {
    return this.#plane === null ? "Phase plane: no data yet." : describe(this.#plane, this.#now(scene));
  }

  under(x: number, y: number): string {
    const [plane, ranges] = [this.#plane, this.#ranges];
    const { area } = this.#frame.surface;
    if (plane === null || ranges === null) return "";
    const point = toPoint(x, y, area, ranges);
    if (point === null) return "";
    const apart = (other: Point) => {
      const [dx, dy] = [(other.x - point.x) / (ranges.x[1] - ranges.x[0]), (other.y - point.y) / (ranges.y[1] - ranges.y[0])];
      return Math.hypot(dx * area.width, dy * area.height);
    };
    const fixed = plane.fixedPoints.find((one) => apart(one) < NEAR);
    if (fixed !== undefined) return `${kindOf(fixed, plane)}: ${pointOf(fixed, plane)}; ${eigenvaluesOf(fixed, plane)}`;
    const rates = ratesAt(plane, point);
    const axes = [plane.x, ...(plane.y === null ? [] : [plane.y])];
    const said = rates === null ? [] : axes.map(({ symbol, unit }, at) => `${rateOf(symbol, plane)} ${quantity(rates[at]!, rateUnitOf(unit, plane))}`);
    return [pointOf(point, plane), ...said].join(", ");
  }

  *export(scene: Scene): Iterable<readonly (string | number)[]> {
    const plane = this.#plane;
    if (plane === null) return;
    yield ["part", "line", plane.x.symbol, plane.y?.symbol ?? rateOf(plane.x.symbol, plane), "kind"];
    const parts = { x_nullcline: plane.xNullcline, y_nullcline: plane.yNullcline, threshold: plane.threshold, reset: plane.reset };
    for (const [name, lines] of Object.entries(parts)) {
      for (const [line, points] of linesOf(lines).entries()) for (const { x, y } of points) yield [name, line, x, y, ""];
    }
    for (const [place, point] of plane.fixedPoints.entries()) yield ["fixed_point", place, point.x, point.y, `${kindOf(point, plane)}; ${eigenvaluesOf(point, plane)}`];
    if (plane.y === null) {
      const [from, to] = plane.x.range;
      for (const [at, rate] of plane.xRates.entries()) yield ["rate", 0, from + (at / (plane.xRates.length - 1)) * (to - from), rate, ""];
    }
    const rows: (readonly (string | number)[])[] = [];
    this.#trajectory.each(scene.span.fromMs / scene.info.dtMs, endStep(scene), (x, y, step) => rows.push(["trajectory", step, x, y, ""]));
    yield* rows;
  }

  dispose(): void {
    this.#end.abort();
    this.#controls.element.remove();
  }

  /** The ranges shown: those wanted, or those of the plane. */
  get #ranges(): Ranges | null {
    const plane = this.#plane;
    if (plane === null) return null;
    const x = this.#query.ranges?.x ?? plane.x.range;
    return { x, y: plane.y === null ? rateRange(plane) : this.#query.ranges?.y ?? plane.y.range };
  }

  get #size(): number {
    return this.#populations.find(({ name }) => name === this.#query.population)?.size ?? 1;
  }

  /** The first recorded neuron of a population. */
  #recorded(population: string): number {
    const label = this.#simulation.info.channels.find((channel) => channel.label.startsWith(`${population}.`))?.label;
    return Number(/\[(\d+)\]$/.exec(label ?? "")?.[1] ?? 0);
  }

  #listen(): void {
    const options = { signal: this.#end.signal };
    const simulation = this.#simulation;
    simulation.on("samples", (samples) => {
      if (samples.trial !== 0) return;
      // The recordings may be replaced; the columns then have other indices.
      if (simulation.info.channels !== this.#channels) this.#follow();
      if (this.#columns === null) return;
      this.#trajectory.push(samples, ...this.#columns);
      this.#put = null;
    }, options);
    simulation.on("state", ({ moved }) => {
      if (!moved) return;
      this.#trajectory.clear();
      this.#put = null;
    }, options);
    simulation.on("changed", ({ path }) => void (path.startsWith(`${this.#query.population}.`) && this.#ask()), options);
    simulation.on("info", () => {
      this.#follow();
      this.#ask();
    }, options);
    const { canvas } = this.#frame.surface;
    canvas.tabIndex = 0;
    canvas.title = "Click: start the neuron here. Drag: move. Control and wheel: zoom. Double click: automatic ranges.";
    listenToPlane(canvas, {
      area: () => this.#frame.surface.area,
      ranges: () => this.#ranges,
      setRanges: (ranges) => this.#want({ ranges }),
      fit: () => this.#want({ ranges: null }),
      start: (point) => void this.#start(point).catch((error: unknown) => this.#fail(error)),
      aim: () => this.#aim,
      setAim: (aim) => {
        this.#aim = aim;
        this.#frame.setUnder(aim === null || this.#plane === null ? "" : `${pointOf(aim, this.#plane)}: press Enter to start the neuron here`);
        this.#redraw();
      },
    }, this.#end.signal);
  }

  #chooseAxis(axis: "x" | "y", symbol: string): void {
    const plane = this.#plane;
    if (plane === null) return;
    const axes = { x: plane.x.symbol, y: plane.y?.symbol ?? plane.x.symbol };
    // Exchanged, unless it is to be a phase line.
    if (axis === "x" && symbol === axes.y && axes.x !== axes.y) this.#choose({ x: symbol, y: axes.x });
    else this.#choose({ ...axes, [axis]: symbol });
  }

  /** Another neuron or other axes: with automatic ranges, and a new trajectory. */
  #choose(query: Partial<PlaneQuery>): void {
    this.#trajectory.clear();
    this.#put = this.#aim = null;
    this.#want({ ...query, ranges: null });
  }

  #want(query: Partial<PlaneQuery>): void {
    Object.assign(this.#query, query);
    this.#ask();
    this.#redraw();
  }

  /** Requests the plane: one request at a time, and another one if something has changed meanwhile. */
  #ask(): void {
    this.#isDue = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    void this.#request().finally(() => (this.#isAsking = false));
  }

  async #request(): Promise<void> {
    while (this.#isDue && !this.#end.signal.aborted) {
      this.#isDue = false;
      this.#asked = performance.now();
      const { population, neuron, x, y, ranges, clamp } = this.#query;
      try {
        const timeMs = this.#scene === null ? undefined : timeOf(this.#scene);
        const plane = await this.#simulation.phasePlane({
          population, neuron, x, y, xRange: ranges?.x, yRange: ranges?.y, clamp, resolution: RESOLUTION, timeMs, signal: this.#end.signal,
        });
        this.#take(plane, ranges);
      } catch (error) {
        if (!this.#end.signal.aborted) this.#fail(error);
      }
    }
  }

  #take(plane: PhasePlane, asked: Ranges | null): void {
    if (this.#numbers !== null) {
      const { x, y } = this.#numbers;
      this.#numbers = null;
      const symbol = (number: number) => plane.variables[number - 1]?.symbol;
      return this.#choose({ x: symbol(x), y: symbol(y) });
    }
    this.#plane = plane;
    this.#query.x = plane.x.symbol;
    this.#query.y = plane.y?.symbol ?? plane.x.symbol;
    // Automatic ranges stay when parameters change, so that the axes do not move with a slider.
    if (asked === null && this.#query.ranges === null && plane.y !== null) this.#query.ranges = { x: plane.x.range, y: plane.y.range };
    if (asked === null && this.#query.ranges === null) this.#query.ranges = { x: plane.x.range, y: [0, 1] };
    this.#follow();
    this.#caption(plane);
    this.#redraw();
  }

  #caption(plane: PhasePlane): void {
    const { population, neuron, x, y } = plane;
    const frame = this.#frame;
    frame.setTitle(y === null ? "Phase line" : "Phase plane");
    frame.setAbout(`of ${population}[${neuron}]`);
    frame.setRemark(remarksOf(plane));
    const legend = [
      ...(y === null ? [{ name: rateOf(x.symbol, plane), ...STYLES.x }] : [x, y].map(({ symbol }, at) => ({ name: `${rateOf(symbol, plane)} = 0`, ...STYLES[at === 0 ? "x" : "y"] }))),
      ...(plane.threshold.points.length > 0 ? [{ name: "threshold", ...STYLES.threshold }] : []),
      ...(plane.reset.points.length > 0 ? [{ name: "reset", ...STYLES.reset }] : []),
    ];
    frame.setLegend(legend);
    this.#say(plane);
  }

  /** Sets the text alternative; the board does so only while the network runs. */
  #say(plane: PhasePlane): void {
    this.#frame.surface.canvas.setAttribute("aria-label", describe(plane, this.#scene && this.#now(this.#scene)));
  }

  /** Finds the columns of the samples. */
  #follow(): void {
    const plane = this.#plane;
    if (plane === null) return;
    const { channels } = this.#simulation.info;
    this.#channels = channels;
    const { population, neuron } = plane;
    const axes = [plane.x, plane.y ?? plane.x];
    const found = axes.map(({ symbol, unit }) => channels.findIndex((of) => of.label === `${population}.${symbol}[${neuron}]` && of.unit === unit));
    const [x = -1, y = -1] = found;
    const columns = x >= 0 && y >= 0 ? ([x, y] as const) : null;
    if (columns?.join() !== this.#columns?.join()) this.#trajectory.clear();
    this.#columns = columns;
    const missing = axes.filter((_, at) => found[at] === -1).map(({ symbol }) => symbol);
    this.#controls.show(plane, this.#size, [...new Set(missing)]);
  }

  /** Records the variables of the axes in addition to what is recorded. */
  async #record(): Promise<void> {
    const plane = this.#plane;
    if (plane === null) return;
    const { info } = this.#simulation;
    const wanted = [plane.x, plane.y ?? plane.x].map(({ symbol }) => `${plane.population}.${symbol}[${plane.neuron}]`);
    // In another unit a variable would not fit the axes.
    const kept = info.channels.filter(({ label }) => !wanted.includes(label)).map((channel) => recordingOfChannel(channel, info));
    await this.#simulation.record([...kept, ...new Set(wanted)]);
    this.#follow();
  }

  /** Puts the neuron at a point. */
  async #start(point: Point): Promise<void> {
    const plane = this.#plane;
    if (plane === null) return;
    const path = (symbol: string) => `${plane.population}.${symbol}[${plane.neuron}]`;
    await this.#simulation.set(path(plane.x.symbol), point.x);
    if (plane.y !== null) await this.#simulation.set(path(plane.y.symbol), point.y);
    if (!this.#simulation.isRunning) this.#put = point;
    this.#controls.setError("");
    this.#say(this.#plane ?? plane);
    this.#redraw();
  }

  #fail(error: unknown): void {
    if (!this.#end.signal.aborted) this.#controls.setError(worded(error).message);
  }

  /** Where the neuron is at the end of the time span. */
  #now(scene: Scene): Point | null {
    const plane = this.#plane;
    if (plane === null) return null;
    const point = scene.isReview !== true && this.#put !== null ? this.#put : this.#trajectory.before(endStep(scene));
    return point === null ? null : plane.y === null ? { x: point.x, y: 0 } : point;
  }

  /** The trajectory in the time span. The jumps of resets are not drawn, because the reset shows them. */
  #path(scene: Scene, plane: PhasePlane, ranges: Ranges): (to: (point: Point, isNew: boolean) => void) => void {
    return (to) => {
      if (plane.y === null) return;
      let last: Point | null = null;
      const far = [JUMP * (ranges.x[1] - ranges.x[0]), JUMP * (ranges.y[1] - ranges.y[0])] as const;
      const hasReset = plane.reset.points.length > 0;
      this.#trajectory.each(scene.span.fromMs / scene.info.dtMs, endStep(scene), (x, y) => {
        const jumps = last !== null && hasReset && (Math.abs(x - last.x) > far[0] || Math.abs(y - last.y) > far[1]);
        to({ x, y }, last === null || jumps);
        last = { x, y };
      });
    };
  }

  #redraw(): void {
    if (this.#scene !== null) this.draw(this.#scene);
  }
}

/** The time that the plane shows. */
function timeOf({ span }: Scene): number {
  return Math.max(0, Math.min(span.toMs, span.nowMs));
}

/** The step after the last one shown. */
function endStep({ info, span }: Scene): number {
  return Math.round(Math.min(span.toMs, span.nowMs) / info.dtMs) + 1;
}

