//! Edge lists as CSV.

use std::io::Cursor;

use super::{accepted, consistent};
use spikelet::edges::{Bounds, EdgeList};

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    let bounds = Bounds { pre: 0..8, post: 2..9 };
    if let Some(edges) = accepted(EdgeList::read("edges.csv", Cursor::new(bytes), &bounds)) {
        consistent(&edges, &bounds);
    }
}
