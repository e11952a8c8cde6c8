import type { Recording } from "./network.js";
import type { Info } from "./raw.js";

/** Parses `E.v`, `E.v[3]`, `E.v[0:10]`; null if the text is invalid or names indices out of range. */
export function recordingOf(text: string, info: Info): Recording | null {
  const [, object, variable, slice] = /^\s*([^.\s]+)\.([^.[\s]+)\s*(?:\[([^\]]*)\])?\s*$/.exec(text) ?? [];
  if (object === undefined || variable === undefined) return null;
  const indices = slice === undefined ? "all" : indicesOf(slice, sizeOf(info, object));
  return indices === null ? null : { object, var: variable, indices };
}

function sizeOf(info: Info, name: string): number {
  const population = info.network.populations.find((one) => one.name === name)?.size;
  return population ?? info.network.projections.find((one) => one.name === name)?.synapses ?? 0;
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
