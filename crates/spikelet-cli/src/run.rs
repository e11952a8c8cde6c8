//! `spikelet run`.

mod arguments;
mod division;
mod ending;
mod launch;
#[cfg(feature = "mpi")]
mod processes;
#[cfg(feature = "mpi")]
mod sent;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use spikelet::{Network, Plan, Point, Purpose, Sweep};
use spikelet_interchange::results::Metadata;

use crate::args::{Division, ResultFormat, RunArguments};
use crate::cell_groups::CellGroups;
use crate::energy::EnergyMeter;
use crate::export::synapses;
use crate::failure::Failure;
use crate::forecast::Forecast;
use crate::interrupt::InterruptGuard;
use crate::output::OutputFolder;
use crate::overlap::FileRole;
use crate::ranks::{Ranks, Shares};
use crate::report;
use crate::run_description::{NAME, RUN, RunDescription};
use crate::signal::Signal;
use crate::trials::{Saved, Trials};
use crate::unfinished::{NewRun, Unfinished};
use crate::{build, device, dry_run, interrupt, jobs, output, overlap, screen, source, terminal};
use ending::Finished;

pub(crate) fn run(args: &RunArguments) -> Result<(), Failure> {
    let started = Instant::now();
    let args = &*screen::expanded(args)?;
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
        EnergyMeter::start(&args.cost)?;
        let network = match &args.resumed {
            Some(run) => source::resumed(&run.network.to_string())?,
            None => {
                let mut network = source::network(&args.network, &args.settings)?;
                screen::prepare(args, &mut network)?;
                network
            }
        };
        if let Some(column) = &args.by {
            CellGroups::new(&network, column)?;
        }
        network.checked_steps()?;
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
            points[points.len() - 1].network.checked_steps()?;
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
    let identity = ranks.receive_from_first(Purpose::Checkpoint, identity)?.try_into().map(u32::from_le_bytes);
    let identity = identity.map_err(|_| Failure::Run("the first rank sends no identity of the run; report this error".into()))?;
    Ok(Saved::New(NewRun { identity, description }))
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
