// The arrangement of plots on a board, as JSON.

import { notAllowed } from "../errors.js";
import type { Chosen } from "./plot.js";

/** A plot in a layout. */
export interface PlotLayout {
  /** A word of `choose`, with settings: `rates(reach=20)`. */
  readonly plot: string;
  /** The height of the canvas in CSS pixels; absent for the usual height. */
  readonly height?: number;
  /** Whether it is half as wide as the board, if the board is wide. */
  readonly half?: boolean;
}

/** The plots of a board from top to bottom, and what is hidden in all of them. It is plain JSON. */
export interface BoardLayout {
  readonly plots: readonly PlotLayout[];
  /** Names of populations, and labels of recorded variables such as `E.v[0]`. */
  readonly hidden?: readonly string[];
}

/** Limits of the height of a canvas, in CSS pixels. */
export const HEIGHTS = { least: 60, most: 2000, step: 16 } as const;
/** The largest number of plots. */
export const MAX_PLOTS = 24;

/** @throws `SpikeletError` that names the place if a value is not a layout. Whether a network has the plots is not checked. */
export function checkLayout(value: unknown): BoardLayout {
  const { plots, hidden } = recordOf("layout", value);
  if (!Array.isArray(plots)) throw notAllowed("layout.plots", plots, "a list of plots");
  if (plots.length > MAX_PLOTS) throw notAllowed("layout.plots", `a list of ${plots.length}`, `at most ${MAX_PLOTS} plots`);
  const checked = plots.map((one: unknown, place): PlotLayout => {
    const path = `layout.plots[${place}]`;
    const { plot, height, half } = recordOf(path, one);
    if (typeof plot !== "string" || plot.trim() === "") throw notAllowed(`${path}.plot`, plot, 'a plot such as "raster"');
    if (height !== undefined && !(typeof height === "number" && height >= HEIGHTS.least && height <= HEIGHTS.most)) {
      throw notAllowed(`${path}.height`, height, `a height from ${HEIGHTS.least} to ${HEIGHTS.most} pixels`);
    }
    if (half !== undefined && typeof half !== "boolean") throw notAllowed(`${path}.half`, half, "true or false");
    return { plot, ...(height === undefined ? {} : { height }), ...(half ? { half } : {}) };
  });
  if (hidden !== undefined && !(Array.isArray(hidden) && hidden.every((name) => typeof name === "string"))) {
    throw notAllowed("layout.hidden", hidden, "a list of names");
  }
  return hidden === undefined || hidden.length === 0 ? { plots: checked } : { plots: checked, hidden: [...(hidden as string[])] };
}

/** The word of a plot with the settings that differ from their defaults. */
export function wordOf({ kind, word, settings }: Chosen): string {
  const given = kind.settings.filter(({ name, value }) => settings[name] !== undefined && settings[name] !== value);
  return given.length === 0 ? word : `${word}(${given.map(({ name }) => `${name}=${settings[name]}`).join(" ")})`;
}

/** Whether two layouts show the same. */
export function isSameLayout(one: BoardLayout, other: BoardLayout): boolean {
  return JSON.stringify(checkLayout(one)) === JSON.stringify(checkLayout(other));
}

/** A list with one element moved to another place. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const place = Math.min(Math.max(to, 0), list.length - 1);
  const rest = list.filter((_, at) => at !== from);
  return [...rest.slice(0, place), list[from]!, ...rest.slice(place)];
}

/**
 * The rows of a board: neighbours of half width share a row if there are two columns. Returns the indices of the plots in each row.
 */
export function rowsOf(halves: readonly boolean[], columns: 1 | 2): number[][] {
  const rows: number[][] = [];
  halves.forEach((half, place) => {
    const last = rows.at(-1);
    const joins = columns === 2 && half && last?.length === 1 && halves[last[0]!] === true;
    if (joins) last.push(place);
    else rows.push([place]);
  });
  return rows;
}

/** The stored layout with a name; null if there is none, or if it is invalid. */
export function readLayout(name: string): BoardLayout | null {
  try {
    const text = localStorage.getItem(name);
    return text === null ? null : checkLayout(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Stores a layout, or removes it. Without storage the layout lasts as long as the page. */
export function writeLayout(name: string, layout: BoardLayout | null): void {
  try {
    if (layout === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(layout));
  } catch {
    // A browser may forbid storage, or it may be full.
  }
}

function recordOf(path: string, value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw notAllowed(path, value, "an object");
  return value as Record<string, unknown>;
}
