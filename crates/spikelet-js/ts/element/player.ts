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

/** Whom it plays for. */
interface Audience {
  /** Whether somebody looks: it rests while nobody does. */
  isSeen(): boolean;
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
  readonly #audience: Audience;
  #pace: Pace;
  #isWanted = false;
  /** Whether a condition of the network has ended it. */
  #isStopped = false;
  #isLooping = false;
  #clock: Start | null = null;

  constructor(simulation: Spikelet, pace: Pace, audience: Audience) {
    this.#simulation = simulation;
    this.#pace = pace;
    this.#audience = audience;
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
    this.#isWanted = true;
    if (this.#isEnded) this.#restart();
    else this.update();
  }

  pause(): void {
    this.#isWanted = false;
    this.update();
  }

  /** Back to the start, paused. */
  reset(): void {
    this.pause();
    this.#restart();
  }

  /** Starts or rests, as is wanted and seen now. */
  update(): void {
    if (this.#runs && !this.#isLooping) void this.#loop();
    else if (!this.#runs && this.#isLooping) this.#simulation.pause().catch(this.#audience.failed);
    this.#audience.changed();
  }

  setPace(pace: Pace): void {
    this.#pace = pace;
    this.#clock = null;
    // A run that is under way has the old end.
    if (this.#isLooping) this.#simulation.pause().catch(this.#audience.failed);
    this.#audience.changed();
  }

  get #isEnded(): boolean {
    return this.#isStopped || this.#left <= 0;
  }

  get #runs(): boolean {
    return this.#isWanted && this.#audience.isSeen() && !this.#isEnded;
  }

  /** Time to the end, in ms, in whole steps. */
  get #left(): number {
    const { timeMs, info } = this.#simulation;
    return this.#whole(this.#pace.durationMs - timeMs + info.dtMs / 2);
  }

  #restart(): void {
    const restarted = () => {
      this.#isStopped = false;
      this.#clock = null;
      this.update();
    };
    this.#simulation.reset().then(restarted, this.#audience.failed);
  }

  async #loop(): Promise<void> {
    this.#isLooping = true;
    this.#clock = null;
    try {
      while (this.#runs) {
        const ms = Math.min(await this.#due(), this.#left);
        if (!this.#runs) break;
        const { because } = await this.#simulation.run(ms === Infinity ? undefined : ms);
        this.#isStopped = because === "stopped";
      }
    } catch (error) {
      this.#isWanted = false;
      this.#audience.failed(error);
    } finally {
      this.#isLooping = false;
      if (this.#isEnded) this.#isWanted = false;
      this.#audience.changed();
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
