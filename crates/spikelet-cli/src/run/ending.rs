//! The end of a run: what is written, printed and removed, in this order.

use std::path::Path;

use spikelet::{Network, Plan, Point};
use spikelet_gpu::{Interface, Workload};
use spikelet_native::memory;

use super::Built;
use crate::args::RunArguments;
use crate::cell_groups::CellGroups;
use crate::energy::Energy;
use crate::export::synapses;
use crate::failure::Failure;
use crate::output::{OutputFolder, RunRecording, TrialRecording};
use crate::ranks::Shares;
use crate::report::{GroupResult, Population, Report, Statistic};
use crate::trials::{FinishedTrial, RunResults};
use crate::{device, output, profile, terminal};

/// A run after its end.
pub(super) struct Finished<'a> {
    pub(super) results: RunResults<'a>,
    pub(super) shares: Option<Shares>,
    pub(super) energy: Option<Energy>,
}

/// Writes the results of a run, and then what is computed of its last state, so that an error in that loses no results.
pub(super) fn write<'a>(
    args: &RunArguments,
    folder: Option<&OutputFolder>,
    built: &Built,
    finished: Finished<'a>,
) -> Result<(Report, RunResults<'a>), Failure> {
    let Finished { mut results, shares, energy } = finished;
    let mut report = report(&built.network, &built.points, &results);
    if let Some(column) = &args.by {
        group(&mut report, column, built, &results)?;
    }
    (report.shares, report.energy) = (shares, energy);
    report.part = args.of_ranks.part.map(|part| part.to_string());
    report.notices.splice(..0, built.notices.iter().cloned());
    report.keep_account(results.gpu.as_ref().map(|(_, monitor)| monitor.buffers()), &built.points[0].plan);
    if args.profile {
        let run = Workload {
            plan: &built.points[0].plan,
            trials: report.trials,
            threads: report.backend.threads,
            max_threads: device::threads(None),
            has_requested_threads: args.threads.is_some(),
            has_requested_workgroup_size: args.workgroup_size.is_some(),
            seconds: report.simulate_seconds,
            neuron_updates_per_second: report.neuron_updates_per_second,
            synaptic_events_per_second: report.synaptic_events_per_second,
            interface: Interface::CommandLine,
        };
        report.profile = profile::of_run(args, results.gpu.as_ref(), results.cpu_profile.as_ref(), &run)?;
    }
    if let Some(folder) = folder {
        folder.write(args.format, &built.network, &recording(args, built, &results), &report)?;
    }
    profile::write_trace(args, results.gpu.as_ref())?;
    if !results.last.is_lost() {
        last_state(args, &mut results, Some(built))?;
    }
    Ok((report, results))
}

/// Reads weights and synapses at the end of a run, if they are saved; the first rank, which has the network, writes them.
fn last_state(args: &RunArguments, results: &mut RunResults<'_>, built: Option<&Built>) -> Result<(), Failure> {
    // A hidden option, to test the end by a panic.
    assert!(args.panic_at.is_none(), "--panic-at");
    if let Some(path) = &args.save_weights {
        let learned = results.last.learned()?;
        if built.is_some() {
            output::write_learned(path, &learned)?;
        }
    }
    if let (Some(folder), Some(built)) = (&args.save_synapses, built) {
        let (network, tables) = ((*built.network).clone(), results.last.synapses()?.into_iter().map(Ok));
        synapses::write_folder((folder, "--save-synapses"), args.format.of_arrays(), network, tables, &mut |_, _| Ok(()))?;
    }
    Ok(())
}

/// What a rank after the first one does at the end of a run.
pub(super) fn attend(args: &RunArguments, finished: Finished<'_>) -> Result<(), Failure> {
    let mut results = finished.results;
    if results.last.is_lost() { Ok(()) } else { last_state(args, &mut results, None) }
}

/// Prints the results of a run after all of them are written.
pub(super) fn conclude(args: &RunArguments, report: &Report, mut results: RunResults<'_>) -> Result<(), Failure> {
    // Nothing of the run is left to do, unless a signal or a panic ended it.
    let is_ended = results.interruption.is_none() && !results.has_panicked;
    let (unfinished, continues) = (results.unfinished.take(), !is_ended && results.can_continue);
    if let Some(unfinished) = unfinished.filter(|_| !continues) {
        unfinished.remove()?;
    }
    if args.json {
        terminal::print(&report.to_json())?;
    } else if !args.quiet {
        terminal::print(report)?;
    }
    if let (Some(profile), false) = (&report.profile, args.json || args.quiet) {
        terminal::print(profile)?;
    }
    if args.verbose {
        terminal::print(&report.account())?;
    }
    outcome(args, &results, report)
}

/// What is written to files.
fn recording<'a>(args: &RunArguments, built: &Built, results: &'a RunResults<'_>) -> RunRecording<'a> {
    let plan = &built.points[0].plan;
    let trial = |done: &FinishedTrial| TrialRecording { job: done.job, kept: done.kept_from..done.steps };
    let is_sweep = !args.sweep.is_empty();
    RunRecording {
        dt_ms: plan.dt_ms,
        populations: plan.populations.iter().map(|p| (p.name.clone(), p.first)).collect(),
        channels: plan.channels.iter().map(|channel| format!("{} ({})", channel.label, channel.unit)).collect(),
        intervals: plan.channels.iter().map(|channel| channel.every).collect(),
        every: plan.sample_rows().every,
        statistics: plan.statistics.clone(),
        monitored: results.monitored.as_deref().unwrap_or_default(),
        variants: built.points.iter().filter(|_| is_sweep).map(|point| point.values.clone()).collect(),
        trials: results.done.iter().map(trial).collect(),
        records: &results.records,
    }
}

/// The error of the command, after all results are written.
fn outcome(args: &RunArguments, results: &RunResults<'_>, report: &Report) -> Result<(), Failure> {
    if let Some(signal) = results.interruption {
        let mut sentence = format!("at {} ms; the results up to that time are written", report.time_ms);
        if let Some(out) = args.out.as_deref().filter(|_| results.can_continue) {
            sentence += &format!(", and `spikelet resume {}` continues the run", out.display());
        }
        return Err(Failure::Interrupted(signal, sentence));
    }
    let mut failed = results.done.iter().filter_map(|done| done.failure.as_ref());
    match (failed.next(), failed.count()) {
        (None, _) => Ok(()),
        (Some(only), _) if results.has_panicked && results.can_continue => {
            let out = args.out.as_deref().unwrap_or(Path::new("."));
            Err(Failure::Run(format!("{only}; `spikelet resume {}` continues the run", out.display())))
        }
        (Some(only), 0) => Err(Failure::Run(only.clone())),
        (Some(first), more) => Err(Failure::Run(format!("{} of {} trials failed, the first: {first}", more + 1, report.trials))),
    }
}

fn report(network: &Network, points: &[Point], results: &RunResults<'_>) -> Report {
    let (done, plan) = (&results.done, &points[0].plan);
    let total_ms: f64 = done.iter().map(|done| done.time_ms).sum();
    let total_steps: u64 = done.iter().map(|done| u64::from(done.steps)).sum();
    let simulate_seconds = results.simulated.as_secs_f64();
    let per_second = |count: u64| (simulate_seconds > 0.0).then(|| count as f64 / simulate_seconds);
    let synaptic_events = done.iter().map(|done| done.synaptic_events).sum();
    let furthest = done.iter().max_by_key(|done| done.changed.len());
    let result = |done: &FinishedTrial| {
        let point = &points[done.job.point];
        let measured: Vec<_> = results.records.measurements(done.job, &point.plan.statistics).collect();
        done.result(point, Statistic::of(&point.plan, &measured))
    };
    Report {
        network: network.name.clone(),
        neurons: plan.neurons().into(),
        synapses: plan.synapses(),
        dt_ms: plan.dt_ms,
        time_ms: done.iter().map(|done| done.time_ms).fold(0.0, f64::max),
        seed: plan.seed,
        trials: done.len() as u32,
        completed: results.interruption.is_none() && done.iter().all(|done| done.completed),
        interrupted: results.interruption.map(|signal| signal.name),
        resumed: results.resumed,
        backend: results.backend.clone(),
        build_seconds: results.built.as_secs_f64(),
        first_spike_seconds: results.first_spike.map(|time| time.as_secs_f64()),
        simulate_seconds,
        real_time_factor: (total_ms > 0.0).then(|| simulate_seconds * 1000.0 / total_ms),
        trial_steps_per_second: per_second(total_steps),
        spikes: done.iter().map(|done| done.spikes).sum(),
        synaptic_events,
        synaptic_events_per_second: per_second(synaptic_events),
        neuron_updates_per_second: per_second(total_steps * u64::from(plan.neurons())),
        memory_bytes: plan.memory().iter().map(|(_, bytes)| bytes).sum(),
        resident_bytes: memory::resident(),
        buffers: Vec::new(),
        device_bytes: 0,
        profile: None,
        monitor: results.monitored.clone(),
        populations: populations(plan, done),
        spikes_hash: done.iter().map(|done| done.spikes_hash.clone()).collect::<Vec<_>>().into(),
        changes: furthest.map(|done| done.changed.clone()).unwrap_or_default(),
        stopped: done.iter().map(|done| done.stopped.clone()).collect::<Vec<_>>().into(),
        notices: results.notices.clone(),
        results: done.iter().map(result).collect(),
        shares: None,
        energy: None,
        by: None,
        part: None,
    }
}

/// Adds the groups of neurons by a column of their table.
fn group(report: &mut Report, column: &str, built: &Built, results: &RunResults<'_>) -> Result<(), Failure> {
    let cells = CellGroups::new(&built.network, column)?;
    let silenced: Vec<Vec<bool>> = built.points.iter().map(|point| cells.silenced(&point.network)).collect();
    for (result, done) in report.results.iter_mut().zip(&results.done) {
        result.groups = GroupResult::all(&cells, &done.groups, &silenced[done.job.point], done.time_ms);
    }
    report.by = Some(column.to_owned());
    Ok(())
}

/// Rate and irregularity of each population, as means over trials.
fn populations(plan: &Plan, trials: &[FinishedTrial]) -> Vec<Population> {
    let mean = |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let population = |(index, population): (usize, &spikelet::PopulationPlan)| Population {
        name: population.name.clone(),
        size: population.size,
        rate_hz: mean(trials.iter().map(|done| done.populations[index].rate_hz).collect()).unwrap_or_default(),
        cv_isi: mean(trials.iter().filter_map(|done| done.populations[index].cv_isi).collect()),
    };
    plan.populations.iter().enumerate().map(population).collect()
}
