import { lazy } from "./lazy.js";
import type { PlotKind } from "./plot.js";

/** The plot of a histogram over time. */
export const HISTOGRAM: PlotKind = {
  name: "histogram",
  title: "Weights over time",
  about: "the histogram of one of the `statistics` of the network over time: the darker, the more synapses",
  needs: [],
  standard: false,
  settings: [{
    name: "statistic",
    about: "index of the statistic, from 0, of those with a histogram",
    value: 0,
    least: 0,
    menu: ({ statistics }) => statistics.filter(({ ends }) => ends.length > 1).map(({ label, unit }) => (unit === "" ? label : `${label} in ${unit}`)),
  }],
  lacking: ({ statistics }) => (statistics.some(({ ends }) => ends.length > 1) ? null : "the network has no statistics with a histogram (`statistics` with `range` and `bins`)"),
  make: (frame, info, chosen, simulation) => lazy(simulation, async (live) => new (await import("./synapses/histogram.js")).HistogramPlot(frame, info, chosen, live)),
};
