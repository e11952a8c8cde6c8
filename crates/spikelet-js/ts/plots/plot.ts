import type { Info } from "../raw.js";
import type { NamedArray } from "./export/npz.js";
import type { Spikelet } from "../spikelet.js";
import type { Frame } from "./frame.js";
import type { Past } from "./past.js";
import type { Area, Span } from "./surface.js";

/** The kinds of data that a plot can need. Other data are not stored. */
export type Need = "spikes" | "rates" | "samples" | "statistics";

/** A numerical setting of a plot: `trace(lanes=4)`. */
export interface Setting {
  readonly name: string;
  /** Description for the documentation. */
  readonly about: string;
  readonly value: number;
  /** The smallest valid value. */
  readonly least: number;
  /** Labels of the values from 0 on in a network: if there are several, the setting is a menu in the caption. */
  readonly menu?: (info: Info) => readonly string[];
}

/** Values of the settings of a plot, by name. */
export type Settings = Readonly<Record<string, number>>;

/** A recorded variable of a neuron or synapse: the label of an element of `info.channels`. */
export type Label = string;

/** A requested plot. */
export interface Chosen {
  readonly kind: PlotKind;
  /** The word without settings. */
  readonly word: string;
  readonly settings: Settings;
  /** The samples that it shows, and the number of all matching ones. */
  readonly labels: readonly Label[];
  readonly all: number;
}

/** The data to draw: the recent data of a simulation, and a time span. */
export interface Scene {
  readonly info: Info;
  readonly past: Past;
  readonly span: Span;
  /** What the user hides in all plots: names of populations, and labels of recorded variables. */
  readonly hidden?: ReadonlySet<string>;
  /** Whether the past is reviewed, in contrast to the latest data. */
  readonly isReview?: boolean;
}

/** The position of the axis of time on a canvas, and its time span. */
export interface TimeAxis {
  readonly area: Area;
  readonly span: Span;
}

/** A kind of plot: an entry of the table of plots. */
export interface PlotKind {
  /** The word that requests it; also its class in style sheets, and its part. */
  readonly name: string;
  readonly title: string;
  /** Description for the documentation. */
  readonly about: string;
  readonly needs: readonly Need[];
  /** Whether a page shows it by default, perhaps depending on the network. */
  readonly standard: boolean | ((info: Info) => boolean);
  /** Whether it takes the free height of a page; default false. */
  readonly fills?: boolean;
  readonly settings: readonly Setting[];
  /** What a network lacks for it; null if it can be drawn. */
  lacking(info: Info): string | null;
  /** @internal Creates a plot of this kind in a frame. */
  make(frame: Frame, info: Info, chosen: Chosen, simulation: Spikelet): Plot;
}

/** A plot. */
export interface Plot {
  draw(scene: Scene): void;
  /** A text alternative of the current content. */
  describe(scene: Scene): string;
  /** Text for the data at a position of the canvas; empty if there are none. */
  under(x: number, y: number, scene: Scene): string;
  /** The current content as rows of a table; the first row contains the column names. */
  export(scene: Scene): Iterable<readonly (string | number)[]>;
  /** The current content as arrays; if absent, they are the columns of the table. Names end with the unit: `rate_hz`. */
  arrays?(scene: Scene): readonly NamedArray[];
  /** The texts of a plot that is a table instead of a canvas, for a picture of it; the first row contains the column names. */
  table?(scene: Scene): readonly (readonly string[])[];
  /**
   * Text for the data at a time, in ms, for the cursor of all plots; empty if there are none. A plot without it has no axis of time: its canvas
   * shows no cursor, and does not pan or zoom.
   */
  at?(timeMs: number, scene: Scene): string;
  /** The axis of time; if absent, it is that of the area of the surface, with the time span of the scene. */
  timeAxis?(scene: Scene): TimeAxis;
  /** Releases what outlives the elements of the frame. */
  dispose?(): void;
}
