//! The kinds of rows that rules draw, as data: what draws them needs to know no more of a rule.

/// The kind of rows that a rule draws. Whether a neuron may be joined to itself, conditions on pairs and caps come on top.
#[derive(Debug, Clone, PartialEq)]
pub enum Draw {
    /// Every pair.
    All,
    /// The k-th pre neuron to the k-th post neuron.
    OneToOne,
    /// Each pair on its own, all with the same probability.
    Bernoulli {
        /// The probability.
        p: f64,
    },
    /// Each pair on its own, with a [probability](super::Connector::probability) that is an expression of the pair.
    Pairs,
    /// So many pre neurons for each post neuron.
    Indegree {
        /// How many.
        n: u32,
        /// Of these only, `[first, end]`.
        pre_range: Option<[u32; 2]>,
        /// Whether one may be drawn twice.
        multapses: bool,
    },
    /// So many post neurons for each pre neuron.
    Outdegree {
        /// How many.
        n: u32,
        /// Whether one may be drawn twice.
        multapses: bool,
    },
    /// So many pairs in all.
    Total {
        /// How many.
        n: u64,
        /// Whether one may be drawn twice.
        multapses: bool,
    },
    /// Each pair on its own, with a probability that depends on how far its neurons are apart.
    Kernel(Kernel),
    /// Each pair on its own, if its neurons lie in the same or in neighbouring tiles of grids.
    Tiles {
        /// Neurons along each edge of a tile.
        tile: u32,
        /// How many tiles away a neighbour may be.
        reach: u32,
        /// The probability of a pair.
        p: f64,
    },
    /// The nearest neighbours on a ring, some of them moved.
    Ring {
        /// How many neighbours.
        k: u32,
        /// The probability that one is moved.
        rewire: f64,
    },
    /// Neurons that join one after the other, each to earlier ones by their degree.
    Attachment {
        /// Pairs that each of them joins.
        n: u32,
    },
    /// Pairs drawn by the rank of their neurons: the k-th of a side with probability proportional to k^(−1/(γ−1)).
    Ranked {
        /// How many pairs.
        n: u64,
        /// γ of the pre side, and of the post side.
        gammas: [f64; 2],
    },
}

/// The probability of a pair, by how far its neurons are apart; lengths are in µm.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// The probability at distance 0.
    pub p: f64,
    /// How it falls with distance.
    pub falloff: Falloff,
    /// No pair farther apart than this.
    pub cutoff: f64,
    /// No pair farther apart than this along each axis.
    pub half_widths: [f64; 4],
}

/// How a probability falls with distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Falloff {
    /// Not at all.
    Flat,
    /// As exp(−d²/2σ²).
    Gaussian {
        /// σ
        sigma: f64,
    },
    /// As exp(−d/λ).
    Exponential {
        /// λ
        lambda: f64,
    },
}

impl Kernel {
    /// The same probability everywhere.
    pub fn flat(p: f64) -> Kernel {
        Kernel { p, falloff: Falloff::Flat, cutoff: f64::INFINITY, half_widths: [f64::INFINITY; 4] }
    }
}
