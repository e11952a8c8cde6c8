//! The jobs of a run: trials, and their numbers of steps.

use serde::{Deserialize, Serialize};
use spikelet::Point;

use crate::args::RunArguments;
use crate::failure::Failure;

/// A trial of a point of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) point: usize,
    pub(crate) trial: u32,
}

/// Number of runs of this command with a number of points; an error if there are too many, or none.
pub(crate) fn count(args: &RunArguments, points: usize) -> Result<usize, Failure> {
    let all = args.trial.map_or(args.trials.get() as usize, |_| 1) as u64 * points as u64;
    if all > 10_000_000 {
        return Err(Failure::Input(format!(
            "{} trials of {points} combinations of values are more than 10000000 runs; use fewer",
            args.trials
        )));
    }
    let Some(part) = args.of_ranks.part else { return Ok(all as usize) };
    match part.range(all as usize).len() {
        0 => Err(Failure::Input(format!("--part {part} of {all} runs has none; use at most {all} parts"))),
        own => Ok(own),
    }
}

/// All jobs of this command: each point with each trial, point by point; of these the requested part.
pub(crate) fn all(args: &RunArguments, points: &[Point]) -> Result<Vec<Job>, Failure> {
    let trials = args.trial.map_or(0..=args.trials.get() - 1, |trial| trial..=trial);
    let own = count(args, points.len())?;
    let all = (0..points.len()).flat_map(|point| trials.clone().map(move |trial| Job { point, trial }));
    let first = args.of_ranks.part.map_or(0, |part| part.range(points.len() * trials.clone().count()).start);
    Ok(all.skip(first).take(own).collect())
}
