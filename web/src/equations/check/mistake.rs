//! One thing that is wrong, and where it is shown.

use spikelet::{Error, Network};
use spikelet_lang::Diagnostic;

use super::super::Field;
use super::undefined;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mistake {
    /// Where to show it.
    pub(crate) place: Place,
    /// What is wrong.
    pub(crate) sentence: String,
    /// The way out, if there is a good guess.
    pub(crate) help: Option<String>,
    /// Where in the text, if it has a place there.
    pub(crate) spot: Option<Spot>,
}

/// Where a mistake is shown.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// Below a text.
    Field(Field),
    /// Below the method.
    Method,
    /// Below the size.
    Size,
    /// Beside a parameter's value.
    Value(String),
    /// Beside a variable's value at t = 0.
    Initial(String),
    /// With the rest of the network.
    Elsewhere,
}

/// A place in a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spot {
    /// 1-based.
    pub(crate) line: usize,
    /// 1-based, in characters.
    pub(crate) column: usize,
    /// In characters.
    pub(crate) width: usize,
    /// The line.
    pub(crate) excerpt: String,
    /// Whether all that is wrong is that a name has no value.
    pub(crate) missing: bool,
}

/// Where a diagnostic of a plan of one population is shown.
pub(super) fn place(path: &str, place: &str) -> Place {
    match (path.rsplit_once('.').map(|(_, key)| key), Field::named(place)) {
        (Some("parameters"), _) => Place::Value(place.to_owned()),
        (Some("initial"), _) => Place::Initial(place.to_owned()),
        (_, Some(field)) => Place::Field(field),
        _ if place == "method" => Place::Method,
        _ => Place::Value(place.to_owned()),
    }
}

pub(super) fn mistake(place: Place, diagnostic: Diagnostic) -> Mistake {
    let missing = undefined(&diagnostic).is_some();
    let Diagnostic { message, help, line, column, excerpt, width, .. } = diagnostic;
    let spot = (!excerpt.is_empty()).then_some(Spot { line, column, width, excerpt, missing });
    Mistake { place, sentence: message, help, spot }
}

pub(super) fn plain(place: Place, sentence: String) -> Mistake {
    Mistake { place, sentence, help: None, spot: None }
}

/// An error of the population that is no diagnostic, such as a threshold that is true right after the reset.
pub(super) fn of_population(error: &Error) -> Mistake {
    let text = error.to_string();
    let text = text.trim_start_matches("populations[0].");
    if let Some((name, rest)) = text.strip_prefix("parameters.").and_then(|text| text.split_once(' ')) {
        return plain(Place::Value(name.to_owned()), format!("`{name}` {rest}"));
    }
    let of_field = Field::ALL.into_iter().find(|field| text.starts_with(field.name()));
    plain(of_field.map_or(Place::Elsewhere, Place::Field), text.to_owned())
}

/// What the rest of the network has against the edits, with names in place of numbers.
pub(super) fn elsewhere(network: &Network, error: Error) -> Vec<Mistake> {
    let named = |path: &str| {
        let place = |kind: &str| path.strip_prefix(kind)?.split(']').next()?.parse::<usize>().ok();
        let population = place("populations[").and_then(|at| network.populations.get(at));
        let projection = place("projections[").and_then(|at| network.projections.get(at));
        let recording = place("recordings[").and_then(|at| network.recordings.get(at));
        let source = place("sources[").and_then(|at| network.sources.get(at));
        match (population, projection, recording, source) {
            (Some(population), ..) => format!("Population {}", population.name),
            (_, Some(projection), ..) => format!("Synapses {} → {}", projection.pre, projection.post),
            (.., Some(recording), _) => format!("Recording of {}", recording.object),
            (.., Some(source)) => format!("Source {}", source.name),
            _ => path.to_owned(),
        }
    };
    match error {
        Error::Model { path, diagnostics } => diagnostics
            .into_iter()
            .map(|diagnostic| {
                let sentence = format!("{}, {}: {}", named(&path), diagnostic.place, diagnostic.message);
                Mistake { sentence, ..mistake(Place::Elsewhere, diagnostic) }
            })
            .collect(),
        other => {
            let text = other.to_string();
            let (path, rest) = text.split_once(' ').unwrap_or((&text, ""));
            let sentence = match path.split_once('.') {
                Some((object, key)) if object.ends_with(']') => format!("{}, {key} {rest}", named(object)),
                _ => text,
            };
            vec![plain(Place::Elsewhere, sentence)]
        }
    }
}
