//! Builds the plan of a network, with progress.

use std::num::NonZeroUsize;

use spikelet::{BuildOptions, Builder, Network, PerSynapse, Plan, ProjectionPlan};

use crate::args::{Precision, RunArguments, Storage, Weights};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::ranks::Ranks;
use crate::{device, memory, source, terminal};

/// Build options of the command line.
pub(crate) fn options(args: &RunArguments) -> BuildOptions {
    let threads = NonZeroUsize::new(device::threads(args.threads)).unwrap_or(NonZeroUsize::MIN);
    let (storage, weights) = (args.storage.map(Into::into), args.weights.map(Into::into));
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

impl From<Weights> for spikelet::Weights {
    fn from(weights: Weights) -> spikelet::Weights {
        match weights {
            Weights::I32 => spikelet::Weights::I32,
            Weights::F16 => spikelet::Weights::F16,
        }
    }
}

/// Checks a network without building it.
pub(crate) fn check(network: &Network, args: &RunArguments) -> Result<(), Failure> {
    Builder::new(network, options(args)).map(|_| ()).map_err(|error| source::refused(&args.network, &error))
}

/// The plan of a network; of ranks that share it, the part of this one.
pub(crate) fn plan(network: &Network, args: &RunArguments, ranks: &Ranks) -> Result<Plan, Failure> {
    if let Some(plan) = ranks.plan(network, options(args))? {
        return Ok(plan);
    }
    let mut builder = Builder::new(network, options(args)).map_err(|error| source::refused(&args.network, &error))?;
    let bar = Progress::of_building(args.quiet);
    loop {
        let progress = builder.advance()?;
        bar.show_building(&progress);
        if progress.is_done {
            drop(bar);
            let plan = builder.finish()?;
            if let (Some(Weights::F16), false) = (args.weights, args.quiet) {
                say_what_stays(&plan);
            }
            return Ok(plan);
        }
    }
}

/// Sets the weight formats of `--weights` in the network, so that a saved network gives the same spikes.
pub(crate) fn say_weights(network: &mut Network, plan: &Plan, args: &RunArguments) {
    let Some(Weights::F16) = args.weights else { return };
    for (projection, plan) in network.projections.iter_mut().zip(&plan.projections) {
        if plan.state.is_none() && !has_drawn_weights(plan) {
            projection.weights.get_or_insert(spikelet::Weights::F16);
        }
    }
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
