import { type ListenOptions, type Unsubscribe, Emitter } from "../emitter.js";
import { notAllowed } from "../errors.js";
import type { Network } from "../network.js";
import { checkKeys } from "../options.js";
import { type TrainOptions, type TrainingSource, checkTraining } from "./options.js";
import type { ParameterGroup } from "./raw.js";
import { type EpochReport, Training, type TrainingEvents } from "./training.js";

/** The result of a training. */
export interface TrainingResult {
  /** The network with the trained numbers, which `Spikelet.create` takes. */
  network: Network;
  /** Its epochs. */
  curve: readonly EpochReport[];
  /** The numbers that were trained, before training and now. */
  weights: ParameterGroup[];
  /** The state at the end, for the option `checkpoint` of another training. */
  checkpoint: Uint8Array;
  /** Why it ended: after its epochs, by {@link TrainingRun.stop}, or because the accuracy `until` was reached. */
  reason: "epochs" | "stop" | "until";
}

/**
 * A training that runs: an iterator of its epochs, with events and a result. Its Worker ends with it.
 *
 * Epochs are computed whether or not they are read; what an iterator has missed, it gets at once.
 */
export class TrainingRun implements AsyncIterable<EpochReport> {
  /** The trained network, after the last epoch. Rejects with the error that ended the training. */
  readonly result: Promise<TrainingResult>;
  readonly #events = new Emitter<TrainingEvents>();
  readonly #curve: EpochReport[] = [];
  #training: Training | null = null;
  #isStopped = false;
  #isReached = false;
  /** Resolves when an epoch has ended, or the training. */
  #turn = turn();
  #isOver = false;

  /** @internal */
  constructor(source: TrainingSource | Promise<TrainingSource>, options: TrainOptions) {
    checkTraining(options, "until", "checkpoint");
    const { until, checkpoint } = options;
    if (until !== undefined && !(until > 0 && until <= 1)) throw notAllowed("until", until, "an accuracy above 0, at most 1");
    if (checkpoint !== undefined && !(checkpoint instanceof Uint8Array)) throw notAllowed("checkpoint", checkpoint, "a Uint8Array");
    this.result = this.#run(source, options).finally(() => {
      this.#isOver = true;
      this.#turn.resolve();
    });
    // Who only iterates learns of an error there.
    this.result.catch(() => {});
  }

  /** Ends the training after the current batch. The result is the network so far. */
  stop(): void {
    this.#isStopped = true;
    this.#training?.stop();
  }

  /** Adds a listener for an event; see {@link TrainingEvents}. Returns a function that removes it. */
  on<Type extends keyof TrainingEvents>(type: Type, listener: (event: TrainingEvents[Type]) => void, options: ListenOptions = {}): Unsubscribe {
    if (type !== "batch" && type !== "epoch") throw notAllowed("type", type, '"batch" or "epoch"');
    if (typeof listener !== "function") throw notAllowed("listener", listener, "a function");
    checkKeys(options, "signal");
    return this.#events.on(type, listener, options);
  }

  /** The epochs, from the first. Leaving the loop early stops the training. */
  async *[Symbol.asyncIterator](): AsyncGenerator<EpochReport, void, undefined> {
    let isLeft = true;
    try {
      for (let place = 0; ; ) {
        const turn = this.#turn.promise;
        while (place < this.#curve.length) yield this.#curve[place++]!;
        if (this.#isOver) break;
        await turn;
      }
      isLeft = false;
      await this.result;
    } finally {
      if (isLeft) this.stop();
    }
  }

  async #run(source: TrainingSource | Promise<TrainingSource>, options: TrainOptions): Promise<TrainingResult> {
    const { until, checkpoint, ...rest } = options;
    const training = await Training.open(await source, rest);
    this.#training = training;
    try {
      if (checkpoint) await training.restore(checkpoint, { signal: rest.signal });
      training.on("batch", (report) => this.#events.emit("batch", report));
      training.on("epoch", (report) => {
        this.#curve.push(report);
        this.#events.emit("epoch", report);
        if (until !== undefined && (report.accuracyTest ?? 0) >= until) {
          this.#isReached = true;
          training.stop();
        }
        const { resolve } = this.#turn;
        this.#turn = turn();
        resolve();
      });
      if (!this.#isStopped) await training.run(undefined, { signal: rest.signal });
      const reason = this.#isReached ? "until" : this.#isStopped ? "stop" : "epochs";
      const [network, weights, state] = [await training.network(), await training.weights(), await training.checkpoint()];
      return { network, curve: this.#curve, weights, checkpoint: state, reason };
    } finally {
      training.dispose();
    }
  }
}

/** A promise, and what resolves it. */
function turn(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((resolved) => (resolve = resolved));
  return { promise, resolve };
}

/**
 * Trains a network; see docs/browser.md.
 *
 * ```js
 * const run = train("yin-yang", { epochs: 10 });
 * for await (const { epoch, loss, accuracyTest } of run) console.log(epoch, loss, accuracyTest);
 * const { network } = await run.result;
 * ```
 *
 * @param training Its JSON (docs/training.md) as an object or text, its URL, or the name of a preset.
 * @param options Aborting `signal` ends the training without a result.
 */
export function train(training: TrainingSource | Promise<TrainingSource>, options: TrainOptions = {}): TrainingRun {
  return new TrainingRun(training, options);
}
