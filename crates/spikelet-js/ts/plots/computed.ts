import type { Frame } from "./frame.js";
import type { Trains } from "./measure/trains.js";
import { type Computation, complete, later } from "./measure/computation.js";
import type { Plot, Scene } from "./plot.js";
import type { Span } from "./surface.js";
import { ordinal } from "./words.js";

/** Minimum time between two computations of a plot, in ms. */
const EVERY_MS = 250;

type Rows = Iterable<readonly (string | number)[]>;

/**
 * A plot of a result whose computation takes longer than a frame. While data arrive it shows the last result, and renews it a few times per
 * second. The text alternative is that of the result shown, the table is that of exactly the current time span.
 */
export abstract class ComputedPlot<Result> implements Plot {
  protected readonly frame: Frame;
  #shown: { readonly result: Result; readonly span: Span } | null = null;
  #wanted: Scene | null = null;
  #isBusy = false;

  constructor(frame: Frame) {
    this.frame = frame;
  }

  /** Computes the result; it can pause at each `yield`. */
  protected abstract compute(scene: Scene): Computation<Result>;
  /** Draws a result. */
  protected abstract paint(result: Result, span: Span): void;
  /** The result as text. */
  protected abstract tell(result: Result, span: Span): string;
  /** The result at a position of the canvas as text. */
  protected abstract read(x: number, y: number, result: Result): string;
  /** The result as a table. */
  protected abstract rows(result: Result): Rows;

  draw(scene: Scene): void {
    this.#wanted = scene;
    // After a reset the result is that of a run that is gone.
    if (this.#shown && scene.span.nowMs < this.#shown.span.nowMs) this.#shown = null;
    if (!this.#isCurrent(scene)) this.#renew();
    const { result, span } = this.#shown ?? { result: complete(this.compute(empty(scene))), span: scene.span };
    this.paint(result, span);
  }

  describe(scene: Scene): string {
    const { result, span } = this.#shown ?? { result: complete(this.compute(empty(scene))), span: empty(scene).span };
    return this.tell(result, span);
  }

  under(x: number, y: number): string {
    return this.#shown ? this.read(x, y, this.#shown.result) : "";
  }

  export(scene: Scene): Rows {
    return this.rows(this.#shown && this.#isCurrent(scene) ? this.#shown.result : complete(this.compute(scene)));
  }

  #isCurrent({ span: { fromMs, toMs, nowMs } }: Scene): boolean {
    const shown = this.#shown?.span;
    return shown?.fromMs === fromMs && shown.toMs === toMs && shown.nowMs === nowMs;
  }

  #renew(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    let span: Span | null = null;
    const start = () => {
      const scene = this.#wanted!;
      span = scene.span;
      return this.compute(scene);
    };
    const finish = (result: Result) => {
      // A reset during the computation.
      if (this.#wanted!.span.nowMs >= span!.nowMs) {
        this.#shown = { result, span: span! };
        if (this.frame.isShown) this.paint(result, span!);
      }
      setTimeout(() => {
        this.#isBusy = false;
        if (!this.#isCurrent(this.#wanted!)) this.#renew();
      }, EVERY_MS);
    };
    void later(start).then(finish);
  }
}

/** A scene without time, before the first result. */
function empty(scene: Scene): Scene {
  const { fromMs } = scene.span;
  return { ...scene, span: { fromMs, toMs: fromMs, nowMs: fromMs } };
}

/** Says that not all neurons are measured. */
export function sampled({ every }: Pick<Trains, "every">): string {
  return every === 1 ? "" : `too many spikes: of every ${ordinal(every)} neuron`;
}
