// Formatting of numbers.

/** The smallest number of the series 1, 2, 5, 10 … that is at least `value`; `value` must be above 0. */
export function niceAbove(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value));
  // With a tolerance, so that 0.1 · 10 does not become 2.
  return [1, 2, 5].map((step) => step * decade).find((nice) => nice >= value * (1 - 1e-9)) ?? 10 * decade;
}

/** Formats a number with a maximum number of significant digits, separated thousands, and a minus sign as wide as a plus sign. */
export function short(value: number, digits = 3): string {
  if (Number.isNaN(value)) return "—";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) return value.toExponential(digits - 1).replaceAll("-", "−");
  const decimals = size === 0 ? 0 : Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return grouped(String(Number(value.toFixed(decimals))));
}

/** Formats a whole number. */
export function whole(value: number): string {
  return grouped(String(Math.round(value)));
}

/** Formats a value with its unit; dimensionless numbers have none. */
export function quantity(value: number, unit: string, digits = 3): string {
  return unit === "" ? short(value, digits) : `${short(value, digits)} ${unit}`;
}

/** Formats a time in ms for reading, to a hundredth: it is that of a pointer, not of a step. */
export function time(timeMs: number): string {
  return short(Math.round(timeMs * 100) / 100, 12);
}

/** Formats a value in its usual unit: resistances and rates, which are GΩ and kHz internally, mostly in MΩ and Hz. */
export function customary(value: number, unit: string): string {
  if (Math.abs(value) < 1 && unit === "kHz") return quantity(value * 1e3, "Hz", 4);
  if (/^G(Ω|ohm)$/.test(unit)) return Math.abs(value) < 1 ? quantity(value * 1e3, "MΩ", 4) : quantity(value, "GΩ", 4);
  return quantity(value, unit === "Mohm" ? "MΩ" : unit, 4);
}

function grouped(text: string): string {
  const [units = "", decimals] = text.split(".");
  const apart = units.length > 4 ? units.replace(/\B(?=(\d{3})+$)/g, "\u202f") : units;
  return (decimals === undefined ? apart : `${apart}.${decimals}`).replace("-", "−");
}

/** Multiples of a round step from `from` to `to`, at most about `most` of them. */
export function ticks(from: number, to: number, most: number): number[] {
  const step = niceAbove(Math.max(to - from, 1e-12) / Math.max(most, 1));
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => (first + place) * step);
}

/** Significant digits with which the numbers of ticks differ from each other; at least four. */
export function digitsOf(all: readonly number[]): number {
  const [first = 0, second = first] = all;
  const largest = Math.max(Math.abs(first), Math.abs(all.at(-1) ?? 0));
  if (second === first || largest === 0) return 4;
  return Math.min(Math.max(4, Math.ceil(Math.log10(largest / (second - first))) + 2), 15);
}

/** The range of an axis. It grows at once and shrinks only if it is much too large, so that the axis does not flicker. */
export class SteadyRange {
  #range: readonly [number, number] | null = null;

  /** Adds the extremes of the data to show; returns the range to show. */
  hold(least: number, most: number): readonly [number, number] {
    const held = this.#range;
    const fits = held !== null && held[0] <= least && most <= held[1] && most - least > 0.4 * (held[1] - held[0]);
    if (fits) return held;
    const step = niceAbove(Math.max(most - least, Math.abs(least) * 1e-3, 1e-9) / 4);
    const low = Math.floor(least / step) * step;
    const high = Math.ceil(most / step) * step;
    return (this.#range = [low, high > low ? high : low + step]);
  }
}
