// Options of the API of assemblies, and their checks.

import { notAllowed } from "../errors.js";
import { type AskOptions, type EngineOptions, checkSeed, positive, wholeNumber } from "../options.js";
import type { Command, Fibre, Mode, RawParent, Refraction } from "./raw.js";

/** Options of a brain. */
export interface BrainOptions extends EngineOptions {
  /** Probability of a synapse between any two neurons; default 0.05. */
  p?: number | undefined;
  /** Seed of all random choices; default 1. */
  seed?: number | bigint | undefined;
  /**
   * How synapses are represented. `lazy` (default): only neurons that have won exist, and the inputs of others are drawn from their
   * distribution. `explicit`: all synapses are drawn and stored. `procedural`: those of a neuron are drawn when it fires; the winners are
   * those of `explicit`.
   */
  mode?: Mode | undefined;
  /** The largest weight; default 10 000. */
  wMax?: number | undefined;
  /** Memory that areas and synapses may use, in bytes; default 1 GiB. */
  memory?: number | undefined;
}

/** Options of an area. */
export interface AreaOptions extends AskOptions {
  /** Number of neurons. */
  n: number;
  /** How many of them fire in a round. */
  k: number;
  /** Plasticity: a synapse from a neuron that fired to a new winner is multiplied by 1 + β; default 0.05. */
  beta?: number | undefined;
  /** Whether all neurons exist from the start also in the mode `lazy`, so that blocks of them can be activated; default false. */
  explicit?: boolean | undefined;
  /** What makes it harder for a neuron that has won to win again; default nothing. */
  refraction?: Refraction | undefined;
}

/** The targets of each source, an area or a stimulus: `{ S: "A", A: ["A", "B"] }`. */
export type Fibres = Readonly<Record<string, string | readonly string[]>>;

/** An assembly that takes part in an operation: its area, and the stimulus that keeps it firing. Without one the area is fixed meanwhile. */
export type Parent = string | { readonly area: string; readonly stimulus: string };

/** Options of `complete`. */
export interface CompleteOptions extends AskOptions {
  /** The part of the winners that fires at first; default 0.5. */
  fraction?: number | undefined;
  /** Another number keeps other neurons; default 0. */
  draw?: number | undefined;
}

/** Options of `parse`. */
export interface ParseOptions extends AskOptions {
  /** `english` (default), or `russian`, in which the case of a noun marks what it is. */
  grammar?: string | undefined;
  /** Seed of all random choices; default 1. */
  seed?: number | bigint | undefined;
  /** Probability of a synapse; default 0.1. */
  p?: number | undefined;
  /** Neurons of each area but the one of words; default 10 000. */
  n?: number | undefined;
  /** How many of them fire; default 100. */
  k?: number | undefined;
  /** Rounds of each word; default 20. */
  rounds?: number | undefined;
}

/** The fibres as pairs. */
export function pairsOf(fibres: Fibres): Fibre[] {
  const expected = 'an object with the targets of each source, such as { S: "A", A: ["A", "B"] }';
  if (typeof fibres !== "object" || fibres === null) throw notAllowed("fibres", fibres, expected);
  return Object.entries(fibres).flatMap(([from, targets]) => {
    const list: readonly unknown[] = typeof targets === "string" ? [targets] : targets;
    if (!Array.isArray(list)) throw notAllowed(`fibres.${from}`, targets, "the name of an area, or a list of names");
    return list.map((to): Fibre => [from, checkName(`fibres.${from}`, to)]);
  });
}

/** Rejects a value that is not a name. */
export function checkName(path: string, name: unknown): string {
  if (typeof name !== "string" || name === "") throw notAllowed(path, name, "a name");
  return name;
}

/** Rejects a value that is not a β. */
export function checkBeta(beta: number): void {
  if (!(beta >= 0 && Number.isFinite(beta))) throw notAllowed("beta", beta, "a number, 0 or more");
}

/** Rejects a value that is not a refraction. */
export function checkRefraction(refraction: Refraction): void {
  if (refraction?.kind !== "refractory" && refraction?.kind !== "refracted") {
    throw notAllowed("refraction", refraction, 'an object with kind "refractory" or "refracted"');
  }
  positive("refraction.strength", refraction.strength, "a number above 0");
  if (refraction.kind === "refractory") wholeNumber("refraction.period", refraction.period, 1);
}

/** Rejects a value that is not a probability. */
export function checkProbability(p: number): void {
  if (!(typeof p === "number" && p > 0 && p <= 1)) throw notAllowed("p", p, "a probability above 0, at most 1");
}

/** @internal A parent as the module expects it. */
export function parentOf(path: string, parent: Parent): RawParent {
  if (typeof parent !== "object" || parent === null) return { area: checkName(path, parent), stimulus: null };
  return { area: checkName(`${path}.area`, parent.area), stimulus: checkName(`${path}.stimulus`, parent.stimulus) };
}

/** @internal The two parents of an operation. */
export function parentsOf(parents: readonly [Parent, Parent]): [RawParent, RawParent] {
  if (!Array.isArray(parents) || parents.length !== 2) throw notAllowed("parents", parents, "a list of two assemblies");
  return [parentOf("parents[0]", parents[0]), parentOf("parents[1]", parents[1])];
}

/** @internal A sentence and its options as the module expects them. */
export function sentenceOf(text: string, options: ParseOptions): Extract<Command, { type: "parse" }>["body"] {
  if (typeof text !== "string") throw notAllowed("sentence", text, 'a text such as "cats chase mice"');
  const { grammar = "english", seed = 1, p = 0.1, n = 10_000, k = 100, rounds = 20 } = options;
  checkSeed(seed);
  checkProbability(p);
  for (const [path, value] of Object.entries({ n, k, rounds })) wholeNumber(path, value, 1);
  return { text, grammar: checkName("grammar", grammar), p, seed, n, k, rounds };
}
