//! What statistics came to, as the plot of weights draws it.

use std::collections::VecDeque;

use spikelet_js::protocol::Measured;

use crate::session::Opened;

/// Most measurements of a statistic that are kept (40 bytes each): of more, every other one goes.
const MOST: usize = 2048;

/// Mean and spread at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moment {
    /// When, in ms.
    pub(crate) time_ms: f64,
    /// Mean over all synapses.
    pub(crate) mean: f64,
    /// Standard deviation about it.
    pub(crate) sd: f64,
    /// The least value.
    pub(crate) min: f64,
    /// The largest value.
    pub(crate) max: f64,
}

/// A statistic since t = 0.
#[derive(Debug, Default)]
pub(crate) struct Series {
    moments: VecDeque<Moment>,
    latest: Option<Moment>,
    /// The latest counts: not finite, below the range, above it, in each part.
    counts: Vec<u32>,
}

impl Series {
    /// What was kept of all its times, in their order.
    pub(crate) fn moments(&self) -> impl DoubleEndedIterator<Item = &Moment> {
        self.moments.iter()
    }

    /// The latest.
    pub(crate) fn latest(&self) -> Option<&Moment> {
        self.latest.as_ref()
    }

    /// How many synapses have a value in each part of the range, by the latest.
    pub(crate) fn parts(&self) -> &[u32] {
        self.counts.get(3..).unwrap_or_default()
    }

    /// How many values are no finite numbers, below the range, and above it.
    pub(crate) fn outside(&self) -> [u32; 3] {
        self.counts.first_chunk().copied().unwrap_or_default()
    }

    fn push(&mut self, moment: Moment) {
        self.latest = Some(moment);
        self.moments.push_back(moment);
        if self.moments.len() > MOST {
            let mut place = 0;
            self.moments.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
    }

    /// Takes in rows of moments and of counts, `parts` of them for the histogram.
    fn take(&mut self, dt_ms: f64, steps: &[u32], moments: &[f64], counts: &[u32], parts: usize) {
        for (step, row) in steps.iter().zip(moments.chunks_exact(4)) {
            self.push(Moment { time_ms: f64::from(*step) * dt_ms, mean: row[0], sd: row[1], min: row[2], max: row[3] });
        }
        if let Some(row) = counts.chunks_exact(3 + parts).next_back() {
            self.counts = row.to_vec();
        }
    }
}

/// All statistics of a network.
#[derive(Debug, Default)]
pub(crate) struct Measurements {
    series: Vec<Series>,
}

impl Measurements {
    /// Nothing yet of a network.
    pub(crate) fn new(opened: &Opened) -> Measurements {
        Measurements { series: opened.statistics.iter().map(|_| Series::default()).collect() }
    }

    /// A statistic, where there is one.
    pub(crate) fn series(&self, statistic: usize) -> Option<&Series> {
        self.series.get(statistic)
    }

    /// Forgets what was measured, not of what.
    pub(crate) fn clear(&mut self) {
        self.series.iter_mut().for_each(|series| *series = Series::default());
    }

    /// Takes in what the engine tells.
    pub(crate) fn take(&mut self, opened: &Opened, measured: &Measured) {
        let at = measured.statistic as usize;
        let (Some(series), Some(of)) = (self.series.get_mut(at), opened.statistics.get(at)) else { return };
        let parts = of.ends.len().saturating_sub(1);
        let (steps, moments, counts) = (measured.steps.to_vec(), measured.moments.to_vec(), measured.counts.to_vec());
        series.take(opened.dt_ms, &steps, &moments, &counts, parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_counts_stay_and_times_thin_out() {
        let mut series = Series::default();
        series.take(0.5, &[0, 100], &[1.0, 0.5, 0.0, 2.0, 1.5, 0.25, 0.5, 2.0], &[0, 0, 0, 3, 4, 0, 1, 2, 4, 0], 2);
        assert_eq!((series.outside(), series.parts()), ([0, 1, 2], &[4, 0][..]));
        let latest = Moment { time_ms: 50.0, mean: 1.5, sd: 0.25, min: 0.5, max: 2.0 };
        assert_eq!(series.latest(), Some(&latest));
        assert_eq!(series.moments().map(|moment| moment.mean).collect::<Vec<_>>(), [1.0, 1.5]);
        for step in 2..10_000 {
            series.take(0.5, &[step * 100], &[1.0, 0.0, 1.0, 1.0], &[0, 0, 0, 7, 0], 2);
        }
        let kept: Vec<f64> = series.moments().map(|moment| moment.time_ms).collect();
        assert!((MOST / 2..=MOST).contains(&kept.len()) && kept.is_sorted(), "{}", kept.len());
        assert_eq!(kept[0], 0.0);
        assert_eq!(series.latest().map(|latest| latest.time_ms), Some(499_950.0));
    }
}
