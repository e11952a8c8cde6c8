import type { Sense, SenseGrid } from "./sense.js";

/** Width of the bump (standard deviation), in parts of the longer side. */
const WIDTH = 0.1;
/** Step of an arrow key, in parts of a side. */
const STEP = 0.05;
const KEYS: Readonly<Record<string, readonly [number, number]>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The position of the pointer on an element, as a bump of activity; also moved by its arrow keys. */
export class Mouse implements Sense {
  readonly name = "mouse";
  values = new Float32Array(0);
  /** Position in parts of the width and height, from the upper left; null outside. */
  at: readonly [number, number] | null = null;
  readonly #pad: HTMLElement;
  #grid: SenseGrid | null = null;
  #end = new AbortController();

  constructor(pad: HTMLElement) {
    this.#pad = pad;
  }

  start(grid: SenseGrid): Promise<void> {
    this.#grid = grid;
    this.values = new Float32Array(grid.pixels.length);
    this.#end = new AbortController();
    const options = { signal: this.#end.signal };
    this.#pad.addEventListener("pointermove", ({ clientX, clientY }) => {
      const { left, top, width, height } = this.#pad.getBoundingClientRect();
      this.at = [(clientX - left) / width, (clientY - top) / height];
    }, options);
    this.#pad.addEventListener("pointerleave", () => (this.at = null), options);
    this.#pad.addEventListener("keydown", (event) => {
      const way = KEYS[event.key];
      if (!way) return;
      event.preventDefault();
      const [x, y] = this.at ?? [0.5, 0.5];
      const within = (value: number) => Math.min(1, Math.max(0, value));
      this.at = [within(x + way[0] * STEP), within(y + way[1] * STEP)];
    }, options);
    return Promise.resolve();
  }

  stop(): void {
    this.#end.abort();
    this.at = null;
  }

  sample(): void {
    if (this.#grid) bump(this.#grid, this.at, this.values);
  }
}

/** A Gaussian bump of height 1 at a position of the grid; 0 without a position. */
export function bump({ columns, rows, pixels }: SenseGrid, at: readonly [number, number] | null, values: Float32Array): void {
  if (at === null) {
    values.fill(0);
    return;
  }
  const width = WIDTH * Math.max(columns, rows);
  pixels.forEach((pixel, neuron) => {
    const [x, y] = [(pixel % columns) + 0.5 - at[0] * columns, Math.floor(pixel / columns) + 0.5 - at[1] * rows];
    values[neuron] = Math.exp(-(x * x + y * y) / (2 * width * width));
  });
}
