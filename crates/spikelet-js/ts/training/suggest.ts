// A training for any network, to begin with.

interface Part {
  duration_ms?: number;
  name?: string;
  size?: number;
  pre?: string;
  post?: string;
}

/**
 * A training of a network, as JSON: all weights, by backpropagation through time, so that the last population tells patterns of spikes of the first
 * source apart.
 */
export function suggested(network: string): string {
  const { name = "network", duration_ms = 100, sources = [], populations = [], projections = [] } = JSON.parse(network) as Record<"sources" | "populations" | "projections", Part[]> & Part;
  const [input, output] = [sources[0], populations.at(-1)];
  return JSON.stringify({
    name,
    network: JSON.parse(network) as object,
    input: input?.name ?? "the name of a source",
    data: { generate: "randman", channels: input?.size ?? 1, classes: Math.max(2, Math.min(output?.size ?? 2, 10)), duration_ms, train: 1000, test: 200 },
    method: "bptt",
    train: projections.map(({ name, pre, post }) => ({ path: name ?? `${pre}_${post}` })),
    loss: [{ type: "cross_entropy", population: output?.name ?? "the name of a population", reading: "count" }],
    optimiser: { type: "adam", rate: 0.002 },
    batch: 32,
    epochs: 20,
  });
}
