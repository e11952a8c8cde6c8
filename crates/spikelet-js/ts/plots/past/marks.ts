/** Minimum time between two marks of the same parameter, so that dragging a slider makes only one. */
const NEAR_MS = 50;

/** A change during the run. */
export interface Mark {
  readonly timeMs: number;
  /** Text of the change: `E.taum = 15 ms`. */
  readonly text: string;
}

/** The changes in the stored time. */
export class MarkPast {
  readonly #keptMs: number;
  #marks: Mark[] = [];

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  push(mark: Mark): void {
    const last = this.#marks.at(-1);
    const isSame = last !== undefined && nameOf(last) === nameOf(mark) && mark.timeMs - last.timeMs < NEAR_MS;
    this.#marks = [...this.#marks.slice(0, isSame ? -1 : undefined), mark].filter(({ timeMs }) => timeMs > mark.timeMs - this.#keptMs);
  }

  clear(): void {
    this.#marks = [];
  }

  get all(): readonly Mark[] {
    return this.#marks;
  }
}

function nameOf({ text }: Mark): string {
  return text.split(" =", 1)[0]!;
}
