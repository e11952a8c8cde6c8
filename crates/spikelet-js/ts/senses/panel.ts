import { worded } from "../errors.js";
import { h, say } from "../plots/dom.js";
import type { Spikelet } from "../spikelet.js";
import { Camera } from "./camera.js";
import { Drive, type SenseTarget, targetsOf } from "./drive.js";
import { EXAMPLE } from "./example.js";
import { Microphone } from "./microphone.js";
import { Mouse } from "./mouse.js";
import type { Sense } from "./sense.js";
import { TextSense } from "./text.js";

/** Largest side of the preview, in CSS pixels. */
const PREVIEW = 160;

/** A source with its controls. */
interface Source {
  readonly name: string;
  readonly sense: Sense;
  readonly button: HTMLButtonElement;
  readonly state: HTMLElement;
  readonly item: HTMLElement;
}

/** Fields for the target, and a list of sources of which one is on at a time. */
export class Panel {
  readonly element: HTMLElement;
  readonly #target = h("select", { id: "target", part: "target" });
  readonly #gain = h("input", { id: "gain", type: "number", step: "any", value: "2", part: "gain" });
  readonly #offset = h("input", { id: "offset", type: "number", step: "any", value: "0", part: "offset" });
  readonly #unit = h("span");
  readonly #none = h("p", { class: "note", part: "none" });
  readonly #error = h("p", { class: "wrong", role: "alert", part: "error" });
  readonly #preview = h("canvas", { class: "preview", role: "img", "aria-label": "The values that the neurons get", part: "preview" });
  readonly #sources: readonly Source[];
  readonly #began: () => void;
  #simulation: Spikelet | null = null;
  #targets: readonly SenseTarget[] = [];
  #drive: Drive | null = null;
  #on: Source | null = null;
  /** Counts starts and stops, so that a device that is ready too late is not used. */
  #turn = 0;
  #frame = 0;

  /** @param open Opens the example network, as JSON. @param began A source has begun. */
  constructor(open: (json: string) => void, began: () => void) {
    this.#began = began;
    const text = h("textarea", { rows: "2", "aria-label": "Text", part: "text" });
    text.value = "hello, spikes!";
    const texts = new TextSense(text.value);
    text.addEventListener("input", () => (texts.text = text.value));
    const microphone = new Microphone();
    const envelope = h("input", { type: "checkbox" });
    envelope.addEventListener("change", () => (microphone.isEnvelope = envelope.checked));
    const pad = h("div", { class: "pad", tabindex: "0", role: "application", "aria-label": "Pad: move the pointer, or press arrow keys", part: "pad" }, "Move here, or press arrow keys");
    this.#sources = [
      this.#source("camera", "Camera", new Camera(), h("p", { class: "note" }, "The brightness of each part of the picture.")),
      this.#source("microphone", "Microphone", microphone, h("label", { class: "check" }, envelope, "only the loudness, not the spectrum")),
      this.#source("text", "Text", texts, text),
      this.#source("mouse", "Mouse", new Mouse(pad), pad),
    ];
    const example = h("button", { type: "button", part: "example" }, "Open an example");
    example.addEventListener("click", () => open(JSON.stringify(EXAMPLE)));
    for (const field of [this.#gain, this.#offset]) field.addEventListener("input", () => this.#rescale());
    this.#target.addEventListener("change", () => {
      this.#describe();
      void this.stop();
    });
    const field = (label: string | HTMLElement, input: HTMLElement) => h("label", { class: "field" }, label, input);
    this.element = h(
      "div",
      { class: "base", part: "base" },
      h("p", { class: "lead" }, "Let neurons see and hear: a live source changes a variable of a population, 30 times a second. Nothing is stored or sent."),
      h("div", { class: "fields" }, field("Variable", this.#target), field(h("span", {}, "Gain", this.#unit), this.#gain), field("Offset", this.#offset)),
      this.#none,
      this.#error,
      h("ul", { class: "sources" }, ...this.#sources.map(({ item }) => item)),
      h("div", { class: "row" }, h("span", { class: "note" }, "A network with an input current:"), example),
    );
    this.show(null);
  }

  /** Another simulation is open: the sources stop. */
  show(simulation: Spikelet | null): void {
    if (simulation === this.#simulation && simulation !== null) return;
    void this.stop();
    this.#simulation = simulation;
    this.#targets = simulation === null ? [] : targetsOf(simulation.info);
    this.#target.replaceChildren(...this.#targets.map(({ path, unit }) => h("option", { value: path }, unit === "" ? path : `${path} in ${unit}`)));
    say(this.#error, "");
    const none = simulation === null ? "No network is open yet." : this.#targets.length === 0 ? "No population of this network has a variable; open the example." : "";
    say(this.#none, none);
    this.#none.hidden = none === "";
    for (const { button } of this.#sources) button.disabled = this.#targets.length === 0;
    this.#describe();
  }

  /** Stops the source that is on, and releases its device. */
  async stop(): Promise<void> {
    this.#turn += 1;
    cancelAnimationFrame(this.#frame);
    const [drive, on] = [this.#drive, this.#on];
    [this.#drive, this.#on] = [null, null];
    if (on !== null) this.#mark(on, "Start");
    this.#preview.remove();
    await drive?.stop();
  }

  #source(id: string, name: string, sense: Sense, content: HTMLElement): Source {
    const button = h("button", { type: "button", id, part: id, "aria-label": `Start: ${name}` }, "Start");
    const state = h("span", { role: "status", part: `${id}-state` });
    const item = h("li", {}, h("div", { class: "row" }, h("b", {}, name), state, button), content);
    const source: Source = { name, sense, button, state, item };
    button.addEventListener("click", () => void (this.#on === source ? this.stop() : this.#start(source)));
    return source;
  }

  async #start(source: Source): Promise<void> {
    await this.stop();
    const turn = this.#turn;
    const simulation = this.#simulation;
    if (simulation === null) return;
    say(this.#error, "");
    const scale = this.#scale();
    if (scale === null) return;
    this.#on = source;
    this.#mark(source, "Stop", "starting");
    try {
      const drive = await Drive.start(simulation, this.#target.value, source.sense, scale, (error) => {
        if (turn === this.#turn) this.#fail(error);
      });
      // The user has stopped it, or closed the pane, before the device was ready.
      if (turn !== this.#turn) return await drive.stop();
      this.#drive = drive;
      this.#began();
      this.#mark(source, "Stop", "on");
      source.item.append(this.#preview);
      this.#paint();
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    void this.stop();
    say(this.#error, worded(error).message);
  }

  #mark({ name, button, state }: Source, word: "Start" | "Stop", now: "on" | "starting" | "" = ""): void {
    button.textContent = word;
    button.setAttribute("aria-label", `${word}: ${name}`);
    state.className = now === "on" ? "on" : "";
    say(state, now === "on" ? `${name} is on` : now === "starting" ? "Starting …" : "");
  }

  #scale(): { gain: number; offset: number } | null {
    const [gain, offset] = [this.#gain.valueAsNumber, this.#offset.valueAsNumber];
    if (Number.isFinite(gain) && Number.isFinite(offset)) return { gain, offset };
    say(this.#error, `${Number.isFinite(gain) ? "The offset" : "The gain"} must be a number, such as 1.5.`);
    return null;
  }

  #rescale(): void {
    const scale = this.#scale();
    if (scale === null) return;
    say(this.#error, "");
    if (this.#drive !== null) Object.assign(this.#drive.scale, scale);
  }

  #describe(): void {
    const unit = this.#targets.find(({ path }) => path === this.#target.value)?.unit ?? "";
    say(this.#unit, unit === "" ? "" : ` in ${unit}`);
  }

  /** Paints the values as the neurons lie. */
  #paint(): void {
    const drive = this.#drive;
    if (drive === null) return;
    const { columns, rows, pixels } = drive.grid;
    const canvas = this.#preview;
    if (canvas.width !== columns || canvas.height !== rows) {
      [canvas.width, canvas.height] = [columns, rows];
      const scale = Math.max(1, Math.floor(PREVIEW / Math.max(columns, rows)));
      canvas.style.setProperty("width", `${columns * scale}px`);
    }
    const image = new ImageData(columns, rows);
    pixels.forEach((pixel, neuron) => image.data.fill(Math.round(255 * (drive.sense.values[neuron] ?? 0)), pixel * 4, pixel * 4 + 3).fill(255, pixel * 4 + 3, pixel * 4 + 4));
    canvas.getContext("2d")!.putImageData(image, 0, 0);
    this.#frame = requestAnimationFrame(() => this.#paint());
  }
}
