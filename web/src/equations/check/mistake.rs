//! One thing that is wrong, and where it is shown.

use spikelet::Network;
use spikelet::diagnostic::{Diagnostic, Span};

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

/// Where it is shown what is wrong at a path of the only population of a network.
pub(super) fn place(path: &str) -> Place {
    let key = path.strip_prefix("populations[0]").map_or(path, |key| key.trim_start_matches('.'));
    let of = |list: &str| key.strip_prefix(list).map(str::to_owned);
    if let Some(name) = of("parameters.") {
        return Place::Value(name);
    }
    if let Some(name) = of("initial.") {
        return Place::Initial(name);
    }
    match Field::named(key) {
        Some(field) => Place::Field(field),
        None if key == "method" => Place::Method,
        // Of names that are given a value in another way it is said with the values.
        None if key.chars().all(|c| c.is_alphanumeric() || c == '_') && !KEYS.contains(&key) => Place::Value(key.to_owned()),
        None => Place::Elsewhere,
    }
}

/// Keys of a population that have no place among its equations.
const KEYS: [&str; 8] = ["", "name", "size", "model", "preset", "parameters", "initial", "positions"];

pub(super) fn mistake(place: Place, found: Diagnostic) -> Mistake {
    let missing = undefined(&found).is_some();
    let Diagnostic { message, help, span, .. } = found;
    let spot = span.map(|Span { line, column, width, excerpt, .. }| {
        let (column, width) = (column.unwrap_or(1), width.unwrap_or(1));
        Spot { line, column, width, excerpt, missing }
    });
    Mistake { place, sentence: message, help, spot }
}

pub(super) fn plain(place: Place, sentence: String) -> Mistake {
    Mistake { place, sentence, help: None, spot: None }
}

/// What is wrong with the rest of the network, with names in place of numbers.
pub(super) fn elsewhere(network: &Network, found: Diagnostic) -> Mistake {
    let (object, key) = match found.path.split_once("].") {
        Some((object, key)) => (format!("{object}]"), key),
        None => (found.path.clone(), ""),
    };
    let place = |list: &str| object.strip_prefix(list)?.strip_suffix(']')?.parse::<usize>().ok();
    let population = place("populations[").and_then(|at| network.populations.get(at));
    let projection = place("projections[").and_then(|at| network.projections.get(at));
    let recording = place("recordings[").and_then(|at| network.recordings.get(at));
    let source = place("sources[").and_then(|at| network.sources.get(at));
    let named = match (population, projection, recording, source) {
        (Some(population), ..) => format!("Population {}", population.name),
        (_, Some(projection), ..) => format!("Synapses {} → {}", projection.pre, projection.post),
        (.., Some(recording), _) => format!("Recording of {}", recording.object),
        (.., Some(source)) => format!("Source {}", source.name),
        _ => object.clone(),
    };
    let whose: Vec<&str> = [named.as_str(), key].into_iter().filter(|part| !part.is_empty()).collect();
    let sentence = if whose.is_empty() { found.message.clone() } else { format!("{}: {}", whose.join(", "), found.message) };
    let Mistake { place, help, spot, .. } = mistake(Place::Elsewhere, found);
    // A name without a value is asked for where its texts are shown, and nowhere else.
    let spot = spot.map(|spot| Spot { missing: false, ..spot });
    Mistake { place, sentence, help, spot }
}
