//! The order of samples.

use spikelet_rows::rng::philox;

/// Marks the counters of these draws: no [`Purpose`](spikelet_rows::rng::Purpose) of a simulation has this number.
const ORDER: u32 = 0x40;

/// The samples of each batch of an epoch: all samples once, in an order that depends on seed and epoch alone. The last batch may be smaller.
///
/// The order is that of Fisher & Yates, with random numbers that are functions of the seed, the epoch and the place.
pub fn batches(seed: u64, epoch: u32, samples: usize, batch: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..samples).collect();
    for last in (1..samples).rev() {
        let [high, low, ..] = philox(seed, [last as u32, epoch, ORDER, (last as u64 >> 32) as u32]);
        let random = u64::from(high) << 32 | u64::from(low);
        let other = (u128::from(random) * (last as u128 + 1)) >> 64;
        order.swap(last, other as usize);
    }
    order.chunks(batch.max(1)).map(<[usize]>::to_vec).collect()
}
