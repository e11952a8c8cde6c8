//! An error and its place.

use spikelet_js::protocol::{Diagnostic, Judged};
use spikelet_network::Network;
pub(crate) use spikelet_network::texts::PopulationPath;

/// An error.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EquationError {
    /// Its place.
    pub(crate) place: PopulationPath,
    /// Its JSON path; empty for what the page finds itself.
    pub(crate) path: String,
    /// What is wrong.
    pub(crate) sentence: String,
    /// How to fix it, if known.
    pub(crate) help: Option<String>,
    /// Its position in the text, if it has one.
    pub(crate) spot: Option<TextPosition>,
}

/// A position in a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextPosition {
    /// 1-based.
    pub(crate) line: usize,
    /// 1-based, in characters.
    pub(crate) column: usize,
    /// In characters.
    pub(crate) width: usize,
    /// The line.
    pub(crate) excerpt: String,
    /// Whether the only error is a name without a value.
    pub(crate) missing: bool,
}

/// An error of the selected population.
pub(super) fn mistake(found: Judged) -> EquationError {
    let Judged { diagnostic: Diagnostic { path, message, help, line, column, width, .. }, excerpt, undefined_name } = found;
    let size = |number: Option<u32>| number.map_or(1, |number| number as usize);
    let spot = excerpt.map(|excerpt| {
        let (line, column, width) = (size(line), size(column), size(width));
        TextPosition { line, column, width, excerpt, missing: undefined_name }
    });
    EquationError { place: PopulationPath::of_path(&path), path, sentence: message, help, spot }
}

pub(super) fn plain(place: PopulationPath, sentence: String) -> EquationError {
    EquationError { place, path: String::new(), sentence, help: None, spot: None }
}

/// An error of the rest of the network, with names instead of indices.
pub(super) fn elsewhere(network: &Network, found: Judged) -> EquationError {
    let Diagnostic { path, message, .. } = &found.diagnostic;
    let (object, key) = match path.split_once("].") {
        Some((object, key)) => (format!("{object}]"), key),
        None => (path.clone(), ""),
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
    let sentence = if whose.is_empty() { message.clone() } else { format!("{}: {message}", whose.join(", ")) };
    let EquationError { path, help, spot, .. } = mistake(found);
    // A name without a value is reported only where its texts are shown.
    let spot = spot.map(|spot| TextPosition { missing: false, ..spot });
    EquationError { place: PopulationPath::Elsewhere, path, sentence, help, spot }
}
