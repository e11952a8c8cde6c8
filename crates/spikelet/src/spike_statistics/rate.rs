//! The rate of a population over time.

use serde::{Deserialize, Serialize};

/// Maximum number of bins; above it two become one.
const MAX_BINS: usize = 4096;

/// A population rate in successive bins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RateCourse {
    /// Width of a bin in ms: that of the options, or in a long run a multiple of it by a power of two.
    pub bin_ms: f64,
    /// Mean rate of a neuron in each complete bin, in Hz.
    pub hz: Vec<f64>,
}

/// Counts in bins that double their width instead of becoming more.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RateBins {
    counts: Vec<u64>,
    /// Pushed bins that make one, and how many the last, incomplete one has.
    joined: u32,
    pending: u32,
    sum: u64,
}

impl Default for RateBins {
    fn default() -> RateBins {
        RateBins { counts: Vec::new(), joined: 1, pending: 0, sum: 0 }
    }
}

impl RateBins {
    pub(super) fn push(&mut self, count: u32) {
        self.sum += u64::from(count);
        self.pending += 1;
        if self.pending < self.joined {
            return;
        }
        self.counts.push(std::mem::take(&mut self.sum));
        self.pending = 0;
        if self.counts.len() == MAX_BINS {
            self.counts = self.counts.chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
            self.joined *= 2;
        }
    }

    /// The rates, for bins pushed of this width; `to_hz` is the rate of one spike in such a bin.
    pub(super) fn course(&self, bin_ms: f64, to_hz: f64) -> RateCourse {
        let joined = f64::from(self.joined);
        RateCourse { bin_ms: bin_ms * joined, hz: self.counts.iter().map(|count| *count as f64 * to_hz / joined).collect() }
    }
}
