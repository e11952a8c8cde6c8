// Runs that Python asks for.

export class Runs {
  #element;
  #send;
  #restoreDuration;
  #restoreSpeed;
  #run = null;

  constructor(element, send, restoreDuration, restoreSpeed) {
    this.#element = element;
    this.#send = send;
    this.#restoreDuration = restoreDuration;
    this.#restoreSpeed = restoreSpeed;
  }

  /** Runs as the play button does, up to a time, also while the output is out of view. */
  async run({ id, ms, speed }) {
    if (this.#run?.id === id) return;
    if (this.#run) return this.#send({ say: "refused", id, message: "the network already runs for Python; await that run first" });
    const element = this.#element;
    const { simulation } = element;
    if (simulation === null) {
      const isFailed = element.state === "failed";
      // Without a simulation there is no answer now: Python asks again when the network is built.
      if (isFailed) this.#send({ say: "refused", id, message: "the network could not be built; its output shows the reason" });
      else element.toggleAttribute("offscreen", true);
      return;
    }
    this.#run = { id, since: Infinity };
    element.toggleAttribute("offscreen", true);
    element.pause();
    if (simulation.isRunning) await simulation.pause();
    const { dtMs, durationMs } = simulation.info;
    const length = ms ?? durationMs - simulation.timeMs;
    const steps = Math.round(length / dtMs);
    if (steps < 1 || Math.abs(steps * dtMs - length) > 1e-6 * dtMs * steps) {
      const message = ms === null ? `the run is complete: ${durationMs} ms have been simulated; give a duration, or reset` : `the duration is ${ms} ms; expected a multiple of the time step, ${dtMs} ms`;
      return this.#over({ say: "refused", message });
    }
    element.setAttribute("speed", speed === null ? "max" : String(speed));
    element.setAttribute("duration", String(simulation.timeMs + steps * dtMs));
    // Earlier states are not of this run.
    this.#run.since = performance.now();
    element.play();
  }

  /** Whether the run ends with a state that the element had at a time of the page. The play button then has its own speed and end again. */
  ends(state, at) {
    if (!(at >= this.#run?.since) || !["paused", "ended"].includes(state)) return false;
    this.#run.because = state === "ended" ? "time" : "paused";
    this.#restore();
    return true;
  }

  /** Reports the end to Python, which has the spikes until then. Traits may arrive later: Jupyter holds them back while the kernel is busy. */
  report(traits) {
    this.#over({ say: "ran", ...traits, because: this.#run.because });
  }

  fail(message) {
    if (this.#run) this.#over({ say: "refused", message });
  }

  end() {
    if (this.#run) this.#send({ say: "refused", id: this.#run.id, message: "the output of the widget was removed during the run" });
    this.#run = null;
  }

  #over(message) {
    const { id } = this.#run;
    this.#run = null;
    this.#restore();
    this.#send({ ...message, id });
  }

  #restore() {
    this.#element.removeAttribute("offscreen");
    this.#restoreDuration();
    this.#restoreSpeed();
  }
}
