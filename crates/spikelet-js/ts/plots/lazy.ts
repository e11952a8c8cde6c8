import type { Spikelet } from "../spikelet.js";
import type { Plot, Scene } from "./plot.js";

/** What a plot that reads more than stored data uses. */
export interface PlotContext {
  readonly simulation: Spikelet;
  /** Aborted when the plot is removed, or replaced because a setting changed. */
  readonly signal: AbortSignal;
  /** Draws the plot again in the next frame. */
  redraw(): void;
}

/** A plot whose module is loaded when it is first drawn. */
export function lazy(simulation: Spikelet, load: (live: PlotContext) => Promise<Plot>): Plot {
  const end = new AbortController();
  let [plot, scene, failure, frame, isLoading]: [Plot | null, Scene | null, string, number, boolean] = [null, null, "", 0, false];
  const redraw = () => {
    cancelAnimationFrame(frame);
    if (!end.signal.aborted) frame = requestAnimationFrame(() => void (scene && plot?.draw(scene)));
  };
  const start = async () => {
    isLoading = true;
    try {
      plot = await load({ simulation, signal: end.signal, redraw });
    } catch (error) {
      failure = `This plot could not be loaded (${String(error)}); reload the page.`;
    }
    redraw();
  };
  return {
    draw: (now) => {
      scene = now;
      if (!isLoading) void start();
      plot?.draw(now);
    },
    describe: (now) => plot?.describe(now) ?? failure,
    under: (x, y, now) => plot?.under(x, y, now) ?? "",
    export: (now) => plot?.export(now) ?? [],
    dispose: () => {
      end.abort();
      cancelAnimationFrame(frame);
    },
  };
}
