//! Errors of assemblies.

/// Why a brain cannot be built, or a round cannot be computed. Each error names the value, what was expected, and the way out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// Another area or stimulus has the name.
    #[error("there is already an area or stimulus named “{0}”; choose another name")]
    NameTaken(String),
    /// No area or stimulus has the name.
    #[error("there is no {kind} named “{name}”; there are {known}")]
    UnknownName {
        /// What was looked for.
        kind: &'static str,
        /// The name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A probability is not between 0 and 1.
    #[error("p = {0} is not a probability; it must be greater than 0 and at most 1")]
    Probability(f64),
    /// The number of winners does not fit the area.
    #[error("area “{area}”: k = {k} is not possible with n = {n} neurons; k must be at least 1 and at most n")]
    Winners {
        /// The area.
        area: String,
        /// The number of neurons.
        n: u32,
        /// The number of winners.
        k: u32,
    },
    /// A value must be positive or zero, and finite.
    #[error("{name} = {value} must be a finite number of at least {least}")]
    Value {
        /// The parameter.
        name: String,
        /// Its value.
        value: f64,
        /// The smallest valid value.
        least: f64,
    },
    /// A fibre that has learned gets another β.
    #[error(
        "the fibre {fibre} has learned with β = {old} and cannot change to {new}; set β before its first round with plasticity"
    )]
    BetaChanged {
        /// Source and target.
        fibre: String,
        /// The value so far.
        old: f64,
        /// The value that was to be set.
        new: f64,
    },
    /// The input of a neuron would exceed the largest sum.
    #[error(
        "the input of neuron {neuron} of area “{area}” exceeds {limit} in round {round}: its weights have grown too far; set `w_max`, \
         use a smaller β or fewer rounds"
    )]
    Overflow {
        /// The area.
        area: String,
        /// The neuron.
        neuron: u32,
        /// The round, counted from 1.
        round: u64,
        /// The largest sum.
        limit: u32,
    },
    /// Winners that are set are not neurons of the area.
    #[error("area “{area}”: neuron {neuron} does not exist; the area has {known} neurons{hint}")]
    UnknownNeuron {
        /// The area.
        area: String,
        /// The neuron.
        neuron: u32,
        /// The number of neurons.
        known: u32,
        /// More about them.
        hint: &'static str,
    },
    /// Winners that are set are not distinct.
    #[error("area “{area}”: neuron {neuron} is listed twice among the winners")]
    RepeatedNeuron {
        /// The area.
        area: String,
        /// The neuron.
        neuron: u32,
    },
    /// An operation needs winners in an area that has none.
    #[error("area “{0}” has no winners yet; project a stimulus into it first, or activate an assembly")]
    NoWinners(String),
    /// A fraction of an assembly is not possible.
    #[error("{value} is not a fraction of the assembly that can fire; it must be at least {least} (one neuron) and at most 1")]
    Fraction {
        /// The fraction.
        value: f64,
        /// The smallest one.
        least: f64,
    },
    /// A recall needs a refractory area.
    #[error(
        "area “{0}” is not refractory, so its first assembly could fire for ever; give it `Refraction::Refractory` with a period of at \
         least 1"
    )]
    NotRefractory(String),
    /// There is not enough memory.
    #[error(
        "{what} needs {needed} bytes, but {available} are allowed; use the mode `procedural` or `lazy`, or allow more memory"
    )]
    Memory {
        /// What needs it.
        what: String,
        /// How much.
        needed: u64,
        /// How much is allowed.
        available: u64,
    },
    /// A brain has no network.
    #[error("the brain cannot be written as a network, because {why}; {way_out}")]
    NoNetwork {
        /// The reason.
        why: String,
        /// What to do.
        way_out: &'static str,
    },
    /// A device failed.
    #[error(transparent)]
    Device(#[from] spikelet::Error),
}
