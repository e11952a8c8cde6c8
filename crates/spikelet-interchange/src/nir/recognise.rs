//! Which cells of NIR a population has.

use spikelet_lang::{Dimension, library};
use spikelet_network::{Error, Network, Population, Quantity};

use super::cell::{Cell, CellKind};
use super::tensor::Tensor;
use super::texts::{Drive, Reset, Texts};
use super::values;

/// A population in the terms of NIR.
pub(super) struct Recognised {
    /// Its cells; `None` for neurons whose potential is their input.
    pub(super) cell: Option<Cell>,
    /// A constant input of each neuron, if there is one.
    pub(super) bias: Option<Vec<f64>>,
    /// The variable to which events add.
    pub(super) port: &'static str,
    /// What such an event must be multiplied by, for each neuron, to be the input of a step.
    pub(super) factor: Vec<f64>,
    /// The dimension of events.
    pub(super) dimension: Dimension,
    /// Whether a spike subtracts the threshold, which NIR does not store.
    pub(super) subtracts: bool,
}

/// The cells of a population.
///
/// # Errors
/// NIR has no such cells.
pub(super) fn recognise(network: &Network, index: usize) -> Result<Recognised, Error> {
    let population = &network.populations[index];
    let path = format!("populations[{index}]");
    if population.winners.is_some() {
        return Err(lacking(&path, population, "winners"));
    }
    if !population.run_regularly.is_empty() {
        return Err(lacking(&path, population, "statements that run at regular times"));
    }
    if !population.events.is_empty() {
        return Err(lacking(&path, population, "events beside the spike"));
    }
    match population.model.as_deref() {
        Some("lif") if population.equations.is_none() => library_lif(population, network.dt_ms, &path),
        Some(model) => Err(lacking(&path, population, &format!("the cells of the library model `{model}`"))),
        None => own_text(population, &path),
    }
}

fn lacking(path: &str, population: &Population, what: &str) -> Error {
    let expected = format!("NIR lacks {what}");
    let way_out = "use the texts that an import of NIR makes of IF, LI, LIF, CubaLI, CubaLIF, I or Threshold, or the model `lif`";
    Error::invalid(path, format!("the population `{}`", population.name), expected, way_out)
}

/// Texts as an import writes them.
fn own_text(population: &Population, path: &str) -> Result<Recognised, Error> {
    let declared = |name: &str| lines(population.equations.as_deref()).iter().any(|line| line == &format!("{name} : 1"));
    let drive = Drive {
        has_events: declared("x"),
        has_bias: declared("bias"),
        is_late: lines(population.equations.as_deref()).iter().any(|line| line == "start : second (constant)"),
        sums: (1..).take_while(|number| declared(&super::texts::sum_name(*number))).count(),
    };
    let kinds = CellKind::ALL.into_iter().map(Some).chain([None]);
    let all = kinds.flat_map(|kind| [(kind, Reset::ToValue), (kind, Reset::Subtract)]);
    let found = all.into_iter().find(|(kind, reset)| is_text(population, &Texts::of(*kind, drive, *reset)));
    let Some((kind, reset)) = found else { return Err(lacking(path, population, "cells with these equations")) };
    if population.refractory.is_some() {
        return Err(lacking(path, population, "refractory times"));
    }
    let size = population.size as usize;
    let value = |name: &str, default: Option<f64>, is_time: bool| {
        let path = format!("{path}.parameters.{name}");
        let missing =
            Error::MissingKey { path: path.clone(), line: None, key: name.to_owned(), example: format!("\"{name}\": 1") };
        let given = population.parameters.get(name).cloned().or(default.map(Quantity::Number)).ok_or(missing)?;
        if is_time { values::seconds(&given, size, &path) } else { values::inner(&given, size, Dimension::NONE, &path) }
    };
    let cell = match kind {
        None => None,
        Some(kind) => {
            let each = kind.table().iter().map(|of| Ok(Tensor::new([size], value(of.name, of.default, of.is_time)?)));
            Some(Cell { kind, values: each.collect::<Result<_, Error>>()? })
        }
    };
    let bias = drive.has_bias.then(|| value("bias", Some(0.0), false)).transpose()?;
    let subtracts = reset == Reset::Subtract && kind.is_some_and(CellKind::resets);
    Ok(Recognised { cell, bias, port: "x", factor: vec![1.0; size], dimension: Dimension::NONE, subtracts })
}

fn is_text(population: &Population, texts: &Texts) -> bool {
    let is_same = |own: &Option<String>, other: Option<&str>| lines(own.as_deref()) == lines(other);
    is_same(&population.equations, Some(&texts.equations))
        && is_same(&population.update, Some(&texts.update))
        && is_same(&population.threshold, texts.threshold.as_deref())
        && is_same(&population.reset, texts.reset.as_deref())
}

/// Lines without blanks at their ends, empty lines and comments.
fn lines(text: Option<&str>) -> Vec<String> {
    let line = |line: &str| line.split('#').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    text.unwrap_or_default().lines().map(line).filter(|line| !line.is_empty()).collect()
}

/// The library's leaky integrate-and-fire cell without a refractory time, whose events add to the potential: LIF with r = R, the current I as
/// a constant input, in mV and pA. An event of w in a step of dt is an input of w tau / (dt R).
fn library_lif(population: &Population, dt_ms: f64, path: &str) -> Result<Recognised, Error> {
    let model = library("lif").map_err(|_| Error::unknown_name(path, "model", "lif", []))?;
    let preset = population.preset.as_ref().and_then(|name| model.presets.get(name));
    let size = population.size as usize;
    let value = |name: &str| {
        let path = format!("{path}.parameters.{name}");
        let default = model.parameters.get(name).map_or("0", |parameter| &parameter.default);
        let text = preset.and_then(|preset| preset.parameters.get(name)).map_or(default, String::as_str);
        let (_, dimension) = spikelet_lang::quantity::constant(&path, text).map_err(|error| Error::model(&path, vec![error]))?;
        let own = population.parameters.get(name).cloned().unwrap_or_else(|| Quantity::from(text));
        values::inner(&own, size, dimension, &path)
    };
    if value("tref")?.iter().any(|tref| *tref != 0.0) {
        let way_out = "set `tref` to \"0 ms\"";
        let value = format!("the population `{}` with a refractory time", population.name);
        return Err(Error::invalid(path, value, "NIR lacks refractory times", way_out));
    }
    let (tau, r, current) = (value("tau")?, value("R")?, value("I")?);
    let factor = tau.iter().zip(&r).map(|(tau, r)| tau / (dt_ms * r)).collect();
    let seconds = tau.iter().map(|ms| ms / 1000.0).collect();
    let parameters = [seconds, r, value("El")?, value("Vt")?, value("Vr")?];
    let cell = Cell { kind: CellKind::Lif, values: parameters.map(|values| Tensor::new([size], values)).to_vec() };
    let bias = current.iter().any(|current| *current != 0.0).then_some(current);
    Ok(Recognised { cell: Some(cell), bias, port: "v", factor, dimension: Dimension::VOLTAGE, subtracts: false })
}
