// The snapshots of a run, from which it is continued in another way. Their number and memory are limited.

import { checkKeys } from "../options.js";
import type { Info } from "../raw.js";

/** Maximum number of snapshots, and of their bytes. */
const MAX_COUNT = 32;
const MAX_BYTES = 256 * 2 ** 20;
/** Maximum size of a snapshot in bytes; a network with a larger state is continued from its start. */
const MAX_BYTES_EACH = 64 * 2 ** 20;
/** Number of synapses above which there are no snapshots: each names all synapses of its network, which takes seconds to compute. */
const MAX_SYNAPSES = 20_000_000;
/** Distance of the first ones, in ms of biological time. */
const FIRST_MS = 250;
/** Minimum wall time between two in ms, and relative to the time that the last one took, so that they cost a twentieth at most. */
const WALL_MS = 100;
const REST = 20;

/** The complete state at a step. */
export interface StoredSnapshot {
  readonly step: number;
  /** Null at the start of a network that is too large: a reset returns there. */
  readonly content: Uint8Array | null;
  /** The place of the first change that it does not contain: see `FlagValue.order`. */
  readonly order: number;
  /** Number of spikes before its step; null until they have arrived: a GPU is ahead of its results. */
  spikes: number | null;
}

/** Limits that differ from the default, for tests. */
export interface SnapshotLimits {
  readonly most?: number;
  readonly mostBytes?: number;
  readonly mostBytesEach?: number;
  readonly mostSynapses?: number;
}

/** Snapshots in the order of time; the first one is at the start of the run. */
export class Snapshots {
  /** Whether the network is small enough for snapshots. */
  readonly isNamed: boolean;
  readonly #first: number;
  readonly #limits: Required<SnapshotLimits>;
  #all: StoredSnapshot[] = [];
  #spacing: number;
  #isTooLarge = false;
  #restedMs = -Infinity;

  constructor({ dtMs, synapses }: Pick<Info, "dtMs" | "synapses">, limits: SnapshotLimits = {}) {
    checkKeys(limits, "most", "mostBytes", "mostBytesEach", "mostSynapses");
    this.#limits = { most: MAX_COUNT, mostBytes: MAX_BYTES, mostBytesEach: MAX_BYTES_EACH, mostSynapses: MAX_SYNAPSES, ...limits };
    this.isNamed = synapses <= this.#limits.mostSynapses;
    this.#first = this.#spacing = Math.max(1, Math.round(FIRST_MS / dtMs));
  }

  get all(): readonly StoredSnapshot[] {
    return this.#all;
  }

  /** Their bytes. */
  get bytes(): number {
    return this.#all.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
  }

  /** Whether the state of the network is too large for more than the one at the start. */
  get isTooLarge(): boolean {
    return this.#isTooLarge || !this.isNamed;
  }

  /** Whether the next one is due at a step, at a wall time. */
  isDue(step: number, wallMs: number): boolean {
    const last = this.#all.at(-1);
    return last !== undefined && !this.isTooLarge && step - last.step >= this.#spacing && wallMs >= this.#restedMs;
  }

  /** Adds one, for which the engine worked from one wall time to another. */
  add(snapshot: StoredSnapshot, fromMs: number, toMs: number): void {
    const isFirst = this.#all.length === 0;
    // The first one waits until the engine has started, and looks at all synapses.
    this.#restedMs = toMs + Math.max(WALL_MS, isFirst ? 0 : (toMs - fromMs) * REST);
    if ((snapshot.content?.length ?? 0) > this.#limits.mostBytesEach && !isFirst) {
      this.#isTooLarge = true;
      return;
    }
    this.#all = [...this.#all.filter(({ step }) => step <= snapshot.step), snapshot];
    while (this.#all.length > 2 && (this.#all.length > this.#limits.most || this.bytes > this.#limits.mostBytes)) this.#thin();
  }

  /** The newest one before which all changes are known: at a step at most, and without changes from `order` on. */
  before(step: number, order = Infinity): StoredSnapshot | null {
    return this.#all.findLast((one) => one.step <= step && one.order <= order) ?? null;
  }

  /** Removes those after a step, or with changes from `order` on. */
  cut(step: number, order = Infinity): void {
    this.#all = this.#all.filter((one) => one.step <= step && one.order <= order);
  }

  clear(): void {
    this.#all = [];
    this.#spacing = this.#first;
    this.#isTooLarge = false;
    this.#restedMs = -Infinity;
  }

  /** Doubles the distance. */
  #thin(): void {
    this.#spacing *= 2;
    this.#all = this.#all.filter((_, place) => place % 2 === 0);
  }
}

/** The step of a snapshot: see docs/snapshot.md. */
export function stepOf(content: Uint8Array): number {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const text = new TextDecoder();
  for (let at = 32; at < content.length; ) {
    const length = view.getUint32(at, true);
    const name = text.decode(content.subarray(at + 4, at + 4 + length));
    const inside = at + 4 + length + 8;
    // A trial begins with its number and its step.
    if (name === "trial 0") return view.getUint32(inside + 4, true);
    at = inside + Number(view.getBigUint64(at + 4 + length, true)) + 8;
  }
  throw new RangeError("the snapshot has no trial 0");
}
