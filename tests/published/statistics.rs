use spikelet::Spike;

/// How long the runs are, in ms.
pub(crate) const TIME_MS: f64 = 1000.0;
/// What is left out at their start.
pub(crate) const WARMUP_MS: f64 = 200.0;

/// Statistics of a group of neurons, as the conformance corpus defines them (window from 200 ms to 1 s).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Statistics {
    pub(crate) rate_hz: f64,
    pub(crate) cv_isi: f64,
    pub(crate) silent: f64,
    pub(crate) rate_sd_hz: f64,
    pub(crate) fano_1ms: f64,
}

pub(crate) const NAMES: [&str; 5] = ["rate", "CV of ISI", "silent share", "sd of rates", "Fano factor"];

impl Statistics {
    pub(crate) fn array(self) -> [f64; 5] {
        [self.rate_hz, self.cv_isi, self.silent, self.rate_sd_hz, self.fano_1ms]
    }

    pub(crate) fn mean(all: &[Statistics]) -> [f64; 5] {
        std::array::from_fn(|k| all.iter().map(|one| one.array()[k]).sum::<f64>() / all.len() as f64)
    }
}

pub(crate) fn statistics(spikes: &[Spike], neurons: std::ops::Range<u32>, dt_ms: f64) -> Statistics {
    let mut times = vec![Vec::new(); neurons.len()];
    let mut bins = vec![0.0; (TIME_MS - WARMUP_MS) as usize];
    for spike in spikes.iter().filter(|spike| neurons.contains(&spike.neuron)) {
        let time = f64::from(spike.step) * dt_ms - WARMUP_MS;
        // Half a step keeps a spike on the edge of a bin inside it.
        let bin = (time + dt_ms / 2.0).floor();
        if bin >= 0.0 {
            times[(spike.neuron - neurons.start) as usize].push(time);
            bins[bin as usize] += 1.0;
        }
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let variance = |values: &[f64]| mean(&values.iter().map(|value| value * value).collect::<Vec<_>>()) - mean(values).powi(2);
    let rates: Vec<f64> = times.iter().map(|times| times.len() as f64 / (TIME_MS - WARMUP_MS) * 1000.0).collect();
    let irregular: Vec<f64> = times
        .iter()
        .filter(|times| times.len() >= 4)
        .map(|times| {
            let intervals: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
            variance(&intervals).max(0.0).sqrt() / mean(&intervals)
        })
        .collect();
    Statistics {
        rate_hz: mean(&rates),
        cv_isi: mean(&irregular),
        silent: times.iter().filter(|times| times.is_empty()).count() as f64 / times.len() as f64,
        rate_sd_hz: variance(&rates).sqrt(),
        fano_1ms: variance(&bins) / mean(&bins),
    }
}
