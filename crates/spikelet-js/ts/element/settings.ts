// The attributes, read. Each is a setting by itself: what is wrong with one is told with its name, its value and what it may be.

import { notAllowed } from "../errors.js";
import type { BackendChoice } from "../raw.js";
import type { NetworkSource } from "../source.js";
import type { CreateOptions } from "../options.js";
import type { Pace } from "./player.js";

/** Attributes that say what is built: another value means another simulation. */
export const BUILDING = ["src", "backend", "threads", "seed", "scale", "worker"] as const;
/** Attributes that a simulation takes as it runs. */
export const RUNNING = ["plots", "window", "parameters", "duration", "speed"] as const;

/** What is plotted where nothing is said. */
const PLOTS = "raster rates";
/** Time that plots show where nothing is said, in ms. */
const WINDOW_MS = 1000;

/** The network: `src`, or JSON in a child `<script type="application/json">`. */
export function source(element: Element): NetworkSource {
  const src = element.getAttribute("src");
  if (src !== null) return src;
  const text = element.querySelector(":scope > script[type='application/json']")?.textContent;
  if (text) return text;
  throw notAllowed("src", undefined, 'the name of a built-in network, such as "cuba", or the address of a network; or a child <script type="application/json">');
}

/** How it is built. The values are checked by who builds it. */
export function building(element: Element): CreateOptions {
  return {
    backend: (element.getAttribute("backend") ?? undefined) as BackendChoice | undefined,
    threads: number(element, "threads"),
    seed: seed(element),
    scale: number(element, "scale"),
    worker: element.getAttribute("worker") ?? undefined,
  };
}

/** How fast it runs, and how long. */
export function pace(element: Element): Pace {
  const speed = element.getAttribute("speed") === "max" ? Infinity : above0(element, "speed", ', or "max"');
  return { speed: speed ?? 1, durationMs: above0(element, "duration", " of ms") ?? Infinity };
}

/** The plots: words of `choose`. */
export function plots(element: Element): string {
  return element.getAttribute("plots") ?? PLOTS;
}

/** The parameters that have sliders. */
export function parameters(element: Element): string[] {
  const text = element.getAttribute("parameters") ?? "";
  return [...new Set(text.split(/[\s,]+/).filter((word) => word !== ""))];
}

/** Time that plots show, in ms: not more than there is to come. */
export function windowMs(element: Element): number {
  return above0(element, "window", " of ms") ?? Math.min(WINDOW_MS, pace(element).durationMs);
}

function number(element: Element, name: string): number | undefined {
  const text = element.getAttribute(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value)) throw notAllowed(name, text, "a number");
  return value;
}

function above0(element: Element, name: string, what: string): number | undefined {
  const value = number(element, name);
  if (value !== undefined && !(value > 0 && Number.isFinite(value))) throw notAllowed(name, value, `a number above 0${what}`);
  return value;
}

/** A number of 64 bits would not fit a double. */
function seed(element: Element): bigint | undefined {
  const text = element.getAttribute("seed");
  if (text === null) return undefined;
  if (!/^\s*\d+\s*$/.test(text)) throw notAllowed("seed", text, "a whole number, 0 or more");
  return BigInt(text);
}
