import { SpikeletError } from "../errors.js";
import type { Sense, SenseGrid } from "./sense.js";

/** The characters that have neurons, in their order. */
export const CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789 .,!?";
/** Minimum biological time of a character, in ms. */
const CHARACTER_MS = 50;

/** A text, character by character, again and again: each character has its own neurons, neighbouring ones in the order of {@link CHARACTERS}. */
export class TextSense implements Sense {
  readonly name = "text";
  values = new Float32Array(0);
  text: string;
  #startMs: number | null = null;

  constructor(text: string) {
    this.text = text;
  }

  start({ pixels }: SenseGrid): Promise<void> {
    const size = pixels.length;
    if (size < CHARACTERS.length) {
      const text = `a text needs a population of at least ${CHARACTERS.length} neurons, one for each character, and this one has ${size}; choose a larger one`;
      return Promise.reject(new SpikeletError("argument", text, "text"));
    }
    this.values = new Float32Array(size);
    this.#startMs = null;
    return Promise.resolve();
  }

  stop(): void {
    this.values.fill(0);
  }

  sample(timeMs: number): void {
    // After a reset the text begins again.
    if (this.#startMs === null || timeMs < this.#startMs) this.#startMs = timeMs;
    this.values.fill(0);
    const characters = [...this.text.toLowerCase()];
    const character = characters[Math.floor((timeMs - this.#startMs) / CHARACTER_MS) % Math.max(characters.length, 1)];
    const [first, end] = neuronsOf(character ?? "", this.values.length);
    this.values.fill(1, first, end);
  }
}

/** The neurons of a character: the first, and the one after the last; none for an unknown character. */
export function neuronsOf(character: string, size: number): [number, number] {
  const place = character === "" ? -1 : CHARACTERS.indexOf(character);
  if (place < 0) return [0, 0];
  return [Math.floor((place * size) / CHARACTERS.length), Math.floor(((place + 1) * size) / CHARACTERS.length)];
}
