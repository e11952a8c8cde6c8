//! Four-dimensional worlds: the configurations of 4D-Neural-Cognition as networks, and back.
//!
//! A [`World`] is a lattice of neurons in four dimensions. Its areas are boxes of the lattice, each a population; senses are arrays that the
//! outside sets during the run. [`World::from_json`] reads a configuration, [`World::network`] makes the network of it, and [`World::of`]
//! finds the world of which a network was made. Reference: `docs/worlds.md`.

mod build;
mod recover;
mod section;
mod text;
mod write;

use crate::network::Notice;
use crate::{Error, Network};

/// A configuration: everything that determines the network.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// Number of lattice points along x, y, z and w.
    pub shape: [u32; 4],
    /// Boxes of the lattice, each filled with neurons.
    pub areas: Vec<Area>,
    /// Arrays from outside.
    pub senses: Vec<Sense>,
    /// Connectivity.
    pub synapses: WorldSynapses,
    /// Learning.
    pub plasticity: Plasticity,
    /// Ageing, death and rebirth of neurons; `None` if they live for ever.
    pub lifecycle: Option<Lifecycle>,
}

/// A box of the lattice.
#[derive(Debug, Clone, PartialEq)]
pub struct Area {
    /// Name of its population.
    pub name: String,
    /// Coordinates of its first point.
    pub start: [u32; 4],
    /// Number of points along each axis.
    pub shape: [u32; 4],
    /// Its neurons.
    pub model: NeuronModel,
    /// Probability that a neuron is inhibitory.
    pub inhibitory_fraction: f64,
}

impl Area {
    /// Number of neurons.
    pub fn size(&self) -> u64 {
        self.shape.iter().map(|edge| u64::from(*edge)).product()
    }

    /// The distance between the nearest points of two areas, in lattice steps.
    pub fn distance(&self, other: &Area) -> f64 {
        let gap = |axis: usize| {
            let ends = |area: &Area| (i64::from(area.start[axis]), i64::from(area.start[axis]) + i64::from(area.shape[axis]) - 1);
            let ((a, a_end), (b, b_end)) = (ends(self), ends(other));
            (a - b_end).max(b - a_end).max(0) as f64
        };
        libm::sqrt((0..4).map(|axis| gap(axis) * gap(axis)).sum())
    }
}

/// The equations of neurons, with their parameters in the order of their configuration keys. Potentials are in mV, times in ms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NeuronModel {
    /// Leaky integrate-and-fire.
    Lif {
        /// Membrane time constant.
        tau_m: f64,
        /// Resting potential.
        v_rest: f64,
        /// Potential after a spike.
        v_reset: f64,
        /// Threshold.
        v_threshold: f64,
        /// Time after a spike in which the potential does not change.
        refractory_period: f64,
    },
    /// Izhikevich 2003.
    Izhikevich {
        /// Rate of the recovery variable u.
        a: f64,
        /// Coupling of u to the potential.
        b: f64,
        /// Potential after a spike.
        c: f64,
        /// Increment of u by a spike.
        d: f64,
    },
}

impl NeuronModel {
    /// The default: leaky integrate-and-fire.
    pub const LIF: NeuronModel =
        NeuronModel::Lif { tau_m: 20.0, v_rest: -65.0, v_reset: -70.0, v_threshold: -50.0, refractory_period: 5.0 };
    /// Regularly spiking neurons.
    pub const IZHIKEVICH: NeuronModel = NeuronModel::Izhikevich { a: 0.02, b: 0.2, c: -65.0, d: 8.0 };
}

/// An array from outside: its numbers, in mV, are added to the input of the first layer (lowest z and w) of an area.
#[derive(Debug, Clone, PartialEq)]
pub struct Sense {
    /// Name of its population.
    pub name: String,
    /// Name of the area.
    pub area: String,
    /// Numbers along x and y.
    pub size: [u32; 2],
}

/// Which neurons are connected, and the weights before learning, in mV.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldSynapses {
    /// The rule.
    pub rule: SynapseRule,
    /// Mean weight.
    pub weight_mean: f64,
    /// Standard deviation of weights.
    pub weight_std: f64,
    /// Steps from a spike to its effect, 1 or more.
    pub delay: u32,
}

/// The probability of a synapse between two neurons.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SynapseRule {
    /// The same for all pairs.
    Random {
        /// The probability.
        p: f64,
    },
    /// p·exp(−d/λ), where d is the distance in four dimensions.
    Distance {
        /// Probability at distance 0.
        p: f64,
        /// λ, in lattice steps.
        lambda: f64,
        /// Largest distance, in lattice steps.
        cutoff: f64,
    },
}

impl SynapseRule {
    /// Default cutoff in units of λ. In unbounded space the part e⁻ˣ(1 + x + x²/2 + x³/6) of all synapses is longer than x·λ: here 1.05 of
    /// 1000.
    pub const CUTOFF: f64 = 13.0;
}

/// All pairs with probability 0.01, weights N(0.1, 0.05) mV, a delay of one step.
impl Default for WorldSynapses {
    fn default() -> WorldSynapses {
        WorldSynapses { rule: SynapseRule::Random { p: 0.01 }, weight_mean: 0.1, weight_std: 0.05, delay: 1 }
    }
}

/// How weights change. Weights are in mV.
#[derive(Debug, Clone, PartialEq)]
pub struct Plasticity {
    /// The rule.
    pub rule: LearningRule,
    /// Lower bound of weights.
    pub weight_min: f64,
    /// Upper bound of weights.
    pub weight_max: f64,
    /// Change of a weight towards 0 in each step.
    pub weight_decay: f64,
    /// Scaling of weights towards a target rate.
    pub homeostasis: Option<Homeostasis>,
}

/// Weights from −1 to 1 mV that follow the Hebbian rule and decay.
impl Default for Plasticity {
    fn default() -> Plasticity {
        let rule = LearningRule::Hebb { learning_rate: 0.001 };
        Plasticity { rule, weight_min: -1.0, weight_max: 1.0, weight_decay: 1e-5, homeostasis: None }
    }
}

/// The change of a weight by spikes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LearningRule {
    /// None.
    None,
    /// At a presynaptic spike: the rate if the postsynaptic neuron fires in the same step, else minus half of it.
    Hebb {
        /// The rate.
        learning_rate: f64,
    },
    /// Additive, all pairs of spikes.
    Stdp {
        /// Increment by a postsynaptic spike just after a presynaptic one.
        a_plus: f64,
        /// Decrement by a presynaptic spike just after a postsynaptic one.
        a_minus: f64,
        /// Decay of the increment with the time between them, in ms.
        tau_plus: f64,
        /// Decay of the decrement, in ms.
        tau_minus: f64,
    },
}

/// Scaling of all weights onto a neuron by its rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Homeostasis {
    /// Target rate in Hz.
    pub target_rate: f64,
    /// Time constant of the mean rate, in ms.
    pub time_window: f64,
    /// Part by which the weights of a silent neuron grow in that time.
    pub scaling_rate: f64,
}

/// Ageing, death and rebirth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lifecycle {
    /// Whether a neuron that dies is replaced.
    pub reproduction: bool,
    /// Age at which a neuron dies, in steps.
    pub max_age: f64,
    /// Loss of health in each step; a neuron has 1 at birth and dies below 0.1.
    pub health_decay_per_step: f64,
    /// Relative standard deviation of the parameters of a new neuron from those of the neuron that died.
    pub mutation_std_params: f64,
    /// Standard deviation of the change of its weights, in mV.
    pub mutation_std_weights: f64,
}

impl World {
    /// Reads a configuration, with one notice for each deviation from what the original does with it, and for each key without effect.
    ///
    /// # Errors
    /// Malformed JSON, a missing key, or a value that is not valid: its path in the configuration.
    pub fn from_json(text: &str) -> Result<(World, Vec<Notice>), Error> {
        text::read(text)
    }

    /// The configuration as JSON; [`World::from_json`] reads it back exactly.
    pub fn to_json(&self) -> String {
        write::json(self)
    }

    /// The network: a population for each area and sense, projections between all areas within reach of each other.
    pub fn network(&self) -> Network {
        build::network(self)
    }

    /// Where objects of the network are in the configuration: a path such as `populations[1]`, and the place, such as `areas[1]`.
    pub fn places(&self) -> Vec<(String, String)> {
        build::places(self)
    }

    /// The world of which a network was made.
    ///
    /// # Errors
    /// What does not fit, as a sentence: such a network cannot be written as a configuration.
    pub fn of(network: &Network) -> Result<World, String> {
        recover::world(network)
    }
}

#[cfg(test)]
mod tests;
