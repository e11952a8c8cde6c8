/** The neurons of a target as the pixels of a picture. */
export interface SenseGrid {
  readonly columns: number;
  readonly rows: number;
  /** For each neuron its pixel, by rows from the top. */
  readonly pixels: Uint32Array;
}

/** A source of live values. */
export interface Sense {
  /** Its name in texts: `camera`. */
  readonly name: string;
  /** The current values from 0 to 1, one for each neuron. */
  readonly values: Float32Array;
  /**
   * Asks for the device, if there is one, and begins.
   *
   * @throws `SpikeletError` with the code `argument` if the device is missing or blocked, or if there are too few neurons; it says what to do.
   */
  start(grid: SenseGrid): Promise<void>;
  /** Releases the device. */
  stop(): void;
  /** Updates the values. @param timeMs Biological time, in ms. */
  sample(timeMs: number): void;
}
