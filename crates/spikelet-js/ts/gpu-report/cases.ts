// The networks of a report, by the names that the command line's benchmarks use.

import type { Network } from "../network.js";
import type { ComparedNetwork } from "./agree.js";

/** A network whose speed is measured. */
export interface MeasuredCase {
  /** Network and size. */
  readonly name: string;
  readonly network: string | Network;
  readonly scale?: number;
  readonly trials: number;
  /** Wall time that must be left to begin it, in s: a usual machine builds it in that time. */
  readonly needsS?: number;
  /** Biological time from the start in which spikes are counted, in ms. */
  readonly comparedMs: number;
}

/** Leaky integrate-and-fire neurons with 100 synapses each, as in `spikelet bench lif/1e3`. */
function lif(size: number): Network {
  const excitatory = Math.round(0.8 * size);
  const onto = (name: string, from: string, on_pre: string) =>
    ({ name, pre: `N[${from}]`, post: "N", connect: { rule: "fixed_outdegree", n: 100 }, on_pre, storage: "stored", delay_ms: 1.5 }) as const;
  return {
    name: `lif/1e${Math.round(Math.log10(size))}`,
    dt_ms: 0.1,
    duration_ms: 1000,
    populations: [{
      name: "N",
      size,
      model: "lif_delta",
      parameters: { tau: "20 ms", Vt: "20 mV", Vr: "10 mV", tref: "2 ms", I: "20.5 mV" },
      initial: { v: { expr: "rand()*Vt" } },
    }],
    projections: [
      onto("excitation", `0:${excitatory}`, "v_post += 0.2*mV"),
      // Strong enough that the rate is about 5 Hz.
      onto("inhibition", `${excitatory}:${size}`, "v_post -= 3.2*mV"),
    ],
  };
}

const published = (network: string): MeasuredCase => ({ name: `${network}/published`, network, trials: 1, comparedMs: 100 });
const ofSize = (exponent: number): MeasuredCase => ({ name: `lif/1e${exponent}`, network: lif(10 ** exponent), trials: 1, comparedMs: exponent < 6 ? 100 : 20 });
/** The network `lixirnet` with this number of neurons on a side. */
const lattice = (edge: number): MeasuredCase => ({ name: `lattice/${edge}`, network: "lixirnet", scale: edge ** 2 / 10_000, trials: 1, comparedMs: 100 });

/** What is measured, the most telling first: those for which no time is left are left out. */
export const MEASURED: readonly MeasuredCase[] = [
  published("cuba"),
  ofSize(3),
  ofSize(4),
  { ...published("cuba"), trials: 64 },
  published("plastic_cuba"),
  lattice(100),
  { ...ofSize(5), needsS: 3 },
  published("coba"),
  lattice(200),
  { ...ofSize(6), needsS: 20 },
];

/** The same in a rehearsal. */
export const REHEARSED: readonly MeasuredCase[] = [{ ...ofSize(3), comparedMs: 5 }, { ...ofSize(3), trials: 2, comparedMs: 5 }];

/** Networks that need more memory or time than a comparison has, at any size of the catalogue. */
const LEFT_OUT = new Set(["million", "fly"]);

/** Steps of a comparison. */
const STEPS = 1000;

/** The networks of the catalogue that are compared, the usual ones first. */
export function compared(catalogue: readonly { readonly name: string; readonly small: number }[]): ComparedNetwork[] {
  return catalogue.filter(({ name }) => !LEFT_OUT.has(name)).map(({ name, small }) => ({ name, scale: small, steps: STEPS }));
}

/** The same in a rehearsal. */
export const COMPARED_IN_REHEARSAL: readonly ComparedNetwork[] = [{ name: "stdp_song", scale: 1, steps: 30 }, { name: "izhikevich", scale: 1, steps: 30 }];
