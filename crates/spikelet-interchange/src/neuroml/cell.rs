//! Cells as texts of populations.

use spikelet_network::{Error, Quantity};

use super::channel;
use super::core::{CELLS, CellType};
use super::document::{Document, Element};
use super::lems;
use super::quantity::quantities;
use super::texts::{Cell, Sum};
use super::types;

/// The cells of a component.
pub(super) fn cell(document: &Document, component: &Element) -> Result<Cell, Error> {
    let kind = document.kind(component);
    if let Some(of) = CELLS.iter().find(|of| of.name == kind) {
        return of_core(of, component);
    }
    if ["cell", "pointCellCondBased"].contains(&kind) {
        return channel::cell(document, component);
    }
    match types::component_type(document, kind) {
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
    Ok(Cell {
        equations: of.equations.lines().map(|line| line.trim().to_owned()).collect(),
        threshold: of.threshold.map(str::to_owned),
        reset: (!of.reset.is_empty()).then(|| of.reset.to_owned()),
        // The regime is left in the first step whose time is above its end, and `refractory` counts from the start of the step of the spike.
        refractory: of.refractory.map(|(name, unit)| match unit {
            "condition" => name.to_owned(),
            "" => format!("{name} + 2*dt"),
            unit => format!("{name}*{unit} + 2*dt"),
        }),
        parameters: quantities(component, of.parameters)?,
        initial: of.initial.iter().map(|(name, value)| ((*name).to_owned(), Quantity::Expr((*value).to_owned()))).collect(),
        sums: of.current.iter().map(|(name, unit)| Sum::of_currents(name, unit)).collect(),
        ..Cell::default()
    })
}
