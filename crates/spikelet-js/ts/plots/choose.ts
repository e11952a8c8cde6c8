// Parsing of plot lists such as `raster rates(reach=20) E.v[0:3]`, and the recordings that they need.

import { SpikeletError, notAllowed } from "../errors.js";
import type { Recording } from "../network.js";
import type { Info } from "../raw.js";
import { recordingOf, recordingOfChannel } from "../recording.js";
import type { Chosen, PlotKind, Settings } from "./plot.js";
import { PLOTS } from "./registry.js";
import { CHOICES } from "./spectrum.js";
import { TRACE } from "./trace.js";

/** Number of neurons shown by default, if none are recorded. */
const FEW = 3;

/** A variable of one population or projection. */
interface Kept {
  readonly object: string;
  readonly symbol: string;
  readonly count: number;
}

/** The parsed plots. */
export interface Choice {
  readonly plots: readonly Chosen[];
  /** The new list of recordings; null if all variables are already recorded. */
  readonly recordings: readonly Recording[] | null;
}

/** Splits a list into words with their settings. */
export function wordsOf(text: string): string[] {
  return [...new Set(text.match(/[^\s,(]+(?:\([^)]*\)?)?/g))];
}

/**
 * Parses a list of plots: names of the table, or variables, with settings in parentheses.
 *
 * @throws `SpikeletError` if a word is invalid; the message lists the valid ones.
 */
export function choose(text: string, info: Info): Choice {
  const there = new Set(info.channels.map(({ label }) => label));
  const missing: Recording[] = [];
  const plots = wordsOf(text).map((whole): Chosen => {
    // `mean(E.v)` is a variable, and no plot with settings.
    const [, word = "", given] = REDUCED.test(whole) ? [whole, whole] : /^([^(]*)(?:\(([^)]*)\))?$/.exec(whole) ?? [];
    const named = PLOTS.find(({ name }) => name === word);
    const meant = named === undefined ? labels(word, info) : named.needs.includes("samples") ? info.channels.map(({ label }) => label) : [];
    if (meant === null) throw new SpikeletError("argument", `plots: there is no “${whole}”; there are ${known(info)}`, "plots");
    const kind = named ?? TRACE;
    const lack = named?.lacking(info) ?? null;
    if (lack !== null) throw new SpikeletError("argument", `plots: “${word}” has nothing to show: ${lack}`, "plots");
    const settings = settingsOf(kind, given ?? "", info);
    const shown = meant.slice(0, settings["lanes"] ?? CHOICES);
    missing.push(...shown.filter((label) => !there.has(label)).map((label) => recordingOf(label, info)!));
    for (const label of shown) there.add(label);
    return { kind, word, settings, labels: shown, all: meant.length };
  });
  const kept = info.channels.map((channel) => recordingOfChannel(channel, info));
  return { plots, recordings: missing.length === 0 ? null : [...kept, ...missing] };
}

/** Parses `lanes=4`. */
function settingsOf(kind: PlotKind, text: string, info: Info): Settings {
  const settings: Record<string, number> = Object.fromEntries(kind.settings.map(({ name, value }) => [name, value]));
  for (const part of text.split(/[\s,]+/).filter((one) => one !== "")) {
    const [name = "", written = ""] = part.split("=");
    const setting = kind.settings.find((one) => one.name === name);
    if (!setting) {
      const names = kind.settings.map((one) => one.name).join(", ");
      throw new SpikeletError("argument", `plots: “${kind.name}” has no setting “${name}”; it has ${names || "none"}`, "plots");
    }
    const most = setting.menu ? setting.menu(info).length - 1 : Infinity;
    const value = Number(written);
    if (written === "" || !(value >= setting.least && value <= most)) {
      throw notAllowed(`plots: ${name} of ${kind.name}`, written, `a number from ${setting.least} ${most < Infinity ? `to ${most}` : "on"}`);
    }
    settings[name] = value;
  }
  return settings;
}

/** A mean or sum over neurons. */
const REDUCED = /^(mean|sum)\(/;

/** Whether a mean or sum is that of a variable. */
function means(word: string, { object, symbol }: Kept): boolean {
  const inner = word.slice(word.indexOf("(") + 1).split(/[[)]/, 1)[0];
  return inner === `${object}.${symbol}`;
}

/** The labels of the columns of a word; null if there is no such variable. */
function labels(word: string, info: Info): string[] | null {
  if (REDUCED.test(word)) return keptOf(info).some((one) => means(word, one)) && recordingOf(word, info) !== null ? [word.trim()] : null;
  if (word.includes("[")) return labelled(word, info);
  const isMeant = ({ object, symbol }: Kept) => word === symbol || word === `${object}.${symbol}`;
  const recorded = info.channels.map(({ label }) => label).filter((label) => isMeant(parts(label)));
  if (recorded.length > 0) return recorded;
  // Takes neurons of all populations in turn, so that each is shown.
  const kept = keptOf(info).filter(isMeant);
  const turns = Array.from({ length: FEW }, (_, index) => kept.filter(({ count }) => index < count).map((one) => labelOf(one, index)));
  const few = turns.flat().slice(0, FEW).sort();
  return few.length === 0 ? null : few;
}

/** The labels of `E.v[0:3]`. */
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

function known(info: Info): string {
  const symbols = [...new Set(keptOf(info).map(({ symbol }) => symbol))];
  const names = PLOTS.map(({ name }) => name).join(", ");
  return `${names}, ${symbols.length === 0 ? "and no variables" : `and the variables ${symbols.join(", ")}`}`;
}

function parts(label: string): Kept {
  const [, object = "", symbol = ""] = /^([^.]*)\.([^.[]+)/.exec(label) ?? [];
  return { object, symbol, count: 1 };
}

