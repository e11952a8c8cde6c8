//! `spikelet run`.

mod arguments;
mod division;
mod launch;
#[cfg(feature = "mpi")]
mod processes;
#[cfg(feature = "mpi")]
mod sent;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use spikelet::{Network, Plan, Point, Sweep};
use spikelet_gpu::{Interface, Workload};
use spikelet_interchange::results::Metadata;
use spikelet_native::memory;

use crate::args::{Division, Precision, ResultFormat, RunArguments};
use crate::energy::{Energy, EnergyMeter};
use crate::export::synapses;
use crate::failure::Failure;
use crate::forecast::Forecast;
use crate::interrupt::InterruptGuard;
use crate::jobs::steps;
use crate::output::{OutputFolder, RunRecording, TrialRecording};
use crate::overlap::FileRole;
use crate::ranks::{Ranks, Shares};
use crate::report::{self, Population, Report, Statistic};
use crate::run_description::{NAME, RUN, RunDescription};
use crate::signal::Signal;
use crate::trials::{FinishedTrial, RunResults, Saved, Trials};
use crate::unfinished::{NewRun, Unfinished};
use crate::{build, device, dry_run, interrupt, jobs, output, overlap, profile, source, terminal};

pub(crate) fn run(args: &RunArguments) -> Result<(), Failure> {
    let started = Instant::now();
    device::check_threads(args.threads)?;
    interrupt::listen()?;
    interrupt::listen_for_saves()?;
    #[cfg(target_os = "linux")]
    args.refuse_allocation.into_iter().for_each(spikelet_native::LargePages::refuse);
    launch::run(args, started).map_err(|failure| with_way_out(failure, args))
}

/// The error for a file that cannot be written, with how the run continues.
fn with_way_out(failure: Failure, args: &RunArguments) -> Failure {
    match (failure, &args.out) {
        (Failure::Output(sentence), Some(out)) if out.join(NAME).join(RUN).is_file() => {
            Failure::Output(format!("{sentence}, and `spikelet resume {}` continues the run", out.display()))
        }
        (failure, _) => failure,
    }
}

/// What is read before a run, by one rank for all.
struct Input {
    network: Network,
    folder: Option<OutputFolder>,
}

impl Input {
    /// Reads the network for this number of ranks, and checks what can be checked before it is built.
    fn read(args: &RunArguments, ranks: usize) -> Result<Input, Failure> {
        if let Some(before) = args.resumed.as_ref().map(|run| run.ranks).filter(|before| *before != ranks) {
            let sentence = format!("the run was started with {before} ranks, and there are {ranks}; use as many as before");
            return Err(Failure::Input(sentence));
        }
        jobs::count(args, Sweep::grid(&args.sweep)?.len())?;
        device::check_precision(args)?;
        check_saved(args)?;
        EnergyMeter::start(&args.cost)?;
        let network = match &args.resumed {
            Some(run) => source::resumed(&run.network.to_string())?,
            None => source::network(&args.network, &args.settings)?,
        };
        steps(&network)?;
        let metadata = metadata(args)?;
        let folder = args.out.as_deref().map(|path| OutputFolder::open(path, metadata, args.resumed.is_some())).transpose()?;
        for (path, option) in [(&args.save_weights, "--save-weights"), (&args.trace, "--trace")] {
            path.iter().try_for_each(|path| output::check_writable(path, option))?;
        }
        args.save_synapses.iter().try_for_each(|folder| synapses::open((folder, "--save-synapses")))?;
        check_overlap(args, &network, folder.as_ref())?;
        Ok(Input { network, folder })
    }
}

/// Rejects output that would replace what the run reads.
fn check_overlap(args: &RunArguments, network: &Network, folder: Option<&OutputFolder>) -> Result<(), Failure> {
    // A run that is continued has its network in its own folder.
    let mut read = if args.resumed.is_some() { overlap::named_by(network) } else { overlap::of_network(&args.network, network) };
    let energy = args.cost.energy.as_ref().and_then(Option::as_ref);
    read.extend(energy.map(|path| FileRole::new(path, "the file of --energy")));
    read.extend(args.metadata.as_ref().map(|path| FileRole::new(path, "the file of --metadata")));
    if let Some(Division::File(path)) = &args.of_ranks.partition {
        read.push(FileRole::new(path, "the file of --partition"));
    }
    let mut written = folder.map(OutputFolder::files).unwrap_or_default();
    written.extend(args.save_weights.as_ref().map(|path| FileRole::new(path, "--save-weights")));
    written.extend(args.trace.as_ref().map(|path| FileRole::new(path, "--trace")));
    if let Some(folder) = &args.save_synapses {
        written.extend(synapses::written_files((folder, "--save-synapses"), args.format.of_arrays(), network));
    }
    overlap::check(&read, &written, args.out.as_ref().map(|out| out.join(NAME)).as_deref())
}

/// A network that is built, with the points of its sweep.
struct Built {
    network: Arc<Network>,
    points: Vec<Point>,
    notices: Vec<String>,
}

impl Built {
    /// Builds a network; for ranks that share it, the part of this one. Errors in it are reported before a device is opened.
    fn new(args: &RunArguments, mut network: Network, ranks: &Ranks) -> Result<Built, Failure> {
        let (plan, notices) = plan(args, &mut network, ranks)?;
        let grid = Sweep::grid(&args.sweep)?;
        check_single(args, &grid)?;
        output::check_names(args.format, &network)?;
        if args.save_weights.is_some() {
            check_keeps(&plan)?;
        }
        if args.save_synapses.is_some() {
            synapses::check_names(&network)?;
            if !plan.part().is_whole() {
                let sentence = "--save-synapses needs all synapses on one device, and they are divided among ranks; use one rank";
                return Err(Failure::Input(sentence.into()));
            }
        }
        let (network, plan) = (Arc::new(network), Arc::new(plan));
        let mut points = Vec::new();
        for values in grid {
            points.push(if ranks.share_network() && !values.is_empty() {
                part_of_point(args, &network, values, ranks)?
            } else {
                Point::new(&network, &plan, values, build::options(args))?
            });
            steps(&points[points.len() - 1].network)?;
        }
        Ok(Built { network, points, notices })
    }
}

/// A point of a sweep for ranks that share the network: the parts of each are built by themselves.
fn part_of_point(args: &RunArguments, network: &Network, values: Vec<(String, String)>, ranks: &Ranks) -> Result<Point, Failure> {
    let mut varied = network.clone();
    for (path, value) in &values {
        varied.set(path, value)?;
    }
    let plan = Arc::new(build::plan(&mut varied, args, ranks)?);
    Ok(Point { values, network: Arc::new(varied), plan })
}

/// The plan of a network, and the notices about it. The formats of its weights are set in the network.
fn plan(args: &RunArguments, network: &mut Network, ranks: &Ranks) -> Result<(Plan, Vec<String>), Failure> {
    let plan = build::plan(network, args, ranks)?;
    let notices: Vec<String> = spikelet::notices(network).iter().map(ToString::to_string).collect();
    if !args.quiet {
        notices.iter().for_each(terminal::notice);
    }
    Ok((plan, notices))
}

/// `--dry-run`: the memory of a network, or the prediction for a number of ranks, without a run. Only networks that are quickly drawn are
/// drawn without `--exact`.
fn dry(args: &RunArguments, mut network: Network, started: Instant) -> Result<(), Failure> {
    if let Some(ranks) = args.of_ranks.ranks {
        let forecast = Forecast::new(args, &network, ranks.get())?;
        return if args.json { terminal::print(&format_args!("{:#}", forecast.to_json())) } else { terminal::print(&forecast) };
    }
    let expected = build::expected(&network, args)?;
    let report = if args.exact || dry_run::is_cheap(&expected) {
        let (plan, _) = plan(args, &mut network, &Ranks::alone())?;
        dry_run::Report::of_plan(args, &network, &plan, started.elapsed())?
    } else {
        build::say_procedural(&expected.estimate, args);
        dry_run::Report::of_expected(args, &network, &expected, started.elapsed())?
    };
    if args.json { terminal::print(&format_args!("{:#}", report.to_json())) } else { terminal::print(&report) }
}

/// A run after its end.
struct Finished<'a> {
    results: RunResults<'a>,
    shares: Option<Shares>,
    energy: Option<Energy>,
}

/// Runs all trials of this rank; afterwards the first one has the results of all.
fn simulate<'a>(
    args: &'a RunArguments,
    built: &'a Built,
    ranks: &'a Ranks,
    started: Instant,
    watch: Option<InterruptGuard>,
) -> Result<Finished<'a>, Failure> {
    let saved = saved(args, &built.network, ranks)?;
    let mut trials = Trials::new(args, &built.points, ranks, started, watch, saved)?;
    let meter = if ranks.is_first() { EnergyMeter::start(&args.cost)? } else { None };
    trials.run()?;
    let (simulated, exchanged) = trials.spent();
    let shares = Shares::of(ranks, simulated.as_secs_f64(), exchanged, &built.points[0].plan)?;
    let results = trials.into_results()?;
    let events = results.done.iter().map(|done| done.synaptic_events).sum();
    let energy = meter.map(|meter| meter.read(results.simulated.as_secs_f64(), events));
    Ok(Finished { results, shares, energy })
}

/// Where a run is saved, if its results are written.
fn saved(args: &RunArguments, network: &Network, ranks: &Ranks) -> Result<Saved, Failure> {
    let Some(out) = &args.out else { return Ok(Saved::Nowhere) };
    if let Some(run) = &args.resumed {
        return Ok(Saved::Resumed(Unfinished::open(out, ranks, run.identity())?));
    }
    let description = if ranks.is_first() { Some(RunDescription::of_command(network, ranks.size())?) } else { None };
    let identity = description.as_ref().map_or(Vec::new(), |run| run.identity().to_le_bytes().into());
    let identity = ranks.receive_from_first(identity)?.try_into().map(u32::from_le_bytes);
    let identity = identity.map_err(|_| Failure::Run("the first rank sends no identity of the run; report this error".into()))?;
    Ok(Saved::New(NewRun { identity, description }))
}

/// Writes the results of a run, and then what is computed of its last state, so that an error in that loses no results.
fn write<'a>(
    args: &RunArguments,
    folder: Option<&OutputFolder>,
    built: &Built,
    finished: Finished<'a>,
) -> Result<(Report, RunResults<'a>), Failure> {
    let Finished { mut results, shares, energy } = finished;
    let mut report = report(&built.network, &built.points, &results);
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
        folder.write(args.format, &built.network, &recording(args, built, &results), &report.to_json())?;
    }
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
fn attend(args: &RunArguments, finished: Finished<'_>) -> Result<(), Failure> {
    let mut results = finished.results;
    if results.last.is_lost() { Ok(()) } else { last_state(args, &mut results, None) }
}

/// Prints the results of a run after all of them are written.
fn conclude(args: &RunArguments, report: &Report, mut results: RunResults<'_>) -> Result<(), Failure> {
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

/// What NWB wants to know.
fn metadata(args: &RunArguments) -> Result<Metadata, Failure> {
    let Some(path) = &args.metadata else { return Ok(Metadata::default()) };
    if args.format != ResultFormat::Nwb {
        return Err(Failure::Input("--metadata is for NWB; add --format nwb, or leave it out".into()));
    }
    Metadata::from_json(&source::text_of(path, "metadata")?).map_err(|error| Failure::of_file(path, &error))
}

/// What to do at a signal before the run.
fn leave(args: &RunArguments) -> impl FnOnce(Signal) + Send + 'static {
    // A run that is continued stays as it is.
    let out = args.out.clone().filter(|_| args.resumed.is_none());
    let (network, json) = (args.network.clone(), args.json);
    move |signal| {
        let report = report::of_nothing(&network, signal.name);
        // The results of an earlier run stay until the first step.
        let write = |path: PathBuf| OutputFolder::open(&path, Metadata::default(), false)?.write_first_report(&report);
        let written = out.map_or(Ok(()), write);
        let printed = if json { terminal::print(&report) } else { Ok(()) };
        [written, printed].into_iter().filter_map(Result::err).for_each(|failure| terminal::fail(&failure, false));
        terminal::fail(&Failure::Interrupted(signal, "during the build; no step was run".into()), false);
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

/// Rejects checkpoints of a run that has none.
fn check_saved(args: &RunArguments) -> Result<(), Failure> {
    let is_saved = args.checkpoint_every.or(args.checkpoint_every_model).is_some();
    if is_saved && args.precision == Precision::F64 {
        let sentence = "a run in f64 has no checkpoints, because they store the state as f32; remove --checkpoint-every";
        return Err(Failure::Input(sentence.into()));
    }
    Ok(())
}

/// Rejects what is written of a single trial with several.
fn check_single(args: &RunArguments, grid: &[Vec<(String, String)>]) -> Result<(), Failure> {
    let options = [
        (args.save_weights.is_some(), "--save-weights", "weights"),
        (args.save_synapses.is_some(), "--save-synapses", "synapses"),
        (args.format == ResultFormat::Nwb, "--format nwb", "results"),
        (args.format == ResultFormat::Sonata, "--format sonata", "results"),
    ];
    let given = options.iter().find(|(is_given, ..)| *is_given && (args.trials.get() > 1 || grid.len() > 1));
    given.map_or(Ok(()), |(_, option, what)| {
        let sentence = format!("{option} writes the {what} of a single trial, and there are several; select one with --trial");
        Err(Failure::Input(sentence))
    })
}

/// Rejects --save-weights if synapses have no variables of their own.
fn check_keeps(plan: &Plan) -> Result<(), Failure> {
    if !plan.projections.iter().any(|projection| projection.keeps_state()) {
        let sentence = "--save-weights has nothing to write: no synapses of the network have variables of their own; remove it";
        return Err(Failure::Input(sentence.into()));
    }
    Ok(())
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
        part: None,
    }
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
