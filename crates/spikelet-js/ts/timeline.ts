/**
 * The time axis of a run: a {@link History} stores what happened, so that the run can continue in another way from any time; a {@link Strip}
 * shows the whole run above the plots of a `Board`.
 *
 * ```js
 * import { History } from "spikelet/timeline";
 *
 * const history = new History(simulation);
 * await simulation.run(500);
 * await simulation.set("E.taum", "15 ms");
 * await simulation.run(500);
 * await history.fork(500);
 * ```
 *
 * @module timeline
 */
export { type Flag, type FlagValue, wordsOf } from "./timeline/flags.js";
export { History, type HistoryEvents, type Replay, type RunRecord } from "./timeline/history.js";
export type { SnapshotLimits } from "./timeline/snapshots.js";
export { type Reviewed, Strip, type StripOptions } from "./timeline/strip.js";
