// The order of neurons in a raster.

/** The orders, by the value of the setting `sort`. */
export const ORDERS = ["number", "first spike", "rate"] as const;

/** The rows of neurons, and the neurons of rows. */
export interface NeuronOrder {
  /** The row of each neuron within its population. */
  readonly rows: Uint32Array;
  /** The global number of the neuron in each row, populations one after the other. */
  readonly neurons: Uint32Array;
}

/** A contiguous range of neurons. */
interface Members {
  readonly first: number;
  readonly size: number;
}

/** Calls a function for each spike, in the order of steps. */
type EachSpike = (visit: (step: number, neuron: number) => void) => void;

/**
 * Sorts the neurons of each population by their first spike, silent ones last, or by their number of spikes, the most active first; ties by
 * number. `sort` is an index of {@link ORDERS}. Null for the order of numbers.
 */
export function orderOf(sort: number, populations: readonly Members[], count: number, each: EachSpike): NeuronOrder | null {
  if (sort === 0) return null;
  const keys = sort === 1 ? firstSteps(count, each) : negativeCounts(count, each);
  const [rows, neurons] = [new Uint32Array(count), new Uint32Array(count)];
  for (const { first, size } of populations) {
    const all = Uint32Array.from({ length: size }, (_, row) => first + row);
    all.sort((one, other) => keys[one]! - keys[other]! || one - other);
    neurons.set(all, first);
    all.forEach((neuron, row) => (rows[neuron] = row));
  }
  return { rows, neurons };
}

/** The first step of each neuron; a number above all steps for silent ones. */
function firstSteps(count: number, each: EachSpike): Float64Array {
  const steps = new Float64Array(count).fill(Number.MAX_SAFE_INTEGER);
  each((step, neuron) => {
    if (step < steps[neuron]!) steps[neuron] = step;
  });
  return steps;
}

function negativeCounts(count: number, each: EachSpike): Float64Array {
  const counts = new Float64Array(count);
  each((_, neuron) => {
    counts[neuron] = counts[neuron]! - 1;
  });
  return counts;
}
