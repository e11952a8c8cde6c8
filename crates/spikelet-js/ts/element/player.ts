import type { Spikelet } from "../spikelet.js";

/** How a simulation is to run. */
export interface Pace {
  /** Biological time per wall time at most: 1 is real time. */
  readonly speed: number;
  /** Up to which biological time, in ms; without end where it is infinite. */
  readonly durationMs: number;
}

/** What it does. */
export type PlayerState = "paused" | "running" | "ended";

/** Who is told. */
interface Told {
  /** The state is another one, or time was set to 0. */
  changed(): void;
  failed(error: unknown): void;
}

/** Where a clock was started. */
interface Start {
  readonly wallMs: number;
  readonly timeMs: number;
}

/** A machine that is too slow for the pace is at most so far behind, in ms of wall time: more is given up. */
const MOST_BEHIND_MS = 100;
/** Runs are at least so long, in ms of wall time, where there is a pace. */
const LEAST_RUN_MS = 8;

/** Plays a simulation at a pace, up to a time, while somebody looks. */
export class Player {
  readonly #simulation: Spikelet;
  readonly #told: Told;
  #pace: Pace;
  #isWanted = false;
  #isSeen: boolean;
  #isEnded = false;
  #isLooping = false;
  #clock: Start | null = null;

  constructor(simulation: Spikelet, pace: Pace, isSeen: boolean, told: Told) {
    this.#simulation = simulation;
    this.#pace = pace;
    this.#isSeen = isSeen;
    this.#told = told;
  }

  get state(): PlayerState {
    if (this.#isEnded) return "ended";
    return this.#runs ? "running" : "paused";
  }

  /** Whether it is to run as soon as it is seen. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Runs; from the start where it has ended. */
  play(): void {
    if (this.#isEnded) void this.#restart().then(() => this.#want(true), this.#told.failed);
    else this.#want(true);
  }

  pause(): void {
    this.#want(false);
  }

  /** Back to the start, paused. */
  reset(): void {
    this.#want(false);
    void this.#restart().catch(this.#told.failed);
  }

  /** Whether it is in view: it rests while it is not. */
  seen(isSeen: boolean): void {
    this.#isSeen = isSeen;
    this.#update();
  }

  setPace(pace: Pace): void {
    this.#pace = pace;
    this.#clock = null;
    this.#isEnded &&= this.#left <= 0;
    // A run that is under way has the old end.
    if (this.#isLooping) this.#simulation.pause().catch(this.#told.failed);
    this.#told.changed();
  }

  get #runs(): boolean {
    return this.#isWanted && this.#isSeen && !this.#isEnded;
  }

  /** Time to the end, in ms, in whole steps. */
  get #left(): number {
    const { timeMs, info } = this.#simulation;
    return this.#whole(this.#pace.durationMs - timeMs + info.dtMs / 2);
  }

  #want(isWanted: boolean): void {
    this.#isWanted = isWanted;
    this.#update();
  }

  async #restart(): Promise<void> {
    await this.#simulation.reset();
    this.#isEnded = false;
    this.#clock = null;
    this.#told.changed();
  }

  #update(): void {
    if (this.#runs && !this.#isLooping) void this.#loop();
    else if (!this.#runs && this.#isLooping) this.#simulation.pause().catch(this.#told.failed);
    this.#told.changed();
  }

  async #loop(): Promise<void> {
    this.#isLooping = true;
    this.#clock = null;
    try {
      while (this.#runs) {
        const ms = Math.min(await this.#due(), this.#left);
        if (!this.#runs) break;
        const { because } = await this.#simulation.run(ms === Infinity ? undefined : ms);
        this.#isEnded = this.#left <= 0 || because === "condition" || because === "stopped";
      }
    } catch (error) {
      this.#isWanted = false;
      this.#told.failed(error);
    } finally {
      this.#isLooping = false;
      if (this.#isEnded) this.#isWanted = false;
      this.#told.changed();
    }
  }

  /** How long to run now, in ms of biological time, to keep pace. */
  async #due(): Promise<number> {
    for (;;) {
      const { speed } = this.#pace;
      if (speed === Infinity) return Infinity;
      const wallMs = performance.now();
      const { timeMs, info } = this.#simulation;
      const { wallMs: since, timeMs: from } = (this.#clock ??= { wallMs, timeMs });
      const most = Math.max(MOST_BEHIND_MS * speed, info.dtMs);
      const due = from + (wallMs - since) * speed - timeMs;
      if (due > most) this.#clock = { wallMs, timeMs: timeMs + most };
      const ms = this.#whole(Math.min(due, most));
      if (ms >= Math.max(LEAST_RUN_MS * speed, info.dtMs / 2) || !this.#runs) return ms;
      await new Promise(requestAnimationFrame);
    }
  }

  #whole(ms: number): number {
    const { dtMs } = this.#simulation.info;
    return Math.floor(ms / dtMs + 1e-6) * dtMs;
  }
}
