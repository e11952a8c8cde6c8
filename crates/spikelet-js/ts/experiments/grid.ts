// The values of a sweep, and all their combinations.

import { SpikeletError, notAllowed } from "../errors.js";
import { wholeNumber } from "../options.js";
import type { Info, Parameter } from "../raw.js";

/** Maximum number of runs of a sweep, with all repetitions. */
export const MAX_RUNS = 10_000;

/** A parameter that a sweep varies: by a range, or by a list of values. */
export interface SweptParameter {
  /** Its path: `E.taum`. */
  readonly path: string;
  /** First and last value: a number in the unit of the parameter, or a quantity such as `"10 ms"`. */
  readonly from?: number | string | undefined;
  readonly to?: number | string | undefined;
  /** Number of values, 2 or more. */
  readonly steps?: number | undefined;
  /** Whether successive values have equal differences (`"linear"`, the default) or equal ratios (`"log"`). */
  readonly scale?: "linear" | "log" | undefined;
  /** Instead of a range: the values. */
  readonly values?: readonly (number | string)[] | undefined;
}

/** The values of a parameter. */
export interface Axis {
  readonly path: string;
  /** Description in one line; can be empty. */
  readonly about: string;
  /** The unit of the numbers; empty for pure numbers. */
  readonly unit: string;
  readonly numbers: readonly number[];
  /** The same as quantities, for `set`. */
  readonly texts: readonly string[];
  readonly isLog: boolean;
}

/** The parameters of a network that a sweep can vary. */
export function parametersOf({ network: { populations, projections } }: Pick<Info, "network">): Parameter[] {
  return [...populations, ...projections].flatMap(({ parameters }) => parameters);
}

/** A quantity as the engine reads it. */
export function quantityText(value: number, unit: string): string {
  return unit === "" ? String(value) : `${value} ${unit}`;
}

/**
 * The values of a parameter. Those of a range are rounded to twelve digits, as on the command line.
 *
 * @throws `SpikeletError` if the parameter is not of the network, or its values are not valid.
 */
export function axisOf(parameter: SweptParameter, place: string, info: Pick<Info, "network">): Axis {
  if (typeof parameter !== "object" || parameter === null) throw notAllowed(place, parameter, "an object with path, from, to and steps, or with path and values");
  const { path, values, from, to, steps, scale = "linear" } = parameter;
  const all = parametersOf(info);
  const found = all.find((one) => one.path === path);
  if (!found) throw notAllowed(`${place}.path`, path, `a parameter that can change during a run: ${all.map((one) => one.path).join(", ") || "this network has none"}`);
  const { about } = found;
  if (values !== undefined) {
    if (!Array.isArray(values) || values.length === 0) throw notAllowed(`${place}.values`, values, "a list of one or more values");
    const read = values.map((value, index) => endOf(value, `${place}.values[${index}]`, found.unit));
    const unit = sameUnit(read, `${place}.values`);
    return { path, about, unit, numbers: read.map(({ number }) => number), texts: read.map(({ number }) => quantityText(number, unit)), isLog: scale === "log" };
  }
  const [first, last] = [endOf(from, `${place}.from`, found.unit), endOf(to, `${place}.to`, found.unit)];
  const unit = sameUnit([first, last], `${place}.to`);
  if (steps === undefined) throw notAllowed(`${place}.steps`, steps, "the number of values, 2 or more");
  wholeNumber(`${place}.steps`, steps, 2);
  if (steps > MAX_RUNS) throw notAllowed(`${place}.steps`, steps, `at most ${MAX_RUNS} values`);
  if (scale !== "linear" && scale !== "log") throw notAllowed(`${place}.scale`, scale, '"linear" or "log"');
  if (first.number === last.number) throw notAllowed(`${place}.to`, to, "another value than `from`; for a single value use `values`");
  if (scale === "log" && !(first.number > 0 && last.number > 0)) {
    throw notAllowed(`${place}.${first.number > 0 ? "to" : "from"}`, first.number > 0 ? to : from, 'a value above 0 for scale "log"; or use scale "linear"');
  }
  const numbers = rangeOf(first.number, last.number, steps, scale === "log");
  return { path, about, unit, numbers, texts: numbers.map((number) => quantityText(number, unit)), isLog: scale === "log" };
}

/** Numbers with both ends; those between are rounded to twelve digits. */
export function rangeOf(first: number, last: number, steps: number, isLog: boolean): number[] {
  return Array.from({ length: steps }, (_, index) => {
    if (index === 0) return first;
    if (index === steps - 1) return last;
    const part = index / (steps - 1);
    // Each end is weighted, as on the command line: large values do not overflow.
    const value = isLog ? first * (last / first) ** part : first * ((steps - 1 - index) / (steps - 1)) + last * part;
    return Number(value.toExponential(11));
  });
}

/** All combinations as indices into the values; the first axis varies slowest. */
export function combinations(axes: readonly Axis[]): number[][] {
  return axes.reduce<number[][]>((grid, { numbers }) => grid.flatMap((point) => numbers.map((_, index) => [...point, index])), [[]]);
}

interface End {
  readonly number: number;
  readonly unit: string;
}

/** A value, in the unit of the parameter unless it has one of its own. */
function endOf(value: unknown, path: string, unit: string): End {
  if (typeof value === "number" && Number.isFinite(value)) return { number: value, unit };
  const [, digits, own = ""] = (typeof value === "string" && /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(\S.*?)?\s*$/i.exec(value)) || [];
  if (digits === undefined) throw notAllowed(path, value, `a number${unit === "" ? "" : ` in ${unit}`}, or a quantity such as "${quantityText(10, unit)}"`);
  return { number: Number(digits), unit: own === "" ? unit : own };
}

function sameUnit(ends: readonly End[], path: string): string {
  const [first] = ends;
  const other = ends.find(({ unit }) => unit !== first!.unit);
  if (other) throw new SpikeletError("argument", `${path} has values in “${first!.unit}” and in “${other.unit}”; write all of them in the same unit`, path);
  return first!.unit;
}
