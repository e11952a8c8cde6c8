// Rounds are computed faster than anyone can watch: they are shown one after the other, at a pace.

import type { Round } from "./brain.js";

/** Rounds that wait to be shown; of more, the oldest are skipped. */
const MAX_WAITING = 400;

/** Shows rounds. */
export class Playback {
  readonly #show: (round: Round) => void;
  readonly #skip: (round: Round) => void;
  #waiting: Round[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #ends: (() => void)[] = [];
  /** Wall time of a round, in ms. */
  paceMs = 150;

  /** @param skip Receives rounds that are not shown. */
  constructor(show: (round: Round) => void, skip: (round: Round) => void) {
    this.#show = show;
    this.#skip = skip;
  }

  add(round: Round): void {
    this.#waiting.push(round);
    while (this.#waiting.length > MAX_WAITING) this.#skip(this.#waiting.shift()!);
    this.#timer ??= setTimeout(() => this.#next(), 0);
  }

  /** Resolves when all rounds so far were shown. */
  async shown(): Promise<void> {
    if (this.#timer !== null) await new Promise<void>((resolve) => this.#ends.push(resolve));
  }

  /** Shows the last round at once. */
  finish(): void {
    for (const round of this.#waiting.splice(0, Math.max(0, this.#waiting.length - 1))) this.#skip(round);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#next();
  }

  #next(): void {
    const round = this.#waiting.shift();
    if (round) this.#show(round);
    this.#timer = this.#waiting.length > 0 || round ? setTimeout(() => this.#next(), this.#waiting.length > 0 ? this.paceMs : 0) : null;
    if (this.#timer === null) for (const end of this.#ends.splice(0)) end();
  }
}
