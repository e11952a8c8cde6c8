//! Nodes: cells with their parameters, and virtual ones of sources.

use serde_json::{Map, Value};
use spikelet_network::{Error, Network, Notice, Population, Positions, Quantity, Source};

use super::{Built, Files, each, is_shared, said, table, text};
use crate::hdf5::{Array, Group, Values};
use crate::sonata::model::Model;
use crate::sonata::recognise::Cell;

/// Numbers of types begin here, those of sources follow on those of cells.
const FIRST_TYPE: u64 = 100;

/// Rejects what nodes do not have.
pub(super) fn check(path: &str, of: &Population) -> Result<(), Error> {
    let has = [
        ("model", of.model.is_some()),
        ("winners", of.winners.is_some()),
        ("events", !of.events.is_empty()),
        ("linked", !of.linked.is_empty()),
        ("run_regularly", !of.run_regularly.is_empty()),
    ];
    let found = has.iter().find(|(_, has)| *has);
    found.map_or(Ok(()), |(key, _)| {
        let way_out = "remove it, or write a script for Brian 2 (format `brian2`)";
        Err(Error::invalid(format!("{path}.{key}"), "given", "nodes of SONATA have no such thing", way_out))
    })
}

/// `nodes.h5`, the table of types, and a file of the parameters of each type.
pub(super) fn files(network: &Network, cells: &[Cell], built: &mut dyn Built, notices: &mut Vec<Notice>) -> Result<Files, Error> {
    let header = ["node_type_id", "pop_name", "model_type", "model_template", "dynamics_params"].map(str::to_owned);
    let (mut rows, mut root, mut files) = (vec![header.to_vec()], crate::results::sonata_root(), Vec::new());
    let nodes = root.group("nodes");
    for (index, (population, cell)) in network.populations.iter().zip(cells).enumerate() {
        let path = format!("populations[{index}]");
        let kind = FIRST_TYPE + index as u64;
        let own = add(nodes, &population.name, population.size, kind);
        let mut shared = Map::new();
        for (name, values) in values(&path, population, cell.model, built)? {
            match values.first() {
                Some(first) if is_shared(&values) => drop(shared.insert(name.to_owned(), (*first).into())),
                _ => own.group("dynamics_params").insert(name, floats(values)),
            }
        }
        place(&path, population, own, notices);
        if population.method.as_deref() != cell.model.method {
            let sentence = "circuits do not name a method: simulators integrate each cell in their own way".to_owned();
            notices.push(Notice::new(format!("{path}.method"), sentence));
        }
        let file = format!("type_{kind}.json");
        rows.push(vec![kind.to_string(), population.name.clone(), "point_neuron".into(), cell.model.template(), file.clone()]);
        files.push((file, text(&Value::Object(shared))));
    }
    for (index, source) in network.sources.iter().enumerate() {
        let kind = FIRST_TYPE + (cells.len() + index) as u64;
        add(nodes, &source.name, Source::size(source), kind);
        let none = || "NULL".to_owned();
        rows.push(vec![kind.to_string(), source.name.clone(), "virtual".into(), none(), none()]);
    }
    files.push(("nodes.h5".to_owned(), root.to_bytes()?));
    files.push(("node_types.csv".to_owned(), table(&rows)?));
    Ok(files)
}

/// A population of nodes of a type; the group of their attributes.
fn add<'a>(nodes: &'a mut Group, name: &str, size: u32, kind: u64) -> &'a mut Group {
    let group = nodes.group(name);
    let count = u64::from(size);
    group.insert("node_id", whole(0..count));
    group.insert("node_type_id", whole((0..count).map(|_| kind)));
    group.insert("node_group_id", whole((0..count).map(|_| 0)));
    group.insert("node_group_index", whole(0..count));
    group.group("0")
}

pub(super) fn whole(values: impl Iterator<Item = u64>) -> Array {
    let values: Vec<u64> = values.collect();
    Array::new(vec![values.len()], Values::U64(values))
}

pub(super) fn floats(values: Vec<f64>) -> Array {
    Array::new(vec![values.len()], Values::F64(values))
}

/// The values of all parameters and initial values of a cell, in NEST's units.
fn values(path: &str, of: &Population, model: &Model, built: &mut dyn Built) -> Result<Vec<(&'static str, Vec<f64>)>, Error> {
    let mut found = Vec::new();
    for (name, _, unit) in model.parameters {
        let at = format!("{path}.parameters.{name}");
        let Some(quantity) = of.parameters.get(*name) else {
            return Err(Error::invalid(at, "missing", format!("it is a parameter of {}", model.name), "give it a value"));
        };
        found.push((*name, value(&at, of, (name, quantity, unit), built)?));
    }
    for (name, quantity) in of.initial.iter().filter(|(_, quantity)| !is_zero(quantity)) {
        if !model.initial.iter().any(|(of, ..)| of == name) {
            let names: Vec<&str> = model.initial.iter().map(|(name, ..)| *name).collect();
            let expected = format!("{} has initial values of {} only; others begin at 0", model.name, names.join(", "));
            return Err(Error::invalid(format!("{path}.initial.{name}"), quantity, expected, "remove it"));
        }
    }
    let zero = Quantity::default();
    for (name, _, unit) in model.initial {
        let quantity = of.initial.get(*name).unwrap_or(&zero);
        found.push((*name, value(&format!("{path}.initial.{name}"), of, (name, quantity, unit), built)?));
    }
    Ok(found)
}

/// Whether a quantity is 0 in whatever unit.
fn is_zero(quantity: &Quantity) -> bool {
    let is_constant = |text: &String| spikelet_lang::quantity::constant("", text).is_ok_and(|(value, _)| value == 0.0);
    match quantity {
        Quantity::Number(_) | Quantity::Values { .. } => quantity.numbers().all(|value| value == 0.0),
        Quantity::Text(text) | Quantity::Expr(text) => is_constant(text),
        Quantity::Timed { .. } => false,
    }
}

/// The value of a name in a unit: of each neuron, or one for all.
pub(super) fn value(
    path: &str,
    of: &Population,
    (name, quantity, unit): (&str, &Quantity, &str),
    built: &mut dyn Built,
) -> Result<Vec<f64>, Error> {
    let values = match said(path, quantity, unit)? {
        Some(values) => values,
        None => {
            let values = Quantity::Values { values: built.neurons(&of.name, name)?, unit: None };
            said(path, &values, unit)?.unwrap_or_default()
        }
    };
    each(path, values, of.size as usize)
}

/// The positions of nodes, where they are listed.
fn place(path: &str, of: &Population, group: &mut Group, notices: &mut Vec<Notice>) {
    match &of.positions {
        None => {}
        Some(Positions::List { points, unit, r#box: None })
            if unit.as_deref().is_none_or(|unit| unit == "um" || unit == "µm") =>
        {
            for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
                let column: Option<Vec<f64>> = points.iter().map(|point| point.get(axis).copied()).collect();
                if let Some(column) = column {
                    group.insert(name, floats(column));
                }
            }
        }
        Some(_) => {
            let sentence = "only positions that are listed in µm, in space that is not periodic, are written".to_owned();
            notices.push(Notice::new(format!("{path}.positions"), sentence));
        }
    }
}
