//! Statistics of the spikes of a run, as they come: memory does not grow with the length of the run.
//!
//! Definitions are those of the measures of plots (`crates/spikelet-js/ts/plots/measure/measures.ts`), with the same names. Windows and bins
//! are whole numbers of steps and start at the first step that counts; only complete ones count.

mod correlogram;
mod pairs;
mod rate;
mod spectrum;
#[cfg(test)]
mod tests;
mod trains;

use serde::{Deserialize, Serialize};

use crate::{Plan, Spike};
pub use correlogram::Correlogram;
use correlogram::Products;
use pairs::PairCounts;
pub use pairs::PairwiseCorrelation;
use rate::RateBins;
pub use rate::RateCourse;
pub use spectrum::PowerSpectrum;
use spectrum::Welch;
use trains::Train;

/// Bins and windows of [`SpikeStatistics`], in ms. Each is rounded to a whole number of steps, 1 or more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpikeStatisticsOptions {
    /// Earlier spikes do not count.
    pub from_ms: f64,
    /// Bins of rates, spectra and correlograms.
    pub rate_ms: f64,
    /// Bins of the synchrony index and of pairwise correlations.
    pub count_ms: f64,
    /// Windows of the Fano factor.
    pub window_ms: f64,
    /// The largest lag of correlograms.
    pub lag_ms: f64,
}

/// From the start, with the bins and windows of the plots.
impl Default for SpikeStatisticsOptions {
    fn default() -> SpikeStatisticsOptions {
        SpikeStatisticsOptions { from_ms: 0.0, rate_ms: 1.0, count_ms: 5.0, window_ms: 100.0, lag_ms: 50.0 }
    }
}

/// Width of the bins of a histogram of intervals in ms, and their number; longer intervals are counted together.
const INTERVAL_MS: f64 = 1.0;
const INTERVALS: usize = 500;
/// Minimum number of spikes of a neuron for the measures of its intervals, as in the summary of a run.
const MIN_SPIKES: u64 = 4;
/// Maximum number of populations with correlograms: their number grows with the square.
const CORRELATED: usize = 8;

/// The sums from which the statistics follow.
///
/// Each neuron has some 100 bytes, each population a histogram, its rate in at most 4096 bins, segments of spectra of seven lengths, and the
/// pairs of at most 64 neurons; each pair of the first eight populations has a correlogram.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SpikeStatistics {
    dt_ms: f64,
    /// The first step that counts, and the first whose spikes are not known.
    from: u32,
    until: u32,
    rate_steps: u32,
    count_steps: u32,
    window_steps: u32,
    trains: Vec<Train>,
    populations: Vec<PopulationSums>,
    /// Completed bins of rates and of counts.
    rate_bins: u32,
    count_bins: u32,
    /// Of each pair of populations, the first of which is not after the second.
    products: Vec<Products>,
}

/// The sums of a population.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct PopulationSums {
    name: String,
    first: u32,
    size: u32,
    intervals: Vec<u64>,
    /// Spikes in the current bin of the rate.
    in_bin: u32,
    rate: RateBins,
    welch: Welch,
    /// Spikes in the current bin of counts, and the sums of all counts and of their squares.
    in_count: u64,
    counts: [u64; 2],
    pairs: PairCounts,
}

/// The statistics of a population. A measure is `None` if the spikes are too few for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PopulationStatistics {
    /// Its name.
    pub population: String,
    /// Number of neurons.
    pub neurons: u32,
    /// Number of spikes that count.
    pub spikes: u64,
    /// Mean rate in Hz.
    pub rate: Option<f64>,
    /// Coefficient of variation of the intervals of a neuron, averaged over neurons with at least four spikes (Softky & Koch 1993).
    pub cv: Option<f64>,
    /// Mean of 2|I₂ − I₁|/(I₂ + I₁) of successive intervals of a neuron, averaged over the same neurons (Holt et al. 1996, eq. 1).
    pub cv2: Option<f64>,
    /// Local variation, the mean of 3(I₁ − I₂)²/(I₁ + I₂)², averaged over the same neurons (Shinomoto et al. 2003, eq. 2.1).
    pub lv: Option<f64>,
    /// Variance (of a sample) of the number of spikes of a neuron in windows, divided by the mean, averaged over neurons with spikes (Fano 1947).
    pub fano: Option<f64>,
    /// Synchrony index χ of counts: standard deviation of the mean of all neurons divided by the root mean square of those of single neurons
    /// (Golomb 2007).
    pub synchrony: Option<f64>,
    /// Correlation coefficients of counts of pairs of neurons.
    pub correlation: Option<PairwiseCorrelation>,
    /// Frequency in Hz with the largest power of the population rate, from twice the resolution on.
    pub peak: Option<f64>,
    /// Number of intervals between spikes of a neuron in bins of `interval_ms`; the last has all longer ones.
    pub intervals: Vec<u64>,
    /// Width of these bins in ms.
    pub interval_ms: f64,
    /// The population rate over time.
    pub course: RateCourse,
    /// Power spectral density of the population rate by Welch's method (Welch 1967).
    pub spectrum: Option<PowerSpectrum>,
}

/// All statistics of the spikes of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpikeSummary {
    /// The time span that counts, in ms.
    pub from_ms: f64,
    /// Its end.
    pub to_ms: f64,
    /// Of each population and source, in the order of their neurons.
    pub populations: Vec<PopulationStatistics>,
    /// Of each pair of the first eight of them, and of each with itself.
    pub correlograms: Vec<Correlogram>,
}

impl SpikeSummary {
    /// As in the report of the command line.
    pub fn to_json(&self) -> String {
        // Its keys are text and its numbers finite, so it is JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl SpikeStatistics {
    /// For the spikes of a plan.
    pub fn new(plan: &Plan, options: &SpikeStatisticsOptions) -> SpikeStatistics {
        let populations: Vec<(&str, u32)> = plan.populations.iter().map(|of| (of.name.as_str(), of.size)).collect();
        SpikeStatistics::of_populations(&populations, plan.dt_ms, options)
    }

    /// For populations of these names and sizes, whose neurons are numbered one population after the other.
    pub fn of_populations(populations: &[(&str, u32)], dt_ms: f64, options: &SpikeStatisticsOptions) -> SpikeStatistics {
        let steps = |ms: f64| libm::round(ms / dt_ms).max(1.0) as u32;
        let from = libm::ceil(options.from_ms / dt_ms - 1e-6).max(0.0) as u32;
        let mut first = 0;
        let sums = populations.iter().map(|(name, size)| {
            let (start, size) = (first, *size);
            first += size;
            PopulationSums {
                name: (*name).to_owned(),
                first: start,
                size,
                intervals: vec![0; INTERVALS + 1],
                in_bin: 0,
                rate: RateBins::default(),
                welch: Welch::new(),
                in_count: 0,
                counts: [0; 2],
                pairs: PairCounts::new(size),
            }
        });
        let sums: Vec<PopulationSums> = sums.collect();
        let (correlated, lags) = (sums.len().min(CORRELATED), libm::round(options.lag_ms / options.rate_ms).max(0.0) as usize);
        let pairs = (0..correlated).flat_map(|one| (one..correlated).map(move |other| [one, other]));
        SpikeStatistics {
            dt_ms,
            from,
            until: from,
            rate_steps: steps(options.rate_ms),
            count_steps: steps(options.count_ms),
            window_steps: steps(options.window_ms),
            trains: vec![Train::default(); first as usize],
            products: pairs.map(|pair| Products::new(pair, lags)).collect(),
            populations: sums,
            rate_bins: 0,
            count_bins: 0,
        }
    }

    /// Adds all spikes of the steps before `until` that were not added before, in the order of time.
    pub fn add(&mut self, spikes: &[Spike], until: u32) {
        let (rate_steps, count_steps, window_steps) = (self.rate_steps, self.count_steps, self.window_steps);
        let interval = INTERVAL_MS / self.dt_ms;
        for Spike { step, neuron } in &spikes[spikes.partition_point(|spike| spike.step < self.from)..] {
            let at = step - self.from;
            self.close(at / rate_steps, at / count_steps);
            let index = self.populations.partition_point(|of| of.first <= *neuron) - 1;
            let population = &mut self.populations[index];
            if let Some(steps) = self.trains[*neuron as usize].add(at, window_steps, count_steps) {
                let bin = (f64::from(steps) / interval + 1e-9) as usize;
                population.intervals[bin.min(INTERVALS)] += 1;
            }
            population.in_bin += 1;
            population.in_count += 1;
            population.pairs.add(neuron - population.first);
        }
        self.until = self.until.max(until);
        let steps = self.until - self.from;
        self.close(steps / rate_steps, steps / count_steps);
    }

    /// Completes the bins before these.
    fn close(&mut self, rate_bin: u32, count_bin: u32) {
        while self.rate_bins < rate_bin {
            let counts: Vec<u32> = self.populations.iter().map(|population| population.in_bin).collect();
            self.products.iter_mut().for_each(|products| products.push(&counts));
            for population in &mut self.populations {
                let count = std::mem::take(&mut population.in_bin);
                population.rate.push(count);
                population.welch.push(f64::from(count));
            }
            self.rate_bins += 1;
        }
        while self.count_bins < count_bin {
            for population in &mut self.populations {
                let count = std::mem::take(&mut population.in_count);
                population.counts[0] += count;
                population.counts[1] += count * count;
                population.pairs.close();
            }
            self.count_bins += 1;
        }
    }

    /// The statistics of all spikes so far.
    pub fn summary(&self) -> SpikeSummary {
        let steps = self.until - self.from;
        let time = |step: u32| spikelet_plan::time::of_step(step, self.dt_ms);
        SpikeSummary {
            from_ms: time(self.from),
            to_ms: time(self.until),
            populations: self.populations.iter().map(|population| self.of(population, steps)).collect(),
            correlograms: self.products.iter().map(|products| self.correlogram(products)).collect(),
        }
    }

    fn correlogram(&self, products: &Products) -> Correlogram {
        let [one, other] = products.pair.map(|index| self.populations[index].name.clone());
        Correlogram { of: one, with: other, lag_ms: f64::from(self.rate_steps) * self.dt_ms, values: products.coefficients() }
    }

    fn of(&self, population: &PopulationSums, steps: u32) -> PopulationStatistics {
        let trains = &self.trains[population.first as usize..(population.first + population.size) as usize];
        let (spikes, size) = (trains.iter().map(|train| train.spikes).sum::<u64>(), f64::from(population.size));
        let mean_over = |values: &mut dyn Iterator<Item = f64>| {
            let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
            (count > 0).then(|| sum / f64::from(count))
        };
        let regular = || trains.iter().filter(|train| train.spikes >= MIN_SPIKES);
        let windows = steps / self.window_steps;
        let fano = |train: &Train| {
            let [first, second] = train.windows.moments(windows);
            let count = f64::from(windows);
            (first > 0).then(|| {
                let first = first as f64;
                (second as f64 - first * first / count) / (count - 1.0) / (first / count)
            })
        };
        let bin_ms = f64::from(self.rate_steps) * self.dt_ms;
        let to_hz = 1000.0 / (size * bin_ms);
        let spectrum = population.welch.spectrum(1000.0 / bin_ms, to_hz * to_hz);
        PopulationStatistics {
            population: population.name.clone(),
            neurons: population.size,
            spikes,
            rate: (steps > 0).then(|| 1000.0 * spikes as f64 / (size * f64::from(steps) * self.dt_ms)),
            cv: mean_over(&mut regular().map(Train::cv)),
            cv2: mean_over(&mut regular().map(Train::cv2)),
            lv: mean_over(&mut regular().map(Train::lv)),
            fano: if windows < 2 { None } else { mean_over(&mut trains.iter().filter_map(fano)) },
            synchrony: self.synchrony(population, trains),
            correlation: population.pairs.correlation(self.count_bins),
            peak: spectrum.as_ref().and_then(PowerSpectrum::peak_hz),
            intervals: population.intervals.clone(),
            interval_ms: INTERVAL_MS,
            course: population.rate.course(bin_ms, to_hz),
            spectrum,
        }
    }

    fn synchrony(&self, population: &PopulationSums, trains: &[Train]) -> Option<f64> {
        let bins = f64::from(self.count_bins);
        let variance = |[first, second]: [u64; 2]| second as f64 / bins - (first as f64 / bins).powi(2);
        let single: f64 = trains.iter().map(|train| variance(train.counts.moments(self.count_bins))).sum();
        let together = variance(population.counts).max(0.0);
        (self.count_bins >= 2 && trains.len() >= 2 && single > 0.0).then(|| (together / (trains.len() as f64 * single)).sqrt())
    }
}
