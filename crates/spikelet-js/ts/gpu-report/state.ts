// The arrays of a snapshot (docs/snapshot.md), and where two snapshots differ.

import { type FirstDifference, bits } from "./lines.js";

/** Bytes before the sections. */
const HEAD = 32;
const FIRST_TRIAL = "trial 0: ";

/** The arrays of the first trial, in words, by their names. */
export function arraysOf(snapshot: Uint8Array): Map<string, Uint32Array> {
  const view = new DataView(snapshot.buffer, snapshot.byteOffset, snapshot.byteLength);
  const arrays = new Map<string, Uint32Array>();
  let at = HEAD;
  for (let left = view.getUint32(20, true); left > 0; left -= 1) {
    const nameBytes = view.getUint32(at, true);
    const name = new TextDecoder().decode(snapshot.subarray(at + 4, at + 4 + nameBytes));
    const content = at + 4 + nameBytes + 8;
    const bytes = Number(view.getBigUint64(content - 8, true));
    if (name.startsWith(FIRST_TRIAL)) {
      const array = new Uint32Array(bytes >> 2);
      for (let place = 0; place < array.length; place += 1) array[place] = view.getUint32(content + 4 * place, true);
      arrays.set(name.slice(FIRST_TRIAL.length), array);
    }
    // Its checksum follows.
    at = content + bytes + 8;
  }
  return arrays;
}

/** What to name of an array: `E` and `v` of `E.v`, `E` and `ring 0` of `trial 0: E, ring 0`. */
function partsOf(name: string): readonly [string, string] {
  const plain = name.startsWith(FIRST_TRIAL) ? name.slice(FIRST_TRIAL.length) : name;
  const place = plain.search(/[.,]/);
  return place < 0 ? [plain, ""] : [plain.slice(0, place), plain.slice(place + 1).trim()];
}

/**
 * The first value that differs: of the variables, then of what is beside them (last spikes, input that is on its way).
 *
 * @param step The step that computed the values.
 * @param sizes The number of neurons by population: an array beside the variables has several words of a neuron.
 */
export function differenceOf(step: number, cpu: Uint8Array, gpu: Uint8Array, sizes: ReadonlyMap<string, number>): FirstDifference | null {
  const [ofCpu, ofGpu] = [arraysOf(cpu), arraysOf(gpu)];
  // The bits of remembered spikes have no place of their own: their number of steps may differ.
  const names = [...ofCpu.keys()].filter((name) => ofGpu.has(name) && !name.endsWith("remembered spikes"));
  names.sort((one, other) => Number(one.includes(", ")) - Number(other.includes(", ")));
  for (const name of names) {
    const [one, other] = [ofCpu.get(name)!, ofGpu.get(name)!];
    const place = one.findIndex((value, index) => value !== other[index]);
    if (place < 0) continue;
    const [owner, variable] = partsOf(name);
    const size = sizes.get(owner);
    const of = size === undefined ? { projection: owner, neuron: place } : { population: owner, neuron: place % size };
    return { step, ...of, variable, cpu: bits(one[place]!), gpu: bits(other[place]!) };
  }
  return null;
}
