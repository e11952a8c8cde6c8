// The view of curves of one neuron.

import { h, say } from "../plots/dom.js";
import { quantity } from "../plots/numbers.js";
import { saveTable } from "../plots/save.js";
import { Lines } from "./lines.js";
import { type NeuronCurve, currentsOf, fiCurve, inputsOf, transferCurve } from "./neuron.js";
import { type Owner, type ExperimentView, button, field, fill, guarded, numberInput, numberOf, saveChart } from "./owner.js";

/** The view. */
export class NeuronView implements ExperimentView {
  readonly element: HTMLElement;
  readonly #owner: Owner;
  readonly #population = h("select", { part: "population" });
  readonly #current = h("select", { part: "current" });
  readonly #projection = h("select", { part: "projection" });
  readonly #low = numberInput("current-from");
  readonly #high = numberInput("current-to");
  readonly #lowRate = numberInput("rate-from", "0");
  readonly #highRate = numberInput("rate-to", "50");
  readonly #fi: HTMLButtonElement;
  readonly #transfer: HTMLButtonElement;
  readonly #said = h("p", { class: "said", part: "curve-report", role: "status" });
  readonly #wrong = h("p", { class: "wrong", part: "curve-error", role: "alert" });
  readonly #lack = h("p", { class: "note" });
  readonly #saves = h("div", { class: "toolbar", hidden: "" });
  readonly #lines: Lines;
  #curve: NeuronCurve | null = null;

  constructor(owner: Owner) {
    this.#owner = owner;
    const { theme, end } = owner;
    this.#lines = new Lines(theme, end, "neuron-curve");
    this.#lines.isEmpty = true;
    this.#fi = button("F–I curve", "fi", () => void guarded(this.#wrong, end, () => this.#runFi()), "main");
    this.#transfer = button("Transfer curve", "transfer", () => void guarded(this.#wrong, end, () => this.#runTransfer()), "main");
    this.#population.addEventListener("change", () => this.#fillPopulation());
    this.#current.addEventListener("change", () => this.#suggest());
    const save = (text: string, part: string, act: () => Promise<void> | void) => button(text, part, () => void guarded(this.#wrong, end, act));
    this.#saves.append(
      h("span", { class: "note" }, "Save as"),
      save("CSV", "curve-csv", () => this.#table()),
      save("PNG", "curve-png", () => saveChart(this.#name, this.#lines, "png")),
      save("SVG", "curve-svg", () => saveChart(this.#name, this.#lines, "svg")),
    );
    const fi = h("fieldset", { class: "parameter" }, h("legend", {}, "Rate against current"), field("Current", this.#current), h("div", { class: "range" }, field("from", this.#low), field("to", this.#high)), this.#fi);
    const transfer = h("fieldset", { class: "parameter" }, h("legend", {}, "Rate against input rate"), field("Synapses of", this.#projection), h("div", { class: "range" }, field("from (Hz)", this.#lowRate), field("to (Hz)", this.#highRate)), this.#transfer, this.#lack);
    const note = h("p", { class: "note" }, "Both are of a single neuron with the model and the present values of the population, without connections.");
    this.element = h("section", { class: "neuron", "aria-label": "Curves of one neuron" }, h("div", { class: "fields" }, field("Population", this.#population)), note, h("div", { class: "both" }, fi, transfer), h("div", { class: "status-line" }, this.#said, this.#wrong), this.#lines.element, this.#saves);
    this.renew();
  }

  renew(): void {
    const info = this.#owner.simulation?.info;
    const populations = info?.network.populations.filter(({ source }) => !source) ?? [];
    fill(this.#population, populations.map(({ name }) => [name, name]));
    this.#fi.disabled = this.#transfer.disabled = populations.length === 0;
    this.#fillPopulation();
  }

  redraw(): void {
    this.#lines.draw();
  }

  get #parameters() {
    return this.#owner.simulation?.info.network.populations.find(({ name }) => name === this.#population.value)?.parameters ?? [];
  }

  #fillPopulation(): void {
    fill(this.#current, currentsOf(this.#parameters).map((symbol) => [symbol, symbol]));
    // The most likely current of this model.
    this.#current.selectedIndex = 0;
    this.#fi.disabled = this.#current.options.length === 0;
    this.#suggest();
    const simulation = this.#owner.simulation;
    if (!simulation) return;
    const { projections } = simulation.info.network;
    const onto = projections.filter(({ post }) => post.replace(/\[.*$/, "").trim() === this.#population.value);
    fill(this.#projection, onto.map(({ name }) => [name, name]));
    this.#transfer.disabled = onto.length === 0;
    say(this.#lack, onto.length === 0 ? "The population has no projections onto it." : "100 Poisson inputs, 10 neurons for each rate.");
  }

  #suggest(): void {
    const found = this.#parameters.find(({ symbol }) => symbol === this.#current.value);
    if (!found) return;
    this.#low.value = String(found.min);
    this.#high.value = String(found.max);
    this.#current.title = `${found.about} (${found.unit})`;
  }

  async #runFi(): Promise<void> {
    const found = this.#parameters.find(({ symbol }) => symbol === this.#current.value);
    if (!found) return;
    const [from, to] = [numberOf(this.#low, "“from” of the current"), numberOf(this.#high, "“to” of the current")];
    await this.#run(this.#fi, (network) => fiCurve(network, { population: this.#population.value, parameter: found.symbol, unit: found.unit, from, to, worker: this.#owner.worker(), signal: this.#owner.end }));
  }

  async #runTransfer(): Promise<void> {
    const [from, to] = [numberOf(this.#lowRate, "“from” of the rate"), numberOf(this.#highRate, "“to” of the rate")];
    await this.#run(this.#transfer, (network) => {
      const projection = inputsOf(network, this.#population.value).includes(this.#projection.value) ? this.#projection.value : (inputsOf(network, this.#population.value)[this.#projection.selectedIndex] ?? this.#projection.value);
      return transferCurve(network, { population: this.#population.value, projection, from, to, worker: this.#owner.worker(), signal: this.#owner.end });
    });
  }

  async #run(pressed: HTMLButtonElement, compute: (network: import("../network.js").Network) => Promise<NeuronCurve>): Promise<void> {
    const { simulation, end } = this.#owner;
    if (!simulation) return;
    pressed.disabled = true;
    say(this.#said, "Running …");
    try {
      this.#show(await compute(await simulation.network({ signal: end })));
    } catch (error) {
      say(this.#said, "");
      throw error;
    } finally {
      pressed.disabled = false;
    }
  }

  #show(curve: NeuronCurve): void {
    this.#curve = curve;
    const { kind, population, of, unit, points, rheobase } = curve;
    const xs = points.map(({ x }) => x);
    const line = { name: population, use: "excitatory", dash: 0, points: points.map(({ x, rate, sd }) => ({ x, y: rate, sd })), hasDots: kind === "transfer" } as const;
    this.#lines.show({
      title: kind === "fi" ? `F–I curve of a neuron of ${population}` : `Transfer curve of a neuron of ${population}`,
      about: "",
      x: { name: of, unit, isLog: false, range: [Math.min(...xs), Math.max(...xs)] },
      y: { name: "Mean rate", unit: "Hz" },
      lines: [line],
      mark: rheobase ? { x: rheobase.fires, text: `rheobase ${quantity(rheobase.fires, unit, 4)}` } : null,
    });
    const most = Math.max(...points.map(({ rate }) => rate));
    const edge = rheobase ? `rheobase ${quantity(rheobase.fires, unit, 4)}; ` : kind === "fi" ? (most === 0 ? "the neuron does not fire in this range; " : "the neuron fires at all of these currents; ") : "";
    say(this.#said, `${edge}largest rate ${quantity(most, "Hz", 4)}.`);
    this.#saves.hidden = false;
  }

  get #name(): string {
    return this.#curve ? `${this.#curve.network.name} ${this.#curve.kind}` : "curve";
  }

  #table(): void {
    const { of, unit, points } = this.#curve!;
    saveTable(this.#name, [[unit === "" ? of : `${of} [${unit}]`, "rate [Hz]", "sd [Hz]"], ...points.map(({ x, rate, sd }) => [x, rate, sd])]);
  }
}
