//! About how many synapses a rule makes that depends on places or on conditions: some rows are drawn.

use super::pairs::Tests;
use super::sources::Unfolded;
use crate::connect::Wiring;
use crate::{Connector, Error, Network};

/// Rows that are drawn.
const ROWS: u32 = 64;

/// About how many synapses a projection has, from a sample of its rows.
pub(super) fn synapses(network: &Network, index: usize, connector: &Connector) -> Result<f64, Error> {
    let whole = Unfolded::new(network)?;
    let spaces = whole.ends_in_space(index);
    let projection = &network.projections[index];
    let tests = Tests::new(&whole, index, &spaces)?;
    let size = |name: &str| whole.find(name).map_or(0, |population| whole.populations[population].size);
    let (pre, post) =
        (projection.pre.range(size(&projection.pre.population)), projection.post.range(size(&projection.post.population)));
    let wiring = Wiring {
        rule: crate::connect::Rule::Connector(connector),
        path: format!("projections[{index}]"),
        projection: index as u32,
        seed: network.seed,
        pre: pre.clone(),
        post: post.clone(),
        recurrent: projection.pre.population == projection.post.population,
        spaces,
        keep: tests.keep,
        probability: tests.probability,
        most: [None; 2],
    };
    let ready = wiring.ready()?;
    let step = (pre.len() as u32).div_ceil(ROWS).max(1);
    let (mut rows, mut found) = (0.0, 0.0);
    for first in pre.clone().step_by(step as usize) {
        found += ready.stretch(first..first + 1, &post).targets.len() as f64;
        rows += 1.0;
    }
    Ok(found / f64::max(rows, 1.0) * pre.len() as f64)
}
