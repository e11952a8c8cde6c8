//! Runs in f32 and in f64.

use spikelet::{Cpu, Error, Network, Simulation};

use super::{Agreement, ComparisonResult, judge, of};
use crate::difference::{Closeness, Deviation, first};
use crate::perturb::perturbed;
use crate::run::{self, Seen, poll, traces};

/// How far f32 may be from f64: weights are rounded to one part in 4096, and some steps of rounding are in a run.
const ERROR: f64 = 2e-3;
/// The part by which numbers are changed to see whether the run depends on such an error.
const CHANGE: f64 = 3e-4;
/// The part that shows a jump of any size where a rounding of f32 meets one, as `//` of a multiple does.
const SMALL_CHANGE: f64 = 1e-5;

/// f32 on the CPU and f64: spikes, and all variables in every step.
pub(super) fn f64(network: &Network) -> ComparisonResult {
    let variant = "f32 in the second run";
    // State in two bytes is coarser than any other.
    if has_halves(network) {
        return Ok(Agreement::Rejected("state in two bytes differs from f64 by more".into()));
    }
    let exact = exact(network)?;
    let single = of(variant, of(variant, poll(traces(network, Some(Box::new(Cpu::new(1))))))?)?;
    confirmed(network, variant, &exact, first(network, [&exact, &single], Closeness::Within(ERROR)))
}

/// A run in f64, its spikes in their order.
pub(super) fn exact(network: &Network) -> Result<Seen, (String, Deviation)> {
    let mut exact = of("f64", of("f64", poll(traces(network, None)))?)?;
    exact.spikes.sort_unstable();
    Ok(exact)
}

/// Values after the inputs and resets of the last step.
pub(super) fn settled(network: &Network) -> ComparisonResult {
    let variant = "f32 in the second run";
    if has_halves(network) {
        return Ok(Agreement::Rejected("state in two bytes differs from f64 by more".into()));
    }
    let found = of(variant, of(variant, poll(settled_differs(network)))?)?;
    confirmed(network, variant, &exact(network)?, found)
}

/// Whether the spikes of f64 are in the order of steps, then neurons.
pub(super) fn order(network: &Network) -> ComparisonResult {
    let found = of("f64", of("f64", poll(traces(network, None)))?)?;
    let mut sorted = found.clone();
    sorted.spikes.sort_unstable();
    judge("sorted in the second run", first(network, [&found, &sorted], Closeness::Bits))
}

/// Whether synapses have state or weights in two bytes.
fn has_halves(network: &Network) -> bool {
    network
        .projections
        .iter()
        .any(|of| of.weights == Some(spikelet::Weights::F16) || of.equations.as_ref().is_some_and(|text| text.contains("f16")))
}

/// A difference, unless small changes of all numbers make one, too.
pub(super) fn confirmed(network: &Network, variant: &str, exact: &Seen, found: Option<Deviation>) -> ComparisonResult {
    confirmed_to(network, variant, exact, found, &[CHANGE, SMALL_CHANGE])
}

/// The same with changes of these parts.
pub(super) fn confirmed_to(
    network: &Network,
    variant: &str,
    exact: &Seen,
    found: Option<Deviation>,
    changes: &[f64],
) -> ComparisonResult {
    if found.is_some() {
        for change in changes {
            if is_sensitive(network, exact, *change)? {
                return Ok(Agreement::Sensitive);
            }
        }
    }
    judge(variant, found)
}

/// Whether small changes of all numbers have an effect as large as what is compared.
fn is_sensitive(network: &Network, exact: &Seen, change: f64) -> Result<bool, (String, Deviation)> {
    let json = serde_json::from_str(&network.to_json()).unwrap_or_default();
    for pattern in 1..16 {
        let changed = Network::from_json(&perturbed(&json, change, pattern).to_string());
        let Ok(changed) = changed else { continue };
        let Ok(mut other) = of("changed numbers", poll(traces(&changed, None)))? else { continue };
        other.spikes.sort_unstable();
        // Values change by some of these parts in any run, but not by much more.
        if first(network, [exact, &other], Closeness::Within(150.0 * change)).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first value after the inputs and resets of the last step that differs.
async fn settled_differs(network: &Network) -> Result<Option<Deviation>, Error> {
    let mut single = Simulation::new(network, Box::new(Cpu::new(1))).await?;
    let mut exact = Simulation::new(network, Box::new(spikelet::Double::new())).await?;
    let [of_single, mut of_exact] = [run::settled(&mut single).await?, run::settled(&mut exact).await?];
    of_exact.spikes.sort_unstable();
    let found = first(network, [&of_exact, &of_single], Closeness::Within(ERROR));
    Ok(found)
}
