// The operations of the laboratory: what each does, and what its result means.

import { type Brain, overlap } from "./brain.js";
import { type Collection, percent } from "./matrix.js";
import type { Formed } from "./raw.js";

/** What an operation works on. */
export interface Bench {
  readonly brain: Brain;
  readonly saved: Collection;
  readonly n: number;
  readonly k: number;
  /** The number of completions so far: each keeps other neurons. */
  draw: number;
}

/** An operation with a button. */
export interface Experiment {
  readonly name: string;
  readonly title: string;
  /** What it does, for the time before it is run. */
  readonly about: string;
  /** Whether it begins with a new brain: what earlier operations have wired would decide its result. */
  readonly isOwn?: boolean;
  /** Runs it; returns what its result means. */
  run(bench: Bench): Promise<string>;
}

/** Rounds of most operations, and of those that need more to learn the way back. */
const [ROUNDS, MORE_ROUNDS] = [20, 40];

/** The share of an assembly that is called complete. */
const COMPLETE = 0.9;

const A = { area: "A", stimulus: "S" } as const;
const B = { area: "B", stimulus: "T" } as const;

/** The operations, in the order of their buttons. */
export const EXPERIMENTS: readonly Experiment[] = [
  {
    name: "project-a",
    title: "Project S into A",
    about: "Stimulus S fires again and again. The neurons of A that it excites most win, wire to each other, and become an assembly.",
    run: async (bench) => said(bench, await form(bench, "S", "A")),
  },
  {
    name: "project-b",
    title: "Project T into B",
    about: "The same for stimulus T and area B: another stimulus, another assembly.",
    run: async (bench) => said(bench, await form(bench, "T", "B")),
  },
  {
    name: "project-c",
    title: "Project A into C",
    about: "The assembly of A takes the part of the stimulus: a copy of it forms in C.",
    run: async (bench) => {
      await ensure(bench, "A");
      return said(bench, await form(bench, "A", "C"));
    },
  },
  {
    name: "reciprocal",
    isOwn: true,
    title: "Reciprocal A ⇄ C",
    about: "A projects into C, and C back into A. Afterwards C alone can bring the assembly of A back.",
    run: async (bench) => {
      await ensure(bench, "A");
      const { formed, returned, settled } = await bench.brain.reciprocalProject("A", "C", MORE_ROUNDS);
      save(bench, "from A", formed);
      return `One round from C alone brings back ${percent(returned)} of the assembly of A, and ${percent(settled)} after it has settled. Chance: ${chance(bench)}.`;
    },
  },
  {
    name: "associate",
    isOwn: true,
    title: "Associate A, B in C",
    about: "The assemblies of A and B fire together for a while. Their images in C move closer: this is how a memory of “both at once” shows.",
    run: async (bench) => {
      const { images, before, after } = await bench.brain.associate([A, B], "C", ROUNDS);
      ["of A", "of B", "of both", "of B later", "of A later"].forEach((name, place) => save(bench, name, images[place]!));
      return `The images of A and B in C overlap by ${percent(after)}, and did by ${percent(before)} before they fired together. Chance: ${chance(bench)}.`;
    },
  },
  {
    name: "merge",
    isOwn: true,
    title: "Merge A + B into C",
    about: "A and B project into C, and C back to both. The new assembly stands for the pair, as a phrase does for its two words.",
    run: async (bench) => {
      const { parents, merged } = await bench.brain.merge([A, B], "C", MORE_ROUNDS);
      parents.forEach((parent, place) => save(bench, place === 0 ? "of S" : "of T", parent));
      save(bench, "merged", merged);
      const recalled = await bench.brain.recall(A, "C", "B", ROUNDS);
      const found = overlap(recalled.neurons, parents[1].neurons);
      return `The merged assembly in C is stable (${percent(merged.stability)} of its winners stay). Then S alone fires: through A and C it recalls ${percent(found)} of the assembly of B.`;
    },
  },
  {
    name: "complete",
    title: "Complete A from half",
    about: "Only half of the assembly of A fires, and no stimulus. Its own synapses bring the rest back.",
    run: async (bench) => {
      await ensure(bench, "A");
      bench.draw += 1;
      const { original, kept, formed, recovered } = await bench.brain.complete("A", ROUNDS, { fraction: 0.5, draw: bench.draw });
      bench.saved.save("of S", "A", original);
      save(bench, "completed", formed);
      const result = `${kept.length} of ${original.length} neurons fired at first; then ${percent(recovered)} of the assembly came back.`;
      return recovered >= COMPLETE ? result : `${result} It is not robust yet: “Project S into A” once more strengthens it.`;
    },
  },
  {
    name: "separate",
    isOwn: true,
    title: "Separate S, T in C",
    about: "Two stimuli project into the same area, one after the other. Different stimuli get different assemblies.",
    run: async (bench) => {
      const { formed, overlap: shared } = await bench.brain.separate(["S", "T"], "C", ROUNDS);
      formed.forEach((one, place) => save(bench, place === 0 ? "of S" : "of T", one));
      return `The two assemblies in C overlap by ${percent(shared)}; chance is ${chance(bench)}.`;
    },
  },
];

async function form(bench: Bench, source: string, area: string, rounds = ROUNDS): Promise<Formed> {
  const formed = await bench.brain.form(source, area, rounds);
  save(bench, `of ${source}`, formed);
  return formed;
}

/** Forms the assembly of A if there is none, with enough rounds to make it robust. */
async function ensure(bench: Bench, area: "A"): Promise<void> {
  if ((await bench.brain.winners(area)).length !== bench.k) await form(bench, "S", area, MORE_ROUNDS);
}

function save({ saved }: Bench, name: string, { area, neurons }: Formed): void {
  saved.save(name, area, neurons);
}

function said({ k }: Bench, { area, stability, support }: Formed): string {
  const stable = stability >= 0.97 ? `An assembly has formed in ${area}` : `The assembly in ${area} is still changing`;
  return `${stable}: ${percent(stability)} of the winners of the last round had won the round before. So far ${support} neurons have ever won; ${k} win at a time.`;
}

function chance({ n, k }: Bench): string {
  return percent(k / n);
}
