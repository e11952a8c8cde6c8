//! NumPy archives: as edges, as arrays, and as learned weights. Bytes that are no archive are entries of one, so that arrays change, too:
//! each is its name up to a line break, and its content up to the next line `---`.

use std::io::{Cursor, Write};

use super::{accepted, consistent};
use rawzip::ZipArchiveWriter;
use spikelet::SynapseState;
use spikelet::edges::{Bounds, EdgeList, read_arrays};

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    let made = if bytes.starts_with(b"PK") { Some(bytes.to_vec()) } else { archive(bytes) };
    let Some(archive) = made else { return };
    let bounds = Bounds { pre: 0..8, post: 0..8 };
    if let Some(edges) = accepted(EdgeList::read("edges.npz", Cursor::new(&archive), &bounds)) {
        consistent(&edges, &bounds);
    }
    accepted(read_arrays("arrays.npz", &archive));
    let states = accepted(SynapseState::read("weights.npz", Cursor::new(&archive), &|_| true)).unwrap_or_default();
    let written = SynapseState::write(&states, Cursor::new(Vec::new()));
    // Names in an archive may be those of two projections, or of indices; then writing says so.
    if let Ok(file) = written {
        let again = SynapseState::read("weights.npz", Cursor::new(file.into_inner()), &|_| true);
        let bits = |of: &SynapseState| -> Vec<u32> { of.variables.values().flatten().map(|value| value.to_bits()).collect() };
        let again = again.unwrap_or_else(|error| panic!("its own archive is rejected: {error}"));
        for state in &states {
            let same = again.iter().find(|of| of.projection == state.projection);
            assert!(same.is_some_and(|of| of.pairs == state.pairs && bits(of) == bits(state)), "{} differs", state.projection);
        }
    }
}

/// An archive of these entries; nothing if a name cannot be that of an entry.
fn archive(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut archive = ZipArchiveWriter::new(Vec::new());
    let mut rest = bytes;
    while !rest.is_empty() {
        const END: &[u8] = b"\n---\n";
        let end = rest.windows(END.len()).position(|bytes| bytes == END);
        let entry;
        (entry, rest) = end.map_or((rest, &rest[rest.len()..]), |end| (&rest[..end], &rest[end + END.len()..]));
        let name = entry.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let content = entry.get(name.len() + 1..).unwrap_or_default();
        let (mut file, data) = archive.new_file(std::str::from_utf8(name).ok()?).start().ok()?;
        let mut data = data.wrap(&mut file);
        data.write_all(content).ok()?;
        let (_, descriptor) = data.finish().ok()?;
        file.finish(descriptor).ok()?;
    }
    archive.finish().ok()
}
