// What the views of the element share: parameters, areas and fibres.

import { SpikeletError, notAllowed } from "../errors.js";
import type { Brain } from "./brain.js";
import { NumberField, type Parameter } from "./field.js";
import type { Fibre } from "./raw.js";

/** The element, as its views see it. */
export interface Owner {
  /** Aborted when the element is removed. */
  readonly end: AbortSignal;
  seed(): number | bigint;
  worker(): string | undefined;
  /** A brain was made. */
  ready(brain: Brain): void;
}

/** The parameters of a brain, as attributes set them. */
export interface Settings {
  readonly n: number;
  readonly k: number;
  readonly p: number;
  readonly beta: number;
}

/** The areas of the laboratory. */
export const AREAS = ["A", "B", "C"] as const;

/** The fibres of the laboratory. */
export const FIBRES: readonly Fibre[] = [
  ["S", "A"], ["T", "B"], ["A", "A"], ["B", "B"], ["C", "C"], ["A", "C"], ["B", "C"], ["C", "A"], ["C", "B"], ["S", "C"], ["T", "C"],
];

const DEFAULTS: Settings = { n: 10_000, k: 100, p: 0.05, beta: 0.05 };

/** The most neurons of an area that a picture and a Worker handle at ease. */
const MAX_NEURONS = 1_000_000;

/** The parameters of an element. */
export function settingsOf(element: Element): Settings {
  const number = (name: string, or: number) => {
    const text = element.getAttribute(name);
    if (text === null) return or;
    const value = Number(text);
    if (text.trim() === "" || Number.isNaN(value)) throw notAllowed(name, text, `a number such as ${or}`);
    return value;
  };
  return { n: number("n", DEFAULTS.n), k: number("k", DEFAULTS.k), p: number("p", DEFAULTS.p), beta: number("beta", DEFAULTS.beta) };
}

/** Whether the user prefers pictures that do not move. */
export function prefersStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** The seed of an element. */
export function seedOf(element: Element): bigint {
  const text = element.getAttribute("seed") ?? "1";
  if (!/^\s*\d+\s*$/.test(text)) throw new SpikeletError("argument", `seed is “${text}”; expected a whole number, 0 or more`, "seed");
  return BigInt(text);
}

/** The fields of the parameters. */
export function fieldsOf(settings: Settings, changed: () => void): Record<keyof Settings, NumberField> {
  const whole = (name: string, value: number, most: number) =>
    Number.isInteger(value) && value >= 1 && value <= most ? null : `${name} = ${value} is not possible: expected a whole number from 1 to ${most}`;
  const parameters: Record<keyof Settings, Parameter> = {
    n: {
      name: "n", about: "neurons of an area", min: 100, max: 100_000, step: 1, isLog: true,
      check: (value) => whole("n", value, MAX_NEURONS),
    },
    k: {
      name: "k", about: "how many win", min: 5, max: 500, step: 1,
      check: (value) => whole("k", value, MAX_NEURONS) ?? (value > fields.n.value ? `k = ${value} is more than n = ${fields.n.value} neurons: use a smaller k` : null),
    },
    p: {
      name: "p", about: "probability of a synapse", min: 0.005, max: 0.3, step: 0.005,
      check: (value) => (value > 0 && value <= 1 ? null : `p = ${value} is not a probability: expected a number above 0, at most 1`),
    },
    beta: {
      name: "β", about: "plasticity", min: 0, max: 0.5, step: 0.01,
      check: (value) => (value >= 0 && value <= 10 ? null : `β = ${value} is not possible: expected a number from 0 to 10`),
    },
  };
  const field = (name: keyof Settings) => new NumberField(parameters[name], settings[name], changed);
  const fields: Record<keyof Settings, NumberField> = { n: field("n"), k: field("k"), p: field("p"), beta: field("beta") };
  return fields;
}
