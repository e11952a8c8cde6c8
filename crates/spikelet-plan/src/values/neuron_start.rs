//! The values of the neurons of a population at the start of a run, for expressions of pairs.

use indexmap::IndexMap;
use spikelet_lang::Dimension;

use crate::values::Values;

/// The values of the neurons of a population at the start of a run.
pub(crate) struct NeuronStart {
    /// The name of the population.
    pub(crate) population: String,
    /// Parameters, variables, and mentioned subexpressions.
    pub(crate) values: IndexMap<String, (Dimension, Values)>,
    /// Names that have no value before the run, and what they are.
    pub(crate) unknown: IndexMap<String, &'static str>,
}
