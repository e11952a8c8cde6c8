// A sweep as files: a table, arrays, and JSON that repeats it.

import type { Network } from "../network.js";
import { type NamedArray, npz } from "../plots/export/npz.js";
import type { SweepOptions, SweepResult } from "./sweep.js";

/** The columns of a value: its name and unit. */
function column(name: string, unit: string): string {
  return unit === "" ? name : `${name} [${unit}]`;
}

/** The results as rows, one per combination and repetition; the first row has the names of the columns. */
export function sweepRows({ axes, measure, of, points }: SweepResult): (string | number)[][] {
  const head = [...axes.map(({ path, unit }) => column(path, unit)), "trial", column(`${measure.name} ${of}`, measure.unit), "spikes", "failure"];
  const number = (value: number) => (Number.isNaN(value) ? "" : value);
  return [
    head,
    ...points.flatMap(({ values, measured, spikes, failure }) =>
      failure === null
        ? measured.map((value, trial) => [...values, trial, number(value), spikes[trial]!, ""])
        : [[...values, "", "", "", failure]],
    ),
  ];
}

/** The results as a NumPy archive: the values of each axis, and `measured` with one dimension per axis and one for the repetitions. */
export function sweepNpz({ network, axes, measure, of, ms, warmUpMs, repeats, seed, points }: SweepResult): Uint8Array<ArrayBuffer> {
  const shape = [...axes.map(({ numbers }) => numbers.length), repeats];
  const measured = new Float64Array(shape.reduce((product, size) => product * size, 1)).fill(NaN);
  for (const point of points) measured.set(point.measured, point.index * repeats);
  const text = (name: string, value: string): NamedArray => ({ name, values: [value], shape: [] });
  return npz([
    text("network", network),
    text("measure", measure.name),
    text("of", of),
    text("unit", measure.unit),
    text("seed", String(seed)),
    { name: "ms", values: Float64Array.of(warmUpMs, ms) },
    { name: "paths", values: axes.map(({ path }) => path) },
    { name: "units", values: axes.map(({ unit }) => unit) },
    ...axes.map(({ numbers }, place): NamedArray => ({ name: `axis_${place}`, values: Float64Array.from(numbers) })),
    { name: "measured", values: measured, shape },
  ]);
}

/** A file that repeats a sweep: `sweep(file.network, file.sweep)`. */
export interface SweepFile {
  readonly network: Network;
  readonly sweep: SweepOptions;
}

/** The JSON that repeats a sweep. */
export function sweepFile(network: Network, options: SweepOptions): SweepFile {
  const { parameters, ms, warmUpMs, repeats, measure, population, variable, seed } = options;
  return JSON.parse(JSON.stringify({ network, sweep: { parameters, ms, warmUpMs, repeats, measure, population, variable, seed: seed === undefined ? undefined : Number(seed) } })) as SweepFile;
}
