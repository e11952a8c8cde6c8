// What is to be plotted: the words of the attribute `plots`, and what has to be recorded for them.

import { SpikeletError } from "../errors.js";
import type { Recording } from "../network.js";
import type { Channel, Info } from "../raw.js";
import { recordingOf } from "../recording.js";
import type { Traced } from "./traces.js";

/** A trace has at most so many lanes. */
const MOST_LANES = 8;
/** Where no neurons are named, and none are recorded, so many are shown. */
const FEW = 3;

/** A plot of a variable. */
interface Trace {
  readonly kind: "trace";
  readonly title: string;
  /** Its columns, by their labels. */
  readonly of: readonly string[];
  /** How many were named. */
  readonly all: number;
}

/** A plot. */
export type Chosen = { readonly kind: "raster" } | { readonly kind: "rates" } | Trace;

/** A variable of one population or projection. */
interface Kept {
  readonly object: string;
  readonly symbol: string;
  readonly count: number;
}

export interface Choice {
  readonly plots: readonly Chosen[];
  /** What is to be recorded instead of what is; none where all is there. */
  readonly recordings: readonly Recording[] | null;
}

/**
 * Reads the words of `plots`.
 *
 * @throws What is wrong with one of them.
 */
export function choose(words: readonly string[], info: Info): Choice {
  const there = new Set(info.channels.map(({ label }) => label));
  const missing: Recording[] = [];
  const plots = words.map((word): Chosen => {
    if (word === "raster" || word === "rates") return { kind: word };
    const named = labels(word, info);
    if (named === null) {
      throw new SpikeletError("argument", `plots: there is no “${word}”; there are raster, rates, ${variables(info)}`, "plots");
    }
    const of = named.slice(0, MOST_LANES);
    missing.push(...of.filter((label) => !there.has(label)).map((label) => recordingOf(label, info)!));
    for (const label of of) there.add(label);
    return { kind: "trace", title: word.replace(/\[.*/, "").split(".").at(-1)!, of, all: named.length };
  });
  const kept = info.channels.map((channel) => again(channel, info));
  return { plots, recordings: missing.length === 0 ? null : [...kept, ...missing] };
}

/** The columns of a trace, once all is recorded. */
export function traced({ title, of, all }: Trace, info: Info): Traced {
  const names = info.network.populations.map(({ name }) => name);
  const lanes = of.map((label) => {
    const population = label.split(".")[0]!;
    return { label: label.replace(`.${title}`, ""), column: info.channels.findIndex((channel) => channel.label === label), population, place: Math.max(names.indexOf(population), 0) };
  });
  const unit = info.channels[lanes[0]?.column ?? -1]?.unit ?? "";
  const one = lanes.length === 1 ? `of ${lanes[0]!.label}` : "";
  return { title, unit, lanes, remark: all > of.length ? `the first ${of.length} of ${all}` : one };
}

/** The labels of the columns that a word means; none where there is no such variable. */
function labels(word: string, info: Info): string[] | null {
  if (word.includes("[")) {
    const recording = recordingOf(word, info);
    if (recording === null) return null;
    const { object, var: symbol, indices } = recording;
    const kept = keptOf(info).find((one) => one.object === object && one.symbol === symbol);
    if (!kept) return null;
    return indices === "all" ? labelled(kept, kept.count) : indices.map((index) => `${object}.${symbol}[${index}]`);
  }
  const means = ({ object, symbol }: Kept) => word === symbol || word === `${object}.${symbol}`;
  const kept = keptOf(info).filter(means);
  if (kept.length === 0) return null;
  const recorded = info.channels.filter(({ label }) => means(parts(label))).map(({ label }) => label);
  if (recorded.length > 0) return recorded;
  // Of each in turns, so that all of them are seen.
  const turns = Array.from({ length: FEW }, (_, index) => kept.filter(({ count }) => index < count).map(({ object, symbol }) => `${object}.${symbol}[${index}]`));
  return turns.flat().slice(0, FEW).sort();
}

function labelled({ object, symbol }: Kept, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${object}.${symbol}[${index}]`);
}

function keptOf({ network }: Info): Kept[] {
  const populations = network.populations.flatMap(({ name, size, variables }) => variables.map(({ symbol }) => ({ object: name, symbol, count: size })));
  const projections = network.projections.flatMap(({ name, synapses, variables }) => variables.map(({ symbol }) => ({ object: name, symbol, count: synapses })));
  return [...populations, ...projections];
}

function variables(info: Info): string {
  const symbols = [...new Set(keptOf(info).map(({ symbol }) => symbol))];
  return symbols.length === 0 ? "and no variables" : `and the variables ${symbols.join(", ")}`;
}

function parts(label: string): Kept {
  const [, object = "", symbol = ""] = /^(.*?)\.([^.[]+)/.exec(label) ?? [];
  return { object, symbol, count: 1 };
}

/** What is recorded already, in its unit. */
function again({ label, unit }: Channel, info: Info): Recording {
  return { ...recordingOf(label, info)!, unit: unit === "" ? null : unit };
}
