import type { Info } from "../raw.js";
import type { PlotKind } from "./plot.js";
import { RASTER } from "./raster.js";
import { RATES } from "./rates.js";
import { TRACE } from "./trace.js";
import { WEIGHTS } from "./weights.js";

/** Every sort of plot there is, in the order in which they stand below each other. */
export const PLOTS: readonly PlotKind[] = [RASTER, RATES, TRACE, WEIGHTS];

/** The names of those that a network has what they need for. */
export function plotsOf(info: Info): string[] {
  return PLOTS.filter((kind) => kind.lacking(info) === null).map(({ name }) => name);
}
