/**
 * The least and the largest value of several lanes in intervals of equal length. The memory is fixed: either the last intervals are kept
 * (`recent`), or those of the whole run, whose length doubles whenever they are too many (`whole`).
 */
export class Extremes {
  readonly #lanes: number;
  readonly #most: number;
  readonly #keeps: "recent" | "whole";
  readonly #shortest: number;
  #rows: number;
  #values: Float32Array;
  #steps: number;
  #begin = 0;
  #end = 0;

  /** @param most Maximum number of intervals. @param steps Length of an interval at first, in steps. */
  constructor(lanes: number, most: number, steps: number, keeps: "recent" | "whole") {
    this.#lanes = lanes;
    this.#most = most + (most % 2);
    this.#keeps = keeps;
    this.#shortest = this.#steps = steps;
    this.#rows = keeps === "recent" ? this.#most : Math.min(this.#most, 1 << 12);
    this.#values = new Float32Array(this.#rows * lanes * 2);
  }

  /** The first step of the first interval. */
  get since(): number {
    return this.#begin * this.#steps;
  }

  /** Length of an interval in steps. */
  get steps(): number {
    return this.#steps;
  }

  /** The place of the values of the interval that contains a step: the least and the largest of the first lane, then those of the others. */
  at(step: number): number {
    while (this.#keeps === "whole" && Math.floor(step / this.#steps) >= this.#rows) this.#makeRoom();
    const row = Math.floor(step / this.#steps);
    if (row >= this.#end) this.#open(row);
    return (row % this.#rows) * this.#lanes * 2;
  }

  /** The stored values: see {@link at}. */
  get values(): Float32Array {
    return this.#values;
  }

  clear(): void {
    this.#begin = this.#end = 0;
    this.#steps = this.#shortest;
  }

  /** Removes all values from a step on. An interval that contains the step is emptied. */
  rewind(step: number): void {
    this.#end = Math.min(this.#end, Math.floor(step / this.#steps));
    this.#begin = Math.min(this.#begin, this.#end);
  }

  /** Calls `visit` with the centre in steps, and the extremes, of each interval of a lane that overlaps the steps from `from` to before `to`. */
  each(lane: number, from: number, to: number, visit: (step: number, least: number, most: number) => void): void {
    const last = Math.min(this.#end, Math.ceil(to / this.#steps));
    for (let row = Math.max(this.#begin, Math.floor(from / this.#steps)); row < last; row += 1) {
      const at = ((row % this.#rows) * this.#lanes + lane) * 2;
      const least = this.#values[at]!;
      const most = this.#values[at + 1]!;
      if (least <= most) visit(this.#steps === 1 ? row : (row + 0.5) * this.#steps, least, most);
    }
  }

  /** The least and the largest value of the intervals that {@link each} visits; Infinity and -Infinity without one. */
  range(lane: number, from: number, to: number): [least: number, most: number] {
    const last = Math.min(this.#end, Math.ceil(to / this.#steps));
    let [least, most] = [Infinity, -Infinity];
    for (let row = Math.max(this.#begin, Math.floor(from / this.#steps)); row < last; row += 1) {
      const at = ((row % this.#rows) * this.#lanes + lane) * 2;
      if (this.#values[at]! < least) least = this.#values[at]!;
      if (this.#values[at + 1]! > most) most = this.#values[at + 1]!;
    }
    return [least, most];
  }

  /** Begins an interval; skipped intervals are empty. */
  #open(row: number): void {
    if (this.#end === 0) this.#begin = this.#end = row;
    this.#end = Math.max(this.#end, row + 1 - this.#rows);
    for (; this.#end <= row; this.#end += 1) this.#empty(this.#end % this.#rows, (this.#end % this.#rows) + 1);
    this.#begin = Math.max(this.#begin, this.#end - this.#rows);
  }

  #empty(from: number, to: number): void {
    const values = this.#values;
    for (let at = from * this.#lanes * 2; at < to * this.#lanes * 2; at += 2) {
      values[at] = Infinity;
      values[at + 1] = -Infinity;
    }
  }

  #makeRoom(): void {
    if (this.#rows < this.#most) {
      this.#rows = Math.min(this.#rows * 2, this.#most);
      const larger = new Float32Array(this.#rows * this.#lanes * 2);
      larger.set(this.#values);
      this.#values = larger;
      return;
    }
    if (this.#end % 2 === 1) this.#empty(this.#end, this.#end + 1);
    if (this.#begin % 2 === 1) this.#empty(this.#begin - 1, this.#begin);
    const [values, width] = [this.#values, this.#lanes * 2];
    const [begin, end] = [Math.floor(this.#begin / 2), Math.ceil(this.#end / 2)];
    for (let row = begin; row < end; row += 1) {
      for (let at = 0; at < width; at += 2) {
        const [to, one, two] = [row * width + at, 2 * row * width + at, (2 * row + 1) * width + at];
        const least = Math.min(values[one]!, values[two]!);
        values[to + 1] = Math.max(values[one + 1]!, values[two + 1]!);
        values[to] = least;
      }
    }
    [this.#begin, this.#end, this.#steps] = [begin, end, this.#steps * 2];
  }
}
