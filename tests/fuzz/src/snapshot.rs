//! Snapshots. Checksums and the length are corrected first, or no change would reach the content.

use std::ops::Range;

use super::{accepted, checksum, is_small};
use spikelet::{Cpu, Simulation, Snapshot};

/// Bytes before the first section: magic, format, length, sections, checksum.
const HEAD: usize = 32;

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    accepted(Snapshot::from_bytes(bytes));
    let Some(snapshot) = accepted(Snapshot::from_bytes(&sealed(bytes, |_| true))) else { return };
    let written = snapshot.to_bytes();
    let again = Snapshot::from_bytes(&written).unwrap_or_else(|error| panic!("its own bytes are rejected: {error}"));
    assert_eq!(again.to_bytes(), written, "the bytes differ after they were read");
    restored(&snapshot);
    // A state may have any numbers, and sums of some exceed an integer. So only what is unchanged of it runs.
    let with_own_state = accepted(Snapshot::from_bytes(&sealed(bytes, |name| !name.contains(": "))));
    if let Some(mut simulation) = with_own_state.and_then(|snapshot| restored(&snapshot)) {
        accepted(pollster::block_on(simulation.advance(3)));
    }
}

fn restored(snapshot: &Snapshot) -> Option<Simulation> {
    let restored = || pollster::block_on(Simulation::from_snapshot(snapshot, Box::new(Cpu::new(1))));
    is_small(snapshot.network()).then(restored).and_then(accepted)
}

/// The bytes with the checksums that they should have, as far as sections can be followed, in their head and in the sections of these names.
fn sealed(bytes: &[u8], has_name: impl Fn(&str) -> bool) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() < HEAD {
        return bytes;
    }
    let length = bytes.len() as u64;
    bytes[12..20].copy_from_slice(&length.to_le_bytes());
    let sum = checksum(&bytes[..HEAD - 8]).to_le_bytes();
    bytes[HEAD - 8..HEAD].copy_from_slice(&sum);
    let mut first = HEAD;
    while let Some((name, end)) = section(&bytes, first) {
        if has_name(&String::from_utf8_lossy(&bytes[name])) {
            let sum = checksum(&bytes[first..end]).to_le_bytes();
            bytes[end..end + 8].copy_from_slice(&sum);
        }
        first = end + 8;
    }
    bytes
}

/// The name of a section and the place of its checksum: after the length of its name, its name, the length of its content, and its content.
fn section(bytes: &[u8], first: usize) -> Option<(Range<usize>, usize)> {
    let name = first + 4..first + 4 + u32::from_le_bytes(bytes.get(first..first + 4)?.try_into().ok()?) as usize;
    let length = usize::try_from(u64::from_le_bytes(bytes.get(name.end..name.end + 8)?.try_into().ok()?)).ok()?;
    let end = (name.end + 8).checked_add(length)?;
    bytes.get(end..end.checked_add(8)?).map(|_| (name, end))
}
