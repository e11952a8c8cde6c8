import { Emitter } from "./emitter.js";
import { SpikeletError } from "./errors.js";
import type { Events, Spikes } from "./events.js";
import { SpikeHash } from "./hash.js";
import { RateCounter } from "./rates.js";
import type { Batch, Event, Info, Notice, State } from "./raw.js";
import { EventStream, type StreamedEvent } from "./stream.js";

/** What the engine has reported of a simulation, and the listeners of it. */
export class Reception {
  readonly events = new Emitter<Events>();
  readonly notices: Notice[];
  readonly #rateBinMs: number;
  readonly #acknowledge: (batch: number) => void;
  /** Aborted, with the reason, when the simulation was disposed or its engine has stopped. */
  readonly #over = new AbortController();
  readonly #streams = new Set<EventStream<unknown>>();
  #info: Info;
  #state: State;
  #rates: RateCounter[] = [];
  #hashes: SpikeHash[] = [];
  /** Numbers of the last batch received, and of the last one acknowledged. */
  #batch = 0;
  #acknowledged = 0;
  /** Biological time at which the current run began and ends, in ms; null for a run without end. */
  #span: { fromMs: number; toMs: number } | null = null;

  constructor(info: Info, notices: Notice[], state: State, rateBinMs: number, acknowledge: (batch: number) => void) {
    this.#info = info;
    this.notices = notices;
    this.#state = state;
    this.#rateBinMs = rateBinMs;
    this.#acknowledge = acknowledge;
    this.#begin();
  }

  get info(): Info {
    return this.#info;
  }

  get state(): State {
    return this.#state;
  }

  /** The hash of the spikes of each trial; null if it is not known. */
  get hashes(): (string | null)[] {
    return this.#hashes.map(({ text }) => text);
  }

  /** A run of a duration begins; null for a run without end. */
  setSpan(ms: number | null): void {
    const { timeMs } = this.#state;
    this.#span = ms === null ? null : { fromMs: timeMs, toMs: timeMs + ms };
  }

  /** A run has ended, and its streams with it. */
  endRun(failure: { readonly reason: unknown } | null): void {
    for (const stream of [...this.#streams]) stream.end(failure);
  }

  /** The simulation has ended: no event follows. */
  end(reason: SpikeletError, failure: { readonly reason: unknown } | null): void {
    this.#state = { ...this.#state, running: false };
    this.endRun(failure);
    this.#over.abort(reason);
  }

  update(info: Info): void {
    this.#info = info;
    this.#countRates();
  }

  /** The next event of a type. */
  once<Type extends keyof Events>(type: Type, signal: AbortSignal | undefined): Promise<Events[Type]> {
    const ends = [this.#over.signal, ...(signal ? [signal] : [])];
    for (const end of ends) end.throwIfAborted();
    const settled = new AbortController();
    const until = { signal: settled.signal };
    return new Promise<Events[Type]>((resolve, reject) => {
      this.events.on(type, resolve, until);
      for (const end of ends) end.addEventListener("abort", () => reject(end.reason), until);
    }).finally(() => settled.abort());
  }

  /** A stream of an event. `left` is called if it ends before the run does. */
  stream<Type extends StreamedEvent>(type: Type, signal: AbortSignal | undefined, left: () => void): EventStream<Events[Type]> {
    const over = new AbortController();
    const listening = { signal: over.signal };
    const ended = (isLeft: boolean) => {
      over.abort();
      this.#streams.delete(stream);
      this.#acknowledgeTaken();
      if (isLeft) left();
    };
    const stream = new EventStream<Events[Type]>({ taken: () => this.#acknowledgeTaken(), ended });
    this.#streams.add(stream);
    this.events.on(type, (event) => stream.push(event, this.#batch), listening);
    signal?.addEventListener("abort", () => stream.leave({ reason: signal.reason }), listening);
    if (this.#over.signal.aborted) stream.end();
    return stream;
  }

  receive(event: Event): void {
    switch (event.type) {
      case "batch":
        return this.#take(event.body);
      case "measured":
        return this.events.emit("statistics", event.body);
      case "state":
        this.#state = event.body;
        if (event.body.moved) this.#begin();
        return this.events.emit("state", event.body);
      case "changed":
        this.#note(event.body.path, event.body.value);
        return this.events.emit("changed", event.body);
      case "written":
        return this.events.emit("written", event.body);
      case "info":
        this.update(event.body);
        return this.events.emit("info", event.body);
      case "notice":
        this.notices.push(event.body);
        return this.events.emit("notice", event.body);
      case "failed":
      case "stopped": {
        const reason = SpikeletError.of(event.body);
        this.#state = { ...this.#state, running: false };
        this.events.emit("error", reason);
        return event.type === "stopped" ? this.end(reason, { reason }) : undefined;
      }
      case "building":
        return this.events.emit("progress", { building: event.body, timeMs: this.#state.timeMs, done: event.body.done, realTimeFactor: null });
      case "ready":
    }
  }

  #take(batch: Batch): void {
    const { number, trial, firstStep, steps, timeMs, realTimeFactor, spikeNeurons, spikeSteps, samples } = batch;
    // Once for all trials, because each of them may have ended before.
    const isNew = number !== this.#batch;
    this.#batch = number;
    this.#state = { ...this.#state, timeMs };
    const { channels, sampleEvery, dtMs } = this.#info;
    const spikes: Spikes = { trial, firstStep, steps, dtMs, neurons: spikeNeurons, spikeSteps };
    this.#hashes[trial]?.take(spikes);
    this.events.emit("spikes", spikes);
    if (channels.length > 0) this.events.emit("samples", { trial, firstStep, steps, dtMs, columns: channels.length, every: sampleEvery, values: samples });
    if (this.events.hears("rates")) {
      const rates = this.#rates[trial]?.take(batch);
      if (rates) this.events.emit("rates", rates);
    }
    if (isNew) this.events.emit("progress", { building: null, timeMs, done: this.#done(timeMs), realTimeFactor });
    this.#acknowledgeTaken();
  }

  /** Acknowledges the batches that all streams have delivered. */
  #acknowledgeTaken(): void {
    const taken = Math.min(this.#batch, ...[...this.#streams].map(({ takenBatch }) => takenBatch));
    if (taken === this.#acknowledged) return;
    this.#acknowledged = taken;
    this.#acknowledge(taken);
  }

  /** The completed part of the run. */
  #done(timeMs: number): number | null {
    if (this.#span === null) return null;
    const { fromMs, toMs } = this.#span;
    return toMs > fromMs ? Math.min(1, Math.max(0, (timeMs - fromMs) / (toMs - fromMs))) : 1;
  }

  /** The simulation is at a time of which the spikes before are not of this run. */
  #begin(): void {
    const isAtStart = this.#state.timeMs === 0;
    this.#hashes = Array.from({ length: this.#info.trials }, () => new SpikeHash(this.#info.network.populations, isAtStart));
    this.#countRates();
  }

  #countRates(): void {
    const steps = Math.round(this.#rateBinMs / this.#info.dtMs);
    this.#rates = Array.from({ length: this.#info.trials }, (_, trial) => new RateCounter(this.#info, trial, steps));
  }

  /** Stores the new value of a parameter. */
  #note(path: string, value: number): void {
    const { populations, projections } = this.#info.network;
    const noted = <Object extends { parameters: Info["network"]["populations"][number]["parameters"] }>(all: Object[]): Object[] =>
      all.map((object) => ({
        ...object,
        parameters: object.parameters.map((parameter) => (parameter.path === path ? { ...parameter, value } : parameter)),
      }));
    const network = { ...this.#info.network, populations: noted(populations), projections: noted(projections) };
    this.#info = { ...this.#info, network };
  }
}
