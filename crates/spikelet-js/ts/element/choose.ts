// What is to be plotted: the words of the attribute `plots`, and what has to be recorded for them.

import { SpikeletError } from "../errors.js";
import type { Recording } from "../network.js";
import type { Channel, Info } from "../raw.js";
import { recordingOf } from "../recording.js";
import { marksOf } from "./theme.js";
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
  const { populations } = info.network;
  const marks = marksOf(populations);
  const lanes = of.map((label) => {
    const { object } = parts(label);
    const place = populations.findIndex(({ name }) => name === object);
    const column = info.channels.findIndex((channel) => channel.label === label);
    // The only neuron of a population needs no number.
    const short = populations[place]?.size === 1 ? object : label.replace(`.${title}`, "");
    return { label: short, column, use: marks[place]?.use ?? "ink" };
  });
  const unit = info.channels[lanes[0]?.column ?? -1]?.unit ?? "";
  return { title, unit, lanes, remark: all > of.length ? `the first ${of.length} of ${all}` : "" };
}

/** The labels of the columns that a word means; none where there is no such variable. */
function labels(word: string, info: Info): string[] | null {
  if (word.includes("[")) return labelled(word, info);
  const means = ({ object, symbol }: Kept) => word === symbol || word === `${object}.${symbol}`;
  const recorded = info.channels.map(({ label }) => label).filter((label) => means(parts(label)));
  if (recorded.length > 0) return recorded;
  // Of each in turns, so that all of them are seen.
  const kept = keptOf(info).filter(means);
  const turns = Array.from({ length: FEW }, (_, index) => kept.filter(({ count }) => index < count).map((one) => labelOf(one, index)));
  const few = turns.flat().slice(0, FEW).sort();
  return few.length === 0 ? null : few;
}

/** Those of `E.v[0:3]`. */
function labelled(word: string, info: Info): string[] | null {
  const recording = recordingOf(word, info);
  if (recording === null) return null;
  const { object, var: symbol, indices } = recording;
  const kept = keptOf(info).find((one) => one.object === object && one.symbol === symbol);
  if (!kept) return null;
  return (indices === "all" ? [...Array(kept.count).keys()] : indices).map((index) => labelOf(kept, index));
}

function labelOf({ object, symbol }: Omit<Kept, "count">, index: number): string {
  return `${object}.${symbol}[${index}]`;
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
  const [, object = "", symbol = ""] = /^([^.]*)\.([^.[]+)/.exec(label) ?? [];
  return { object, symbol, count: 1 };
}

/** What is recorded already, in its unit. */
function again({ label, unit }: Channel, info: Info): Recording {
  return { ...recordingOf(label, info)!, unit: unit === "" ? null : unit };
}
