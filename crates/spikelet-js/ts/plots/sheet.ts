import type { Info, PopulationSummary } from "../raw.js";
import { lazy } from "./lazy.js";
import type { PlotKind } from "./plot.js";

/** Usual time constant of the glow, in ms. */
const DECAY_MS = 50;

/** The plot of neurons in space. */
export const SHEET: PlotKind = {
  name: "sheet",
  title: "Sheet",
  about: "the neurons of a population at their positions, coloured by their spikes, which glow for about 50 ms, or by a variable; positions in three and four dimensions are turned by dragging",
  needs: ["spikes"],
  standard: ({ network }) => network.populations.some(({ dimensions }) => dimensions >= 2),
  settings: [
    { name: "of", about: "what the colour shows: index into the spikes and variables of all populations, those with positions first", value: 0, least: 0, menu: (info) => shownOf(info).map(({ label }) => label) },
    { name: "plane", about: "axes that dragging turns, for positions in four dimensions: 0: x, y and z; 1: w", value: 0, least: 0, menu: ({ network }) => (network.populations.some(({ dimensions }) => dimensions === 4) ? ["Drag turns x, y, z", "Drag turns w"] : []) },
    { name: "decay", about: "time constant of the glow in ms", value: DECAY_MS, least: 1 },
    { name: "columns", about: "neurons in a row, for a population without positions; 0: they are not arranged", value: 0, least: 0 },
  ],
  lacking: ({ network }) => (network.populations.length === 0 ? "the network has no populations" : null),
  make: (frame, info, chosen, simulation) => lazy(simulation, async (live) => new (await import("./sheet/plot.js")).SheetPlot(frame, info, chosen, live)),
};

/** What a sheet can show: the spikes of a population, or one of its variables. */
export interface Shown {
  readonly population: PopulationSummary;
  readonly place: number;
  /** Path of the variable; null for spikes. */
  readonly path: string | null;
  readonly unit: string;
  readonly label: string;
}

/** All that a sheet can show, populations with positions first. */
export function shownOf({ network }: Info): Shown[] {
  const ordered = network.populations.map((population, place) => ({ population, place })).sort((a, b) => Number(b.population.dimensions > 0) - Number(a.population.dimensions > 0));
  return ordered.flatMap(({ population, place }) => [
    { population, place, path: null, unit: "Hz", label: `${population.name}: spikes` },
    ...population.variables.map(({ path, symbol, unit }) => ({ population, place, path, unit, label: unit === "" ? `${population.name}: ${symbol}` : `${population.name}: ${symbol} in ${unit}` })),
  ]);
}
