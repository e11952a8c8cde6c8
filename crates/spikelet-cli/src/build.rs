//! Builds the plan of a network, with progress.

use spikelet::cost::ExpectedMemory;
use spikelet::{BuildOptions, Builder, Error, Estimate, Network, PerSynapse, Plan, ProjectionPlan, human};
use spikelet_native::memory;

use crate::args::{Precision, RunArguments, Storage, Weights};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::ranks::Ranks;
use crate::{device, source, terminal};

/// Names of projections in a notice.
const NAMED: usize = 3;

/// Build options of the command line.
pub(crate) fn options(args: &RunArguments) -> BuildOptions {
    let threads = device::build_threads(args.threads);
    let (storage, weights) = (args.storage.map(Into::into), formats(args)[0]);
    BuildOptions { threads, memory: args.memory.or_else(memory::free), storage, weights, exact: args.precision == Precision::F64 }
}

impl From<Storage> for spikelet::Storage {
    fn from(storage: Storage) -> spikelet::Storage {
        match storage {
            Storage::Stored => spikelet::Storage::Stored,
            Storage::Procedural => spikelet::Storage::Procedural,
        }
    }
}

/// The formats of weights that `--weights` allows, in the order in which they are tried: the next one if the network does not fit.
fn formats(args: &RunArguments) -> &'static [Option<spikelet::Weights>] {
    match args.weights {
        None => &[None],
        Some(Weights::I32) => &[Some(spikelet::Weights::I32)],
        Some(Weights::F16) => &[Some(spikelet::Weights::F16)],
        Some(Weights::Auto) => &[None, Some(spikelet::Weights::F16)],
    }
}

/// Calls `attempt` with the formats of weights until the network fits; returns its result with the format.
fn in_a_format<T>(
    args: &RunArguments,
    attempt: impl Fn(BuildOptions) -> Result<T, Error>,
) -> Result<(T, Option<spikelet::Weights>), Failure> {
    let (options, formats) = (options(args), formats(args));
    let mut tried = formats.iter();
    loop {
        let weights = tried.next().copied().flatten();
        match attempt(BuildOptions { weights, ..options }) {
            Ok(done) => return Ok((done, weights)),
            Err(error) if error.kind() == Some("out_of_memory") && !tried.as_slice().is_empty() => {
                notice(args, &format!("{error}; --weights auto tries f16, which rounds weights and so changes spikes"));
            }
            Err(error) => return Err(source::refused(&args.network, &error)),
        }
    }
}

fn notice(args: &RunArguments, sentence: &str) {
    if !args.quiet {
        terminal::notice(&sentence);
    }
}

/// Checks a network without building it.
pub(crate) fn check(network: &Network, args: &RunArguments) -> Result<(), Failure> {
    Builder::new(network, options(args)).map(|_| ()).map_err(|error| source::refused(&args.network, &error))
}

/// The expected memory of a network, without drawing it.
pub(crate) fn expected(network: &Network, args: &RunArguments) -> Result<ExpectedMemory, Failure> {
    Ok(in_a_format(args, |options| ExpectedMemory::new(network, options))?.0)
}

/// The plan of a network; of ranks that share it, the part of this one. The formats of its weights are set in the network, so that a saved
/// network gives the same spikes.
pub(crate) fn plan(network: &mut Network, args: &RunArguments, ranks: &Ranks) -> Result<Plan, Failure> {
    if ranks.share_network() && args.weights == Some(Weights::Auto) {
        let sentence =
            "--weights auto depends on the free memory of one process, and several ranks share the network; use i32 or f16";
        return Err(Failure::Input(sentence.into()));
    }
    let (plan, weights) = match ranks.plan(network, options(args))? {
        Some(plan) => (plan, options(args).weights),
        None => in_a_format(args, |options| drawn(network, args, options))?,
    };
    if weights == Some(spikelet::Weights::F16) {
        for (projection, plan) in network.projections.iter_mut().zip(&plan.projections) {
            if plan.state.is_none() && !has_drawn_weights(plan) {
                projection.weights.get_or_insert(spikelet::Weights::F16);
            }
        }
        if !args.quiet && !ranks.share_network() {
            say_what_stays(&plan);
        }
    }
    Ok(plan)
}

fn drawn(network: &Network, args: &RunArguments, options: BuildOptions) -> Result<Plan, Error> {
    let mut builder = Builder::new(network, options)?;
    say_procedural(builder.estimate(), args);
    let bar = Progress::of_building(args.quiet);
    loop {
        let progress = builder.advance()?;
        bar.show_building(&progress);
        if progress.is_done {
            drop(bar);
            return builder.finish();
        }
    }
}

/// Names the projections that are procedural because the network would not fit otherwise.
pub(crate) fn say_procedural(estimate: &Estimate, args: &RunArguments) {
    let names = &estimate.became_procedural;
    if names.is_empty() {
        return;
    }
    let named = names.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if names.len() > NAMED { format!(" and {} more", names.len() - NAMED) } else { String::new() };
    let (bytes, available) =
        (human(estimate.bytes_if_stored), options(args).memory.map_or("what can be addressed".into(), human));
    notice(
        args,
        &format!(
            "stored, the network would take about {bytes}, more than {available}: the synapses of {named}{more} are procedural, drawn \
             again at every spike; spikes stay the same"
        ),
    );
}

fn has_drawn_weights(projection: &ProjectionPlan) -> bool {
    projection.writes().any(|(_, write)| matches!(write.weights, PerSynapse::Drawn(_)))
}

/// Names the projections on which `--weights f16` has no effect.
fn say_what_stays(plan: &Plan) {
    let of = |kept: fn(&ProjectionPlan) -> bool| -> Vec<&str> {
        plan.projections.iter().filter(|projection| kept(projection)).map(|projection| projection.name.as_str()).collect()
    };
    let stateful = of(|projection| projection.state.is_some());
    if !stateful.is_empty() {
        terminal::notice(&format_args!(
            "--weights f16 has no effect on {}: their synapses have state, whose variables have a flag f16 of their own",
            stateful.join(", ")
        ));
    }
    let drawn = of(has_drawn_weights);
    if !drawn.is_empty() {
        let drawn = drawn.join(", ");
        terminal::notice(&format_args!("--weights f16 has no effect on {drawn}: their weights are drawn at every spike"));
    }
}
