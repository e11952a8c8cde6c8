import type { Recording } from "./network.js";
import type { Channel, Info } from "./raw.js";

/** Parses `E.v`, `E.v[3]`, `E.v[0:10]`, `mean(E.v)`, `sum(E.v[0:10,20])`; null if the text is invalid or names indices out of range. */
export function recordingOf(text: string, info: Info): (Recording & { indices: number[] | "all" }) | null {
  const [, reduce, reduced] = /^\s*(mean|sum)\((.*)\)\s*$/.exec(text) ?? [];
  if (reduced !== undefined) {
    const of = recordingOf(reduced, info);
    return of && { ...of, reduce: reduce as "mean" | "sum" };
  }
  const [, object, variable, slice] = /^\s*([^.\s]+)\.([^.[\s]+)\s*(?:\[([^\]]*)\])?\s*$/.exec(text) ?? [];
  if (object === undefined || variable === undefined) return null;
  const indices = slice === undefined ? "all" : indicesOfAll(slice, sizeOf(info, object));
  return indices === null ? null : { object, var: variable, indices };
}

function sizeOf(info: Info, name: string): number {
  const population = info.network.populations.find((one) => one.name === name)?.size;
  return population ?? info.network.projections.find((one) => one.name === name)?.synapses ?? 0;
}

/** The recording of a channel, in its unit and at its interval. */
export function recordingOfChannel({ label, unit, everyMs }: Channel, info: Info): Recording {
  return { ...recordingOf(label, info)!, every_ms: everyMs, unit: unit === "" ? null : unit };
}

/** Parses one or several of what {@link indicesOf} does, separated by commas. */
function indicesOfAll(text: string, count: number): number[] | "all" | null {
  const parts = text.split(",").map((part) => indicesOf(part, count));
  if (parts.length === 1) return parts[0]!;
  return parts.some((part) => part === null || part === "all") ? null : (parts as number[][]).flat();
}

/** Parses `3`, `0:10`, or `:`, as in Python; null if invalid or out of range. */
function indicesOf(slice: string, count: number): number[] | "all" | null {
  const parts = slice.split(":").map((part) => part.trim());
  if (parts.length > 2 || !parts.every((part) => /^\d*$/.test(part)) || slice.trim() === "") return null;
  const begin = parts[0] === "" ? 0 : Number(parts[0]);
  const end = parts.length === 1 ? begin + 1 : parts[1] === "" ? count : Number(parts[1]);
  if (begin >= end || end > count) return null;
  return Array.from({ length: end - begin }, (_, place) => begin + place);
}
