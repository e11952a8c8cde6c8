// The files that a plot can be saved as.

import type { Plot, Scene } from "../plot.js";
import { saveFile, saveTable } from "../save.js";
import { type NamedArray, columnsOf, npz } from "./npz.js";
import { type Drawn, png, svg } from "./picture.js";
import { tablePicture } from "./table.js";

/** The formats of saved plots. */
export type Format = "png" | "svg" | "csv" | "npz";

/** A plot to save. */
export interface Saved extends Pick<Drawn, "frame" | "isOnWhite"> {
  /** The name of the network and of the plot. */
  readonly name: string;
  readonly plot: Plot;
  readonly scene: Scene;
}

/** Lets the user save a plot as a file. */
export async function savePlot(saved: Saved, format: Format): Promise<void> {
  const { name, plot, scene } = saved;
  switch (format) {
    case "png":
      return saveFile(name, format, await png(drawnOf(saved)));
    case "svg":
      return saveFile(name, format, new Blob([svg(drawnOf(saved))], { type: "image/svg+xml" }));
    case "csv":
      return saveTable(name, plot.export(scene));
    case "npz":
      return saveFile(name, format, new Blob([npz([...about(saved), ...(plot.arrays?.(scene) ?? columnsOf(plot.export(scene)))])], { type: "application/zip" }));
  }
}

/** The plot, or its table, with the words of its caption. */
function drawnOf({ frame: { surface, words }, isOnWhite, plot, scene }: Saved): Drawn {
  const table = plot.table?.(scene);
  const picture = table ? tablePicture(table, surface.theme) : { surface, draw: () => plot.draw(scene) };
  return { frame: { surface: picture.surface, words }, isOnWhite, draw: () => picture.draw(), describe: () => plot.describe(scene) };
}

/** The network and the time span of the data. */
function about({ scene: { info, span } }: Saved): NamedArray[] {
  return [
    { name: "network", values: [info.network.name], shape: [] },
    { name: "dt_ms", values: Float64Array.of(info.dtMs), shape: [] },
    { name: "span_ms", values: Float64Array.of(Math.max(span.fromMs, 0), span.nowMs) },
  ];
}
