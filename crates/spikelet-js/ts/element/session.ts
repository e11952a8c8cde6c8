import { SpikeletError } from "../errors.js";
import { Spikelet } from "../spikelet.js";
import { Board } from "./board.js";
import { choose, traced } from "./choose.js";
import type { Panel } from "./panel.js";
import { Player } from "./player.js";
import { Raster } from "./raster.js";
import { RatePlot } from "./rates.js";
import { building, pace, source, windowMs, words } from "./settings.js";
import { Sliders } from "./sliders.js";
import type { Theme } from "./theme.js";
import { TracePlot } from "./traces.js";

/** Least time between two pictures for people who want less motion, in ms. */
const CALM_MS = 1000;

/** What a session belongs to. */
interface Owner {
  /** Its attributes are the settings. */
  readonly element: Element;
  readonly panel: Panel;
  readonly theme: Theme;
  isSeen(): boolean;
  /** The player does something else now. */
  changed(): void;
  failed(error: unknown): void;
}

/** A simulation that was built, with its player, its plots and its sliders. */
export class Session {
  readonly simulation: Spikelet;
  readonly player: Player;
  readonly #owner: Owner;
  readonly #signal: AbortSignal;
  #board: Board | null = null;
  #sliders: Sliders | null = null;

  private constructor(simulation: Spikelet, owner: Owner, signal: AbortSignal) {
    this.simulation = simulation;
    this.#owner = owner;
    this.#signal = signal;
    this.player = new Player(simulation, pace(owner.element), owner.isSeen(), owner);
  }

  /** Builds what the attributes say. Aborting `signal` ends the building, or what was built. */
  static async open(owner: Owner, signal: AbortSignal): Promise<Session> {
    const { element, panel } = owner;
    panel.setBuilding({ stage: "loading the engine", done: 0 });
    const options = { ...building(element), signal, onProgress: panel.setBuilding.bind(panel) };
    const simulation = await Spikelet.create(source(element), options);
    signal.addEventListener("abort", () => simulation.dispose());
    const session = new Session(simulation, owner, signal);
    signal.addEventListener("abort", () => session.#dispose());
    await session.#plot();
    session.#slide();
    session.#follow();
    panel.setBuilding(null);
    return session;
  }

  /** Takes the new value of an attribute that needs no other simulation. */
  adapt(attribute: string): void {
    try {
      if (attribute === "parameters") this.#slide();
      else if (attribute === "plots" || attribute === "window") void this.#plot().catch(this.#owner.failed);
      else this.player.setPace(pace(this.#owner.element));
    } catch (error) {
      this.#owner.failed(error);
    }
  }

  /** Draws in the next frame, in the colours that there are then. */
  redraw(): void {
    this.#board?.redraw();
  }

  /** Lays the plots, which begin with what comes from now on. */
  async #plot(): Promise<void> {
    const { element, panel, theme } = this.#owner;
    const chosen = choose(words(element, "plots"), this.simulation.info);
    const width = windowMs(element);
    if (chosen.recordings !== null) await this.simulation.record(chosen.recordings);
    this.#signal.throwIfAborted();
    const { info } = this.simulation;
    const plots = chosen.plots.map((plot) => {
      if (plot.kind === "raster") return new Raster(info, theme);
      if (plot.kind === "rates") return new RatePlot(info, theme);
      return new TracePlot(traced(plot, info), info, theme);
    });
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.#board?.dispose();
    this.#board = new Board(this.simulation, plots, width, () => (calm.matches ? CALM_MS : 0));
    panel.setPlots(this.#board.element);
  }

  #slide(): void {
    const { element, panel, failed } = this.#owner;
    const sliders = new Sliders(this.simulation, words(element, "parameters"), failed);
    this.#sliders?.dispose();
    this.#sliders = sliders;
    panel.setParameters(sliders.element);
  }

  /** Shows what the simulation tells. */
  #follow(): void {
    const { panel, failed } = this.#owner;
    const options = { signal: this.#signal };
    panel.setInfo(this.simulation.info);
    this.simulation.on("notice", () => panel.setNotices(this.simulation.notices), options);
    this.simulation.on("info", (info) => panel.setInfo(info), options);
    this.simulation.on("error", failed, options);
    this.simulation.on("state", ({ timeMs }) => panel.setTime(timeMs), options);
    this.simulation.on("progress", ({ building, timeMs }) => {
      panel.setBuilding(building);
      panel.setTime(timeMs);
      panel.measure(timeMs);
    }, options);
  }

  #dispose(): void {
    this.#board?.dispose();
    this.#sliders?.dispose();
  }
}

/** What was thrown, as the API words it. */
export function worded(error: unknown): SpikeletError {
  return error instanceof SpikeletError ? error : new SpikeletError("engine", `the element stopped: ${error}`);
}
