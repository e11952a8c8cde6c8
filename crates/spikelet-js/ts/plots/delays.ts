import { lazy } from "./lazy.js";
import type { PlotKind } from "./plot.js";
import { PROJECTION, lackingSynapses } from "./synapses/projection.js";

/** The plot of weights against delays. */
export const DELAYS: PlotKind = {
  name: "delays",
  title: "Weights and delays",
  about: "the current weight of each synapse of a projection against its delay, of at most 20 000 synapses",
  needs: [],
  standard: false,
  settings: [PROJECTION],
  lacking: lackingSynapses,
  make: (frame, info, chosen, simulation) => lazy(simulation, async (live) => new (await import("./synapses/delays.js")).DelayPlot(frame, info, chosen, live)),
};
