// Parsing of the attributes. An error names the attribute, its value and the valid values.

import { notAllowed } from "../errors.js";
import type { BackendChoice } from "../raw.js";
import type { NetworkSource } from "../source.js";
import type { CreateOptions } from "../options.js";
import type { Pace } from "./player.js";

/** Attributes that need a rebuild when they change. */
export const BUILDING = ["src", "backend", "threads", "seed", "scale", "worker"] as const;
/** Attributes that can change during a run. */
export const RUNNING = ["plots", "window", "parameters", "duration", "speed"] as const;

/** Options of the build that no attribute can have. */
export type ElementOptions = Pick<CreateOptions, "files" | "worker">;

/** The default plots. */
const PLOTS = "raster rates";
/** The default time span of plots, in ms. */
const WINDOW_MS = 1000;

/** The network: `src`, or JSON in a child `<script type="application/json">`. */
export function source(element: Element): NetworkSource {
  const src = element.getAttribute("src");
  if (src !== null) return src;
  const text = element.querySelector(":scope > script[type='application/json']")?.textContent;
  if (text) return text;
  throw notAllowed("src", undefined, 'the name of a built-in network, such as "cuba", or the address of a network; or a child <script type="application/json">');
}

/** The options of `create`, which checks their values. */
export function building(element: Element): CreateOptions {
  return {
    backend: (element.getAttribute("backend") ?? undefined) as BackendChoice | undefined,
    threads: number(element, "threads"),
    seed: seed(element),
    scale: number(element, "scale"),
    worker: element.getAttribute("worker") ?? undefined,
  };
}

/** The limits of speed and duration. */
export function pace(element: Element): Pace {
  const speed = element.getAttribute("speed") === "max" ? Infinity : above0(element, "speed", ', or "max"');
  return { speed: speed ?? 1, durationMs: above0(element, "duration", " of ms") ?? Infinity };
}

/** The plots, in words for `choose`. */
export function plots(element: Element): string {
  return element.getAttribute("plots") ?? PLOTS;
}

/** The parameters with sliders. */
export function parameters(element: Element): string[] {
  const text = element.getAttribute("parameters") ?? "";
  return [...new Set(text.split(/[\s,]+/).filter((word) => word !== ""))];
}

/** The time span of plots, in ms; at most the duration of the run. */
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

/** A number of 64 bits does not fit a double. */
function seed(element: Element): bigint | undefined {
  const text = element.getAttribute("seed");
  if (text === null) return undefined;
  if (!/^\s*\d+\s*$/.test(text)) throw notAllowed("seed", text, "a whole number, 0 or more");
  return BigInt(text);
}
