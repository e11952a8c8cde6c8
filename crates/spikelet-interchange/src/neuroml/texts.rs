//! The texts of populations and of the synapses of projections.

use indexmap::IndexMap;
use spikelet_network::{Population, Quantity};

/// The texts of the cells of a population, without their inputs.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    pub(super) equations: Vec<String>,
    pub(super) threshold: Option<String>,
    pub(super) reset: Option<String>,
    pub(super) refractory: Option<String>,
    pub(super) parameters: IndexMap<String, Quantity>,
    pub(super) initial: IndexMap<String, Quantity>,
    /// The name that the equations have for the sum of its currents, and its unit.
    pub(super) current: Option<(String, String)>,
}

impl Cell {
    /// A population of these cells with the sum of these currents.
    pub(super) fn population(mut self, name: &str, size: u32, currents: &[String]) -> Population {
        if let Some((sum, unit)) = &self.current {
            let terms = if currents.is_empty() {
                if unit == "1" { "0".to_owned() } else { format!("0*{unit}") }
            } else {
                currents.join(" + ")
            };
            self.equations.push(format!("{sum} = {terms} : {unit}"));
        }
        Population {
            name: name.to_owned(),
            size,
            equations: Some(self.equations.join("\n")),
            threshold: self.threshold,
            reset: self.reset,
            refractory: self.refractory,
            method: Some("euler".to_owned()),
            parameters: self.parameters,
            initial: self.initial,
            ..Population::default()
        }
    }
}
