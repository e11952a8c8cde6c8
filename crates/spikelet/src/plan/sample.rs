//! About how many synapses a rule makes that depends on places or on conditions: some rows are drawn.

use super::pairs::wiring;
use super::sources::Unfolded;
use crate::Error;
use crate::connect::Wiring;

/// Rows that are drawn.
const ROWS: u32 = 64;

/// About how many synapses a projection has before its caps, from a sample of its rows.
pub(super) fn synapses(network: &Unfolded<'_>, index: usize) -> Result<f64, Error> {
    let wiring = Wiring { most: [None; 2], ..wiring(network, index)? };
    let (pre, ready) = (wiring.pre.clone(), wiring.ready()?);
    let step = (pre.len() as u32).div_ceil(ROWS).max(1);
    let (mut rows, mut found) = (0.0, 0.0);
    for first in pre.clone().step_by(step as usize) {
        found += ready.stretch(first..first + 1, &wiring.post).targets.len() as f64;
        rows += 1.0;
    }
    Ok(found / f64::max(rows, 1.0) * pre.len() as f64)
}
