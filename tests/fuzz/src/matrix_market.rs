//! Edge lists as Matrix Market.

use std::io::Cursor;

use super::{accepted, consistent};
use spikelet::edges::{Bounds, EdgeList};

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    let bounds = Bounds { pre: 0..4, post: 0..4 };
    if let Some(edges) = accepted(EdgeList::read("edges.mtx", Cursor::new(bytes), &bounds)) {
        consistent(&edges, &bounds);
    }
}
