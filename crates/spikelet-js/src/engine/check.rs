//! What is wrong with a network, one by one, and where.

use spikelet::{BuildOptions, Error, Network, lang};

use super::{memory, refusal};
use crate::protocol::{Code, Diagnostic};

/// All that can be found before synapses are drawn; what is hardly meant comes last.
pub(super) fn diagnostics(json: &str) -> Vec<Diagnostic> {
    let network = match Network::from_json_unchecked(json) {
        Ok(network) => network,
        Err(error) => return of_error(&error, None),
    };
    let options = BuildOptions { memory: Some(memory::room()), ..BuildOptions::default() };
    let errors = network.diagnose(options);
    let mut all: Vec<Diagnostic> = errors.iter().flat_map(|error| of_error(error, Some(&network))).collect();
    if errors.is_empty() {
        all.extend(network.notices().iter().map(|notice| Diagnostic {
            code: "notice".into(),
            is_error: false,
            message: notice.to_string(),
            help: None,
            path: notice.path.clone(),
            line: None,
            column: None,
            width: None,
        }));
    }
    all
}

/// What an error says is wrong with a network, which is that one, if it is known.
pub(super) fn of_error(error: &Error, network: Option<&Network>) -> Vec<Diagnostic> {
    let path = error.path().unwrap_or_default();
    if let Error::Model { diagnostics, .. } = error {
        return diagnostics.iter().map(|found| of_text(path, found, network)).collect();
    }
    // The place in the JSON is told where that is the text that is meant; else the sentence names it.
    let (line, column) = error.position().filter(|_| path.is_empty()).map_or((None, None), |(line, column)| (Some(line), column));
    vec![Diagnostic {
        code: error.kind().map_or_else(|| name(refusal::code(error)), str::to_owned),
        is_error: true,
        message: error.to_string(),
        help: None,
        path: path.to_owned(),
        line: line.map(|line| line as u32),
        column: column.map(|column| column as u32),
        width: None,
    }]
}

/// What is wrong with one of the texts of the object at a path.
fn of_text(object: &str, found: &lang::Diagnostic, network: Option<&Network>) -> Diagnostic {
    let path = match found.place.as_str() {
        // What has no key of its own is the object itself.
        place if place == "condition" || object.ends_with(&format!(".{place}")) => object.to_owned(),
        place if object.is_empty() => place.to_owned(),
        place => format!("{object}.{place}"),
    };
    // Lines of a model of the library are in no text of the network.
    let is_own = !found.excerpt.is_empty() && network.is_none_or(|network| !has_model(network, object));
    let own = |number: usize| is_own.then_some(number as u32);
    Diagnostic {
        code: found.kind.name().into(),
        is_error: true,
        message: found.message.clone(),
        help: found.help.clone(),
        path,
        line: own(found.line),
        column: own(found.column),
        width: own(found.width),
    }
}

/// Whether the population or projection at a path has a model of the library.
fn has_model(network: &Network, path: &str) -> bool {
    let index = |key: &str| path.strip_prefix(key)?.strip_prefix('[')?.strip_suffix(']')?.parse::<usize>().ok();
    let population = || network.populations.get(index("populations")?)?.model.as_ref();
    let projection = || network.projections.get(index("projections")?)?.model.as_ref();
    population().or_else(projection).is_some()
}

/// A code as it is written in JavaScript.
fn name(code: Code) -> String {
    let told = crate::protocol::to_js(&code).ok().and_then(|code| code.as_string());
    told.unwrap_or_default()
}
