// Connection rules that are functions of the page: called once, they become a list of pairs.

import { notAllowed } from "./errors.js";
import type { Network, Projection } from "./network.js";

/**
 * A connection rule as a function. `i` is the index of the presynaptic neuron in its population, `j` that of the postsynaptic neuron.
 *
 * Each function is called once for each pair or neuron of the slices, when a network is opened: the rule becomes a list of `pairs`, in the order of the calls.
 */
export type FunctionRule =
  /** Connects the pairs for which the function returns true. */
  | { rule: "condition"; condition: (i: number, j: number) => boolean; autapses?: boolean }
  /** Connects each presynaptic neuron to the targets that the function returns. Indices outside of the slice are errors, or left out if `skip_if_invalid`. */
  | { rule: "generator"; j: (i: number) => Iterable<number>; skip_if_invalid?: boolean }
  /** Connects each postsynaptic neuron to the sources that the function returns. */
  | { rule: "generator"; i: (j: number) => Iterable<number>; skip_if_invalid?: boolean };

/** A network of the JSON format, in which rules can be functions. */
export type NetworkObject = Omit<Network, "projections"> & {
  projections?: (Projection | (Omit<Projection, "connect" | "pairs"> & { connect: FunctionRule }))[];
};

/** The first neuron of a slice, and one past the last. */
interface Slice {
  start: number;
  end: number;
}

/** The network as JSON, with functions as pairs. A function at any other place is an error. */
export function jsonOf(network: object): string {
  const projections: unknown = (network as NetworkObject).projections;
  const listed = Array.isArray(projections)
    ? { ...network, projections: projections.map((projection, index) => withPairs(network as NetworkObject, projection, `projections[${index}]`)) }
    : network;
  return JSON.stringify(listed, (key, value: unknown) => {
    if (typeof value === "function") throw notAllowed(key, value, "a value; functions are allowed as `condition`, `i` and `j` of `connect`");
    return value;
  });
}

/** A projection with the pairs of its function, if it has one. */
function withPairs(network: NetworkObject, projection: unknown, path: string): unknown {
  const { connect, ...rest } = (projection ?? {}) as { connect?: Record<string, unknown>; pre?: unknown; post?: unknown };
  const keys = ["condition", "i", "j"] as const;
  const key = keys.find((key) => typeof connect?.[key] === "function");
  if (connect === undefined || key === undefined) return projection;
  const rule = key === "condition" ? "condition" : "generator";
  if (connect["rule"] !== rule) throw notAllowed(`${path}.connect.rule`, connect["rule"], `"${rule}", since \`${key}\` is a function`);
  const option = key === "condition" ? "autapses" : "skip_if_invalid";
  for (const other of Object.keys(connect)) {
    if (other !== "rule" && other !== key && other !== option) throw notAllowed(`${path}.connect.${other}`, connect[other], `only \`${option}\` beside a function`);
  }
  const given = connect[option];
  if (given !== undefined && typeof given !== "boolean") throw notAllowed(`${path}.connect.${option}`, given, "true or false");
  const [pre, post] = [sliceOf(network, rest.pre, `${path}.pre`), sliceOf(network, rest.post, `${path}.post`)];
  const of = connect[key] as (...indices: number[]) => unknown;
  const at = `${path}.connect.${key}`;
  const pairs =
    key === "condition"
      ? conditionPairs(of, pre, post, given ?? true, nameOf(rest.pre) === nameOf(rest.post), at)
      : generatedPairs(of, key === "j" ? [pre, post] : [post, pre], given ?? false, at).map(([one, other]) => (key === "j" ? [one, other] : [other, one]));
  return { ...rest, pairs };
}

function conditionPairs(of: (i: number, j: number) => unknown, pre: Slice, post: Slice, autapses: boolean, recurrent: boolean, path: string): number[][] {
  const pairs: number[][] = [];
  for (let i = pre.start; i < pre.end; i++) {
    for (let j = post.start; j < post.end; j++) {
      if (!autapses && recurrent && i === j) continue;
      const connects = of(i, j);
      if (typeof connects !== "boolean") throw notAllowed(`${path}(${i}, ${j})`, connects, "true or false");
      if (connects) pairs.push([i, j]);
    }
  }
  return pairs;
}

/** Pairs of each neuron of the first slice and those of the second that the function returns for it. */
function generatedPairs(of: (neuron: number) => unknown, [own, others]: [Slice, Slice], skips: boolean, path: string): [number, number][] {
  const pairs: [number, number][] = [];
  for (let neuron = own.start; neuron < own.end; neuron++) {
    const returned = of(neuron);
    if (typeof returned !== "object" || returned === null || !(Symbol.iterator in returned)) {
      throw notAllowed(`${path}(${neuron})`, returned, "a list of indices");
    }
    for (const other of returned as Iterable<unknown>) {
      const isIndex = typeof other === "number" && Number.isInteger(other);
      const isThere = isIndex && other >= others.start && other < others.end;
      if (isThere) pairs.push([neuron, other]);
      else if (!isIndex || !skips) throw notAllowed(`an index of ${path}(${neuron})`, other, `a whole number from ${others.start} to ${others.end - 1}`);
    }
  }
  return pairs;
}

/** The population of an end of a projection: `E` of `E[0:800]`. */
function nameOf(end: unknown): string {
  return typeof end === "string" ? end.replace(/\[.*$/, "") : "";
}

/** The neurons of an end of a projection. */
function sliceOf({ populations, sources }: NetworkObject, end: unknown, path: string): Slice {
  const name = nameOf(end);
  const object = [...(populations ?? []), ...(sources ?? [])].find((of) => of.name === name);
  const size = object !== undefined && "size" in object ? object.size : undefined;
  if (typeof size !== "number" || !Number.isInteger(size) || size < 0) throw notAllowed(path, end, "a population or source with a size");
  const slice = /^[^[]*(?:\[\s*(\d*)\s*:\s*(\d*)\s*\])?$/.exec(end as string);
  if (slice === null) throw notAllowed(path, end, "a population such as \"E\", or a slice such as \"E[0:800]\"");
  const [start, stop] = [slice[1] ? Number(slice[1]) : 0, slice[2] ? Number(slice[2]) : size];
  if (start > stop || stop > size) throw notAllowed(path, end, `a slice within its ${size} neurons`);
  return { start, end: stop };
}
