import type { Info } from "../raw.js";
import { CORRELATION } from "./correlation.js";
import { COUNTS } from "./counts.js";
import { CV } from "./cv.js";
import { ISI } from "./isi.js";
import { PHASE } from "./phase.js";
import type { PlotKind } from "./plot.js";
import { DELAYS } from "./delays.js";
import { HISTOGRAM } from "./weight-histogram.js";
import { MATRIX } from "./matrix.js";
import { RASTER } from "./raster.js";
import { RATES } from "./rates.js";
import { SPECTRUM } from "./spectrum.js";
import { SHEET } from "./sheet.js";
import { TRACE } from "./trace.js";
import { WEIGHTS } from "./weights.js";

/** All kinds of plots, in the order in which they are shown. */
export const PLOTS: readonly PlotKind[] = [
  RASTER, SHEET, RATES, TRACE, WEIGHTS, HISTOGRAM, MATRIX, DELAYS, ISI, CV, CORRELATION, SPECTRUM, COUNTS, PHASE,
];

/** The kinds of plots that a network can show. */
export function kindsOf(info: Info): PlotKind[] {
  return PLOTS.filter((kind) => kind.lacking(info) === null);
}

/** The names of the plots that are shown of a network by default. */
export function plotsOf(info: Info): string[] {
  return kindsOf(info).filter(({ standard }) => (typeof standard === "function" ? standard(info) : standard)).map(({ name }) => name);
}
