import type { Spikelet } from "../spikelet.js";

/** Settings of the speed and duration of a run. */
export interface Pace {
  /** Maximum biological time per wall time: 1 is real time. */
  readonly speed: number;
  /** Biological time at which the run ends, in ms; can be infinite. */
  readonly durationMs: number;
}

/** The state of a player. */
export type PlayerState = "paused" | "running" | "ended";

/** The owner of a player. */
interface Audience {
  /** Whether the element is visible; otherwise the simulation pauses. */
  isSeen(): boolean;
  /** Called when the state changes, or when the time is set to 0. */
  changed(): void;
  failed(error: unknown): void;
}

/** A reference point of the clock. */
interface Start {
  readonly wallMs: number;
  readonly timeMs: number;
}

/** Maximum delay that is caught up, in ms of wall time, if the machine is slower than `speed`. */
const MAX_BEHIND_MS = 100;
/** Minimum duration of a run with limited speed, in ms of wall time. */
const MIN_RUN_MS = 8;

/** Runs a simulation with limited speed, up to a given time, while it is visible. */
export class Player {
  readonly #simulation: Spikelet;
  readonly #audience: Audience;
  #pace: Pace;
  #isWanted = false;
  /** Whether a stop condition of the network has ended the run. */
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

  /** Whether to run as soon as the element is visible. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Runs; restarts an ended run. */
  play(): void {
    this.#isWanted = true;
    if (this.#isEnded) this.#restart();
    else this.update();
  }

  pause(): void {
    this.#isWanted = false;
    this.update();
  }

  /** Returns to the start and pauses. */
  reset(): void {
    this.pause();
    this.#restart();
  }

  /** Starts or pauses the simulation, depending on request and visibility. */
  update(): void {
    if (this.#runs && !this.#isLooping) void this.#loop();
    else if (!this.#runs && this.#isLooping) this.#simulation.pause().catch(this.#audience.failed);
    this.#audience.changed();
  }

  setPace(pace: Pace): void {
    this.#pace = pace;
    this.#clock = null;
    // A current run still has the old end.
    if (this.#isLooping) this.#simulation.pause().catch(this.#audience.failed);
    this.#audience.changed();
  }

  get #isEnded(): boolean {
    return this.#isStopped || this.#left <= 0;
  }

  get #runs(): boolean {
    return this.#isWanted && this.#audience.isSeen() && !this.#isEnded;
  }

  /** Remaining time, in ms, rounded to whole steps. */
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

  /** Duration of the next run, in ms of biological time, for the requested speed. */
  async #due(): Promise<number> {
    for (;;) {
      const { speed } = this.#pace;
      if (speed === Infinity) return Infinity;
      const wallMs = performance.now();
      const { timeMs, info } = this.#simulation;
      const { wallMs: since, timeMs: from } = (this.#clock ??= { wallMs, timeMs });
      const most = Math.max(MAX_BEHIND_MS * speed, info.dtMs);
      const due = from + (wallMs - since) * speed - timeMs;
      if (due > most) this.#clock = { wallMs, timeMs: timeMs + most };
      const ms = this.#whole(Math.min(due, most));
      if (ms >= Math.max(MIN_RUN_MS * speed, info.dtMs / 2) || !this.#runs) return ms;
      await new Promise(requestAnimationFrame);
    }
  }

  #whole(ms: number): number {
    const { dtMs } = this.#simulation.info;
    return Math.floor(ms / dtMs + 1e-6) * dtMs;
  }
}
