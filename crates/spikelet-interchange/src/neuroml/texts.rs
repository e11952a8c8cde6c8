//! The texts of populations and of the synapses of projections.

use indexmap::IndexMap;
use spikelet_network::{CustomEvent, Population, Positions, Quantity};

use super::zeros::{self, Known};

/// The texts of the cells of a population, without their inputs.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    pub(super) equations: Vec<String>,
    pub(super) threshold: Option<String>,
    pub(super) reset: Option<String>,
    pub(super) refractory: Option<String>,
    /// What else happens than the spike.
    pub(super) events: IndexMap<String, CustomEvent>,
    /// Where the cells are.
    pub(super) positions: Option<Positions>,
    pub(super) parameters: IndexMap<String, Quantity>,
    pub(super) initial: IndexMap<String, Quantity>,
    /// What it sums over its synapses and inputs.
    pub(super) sums: Vec<Sum>,
}

/// A sum over the synapses and inputs of a cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sum {
    /// The name that the equations have for it.
    pub(super) name: String,
    /// The name of what is summed: `i` of currents.
    pub(super) part: String,
    pub(super) unit: String,
}

impl Sum {
    /// The sum of all currents.
    pub(super) fn of_currents(name: &str, unit: &str) -> Sum {
        Sum { name: name.to_owned(), part: CURRENT.to_owned(), unit: unit.to_owned() }
    }
}

/// What synapses and inputs call their current.
pub(super) const CURRENT: &str = "i";

impl Cell {
    /// The sum of its currents.
    pub(super) fn current(&self) -> Option<&Sum> {
        self.sums.iter().find(|sum| sum.part == CURRENT)
    }

    /// A population of these cells, with the variables that are added to each of their sums.
    pub(super) fn population(mut self, name: &str, size: u32, added: &[(String, String)]) -> Population {
        for Sum { name, part, unit } in &self.sums {
            let terms: Vec<&str> = added.iter().filter(|(to, _)| to == part).map(|(_, variable)| variable.as_str()).collect();
            let zero = if unit == "1" { "0".to_owned() } else { format!("0*{unit}") };
            let terms = if terms.is_empty() { zero } else { terms.join(" + ") };
            self.equations.push(format!("{name} = {terms} : {unit}"));
        }
        let (mut known, equations) = (Known::new(), self.equations.join("\n"));
        zeros::declared(&equations, &mut known);
        let statements = |text: &String| zeros::in_statements(text, &known);
        let test = |text: &String| zeros::in_expression(text, &known, None);
        for event in self.events.values_mut() {
            event.condition = test(&event.condition);
            event.statements = event.statements.as_ref().map(statements);
        }
        zeros::in_values(&mut self.initial, &known);
        Population {
            name: name.to_owned(),
            size,
            equations: Some(zeros::in_equations(&equations, &known)),
            threshold: self.threshold.as_ref().map(test),
            reset: self.reset.as_ref().map(statements),
            refractory: self.refractory,
            events: self.events,
            positions: self.positions,
            method: Some("euler".to_owned()),
            parameters: self.parameters,
            initial: self.initial,
            ..Population::default()
        }
    }
}
