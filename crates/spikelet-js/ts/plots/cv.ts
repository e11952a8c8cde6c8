import type { Info } from "../raw.js";
import { ComputedPlot, sampled, shownTrains } from "./computed.js";
import { type Frame, legendOf } from "./frame.js";
import { type PopulationHistogram, binOf, binUnder, drawHistograms, histogram, named } from "./histogram.js";
import { MIN_SPIKES, cvsOf, meanOf } from "./measure/intervals.js";
import type { Computation } from "./measure/computation.js";
import { SteadyRange, niceAbove, short, whole } from "./numbers.js";
import type { PlotKind, Scene } from "./plot.js";
import type { ValueScale } from "./scale.js";
import type { Span } from "./surface.js";
import { ALL_HIDDEN, between } from "./words.js";

/** The plot of the irregularity of neurons. */
export const CV: PlotKind = {
  name: "cv",
  title: "Irregularity",
  about: `histogram over neurons of the coefficient of variation (CV) of their interspike intervals in the displayed time: 0 for regular spikes, 1 for a Poisson process; neurons with fewer than ${MIN_SPIKES} spikes are left out, their number is shown`,
  needs: ["spikes"],
  standard: false,
  settings: [],
  lacking: () => null,
  make: (frame, info) => new Irregularity(frame, info),
};

/** Least upper end of the axis, and number of bins. */
const HIGH = 2;
const BINS = 40;

interface Result {
  readonly scale: ValueScale;
  readonly all: readonly (PopulationHistogram & { readonly measured: number })[];
  readonly every: number;
}

/** Histograms of the coefficient of variation. */
class Irregularity extends ComputedPlot<Result> {
  readonly #shares = new SteadyRange();

  constructor(frame: Frame, info: Info) {
    super(frame);
    frame.setAbout("CV of interspike intervals, in % of the neurons");
    frame.setLegend(legendOf(info, (place) => info.network.populations[place]!.name));
  }

  protected *compute(scene: Scene): Computation<Result> {
    const { populations, every } = yield* shownTrains(scene);
    const lists: Float64Array[] = [];
    for (const members of populations) lists.push(yield* cvsOf(members));
    yield;
    const most = lists.reduce((found, list) => list.reduce((a, b) => Math.max(a, b), found), HIGH);
    const scale = { low: 0, high: most > HIGH ? niceAbove(most) : HIGH, isLog: false };
    const all: Result["all"][number][] = [];
    for (const [index, { name, mark, starts }] of populations.entries()) {
      const list = lists[index]!;
      all.push({ ...(yield* histogram(list, scale, BINS)), name, mark, mean: meanOf(list), measured: starts.length - 1 });
    }
    return { scale, all, every };
  }

  protected paint({ scale, all, every }: Result): void {
    const range = this.#shares.hold(0, all.reduce((most, { shares }) => shares.reduce((a, b) => Math.max(a, b), most), 1));
    drawHistograms(this.frame.surface, all, scale, "", range);
    const means = named(all, ({ mean, values }) => (values > 0 ? short(mean) : ""));
    const said = [means && `mean ${means}`, leftOut(all), sampled({ every })];
    this.frame.setRemark(said.filter((one) => one !== "").join("; "));
  }

  protected tell({ all }: Result, span: Span): string {
    const means = named(all, ({ mean, values }) => (values > 0 ? short(mean) : "not available"));
    const out = leftOut(all);
    return `Irregularity of spikes ${between(span)}: ${means === "" ? ALL_HIDDEN : `mean CV of interspike intervals ${means}`}${out && `; ${out}`}.`;
  }

  protected read(x: number, _: number, { scale, all }: Result): string {
    const bin = binUnder(x, this.frame.surface.area, scale, BINS);
    if (bin === null || all.length === 0) return "";
    const [from, to] = binOf(all[0]!, bin, scale);
    const said = named(all, ({ shares, values }) => (values > 0 ? `${short(shares[bin]!)} %` : ""));
    return said === "" ? "" : `CV ${short(from)} to ${short(to)}: ${said}`;
  }

  protected *rows({ scale, all }: Result): Iterable<readonly (string | number)[]> {
    yield ["population", "from_cv", "to_cv", "percent_of_neurons"];
    for (const one of all) {
      for (const [bin, share] of one.shares.entries()) {
        if (one.values === 0) break;
        yield [one.name, ...binOf(one, bin, scale).map((end) => Number(end.toPrecision(6))), share];
      }
    }
  }
}

/** States how many neurons have too few spikes. */
function leftOut(all: Result["all"]): string {
  const measured = all.reduce((sum, one) => sum + one.measured, 0);
  const out = measured - all.reduce((sum, { values }) => sum + values, 0);
  return out === 0 ? "" : `left out: ${whole(out)} of ${whole(measured)} neurons, with fewer than ${MIN_SPIKES} spikes`;
}
