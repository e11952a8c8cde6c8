// How plots say in words what they show.

import { whole } from "./numbers.js";
import type { Span } from "./surface.js";

/** The time that is shown. */
export function between({ fromMs, nowMs }: Span): string {
  return `from ${whole(Math.max(0, fromMs))} to ${whole(nowMs)} ms`;
}

/** A time under the pointer. */
export function atTime(timeMs: number): string {
  return `at ${timeMs.toFixed(1)} ms`;
}

/** `second`, `4th`: of powers of two. */
export function ordinal(every: number): string {
  return every === 2 ? "second" : `${every}${every % 10 === 2 && every % 100 !== 12 ? "nd" : "th"}`;
}
