// The glow of spikes: each neuron's rate, estimated with an exponential kernel.

/** Time constants after which a spike is no longer seen. */
const LASTS = 6;

/** Spikes that can be visited in the order of steps, as those of the past of plots. */
export interface Visited {
  each(from: number, to: number, visit: (step: number, neuron: number) => void): void;
}

/**
 * The rate of each neuron in Hz at a step: the sum of exp(−age/τ)/τ over its spikes before that step.
 *
 * @param first Number of the first neuron. @param decayMs The time constant τ. @param rates One element per neuron; overwritten.
 */
export function glow(spikes: Visited, first: number, endStep: number, dtMs: number, decayMs: number, rates: Float32Array): void {
  rates.fill(0);
  const length = Math.max(1, Math.ceil((LASTS * decayMs) / dtMs));
  const kernel = Float32Array.from({ length: length + 1 }, (_, age) => (1000 / decayMs) * Math.exp((-age * dtMs) / decayMs));
  spikes.each(Math.max(0, endStep - length), endStep, (step, neuron) => {
    const place = neuron - first;
    if (place >= 0 && place < rates.length) rates[place] = rates[place]! + kernel[endStep - 1 - step]!;
  });
}
