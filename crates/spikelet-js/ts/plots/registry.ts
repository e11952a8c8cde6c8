import type { Info } from "../raw.js";
import type { PlotKind } from "./plot.js";
import { RASTER } from "./raster.js";
import { RATES } from "./rates.js";
import { TRACE } from "./trace.js";
import { WEIGHTS } from "./weights.js";

/** All kinds of plots, in the order in which they are shown. */
export const PLOTS: readonly PlotKind[] = [RASTER, RATES, TRACE, WEIGHTS];

/** The names of the plots that a network can show. */
export function plotsOf(info: Info): string[] {
  return PLOTS.filter((kind) => kind.lacking(info) === null).map(({ name }) => name);
}
