/**
 * The plots of `<spikelet-network>` for other pages: {@link choose} parses which plots to show, a {@link Board} draws them.
 *
 * ```js
 * import { Spikelet } from "spikelet";
 * import { Board, choose } from "spikelet/plots";
 *
 * const simulation = await Spikelet.create("cuba");
 * const { plots } = choose("raster rates", simulation.info);
 * document.body.append(new Board(simulation, plots).element);
 * ```
 *
 * @module plots
 */
export type { ArrangementOptions } from "./plots/arrangement.js";
export { Board, type BoardEvents, type BoardOptions } from "./plots/board.js";
export { type Choice, choose } from "./plots/choose.js";
export { MEASURES, type Measure, type MeasureName, type MeasuredValue, measure } from "./plots/measure/measures.js";
export { SpikeList } from "./plots/measure/list.js";
export type { Source } from "./plots/measure/trains.js";
export type { Extras } from "./plots/frame.js";
export type { BoardLayout, PlotLayout } from "./plots/layout.js";
export type { KeptData } from "./plots/past.js";
export type { Chosen, Label, Need, PlotKind, Setting, Settings } from "./plots/plot.js";
export { PLOTS, kindsOf, plotsOf } from "./plots/registry.js";
export type { TimeView } from "./plots/view.js";
