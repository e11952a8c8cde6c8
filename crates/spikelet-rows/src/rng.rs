//! Random numbers as pure functions of their coordinates.
//!
//! Generators have no state: every draw is Philox-4x32-10 of a counter that identifies the draw (purpose, site, ids), with the seed as key.
//! The order of work therefore never matters, and a thread or a GPU draws only its own part. All operations are integer or `libm`
//! arithmetic and give the same bits natively and in wasm.

mod binomial;
mod noise_words;

use std::ops::Range;

use spikelet_kernel::block::{LANES, NeuronIndices};
use spikelet_kernel::simd::Level;

pub use binomial::BinomialTable;
pub use noise_words::NoiseWords;
pub use spikelet_lang::host::{normal_f64, open_unit_f64, unit_f64};

/// The purpose of a draw: the low byte of the third counter word, so that purposes never share a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Purpose {
    /// Connectivity.
    Connect = 1,
    /// Random values of synapses: weights, delays, other variables.
    Weight = 2,
    /// Indices of linked variables.
    Link = 3,
    /// Random parameters and initial values of neurons.
    Initial = 4,
    /// `rand()`, `randn()` and noise inside a step.
    Noise = 5,
    /// The same in the code of synapses.
    Event = 6,
    /// Positions of neurons.
    Position = 7,
    /// Synapses kept by a cap.
    Cap = 8,
    /// 32 more bits of [`Purpose::Noise`], where those do not suffice.
    MoreNoise = 9,
    /// The same of [`Purpose::Event`].
    MoreEvents = 10,
    /// The same of [`Purpose::Connect`], for pairs that are drawn one by one.
    MoreConnect = 11,
}

/// The seed of a simulation, as the key of every draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key(pub u64);

impl Key {
    /// Four random words for the given coordinates.
    ///
    /// `site` distinguishes draws of one purpose (a projection, a call of `rand()` in the equations) and has 24 bits; the meaning of the
    /// other three words depends on the purpose, and is documented where they are drawn.
    pub fn draw(self, purpose: Purpose, site: u32, [index, id, block]: [u32; 3]) -> [u32; 4] {
        debug_assert!(site < 1 << 24, "site {site} does not fit 24 bits");
        philox(self.0, [index, id, purpose as u32 | site << 8, block])
    }
}

/// Appends the four words of each counter with an index in `blocks`, as [`Key::draw`] of `[index, id, 0]`.
pub fn all_words(key: Key, purpose: Purpose, site: u32, blocks: Range<u32>, id: u32, words: &mut Vec<u32>) {
    const BLOCKS: usize = 64;
    let (level, purpose) = (Level::best(), purpose as u32 | site << 8);
    for first in blocks.clone().step_by(BLOCKS) {
        let mut drawn = [[0; 4]; BLOCKS];
        let count = BLOCKS.min((blocks.end - first) as usize);
        level.run(
            #[inline(always)]
            || {
                for (index, words) in (first..).zip(&mut drawn[..count]) {
                    *words = rounds(key.0, [index, id, purpose, 0]);
                }
            },
        );
        words.extend_from_slice(drawn[..count].as_flattened());
    }
}

/// Synapses with their coordinates for random values, in arrays of equal length.
#[derive(Clone, Copy)]
pub struct SynapseCoordinates<'a> {
    /// The presynaptic neuron of each.
    pub pre: &'a [u32],
    /// Its [`Edge::id`](crate::Edge::id), which is unique in its row.
    pub id: &'a [u32],
    /// For multapses without such a number, which synapse of its pair it is.
    pub copy: &'a [u32],
}

/// The key of a synapse that is not the first of its pair, by its number among those.
fn of_copy(seed: u64, copy: u32) -> u64 {
    if copy == 0 { seed } else { seed ^ splitmix64(copy.into()) }
}

impl SynapseCoordinates<'_> {
    /// Those of one of them.
    pub fn at(&self, lane: usize) -> [u32; 3] {
        [self.pre[lane], self.id[lane], self.copy[lane]]
    }
}

/// 32 random bits of the delays or weights of at most [`LANES`] synapses, at a site of their formula. The same as `value_bits` in
/// shaders/procedural.wgsl.
pub fn synapse_bits(seed: u64, projection: u32, of: SynapseCoordinates<'_>, site: u32, bits: &mut [u32]) {
    let purpose = Purpose::Weight as u32 | projection << 8;
    Level::best().run(
        #[inline(always)]
        || {
            for ((bits, pre), id) in bits.iter_mut().zip(of.pre).zip(of.id) {
                *bits = rounds(seed, [*pre, *id, purpose, site])[0];
            }
        },
    );
    for ((bits, copy), lane) in bits.iter_mut().zip(of.copy).zip(0..).filter(|((_, copy), _)| **copy > 0) {
        *bits = philox(of_copy(seed, *copy), [of.pre[lane], of.id[lane], purpose, site])[0];
    }
}

/// The same for a single synapse, with 32 more bits.
pub fn synapse_words(seed: u64, projection: u32, [pre, id, copy]: [u32; 3], site: u32) -> [u32; 2] {
    let [bits, more, ..] = synapse_draw(seed, projection, [pre, id, copy], site);
    [bits, more]
}

/// Four random words of a synapse. The projection has 16 bits; above them an attempt may be counted.
pub fn synapse_draw(seed: u64, projection: u32, [pre, id, copy]: [u32; 3], site: u32) -> [u32; 4] {
    Key(of_copy(seed, copy)).draw(Purpose::Weight, projection, [pre, id, site])
}

/// 64 random bits of a neuron, by its number in the network, at a site in a step: the 32 that suffice in f32, and 32 more.
pub fn noise_bits(seed: u64, site: u32, [step, number, trial]: [u32; 3]) -> [u32; 2] {
    let draw = |purpose| Key(seed).draw(purpose, site, [step / 4, number, trial])[step as usize % 4];
    [draw(Purpose::Noise), draw(Purpose::MoreNoise)]
}

/// 32 of the bits of a synapse, by its number in its projection, at a site of its code in a step: [`Purpose::Event`], or more of them.
pub fn event_word(seed: u64, purpose: Purpose, (projection, site): (u32, u32), [step, synapse, trial]: [u32; 3]) -> u32 {
    Key(seed).draw(purpose, (projection << 8) | (site / 4), [step, synapse, trial])[site as usize % 4]
}

/// 64 random bits of a synapse.
pub fn event_bits(seed: u64, of: (u32, u32), place: [u32; 3]) -> [u32; 2] {
    [Purpose::Event, Purpose::MoreEvents].map(|purpose| event_word(seed, purpose, of, place))
}

/// Random words of a block of neurons for four steps, one for each: word, then lane.
pub type Words = [[u32; LANES]; 4];

/// The words of the neurons of a block at a site in steps `quarter`·4 … `quarter`·4 + 3; `first` is the number in the network of the first
/// neuron of their population. The same as `noise_bits` in shaders/rng.wgsl.
pub fn noise_words(
    level: Level,
    seed: u64,
    site: u32,
    [quarter, first, trial]: [u32; 3],
    neurons: NeuronIndices<'_>,
    words: &mut Words,
) {
    let purpose = Purpose::Noise as u32 | site << 8;
    let [w0, w1, w2, w3] = words;
    match neurons {
        NeuronIndices::From(index) => level.run(
            #[inline(always)]
            || {
                let first = first.wrapping_add(index);
                for lane in 0..LANES {
                    let drawn = rounds(seed, [quarter, first.wrapping_add(lane as u32), purpose, trial]);
                    [w0[lane], w1[lane], w2[lane], w3[lane]] = drawn;
                }
            },
        ),
        NeuronIndices::Each(indices) => level.run(
            #[inline(always)]
            || {
                for lane in 0..LANES {
                    let drawn = rounds(seed, [quarter, first.wrapping_add(indices[lane]), purpose, trial]);
                    [w0[lane], w1[lane], w2[lane], w3[lane]] = drawn;
                }
            },
        ),
    }
}

/// The words of a block whose lanes are neurons of several trials: the neuron in its population and the trial of each lane. `first` is the
/// number in the network of the first neuron of the population.
pub fn noise_words_of_trials(
    level: Level,
    seed: u64,
    site: u32,
    (quarter, first): (u32, u32),
    (neurons, trials): (&[u32; LANES], &[u32; LANES]),
    words: &mut [[u32; LANES]; 4],
) {
    let purpose = Purpose::Noise as u32 | site << 8;
    let [w0, w1, w2, w3] = words;
    level.run(
        #[inline(always)]
        || {
            for lane in 0..LANES {
                let drawn = rounds(seed, [quarter, first.wrapping_add(neurons[lane]), purpose, trials[lane]]);
                [w0[lane], w1[lane], w2[lane], w3[lane]] = drawn;
            }
        },
    );
}

/// Philox-4x32 with ten rounds (Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11).
///
/// The low half of `key` is the generator's first key word.
pub fn philox(key: u64, counter: [u32; 4]) -> [u32; 4] {
    rounds(key, counter)
}

/// The same for vectorised loops: elsewhere a call keeps the surrounding code small.
#[inline(always)]
fn rounds(key: u64, counter: [u32; 4]) -> [u32; 4] {
    const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
    const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
    let wide = |a: u32, b: u32| {
        let product = u64::from(a) * u64::from(b);
        ((product >> 32) as u32, product as u32)
    };
    let [mut k0, mut k1] = [key as u32, (key >> 32) as u32];
    let [mut x0, mut x1, mut x2, mut x3] = counter;
    for _ in 0..10 {
        let (high0, low0) = wide(MULTIPLIERS[0], x0);
        let (high1, low1) = wide(MULTIPLIERS[1], x2);
        [x0, x1, x2, x3] = [high1 ^ x1 ^ k0, low1, high0 ^ x3 ^ k1, low0];
        k0 = k0.wrapping_add(WEYL[0]);
        k1 = k1.wrapping_add(WEYL[1]);
    }
    [x0, x1, x2, x3]
}

/// The finaliser of SplitMix64 (Steele, Lea & Flood 2014, OOPSLA).
pub fn splitmix64(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers of Random123 (`kat_vectors`, philox4x32 10).
    #[test]
    fn philox_gives_the_known_answers() {
        let cases = [
            (0, [0; 4], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            (u64::MAX, [u32::MAX; 4], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                0x299f_31d0_a409_3822,
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (key, counter, expected) in cases {
            assert_eq!(philox(key, counter), expected);
        }
    }

    #[test]
    fn purposes_and_sites_never_share_a_counter() {
        let key = Key(7);
        let draws = [
            key.draw(Purpose::Connect, 0, [1, 2, 3]),
            key.draw(Purpose::Weight, 0, [1, 2, 3]),
            key.draw(Purpose::Connect, 1, [1, 2, 3]),
            key.draw(Purpose::Connect, 0, [2, 1, 3]),
            Key(8).draw(Purpose::Connect, 0, [1, 2, 3]),
        ];
        for (n, a) in draws.iter().enumerate() {
            assert!(draws[..n].iter().all(|b| a != b));
        }
    }
}
