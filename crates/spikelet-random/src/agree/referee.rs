//! The rules of the language, as the referee executes them, and f64.

use spikelet::Network;
use spikelet_reference::Reference;

use super::precision::{confirmed_to, exact};
use super::{Agreement, ComparisonResult, of};
use crate::difference::{Closeness, Deviation, first};
use crate::run::{Seen, recordings_of_all, steps};

/// How far sums in another order, and matrix exponentials, are apart.
const ERROR: f64 = 1e-9;
/// The part by which numbers are changed to see whether the run depends on such an error.
const CHANGE: f64 = 1e-11;

impl From<spikelet_reference::Error> for Deviation {
    fn from(error: spikelet_reference::Error) -> Deviation {
        Deviation::Failed(format!("the referee: {error}"))
    }
}

/// A run of the referee, with the same recordings as [`exact`].
fn by_rules(network: &Network) -> Result<Seen, (String, Deviation)> {
    let variant = "the referee";
    let mut network = network.clone();
    network.statistics.clear();
    network.recordings = of(variant, recordings_of_all(&network))?;
    let mut reference = of(variant, Reference::new(&network))?;
    let steps = steps(&network);
    of(variant, reference.run(steps + 1))?;
    let mut seen = Seen { every: 1, ..Seen::default() };
    let rows: Vec<_> = (0..network.recordings.len()).map(|index| reference.recording(index)).collect();
    for (recording, rows) in network.recordings.iter().zip(&rows) {
        let width = rows.first().map_or(0, |(_, values)| values.len());
        seen.channels.extend((0..width).map(|k| format!("{}.{}[{k}]", recording.object, recording.var)));
    }
    for row in 0..rows.first().map_or(0, |rows| rows.len()) {
        seen.samples.extend(rows.iter().flat_map(|rows| rows[row].1.iter().copied()));
    }
    seen.spikes = reference.spikes().iter().filter(|spike| spike.step < steps).copied().collect();
    seen.end.0 = reference.steps();
    Ok(seen)
}

/// The rules and f64: every spike, and all variables in every step.
pub(super) fn referee(network: &Network) -> ComparisonResult {
    let mut rules = match by_rules(network) {
        Err((_, Deviation::Failed(why))) if why.contains("does not know") => return Ok(Agreement::Rejected(why)),
        other => other?,
    };
    let exact = exact(network)?;
    // Which condition was true is a text of the simulator.
    rules.end = (rules.end.0, exact.end.1.clone());
    let found = first(network, [&rules, &exact], Closeness::Within(ERROR));
    confirmed_to(network, "the simulator in the second run", &exact, found, &[CHANGE])
}
