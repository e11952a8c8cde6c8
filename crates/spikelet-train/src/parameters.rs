//! The numbers that are trained.

use std::ops::Range;

/// What a group of parameters is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupKind {
    /// The weights of a projection, in the inner unit of the variable that they are added to: one per synapse, in the order of its rows.
    Weights {
        /// Index in [`TrainingPlan::projections`](crate::TrainingPlan::projections).
        projection: usize,
    },
    /// A parameter or initial value of a population, in its inner unit: one for all neurons, or one each.
    Neurons {
        /// Index of the population.
        population: usize,
        /// Its name.
        name: String,
    },
}

/// Parameters that are trained alike.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterGroup {
    /// The path: `hidden.tau`, or the name of a projection.
    pub path: String,
    /// What it is.
    pub kind: GroupKind,
    /// Its numbers among all.
    pub range: Range<usize>,
    /// Bounds that an update does not leave: it is projected onto them.
    pub bounds: [f32; 2],
    /// Signs by Dale's law: an update that would change the sign of a number makes it 0.
    pub keep_sign: bool,
    /// Numbers that share one value: for each number of the group the index of its value, if any are tied.
    pub tied: Option<Vec<u32>>,
    /// Its rate of learning as a multiple of that of the optimiser.
    pub rate: f32,
}

impl ParameterGroup {
    /// Whether it is a value of the neurons of this population.
    pub fn is_of_neurons(&self, index: usize) -> bool {
        matches!(self.kind, GroupKind::Neurons { population, .. } if population == index)
    }
}

/// All numbers that are trained, group by group: f32.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parameters {
    /// The groups.
    pub groups: Vec<ParameterGroup>,
    /// The numbers.
    pub values: Vec<f32>,
}
