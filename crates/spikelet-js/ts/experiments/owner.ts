// What the views of experiments have in common.

import { worded } from "../errors.js";
import { h, say } from "../plots/dom.js";
import { saveFile } from "../plots/save.js";
import type { Theme } from "../plots/theme.js";
import { type Spikelet } from "../spikelet.js";
import type { Chart } from "./chart.js";
import type { StoredSpikes } from "./compare.js";

/** The element, as its views see it. */
export interface Owner {
  readonly theme: Theme;
  /** Aborted when the element is removed. */
  readonly end: AbortSignal;
  /** The simulation of the page, if there is one. */
  readonly simulation: Spikelet | null;
  /** The stored spikes of its run, if there are. */
  readonly spikes: StoredSpikes | null;
  worker(): string | undefined;
  /** Offers a run to the page: parameters with their values, and its duration in ms. */
  open(values: readonly (readonly [string, string])[], ms: number): void;
}

/** A view of the element. */
export interface ExperimentView {
  readonly element: HTMLElement;
  /** Another network is open. */
  renew(): void;
  redraw(): void;
}

/** A field with its label. */
export function field(name: string, control: HTMLElement, kind = ""): HTMLLabelElement {
  return h("label", { class: `field ${kind}`.trim() }, h("span", {}, name), control);
}

/** A field for a number. */
export function numberInput(part: string, value = ""): HTMLInputElement {
  return h("input", { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", part, value });
}

/** A list of choices; a choice is a value with its text. */
export function fill(select: HTMLSelectElement, choices: readonly (readonly [string, string])[]): void {
  const before = select.value;
  select.replaceChildren(...choices.map(([value, text]) => h("option", { value }, text)));
  if (choices.some(([value]) => value === before)) select.value = before;
}

/** A button. */
export function button(text: string, part: string, act: () => void, kind?: string): HTMLButtonElement {
  const made = h("button", { type: "button", part: `button ${part}`, class: kind }, text);
  made.addEventListener("click", act);
  return made;
}

/** A number of a field. */
export function numberOf(input: HTMLInputElement, name: string): number {
  const number = Number(input.value.trim().replace("−", "-"));
  const isValid = input.value.trim() !== "" && Number.isFinite(number);
  input.setAttribute("aria-invalid", String(!isValid));
  if (!isValid) {
    input.focus();
    throw new RangeError(`${name} is “${input.value}”; expected a number, such as 10 or 0.5`);
  }
  return number;
}

/** Runs, and shows an error. */
export async function guarded(wrong: HTMLElement, end: AbortSignal, act: () => Promise<void> | void): Promise<void> {
  say(wrong, "");
  try {
    await act();
  } catch (error) {
    if (!end.aborted) say(wrong, error instanceof RangeError ? error.message : worded(error).message);
  }
}

/** Saves a chart as PNG or SVG, in the colours for white paper. */
export async function saveChart(name: string, chart: Chart, format: "png" | "svg"): Promise<void> {
  // Only who saves loads this.
  const { png, svg } = await import("../plots/export/picture.js");
  const drawn = { frame: chart, isOnWhite: true, draw: () => chart.drawPicture(), describe: () => chart.description };
  saveFile(name, format, format === "png" ? await png(drawn) : new Blob([svg(drawn)], { type: "image/svg+xml" }));
}
