//! The jobs of a run: trials, and their numbers of steps.

use spikelet::{Network, Point};

use crate::args::RunArguments;
use crate::failure::Failure;

/// A trial of a point of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Job {
    pub(crate) point: usize,
    pub(crate) trial: u32,
}

/// Number of steps of a trial.
pub(crate) fn steps(network: &Network) -> Result<u32, Failure> {
    let steps = (network.duration_ms / network.dt_ms).round();
    if steps > f64::from(i32::MAX) {
        return Err(Failure::Input(format!(
            "{} ms are {steps} steps of {} ms, but a run has at most {}; use a shorter time or a longer step",
            network.duration_ms,
            network.dt_ms,
            i32::MAX
        )));
    }
    Ok(steps as u32)
}

/// All jobs: each point with each trial, point by point.
pub(crate) fn all(args: &RunArguments, points: &[Point]) -> Result<Vec<Job>, Failure> {
    let trials = args.trial.map_or(0..=args.trials.get() - 1, |trial| trial..=trial);
    if u64::from(args.trials.get()) * points.len() as u64 > 10_000_000 {
        return Err(Failure::Input(format!(
            "{} trials of {} combinations of values are more than 10000000 runs; use fewer",
            args.trials,
            points.len()
        )));
    }
    Ok((0..points.len()).flat_map(|point| trials.clone().map(move |trial| Job { point, trial })).collect())
}
