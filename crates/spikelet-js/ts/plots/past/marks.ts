/** Minimum time between two marks of the same parameter, so that dragging a slider makes only one. */
const NEAR_MS = 50;
/** Maximum number of marks; the oldest is removed. */
const MOST = 4096;

/** A change during the run. */
export interface Mark {
  readonly timeMs: number;
  /** Text of the change: `E.taum = 15 ms`. */
  readonly text: string;
}

/** The changes of the run. */
export class MarkPast {
  #marks: Mark[] = [];

  push(mark: Mark): void {
    const last = this.#marks.at(-1);
    const isSame = last !== undefined && nameOf(last) === nameOf(mark) && mark.timeMs - last.timeMs < NEAR_MS;
    this.#marks = [...this.#marks.slice(0, isSame ? -1 : undefined), mark].slice(-MOST);
  }

  clear(): void {
    this.#marks = [];
  }

  /** Removes the marks from a time on. */
  rewind(timeMs: number): void {
    this.#marks = this.#marks.filter((mark) => mark.timeMs < timeMs);
  }

  get all(): readonly Mark[] {
    return this.#marks;
  }
}

function nameOf({ text }: Mark): string {
  return text.split(" =", 1)[0]!;
}
