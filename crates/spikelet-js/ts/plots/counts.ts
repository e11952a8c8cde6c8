import { ComputedPlot, sampled, shownTrains } from "./computed.js";
import { h, say } from "./dom.js";
import type { Frame } from "./frame.js";
import { MEASURES, measuresOf } from "./measure/measures.js";
import type { Computation } from "./measure/computation.js";
import { quantity, short, whole } from "./numbers.js";
import type { PlotKind, Scene } from "./plot.js";
import type { Span } from "./surface.js";
import { ALL_HIDDEN, between } from "./words.js";

/** The table of populations. */
export const COUNTS: PlotKind = {
  name: "counts",
  title: "Populations",
  about: "a table of the populations in the displayed time: number of neurons and spikes, mean rate, CV, CV2 and LV of interspike intervals, Fano factor, synchrony, pairwise correlation, and peak frequency, with their definitions",
  needs: ["spikes"],
  standard: false,
  settings: [],
  lacking: () => null,
  make: (frame) => new Counts(frame),
};

/** The measures of a population. */
interface Row {
  readonly name: string;
  readonly size: number;
  readonly spikes: number;
  /** In the order of `MEASURES`. */
  readonly values: readonly number[];
}

interface Result {
  readonly rows: readonly Row[];
  readonly known: number;
  readonly every: number;
}

/** The names of the columns. */
const HEADS: readonly string[] = ["Population", "Neurons", "Spikes", ...MEASURES.map(({ title, unit }) => (unit === "" ? title : `${title} in ${unit}`))];

/** The column of the first measure. */
const FIRST = HEADS.length - MEASURES.length;

/** A table with a row per population. */
class Counts extends ComputedPlot<Result> {
  readonly #body = h("tbody");

  constructor(frame: Frame) {
    super(frame);
    const meanings = MEASURES.map(({ definition, source }) => `${definition} (${source})`);
    const head = h("tr", {}, ...HEADS.map((text, column) => h("th", { scope: "col", title: meanings[column - FIRST] }, text)));
    const definitions = MEASURES.flatMap(({ title }, index) => [h("dt", {}, title), h("dd", {}, meanings[index]!)]);
    const table = h("table", { part: "table", "aria-label": "Measures of populations" }, h("thead", {}, head), this.#body);
    // The table scrolls on a narrow screen, and so must be reachable by keyboard.
    const scroll = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Measures of populations" }, table);
    frame.setBody(h("div", { class: "body" }, scroll, h("details", {}, h("summary", {}, "Definitions"), h("dl", {}, ...definitions))));
    frame.setAbout("measured over the displayed time");
  }

  protected *compute(scene: Scene): Computation<Result> {
    const trains = yield* shownTrains(scene);
    const rows: Row[] = [];
    for (const members of trains.populations) {
      rows.push({ name: members.name, size: members.size, spikes: members.spikes, values: yield* measuresOf(members, trains) });
    }
    return { rows, known: scene.past.spikes.every, every: trains.every };
  }

  /** The table as it is shown, for a picture of it. */
  table(scene: Scene): readonly (readonly string[])[] {
    return [HEADS, ...textsOf(this.shown(scene))];
  }

  protected paint(result: Result, span: Span): void {
    const rows = textsOf(result);
    rows.forEach((texts, index) => {
      const row = this.#body.rows[index] ?? this.#body.appendChild(h("tr", {}, h("th", { scope: "row" }), ...texts.slice(1).map(() => h("td"))));
      texts.forEach((text, cell) => say(row.cells[cell]!, text));
    });
    while (this.#body.rows.length > rows.length) this.#body.deleteRow(-1);
    this.frame.setRemark([between(span), rows.length === 0 ? ALL_HIDDEN : sampled(result)].filter((one) => one !== "").join("; "));
  }

  protected tell({ rows }: Result, span: Span): string {
    const said = rows.map(({ name, spikes, values }) => {
      const measured = MEASURES.map(({ title, unit }, index) => `${title} ${Number.isNaN(values[index]!) ? "not available" : quantity(values[index]!, unit)}`);
      return `${name} ${whole(spikes)} spikes, ${measured.join(", ")}`;
    });
    return `Populations ${between(span)}: ${said.join("; ") || ALL_HIDDEN}.`;
  }

  protected read(): string {
    return "";
  }

  protected *rows({ rows }: Result): Iterable<readonly (string | number)[]> {
    yield ["population", "neurons", "spikes", ...MEASURES.map(({ name, unit }) => (unit === "" ? name : `${name}_${unit.toLowerCase()}`))];
    // What could not be measured is an empty cell.
    for (const { name, size, spikes, values } of rows) yield [name, size, spikes, ...values.map((value) => (Number.isNaN(value) ? "" : value))];
  }
}

/** The rows of the table as texts. */
function textsOf({ rows, known }: Result): string[][] {
  return rows.map(({ name, size, spikes, values }) => [name, whole(size), `${known === 1 ? "" : "≥ "}${whole(spikes)}`, ...values.map((value) => short(value))]);
}
