import { type Usable, letUsingDispose } from "../disposal.js";
import { Emitter, type ListenOptions, type Unsubscribe } from "../emitter.js";
import { SpikeletError, notAllowed } from "../errors.js";
import type { Spikes } from "../events.js";
import { checkKeys } from "../options.js";
import type { Spikelet } from "../spikelet.js";
import { customary, quantity } from "../plots/numbers.js";
import { type Flag, Flags, wordsOf } from "./flags.js";
import { type SnapshotLimits, Snapshots, type StoredSnapshot, stepOf } from "./snapshots.js";

/** The repetition of a part of the run. */
export interface Replay {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A run up to a step, to continue it later in another simulation of the same network: see {@link History.record}. */
export interface RunRecord {
  readonly step: number;
  /** The complete state (docs/snapshot.md). */
  readonly snapshot: Uint8Array;
  /** Spikes since the start of the run. */
  readonly spikes: number;
  /** All changes before this step. */
  readonly flags: readonly Flag[];
}

/** The events of a history. */
export interface HistoryEvents {
  /** Flags, snapshots or the repetition have changed. */
  change: null;
}

/** What a repetition changes. */
interface Change {
  /** The step before which nothing changes. */
  readonly step: number;
  /** The step at which it ends, and whether values that were set at this step are set again. */
  readonly end: number;
  readonly isEndSet: boolean;
  /** The first change that is not repeated as it was. */
  readonly order: number;
  /** Fails if the change is not possible, before anything is dropped. */
  check?(): Promise<void>;
  /** Changes the flags. */
  apply(): void;
  /** The flag that is removed. */
  readonly removed?: number;
}

/**
 * What happened in a run, so that it can continue in another way from any time: all changes of parameters, at their steps, and snapshots that are
 * taken as it runs. A fork has the same spikes as the run before it, bit by bit, on the same kind of device.
 *
 * It begins with its creation. A reset begins a new history; {@link restart} also restores the values.
 */
export class History {
  static {
    letUsingDispose(this);
  }

  readonly #simulation: Spikelet;
  readonly #events = new Emitter<HistoryEvents>();
  readonly #flags = new Flags();
  readonly #snapshots: Snapshots;
  readonly #end = new AbortController();
  /** The state at its creation. */
  readonly #initial: Promise<Uint8Array | null>;
  /** The values of all parameters at its creation, and at the start of the run, by path. */
  readonly #created: ReadonlyMap<string, string>;
  #started: ReadonlyMap<string, string>;
  #since = 0;
  #received = 0;
  #spikes = 0;
  #taking: Promise<void> | null = null;
  #isWanted = false;
  #replay: Replay | null = null;
  /** The first change that the repetition has not made yet. */
  #pending: number | null = null;
  #isSetting = false;
  #isReturning = false;
  #isBusy = false;
  /** The run that another simulation continues. */
  #resumed: RunRecord | null = null;
  /** Records whose spikes have not arrived. */
  #uncounted: { readonly step: number; counted(spikes: number | null): void }[] = [];

  /** @param limits Limits of the snapshots; default: 32 with 256 MiB, none above 64 MiB or 20 million synapses. */
  constructor(simulation: Spikelet, limits: SnapshotLimits = {}) {
    this.#simulation = simulation;
    this.#snapshots = new Snapshots(simulation.info, limits);
    this.#since = this.#received = this.#stepAt(simulation.timeMs);
    this.#created = this.#started = this.#values;
    this.#initial = this.#snapshots.isNamed ? simulation.snapshot() : Promise.resolve(null);
    this.#taking = this.#store(this.#initial);
    this.#initial.catch(() => {});
    this.#listen();
  }

  /** All changes, in the order of time. Those at step 0 are the values of the start. */
  get flags(): readonly Flag[] {
    return this.#flags.all;
  }

  /** Spikes since the start of the run. */
  get spikes(): number {
    return this.#spikes;
  }

  /** The part of the run that is being repeated. */
  get replay(): Replay | null {
    return this.#replay;
  }

  /** Number of snapshots, and their bytes. */
  get stored(): { readonly snapshots: number; readonly bytes: number; readonly isTooLarge: boolean } {
    const { all, bytes, isTooLarge } = this.#snapshots;
    return { snapshots: all.length, bytes, isTooLarge };
  }

  /** Adds a listener. Returns a function that removes it. */
  on<Type extends keyof HistoryEvents>(type: Type, listener: (event: HistoryEvents[Type]) => void, options: ListenOptions = {}): Unsubscribe {
    if (type !== "change") throw notAllowed("type", type, '"change"');
    if (typeof listener !== "function") throw notAllowed("listener", listener, "a function");
    checkKeys(options, "signal");
    return this.#events.on(type, listener, options);
  }

  /**
   * Goes back to a time of the run, paused. The spikes, rates and traces before it stay; what happened from this time on is dropped, changes at
   * this time too.
   *
   * @param timeMs Biological time in ms, rounded to a step.
   * @returns The time in ms; an earlier one if the repetition was paused.
   * @throws `SpikeletError`: the time is outside of the run, or the state at this time is not known.
   */
  async fork(timeMs: number): Promise<number> {
    if (typeof timeMs !== "number") throw notAllowed("timeMs", timeMs, "a number of ms");
    const step = this.#stepAt(timeMs);
    const last = this.#stepAt(this.#simulation.timeMs);
    if (!(step >= this.#since && step <= last)) {
      throw notAllowed("timeMs", timeMs, `a time of the run, from ${this.#time(this.#since)} to ${this.#time(last)}`);
    }
    // Values that were set before the run began belong to its start.
    const isStart = step === this.#since;
    const cut = isStart ? step + 1 : step;
    const order = this.#flags.orderAt(cut);
    return this.#change({ step, end: step, isEndSet: isStart, order, apply: () => this.#flags.cut(cut) });
  }

  /**
   * Gives a change another value and repeats the run from there to its current time, with all later changes.
   *
   * @param value A quantity, such as `15 ms`.
   * @returns As {@link fork}.
   */
  async edit(id: number, value: string): Promise<number> {
    const flag = this.#find(id);
    if (flag.kind !== "set") throw new SpikeletError("argument", `${wordsOf(flag)} has no value that can be edited; it can be removed`, flag.path);
    return this.#change({ ...this.#from(flag), check: () => this.#set(flag.path, value), apply: () => this.#flags.edit(id, value) });
  }

  /** Removes a change and repeats the run from there to its current time, with all later changes. */
  async remove(id: number): Promise<number> {
    const flag = this.#find(id);
    if (flag.kind === "scheduled") {
      throw new SpikeletError("argument", `${wordsOf(flag)} is a timed change of the network; remove it in the network`, flag.path);
    }
    return this.#change({ ...this.#from(flag), removed: id, apply: () => this.#flags.remove(id) });
  }

  /** Returns to t = 0 with the values of the network when the history was created, and removes all flags. */
  async restart(): Promise<void> {
    await this.#alone(async () => {
      const initial = await this.#initial;
      // After a failed run the reset rebuilds the network.
      await this.#simulation.reset();
      if (initial) await this.#simulation.restore(initial);
      else await this.#setAll(this.#created);
      this.#flags.clear();
    });
  }

  /**
   * The run up to now, to continue it later in another simulation of the same network: see {@link resume}.
   *
   * @param taken Called with the step of the state, before later changes are made.
   * @returns Null for a network that is too large for snapshots.
   * @throws `SpikeletError` `running`: a part of the run is being repeated, or its time was set meanwhile; or the run has failed.
   */
  async record(taken?: (step: number) => void): Promise<RunRecord | null> {
    if (!this.#snapshots.isNamed) return null;
    if (this.#isBusy) throw new SpikeletError("running", "a part of the run is being repeated");
    const snapshot = await this.#simulation.snapshot();
    const step = stepOf(snapshot);
    const { flags } = this;
    taken?.(step);
    const spikes = step === this.#received ? this.#spikes : await new Promise<number | null>((counted) => this.#uncounted.push({ step, counted }));
    if (spikes === null) throw new SpikeletError("running", "the time of the run was set while it was recorded");
    return { step, snapshot, spikes, flags };
  }

  /**
   * Continues a recorded run in this simulation, paused at its step. The later spikes are those of the run that was recorded, bit by bit on the same kind
   * of device, and it can be forked at any time: it is repeated from the start, where this history begins.
   *
   * @throws `SpikeletError`: the record is of another network, or of a version that cannot be read. Nothing has changed then.
   */
  async resume(record: RunRecord): Promise<void> {
    await this.#alone(async () => {
      await this.#taking;
      this.#resumed = record;
      try {
        await this.#simulation.restore(record.snapshot);
      } finally {
        this.#resumed = null;
      }
    });
  }

  dispose(): void {
    this.#end.abort();
    this.#moved();
    this.#snapshots.clear();
  }

  #from(flag: Flag): Omit<Change, "apply"> {
    return { step: flag.step, end: this.#stepAt(this.#simulation.timeMs), isEndSet: true, order: flag.values[0]?.order ?? flag.order };
  }

  #find(id: number): Flag {
    const flag = this.#flags.all.find((one) => one.id === id);
    if (!flag) throw new SpikeletError("argument", "this change is not in the run any more", "id");
    return flag;
  }

  /** Repeats the run from a snapshot before a change. */
  async #change(change: Change): Promise<number> {
    return this.#alone(async () => {
      const simulation = this.#simulation;
      await simulation.pause();
      await this.#taking;
      const snapshot = this.#snapshotFor(change);
      // A value that is set by this is undone by the snapshot.
      await change.check?.();
      const { speed } = simulation;
      const [from, end] = [snapshot.step, change.end];
      this.#snapshots.cut(change.step, change.order);
      change.apply();
      this.#flags.cutScheduled(from);
      const values = this.#flags.after(snapshot.order, change.isEndSet ? end + 1 : end);
      this.#replay = { fromMs: this.#ms(from), toMs: this.#ms(end) };
      this.#pending = values[0]?.order ?? null;
      simulation.speed = Infinity;
      try {
        [this.#received, this.#spikes] = [from, snapshot.spikes ?? this.#spikes];
        this.#events.emit("change", null);
        if (snapshot.content) await simulation.restore(snapshot.content, { rewind: true });
        else await this.#return();
        for (const [place, { path, text, step }] of values.entries()) {
          // It was paused, reset, or ended by a condition.
          if (!(await this.#runTo(step))) return simulation.timeMs;
          await this.#set(path, text);
          this.#pending = values[place + 1]?.order ?? null;
        }
        await this.#runTo(end);
        return simulation.timeMs;
      } finally {
        // If it was paused, or failed, what it did not reach is dropped.
        const reached = this.#stepAt(simulation.timeMs);
        if (this.#pending !== null || reached < end) this.#flags.cut(reached + 1);
        [this.#replay, this.#pending] = [null, null];
        simulation.speed = speed;
      }
    });
  }

  /** Returns to the start of a network without snapshots, with its values at the start. */
  async #return(): Promise<void> {
    this.#isReturning = true;
    try {
      await this.#simulation.reset();
    } finally {
      this.#isReturning = false;
    }
    await this.#setAll(this.#started);
  }

  /** Sets the parameters whose values differ. */
  async #setAll(values: ReadonlyMap<string, string>): Promise<void> {
    const now = this.#values;
    for (const [path, text] of values) if (now.get(path) !== text) await this.#set(path, text);
  }

  /** The current values of all parameters that have one value. */
  get #values(): Map<string, string> {
    const { populations, projections } = this.#simulation.info.network;
    const all = [...populations, ...projections].flatMap(({ parameters }) => parameters).filter(({ value }) => Number.isFinite(value));
    return new Map(all.map(({ path, value, unit }) => [path, `${value} ${unit}`.trim()]));
  }

  /** Sets a value without a new flag. */
  async #set(path: string, text: string): Promise<void> {
    this.#isSetting = true;
    try {
      await this.#simulation.set(path, text);
    } finally {
      this.#isSetting = false;
    }
  }

  /** Runs to a step; returns false if the run ended before. */
  async #runTo(step: number): Promise<boolean> {
    const now = this.#stepAt(this.#simulation.timeMs);
    return step <= now || (await this.#simulation.run(this.#ms(step - now))).because === "time";
  }

  #snapshotFor({ step, end, isEndSet, order, removed }: Change): StoredSnapshot {
    const snapshot = this.#snapshots.before(step, order);
    if (!snapshot) throw new SpikeletError("argument", `the state before ${this.#time(step)} is not stored; reset the run, or fork it at a later time`);
    const written = this.#flags.unrepeatable(snapshot.order, isEndSet ? end + 1 : end, removed);
    if (!written) return snapshot;
    const next = this.#snapshots.all.find((one) => one.order > written.order);
    const after = next ? `, or at ${this.#time(next.step)} or later` : "";
    throw new SpikeletError(
      "argument",
      `${wordsOf(written)} at ${this.#time(written.step)} cannot be repeated; fork the run at this time or before${after}`,
      written.path,
    );
  }

  /** Executes one operation at a time. */
  async #alone<Result>(act: () => Promise<Result>): Promise<Result> {
    if (this.#isBusy) throw new SpikeletError("running", "a part of the run is being repeated; pause it, or wait for its end");
    this.#isBusy = true;
    try {
      return await act();
    } finally {
      this.#isBusy = false;
      this.#events.emit("change", null);
    }
  }

  #listen(): void {
    const simulation = this.#simulation;
    const options = { signal: this.#end.signal };
    simulation.on("changed", ({ path, value, text, step, scheduled }) => {
      if (scheduled) {
        if (step === 0) return;
        this.#flags.scheduled(path, quantityOf(value, this.#unit(path)), step);
      } else if (this.#isSetting) {
        return;
      } else if (text !== null) {
        this.#flags.set(path, text, step, performance.now());
      } else {
        this.#write(path, "", step);
      }
      this.#events.emit("change", null);
    }, options);
    simulation.on("written", ({ what, step }) => {
      this.#write(what, "", step);
      this.#events.emit("change", null);
    }, options);
    simulation.on("spikes", (spikes) => void (spikes.trial === 0 && this.#count(spikes)), options);
    simulation.on("progress", () => this.#consider(), options);
    simulation.on("state", ({ moved, rewound, timeMs }) => {
      if (!moved) return;
      this.#moved();
      if (rewound || this.#isReturning) return;
      if (this.#resumed) return this.#continue(this.#resumed);
      this.#started = this.#values;
      this.#since = this.#received = this.#stepAt(timeMs);
      this.#spikes = 0;
      this.#pending = null;
      this.#flags.clear();
      this.#snapshots.clear();
      this.#isWanted = true;
      this.#consider();
      this.#events.emit("change", null);
    }, options);
  }

  /** The state of a record was restored: the run before it counts as that of this simulation. */
  #continue({ step, snapshot, spikes, flags }: RunRecord): void {
    [this.#received, this.#spikes] = [step, spikes];
    this.#flags.restore(flags);
    const now = performance.now();
    this.#snapshots.add({ step, content: snapshot, order: this.#flags.next, spikes }, now, now);
    this.#events.emit("change", null);
  }

  /** The time was set: spikes of the time before do not arrive any more. */
  #moved(): void {
    for (const { counted } of this.#uncounted.splice(0)) counted(null);
  }

  #write(what: string, value: string, step: number): void {
    this.#flags.written(what, value, step);
    this.#isWanted = true;
    this.#consider();
  }

  #count({ firstStep, steps, neurons, spikeSteps }: Spikes): void {
    const end = firstStep + steps;
    const isIn = (step: number) => step >= firstStep && step <= end;
    const before = (step: number) => {
      let spikes = 0;
      while (spikes < neurons.length && spikeSteps[spikes]! < step) spikes += 1;
      return this.#spikes + spikes;
    };
    for (const snapshot of this.#snapshots.all) if (snapshot.spikes === null && isIn(snapshot.step)) snapshot.spikes = before(snapshot.step);
    const counted = this.#uncounted.filter(({ step }) => isIn(step));
    this.#uncounted = this.#uncounted.filter(({ step }) => !isIn(step));
    for (const one of counted) one.counted(before(one.step));
    this.#spikes += neurons.length;
    this.#received = end;
  }

  /** Takes a snapshot if one is due. */
  #consider(): void {
    const isDue = this.#isWanted || this.#snapshots.isDue(this.#received, performance.now());
    if (!isDue || this.#taking || this.#end.signal.aborted) return;
    this.#isWanted = false;
    this.#taking = this.#store(this.#snapshots.isNamed ? this.#simulation.snapshot() : Promise.resolve(null));
  }

  async #store(taken: Promise<Uint8Array | null>): Promise<void> {
    const began = performance.now();
    try {
      const content = await taken;
      const step = content ? stepOf(content) : 0;
      // Without its content, only the start can be returned to.
      if (!content && (this.#received > 0 || this.#snapshots.all.length > 0)) return;
      // Changes that were received before the snapshot are contained in it.
      const order = this.#pending ?? this.#flags.next;
      this.#snapshots.add({ step, content, order, spikes: step === this.#received ? this.#spikes : null }, began, performance.now());
    } catch {
      // The run has failed or ended: the error is that of the run.
    } finally {
      this.#taking = null;
    }
    if (this.#isWanted) this.#consider();
    if (!this.#end.signal.aborted) this.#events.emit("change", null);
  }

  #unit(path: string): string {
    const { populations, projections } = this.#simulation.info.network;
    return [...populations, ...projections].flatMap(({ parameters }) => parameters).find((one) => one.path === path)?.unit ?? "";
  }

  #stepAt(timeMs: number): number {
    return Math.round(timeMs / this.#simulation.info.dtMs);
  }

  #ms(steps: number): number {
    return Number((steps * this.#simulation.info.dtMs).toPrecision(12));
  }

  #time(step: number): string {
    return quantity(this.#ms(step), "ms", 9);
  }
}

/** `using` disposes of it at the end of its block. */
export interface History extends Usable {}

function quantityOf(value: number, unit: string): string {
  return Number.isFinite(value) ? customary(value, unit) : "";
}
