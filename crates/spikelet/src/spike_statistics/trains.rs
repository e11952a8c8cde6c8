//! The sums of one neuron.

use serde::{Deserialize, Serialize};

/// Intervals and counts of one neuron.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Train {
    pub(super) spikes: u64,
    /// The step of the last spike, and the interval before it.
    last: u32,
    interval: u32,
    /// Intervals in steps: their sum and the sum of their squares.
    sum: u64,
    squares: u64,
    /// Of two successive intervals: the sum of their differences divided by their sums, and of the squares.
    ratios: f64,
    ratio_squares: f64,
    pub(super) windows: Counts,
    pub(super) counts: Counts,
}

/// Counts in successive windows.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Counts {
    /// The window of the last spike, and the spikes in it.
    window: u32,
    run: u64,
    /// Sums of the earlier counts, and of their squares.
    first: u64,
    second: u64,
}

impl Counts {
    fn add(&mut self, window: u32) {
        if window != self.window {
            [self.first, self.second] = [self.first + self.run, self.second + self.run * self.run];
            (self.window, self.run) = (window, 0);
        }
        self.run += 1;
    }

    /// The sums of the counts, and of their squares, over this number of complete windows.
    pub(super) fn moments(&self, windows: u32) -> [u64; 2] {
        let run = if self.window < windows { self.run } else { 0 };
        [self.first + run, self.second + run * run]
    }
}

impl Train {
    /// Adds a spike; returns the interval before it, if there is one.
    pub(super) fn add(&mut self, step: u32, window_steps: u32, count_steps: u32) -> Option<u32> {
        self.windows.add(step / window_steps);
        self.counts.add(step / count_steps);
        let interval = step - self.last;
        if self.spikes > 0 {
            self.sum += u64::from(interval);
            self.squares += u64::from(interval).pow(2);
        }
        if self.spikes > 1 {
            let (one, next) = (f64::from(self.interval), f64::from(interval));
            let ratio = (next - one).abs() / (next + one);
            self.ratios += ratio;
            self.ratio_squares += ratio * ratio;
        }
        let has_interval = self.spikes > 0;
        self.spikes += 1;
        (self.last, self.interval) = (step, interval);
        has_interval.then_some(interval)
    }

    /// Population standard deviation of the intervals divided by their mean; two spikes or more are needed.
    pub(super) fn cv(&self) -> f64 {
        let intervals = (self.spikes - 1) as f64;
        let mean = self.sum as f64 / intervals;
        (self.squares as f64 / intervals - mean * mean).max(0.0).sqrt() / mean
    }

    /// Three spikes or more are needed.
    pub(super) fn cv2(&self) -> f64 {
        2.0 * self.ratios / (self.spikes - 2) as f64
    }

    /// Three spikes or more are needed.
    pub(super) fn lv(&self) -> f64 {
        3.0 * self.ratio_squares / (self.spikes - 2) as f64
    }
}
