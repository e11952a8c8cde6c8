//! Runs that are interrupted: values are read, a snapshot continues, values are set.

use spikelet::{Backend, Cpu, Double, Error, Network, Simulation, Snapshot};

use super::bits::base;
use super::sleeping;
use super::{Agreement, ComparisonResult, judge, of};
use crate::difference::{Closeness, first};
use crate::run::{Pace, Seen, poll, run, steps};

/// A run whose values are read in the middle.
pub(super) fn looks(network: &Network) -> ComparisonResult {
    let (variant, half) = ("values read in the middle", steps(network) / 2);
    let pace = Pace { look: Some(half), ..Pace::default() };
    let other = of(variant, of(variant, poll(run(network, sleeping(1), pace)))?)?;
    judge(variant, first(network, [&base(network)?, &other], Closeness::Bits))
}

async fn continued(network: &Network, [first, second]: [Box<dyn Backend>; 2]) -> Result<Seen, Error> {
    let mut simulation = Simulation::new(network, first).await?;
    let mut seen = Seen::new(&simulation);
    seen.advance(&mut simulation, steps(network) / 2, u32::MAX).await?;
    if simulation.is_over() {
        seen.look(&mut simulation).await?;
        return Ok(seen);
    }
    let bytes = simulation.snapshot().await?.to_bytes();
    let snapshot = Snapshot::from_bytes(&bytes)?;
    let mut simulation = Simulation::from_snapshot(&snapshot, second).await?;
    seen.advance(&mut simulation, steps(network), u32::MAX).await?;
    seen.look(&mut simulation).await?;
    Ok(seen)
}

/// A run that continues from a snapshot in the middle, in another simulation with other threads; and in f64.
pub(super) fn snapshot(network: &Network) -> ComparisonResult {
    let in_f64 = || -> Box<dyn Backend> { Box::new(Double::new()) };
    let variant = "in f64";
    let whole = of(variant, of(variant, poll(run(network, in_f64(), Pace::default())))?)?;
    let variant = "continued from a snapshot in f64";
    let other = of(variant, of(variant, poll(continued(network, [in_f64(), in_f64()])))?)?;
    judge(variant, first(network, [&whole, &other], Closeness::Bits))?;
    let base = base(network)?;
    for threads in [1, 2] {
        let variant = format!("continued from a snapshot, {threads} threads");
        let other = of(&variant, of(&variant, poll(continued(network, [sleeping(1), sleeping(threads)])))?)?;
        judge(&variant, first(network, [&base, &other], Closeness::Bits))?;
    }
    Ok(Agreement::Same)
}

async fn set_at_steps(network: &Network) -> Result<Seen, Error> {
    let schedule = network.schedule();
    let mut without = network.clone();
    without.changes.clear();
    let mut simulation = Simulation::new(&without, sleeping(1)).await?;
    let mut seen = Seen::new(&simulation);
    let steps = steps(network);
    for due in schedule.iter().filter(|due| due.step < steps) {
        seen.advance(&mut simulation, due.step, u32::MAX).await?;
        if simulation.is_over() {
            break;
        }
        // After a batch in which a condition was nearly true the device may be ahead.
        simulation.rewind().await?;
        simulation.set(&due.path, &due.value).await?;
    }
    seen.advance(&mut simulation, steps, u32::MAX).await?;
    seen.look(&mut simulation).await?;
    Ok(seen)
}

/// Whether several values change in a step: one after the other, each may change the unit of sums, in which input on its way is rounded.
fn sets_several_at_once(network: &Network) -> bool {
    let schedule = network.schedule();
    schedule.windows(2).any(|pair| pair[0].step == pair[1].step)
}

/// The changes of the file, set by the caller at their steps.
pub(super) fn set(network: &Network) -> ComparisonResult {
    if network.changes.is_empty() {
        return Ok(Agreement::Same);
    }
    let variant = "set by the caller";
    let base = of("changes of the file", of("changes of the file", poll(run(network, Box::new(Cpu::new(1)), Pace::default())))?);
    let other = of(variant, poll(set_at_steps(network)))?;
    match (base, other) {
        // What the file announces has two words from the start; the code of a run cannot change.
        (Ok(_), Err(error)) if error.to_string().contains("needs two words") => Ok(Agreement::Rejected(error.to_string())),
        (Ok(base), other) => {
            let other = of(variant, other)?;
            let closeness = if sets_several_at_once(network) { Closeness::Within(1e-5) } else { Closeness::Bits };
            judge(variant, first(network, [&base, &other], closeness))
        }
        // Both reject the value.
        (Err(_), Err(error)) => Ok(Agreement::Rejected(error.to_string())),
        (Err(error), Ok(_)) => Err(error),
    }
}
