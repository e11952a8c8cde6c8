//! `spikelet run`.

mod arguments;
mod division;
mod launch;
#[cfg(feature = "mpi")]
mod processes;
#[cfg(feature = "mpi")]
mod sent;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use spikelet::{Network, Plan, Point, Sweep};
use spikelet_gpu::{Interface, Workload};
use spikelet_interchange::results::Metadata;

use crate::args::{ResultFormat, RunArguments};
use crate::energy::{Energy, EnergyMeter};
use crate::export::synapses;
use crate::failure::Failure;
use crate::forecast::Forecast;
use crate::interrupt::InterruptGuard;
use crate::jobs::steps;
use crate::output::OutputFolder;
use crate::ranks::{Ranks, Shares};
use crate::report::{self, Population, Report};
use crate::signal::Signal;
use crate::trials::{FinishedTrial, Trials};
use crate::{build, device, dry_run, interrupt, jobs, memory, output, profile, source, terminal};

pub(crate) fn run(args: &RunArguments) -> Result<(), Failure> {
    let started = Instant::now();
    device::check_threads(args.threads)?;
    interrupt::listen()?;
    launch::run(args, started)
}

/// What is read before a run, by one rank for all.
struct Input {
    network: Network,
    folder: Option<OutputFolder>,
}

impl Input {
    /// Reads the network, and checks what can be checked before it is built.
    fn read(args: &RunArguments) -> Result<Input, Failure> {
        jobs::count(args, Sweep::grid(&args.sweep)?.len())?;
        device::check_precision(args)?;
        EnergyMeter::start(&args.cost)?;
        let network = source::network(&args.network, &args.settings)?;
        steps(&network)?;
        let metadata = metadata(args)?;
        let folder = args.out.as_deref().map(|path| OutputFolder::open(path, metadata)).transpose()?;
        for (path, option) in [(&args.save_weights, "--save-weights"), (&args.trace, "--trace")] {
            path.iter().try_for_each(|path| output::check_writable(path, option))?;
        }
        args.save_synapses.iter().try_for_each(|folder| synapses::open((folder, "--save-synapses")))?;
        Ok(Input { network, folder })
    }
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
    trials: Trials<'a>,
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
    let mut trials = Trials::new(args, &built.points, ranks, started, watch)?;
    let meter = if ranks.is_first() { EnergyMeter::start(&args.cost)? } else { None };
    trials.run()?;
    let shares = Shares::of(ranks, trials.simulated().as_secs_f64(), trials.exchanged(), &built.points[0].plan)?;
    trials.collect()?;
    let events = trials.done().iter().map(|done| done.synaptic_events).sum();
    let energy = meter.map(|meter| meter.read(trials.simulated().as_secs_f64(), events));
    Ok(Finished { trials, shares, energy })
}

/// Writes and prints the results of a run.
fn conclude(args: &RunArguments, folder: Option<&OutputFolder>, built: &Built, finished: Finished) -> Result<(), Failure> {
    let Finished { mut trials, shares, energy } = finished;
    let mut report = report(&built.network, &built.points, &trials);
    (report.shares, report.energy) = (shares, energy);
    report.part = args.of_ranks.part.map(|part| part.to_string());
    report.notices.splice(..0, built.notices.iter().cloned());
    report.keep_account(trials.gpu().map(|(_, monitor)| monitor.buffers()), &built.points[0].plan);
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
        report.profile = profile::of_run(args, trials.gpu(), trials.cpu_profile(), &run)?;
    }
    if let Some(folder) = folder {
        folder.write(args.format, &built.network, &trials.recording(), &report.to_json())?;
    }
    if let Some(path) = &args.save_weights {
        output::write_learned(path, trials.learned())?;
    }
    if let Some(folder) = &args.save_synapses {
        let (network, tables) = ((*built.network).clone(), trials.take_synapses().into_iter().map(Ok));
        synapses::write_folder((folder, "--save-synapses"), args.format.of_arrays(), network, tables, &mut |_, _| Ok(()))?;
    }
    if args.json {
        terminal::print(&report.to_json())?;
    } else if !args.quiet {
        terminal::print(&report)?;
    }
    if let (Some(profile), false) = (&report.profile, args.json || args.quiet) {
        terminal::print(profile)?;
    }
    if args.verbose {
        terminal::print(&report.account())?;
    }
    outcome(&trials, &report)
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
    let (network, out, json) = (args.network.clone(), args.out.clone(), args.json);
    move |signal| {
        let report = report::of_nothing(&network, signal.name);
        let write = |path: PathBuf| OutputFolder::open(&path, Metadata::default())?.write_report(&report);
        let written = out.map_or(Ok(()), write);
        let printed = if json { terminal::print(&report) } else { Ok(()) };
        [written, printed].into_iter().filter_map(Result::err).for_each(|failure| terminal::fail(&failure, false));
        terminal::fail(&Failure::Interrupted(signal, "during the build; no step was run".into()), false);
    }
}

/// The error of the command, after all results are written.
fn outcome(trials: &Trials, report: &Report) -> Result<(), Failure> {
    if let Some(signal) = trials.interruption() {
        let sentence = format!("at {} ms; the results up to that time are written", report.time_ms);
        return Err(Failure::Interrupted(signal, sentence));
    }
    let mut failed = trials.done().iter().filter_map(|done| done.failure.as_ref());
    match (failed.next(), failed.count()) {
        (None, _) => Ok(()),
        (Some(only), 0) => Err(Failure::Run(only.clone())),
        (Some(first), more) => Err(Failure::Run(format!("{} of {} trials failed, the first: {first}", more + 1, report.trials))),
    }
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

fn report(network: &Network, points: &[Point], trials: &Trials) -> Report {
    let (done, plan) = (trials.done(), &points[0].plan);
    let total_ms: f64 = done.iter().map(|done| done.time_ms).sum();
    let total_steps: u64 = done.iter().map(|done| u64::from(done.steps)).sum();
    let simulate_seconds = trials.simulated().as_secs_f64();
    let per_second = |count: u64| (simulate_seconds > 0.0).then(|| count as f64 / simulate_seconds);
    let synaptic_events = done.iter().map(|done| done.synaptic_events).sum();
    let furthest = done.iter().max_by_key(|done| done.changed.len());
    Report {
        network: network.name.clone(),
        neurons: plan.neurons().into(),
        synapses: plan.synapses(),
        dt_ms: plan.dt_ms,
        time_ms: done.iter().map(|done| done.time_ms).fold(0.0, f64::max),
        seed: plan.seed,
        trials: done.len() as u32,
        completed: trials.interruption().is_none() && done.iter().all(|done| done.completed),
        interrupted: trials.interruption().map(|signal| signal.name),
        backend: trials.backend().cloned().unwrap_or_default(),
        build_seconds: trials.built().as_secs_f64(),
        first_spike_seconds: trials.first_spike().map(|time| time.as_secs_f64()),
        simulate_seconds,
        real_time_factor: (total_ms > 0.0).then(|| simulate_seconds * 1000.0 / total_ms),
        trial_steps_per_second: per_second(total_steps),
        spikes: done.iter().map(|done| done.recorder.spikes()).sum(),
        synaptic_events,
        synaptic_events_per_second: per_second(synaptic_events),
        neuron_updates_per_second: per_second(total_steps * u64::from(plan.neurons())),
        memory_bytes: plan.memory().iter().map(|(_, bytes)| bytes).sum(),
        resident_bytes: memory::resident(),
        buffers: Vec::new(),
        device_bytes: 0,
        profile: None,
        monitor: trials.monitored().map(<[_]>::to_vec),
        populations: populations(plan, done),
        spikes_hash: done.iter().map(|done| done.recorder.spikes_hash()).collect::<Vec<_>>().into(),
        changes: furthest.map(|done| done.changed.clone()).unwrap_or_default(),
        stopped: done.iter().map(|done| done.stopped.clone()).collect::<Vec<_>>().into(),
        notices: trials.notices().to_vec(),
        results: done.iter().map(|done| done.result(&points[done.job.point])).collect(),
        shares: None,
        energy: None,
        part: None,
    }
}

/// Rate and irregularity of each population, as means over trials.
fn populations(plan: &Plan, trials: &[FinishedTrial]) -> Vec<Population> {
    let summaries: Vec<_> = trials.iter().map(|done| done.recorder.populations(done.time_ms)).collect();
    let mean = |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let population = |(index, population): (usize, &spikelet::PopulationPlan)| Population {
        name: population.name.clone(),
        size: population.size,
        rate_hz: mean(summaries.iter().map(|trial| trial[index].rate_hz).collect()).unwrap_or_default(),
        cv_isi: mean(summaries.iter().filter_map(|trial| trial[index].cv_isi).collect()),
    };
    plan.populations.iter().enumerate().map(population).collect()
}
