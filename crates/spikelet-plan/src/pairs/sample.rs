//! Expected number of synapses of a rule that depends on positions or conditions: some rows are drawn.

use spikelet_network::Error;
use spikelet_rows::connect::{Connectivity, Preparation};

use crate::neurons::sources::LoweredNetwork;
use crate::pairs::connectivity;

/// Number of rows drawn.
const ROWS: u32 = 64;

/// Offset of the next drawn row in its range, as a fraction: advanced by the golden ratio. Equidistant rows might all be at the edge of a
/// grid.
const FURTHER: f64 = 0.618_033_988_749_894_8;

/// Expected number of synapses of a projection before its caps, from a sample of its rows.
pub(crate) fn synapses(network: &LoweredNetwork<'_>, index: usize) -> Result<f64, Error> {
    let connectivity = Connectivity { most: [None; 2], ..connectivity(network, index)? };
    let (pre, post) = (connectivity.pre.clone(), connectivity.post.clone());
    let ready = Preparation::new(connectivity, false)?.finish()?;
    let rows = ROWS.min(pre.len() as u32);
    let length = pre.len() as f64 / f64::from(rows.max(1));
    let mut found = 0.0;
    for stretch in 0..rows {
        let inside = f64::from(stretch) * FURTHER;
        let at = (f64::from(stretch) + inside - libm::floor(inside)) * length;
        let first = pre.start + (at as u32).min(pre.len() as u32 - 1);
        found += ready.stretch(first..first + 1, &post).targets.len() as f64;
    }
    Ok(found * length)
}
