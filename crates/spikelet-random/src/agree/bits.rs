//! Runs that must have the same bits, however the work is divided.

use std::sync::Arc;

use spikelet::{Backend, BuildOptions, Builder, Cpu, Error, Network, Plan, Simulation, Storage, Variant};

use super::sleeping;
use super::{Agreement, ComparisonResult, judge, of};
use crate::difference::{Closeness, Deviation, first};
use crate::run::{Pace, Seen, poll, run, run_through, steps};

/// A run on the CPU, to compare with.
pub(super) fn base(network: &Network) -> Result<Seen, (String, Deviation)> {
    let done = of("one thread", poll(run(network, Box::new(Cpu::new(1)), Pace::default())))?;
    of("one thread", done)
}

/// A run with its values.
pub(super) fn runs(network: &Network) -> ComparisonResult {
    base(network).map(|_| Agreement::Same)
}

/// Several threads.
pub(super) fn threads(network: &Network) -> ComparisonResult {
    let base = base(network)?;
    for threads in [2, 3] {
        let variant = format!("{threads} threads");
        let other = of(&variant, poll(run(network, sleeping(threads), Pace::default())))?;
        judge(&variant, first(network, [&base, &of(&variant, other)?], Closeness::Bits))?;
    }
    Ok(Agreement::Same)
}

/// Single steps, and batches that are no whole epochs.
pub(super) fn batches(network: &Network) -> ComparisonResult {
    let base = base(network)?;
    for batch in [1, 7] {
        let variant = format!("{batch} steps at a time");
        let other = of(&variant, poll(run(network, sleeping(1), Pace { batch, ..Pace::default() })))?;
        judge(&variant, first(network, [&base, &of(&variant, other)?], Closeness::Bits))?;
    }
    Ok(Agreement::Same)
}

async fn stored(network: &Network, storage: Storage) -> Result<Seen, Error> {
    let options = BuildOptions { storage: Some(storage), ..BuildOptions::default() };
    let plan = Arc::new(Builder::new(network, options)?.finish()?);
    let mut simulation = Simulation::with_plan(network, plan, Box::new(Cpu::new(1))).await?;
    run_through(&mut simulation, steps(network), Pace::default()).await
}

/// Stored synapses, and those that are drawn at each spike.
pub(super) fn storage(network: &Network) -> ComparisonResult {
    if network.projections.iter().any(|of| of.weights == Some(spikelet::Weights::F16)) {
        return Ok(Agreement::Rejected("stored weights in two bytes are rounded, those that are drawn are not".into()));
    }
    let kept = of("stored", of("stored", poll(stored(network, Storage::Stored)))?)?;
    let drawn = of("procedural", of("procedural", poll(stored(network, Storage::Procedural)))?)?;
    judge("procedural", first(network, [&kept, &drawn], Closeness::Bits))
}

async fn several(network: &Network, trials: &[u32], backend: Box<dyn Backend>) -> Result<Vec<Seen>, Error> {
    let (network, plan) = (Arc::new(network.clone()), Arc::new(Plan::new(network)?));
    let variants = trials.iter().map(|trial| Variant { network: network.clone(), plan: plan.clone(), trial: *trial });
    let mut simulation = Simulation::of_trials(variants.collect(), backend).await?;
    let mut seen: Vec<Seen> = trials.iter().map(|_| Seen::new(&simulation)).collect();
    let steps = steps(&network);
    while simulation.step() < steps && !simulation.is_over() {
        let activities = simulation.advance_trials(steps - simulation.step()).await?;
        for (seen, activity) in seen.iter_mut().zip(activities) {
            seen.spikes.extend(activity.spikes);
            seen.samples.extend(activity.samples.into_iter().map(f64::from));
        }
    }
    Ok(seen)
}

/// Three trials in parallel, and each alone.
pub(super) fn trials(network: &Network) -> ComparisonResult {
    let run = |trials: &[u32], threads| poll(several(network, trials, sleeping(threads)));
    let mut alone = Vec::new();
    for trial in [0, 1, 2] {
        alone.extend(of("alone", of("alone", run(&[trial], 1))?)?);
    }
    for threads in [1, 2] {
        let variant = format!("three trials on {threads} threads");
        let all = of(&variant, of(&variant, run(&[0, 1, 2], threads))?)?;
        for (alone, together) in alone.iter().zip(&all) {
            judge(&variant, first(network, [alone, together], Closeness::Bits))?;
        }
    }
    Ok(Agreement::Same)
}

/// A run, and the same after a reset.
pub(super) fn reset(network: &Network) -> ComparisonResult {
    let variant = "after a reset";
    let repeated = async {
        let mut simulation = Simulation::new(network, sleeping(1)).await?;
        run_through(&mut simulation, steps(network) / 2 + 1, Pace { ends: false, ..Pace::default() }).await?;
        simulation.reset(0).await?;
        run_through(&mut simulation, steps(network), Pace::default()).await
    };
    let again = of(variant, of(variant, poll(repeated))?)?;
    judge(variant, first(network, [&base(network)?, &again], Closeness::Bits))
}

/// A run of which nothing is recorded: the same spikes, and values up to a rounding error.
pub(super) fn recordings(network: &Network) -> ComparisonResult {
    unrecorded(network, Closeness::Within(1e-6))
}

/// The same, by bits.
pub(super) fn recorded_bits(network: &Network) -> ComparisonResult {
    unrecorded(network, Closeness::Bits)
}

fn unrecorded(network: &Network, closeness: Closeness) -> ComparisonResult {
    let mut other = network.clone();
    other.recordings.clear();
    other.statistics.clear();
    let variant = "nothing recorded";
    let [mut base, other] = [base(network)?, base(&other)?];
    // Only one of both has them.
    (base.samples, base.channels, base.statistics) = (Vec::new(), Vec::new(), Vec::new());
    judge(variant, first(network, [&base, &other], closeness))
}
