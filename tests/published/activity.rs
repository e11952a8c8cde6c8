use std::ops::Range;

use spikelet::{Cpu, Network, Spike, catalogue};
use spikelet_tests::run;

/// The spikes of a network.
pub(crate) struct Activity {
    pub(crate) network: Network,
    pub(crate) spikes: Vec<Spike>,
}

impl Activity {
    /// A network of the catalogue over its own duration, on two CPU threads.
    pub(crate) fn of(name: &str, scale: f64, seed: u64) -> Activity {
        let network = catalogue::network(name, scale).unwrap();
        let duration = network.duration_ms;
        Activity::over(Network { seed, ..network }, duration)
    }

    /// `network` over so many ms, on two CPU threads.
    pub(crate) fn over(network: Network, time_ms: f64) -> Activity {
        let spikes = run(&network, Box::new(Cpu::new(2)), time_ms, 1000).unwrap().spikes;
        Activity { network, spikes }
    }

    fn neurons(&self, population: &str) -> Range<u32> {
        let place = self.network.populations.iter().position(|of| of.name == population).unwrap();
        let first: u32 = self.network.populations[..place].iter().map(|of| of.size).sum();
        first..first + self.network.populations[place].size
    }

    /// Index in the population and time in ms of its spikes, by time.
    pub(crate) fn of_population(&self, population: &str) -> Vec<(u32, f64)> {
        let neurons = self.neurons(population);
        let spikes = self.spikes.iter().filter(|spike| neurons.contains(&spike.neuron));
        spikes.map(|spike| (spike.neuron - neurons.start, f64::from(spike.step) * self.network.dt_ms)).collect()
    }

    /// Mean rate of a population in a window, in Hz.
    pub(crate) fn rate_hz(&self, population: &str, window_ms: Range<f64>) -> f64 {
        let count = self.of_population(population).iter().filter(|(_, time)| window_ms.contains(time)).count();
        count as f64 / self.neurons(population).len() as f64 / (window_ms.end - window_ms.start) * 1000.0
    }

    /// Spikes of a population in bins of 1 ms.
    pub(crate) fn histogram(&self, population: &str, window_ms: Range<f64>) -> Vec<f64> {
        let mut bins = vec![0.0; (window_ms.end - window_ms.start) as usize];
        for (_, time) in self.of_population(population) {
            // Half a step keeps a spike on the edge of a bin inside it.
            let bin = (time - window_ms.start + self.network.dt_ms / 2.0).floor();
            if bin >= 0.0 && (bin as usize) < bins.len() {
                bins[bin as usize] += 1.0;
            }
        }
        bins
    }
}

/// Correlation of a series with itself so many places later.
pub(crate) fn autocorrelation(series: &[f64], lag: usize) -> f64 {
    let mean = series.iter().sum::<f64>() / series.len() as f64;
    let product = |pairs: &mut dyn Iterator<Item = (f64, f64)>| pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let all = product(&mut series.iter().map(|value| (*value, *value)));
    product(&mut series.iter().copied().zip(series[lag..].iter().copied())) / all
}
