import { type Samples, eachRow } from "../../events.js";

/** Number of steps that are stored, a power of two: 1 MiB. */
const CAPACITY = 1 << 17;

/** The values of two recorded variables in the last steps. */
export class Trajectory {
  readonly #values: Float32Array;
  readonly #capacity: number;
  #begin = 0;
  #end = 0;

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity;
    this.#values = new Float32Array(2 * capacity);
  }

  /** The first step that is stored. */
  get begin(): number {
    return this.#begin;
  }

  /** One past the last step. */
  get end(): number {
    return this.#end;
  }

  /** Adds the values of two columns. */
  push(samples: Samples, xColumn: number, yColumn: number): void {
    const { firstStep, steps, every, values } = samples;
    // After a pause of the recording the earlier steps are not connected with these.
    if (firstStep !== this.#end) this.#begin = this.#end = firstStep;
    // Steps without a sample have NaN.
    for (let step = firstStep; every > 1 && step < firstStep + steps; step += 1) this.#values[2 * (step % this.#capacity)] = NaN;
    eachRow(samples, (step, row) => {
      const at = 2 * (step % this.#capacity);
      this.#values[at] = values[row + xColumn]!;
      this.#values[at + 1] = values[row + yColumn]!;
    });
    this.#end = firstStep + steps;
    this.#begin = Math.max(this.#begin, this.#end - this.#capacity);
  }

  clear(): void {
    this.#begin = this.#end = 0;
  }

  /** Calls `visit` for the stored steps from `from` to before `to`. */
  each(from: number, to: number, visit: (x: number, y: number, step: number) => void): void {
    const end = Math.min(this.#end, Math.ceil(to));
    for (let step = Math.max(this.#begin, Math.floor(from)); step < end; step += 1) {
      const at = 2 * (step % this.#capacity);
      const [x, y] = [this.#values[at]!, this.#values[at + 1]!];
      if (!Number.isNaN(x + y)) visit(x, y, step);
    }
  }

  /** The last values before a step. */
  before(step: number): { readonly x: number; readonly y: number } | null {
    for (let last = Math.min(this.#end, Math.ceil(step)) - 1; last >= this.#begin; last -= 1) {
      const at = 2 * (last % this.#capacity);
      const [x, y] = [this.#values[at]!, this.#values[at + 1]!];
      if (!Number.isNaN(x + y)) return { x, y };
    }
    return null;
  }
}
