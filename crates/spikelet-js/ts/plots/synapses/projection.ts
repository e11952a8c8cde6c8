// What plots of the synapses of one projection share.

import type { Info, ProjectionSummary, SynapseSample } from "../../raw.js";
import type { Spikelet } from "../../spikelet.js";
import type { Frame } from "../frame.js";
import { whole } from "../numbers.js";
import type { PlotContext } from "../lazy.js";
import type { Scene, Setting } from "../plot.js";
import { Reader } from "../reader.js";

/** Minimum time between two readings, in ms: four a second. */
const READING_MS = 250;

/** The setting that chooses the projection. */
export const PROJECTION: Setting = {
  name: "projection",
  about: "index of the projection, from 0",
  value: 0,
  least: 0,
  menu: ({ network }) => network.projections.map(({ name }) => name),
};

/** What a network lacks for a plot of synapses. */
export function lackingSynapses({ network }: Info): string | null {
  return network.projections.length > 0 ? null : "the network has no projections";
}

/** A population, or some of its neurons: `E[0:100]`. */
export interface Slice {
  readonly population: string;
  readonly first: number;
  readonly size: number;
}

/** The synapses of a projection, read again while they are visible. */
export class ProjectionReader {
  readonly projection: ProjectionSummary;
  readonly pre: Slice;
  readonly post: Slice;
  readonly #frame: Frame;
  readonly #simulation: Spikelet;
  readonly #reader: Reader<SynapseSample>;

  constructor(frame: Frame, info: Info, index: number, live: PlotContext, limit: number) {
    [this.#frame, this.#simulation] = [frame, live.simulation];
    this.projection = info.network.projections[index] ?? info.network.projections[0]!;
    [this.pre, this.post] = [sliceOf(this.projection.pre, info), sliceOf(this.projection.post, info)];
    this.#reader = new Reader(live, frame.surface.canvas, READING_MS, () => live.simulation.synapses(this.projection.name, { limit }));
  }

  /** The last read synapses; null before the first. Asks for new ones if time has passed. */
  read({ isReview }: Scene): SynapseSample | null {
    // Without state, weights change only if a value is set.
    this.#reader.ask(this.projection.variables.length > 0 ? this.#simulation.timeMs : 0);
    const synapses = this.#reader.value;
    const { failure } = this.#reader;
    if (failure !== "") this.#frame.setRemark(failure);
    else if (synapses !== null) this.#frame.setRemark(remarkOf(synapses, isReview === true));
    return synapses;
  }

  get last(): SynapseSample | null {
    return this.#reader.value;
  }

  /** `w of EE`, with its unit. */
  named({ variable, unit }: SynapseSample): string {
    const what = variable === "" ? "synapses" : this.projection.variables.some(({ symbol }) => symbol === variable) ? variable : `change of ${variable}`;
    return unit === "" ? what : `${what} in ${unit}`;
  }
}

/** How many synapses are shown of how many. */
export function remarkOf({ pre, total }: Pick<SynapseSample, "pre" | "total">, isPast: boolean): string {
  const count = pre.length < total ? `${whole(pre.length)} of ${whole(total)} synapses, evenly sampled` : `${whole(total)} synapses`;
  return isPast ? `${count}; their values are those of now` : count;
}

/** Parses `E`, `E[3]` or `E[0:100]`. */
export function sliceOf(text: string, { network }: Info): Slice {
  const [, population = text, from, to] = /^(.*?)(?:\[(\d*)(?::(\d*))?\])?$/.exec(text) ?? [];
  const all = network.populations.find(({ name }) => name === population)?.size ?? 0;
  if (!text.endsWith("]")) return { population, first: 0, size: all };
  const first = from ? Number(from) : 0;
  const end = to === undefined ? first + 1 : to === "" ? all : Number(to);
  return { population, first, size: Math.max(0, end - first) };
}
