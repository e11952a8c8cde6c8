//! What has a value for each neuron or synapse, by name.

use std::sync::Arc;

use spikelet_lang::Dimension;
use spikelet_lang::model::Role;

use super::population::Neurons;
use super::sources::Unfolded;
use super::{PopulationPlan, ProjectionPlan};
use crate::Probe;

/// Something that has a value for each neuron of a population or each synapse of a projection.
#[derive(Debug, Clone, PartialEq)]
pub struct VariablePlan {
    /// Its population or projection, and its name: `E.v`.
    pub path: String,
    /// Its own name: `v`.
    pub name: String,
    /// The inner unit of its values.
    pub unit: String,
    /// Where it is. What a neuron keeps for all of its synapses ([`Probe::Traces`]) has a value for each neuron there.
    pub probe: Probe,
    /// Whether it is a parameter: no step changes it.
    pub is_parameter: bool,
}

/// All of them, those of populations first.
pub(super) fn all(
    network: &Unfolded<'_>,
    neurons: &[Neurons],
    populations: &[PopulationPlan],
    projections: &[Arc<ProjectionPlan>],
    dimension: &dyn Fn(&str, &str) -> Option<Dimension>,
) -> Vec<VariablePlan> {
    let variable = |object: &str, name: &str, probe, is_parameter| {
        let unit = dimension(object, name).unwrap_or(Dimension::NONE).inner_unit();
        VariablePlan { path: format!("{object}.{name}"), name: name.to_owned(), unit, probe, is_parameter }
    };
    let mut all = Vec::new();
    // Sources have none that anybody could name.
    for (population, plan) in populations.iter().enumerate().take(network.network().populations.len()) {
        let model = &neurons[population].model;
        for (index, name) in plan.program.variables[..plan.program.first_derived()].iter().enumerate() {
            let declared = model.variable(name).map(|at| &model.variables[at]);
            if let Some(declared) = declared.filter(|of| of.role == Role::Declared && !name.starts_with("__")) {
                let is_parameter = !declared.written && !plan.is_written(index);
                all.push(variable(&plan.name, name, Probe::Variable { population, variable: index }, is_parameter));
            }
        }
    }
    for (projection, plan) in projections.iter().enumerate() {
        let Some(state) = &plan.state else { continue };
        for (array, name) in state.variables() {
            all.push(variable(&plan.name, name, Probe::Synapses { projection, array }, !state.changes(array)));
        }
        for (trace, name) in state.traces() {
            all.push(variable(&plan.name, name, Probe::Traces { projection, trace }, false));
        }
    }
    all
}

impl PopulationPlan {
    /// Whether one of its codes stores to an array.
    fn is_written(&self, array: usize) -> bool {
        self.program.codes().into_iter().flat_map(|code| &code.stores).any(|(stored, _)| *stored == array)
    }
}
