//! Edge lists and tables of neurons as CSV, and conditions on them.

use std::io::Cursor;

use super::{accepted, consistent};
use spikelet::NeuronTable;
use spikelet::edges::{Bounds, EdgeList};
use spikelet::selection::Selection;

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    let bounds = Bounds { pre: 0..8, post: 2..9 };
    if let Some(edges) = accepted(EdgeList::read("edges.csv", Cursor::new(bytes), &bounds)) {
        consistent(&edges, &bounds);
    }
    let Some(table) = accepted(NeuronTable::read("neurons.csv", Cursor::new(bytes), None)) else { return };
    let condition = String::from_utf8_lossy(bytes);
    if let Some(selected) = Selection::parse("post", &condition).ok().and_then(|of| of.neurons("post", &table).ok()) {
        assert!(selected.iter().all(|neuron| (*neuron as usize) < table.rows()));
    }
}
