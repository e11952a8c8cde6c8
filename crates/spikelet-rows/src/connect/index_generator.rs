//! What generates the indices of neurons, as the code that draws them knows it.

use spikelet_network::Error;

/// What generates the indices of one side for a neuron of the other.
pub trait IndexGenerator: Send + Sync {
    /// The values from which the indices of a neuron are computed.
    ///
    /// # Errors
    /// A limit is not a whole number, or an amount is impossible.
    fn values(&self, neuron: u32) -> Result<GeneratorValues, Error>;

    /// The index of a value; `None` if it is omitted.
    ///
    /// # Errors
    /// It is not the index of a neuron.
    fn index(&self, neuron: u32, value: i64) -> Result<Option<u32>, Error>;
}

/// Equidistant values, and how many of them are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeneratorValues {
    /// The first of them.
    pub first: i64,
    /// The distance of two of them.
    pub step: i64,
    /// How many there are.
    pub count: u32,
    /// How many of these are drawn.
    pub amount: GeneratorAmount,
}

/// How many values are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GeneratorAmount {
    /// All of them.
    All,
    /// Each with this probability.
    Probability(f64),
    /// This many, without repetition.
    Size(u32),
}
