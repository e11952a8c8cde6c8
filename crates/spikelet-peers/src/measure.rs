//! Rounds in turns: what else the machine does meets all alike.

use serde::Serialize;

use crate::machine::MachineMonitor;
use crate::model::Model;
use crate::subject::{Identity, Subject, SubjectRun};

/// How often a run whose activity died out is tried again, with another seed.
const ATTEMPTS: u32 = 6;

/// The measurements of a subject.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SubjectResult {
    #[serde(flatten)]
    pub(crate) identity: Identity,
    pub(crate) runs: Vec<SubjectRun>,
    /// Cores that other processes used meanwhile, in each run.
    pub(crate) others: Vec<f64>,
    /// Runs whose activity died out: they are not counted.
    pub(crate) died: u32,
}

impl SubjectResult {
    fn nothing(identity: Identity) -> SubjectResult {
        SubjectResult { identity, runs: Vec::new(), others: Vec::new(), died: 0 }
    }

    /// Wall time over biological time of each run.
    pub(crate) fn walls(&self) -> impl Iterator<Item = f64> {
        self.runs.iter().map(|run| run.wall_per_second)
    }

    /// The median of them.
    pub(crate) fn wall(&self) -> f64 {
        median(self.walls().collect())
    }

    /// The rate of a population, on average over the runs.
    pub(crate) fn rate(&self, population: &str) -> Option<f64> {
        let rates: Vec<f64> = self.runs.iter().filter_map(|run| run.rates_hz.get(population).copied()).collect();
        (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
    }
}

/// The value in the middle, or the mean of the two there; NaN of nothing.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[odd / 2],
        even => f64::midpoint(values[even / 2 - 1], values[even / 2]),
    }
}

/// Asks each subject once in each of `rounds` rounds, with the same seeds. Who fails is named and left out.
pub(crate) fn in_turns(model: &Model, mut subjects: Vec<Box<dyn Subject>>, rounds: u32) -> Vec<SubjectResult> {
    let mut measured: Vec<SubjectResult> = subjects.iter().map(|subject| SubjectResult::nothing(subject.identity())).collect();
    for round in 0..rounds {
        for (subject, measured) in subjects.iter_mut().zip(&mut measured) {
            if measured.runs.len() < round as usize {
                continue;
            }
            if let Err(problem) = once(model, subject.as_mut(), measured, 1 + ATTEMPTS * round) {
                eprintln!("– {}: {} with {} threads: {problem}", model.name, measured.identity.name, measured.identity.threads);
            }
        }
    }
    for (subject, measured) in subjects.iter().zip(&mut measured) {
        // With how many threads, an engine that chooses them says only when it has run.
        measured.identity = subject.identity();
    }
    measured.retain(|measured| measured.runs.len() == rounds as usize);
    measured
}

fn once(model: &Model, subject: &mut dyn Subject, measured: &mut SubjectResult, first_seed: u32) -> crate::Result {
    for seed in first_seed..first_seed + ATTEMPTS {
        let watch = MachineMonitor::start();
        let run = subject.run(seed)?;
        let others = watch.others();
        let rate = run.rates_hz.first().map_or(0.0, |(_, rate)| *rate);
        if model.alive_hz.is_some_and(|least| rate < least) {
            measured.died += 1;
            continue;
        }
        measured.runs.push(run);
        measured.others.extend(others);
        return Ok(());
    }
    Err(format!("its activity died out in {ATTEMPTS} runs").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dies with odd seeds, or fails.
    struct Odd {
        fails: bool,
    }

    impl Subject for Odd {
        fn identity(&self) -> Identity {
            Identity { name: "odd".into(), threads: 1, column: None }
        }

        fn run(&mut self, seed: u32) -> crate::Result<SubjectRun> {
            let rate = if seed % 2 == 1 { 1.0 } else { 20.0 };
            let rates_hz = [("E".to_owned(), rate)].into();
            if self.fails { Err("no".into()) } else { Ok(SubjectRun { wall_per_second: f64::from(seed), rates_hz }) }
        }
    }

    #[test]
    fn the_dead_are_tried_again_and_who_fails_is_left_out() {
        let subjects: Vec<Box<dyn Subject>> = vec![Box::new(Odd { fails: true }), Box::new(Odd { fails: false })];
        let measured = in_turns(Model::named("coba").unwrap(), subjects, 3);
        assert_eq!(measured.len(), 1);
        assert_eq!((measured[0].runs.len(), measured[0].died), (3, 3));
        assert_eq!(measured[0].walls().collect::<Vec<_>>(), [2.0, 8.0, 14.0]);
        assert_eq!((measured[0].wall(), measured[0].rate("E"), measured[0].rate("I")), (8.0, Some(20.0), None));
    }

    #[test]
    fn a_median_of_even_numbers_lies_between() {
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(Vec::new()).is_nan());
    }
}
