//! The lanes in which a condition holds.

use super::{LANES, Lanes};
use crate::simd::Level;

/// Lanes that are tested together.
const CHUNK: usize = 32;

/// Calls `cross` for each of the first `count` lanes in which a condition holds, in their order.
#[inline]
pub fn crossed(level: Level, holds: &Lanes, count: usize, mut cross: impl FnMut(usize)) {
    let chunks = holds.as_chunks::<CHUNK>().0;
    // Usually there is none, and testing all at once is a vector loop.
    let mut any = [false; LANES / CHUNK];
    level.run(
        #[inline(always)]
        || {
            for (any, holds) in any.iter_mut().zip(chunks) {
                *any = holds.iter().fold(0, |any, holds| any | holds.to_bits()) != 0;
            }
        },
    );
    for (chunk, holds) in chunks.iter().enumerate().filter(|(chunk, _)| any[*chunk]) {
        let lanes = (chunk * CHUNK..count).zip(holds).filter(|(_, holds)| **holds != 0.0);
        lanes.for_each(|(lane, _)| cross(lane));
    }
}
