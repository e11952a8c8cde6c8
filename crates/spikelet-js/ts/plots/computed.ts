import type { Frame } from "./frame.js";
import { type Members, type Trains, trainsOf } from "./measure/trains.js";
import { type Computation, complete, later } from "./measure/computation.js";
import type { Plot, Scene } from "./plot.js";
import type { Span } from "./surface.js";
import { type Mark, marksOf } from "./theme.js";
import { ordinal } from "./words.js";

/** Minimum time between two computations of a plot, in ms. */
const EVERY_MS = 250;

type Rows = Iterable<readonly (string | number)[]>;

/** A result with the scene of which it was computed. */
interface Computed<Result> {
  readonly result: Result;
  readonly scene: Scene;
}

/**
 * A plot of a result whose computation takes longer than a frame. While data arrive it shows the last result, and renews it a few times per
 * second. The text alternative is that of the result shown, the table is that of exactly the current time span.
 */
export abstract class ComputedPlot<Result> implements Plot {
  protected readonly frame: Frame;
  #shown: Computed<Result> | null = null;
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
    if (this.#shown && scene.span.nowMs < this.#shown.scene.span.nowMs) this.#shown = null;
    if (!this.#isCurrent(scene)) this.#renew();
    this.paint(this.shown(scene), (this.#shown?.scene ?? scene).span);
  }

  describe(scene: Scene): string {
    return this.tell(this.shown(scene), (this.#shown?.scene ?? empty(scene)).span);
  }

  under(x: number, y: number): string {
    return this.#shown ? this.read(x, y, this.#shown.result) : "";
  }

  export(scene: Scene): Rows {
    return this.rows(this.#shown && this.#isCurrent(scene) ? this.#shown.result : complete(this.compute(scene)));
  }

  /** The result shown; before the first one, that of a scene without time. */
  protected shown(scene: Scene): Result {
    return this.#shown?.result ?? complete(this.compute(empty(scene)));
  }

  #isCurrent({ span: { fromMs, toMs, nowMs }, hidden }: Scene): boolean {
    const shown = this.#shown?.scene;
    return shown?.span.fromMs === fromMs && shown.span.toMs === toMs && shown.span.nowMs === nowMs && shown.hidden === hidden;
  }

  #renew(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    let scene = this.#wanted!;
    const start = () => {
      scene = this.#wanted!;
      return this.compute(scene);
    };
    const finish = (result: Result) => {
      // A reset during the computation.
      if (this.#wanted!.span.nowMs >= scene.span.nowMs) {
        this.#shown = { result, scene };
        if (this.frame.isShown) this.paint(result, scene.span);
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

/** The trains of the populations that are shown, with their marks. */
interface ShownTrains extends Omit<Trains, "populations"> {
  readonly populations: readonly (Members & { readonly mark: Mark })[];
}

/** Reads the spikes of the populations that the user does not hide. */
export function* shownTrains(scene: Scene): Computation<ShownTrains> {
  const trains = yield* trainsOf(scene);
  const marks = marksOf(trains.populations);
  const populations = trains.populations.map((members, place) => ({ ...members, mark: marks[place]! }));
  return { ...trains, populations: populations.filter(({ name }) => !scene.hidden?.has(name)) };
}

/** Says that not all neurons are measured. */
export function sampled({ every }: Pick<Trains, "every">): string {
  return every === 1 ? "" : `too many spikes: of every ${ordinal(every)} neuron`;
}
