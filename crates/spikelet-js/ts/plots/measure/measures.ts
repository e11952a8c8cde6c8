import { SpikeletError, notAllowed } from "../../errors.js";
import { PAIRED, pairwiseOf } from "./correlation.js";
import { MIN_SPIKES, cv2Of, cvsOf, lvOf, meanOf } from "./intervals.js";
import { peakOf, welch } from "./spectrum.js";
import { type Members, type Source, type Trains, trainsOf } from "./trains.js";
import { fanoOf, synchronyOf } from "./variability.js";
import { type Computation, complete } from "./computation.js";

/** Windows of the Fano factor and bins of the synchrony, in ms. */
const FANO_MS = 100;
const SYNCHRONY_MS = 5;

/** The name of a measure. */
export type MeasureName = "rate" | "cv" | "cv2" | "lv" | "fano" | "synchrony" | "correlation" | "peak";

/** A measure of the spikes of a population in a time span. */
export interface Measure {
  readonly name: MeasureName;
  readonly title: string;
  /** Unit of the value; empty for a number. */
  readonly unit: string;
  readonly definition: string;
  /** Where the definition is from. */
  readonly source: string;
  /** @internal NaN if the spikes are too few for it. */
  of(members: Members, trains: Trains): Computation<number>;
}

/** A measured value. */
export interface MeasuredValue {
  /** NaN if the spikes are too few for it. */
  readonly value: number;
  readonly unit: string;
  readonly definition: string;
}

/** All measures, in the order of the table. */
export const MEASURES: readonly Measure[] = [
  {
    name: "rate",
    title: "Mean rate",
    unit: "Hz",
    definition: "number of spikes divided by the number of neurons and the duration",
    source: "Dayan & Abbott 2001, section 1.2",
    *of({ spikes, known }, { fromMs, toMs }) {
      return toMs > fromMs ? (1000 * spikes) / (known * (toMs - fromMs)) : NaN;
    },
  },
  {
    name: "cv",
    title: "CV",
    unit: "",
    definition: `standard deviation of the intervals between spikes of a neuron divided by their mean, averaged over the neurons with at least ${MIN_SPIKES} spikes; 0 for regular spikes, 1 for a Poisson process`,
    source: "Softky & Koch 1993",
    *of(members) {
      return meanOf(yield* cvsOf(members));
    },
  },
  {
    name: "cv2",
    title: "CV2",
    unit: "",
    definition: `mean of 2|I₂ − I₁|/(I₂ + I₁) over successive intervals between spikes of a neuron, averaged over the neurons with at least ${MIN_SPIKES} spikes; 1 for a Poisson process, also if its rate changes slowly`,
    source: "Holt et al. 1996, equation 1",
    of: cv2Of,
  },
  {
    name: "lv",
    title: "Local variation",
    unit: "",
    definition: `mean of 3(I₁ − I₂)²/(I₁ + I₂)² over successive intervals between spikes of a neuron, averaged over the neurons with at least ${MIN_SPIKES} spikes; 1 for a Poisson process`,
    source: "Shinomoto et al. 2003",
    of: lvOf,
  },
  {
    name: "fano",
    title: "Fano factor",
    unit: "",
    definition: `variance of the number of spikes of a neuron in windows of ${FANO_MS} ms divided by its mean, averaged over the neurons with spikes; 1 for a Poisson process`,
    source: "Fano 1947",
    *of(members, { steps, dtMs }) {
      return yield* fanoOf(members, steps, Math.max(1, Math.round(FANO_MS / dtMs)));
    },
  },
  {
    name: "synchrony",
    title: "Synchrony χ",
    unit: "",
    definition: `standard deviation over time of the mean of all neurons divided by the root mean square of those of single neurons, of numbers of spikes in bins of ${SYNCHRONY_MS} ms; 1 if all neurons spike together, about 1/√n if n neurons are independent`,
    source: "Golomb 2007, with numbers of spikes instead of voltages",
    *of(members, { steps, dtMs }) {
      return yield* synchronyOf(members, steps, Math.max(1, Math.round(SYNCHRONY_MS / dtMs)));
    },
  },
  {
    name: "correlation",
    title: "Pairwise correlation",
    unit: "",
    definition: `mean correlation coefficient of the numbers of spikes of two neurons in bins of ${SYNCHRONY_MS} ms, over the pairs of neurons with spikes among at most ${PAIRED} at equal distances; 0 for independent neurons`,
    source: "Perkel et al. 1967",
    *of(members, { steps, dtMs }) {
      const bin = Math.max(1, Math.round(SYNCHRONY_MS / dtMs));
      return yield* pairwiseOf(members, bin, Math.floor(steps / bin));
    },
  },
  {
    name: "peak",
    title: "Peak frequency",
    unit: "Hz",
    definition: "frequency with the largest power in the spectrum of the population rate (bins of 1 ms, Welch's method with Hann windows), from twice its resolution on",
    source: "Welch 1967",
    *of(members, trains) {
      const spectrum = yield* welch(ratesOf(members, trains), trains.binMs);
      return (spectrum && peakOf(spectrum)?.hz) ?? NaN;
    },
  },
];

/** The rate of a population in each bin, in Hz. */
export function ratesOf({ counts, known }: Members, { binMs }: Trains): Float64Array {
  return counts.map((count) => (1000 * count) / (known * binMs));
}

/** All measures of a population, in the order of {@link MEASURES}. */
export function* measuresOf(members: Members, trains: Trains): Computation<number[]> {
  const values: number[] = [];
  for (const one of MEASURES) values.push(yield* one.of(members, trains));
  return values;
}

/**
 * Measures the spikes of a population in the time span of a scene.
 *
 * @param scene The scene of a plot, or anything with spikes, the populations, and a span.
 * @throws `SpikeletError` if there is no such measure or population.
 */
export function measure(name: MeasureName, scene: Source, population: string): MeasuredValue {
  const one = MEASURES.find((other) => other.name === name);
  if (!one) throw notAllowed("measure", name, `one of ${MEASURES.map((other) => other.name).join(", ")}`);
  const trains = complete(trainsOf(scene));
  const members = trains.populations.find((other) => other.name === population);
  if (!members) {
    const names = trains.populations.map((other) => other.name).join(", ");
    throw new SpikeletError("argument", `measure ${name}: there is no population “${population}”; there are ${names}`, "measure");
  }
  return { value: complete(one.of(members, trains)), unit: one.unit, definition: one.definition };
}
