import { SpikeletError } from "../errors.js";
import type { Parameter } from "../raw.js";
import type { Spikelet } from "../spikelet.js";
import { h, say } from "../plots/dom.js";
import { niceAbove, quantity } from "../plots/numbers.js";

/** Approximate number of positions of a slider. */
const STEPS = 200;

/** A parameter with its slider. */
interface Slider {
  readonly parameter: Parameter;
  readonly input: HTMLInputElement;
  readonly output: HTMLElement;
}

/** Sliders for parameters of a simulation. They follow values set elsewhere. */
export class Sliders {
  readonly element = h("div", { part: "parameters", class: "parameters", role: "group", "aria-label": "Parameters" });
  readonly #simulation: Spikelet;
  readonly #failed: (error: unknown) => void;
  readonly #sliders = new Map<string, Slider>();
  readonly #end = new AbortController();
  readonly #restore = h("button", { type: "button", part: "button restore", class: "restore", hidden: "" }, "Restore values");
  /** The next values to set; only the latest value of each parameter is kept. */
  readonly #waiting = new Map<string, number>();
  #isSetting = false;

  /** @throws If a path is not a parameter. */
  constructor(simulation: Spikelet, paths: readonly string[], failed: (error: unknown) => void) {
    this.#simulation = simulation;
    this.#failed = failed;
    const { populations, projections } = simulation.info.network;
    const parameters = [...populations, ...projections].flatMap((object) => object.parameters);
    for (const path of paths) {
      const parameter = parameters.find((one) => one.path === path);
      if (!parameter) {
        const there = parameters.map((one) => one.path).join(", ");
        throw new SpikeletError("argument", `parameters: there is no “${path}”; there are ${there || "none"}`, "parameters");
      }
      this.#add(parameter);
    }
    this.#restore.addEventListener("click", () => {
      for (const { parameter } of this.#sliders.values()) this.#set(parameter.path, parameter.value);
    });
    if (paths.length > 0) this.element.append(this.#restore);
    simulation.on("changed", ({ path, value }) => this.#show(path, value), { signal: this.#end.signal });
  }

  dispose(): void {
    this.#end.abort();
  }

  #add(parameter: Parameter): void {
    const { path, symbol, about, unit, value, min, max } = parameter;
    // A value can be outside of the usual range; the slider is then extended.
    const [low, high] = Number.isNaN(value) ? [min, max] : [Math.min(min, value), Math.max(max, value)];
    const step = niceAbove(Math.max(high - low, Number.MIN_VALUE) / STEPS);
    const range = { min: String(low), max: String(high), step: String(step) };
    const input = h("input", { type: "range", part: "slider", "aria-label": `${path}${about && `, ${about}`}`, "data-path": path, ...range });
    const output = h("span", { class: "value", part: "value" });
    const name = h("span", { class: "name", title: about ? `${path}: ${about}` : path }, h("code", {}, path), about === symbol ? "" : about);
    this.#sliders.set(path, { parameter, input, output });
    this.element.append(h("label", { part: "parameter" }, name, output, input));
    this.#show(path, value);
    input.addEventListener("input", () => {
      say(output, quantity(input.valueAsNumber, unit, 4));
      this.#set(path, input.valueAsNumber);
    });
  }

  #show(path: string, value: number): void {
    const slider = this.#sliders.get(path);
    if (!slider || this.#waiting.has(path)) return;
    const { input, output, parameter } = slider;
    const text = Number.isNaN(value) ? "not the same for all" : quantity(value, parameter.unit, 4);
    input.valueAsNumber = Number.isNaN(value) ? (parameter.min + parameter.max) / 2 : value;
    input.setAttribute("aria-valuetext", text);
    say(output, text);
    const shown = (one: Slider) => this.#now(one.parameter.path);
    this.#restore.hidden = [...this.#sliders.values()].every((one) => Object.is(shown(one), one.parameter.value));
  }

  #now(path: string): number | undefined {
    const { populations, projections } = this.#simulation.info.network;
    return [...populations, ...projections].flatMap((object) => object.parameters).find((one) => one.path === path)?.value;
  }

  #set(path: string, value: number): void {
    if (Number.isNaN(value)) return;
    this.#waiting.set(path, value);
    if (!this.#isSetting) void this.#setAll();
  }

  /** Sets values one after the other. */
  async #setAll(): Promise<void> {
    this.#isSetting = true;
    try {
      for (let next = this.#waiting.entries().next(); !next.done; next = this.#waiting.entries().next()) {
        const [path, value] = next.value;
        this.#waiting.delete(path);
        await this.#simulation.set(path, value);
      }
    } catch (error) {
      this.#waiting.clear();
      if (!this.#end.signal.aborted) this.#failed(error);
    } finally {
      this.#isSetting = false;
    }
  }
}
