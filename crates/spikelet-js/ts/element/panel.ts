import type { Building, Info, Notice } from "../raw.js";
import { h, icon, say } from "../plots/dom.js";
import { short, whole } from "../plots/numbers.js";
import { style } from "./style.js";

// Paths of icons.
const PLAY = "M4 2.2v11.6c0 .6.6 1 1.1.7l9-5.8a.8.8 0 0 0 0-1.4l-9-5.8c-.5-.3-1.1.1-1.1.7z";
const PAUSE = "M3.5 2h3v12h-3zM9.5 2h3v12h-3z";
const RESET = "M8 3V.6L3.9 3.9 8 7.2V4.8a3.9 3.9 0 1 1-3.9 3.9H2.3A5.7 5.7 0 1 0 8 3z";

/** Callbacks of the buttons. */
interface Asks {
  playOrPause(): void;
  reset(): void;
  retry(): void;
}

/** Averaging time of the speed, in ms of wall time. */
const MEASURED_MS = 800;

/** The parts of the element except plots and sliders: buttons, time, speed, device, progress, errors and notices. */
export class Panel {
  readonly #base: HTMLElement;
  readonly #play = h("button", { type: "button", part: "button play", class: "main" });
  readonly #reset = h("button", { type: "button", part: "button reset", "aria-label": "Reset to the start" }, icon(RESET), "Reset");
  readonly #time = h("b", {}, "0");
  readonly #factor = h("span");
  readonly #than = h("span", { class: "long" }, " than real time");
  readonly #speed = h("span", { part: "speed", class: "pace", hidden: "" }, this.#factor, this.#than);
  readonly #device = h("span", { part: "backend", class: "device" });
  readonly #stage = h("div", { class: "stage" });
  readonly #parameters = h("div");
  readonly #stageText = h("div", { class: "stage-text" });
  readonly #progress = h("progress", { max: "1", "aria-label": "Building the network" });
  readonly #building = h("div", { part: "status", class: "status", hidden: "" }, this.#stageText, this.#progress);
  readonly #message = h("p", { class: "wrong", part: "error" });
  readonly #retry = h("button", { type: "button", part: "button retry" }, "Try again");
  readonly #failed = h("div", { class: "status failed", role: "alert", hidden: "" }, this.#message, this.#retry);
  readonly #summary = h("summary");
  readonly #notes = h("ul");
  readonly #notices = h("details", { part: "notices", hidden: "" }, this.#summary, this.#notes);
  #isPlaying: boolean | null = null;
  #mark: { wallMs: number; timeMs: number } | null = null;

  constructor(root: ShadowRoot, asks: Asks) {
    root.adoptedStyleSheets = [style()];
    const figures = h("div", { class: "figures" }, h("span", { part: "time", class: "time" }, this.#time, " ms"), this.#speed);
    const toolbar = h("div", { part: "toolbar", class: "toolbar" }, this.#play, this.#reset, figures, this.#device);
    this.#stage.append(h("div"), this.#building, this.#failed);
    this.#base = h("div", { part: "base", class: "base", role: "group" }, toolbar, this.#stage, this.#parameters, this.#notices);
    root.append(this.#base);
    this.#play.addEventListener("click", asks.playOrPause);
    this.#reset.addEventListener("click", asks.reset);
    this.#retry.addEventListener("click", asks.retry);
    this.setPlaying(false, false);
    this.clear();
  }

  /** The initial content, before there is a network. */
  clear(): void {
    this.#base.setAttribute("aria-label", "Simulation of a network");
    this.setTime(0);
    this.setBuilding(null);
    this.setError(null);
    this.setNotices([]);
    this.#parameters.replaceChildren();
    say(this.#device, "");
    this.#device.removeAttribute("title");
  }

  /** Whether the button shows "pause", and whether the simulation is running: the speed is shown only then. */
  setPlaying(isPlaying: boolean, isRunning: boolean): void {
    this.#mark = null;
    if (!isRunning) this.#speed.hidden = true;
    if (this.#isPlaying === isPlaying) return;
    this.#isPlaying = isPlaying;
    this.#play.replaceChildren(icon(isPlaying ? PAUSE : PLAY), isPlaying ? "Pause" : "Play");
  }

  setTime(timeMs: number): void {
    say(this.#time, whole(timeMs));
  }

  /** Measures the speed while the simulation runs and is visible. */
  measure(timeMs: number): void {
    const wallMs = performance.now();
    const mark = (this.#mark ??= { wallMs, timeMs });
    if (wallMs - mark.wallMs < MEASURED_MS || timeMs <= mark.timeMs) return;
    const factor = (wallMs - mark.wallMs) / (timeMs - mark.timeMs);
    this.#mark = { wallMs, timeMs };
    const isReal = factor > 0.95 && factor < 1.05;
    say(this.#factor, isReal ? "real time" : factor < 1 ? `${short(1 / factor, 2)}× faster` : `${short(factor, 2)}× slower`);
    this.#than.hidden = isReal;
    this.#speed.hidden = false;
  }

  setInfo({ backend, network, neurons, synapses }: Info): void {
    this.#base.setAttribute("aria-label", `Simulation of ${network.name}`);
    const threads = backend.threads === 1 ? "1 thread" : `${backend.threads} threads`;
    say(this.#device, backend.kind === "gpu" ? "GPU" : `CPU, ${threads}`);
    this.#device.title = `${backend.name}: ${backend.reason}\n${whole(neurons)} neurons, ${whole(synapses)} synapses`;
  }

  setPlots(element: HTMLElement): void {
    this.#stage.firstElementChild!.replaceWith(element);
  }

  setParameters(element: HTMLElement): void {
    this.#parameters.replaceChildren(element);
  }

  /** The current step of the build; null if nothing is being built. */
  setBuilding(building: Pick<Building, "stage" | "done"> | null): void {
    this.#building.hidden = building === null;
    if (building === null) return;
    say(this.#stageText, `${building.stage}…`);
    if (building.done > 0) this.#progress.value = building.done;
    else this.#progress.removeAttribute("value");
  }

  /** The error that stopped the simulation; null if there is none. */
  setError(message: string | null): void {
    this.#failed.hidden = message === null;
    say(this.#message, message ?? "");
  }

  setNotices(notices: readonly Notice[]): void {
    this.#notices.hidden = notices.length === 0;
    say(this.#summary, notices.length === 1 ? "1 note" : `${notices.length} notices`);
    this.#notes.replaceChildren(...notices.map(({ code, message }) => h("li", { "data-code": code }, message)));
  }
}
