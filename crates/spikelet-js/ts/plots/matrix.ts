import { lazy } from "./lazy.js";
import type { PlotKind } from "./plot.js";
import { PROJECTION, lackingSynapses } from "./synapses/projection.js";

/** The plot of a weight matrix. */
export const MATRIX: PlotKind = {
  name: "matrix",
  title: "Weight matrix",
  about: "the current weights of a projection, presynaptic neurons from left to right and postsynaptic ones from top to bottom; of many neurons the mean of a pixel, and of more than 200 000 synapses a sample",
  needs: [],
  standard: false,
  settings: [PROJECTION],
  lacking: lackingSynapses,
  make: (frame, info, chosen, simulation) => lazy(simulation, async (live) => new (await import("./synapses/matrix.js")).MatrixPlot(frame, info, chosen, live)),
};
