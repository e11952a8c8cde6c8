// The view of a sweep: what is varied and measured, its progress, and its results.

import type { Network } from "../network.js";
import { h, say } from "../plots/dom.js";
import { quantity, short } from "../plots/numbers.js";
import { saveFile, saveTable } from "../plots/save.js";
import type { Parameter } from "../raw.js";
import { parametersOf, quantityText } from "./grid.js";
import { Heat } from "./heat.js";
import { Lines } from "./lines.js";
import { type Owner, type ExperimentView, button, field, fill, guarded, numberInput, numberOf, saveChart } from "./owner.js";
import { SWEEP_MEASURES, type SweepMeasure } from "./reading.js";
import { sweepFile, sweepNpz, sweepRows } from "./save.js";
import { type SweepEvents, type SweepOptions, type SweepPoint, type SweepRun, sweep } from "./sweep.js";

/** Neurons of a recorded variable whose mean is measured. */
const RECORDED = 20;

/** The fields of a parameter. */
class ParameterFields {
  readonly element: HTMLElement;
  readonly path: HTMLSelectElement;
  readonly #place: number;
  readonly #from: HTMLInputElement;
  readonly #to: HTMLInputElement;
  readonly #steps: HTMLInputElement;
  readonly #scale: HTMLSelectElement;
  readonly #range = h("div", { class: "range" });
  readonly #unit = h("span", { class: "unit" });
  #parameters: readonly Parameter[] = [];

  constructor(place: number) {
    this.#place = place;
    this.path = h("select", { part: `path-${place}` });
    this.#from = numberInput(`from-${place}`);
    this.#to = numberInput(`to-${place}`);
    this.#steps = numberInput(`steps-${place}`, place === 0 ? "9" : "5");
    this.#scale = h("select", { part: `scale-${place}` }, h("option", { value: "linear" }, "linear"), h("option", { value: "log" }, "logarithmic"));
    this.#range.append(field("from", this.#from), field("to", this.#to), field("values", this.#steps), field("steps", this.#scale));
    const name = place === 0 ? "Parameter" : "Second parameter";
    this.element = h("fieldset", { class: "parameter" }, h("legend", {}, name), h("label", { class: "field" }, h("span", { class: "hidden-text" }, name), this.path), this.#range, this.#unit);
    this.path.addEventListener("change", () => this.#suggest());
  }

  fill(parameters: readonly Parameter[]): void {
    this.#parameters = parameters;
    const before = this.path.value;
    const none: (readonly [string, string])[] = this.#place === 0 ? [] : [["", "none"]];
    fill(this.path, [...none, ...parameters.map(({ path, about }) => [path, about === "" ? path : `${path}: ${about}`] as const)]);
    if (this.path.value !== before || this.#from.value === "") this.#suggest();
    this.#range.hidden = this.path.value === "";
  }

  /** The parameter; null for none. */
  get chosen() {
    if (this.path.value === "") return null;
    const of = `of ${this.path.value}`;
    const scale = this.#scale.value === "log" ? ("log" as const) : ("linear" as const);
    return { path: this.path.value, from: numberOf(this.#from, `“from” ${of}`), to: numberOf(this.#to, `“to” ${of}`), steps: numberOf(this.#steps, `“values” ${of}`), scale };
  }

  /** Half to one and a half of the present value, within the usual range of the parameter. */
  #suggest(): void {
    const found = this.#parameters.find(({ path }) => path === this.path.value);
    this.#range.hidden = !found;
    say(this.#unit, found ? `now ${quantity(found.value, found.unit, 4)}${found.unit === "" ? "" : `; from and to are in ${found.unit}`}` : "");
    if (!found) return;
    const { value, min, max } = found;
    const [low, high] = value === 0 || Number.isNaN(value) ? [min, max] : [value - 0.5 * Math.abs(value), value + 0.5 * Math.abs(value)];
    const inside = [Math.max(low, min), Math.min(high, max)];
    const [from, to] = inside[0]! < inside[1]! ? inside : [low, high];
    this.#from.value = String(Number(from!.toPrecision(3)));
    this.#to.value = String(Number(to!.toPrecision(3)));
  }
}

/** The view. */
export class SweepView implements ExperimentView {
  readonly element: HTMLElement;
  readonly #owner: Owner;
  readonly #parameters = [new ParameterFields(0), new ParameterFields(1)];
  readonly #measure = h("select", { part: "measure" });
  readonly #of = h("select", { part: "of" });
  readonly #ms = numberInput("duration", "500");
  readonly #warmUp = numberInput("warm-up", "100");
  readonly #repeats = numberInput("repeats", "1");
  readonly #start: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #progress = h("progress", { hidden: "", max: "1", "aria-label": "Sweep" });
  readonly #said = h("p", { class: "said", part: "report", role: "status" });
  readonly #wrong = h("p", { class: "wrong", part: "error", role: "alert" });
  readonly #saves = h("div", { class: "toolbar", hidden: "" });
  readonly #lines: Lines;
  readonly #heat: Heat;
  #run: SweepRun | null = null;
  #begun: SweepEvents["begin"] | null = null;
  #points: (SweepPoint | null)[] = [];
  #network: Network | null = null;
  #options: SweepOptions | null = null;

  constructor(owner: Owner) {
    this.#owner = owner;
    const { theme, end } = owner;
    this.#lines = new Lines(theme, end, "curve", (place) => this.#open(place));
    this.#heat = new Heat(theme, end, "heat", (place) => this.#open(place));
    this.#lines.isEmpty = this.#heat.isEmpty = true;
    this.#start = button("Run the sweep", "start", () => void guarded(this.#wrong, end, () => this.#begin()), "main");
    this.#stop = button("Stop", "stop", () => this.#run?.stop());
    this.#stop.hidden = true;
    fill(this.#measure, SWEEP_MEASURES.map(({ name, title }) => [name, title]));
    this.#measure.addEventListener("change", () => this.#fillOf());
    const save = (text: string, part: string, act: () => Promise<void> | void) => button(text, part, () => void guarded(this.#wrong, end, act));
    this.#saves.append(
      h("span", { class: "note" }, "Save as"),
      save("CSV", "csv", async () => saveTable(this.#name, sweepRows(await this.#result()))),
      save("NPZ", "npz", async () => saveFile(this.#name, "npz", new Blob([sweepNpz(await this.#result())], { type: "application/zip" }))),
      save("PNG", "png", () => saveChart(this.#name, this.#chart, "png")),
      save("SVG", "svg", () => saveChart(this.#name, this.#chart, "svg")),
      save("JSON", "json", () => saveFile(this.#name, "json", new Blob([JSON.stringify(sweepFile(this.#network!, this.#options!), null, 1)], { type: "application/json" }))),
    );
    const what = h("div", { class: "fields" }, field("Measure", this.#measure), field("of", this.#of), field("Duration (ms)", this.#ms), field("Without the first (ms)", this.#warmUp), field("Repetitions", this.#repeats));
    const form = h("div", { class: "form" }, h("div", { class: "both" }, ...this.#parameters.map(({ element }) => element)), what);
    const status = h("div", { class: "status-line" }, this.#start, this.#stop, this.#said, this.#progress, this.#wrong);
    this.element = h("section", { class: "sweep", "aria-label": "Sweep" }, form, status, this.#heat.element, this.#lines.element, this.#saves);
    end.addEventListener("abort", () => this.#run?.stop());
    this.renew();
  }

  renew(): void {
    const info = this.#owner.simulation?.info;
    this.#start.disabled = !info;
    if (!info) return;
    const parameters = parametersOf(info);
    for (const one of this.#parameters) one.fill(parameters);
    this.#fillOf();
    if (!this.#begun) say(this.#said, parameters.length === 0 ? "This network has no parameters that can be varied." : "Runs copies of the network in the background; the open one continues.");
  }

  redraw(): void {
    this.#lines.draw();
    this.#heat.draw();
  }

  #fillOf(): void {
    const info = this.#owner.simulation?.info;
    if (!info) return;
    const { populations, projections } = info.network;
    if (this.#measure.value !== "mean") return fill(this.#of, populations.map(({ name }) => [name, name]));
    const variables = [...populations.map(({ variables: all, size }) => ({ all, size })), ...projections.map(({ variables: all, synapses: size }) => ({ all, size }))];
    fill(this.#of, variables.flatMap(({ all, size }) => all.map(({ path }) => (size <= RECORDED ? path : `${path}[0:${RECORDED}]`))).map((path) => [path, path]));
  }

  async #begin(): Promise<void> {
    const { simulation, end } = this.#owner;
    if (!simulation) return;
    const parameters = this.#parameters.flatMap(({ chosen }) => (chosen ? [chosen] : []));
    const measure = this.#measure.value as SweepMeasure;
    const options: SweepOptions = {
      parameters,
      ms: numberOf(this.#ms, "The duration"),
      warmUpMs: numberOf(this.#warmUp, "The time that is left out"),
      repeats: numberOf(this.#repeats, "The number of repetitions"),
      measure,
      ...(measure === "mean" ? { variable: this.#of.value } : { population: this.#of.value }),
      seed: simulation.info.seed,
    };
    const network = await simulation.network({ signal: end });
    const run = sweep(network, { ...options, worker: this.#owner.worker(), signal: end });
    [this.#run, this.#network, this.#options] = [run, network, options];
    this.#busy(true);
    say(this.#said, "Building the network …");
    this.#progress.removeAttribute("value");
    run.on("begin", (begun) => this.#show(begun));
    run.on("point", (point) => {
      this.#points[point.index] = point;
      this.#draw();
    });
    run.on("progress", ({ done, total, remaining }) => {
      this.#progress.value = done / total;
      say(this.#said, `${done} of ${total}${remaining === null || done === total ? "" : `, about ${duration(remaining)} left`}`);
    });
    try {
      const { points, seconds, isComplete, workers, repeats } = await run.result;
      const rate = (points.length * repeats) / Math.max(seconds, 1e-3);
      const failed = points.filter(({ failure }) => failure !== null).length;
      const how = `${short(rate, 3)} runs per s in ${workers} ${workers === 1 ? "Worker" : "Workers"}`;
      say(this.#said, `${isComplete ? "Complete" : `Stopped after ${points.length} combinations`}: ${duration(seconds)}, ${how}${failed > 0 ? `; ${failed} failed` : ""}. Click a result to open its run.`);
      this.#saves.hidden = points.length === 0;
    } catch (error) {
      say(this.#said, "");
      throw error;
    } finally {
      if (this.#run === run) this.#busy(false);
    }
  }

  #busy(isBusy: boolean): void {
    this.#start.hidden = isBusy;
    this.#stop.hidden = this.#progress.hidden = !isBusy;
    if (isBusy) this.#saves.hidden = true;
  }

  #show(begun: SweepEvents["begin"]): void {
    this.#begun = begun;
    this.#points = Array.from({ length: begun.axes.reduce((product, { numbers }) => product * numbers.length, 1) }, () => null);
    this.#heat.isEmpty = begun.axes.length !== 2;
    this.#lines.isEmpty = begun.axes.length !== 1;
    this.#draw();
  }

  #draw(): void {
    const begun = this.#begun;
    if (!begun) return;
    const { axes, measure, of, ms, warmUpMs, repeats, network } = begun;
    const title = `${measure.title} of ${of}`;
    const about = `${network}, ${short(warmUpMs)} to ${short(ms, 6)} ms${repeats > 1 ? `, mean of ${repeats} runs` : ""}`;
    const [first, second] = axes;
    if (second) {
      const cells = this.#points.map((point) => (point === null ? null : { value: point.mean, sd: point.sd, note: noteOf(point) }));
      return this.#heat.show({ title, about, name: measure.title, unit: measure.unit, axes: [first!, second], cells });
    }
    const { path, unit, numbers, isLog } = first!;
    const all = numbers.map((x, place) => {
      const point = this.#points[place];
      return { x, y: point?.mean ?? NaN, sd: point?.sd ?? 0, note: point ? noteOf(point) && ` (${noteOf(point)})` : " (not computed yet)" };
    });
    const line = { name: of, use: "excitatory", dash: 0, points: all, hasDots: true } as const;
    const range = [Math.min(...numbers), Math.max(...numbers)] as const;
    this.#lines.show({ title, about, x: { name: path, unit, isLog, range }, y: { name: measure.title, unit: measure.unit }, lines: [line], mark: null });
  }

  #open(place: number): void {
    const point = this.#points[place];
    const begun = this.#begun;
    if (point && begun) this.#owner.open(begun.axes.map(({ path, unit }, axis) => [path, quantityText(point.values[axis]!, unit)] as const), begun.ms);
  }

  get #chart() {
    return this.#begun?.axes.length === 2 ? this.#heat : this.#lines;
  }

  get #name(): string {
    return `${this.#begun?.network ?? "network"} sweep ${this.#begun?.measure.name ?? ""}`;
  }

  async #result() {
    return this.#run!.result;
  }
}

/** Why a point has no value. */
function noteOf({ failure, mean }: SweepPoint): string {
  return failure ?? (Number.isNaN(mean) ? "too few spikes" : "");
}

function duration(seconds: number): string {
  return seconds < 90 ? `${short(seconds, 2)} s` : `${short(seconds / 60, 2)} min`;
}
