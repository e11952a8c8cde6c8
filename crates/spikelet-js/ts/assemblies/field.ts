// A number with a slider and a text field, whose error is shown beside it.

import { h, say } from "../plots/dom.js";

/** A parameter of a brain. */
export interface Parameter {
  readonly name: string;
  readonly about: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** Whether the slider is logarithmic. */
  readonly isLog?: boolean;
  /** Why a value is not valid; null if it is. */
  check(value: number): string | null;
}

let fields = 0;

/** The field. */
export class NumberField {
  readonly element: HTMLElement;
  readonly #parameter: Parameter;
  readonly #range: HTMLInputElement;
  readonly #text: HTMLInputElement;
  readonly #error: HTMLElement;
  #value: number;

  constructor(parameter: Parameter, value: number, changed: () => void) {
    const { name, about, min, max, step, isLog } = parameter;
    const id = `field-${(fields += 1)}`;
    this.#parameter = parameter;
    this.#value = value;
    const bounds = isLog ? { min: String(Math.log10(min)), max: String(Math.log10(max)), step: "0.05" } : { min: String(min), max: String(max), step: String(step) };
    this.#range = h("input", { type: "range", part: "slider", "aria-label": `${name}, ${about}`, ...bounds });
    this.#text = h("input", { type: "text", inputmode: "decimal", id, "data-name": name, "aria-describedby": `${id}-error`, autocomplete: "off" });
    this.#error = h("span", { class: "wrong", id: `${id}-error`, role: "alert" });
    const label = h("label", { for: id, class: "name" }, h("code", {}, name), about);
    this.element = h("div", { class: "number", part: "parameter" }, label, this.#text, this.#range, this.#error);
    this.#write();
    this.#range.addEventListener("input", () => {
      const raw = isLog ? 10 ** this.#range.valueAsNumber : this.#range.valueAsNumber;
      this.#value = isLog ? Number(raw.toPrecision(2)) : Number(raw.toFixed(4));
      this.#text.value = String(this.#value);
      this.check();
    });
    this.#range.addEventListener("change", changed);
    this.#text.addEventListener("change", () => {
      this.#value = this.#text.value.trim() === "" ? Number.NaN : Number(this.#text.value.replace(",", ".").replace(/\s/g, ""));
      if (!Number.isNaN(this.#value)) this.#write();
      this.check();
      changed();
    });
  }

  get value(): number {
    return this.#value;
  }

  /** Shows whether the value is valid, and returns it. */
  check(): boolean {
    const wrong = Number.isNaN(this.#value)
      ? `“${this.#text.value}” is not a number; expected one such as ${this.#parameter.min}`
      : this.#parameter.check(this.#value);
    say(this.#error, wrong ?? "");
    this.#text.setAttribute("aria-invalid", String(wrong !== null));
    return wrong === null;
  }

  #write(): void {
    this.#text.value = String(this.#value);
    this.#range.valueAsNumber = this.#parameter.isLog ? Math.log10(this.#value) : this.#value;
    this.#range.setAttribute("aria-valuetext", String(this.#value));
  }
}
