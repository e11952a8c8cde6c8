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
export { Board, type BoardOptions } from "./plots/board.js";
export { type Choice, choose } from "./plots/choose.js";
export type { Extras } from "./plots/frame.js";
export type { Chosen, Label, Need, PlotKind, Setting, Settings } from "./plots/plot.js";
export { PLOTS, plotsOf } from "./plots/registry.js";
