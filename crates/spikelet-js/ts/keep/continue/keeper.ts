// When a run is saved: while it goes, when it pauses, and when the page is left.

import type { Spikelet } from "../../spikelet.js";
import type { History, RunRecord } from "../../timeline/history.js";
import type { Heading } from "./manifest.js";
import type { RunPlace } from "./place.js";
import type { RunStore } from "./store.js";

/** Wall time before a new run is saved, and the least between two writes, in ms. A tab that is closed cannot wait for one. */
const FIRST_MS = 1_000;
const EVERY_MS = 2_000;
/** Large states are written less often, so that disks last: bytes per ms of wall time, and the most time between two writes for this reason. */
const BYTES_PER_MS = 2 ** 20 / 1000;
const SPARING_MS = 60_000;
/** Rest relative to the time that the engine took for the state, so that it costs less than a fiftieth; and relative to a write. */
const REST = 50;
const WRITE_REST = 5;
/** Rest after a write that failed. */
const FAILED_MS = 60_000;
/** Maximum size of a state in bytes. */
const MAX_BYTES = 256 * 2 ** 20;

/** The page's part of a saved run. */
export interface DescribedRun extends Omit<Heading, "timeMs" | "savedMs"> {
  readonly content: string;
}

/** What the page says of it. */
export type Saved =
  | { readonly kind: "saved"; readonly timeMs: number; readonly bytes: number }
  /** Only the network and its values are saved. */
  | { readonly kind: "large"; readonly bytes: number; readonly mostBytes: number }
  /** The name of an error. */
  | { readonly kind: "failed"; readonly problem: string };

/** What the keeper asks and reports. */
export interface KeeperOptions {
  /** JSON of {@link DescribedRun} at a step, whose later changes are not contained; null if there is nothing to save. */
  describe(step: number): string | null;
  /** JSON of {@link Saved}. */
  saved(what: string): void;
  /** Maximum size of a state in bytes, for tests; default: 256 MiB. */
  mostBytes?: number;
}

/** Saves the run of a simulation, so that it can be continued after the tab has ended. */
export class Keeper {
  /** Where it is saved, even if the tab has turned to another run before the write ends. */
  readonly #place: RunPlace;
  readonly #simulation: Spikelet;
  readonly #history: History;
  readonly #options: KeeperOptions;
  readonly #mostBytes: number;
  readonly #end = new AbortController();
  #weights: Uint8Array<ArrayBuffer> = new Uint8Array();
  #isDirty = false;
  #isBusy = false;
  /** What was requested during a write: to save soon, or at once. */
  #isSoon = false;
  #isWanted = false;
  #isTooLarge = false;
  #bytes = 0;
  /** What was written last, with its step: the same once more would only replace the older generation. */
  #written = "";
  /** Wall times: until when the engine rests from snapshots, until when writes that fail do, and when the next write is due. */
  #restedMs = 0;
  #failedMs = 0;
  #dueMs: number | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(store: RunStore, simulation: Spikelet, history: History, options: KeeperOptions) {
    this.#place = store.place;
    this.#simulation = simulation;
    this.#history = history;
    this.#options = options;
    this.#mostBytes = options.mostBytes ?? MAX_BYTES;
    const { signal } = this.#end;
    simulation.on("spikes", () => this.touch(), { signal });
    simulation.on("state", ({ running, moved }) => {
      if (running || moved) this.touch();
      else this.save();
    }, { signal });
    document.addEventListener("visibilitychange", () => void (document.hidden && this.#leave()), { signal });
    window.addEventListener("pagehide", () => this.#leave(), { signal });
  }

  /** Learned weights with which the network starts; empty if there are none. */
  set weights(weights: Uint8Array<ArrayBuffer>) {
    this.#weights = weights;
  }

  /** Something has changed, which is saved when it is due. */
  touch(): void {
    if (this.#isDirty) return;
    this.#isDirty = true;
    this.#dueMs ??= performance.now() + FIRST_MS;
    this.#consider();
  }

  /** Saves what has changed without a rest, because the engine has nothing else to do. */
  save(): void {
    if (!this.#isDirty) return;
    this.#isSoon = true;
    this.#restedMs = 0;
    this.#dueMs = performance.now();
    this.#consider();
  }

  dispose(): void {
    this.#end.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** The page may end. */
  #leave(): void {
    if (!this.#isDirty) return;
    if (this.#isBusy) this.#isWanted = true;
    else void this.#take();
  }

  #consider(): void {
    if (this.#isBusy || !this.#isDirty || this.#end.signal.aborted) return;
    const waitMs = Math.max(this.#dueMs ?? 0, this.#restedMs, this.#failedMs) - performance.now();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (waitMs <= 0) void this.#take();
    else this.#timer = setTimeout(() => this.#consider(), waitMs);
  }

  async #take(): Promise<void> {
    this.#isBusy = true;
    this.#isDirty = this.#isSoon = this.#isWanted = false;
    const began = performance.now();
    let [recordMs, writeMs] = [0, 0];
    try {
      let text: string | null = null;
      const record = await this.#record((step) => void (text = this.#options.describe(step)));
      recordMs = performance.now() - began;
      if (!record) text = this.#options.describe(this.#step);
      const written = `${record?.step ?? 0} ${text}`;
      if (text !== null && written !== this.#written && !this.#end.signal.aborted) {
        const problem = await this.#write(JSON.parse(text) as DescribedRun, record);
        writeMs = performance.now() - began - recordMs;
        if (problem) this.#failedMs = performance.now() + FAILED_MS;
        else this.#written = written;
      }
    } catch {
      // The run has failed, ended, was set to another time or is being repeated: what is saved of it is the state before.
      this.#isDirty = true;
    }
    const now = performance.now();
    this.#restedMs = this.#isSoon ? 0 : now + Math.max(recordMs * REST, writeMs * WRITE_REST);
    this.#dueMs = this.#isSoon ? now : now + Math.max(EVERY_MS, Math.min(SPARING_MS, this.#bytes / BYTES_PER_MS));
    this.#isBusy = false;
    if (this.#isWanted) this.#leave();
    else this.#consider();
  }

  get #step(): number {
    return Math.round(this.#simulation.timeMs / this.#simulation.info.dtMs);
  }

  /** The state; null at the start, which follows from the network, and for states that are too large. */
  async #record(taken: (step: number) => void): Promise<RunRecord | null> {
    if (this.#isTooLarge || this.#step === 0) return null;
    const record = await this.#history.record(taken);
    if (record && record.snapshot.length + this.#weights.length <= this.#mostBytes) return record;
    this.#isTooLarge = true;
    const bytes = record ? record.snapshot.length : 0;
    this.#say({ kind: "large", bytes, mostBytes: this.#mostBytes });
    return null;
  }

  async #write({ title, source, content }: DescribedRun, record: RunRecord | null): Promise<string> {
    const { dtMs } = this.#simulation.info;
    const timeMs = record ? record.step * dtMs : this.#simulation.timeMs;
    const { snapshot, ...run } = record ?? { snapshot: null };
    const parts = snapshot ? [snapshot as Uint8Array<ArrayBuffer>, this.#weights.slice()] : [];
    const bytes = (this.#bytes = parts.reduce((sum, part) => sum + part.length, content.length));
    const heading = { title, source, timeMs, savedMs: Date.now() };
    const problem = await this.#place.write({ ...heading, content, run: record ? (run as Omit<RunRecord, "snapshot">) : null }, parts);
    if (problem) this.#say({ kind: "failed", problem });
    else if (!this.#isTooLarge) this.#say({ kind: "saved", timeMs, bytes });
    return problem;
  }

  #say(what: Saved): void {
    if (!this.#end.signal.aborted) this.#options.saved(JSON.stringify(what));
  }
}
