import { SpikeletError } from "../errors.js";
import type { Info } from "../raw.js";
import type { Spikelet } from "../spikelet.js";
import { gridOf } from "./grid.js";
import type { Sense, SenseGrid } from "./sense.js";

/** Minimum wall time between two updates, in ms: 30 a second. */
const EVERY_MS = 1000 / 30;

/** The linear map from a sense to the values of a variable: `offset + gain · value`. */
export interface SenseScale {
  /** Change of the variable from a value of 0 to 1, in its unit. */
  gain: number;
  /** The variable for a value of 0, in its unit. */
  offset: number;
}

/** A variable that a sense can change. */
export interface SenseTarget {
  /** `Input.I`. */
  readonly path: string;
  readonly population: string;
  readonly size: number;
  readonly unit: string;
}

/** The variables of neurons, those that look like an input first. */
export function targetsOf({ network }: Info): SenseTarget[] {
  const all = network.populations.flatMap(({ name, size, source, variables }) =>
    source ? [] : variables.map(({ path, symbol, unit }) => ({ path, population: name, size, unit, isInput: /^I($|_)|input|drive|stim|current/i.test(symbol) })),
  );
  return all.sort((a, b) => Number(b.isInput) - Number(a.isInput)).map(({ path, population, size, unit }) => ({ path, population, size, unit }));
}

/** A sense that changes a variable of a running simulation, at most 30 times a second, until it is stopped. */
export class Drive {
  readonly sense: Sense;
  readonly target: SenseTarget;
  readonly grid: SenseGrid;
  /** Can be changed at any time. */
  readonly scale: SenseScale;
  readonly #simulation: Spikelet;
  readonly #before: Float64Array;
  readonly #ended: (error: unknown) => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isFeeding = false;

  private constructor(simulation: Spikelet, sense: Sense, target: SenseTarget, grid: SenseGrid, scale: SenseScale, before: Float64Array, ended: (error: unknown) => void) {
    [this.#simulation, this.sense, this.target, this.grid, this.scale, this.#before, this.#ended] = [simulation, sense, target, grid, scale, before, ended];
  }

  /**
   * Starts a sense. The device is requested here: call it when the user has clicked.
   *
   * @param path The variable, one of {@link targetsOf}.
   * @param ended Called if the simulation does not accept the values; the sense has stopped then.
   * @throws `SpikeletError`: as {@link Sense.start}; or the simulation does not have the variable, or does not let it be changed as often.
   */
  static async start(simulation: Spikelet, path: string, sense: Sense, scale: SenseScale = { gain: 1, offset: 0 }, ended: (error: unknown) => void = () => {}): Promise<Drive> {
    const target = targetsOf(simulation.info).find((one) => one.path === path);
    if (!target) {
      const all = targetsOf(simulation.info).map((one) => one.path).join(", ");
      throw new SpikeletError("argument", `there is no variable ${path} of neurons; there are ${all || "none"}`, "path");
    }
    const grid = await gridOf(simulation, target.population);
    const { values } = await simulation.get(path);
    // An error of the target is found before the device is requested.
    await simulation.feed(path, values);
    await sense.start(grid);
    const drive = new Drive(simulation, sense, target, grid, scale, values, ended);
    drive.#timer = setInterval(() => void drive.#feed(), EVERY_MS);
    return drive;
  }

  /** Releases the device, and gives the variable the values that it had before. */
  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.sense.stop();
    // A simulation that is gone has no values.
    await this.#simulation.feed(this.target.path, this.#before).catch(() => {});
  }

  async #feed(): Promise<void> {
    // A slow simulation gets the latest values, not all of them.
    if (this.#isFeeding) return;
    this.#isFeeding = true;
    try {
      this.sense.sample(this.#simulation.timeMs);
      const { gain, offset } = this.scale;
      await this.#simulation.feed(this.target.path, Float64Array.from(this.sense.values, (value) => offset + gain * value));
    } catch (error) {
      if (this.#timer !== undefined) {
        await this.stop();
        this.#ended(error);
      }
    }
    this.#isFeeding = false;
  }
}
