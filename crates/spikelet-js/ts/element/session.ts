import { Spikelet } from "../spikelet.js";
import { Board } from "../plots/board.js";
import { choose } from "../plots/choose.js";
import type { Panel } from "./panel.js";
import { Player } from "./player.js";
import { type ElementOptions, building, pace, parameters, plots, source, windowMs } from "./settings.js";
import { Sliders } from "./sliders.js";

/** The owner of a session. */
interface Owner {
  /** The element, with its attributes. */
  readonly element: Element;
  readonly options: ElementOptions;
  readonly panel: Panel;
  isSeen(): boolean;
  /** Called when the state of the player changes. */
  changed(): void;
  failed(error: unknown): void;
}

/** A simulation with its player, plots and sliders. */
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
    this.player = new Player(simulation, pace(owner.element), owner);
  }

  /** Builds the simulation of the attributes. Aborting `signal` cancels the build, or disposes the simulation. */
  static async open(owner: Owner, signal: AbortSignal): Promise<Session> {
    const { element, options: given, panel } = owner;
    panel.setBuilding({ stage: "loading the engine", done: 0 });
    const options = { ...building(element), ...given, signal, onProgress: panel.setBuilding.bind(panel) };
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

  /** Applies an attribute that does not need a rebuild. */
  adapt(attribute: string): void {
    try {
      if (attribute === "parameters") this.#slide();
      else if (attribute === "plots" || attribute === "window") void this.#plot().catch(this.#owner.failed);
      else this.player.setPace(pace(this.#owner.element));
    } catch (error) {
      this.#owner.failed(error);
    }
  }

  /** Creates the plots. They show data from now on. */
  async #plot(): Promise<void> {
    const { element, panel } = this.#owner;
    const chosen = choose(plots(element), this.simulation.info);
    const width = windowMs(element);
    if (chosen.recordings !== null) await this.simulation.record(chosen.recordings);
    this.#signal.throwIfAborted();
    this.#board?.dispose();
    this.#board = new Board(this.simulation, chosen.plots, { windowMs: width, prefix: "--_" });
    panel.setPlots(this.#board.element);
  }

  #slide(): void {
    const { element, panel, failed } = this.#owner;
    const sliders = new Sliders(this.simulation, parameters(element), failed);
    this.#sliders?.dispose();
    this.#sliders = sliders;
    panel.setParameters(sliders.element);
  }

  /** Shows events of the simulation. */
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
