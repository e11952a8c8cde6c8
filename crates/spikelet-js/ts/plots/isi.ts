import type { Info } from "../raw.js";
import { ComputedPlot, sampled, shownTrains } from "./computed.js";
import { type Frame, legendOf } from "./frame.js";
import { type PopulationHistogram, binOf, binUnder, drawHistograms, histogram, named } from "./histogram.js";
import { intervalsOf, meanOf } from "./measure/intervals.js";
import type { Computation } from "./measure/computation.js";
import { SteadyRange, niceAbove, short, whole } from "./numbers.js";
import type { Chosen, PlotKind, Scene } from "./plot.js";
import { type ValueScale, scaleSetting } from "./scale.js";
import type { Span } from "./surface.js";
import { ALL_HIDDEN, between } from "./words.js";

/** The plot of intervals between spikes. */
export const ISI: PlotKind = {
  name: "isi",
  title: "Interspike intervals",
  about: "histogram of the intervals between successive spikes of a neuron, in % of the intervals of each population, over the displayed time",
  needs: ["spikes"],
  standard: false,
  settings: [scaleSetting("intervals")],
  lacking: () => null,
  make: (frame, info, chosen) => new Intervals(frame, info, chosen),
};

/** Bins of a decade of the logarithmic scale, and of the linear one, which ends at about this multiple of the longest mean interval. */
const PER_DECADE = 16;
const BINS = 60;
const MEANS = 4;

interface Result {
  readonly scale: ValueScale;
  readonly all: readonly PopulationHistogram[];
  readonly every: number;
}

/** Histograms of the intervals between spikes. */
class Intervals extends ComputedPlot<Result> {
  readonly #isLog: boolean;
  readonly #shares = new SteadyRange();

  constructor(frame: Frame, info: Info, { settings }: Chosen) {
    super(frame);
    this.#isLog = settings["scale"] === 0;
    frame.setAbout("in % of a population's intervals");
    frame.setLegend(legendOf(info, (place) => info.network.populations[place]!.name));
  }

  protected *compute(scene: Scene): Computation<Result> {
    const { populations, dtMs, every } = yield* shownTrains(scene);
    const lists: Float64Array[] = [];
    for (const members of populations) lists.push(yield* intervalsOf(members, dtMs));
    yield;
    const means = lists.map(meanOf);
    const scale = this.#isLog ? logarithmic(lists) : linear(means);
    const bins = this.#isLog ? Math.round(Math.log10(scale.high / scale.low) * PER_DECADE) : BINS;
    const all: PopulationHistogram[] = [];
    for (const [index, { name, mark }] of populations.entries()) {
      all.push({ ...(yield* histogram(lists[index]!, scale, bins)), name, mark, mean: means[index]! });
    }
    return { scale, all, every };
  }

  protected paint({ scale, all, every }: Result): void {
    const range = this.#shares.hold(0, all.reduce((most, { shares }) => shares.reduce((a, b) => Math.max(a, b), most), 1));
    drawHistograms(this.frame.surface, all, scale, "ms", range);
    const longer = named(all, ({ outside, values }) => (outside > 0 ? `${short((100 * outside) / values, 2)} %` : ""));
    const means = named(all, ({ mean, values }) => (values > 0 ? `${short(mean)} ms` : ""));
    const said = [means && `mean ${means}`, longer && `longer than ${short(scale.high)} ms: ${longer}`, sampled({ every })];
    this.frame.setRemark(said.filter((one) => one !== "").join("; "));
  }

  protected tell({ all }: Result, span: Span): string {
    const said = all.map(({ name, values, mean }) => (values === 0 ? `${name} has none` : `${name} ${whole(values)}, mean ${short(mean)} ms`));
    return `Intervals between spikes of a neuron ${between(span)}: ${said.join("; ") || ALL_HIDDEN}.`;
  }

  protected read(x: number, _: number, { scale, all }: Result): string {
    const bin = binUnder(x, this.frame.surface.area, scale, all[0]?.shares.length ?? 0);
    if (bin === null || all.length === 0) return "";
    const [from, to] = binOf(all[0]!, bin, scale);
    const said = named(all, ({ shares, values }) => (values > 0 ? `${short(shares[bin]!)} %` : ""));
    return said === "" ? "" : `${short(from)} to ${short(to)} ms: ${said}`;
  }

  protected *rows({ scale, all }: Result): Iterable<readonly (string | number)[]> {
    yield ["population", "from_ms", "to_ms", "percent_of_intervals"];
    for (const one of all) {
      for (const [bin, share] of one.shares.entries()) {
        if (one.values === 0) break;
        const [from, to] = binOf(one, bin, scale);
        yield [one.name, Number(from.toPrecision(6)), Number(to.toPrecision(6)), share];
      }
    }
  }
}

/** From the decade of the shortest interval to that of the longest. */
function logarithmic(lists: readonly Float64Array[]): ValueScale {
  let [least, most] = [Infinity, 0];
  for (const list of lists) {
    for (const value of list) {
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  if (most === 0) return { low: 1, high: 1000, isLog: true };
  const [first, last] = [Math.floor(Math.log10(least) + 1e-9), Math.ceil(Math.log10(most) - 1e-9)];
  return { low: 10 ** first, high: 10 ** Math.max(last, first + 1), isLog: true };
}

function linear(means: readonly number[]): ValueScale {
  const longest = means.reduce((most, mean) => (mean > most ? mean : most), 0);
  return { low: 0, high: longest > 0 ? niceAbove(MEANS * longest) : 1000, isLog: false };
}
