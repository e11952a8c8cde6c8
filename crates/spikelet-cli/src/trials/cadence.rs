//! When checkpoints are due.

use std::time::{Duration, Instant};

use crate::args::RunArguments;

/// The times of checkpoints.
#[derive(Debug)]
pub(super) struct Cadence {
    /// Interval of wall time.
    wall: Option<Duration>,
    /// Interval in steps.
    steps: Option<u32>,
    last: Instant,
    last_step: u32,
    /// Wall time of the last checkpoint.
    took: Duration,
}

/// Between groups of trials, checkpoints take at most this part of the time.
const SHARE: u32 = 20;

impl Cadence {
    /// As the arguments say, for steps of this length.
    pub(super) fn new(args: &RunArguments, dt_ms: f64) -> Cadence {
        let steps = |ms: f64| (ms / dt_ms).round().clamp(1.0, f64::from(i32::MAX)) as u32;
        Cadence {
            wall: args.checkpoint_every.map(Duration::from_secs_f64),
            steps: args.checkpoint_every_model.map(steps),
            last: Instant::now(),
            last_step: 0,
            took: Duration::ZERO,
        }
    }

    /// Whether the state of running trials is saved.
    pub(super) fn is_on(&self) -> bool {
        self.wall.is_some() || self.steps.is_some()
    }

    /// The next step at which a batch ends, since a checkpoint is due there.
    pub(super) fn next_step(&self) -> u32 {
        self.steps.map_or(u32::MAX, |steps| (self.last_step / steps).saturating_add(1).saturating_mul(steps))
    }

    /// Whether running trials are saved at this step.
    pub(super) fn is_due(&self, step: u32) -> bool {
        self.wall.is_some_and(|wall| self.last.elapsed() >= wall) || step >= self.next_step()
    }

    /// Whether trials that have ended are saved: at most once in a second.
    pub(super) fn is_due_between(&self) -> bool {
        self.last.elapsed() >= (self.took * SHARE).max(Duration::from_secs(1))
    }

    /// A checkpoint at this step began at this time.
    pub(super) fn saved(&mut self, step: u32, began: Instant) {
        (self.last, self.last_step, self.took) = (Instant::now(), step, began.elapsed());
    }

    /// Other trials run, or continue at this step.
    pub(super) fn begin(&mut self, step: u32) {
        self.last_step = step;
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Arguments, Command};

    #[test]
    fn checkpoints_of_biological_time_are_at_its_multiples() {
        let text = ["spikelet", "run", "cuba", "--out", "a", "--checkpoint-every-model", "2ms"];
        let Command::Run(args) = Arguments::parse_from(text).command else { panic!("a run") };
        let mut cadence = Cadence::new(&args, 0.1);
        assert!(cadence.is_on());
        assert_eq!(cadence.next_step(), 20);
        assert!(!cadence.is_due(19));
        assert!(cadence.is_due(20));
        cadence.saved(20, Instant::now());
        assert_eq!(cadence.next_step(), 40);
        cadence.begin(27);
        assert_eq!(cadence.next_step(), 40);
    }
}
