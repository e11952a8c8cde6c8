/** The statistics of the spikes of a population. A measure is null if the spikes are too few for it; docs/runs.md has their definitions. */
export interface PopulationStatistics {
  population: string;
  neurons: number;
  spikes: number;
  /** Mean rate in Hz. */
  rate: number | null;
  cv: number | null;
  cv2: number | null;
  lv: number | null;
  fano: number | null;
  synchrony: number | null;
  correlation: { mean: number; sd: number; pairs: number } | null;
  /** Frequency in Hz with the largest power. */
  peak: number | null;
  /** Numbers of intervals in bins of `interval_ms`; the last has all longer ones. */
  intervals: number[];
  interval_ms: number;
  /** The rate in bins of `bin_ms`. */
  course: { bin_ms: number; hz: number[] };
  /** Power spectral density at multiples of `step_hz`. */
  spectrum: { step_hz: number; power: number[]; segments: number } | null;
}

/** The statistics of the spikes of a run: `spike_statistics` of the report of `spikelet run --statistics --json`. */
export interface SpikeStatistics {
  /** The time that counts, in ms. */
  from_ms: number;
  to_ms: number;
  populations: PopulationStatistics[];
  /** Of each pair of the first eight populations, and of each with itself. */
  correlograms: { of: string; with: string; lag_ms: number; values: number[] | null }[];
}
