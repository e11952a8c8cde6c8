// Curves of one neuron of a population: its rate against a constant current, and against the rate of its input.

import { SpikeletError, notAllowed } from "../errors.js";
import type { Network, Population, Projection, Quantity, Source } from "../network.js";
import { type EngineOptions, checkKeys, positive, wholeNumber } from "../options.js";
import { Spikelet } from "../spikelet.js";
import { rangeOf } from "./grid.js";
import { summary } from "./reading.js";

/** Maximum number of neurons of a curve, with its copies and inputs. */
const MAX_NEURONS = 200_000;

/** Options of {@link fiCurve}. */
export interface FiOptions extends EngineOptions {
  /** The population whose neuron is used. */
  population: string;
  /** The parameter that is the current; default: the one with the unit of a current, or the name `I`. */
  parameter?: string | undefined;
  /** The unit of `from` and `to`; empty for pure numbers. */
  unit: string;
  from: number;
  to: number;
  /** Number of currents; default 41. */
  steps?: number | undefined;
  /** Duration in ms; default 1000. */
  ms?: number | undefined;
  /** Time at the start that is not measured, in ms; default 200. */
  warmUpMs?: number | undefined;
}

/** Options of {@link transferCurve}. */
export interface TransferOptions extends EngineOptions {
  population: string;
  /** Name of a projection onto the population, whose synapses are used. */
  projection: string;
  /** Rates of each input in Hz. */
  from: number;
  to: number;
  /** Number of rates; default 21. */
  steps?: number | undefined;
  /** Poisson inputs of each neuron; default 100. */
  inputs?: number | undefined;
  /** Neurons for each rate, with inputs of their own; default 10. */
  copies?: number | undefined;
  ms?: number | undefined;
  warmUpMs?: number | undefined;
}

/** A point of a curve. */
export interface CurvePoint {
  readonly x: number;
  /** Mean and standard deviation of the rates of the copies, in Hz. */
  readonly rate: number;
  readonly sd: number;
}

/** A curve of a neuron. */
export interface NeuronCurve {
  readonly kind: "fi" | "transfer";
  readonly population: string;
  /** What the horizontal axis is, and its unit. */
  readonly of: string;
  readonly unit: string;
  readonly points: readonly CurvePoint[];
  /** The smallest current at which the neuron fires in the time of the run, and the largest below at which it does not; null if there is none in the range. */
  readonly rheobase: { readonly fires: number; readonly rests: number } | null;
  /** The network of unconnected neurons that was run. */
  readonly network: Network;
}

/**
 * The rate of an isolated neuron against a constant current: all currents run at once, in a network of unconnected copies. A second run
 * between the two currents around the threshold finds the rheobase more exactly. The rate of a neuron with three spikes or more is that of its intervals,
 * else its number of spikes divided by the time.
 *
 * @param network The JSON of a network, which `Spikelet.network` gives.
 */
export async function fiCurve(network: Network, options: FiOptions): Promise<NeuronCurve> {
  checkKeys(options, "population", "parameter", "unit", "from", "to", "steps", "ms", "warmUpMs", "worker", "signal");
  const { from, to, steps = 41, population, unit } = options;
  checkRange(from, to, steps);
  const parameter = options.parameter;
  if (typeof parameter !== "string") throw notAllowed("parameter", parameter, `the name of a parameter of ${population}, such as "I"`);
  const at = async (low: number, high: number) => {
    const xs = rangeOf(low, high, steps, false);
    const made = isolated(network, population, steps);
    const [neuron] = made.populations!;
    neuron!.parameters = { ...neuron!.parameters, [parameter]: { values: xs, unit: unit === "" ? null : unit } };
    const rates = await ratesOf(made, options, steps);
    return { made, points: xs.map((x, place): CurvePoint => ({ x, rate: rates[place]!, sd: 0 })) };
  };
  const { made, points: coarse } = await at(from, to);
  const edge = edgeOf(coarse);
  const fine = edge ? (await at(edge.rests, edge.fires)).points.slice(1, -1) : [];
  const points = [...coarse, ...fine].toSorted((one, other) => one.x - other.x);
  const rheobase = edgeOf(points);
  return { kind: "fi", population, of: `${population}.${parameter}`, unit, points, rheobase, network: made };
}

/**
 * The mean rate of an isolated neuron against the rate of its Poisson inputs, which have the synapses of a projection.
 *
 * @param network The JSON of a network, which `Spikelet.network` gives.
 */
export async function transferCurve(network: Network, options: TransferOptions): Promise<NeuronCurve> {
  checkKeys(options, "population", "projection", "from", "to", "steps", "inputs", "copies", "ms", "warmUpMs", "worker", "signal");
  const { from, to, steps = 21, inputs = 100, copies = 10, population } = options;
  checkRange(from, to, steps);
  wholeNumber("inputs", inputs, 1);
  wholeNumber("copies", copies, 1);
  if (from < 0) throw notAllowed("from", from, "a rate in Hz, 0 or more");
  const size = steps * copies;
  if (size * (inputs + 1) > MAX_NEURONS) {
    throw new SpikeletError("argument", `the curve needs ${size * (inputs + 1)} neurons and inputs, at most ${MAX_NEURONS} are allowed; use fewer rates, copies or inputs`, "steps");
  }
  const xs = rangeOf(from, to, steps, false);
  const made = isolated(network, population, size);
  const name = population === "poisson" ? "poisson_input" : "poisson";
  const source: Source = { name, type: "poisson", size: size * inputs, rate: { values: xs.flatMap((x) => Array<number>(copies * inputs).fill(x)), unit: "Hz" } };
  const input = synapses(network, population, options.projection);
  made.sources = [source];
  made.projections = [{ ...input, name: population === "input" ? "input_synapses" : "input", pre: name, post: population, pairs: Array.from({ length: size * inputs }, (_, index) => [index, Math.floor(index / inputs)]) }];
  const rates = await ratesOf(made, { ms: 2000, ...options }, size);
  const points = xs.map((x, place): CurvePoint => {
    const { mean, sd } = summary(Array.from(rates.subarray(place * copies, (place + 1) * copies)));
    return { x, rate: mean, sd };
  });
  return { kind: "transfer", population, of: `rate of each of ${inputs} Poisson inputs`, unit: "Hz", points, rheobase: null, network: made };
}

/** The parameters of a population that can be the current of a curve, the most likely first. */
export function currentsOf(parameters: readonly { readonly symbol: string; readonly unit: string }[]): string[] {
  const likely = ({ symbol, unit }: { readonly symbol: string; readonly unit: string }) => (/^[munp]?A$/.test(unit) ? 2 : 0) + (/^I($|_|[a-z])/.test(symbol) ? 1 : 0) + (/^I$/.test(symbol) ? 2 : 0);
  return parameters.toSorted((one, other) => likely(other) - likely(one)).map(({ symbol }) => symbol);
}

/** The projections of a network onto a population, without those of single weights from files. */
export function inputsOf({ projections = [] }: Network, population: string): string[] {
  return projections.filter(({ post }) => objectOf(post) === population).map((one, place) => nameOf(one, place));
}

/** A network of unconnected neurons with the model and values of a population. */
function isolated(network: Network, population: string, size: number): Network {
  const found = (network.populations ?? []).find(({ name }) => name === population);
  if (!found) {
    const names = (network.populations ?? []).map(({ name }) => name).join(", ");
    throw notAllowed("population", population, `one of ${names}; sources have no curve`);
  }
  const { positions, winners, ...model } = found;
  const neuron: Population = { ...model, size, parameters: firstOf(found.parameters), initial: firstOf(found.initial) };
  const { dt_ms, duration_ms, seed } = network;
  return { name: `${network.name}: ${population}`, dt_ms, duration_ms, ...(seed === undefined ? {} : { seed }), populations: [neuron], projections: [] };
}

/** The synapses of a projection without its rule. */
function synapses(network: Network, population: string, name: string): Partial<Projection> {
  const all = network.projections ?? [];
  const found = all.find((one, place) => nameOf(one, place) === name && objectOf(one.post) === population);
  if (!found) throw notAllowed("projection", name, `a projection onto ${population}: ${inputsOf(network, population).join(", ") || "there is none"}`);
  const { connect, pairs, learned, synapses_per_pair, max_outdegree, max_indegree, storage, on_post, delay_post_ms, third, on_third, delay_third_ms, ...rest } = found;
  return { ...rest, parameters: firstOf(found.parameters), initial: firstOf(found.initial), delay_ms: typeof found.delay_ms === "number" || typeof found.delay_ms === "string" ? found.delay_ms : network.dt_ms };
}

function nameOf({ name, pre, post }: Projection, place: number): string {
  return name ?? `${pre}${post}${place}`;
}

/** The population of a slice: `E[0:100]` is of `E`. */
function objectOf(slice: string): string {
  return slice.replace(/\[.*$/, "").trim();
}

/** Values of a single neuron: the first of each list. */
function firstOf(values: Readonly<Record<string, Quantity>> = {}): Record<string, Quantity> {
  const first = (value: Quantity): Quantity => {
    if (Array.isArray(value)) return value[0]!;
    if (typeof value === "object" && "values" in value) return { ...value, values: value.values.slice(0, 1) };
    return value;
  };
  const single = (value: Quantity): Quantity => {
    const found = first(value);
    if (typeof found !== "object" || !("values" in found)) return found;
    const [number] = (found as { values: number[] }).values;
    const { unit } = found as { unit?: string | null };
    return unit ? `${number} ${unit}` : number!;
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, single(value)]));
}

/** The rate of each of the first neurons, in Hz. */
async function ratesOf(network: Network, { ms = 1000, warmUpMs = 200, worker, signal }: EngineOptions & { ms?: number | undefined; warmUpMs?: number | undefined }, neurons: number): Promise<Float64Array> {
  positive("ms", ms, "a duration in ms above 0");
  if (!(warmUpMs >= 0 && warmUpMs < ms)) throw notAllowed("warmUpMs", warmUpMs, `a time in ms from 0 to before ${ms} ms`);
  const simulation = await Spikelet.create(network, { backend: "cpu", threads: 1, worker, signal });
  try {
    const [counts, first, last] = [new Float64Array(neurons), new Float64Array(neurons), new Float64Array(neurons)];
    const from = Math.ceil(warmUpMs / simulation.info.dtMs - 1e-6);
    simulation.on("spikes", ({ neurons: found, spikeSteps }) => {
      found.forEach((neuron, spike) => {
        const step = spikeSteps[spike]!;
        if (neuron >= neurons || step < from) return;
        if (counts[neuron] === 0) first[neuron] = step;
        last[neuron] = step;
        counts[neuron]! += 1;
      });
    });
    await simulation.run(ms, { signal });
    const { dtMs } = simulation.info;
    return counts.map((count, neuron) => (count >= 3 ? (1000 * (count - 1)) / ((last[neuron]! - first[neuron]!) * dtMs) : (1000 * count) / (ms - warmUpMs)));
  } finally {
    simulation.dispose();
  }
}

/** The first current that fires, and the one before it; null if there is no such pair. */
function edgeOf(points: readonly CurvePoint[]): { readonly fires: number; readonly rests: number } | null {
  const sorted = points.toSorted((one, other) => one.x - other.x);
  const place = sorted.findIndex(({ rate }) => rate > 0);
  return place > 0 ? { fires: sorted[place]!.x, rests: sorted[place - 1]!.x } : null;
}

function checkRange(from: number, to: number, steps: number): void {
  for (const [name, value] of [["from", from], ["to", to]] as const) if (typeof value !== "number" || !Number.isFinite(value)) throw notAllowed(name, value, "a finite number");
  if (from === to) throw notAllowed("to", to, "another value than `from`");
  wholeNumber("steps", steps, 2);
  if (steps > 2000) throw notAllowed("steps", steps, "at most 2000 values");
}
