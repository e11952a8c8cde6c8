//! Cells as texts of populations.

use indexmap::IndexMap;
use spikelet_network::{Error, Population, Quantity};

use super::channel;
use super::core::{CELLS, CellType};
use super::document::{Document, Element};
use super::lems;
use super::quantity::quantity;

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
    /// The cells of a component.
    pub(super) fn of(document: &Document, component: &Element) -> Result<Cell, Error> {
        let kind = component.kind();
        if let Some(of) = CELLS.iter().find(|of| of.name == kind) {
            return Cell::of_core(of, component);
        }
        if ["cell", "pointCellCondBased"].contains(&kind) {
            return channel::cell(document, component);
        }
        match lems::component_type(document, kind) {
            Some(of) => lems::cell(document, &of?, component),
            None => {
                let known: Vec<&str> = CELLS.iter().map(|of| of.name).collect();
                let expected =
                    format!("a cell is expected: cell, pointCellCondBased, {}, or a ComponentType of the file", known.join(", "));
                Err(component.wrong("", format_args!("<{kind}>"), expected, "use one of these, or define the type"))
            }
        }
    }

    fn of_core(of: &CellType, component: &Element) -> Result<Cell, Error> {
        let parameters = of.parameters.iter().map(|name| Ok(((*name).to_owned(), quantity(component, name)?)));
        let parameters = parameters.collect::<Result<_, Error>>()?;
        Ok(Cell {
            equations: of.equations.lines().map(|line| line.trim().to_owned()).collect(),
            threshold: of.threshold.map(str::to_owned),
            reset: (!of.reset.is_empty()).then(|| of.reset.to_owned()),
            // The regime is left in the first step whose time is above its end, and `refractory` counts from the start of the step of the spike.
            refractory: of.refractory.map(|(name, unit)| match unit {
                "" => format!("{name} + 2*dt"),
                unit => format!("{name}*{unit} + 2*dt"),
            }),
            parameters,
            initial: of.initial.iter().map(|(name, value)| ((*name).to_owned(), Quantity::Expr((*value).to_owned()))).collect(),
            current: of.current.map(|(name, unit)| (name.to_owned(), unit.to_owned())),
        })
    }

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
