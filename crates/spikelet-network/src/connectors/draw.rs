//! The kinds of rows that rules draw, as data, for the code that draws them.

/// The kind of rows that a rule draws. Autapses, conditions on pairs and caps are specified separately.
#[derive(Debug, Clone, PartialEq)]
pub enum Draw {
    /// Every pair.
    All,
    /// The k-th presynaptic neuron with the k-th postsynaptic neuron.
    OneToOne,
    /// Each pair independently with the same probability.
    Bernoulli {
        /// The probability.
        p: f64,
    },
    /// Each pair independently with a [probability](super::Connector::probability) that is an expression of the pair.
    Pairs,
    /// A fixed number of presynaptic neurons for each postsynaptic neuron.
    Indegree {
        /// The number.
        n: u32,
        /// Only from these, `[first, end]`.
        pre_range: Option<[u32; 2]>,
        /// Whether a neuron may be drawn twice.
        multapses: bool,
    },
    /// A fixed number of postsynaptic neurons for each presynaptic neuron.
    Outdegree {
        /// The number.
        n: u32,
        /// Whether a neuron may be drawn twice.
        multapses: bool,
    },
    /// A fixed total number of pairs.
    Total {
        /// The number.
        n: u64,
        /// Whether a pair may be drawn twice.
        multapses: bool,
    },
    /// Each pair independently with a probability that depends on distance.
    Kernel(Kernel),
    /// Each pair in the same or in neighbouring tiles of grids, independently.
    Tiles {
        /// Neurons along each edge of a tile.
        tile: u32,
        /// Maximum distance of neighbouring tiles, in tiles.
        reach: u32,
        /// The probability of a pair.
        p: f64,
    },
    /// The nearest neighbours on a ring, some of them moved.
    Ring {
        /// Number of neighbours.
        k: u32,
        /// The probability of a move.
        rewire: f64,
    },
    /// A growing network: each neuron is connected with earlier ones in proportion to their degree.
    Attachment {
        /// Number of pairs per neuron.
        n: u32,
    },
    /// The indices that an expression generates.
    Generated {
        /// Whether they are the sources of each postsynaptic neuron, instead of the targets of each presynaptic neuron.
        sources: bool,
    },
    /// Pairs drawn by the rank of their neurons: the k-th neuron of a side with probability proportional to k^(−1/(γ−1)).
    Ranked {
        /// Number of pairs.
        n: u64,
        /// γ of the presynaptic side and of the postsynaptic side.
        gammas: [f64; 2],
    },
}

/// The probability of a pair as a function of distance; lengths are in µm.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// The probability at distance 0.
    pub p: f64,
    /// Its dependence on distance.
    pub falloff: Falloff,
    /// Maximum distance.
    pub cutoff: f64,
    /// Maximum distance along each axis.
    pub half_widths: [f64; 4],
}

/// The dependence of a probability on distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Falloff {
    /// Constant.
    Flat,
    /// exp(−d²/2σ²).
    Gaussian {
        /// σ
        sigma: f64,
    },
    /// exp(−d/λ).
    Exponential {
        /// λ
        lambda: f64,
    },
}

impl Kernel {
    /// A constant probability.
    pub fn flat(p: f64) -> Kernel {
        Kernel { p, falloff: Falloff::Flat, cutoff: f64::INFINITY, half_widths: [f64::INFINITY; 4] }
    }
}
