//! Which cells of NIR a population has.

use spikelet_lang::{Dimension, NeuronModel, NeuronText, check_neuron, library};
use spikelet_network::{Error, Network, Population, Quantity, texts};

use super::cell::{Cell, CellKind};
use super::equations;
use super::given::Given;
use super::recognised::{Recognised, lacking};
use super::tensor::Tensor;
use super::texts::{Drive, Reset, Texts};
use super::values;

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
    let own = texts::own(population);
    let model = checked(network, &own, &path)?;
    match population.model.as_deref() {
        Some("lif") if population.equations.is_none() => library_lif(population, model, network.dt_ms, &path),
        _ => match text(&own) {
            Some((kind, drive, reset)) => of_text(&own, model, (kind, drive, reset), &path),
            None => equations::recognise(&own, model, network.dt_ms, &path),
        },
    }
}

/// The checked texts of a population that has no library model.
fn checked(network: &Network, population: &Population, path: &str) -> Result<NeuronModel, Error> {
    let text = NeuronText {
        equations: population.equations.clone().unwrap_or_default(),
        update: population.update.clone(),
        threshold: population.threshold.clone(),
        reset: population.reset.clone(),
        refractory: population.refractory.clone(),
        functions: network.own_functions()?,
        ..NeuronText::default()
    };
    let given = Given::of_population(population, network.dt_ms, path).undeclared(&text.equations)?;
    check_neuron(&text, &given).map_err(|diagnostics| Error::model(path, diagnostics))
}

/// Which texts of an import these are.
fn text(population: &Population) -> Option<(Option<CellKind>, Drive, Reset)> {
    let declared = |name: &str| lines(population.equations.as_deref()).iter().any(|line| line == &format!("{name} : 1"));
    let drive = Drive {
        has_events: declared("x"),
        has_bias: declared("bias"),
        is_late: lines(population.equations.as_deref()).iter().any(|line| line == "start : second (constant)"),
        sums: (1..).take_while(|number| declared(&super::texts::sum_name(*number))).count(),
    };
    let kinds = CellKind::ALL.into_iter().map(Some).chain([None]);
    let all = kinds.flat_map(|kind| [(kind, drive, Reset::ToValue), (kind, drive, Reset::Subtract)]);
    all.into_iter().find(|(kind, drive, reset)| is_text(population, &Texts::of(*kind, *drive, *reset)))
}

/// The cells of texts of an import.
fn of_text(
    population: &Population,
    model: NeuronModel,
    (kind, drive, reset): (Option<CellKind>, Drive, Reset),
    path: &str,
) -> Result<Recognised, Error> {
    if population.refractory.is_some() {
        return Err(lacking(path, population, "refractory times"));
    }
    let size = population.size as usize;
    let value = |name: &str, default: Option<f64>, is_time: bool| {
        let path = format!("{path}.parameters.{name}");
        let missing =
            Error::MissingKey { path: path.clone(), line: None, key: name.to_owned(), example: format!("\"{name}\": 1") };
        let given = population.parameters.get(name).or(population.initial.get(name)).cloned();
        let given = given.or(default.map(Quantity::Number)).ok_or(missing)?;
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
    Ok(Recognised { cell, bias, port: "x".to_owned(), factor: vec![1.0; size], is_for_dt: false, subtracts, model })
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
fn library_lif(population: &Population, own: NeuronModel, dt_ms: f64, path: &str) -> Result<Recognised, Error> {
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
    Ok(Recognised { cell: Some(cell), bias, port: "v".to_owned(), factor, is_for_dt: true, subtracts: false, model: own })
}
