//! What has happened lately, as the plots draw it: rings with a stated cap, so that a night of running fills nothing.

use std::collections::VecDeque;

use crate::session::Opened;

/// The longest stretch that can be shown, in ms. Everything older is forgotten.
pub(crate) const LONGEST_WINDOW_MS: f64 = 5000.0;

/// Most spikes kept (8 bytes each: 16 MiB). A window that had more shows the latest of them.
pub(crate) const MOST_SPIKES: usize = 1 << 21;

/// Most samples kept over all channels (4 bytes each: 16 MiB).
pub(crate) const MOST_SAMPLES: usize = 1 << 22;

/// Width of the narrowest rate bin in ms.
const RATE_BIN_MS: f64 = 5.0;

/// How many of the narrowest bins are one of a population of so many neurons: as few as make of a single spike 10 Hz at most, so that the
/// rate of one cell is none of 0 and 200 Hz.
fn bins_together(neurons: u32) -> usize {
    [1, 2, 4, 10].into_iter().find(|bins| *bins * neurons as usize >= 20).unwrap_or(20)
}

/// Width of a rate bin of a population of so many neurons, in ms.
pub(crate) fn rate_bin_ms(neurons: u32) -> f64 {
    RATE_BIN_MS * bins_together(neurons) as f64
}

/// A parameter that was changed while the network ran.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mark {
    /// The first step that saw it.
    pub(crate) step: u32,
    /// What changed: `E.taum = 15 ms`.
    pub(crate) text: String,
}

/// Spikes, rates and samples of the open network.
#[derive(Debug, Default)]
pub(crate) struct History {
    dt_ms: f64,
    /// First neuron of each population, and how many it has.
    populations: Vec<(u32, u32)>,
    channels: usize,
    /// Steps done.
    steps: u32,
    spikes: VecDeque<Spike>,
    spike_count: u64,
    /// Spikes per bin and population, bin after bin; the last bin is still filling.
    counts: VecDeque<u32>,
    first_bin: usize,
    bin_steps: u32,
    /// Rows of samples, a column per channel.
    samples: VecDeque<f32>,
    next_sample: u32,
    marks: VecDeque<Mark>,
}

/// A spike as it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spike {
    /// Step it fell in.
    pub(crate) step: u32,
    /// Global number of its neuron.
    pub(crate) neuron: u32,
}

impl History {
    /// An empty history of a network.
    pub(crate) fn new(opened: &Opened) -> History {
        History {
            dt_ms: opened.dt_ms,
            populations: opened.network.populations.iter().map(|p| (p.first, p.size)).collect(),
            channels: opened.channels.len(),
            bin_steps: ((RATE_BIN_MS / opened.dt_ms).round() as u32).max(1),
            ..History::default()
        }
    }

    /// Forgets what happened, not the network.
    pub(crate) fn clear(&mut self) {
        *self = History {
            dt_ms: self.dt_ms,
            populations: std::mem::take(&mut self.populations),
            channels: self.channels,
            bin_steps: self.bin_steps,
            ..History::default()
        };
    }

    /// Takes in the spikes of a batch that ends at step `end` (exclusive). `neurons` and `steps` have an entry per spike.
    pub(crate) fn push_spikes(&mut self, end: u32, neurons: &[u32], steps: &[u32]) {
        self.steps = end;
        self.spike_count += neurons.len() as u64;
        for (&neuron, &step) in neurons.iter().zip(steps) {
            self.spikes.push_back(Spike { step, neuron });
            self.count(neuron, step);
        }
        self.forget();
    }

    /// Takes in the samples of a batch: row after row from the step `first` on, a column per channel.
    pub(crate) fn push_samples(&mut self, first: u32, rows: &[f32]) {
        let Some(count) = rows.len().checked_div(self.channels) else { return };
        self.samples.extend(rows);
        self.next_sample = first + count as u32;
        let window = (LONGEST_WINDOW_MS / self.dt_ms) as usize + 1;
        let most = window.min(MOST_SAMPLES / self.channels).max(1);
        let kept = self.samples.len() / self.channels;
        self.samples.drain(..kept.saturating_sub(most) * self.channels);
    }

    /// Notes a change of a parameter.
    pub(crate) fn mark(&mut self, step: u32, text: String) {
        let name = |text: &str| text.split(" =").next().map(str::to_owned);
        // A slider that is dragged gives one mark, not fifty.
        let near = (50.0 / self.dt_ms) as u32;
        if let Some(last) = self.marks.back_mut()
            && name(&last.text) == name(&text)
            && step.saturating_sub(last.step) < near
        {
            *last = Mark { step, text };
        } else {
            self.marks.push_back(Mark { step, text });
        }
    }

    fn count(&mut self, neuron: u32, step: u32) {
        let Some(population) = self.populations.iter().position(|&(first, size)| (first..first + size).contains(&neuron)) else {
            return;
        };
        let Some(bin) = ((step / self.bin_steps) as usize).checked_sub(self.first_bin) else {
            return;
        };
        let at = bin * self.populations.len() + population;
        if at >= self.counts.len() {
            self.counts.resize((bin + 1) * self.populations.len(), 0);
        }
        self.counts[at] += 1;
    }

    fn forget(&mut self) {
        let oldest = self.steps.saturating_sub((LONGEST_WINDOW_MS / self.dt_ms) as u32);
        let gone = self.spikes.partition_point(|spike| spike.step < oldest);
        let gone = gone.max(self.spikes.len().saturating_sub(MOST_SPIKES));
        self.spikes.drain(..gone);

        let first_bin = (oldest / self.bin_steps) as usize;
        let gone = (first_bin - self.first_bin) * self.populations.len();
        self.counts.drain(..gone.min(self.counts.len()));
        self.first_bin = first_bin;
        while self.marks.front().is_some_and(|mark| mark.step < oldest) {
            self.marks.pop_front();
        }
    }

    /// Time done, in ms.
    pub(crate) fn now_ms(&self) -> f64 {
        f64::from(self.steps) * self.dt_ms
    }

    /// Length of a step in ms.
    pub(crate) fn dt_ms(&self) -> f64 {
        self.dt_ms
    }

    /// All spikes since t = 0, also those no longer kept.
    pub(crate) fn spike_count(&self) -> u64 {
        self.spike_count
    }

    /// The spikes from `from_ms` on, the latest first.
    pub(crate) fn spikes_since(&self, from_ms: f64) -> impl Iterator<Item = Spike> {
        let from = (from_ms / self.dt_ms).max(0.0).ceil() as u32;
        self.spikes.iter().rev().copied().take_while(move |spike| spike.step >= from)
    }

    /// How many spikes there are from `from_ms` on.
    pub(crate) fn count_since(&self, from_ms: f64) -> usize {
        let from = (from_ms / self.dt_ms).max(0.0).ceil() as u32;
        self.spikes.len() - self.spikes.partition_point(|spike| spike.step < from)
    }

    /// Changes of parameters that are still kept.
    pub(crate) fn marks(&self) -> impl Iterator<Item = &Mark> {
        self.marks.iter()
    }

    /// Mean rates of a population: start of each complete bin of [`rate_bin_ms`] in ms, and the rate in Hz.
    pub(crate) fn rates(&self, population: usize) -> impl Iterator<Item = (f64, f64)> {
        let neurons = self.populations[population].1;
        let together = bins_together(neurons);
        let width_ms = f64::from(self.bin_steps) * self.dt_ms * together as f64;
        let per_hz = f64::from(neurons) * width_ms / 1000.0;
        let complete = (self.steps / self.bin_steps) as usize / together;
        (self.first_bin.div_ceil(together)..complete).map(move |bin| {
            let narrow = bin * together - self.first_bin..(bin + 1) * together - self.first_bin;
            let counts = narrow.map(|bin| self.counts.get(bin * self.populations.len() + population).copied().unwrap_or(0));
            (bin as f64 * width_ms, f64::from(counts.sum::<u32>()) / per_hz)
        })
    }

    /// The sample of a channel at a step.
    pub(crate) fn value(&self, channel: usize, step: u32) -> Option<f32> {
        let rows = self.samples.len().checked_div(self.channels).unwrap_or(0);
        let back = self.next_sample.checked_sub(step)? as usize;
        self.samples.get(rows.checked_sub(back)? * self.channels + channel).copied()
    }

    /// Samples of a channel from `from_ms` on: time in ms and value.
    pub(crate) fn trace(&self, channel: usize, from_ms: f64) -> impl Iterator<Item = (f64, f32)> {
        let rows = self.samples.len().checked_div(self.channels).unwrap_or(0);
        let first_ms = (f64::from(self.next_sample) - rows as f64) * self.dt_ms;
        let skip = ((from_ms - first_ms) / self.dt_ms).floor().max(0.0) as usize;
        (skip..rows).map(move |row| (first_ms + row as f64 * self.dt_ms, self.samples[row * self.channels + channel]))
    }
}

#[cfg(test)]
mod tests {
    use spikelet_js::protocol::{BackendKind, BackendSummary, BuildSeconds, Channel, PopulationSummary, Summary};

    use super::*;

    fn opened(channels: usize) -> Opened {
        let population = |name: &str, size, first| PopulationSummary {
            name: name.into(),
            source: false,
            size,
            first,
            parameters: Vec::new(),
            variables: Vec::new(),
        };
        let channel = Channel { label: "E.v[0]".into(), variable: "v".into(), unit: "mV".into(), neuron: 0 };
        Opened {
            id: 1,
            network: Summary {
                name: "pair".into(),
                description: String::new(),
                populations: vec![population("E", 40, 0), population("I", 1, 40)],
                projections: Vec::new(),
            },
            synapses: 0,
            dt_ms: 0.5,
            backend: BackendSummary {
                kind: BackendKind::Cpu,
                name: "CPU".into(),
                threads: 1,
                reason: String::new(),
                facts: Vec::new(),
            },
            build: BuildSeconds::default(),
            buffers: Vec::new(),
            channels: vec![channel; channels],
            statistics: Vec::new(),
            has_weights: false,
        }
    }

    #[test]
    fn rates_count_complete_bins_of_each_population() {
        let mut history = History::new(&opened(0));
        // Bins of 10 steps; steps 0..25: two complete bins.
        history.push_spikes(25, &[0, 1, 40, 40, 3], &[0, 9, 9, 10, 24]);
        let rates = |history: &History, population| history.rates(population).map(|(_, rate)| rate).collect::<Vec<_>>();
        assert_eq!(rates(&history, 0), [10.0, 0.0]);
        assert_eq!(rates(&history, 1), [0.0; 0], "the bins of one cell are of 100 ms");
        assert_eq!(history.spike_count(), 5);
        assert_eq!(history.now_ms(), 12.5);
        history.push_spikes(410, &[40, 40], &[199, 200]);
        assert_eq!(history.rates(1).collect::<Vec<_>>(), [(0.0, 30.0), (100.0, 10.0)]);
    }

    #[test]
    fn a_spike_of_a_small_population_is_no_peak() {
        assert_eq!([1, 2, 5, 10, 20, 4000].map(rate_bin_ms), [100.0, 50.0, 20.0, 10.0, 5.0, 5.0]);
    }

    #[test]
    fn what_is_older_than_the_longest_window_is_forgotten() {
        let mut history = History::new(&opened(2));
        let mut step = 0;
        while f64::from(step) * 0.5 < 3.0 * LONGEST_WINDOW_MS {
            let rows: Vec<f32> = (step..step + 100).flat_map(|row| [row as f32, -(row as f32)]).collect();
            history.mark(step, format!("E.taum = {step} ms"));
            history.push_spikes(step + 100, &[0, 5], &[step, step + 99]);
            history.push_samples(step, &rows);
            step += 100;
        }
        let now = history.now_ms();
        let window = (LONGEST_WINDOW_MS / 0.5) as usize;
        assert_eq!(history.spikes_since(0.0).count(), window / 100 * 2);
        assert_eq!(history.spikes_since(now - 50.0).count(), 2);
        assert_eq!(history.count_since(now - 50.0), 2);
        assert_eq!(history.spike_count(), u64::from(step / 100 * 2));
        assert!(history.marks().count() <= window / 100);
        assert_eq!(history.rates(0).count(), (LONGEST_WINDOW_MS / RATE_BIN_MS) as usize);
        let (at_ms, value) = history.trace(1, now - 0.6).next().expect("there are samples");
        assert!(at_ms >= now - 1.2, "{at_ms}");
        assert_eq!(f64::from(value), -at_ms / 0.5);
        assert_eq!(history.trace(0, 0.0).count(), window + 1);
        assert_eq!(history.value(0, step - 1), Some((step - 1) as f32));
        assert_eq!(history.value(1, step - 7), Some(-((step - 7) as f32)));
        assert_eq!((history.value(0, step), history.value(0, 0)), (None, None));
        history.clear();
        assert_eq!((history.now_ms(), history.spike_count(), history.trace(0, 0.0).count()), (0.0, 0, 0));
    }

    #[test]
    fn a_dragged_slider_leaves_one_mark() {
        let mut history = History::new(&opened(0));
        for (step, text) in [(0, "E.a = 1"), (10, "E.a = 2"), (20, "E.b = 1"), (1000, "E.b = 2")] {
            history.mark(step, text.into());
        }
        let marks: Vec<_> = history.marks().map(|mark| mark.text.as_str()).collect();
        assert_eq!(marks, ["E.a = 2", "E.b = 1", "E.b = 2"]);
    }
}
