import type { Info } from "../raw.js";
import type { Frame } from "./frame.js";
import type { Past } from "./past.js";
import type { Span } from "./surface.js";

/** What a plot has to be told of a simulation. What no plot needs is not kept. */
export type Need = "spikes" | "rates" | "samples" | "statistics";

/** A number that a plot can be given: `trace(lanes=4)`. */
export interface Setting {
  readonly name: string;
  /** What it says, for who looks it up. */
  readonly about: string;
  readonly value: number;
  /** The least that it may be. */
  readonly least: number;
  /** What each of its values, from 0 on, means in a network: then it is chosen from a menu in the caption, where there are several. */
  readonly menu?: (info: Info) => readonly string[];
}

/** The values of a plot's settings, by their names. */
export type Settings = Readonly<Record<string, number>>;

/** A recorded variable of a neuron or synapse: one of `info.channels`, by its label. */
export type Label = string;

/** A plot that was asked for. */
export interface Chosen {
  readonly kind: PlotKind;
  /** What was written, without settings. */
  readonly word: string;
  readonly settings: Settings;
  /** What of the samples it shows, and of how many that were meant. */
  readonly labels: readonly Label[];
  readonly all: number;
}

/** What is drawn: what became of a simulation, in a stretch of time. */
export interface Scene {
  readonly info: Info;
  readonly past: Past;
  readonly span: Span;
}

/** A sort of plot: an entry of the table of all of them. */
export interface PlotKind {
  /** The word that asks for it; also its class in style sheets, and its part. */
  readonly name: string;
  readonly title: string;
  /** What it shows, for who looks it up. */
  readonly about: string;
  readonly needs: readonly Need[];
  readonly settings: readonly Setting[];
  /** What a network lacks for it; none where it can be drawn. */
  lacking(info: Info): string | null;
  /** @internal A plot of this sort, in a frame. */
  make(frame: Frame, info: Info, chosen: Chosen): Plot;
}

/** Something that draws. */
export interface Plot {
  draw(scene: Scene): void;
  /** What it shows now, in words. */
  describe(scene: Scene): string;
  /** What stands at a place of its canvas, in words; empty where nothing does. */
  under(x: number, y: number, scene: Scene): string;
  /** What it shows now, as rows of a table, the first of which names the columns. */
  export(scene: Scene): Iterable<readonly (string | number)[]>;
}
