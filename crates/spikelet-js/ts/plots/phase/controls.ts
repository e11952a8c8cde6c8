// The controls beside a phase plane: what is on its axes, what is held, and its fixed points.

import type { PhasePlane, PlaneVariable, PopulationSummary } from "../../raw.js";
import { h, say } from "../dom.js";
import { quantity } from "../numbers.js";
import { eigenvaluesOf, kindOf, pointOf } from "./words.js";

/** What the user can change. */
export interface Choices {
  population(name: string): void;
  neuron(index: number): void;
  axis(axis: "x" | "y", symbol: string): void;
  /** Holds a variable at a value, or lets it follow its steady state. */
  clamp(symbol: string, value: number | "steady"): void;
  /** Automatic ranges. */
  fit(): void;
  record(): void;
}

/** Steps of a slider. */
const STEPS = 400;

/** A row of a variable that is on no axis. */
interface HeldRow {
  readonly element: HTMLElement;
  readonly slider: HTMLInputElement;
  readonly value: HTMLElement;
  readonly steady: HTMLInputElement | null;
}

let serial = 0;

/** The controls. They are created once; only the rows of held variables and the fixed points are created again. */
export class Controls {
  readonly element: HTMLElement;
  readonly #choices: Choices;
  readonly #population: HTMLSelectElement;
  readonly #neuron: HTMLInputElement;
  readonly #x: HTMLSelectElement;
  readonly #y: HTMLSelectElement;
  readonly #record: HTMLButtonElement;
  readonly #held = h("div", { class: "held" });
  readonly #points = h("table", { class: "points" });
  readonly #none = h("p", { class: "none" });
  readonly #error = h("p", { class: "error", role: "alert" });
  #rows = new Map<string, HeldRow>();
  #names = "";

  constructor(populations: readonly PopulationSummary[], choices: Choices) {
    this.#choices = choices;
    this.#population = h("select", {}, ...populations.map(({ name }) => h("option", { value: name }, name)));
    this.#population.addEventListener("change", () => choices.population(this.#population.value));
    this.#neuron = h("input", { type: "number", min: "0", step: "1", inputmode: "numeric" });
    this.#neuron.addEventListener("change", () => {
      if (this.#neuron.reportValidity() && this.#neuron.value !== "") choices.neuron(Number(this.#neuron.value));
    });
    [this.#x, this.#y] = (["x", "y"] as const).map((axis) => {
      const select = h("select");
      select.addEventListener("change", () => choices.axis(axis, select.value));
      return select;
    }) as [HTMLSelectElement, HTMLSelectElement];
    const fit = h("button", { type: "button", title: "Automatic ranges: double click the plane, or press 0" }, "Fit");
    fit.addEventListener("click", () => choices.fit());
    this.#record = h("button", { type: "button" });
    this.#record.addEventListener("click", () => choices.record());
    const fields = h("div", { class: "fields" },
      ...(populations.length > 1 ? [labelled("Population", this.#population)] : []),
      labelled("Neuron", this.#neuron), labelled("Across", this.#x), labelled("Upwards", this.#y), fit);
    this.element = h("div", { class: "beside", part: "beside" }, fields, this.#record, this.#error, this.#held, this.#points, this.#none);
  }

  /** Shows the plane. `size` is that of its population; `missing` are the variables of its axes that are not recorded. */
  show(plane: PhasePlane, size: number, missing: readonly string[]): void {
    this.setError("");
    this.#population.value = plane.population;
    this.#neuron.max = String(size - 1);
    if (document.activeElement !== this.#neuron && this.#neuron.getRootNode() instanceof Node) this.#neuron.value = String(plane.neuron);
    const symbols = plane.variables.map(({ symbol }) => symbol);
    for (const [select, chosen] of [[this.#x, plane.x.symbol], [this.#y, plane.y?.symbol ?? plane.x.symbol]] as const) {
      if ([...select.options].map(({ value }) => value).join() !== symbols.join()) {
        select.replaceChildren(...symbols.map((symbol) => h("option", { value: symbol }, symbol)));
      }
      select.value = chosen;
    }
    for (const option of this.#y.options) say(option, option.value === plane.x.symbol ? `rate of ${option.value}` : option.value);
    this.setMissing(missing, plane);
    this.#showHeld(plane.variables.filter(({ role }) => role !== "axis"));
    this.#showPoints(plane);
  }

  /** Offers to record what the trajectory needs. */
  setMissing(missing: readonly string[], { population, neuron }: PhasePlane): void {
    this.#record.hidden = missing.length === 0;
    say(this.#record, `Record ${missing.map((symbol) => `${population}.${symbol}[${neuron}]`).join(" and ")}, to show the trajectory`);
  }

  setError(text: string): void {
    say(this.#error, text);
  }

  #showHeld(variables: readonly PlaneVariable[]): void {
    const names = variables.map(({ symbol }) => symbol).join();
    if (names !== this.#names) {
      this.#names = names;
      this.#rows = new Map(variables.map((variable) => [variable.symbol, this.#row(variable)]));
      this.#held.replaceChildren(...[...this.#rows.values()].map(({ element }) => element));
    }
    for (const variable of variables) this.#update(this.#rows.get(variable.symbol)!, variable);
  }

  #row({ symbol, unit, canBeSteady, range, value: held }: PlaneVariable): HeldRow {
    const [low, high] = range ?? [0, 1];
    const [least, most] = [Math.min(low, held), Math.max(high, held)];
    serial += 1;
    const id = `phase-${serial}`;
    const slider = h("input", { type: "range", id, min: String(least), max: String(most), step: String((most - least) / STEPS) });
    const value = h("output", { for: id });
    slider.addEventListener("input", () => {
      say(value, quantity(slider.valueAsNumber, unit));
      this.#choices.clamp(symbol, slider.valueAsNumber);
    });
    const steady = canBeSteady ? h("input", { type: "checkbox" }) : null;
    steady?.addEventListener("change", () => this.#choices.clamp(symbol, steady.checked ? "steady" : slider.valueAsNumber));
    const label = h("label", { for: id, title: `${symbol} is held at this value` }, h("code", {}, symbol));
    const follow = steady === null ? [] : [h("label", { class: "steady", title: `${symbol} has the value at which its own rate is 0, as if it were very fast` }, steady, "steady state")];
    return { element: h("div", { class: "row" }, label, value, ...follow, slider), slider, value, steady };
  }

  #update({ slider, value, steady }: HeldRow, { role, value: held, unit }: PlaneVariable): void {
    const isSteady = role === "steady";
    if (steady !== null) steady.checked = isSteady;
    slider.disabled = isSteady;
    // While it is dragged the slider is ahead of the plane.
    if (!isSteady && !slider.matches(":active")) slider.value = String(held);
    say(value, isSteady ? "follows" : quantity(slider.valueAsNumber, unit));
    slider.setAttribute("aria-valuetext", value.textContent);
  }

  #showPoints(plane: PhasePlane): void {
    const { fixedPoints } = plane;
    const heads = ["Fixed point", "at", plane.isMap ? "multipliers" : "eigenvalues"].map((text) => h("th", { scope: "col" }, text));
    const rows = fixedPoints.map((point) =>
      h("tr", {}, h("th", { scope: "row" }, kindOf(point, plane)), h("td", {}, pointOf(point, plane)), h("td", {}, eigenvaluesOf(point, plane))));
    this.#points.hidden = fixedPoints.length === 0;
    this.#points.replaceChildren(h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows));
    this.#none.hidden = fixedPoints.length > 0;
    say(this.#none, "No fixed point in these ranges.");
  }
}

function labelled(text: string, control: HTMLElement): HTMLElement {
  return h("label", { class: "field small" }, h("span", {}, text), control);
}
