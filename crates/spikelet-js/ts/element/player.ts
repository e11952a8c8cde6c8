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

/** Runs a simulation up to a given time, while it is visible. The engine limits the speed. */
export class Player {
  readonly #simulation: Spikelet;
  readonly #audience: Audience;
  #durationMs: number;
  #isWanted = false;
  /** Whether a stop condition of the network has ended the run. */
  #isStopped = false;
  #isLooping = false;

  constructor(simulation: Spikelet, { speed, durationMs }: Pace, audience: Audience) {
    this.#simulation = simulation;
    this.#audience = audience;
    this.#durationMs = durationMs;
    simulation.speed = speed;
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

  setPace({ speed, durationMs }: Pace): void {
    this.#simulation.speed = speed;
    if (durationMs === this.#durationMs) return;
    this.#durationMs = durationMs;
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
    return Math.floor((this.#durationMs - timeMs) / info.dtMs + 0.5) * info.dtMs;
  }

  #restart(): void {
    const restarted = () => {
      this.#isStopped = false;
      this.update();
    };
    this.#simulation.reset().then(restarted, this.#audience.failed);
  }

  async #loop(): Promise<void> {
    this.#isLooping = true;
    try {
      while (this.#runs) {
        const ms = this.#left;
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
}
