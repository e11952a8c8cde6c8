//! Operations with several seeds.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use spikelet_assemblies::operations::{self, Parent};
use spikelet_assemblies::{AreaId, AreaOptions, Brain, Error, Refraction, StimulusId, chance, sequences};

use super::report::{OperationResult, Overlaps, Report, overlap, safe_w_max};
use super::{Workplace, failure, mode_name};
use crate::args::OperationArguments;
use crate::failure::Failure;
use crate::interrupt::InterruptGuard;
use crate::output::{self, unwritable};
use crate::signal::Signal;
use crate::{files, interrupt, terminal};

/// What is done with assemblies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Operation {
    Project,
    Associate,
    Merge,
    /// The part that is kept, and the rounds in which it is completed.
    Complete(f64, u32),
    /// The number of stimuli.
    Sequence(u32),
}

/// The area in which an operation ended, its stability there, and overlaps.
type Performed = (AreaId, f64, Overlaps);

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Operation::Project => "project",
            Operation::Associate => "associate",
            Operation::Merge => "merge",
            Operation::Complete(..) => "complete",
            Operation::Sequence(_) => "sequence",
        }
    }

    /// Does it in a new brain.
    fn perform(self, brain: &mut Brain, args: &OperationArguments) -> Result<Performed, Error> {
        let rounds = args.rounds.get();
        match self {
            Operation::Sequence(length) => sequence(brain, length, args),
            Operation::Project => {
                let a = stimulated(brain, "A", args)?;
                let formed = operations::project(brain, a.0, a.1, rounds)?;
                let first = brain.saved_winners(a.1).first().map_or(0.0, |first| overlap(first, &formed.assembly.neurons));
                Ok((a.1, formed.stability, named([("first_round", first)])))
            }
            Operation::Associate | Operation::Merge => {
                let parents = [stimulated(brain, "A", args)?, stimulated(brain, "B", args)?];
                let area = stimulated(brain, "C", args)?.1;
                let perform = if self == Operation::Merge { merge } else { associate };
                perform(brain, parents, area, rounds)
            }
            Operation::Complete(keep, recall) => {
                let a = stimulated(brain, "A", args)?;
                operations::project(brain, a.0, a.1, rounds)?;
                let completed = operations::complete(brain, a.1, keep, recall, 0)?;
                let overlaps = [
                    ("kept", completed.kept.neurons.len() as f64 / completed.original.neurons.len() as f64),
                    ("recovered", completed.recovered),
                ];
                Ok((a.1, completed.formed.stability, named(overlaps)))
            }
        }
    }
}

type Stimulated = (StimulusId, AreaId);

/// Adds an area with a stimulus.
fn stimulated(brain: &mut Brain, name: &str, args: &OperationArguments) -> Result<Stimulated, Error> {
    let area = brain.add_area(name, AreaOptions::new(args.n, args.k, args.beta))?;
    Ok((brain.add_stimulus(&format!("to {name}"), args.k)?, area))
}

fn associate(brain: &mut Brain, parents: [Stimulated; 2], area: AreaId, rounds: u32) -> Result<Performed, Error> {
    for (stimulus, parent) in parents {
        operations::project(brain, stimulus, parent, rounds)?;
    }
    let done = operations::associate(brain, parents.map(Parent::from), area, rounds)?;
    let overlaps = named([
        ("a_b_before", done.before),
        ("a_joint", done.joint[0]),
        ("b_joint", done.joint[1]),
        ("a_b_after", done.after),
        ("a_after_joint", done.kept[0]),
        ("b_after_joint", done.kept[1]),
    ]);
    Ok((area, done.images[4].stability, overlaps))
}

fn merge(brain: &mut Brain, parents: [Stimulated; 2], area: AreaId, rounds: u32) -> Result<Performed, Error> {
    let merged = operations::merge(brain, parents.map(Parent::from), area, rounds)?;
    let [a, b] = parents;
    let recalled = operations::recall(brain, a, area, b.1, rounds)?;
    let overlaps = named([("b_recalled", recalled.assembly.overlap(&merged.parents[1].assembly))]);
    Ok((area, merged.merged.stability, overlaps))
}

/// Rounds after a win in which a neuron of a sequence has a penalty.
const REFRACTORY_ROUNDS: u32 = 3;

/// Presents a sequence, and recalls it. The penalty is four times the mean input of a neuron before learning.
fn sequence(brain: &mut Brain, length: u32, args: &OperationArguments) -> Result<Performed, Error> {
    let strength = (4.0 * f64::from(args.k) * args.p) as f32;
    let refraction = Refraction::Refractory { strength, period: REFRACTORY_ROUNDS };
    let area = brain.add_area("A", AreaOptions::new(args.n, args.k, args.beta).refraction(refraction))?;
    let stimuli: Result<Vec<StimulusId>, Error> =
        (1..=length).map(|number| brain.add_stimulus(&format!("S{number}"), args.k)).collect();
    let stimuli = stimuli?;
    let memorised = sequences::memorise(brain, &stimuli, area, args.rounds.get())?;
    let recall = sequences::recall(brain, stimuli[0], area, &memorised.assemblies, 2 * length)?;
    let in_order = recall.in_order();
    let overlap = recall.order[..in_order].iter().map(|(_, overlap)| overlap).sum::<f64>() / in_order.max(1) as f64;
    Ok((area, memorised.stability, named([("in_order", in_order as f64 / f64::from(length)), ("recalled", overlap)])))
}

fn named<const N: usize>(overlaps: [(&str, f64); N]) -> Overlaps {
    overlaps.into_iter().map(|(name, overlap)| (name.to_owned(), overlap)).collect()
}

/// Runs an operation with each seed, and prints the report.
pub(super) fn run(operation: Operation, args: &OperationArguments) -> Result<(), Failure> {
    let workplace = Workplace::new(args.p, args.w_max.unwrap_or_else(|| safe_w_max(args.k)), &args.engine)?;
    if let Some(path) = &args.save_network {
        // Before anything is computed.
        let brain = workplace.brain(1).map_err(|error| failure(&error, None))?;
        brain.check_network().map_err(|error| no_network(&error))?;
        output::check_writable(path, "--save-network")?;
    }
    interrupt::listen()?;
    let report = Arc::new(Mutex::new(empty(operation, args, &workplace)));
    let watch = InterruptGuard::begin(leave(report.clone(), args.seeds.get(), args.json))?;
    let done = all_seeds(operation, args, &workplace, &report);
    watch.end();
    let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
    report.completed = done.is_ok();
    if report.completed || !report.results.is_empty() {
        print(&report, args.json)?;
    }
    done
}

fn all_seeds(
    operation: Operation,
    args: &OperationArguments,
    workplace: &Workplace,
    report: &Mutex<Report>,
) -> Result<(), Failure> {
    let (mut seconds, mut rounds) = (0.0, 0);
    for seed in 1..=args.seeds.get().into() {
        let mut brain = workplace.brain(seed).map_err(|error| failure(&error, None))?;
        brain.set_saving(true);
        let started = Instant::now();
        let (area, stability, overlaps) = operation.perform(&mut brain, args).map_err(|error| failure(&error, Some(&brain)))?;
        seconds += started.elapsed().as_secs_f64();
        if let (1, Some(path)) = (seed, &args.save_network) {
            let network = brain.to_network(operation.name()).map_err(|error| no_network(&error))?.to_json();
            files::write(path, |file| writeln!(file, "{network}")).map_err(|error| unwritable(path, "--save-network", &error))?;
        }
        rounds += brain.rounds();
        let result = OperationResult::new(&brain, seed, area, stability, overlaps);
        let bytes: u64 = brain.memory().iter().map(|item| item.bytes).sum();
        let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
        report.results.push(result);
        report.seconds_per_round = Some(seconds / rounds as f64);
        report.memory_bytes = report.memory_bytes.max(bytes);
    }
    Ok(())
}

fn no_network(error: &Error) -> Failure {
    Failure::Input(format!("--save-network: {error}"))
}

/// A report without results.
fn empty(operation: Operation, args: &OperationArguments, workplace: &Workplace) -> Report {
    let chance = chance(&AreaOptions::new(args.n, args.k, args.beta));
    Report {
        operation: operation.name(),
        mode: mode_name(workplace.options.mode),
        n: args.n,
        k: args.k,
        p: args.p,
        beta: args.beta,
        rounds: args.rounds.get(),
        w_max: workplace.options.w_max,
        is_w_max_chosen: args.w_max.is_some(),
        chance,
        backend: workplace.name(),
        threads: workplace.options.threads,
        completed: false,
        interrupted: None,
        seconds_per_round: None,
        memory_bytes: 0,
        results: Vec::new(),
    }
}

fn print(report: &Report, json: bool) -> Result<(), Failure> {
    if json { terminal::print(&format_args!("{:#}", serde_json::json!(report))) } else { terminal::print(report) }
}

/// What to do at a signal: print the results so far.
fn leave(report: Arc<Mutex<Report>>, seeds: u32, json: bool) -> impl FnOnce(Signal) + Send + 'static {
    move |signal| {
        let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
        report.interrupted = Some(signal.name);
        if let Err(failure) = print(&report, json) {
            terminal::fail(&failure, false);
        }
        let sentence = format!("after {} of {seeds} seeds; their results are printed", report.results.len());
        terminal::fail(&Failure::Interrupted(signal, sentence), false);
    }
}
