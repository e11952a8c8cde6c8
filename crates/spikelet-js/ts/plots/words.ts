// Text of plots.

import { whole } from "./numbers.js";
import type { Span } from "./surface.js";

/** What plots of populations say if the legend shows none. */
export const ALL_HIDDEN = "all populations are hidden";

/** The time span as text. */
export function between({ fromMs, nowMs }: Span): string {
  return `from ${whole(Math.max(0, fromMs))} to ${whole(nowMs)} ms`;
}

/** The time under the pointer as text. */
export function atTime(timeMs: number): string {
  return `at ${timeMs.toFixed(1)} ms`;
}

/** `second`, `4th`: for powers of two. */
export function ordinal(every: number): string {
  return every === 2 ? "second" : `${every}${every % 10 === 2 && every % 100 !== 12 ? "nd" : "th"}`;
}
