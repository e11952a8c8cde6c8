//! Edge lists as Matrix Market.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use spikelet::edges::{Bounds, EdgeList};
use spikelet_fuzz::{accepted, consistent};

fuzz_target!(|bytes: &[u8]| {
    let bounds = Bounds { pre: 0..4, post: 0..4 };
    if let Some(edges) = accepted(EdgeList::read("edges.mtx", Cursor::new(bytes), &bounds)) {
        consistent(&edges, &bounds);
    }
});
