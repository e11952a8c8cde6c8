//! Graphs of NIR.

use super::{accepted, run};
use spikelet_interchange::nir::{Graph, Import};

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    let Some(graph) = accepted(Graph::from_bytes(bytes.to_vec())) else { return };
    if accepted(graph.validate()).is_some() {
        let written = accepted(graph.to_bytes(false)).expect("a valid graph can be written");
        Graph::from_bytes(written).unwrap_or_else(|error| panic!("its own file is rejected: {error}"));
    }
    if let Some((network, _)) = accepted(graph.network(&Import::default())) {
        run(&network);
    }
}
