// What is trained: a preset or the network of the page, its method, epochs and rate, or its whole JSON.

import { SpikeletError } from "../errors.js";
import { h, say } from "../plots/dom.js";
import type { TrainingOptions, TrainingSource } from "./options.js";
import { suggested } from "./suggest.js";
import { Training } from "./training.js";
import type { Method, Preset } from "./raw.js";

/** The value of the choice that is the network of the page. */
const OPEN_NETWORK = "";

const METHODS: Readonly<Record<Method, string>> = {
  eventprop: "EventProp (exact)",
  bptt: "BPTT, surrogates",
  eprop: "e-prop (online)",
};

/** Rates of learning that the list offers; "as published" is the first. */
const RATES = ["0.0005", "0.001", "0.002", "0.005", "0.01", "0.02"];

/** The form. */
export class TrainingForm {
  readonly element: HTMLElement;
  /** The training as JSON, to be edited. */
  readonly json: HTMLDetailsElement;
  readonly #preset = h("select", { id: "task", part: "task" });
  readonly #method = h("select", { id: "method", part: "method" });
  readonly #rate = h("select", { id: "rate", part: "rate" });
  readonly #epochs = h("input", { type: "text", inputmode: "numeric", id: "epochs", part: "epochs", value: "20", autocomplete: "off" });
  readonly #about = h("p", { class: "note" });
  readonly #text = h("textarea", { spellcheck: "false", "aria-label": "The training as JSON", part: "json", rows: "18" });
  readonly #worker: () => string | undefined;
  readonly #changed: () => void;
  readonly #wanted: string | null;
  #presets: readonly Preset[] = [];
  #offered: string | null = null;
  #isEdited = false;

  /** @param changed Called when another training is described. */
  constructor(wanted: string | null, worker: () => string | undefined, changed: () => void) {
    this.#wanted = wanted;
    this.#worker = worker;
    this.#changed = changed;
    const field = (name: string, control: HTMLElement) => h("label", { class: "field", for: control.id }, h("span", {}, name), control);
    this.#rate.append(h("option", { value: "" }, "as published"), ...RATES.map((rate) => h("option", { value: rate }, rate)));
    const fields = h("div", { class: "fields" }, field("Task", this.#preset), field("Method", this.#method), field("Epochs", this.#epochs), field("Rate of learning", this.#rate));
    this.element = h("div", { class: "form" }, fields, this.#about);
    this.json = h("details", { class: "json" }, h("summary", {}, "The training as JSON: network, data, loss and optimiser, to be changed here"), this.#text);
    this.#preset.addEventListener("change", () => this.#select());
    for (const control of [this.#method, this.#rate, this.#epochs]) control.addEventListener("change", () => this.#reset());
    this.#text.addEventListener("input", () => {
      this.#isEdited = true;
      changed();
    });
    this.json.addEventListener("toggle", () => void this.#write());
  }

  /** The requested number of epochs. */
  get epochs(): number {
    const epochs = Number(this.#epochs.value);
    return Number.isInteger(epochs) && epochs >= 1 ? epochs : 1;
  }

  /** Lists the presets. */
  fill(presets: readonly Preset[]): void {
    this.#presets = presets;
    this.#list();
    if (this.#wanted !== null && presets.some(({ name }) => name === this.#wanted)) this.#preset.value = this.#wanted;
    this.#select();
  }

  /** Offers a network, as JSON, beside the presets; null for none. */
  offer(network: string | null): void {
    const before = this.#preset.value;
    this.#offered = network;
    this.#list();
    this.#preset.value = before;
    if (before === OPEN_NETWORK) this.#select();
  }

  /** Whether the task has points of a plane as its samples. */
  get hasPlane(): boolean {
    return this.#preset.value === "yin-yang" || this.#preset.length === 0;
  }

  /** Keeps the values during a training. */
  lock(isLocked: boolean): void {
    for (const control of [this.#preset, this.#method, this.#rate, this.#epochs, this.#text]) control.disabled = isLocked;
  }

  /** The training that is described. Throws where a value is not valid. */
  chosen(): { source: TrainingSource; options: TrainingOptions } {
    const epochs = Number(this.#epochs.value);
    const isValid = Number.isInteger(epochs) && epochs >= 1;
    this.#epochs.setAttribute("aria-invalid", String(!isValid));
    if (!isValid) throw new SpikeletError("argument", `“${this.#epochs.value}” is not a number of epochs; expected a whole number, 1 or more`, "epochs");
    const rate = this.#rate.value === "" ? undefined : Number(this.#rate.value);
    if (this.#isEdited || this.#preset.value === OPEN_NETWORK) return { source: this.#edited(), options: { epochs, rate } };
    return { source: this.#preset.value, options: { epochs, rate, method: this.#method.value as Method } };
  }

  #edited(): string {
    const text = this.#text.value.trim();
    if (!text.startsWith("{")) throw new SpikeletError("json", "the training as JSON must begin with {; choose a task to start from", "training");
    return text;
  }

  #list(): void {
    const options = this.#presets.map(({ name }) => h("option", { value: name }, titleOf(name)));
    if (this.#offered !== null) options.push(h("option", { value: OPEN_NETWORK }, "the open network"));
    this.#preset.replaceChildren(...options);
  }

  #select(): void {
    const preset = this.#presets.find(({ name }) => name === this.#preset.value);
    const methods = preset?.methods ?? (["bptt"] as const);
    this.#method.replaceChildren(...methods.map((method) => h("option", { value: method }, METHODS[method])));
    this.#method.disabled = methods.length < 2;
    say(this.#about, preset ? `${preset.title}. ${preset.citation}.` : "The network that is open in the simulator, with patterns of spikes as its samples: see the JSON below, and change what is trained.");
    this.json.open ||= preset === undefined && this.#offered !== null;
    this.#reset();
  }

  #reset(): void {
    this.#isEdited = false;
    this.#changed();
    void this.#write();
  }

  /** Writes the JSON of the choice, if it is shown. */
  async #write(): Promise<void> {
    if (!this.json.open || this.#isEdited) return;
    const name = this.#preset.value;
    try {
      const text = name === OPEN_NETWORK ? suggested(this.#offered ?? "{}") : await Training.preset(name, { method: this.#method.value as Method, worker: this.#worker() });
      if (!this.#isEdited && name === this.#preset.value) this.#text.value = JSON.stringify(JSON.parse(text), null, 1);
    } catch {
      // Start explains it.
    }
  }
}

/** `yin-yang` as `Yin-Yang`. */
function titleOf(name: string): string {
  return name.replaceAll(/(^|-)(\p{L})/gu, (_, dash: string, letter: string) => dash + letter.toUpperCase()).replaceAll("-", name === "yin-yang" ? "-" : " ");
}
