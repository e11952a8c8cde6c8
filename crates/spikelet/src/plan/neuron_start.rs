//! The values of the neurons of a population at the start of a run, for expressions of pairs.

use indexmap::IndexMap;
use spikelet_lang::Dimension;

use super::values::Values;

/// The values of the neurons of a population at the start of a run.
pub(super) struct NeuronStart {
    /// The name of the population.
    pub(super) population: String,
    /// Parameters, variables, and mentioned subexpressions.
    pub(super) values: IndexMap<String, (Dimension, Values)>,
    /// Names that have no value before the run, and what they are.
    pub(super) unknown: IndexMap<String, &'static str>,
}
