//! The texts of a population: its own, or those of a library model with its own lines added.

use spikelet_lang::diagnostic::Span;
use spikelet_lang::library::{Preset, extended};
use spikelet_lang::model::{EventText, Method, RegularText, Table};
use spikelet_lang::{Diagnostic, Dimension, Kind, LibraryModel, NeuronText, library, syntax};
use spikelet_network::{CustomEvent, Error, Population, Quantity, RunRegularly};

/// The preset of a library model named `name`, if one is set.
pub(crate) fn preset(library: Option<&LibraryModel>, name: Option<&str>, path: &str) -> Result<Option<Preset>, Error> {
    let Some(name) = name else { return Ok(None) };
    let Some(model) = library else {
        let expected = "presets are only defined for library models";
        return Err(Error::invalid(format!("{path}.preset"), format!("{name:?}"), expected, "set a `model`, or remove it"));
    };
    let known = model.presets.keys().map(String::as_str);
    let found = model.presets.get(name).cloned();
    found.map(Some).ok_or_else(|| Error::unknown_name(&format!("{path}.preset"), "preset", name, known))
}

/// The texts of a population, and its library model if it has one.
pub(crate) fn texts(
    population: &Population,
    path: &str,
    dt_ms: f64,
) -> Result<(Option<&'static LibraryModel>, NeuronText), Error> {
    let score = population.winners.as_ref().map(|winners| winners.of.clone());
    let regular = regular(&population.run_regularly, path, dt_ms)?;
    if let Some(name) = &population.model {
        let model = library(name)
            .map_err(|_| Error::unknown_name(&format!("{path}.model"), "model", name, spikelet_lang::library::names()))?;
        let mut text = model.text().map_err(|diagnostic| Error::model(path, vec![diagnostic]))?;
        if let Some(own) = &population.equations {
            text.equations = extended(&text.equations, own);
        }
        (text.score, text.regular, text.events) = (score, regular, events(population));
        return Ok((Some(model), text));
    }
    let method = population.method.as_deref().map(Method::parse).transpose();
    let text = NeuronText {
        equations: population.equations.clone().unwrap_or_default(),
        update: population.update.clone(),
        threshold: population.threshold.clone(),
        score,
        reset: population.reset.clone(),
        refractory: population.refractory.clone(),
        method: method.map_err(|diagnostic| Error::model(path, vec![diagnostic]))?,
        regular,
        events: events(population),
        ..NeuronText::default()
    };
    Ok((None, text))
}

fn events(population: &Population) -> Vec<EventText> {
    let text = |(name, event): (&String, &CustomEvent)| EventText {
        name: name.clone(),
        path: format!("events.{name}"),
        condition: event.condition.clone(),
        statements: event.statements.clone().unwrap_or_default(),
    };
    population.events_by_name().into_iter().map(text).collect()
}

/// The statements of an object that run at regular times, in their order.
pub(crate) fn regular(list: &[RunRegularly], path: &str, dt_ms: f64) -> Result<Vec<RegularText>, Error> {
    let text = |index: usize| {
        let (place, of) = (format!("run_regularly[{index}]"), &list[index]);
        let interval = of.interval(&format!("{path}.{place}"), dt_ms)?;
        Ok(RegularText { path: format!("{place}.statements"), statements: of.statements.clone(), interval })
    };
    RunRegularly::in_order(list).into_iter().map(text).collect()
}

/// The rows of a timed array, with its shape.
pub(crate) fn timed_array(name: &str, quantity: &Quantity, wanted: Option<Dimension>) -> Result<(Table, Vec<f64>), Diagnostic> {
    let Quantity::Timed { values, dt, unit } = quantity else { return Ok((Table::default(), Vec::new())) };
    let text = quantity.to_string();
    let wrong = |kind, message: String| Diagnostic::new(kind, name, &text, Span::default(), message);
    let (dimension, factor) = match unit {
        Some(unit) => syntax::parse_unit(unit).map(|unit| (unit.dimension, unit.factor))?,
        None => (wanted.unwrap_or(Dimension::NONE), 1.0),
    };
    let (row_ms, time) = spikelet_lang::quantity::constant(name, dt)?;
    if time != Dimension::TIME || row_ms <= 0.0 {
        return Err(wrong(Kind::DimensionMismatch, format!("a row lasts `{dt}`; expected a time above 0, such as `1 ms`.")));
    }
    let columns = values.first().map_or(0, Vec::len);
    if columns == 0 || values.iter().any(|row| row.len() != columns) {
        return Err(wrong(
            Kind::MissingParameterValue,
            "the rows of a timed array must have the same number of values, at least one.".into(),
        ));
    }
    if values.len() * columns > 1 << 24 {
        let message = format!("{} entries; a timed array can have at most {}.", values.len() * columns, 1 << 24);
        return Err(wrong(Kind::Unsupported, message));
    }
    let entries = values.iter().flatten().map(|value| value * factor).collect();
    Ok((Table { rows: values.len(), columns, row_ms: row_ms.to_bits(), dimension }, entries))
}
