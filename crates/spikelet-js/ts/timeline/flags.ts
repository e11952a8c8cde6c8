// The changes of a run on its time axis, as data: what was set, when, and how it is set again.

/** Maximum wall time in ms between two values of a parameter that are one change: a slider that is dragged. */
const DRAG_MS = 2000;

/** A value that was set, as it is set again. */
export interface FlagValue {
  /** The first step with this value. */
  readonly step: number;
  /** The quantity: `15 ms`. */
  readonly text: string;
  /** Its place among all values and files of the run. */
  readonly order: number;
}

/** A change of the run. */
export interface Flag {
  readonly id: number;
  /**
   * `set`: a parameter was set. `scheduled`: a timed change of the network. `written`: variables of single neurons or synapses were set, or
   * learned weights were loaded, which cannot be repeated from their text.
   */
  readonly kind: "set" | "scheduled" | "written";
  /** The path: `E.taum`. */
  readonly path: string;
  /** The first step with the change. */
  readonly step: number;
  /** What it changed to: `15 ms`; the last of {@link values}. */
  readonly value: string;
  /** All values, in their order; empty unless a parameter was set. */
  readonly values: readonly FlagValue[];
  readonly order: number;
}

/** The text of a flag: `E.taum = 15 ms`. */
export function wordsOf({ path, value }: Flag): string {
  return value === "" ? path : `${path} = ${value}`;
}

/** The flags of a run, in the order of time. */
export class Flags {
  #flags: Flag[] = [];
  #next = 0;
  #id = 0;
  #lastWallMs = -Infinity;

  /** All of them. Those at step 0 are the values of the start. */
  get all(): readonly Flag[] {
    return this.#flags;
  }

  /** The place of the next value. */
  get next(): number {
    return this.#next;
  }

  /** A parameter was set. Values of the same parameter without another change between them are one flag while a slider is dragged. */
  set(path: string, text: string, step: number, wallMs: number): void {
    const value = { step, text, order: this.#take() };
    const last = this.#flags.at(-1);
    const isSame = last?.kind === "set" && last.path === path && (wallMs - this.#lastWallMs < DRAG_MS || last.values.at(-1)?.step === step);
    this.#lastWallMs = wallMs;
    if (last && isSame) this.#flags[this.#flags.length - 1] = { ...last, value: text, values: [...last.values, value] };
    else this.#push("set", path, step, text, [value]);
  }

  /** The network changed a parameter. */
  scheduled(path: string, text: string, step: number): void {
    this.#take();
    this.#push("scheduled", path, step, text, []);
  }

  /** Something was written that cannot be repeated. */
  written(path: string, text: string, step: number): void {
    this.#take();
    this.#push("written", path, step, text, []);
  }

  clear(): void {
    this.#flags = [];
    this.#lastWallMs = -Infinity;
  }

  /** Replaces all by those of a run that continues. */
  restore(flags: readonly Flag[]): void {
    this.#flags = [...flags];
    this.#id = Math.max(this.#id, ...flags.map(({ id }) => id));
    this.#next = Math.max(this.#next, ...flags.flatMap(({ order, values }) => [order, ...values.map((value) => value.order)].map((place) => place + 1)));
    this.#lastWallMs = -Infinity;
  }

  /** Removes what is from a step on. */
  cut(step: number): void {
    this.#flags = this.#flags.flatMap((flag) => {
      if (flag.step >= step) return [];
      const values = flag.values.filter((value) => value.step < step);
      return [{ ...flag, values, value: values.at(-1)?.text ?? flag.value }];
    });
    this.#lastWallMs = -Infinity;
  }

  /** Removes the changes by the network from a step on: it makes them again. */
  cutScheduled(step: number): void {
    this.#flags = this.#flags.filter((flag) => flag.kind !== "scheduled" || flag.step < step);
  }

  /** Gives a flag another value, which is then its only one. */
  edit(id: number, text: string): void {
    this.#flags = this.#flags.map((flag) => (flag.id === id && flag.values[0] ? { ...flag, value: text, values: [{ ...flag.values[0], text }] } : flag));
  }

  remove(id: number): void {
    this.#flags = this.#flags.filter((flag) => flag.id !== id);
  }

  /** The values to set again after a snapshot, in their order: those from `order` on and before `step`. */
  after(order: number, step: number): (FlagValue & { readonly path: string })[] {
    const values = this.#flags.flatMap(({ path, values }) => values.map((value) => ({ path, ...value })));
    return values.filter((value) => value.order >= order && value.step < step).sort((one, other) => one.order - other.order);
  }

  /** The place of the first change at a step or later; infinite if there is none. */
  orderAt(step: number): number {
    const all = this.#flags.flatMap((flag): readonly { step: number; order: number }[] => (flag.values.length > 0 ? flag.values : [flag]));
    return Math.min(...all.filter((one) => one.step >= step).map(({ order }) => order));
  }

  /** What cannot be repeated after a snapshot: see {@link after}; a flag that is removed does not count. */
  unrepeatable(order: number, step: number, removed?: number): Flag | null {
    return this.#flags.findLast(({ id, kind, order: own, step: at }) => kind === "written" && id !== removed && own >= order && at < step) ?? null;
  }

  #take(): number {
    this.#next += 1;
    return this.#next - 1;
  }

  #push(kind: Flag["kind"], path: string, step: number, value: string, values: readonly FlagValue[]): void {
    this.#flags.push({ id: (this.#id += 1), kind, path, step, value, values, order: this.#next - 1 });
    // While the run is repeated, changes by the network come after those of the user that are still to be repeated.
    this.#flags.sort((one, other) => one.step - other.step || one.order - other.order);
  }
}
