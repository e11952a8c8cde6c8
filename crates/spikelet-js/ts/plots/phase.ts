import type { Info } from "../raw.js";
import type { Spikelet } from "../spikelet.js";
import type { Frame } from "./frame.js";
import type { Chosen, Plot, PlotKind, Scene } from "./plot.js";

/** The phase plane of a neuron. */
export const PHASE: PlotKind = {
  name: "phase",
  title: "Phase plane",
  about: "two variables of a neuron against each other: nullclines, vector field, fixed points with their eigenvalues, threshold and reset; a click starts the neuron there",
  needs: ["samples"],
  standard: false,
  settings: [
    { name: "population", about: "index of the population, from 0, or −1 for the first one with equations", value: -1, least: -1 },
    { name: "neuron", about: "index of the neuron, or −1 for the first recorded one", value: -1, least: -1 },
    { name: "x", about: "number of the variable across, from 1, or 0 for the one with the threshold", value: 0, least: 0 },
    { name: "y", about: "number of the variable upwards, or 0 for one that is coupled with it", value: 0, least: 0 },
  ],
  lacking: ({ network }) => (candidates(network).length > 0 ? null : "no population has equations with variables"),
  make: (frame, info, chosen, simulation) => new LazyPlane(frame, info, chosen, simulation),
};

/** The populations whose neurons can have a phase plane. */
function candidates({ populations }: Info["network"]): Info["network"]["populations"] {
  return populations.filter(({ source, size, variables }) => !source && size > 0 && variables.length > 0);
}

/** Loads the plot when it is first shown: pages without it do not need its code. */
class LazyPlane implements Plot {
  #plot: Plot | null = null;
  #isDisposed = false;
  #scene: Scene | null = null;

  constructor(frame: Frame, info: Info, chosen: Chosen, simulation: Spikelet) {
    frame.setAbout("loading …");
    import("./phase/plane.js").then(
      ({ Plane }) => {
        if (this.#isDisposed) return;
        this.#plot = new Plane(frame, candidates(info.network), chosen.settings, simulation);
        if (this.#scene !== null) this.#plot.draw(this.#scene);
      },
      () => void (this.#isDisposed || frame.setAbout("its script could not be loaded; check the connection, then remove the plot and add it again")),
    );
  }

  draw(scene: Scene): void {
    this.#scene = scene;
    this.#plot?.draw(scene);
  }

  describe(scene: Scene): string {
    return this.#plot?.describe(scene) ?? "Phase plane: loading.";
  }

  under(x: number, y: number, scene: Scene): string {
    return this.#plot?.under(x, y, scene) ?? "";
  }

  export(scene: Scene): Iterable<readonly (string | number)[]> {
    return this.#plot?.export(scene) ?? [];
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#plot?.dispose?.();
  }
}
