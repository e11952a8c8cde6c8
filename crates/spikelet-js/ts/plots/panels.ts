// How recorded variables share panels and axes.

import type { Channel, Info, Parameter } from "../raw.js";

/** A recorded variable of a neuron or synapse in a plot. */
export interface Lane {
  readonly channel: Channel;
  /** A short name. */
  readonly name: string;
  /** The population or projection. */
  readonly object: string;
}

/** Names of membrane potentials, and of thresholds of models that do not describe their parameters. */
const POTENTIALS = ["v", "V", "vm", "Vm"];
const THRESHOLD = /^v_?th?(r|resh|reshold)?$/i;

/** The lanes of a plot. `symbols`: the different variables among them. */
export function lanesOf(labels: readonly string[], { channels, network }: Info): { readonly lanes: readonly Lane[]; readonly symbols: readonly string[] } {
  const shown = labels.flatMap((label) => channels.find((channel) => channel.label === label) ?? []);
  const symbols = [...new Set(shown.map(({ variable }) => variable))];
  const lanes = shown.map((channel): Lane => {
    const object = channel.label.split(".", 1)[0]!;
    const size = network.populations.find(({ name }) => name === object)?.size;
    // The only neuron of a population is shown without index, the only variable without name.
    const name = symbols.length > 1 ? channel.label : size === 1 ? object : channel.label.replace(`.${channel.variable}`, "");
    return { channel, name, object };
  });
  return { lanes, symbols };
}

/** The lanes that are drawn on one axis: each for itself, or all of one unit together. Different units never share an axis. */
export function panelsOf(lanes: readonly Lane[], together: boolean): (readonly Lane[])[] {
  if (!together) return lanes.map((lane) => [lane]);
  const units = [...new Set(lanes.map(({ channel }) => channel.unit))];
  return units.map((unit) => lanes.filter(({ channel }) => channel.unit === unit));
}

/** Descriptions of the value that a membrane potential has after a spike, and its names. */
const RESETS = ["reset", "potential after a spike"];
const RESET = /^v_?r(eset)?$/i;

/** The parameters with the threshold of a membrane potential and with its value after a spike, as far as they are known. */
export function levelsOf({ channel, object }: Lane, { network }: Info): readonly Parameter[] {
  if (!POTENTIALS.includes(channel.variable)) return [];
  const parameters = network.populations.find(({ name }) => name === object)?.parameters ?? [];
  const find = (abouts: readonly string[], name: RegExp) =>
    parameters.find(({ about, symbol, unit }) => unit === channel.unit && (abouts.includes(about) || (about === "" && name.test(symbol))));
  return [find(["threshold"], THRESHOLD), find(RESETS, RESET)].filter((found) => found !== undefined);
}

/** The extremes of an axis that also shows levels, except those that are so far away that the line would be flat. */
export function withLevels(least: number, most: number, levels: readonly number[]): readonly [number, number] {
  if (least > most) return [least, most];
  const reach = Math.max(2 * (most - least), 0.5 * Math.max(Math.abs(least), Math.abs(most)));
  const near = levels.filter((level) => level >= least - reach && level <= most + reach);
  return [Math.min(least, ...near), Math.max(most, ...near)];
}
