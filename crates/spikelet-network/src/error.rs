//! Errors, as sentences that tell users what to do.

use std::fmt::Display;

use spikelet_lang::Diagnostic;
use spikelet_lang::diagnostic::{MAX_QUOTED, shown, suggestion};

use crate::numbers::human;

/// All errors between a network and its spikes.
///
/// Each message contains the place (a JSON path, or line and column), the value, what was expected and how to fix it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not JSON.
    #[error("line {line}, column {column}: the JSON is malformed: {message}")]
    Json {
        /// 1-based line.
        line: usize,
        /// 1-based column.
        column: usize,
        /// Message of the parser.
        message: String,
    },

    /// An object has an unknown key.
    #[error("{} (line {line}) has an unknown key `{}`; {}", named(path), short(key), keys(suggestion.as_deref(), known))]
    UnknownKey {
        /// JSON path of the object, such as `populations[1]`; empty for the whole network.
        path: String,
        /// 1-based line of the key.
        line: usize,
        /// The key.
        key: String,
        /// The most similar known key, if there is one.
        suggestion: Option<String>,
        /// All keys of that object.
        known: Vec<String>,
    },

    /// An invalid value.
    #[error("{} is {}, but {}; {}", named(path), short(value), shown(expected, SENTENCE), shown(way_out, SENTENCE))]
    Invalid {
        /// JSON path of the value, such as `populations[1].size`; empty for the whole network.
        path: String,
        /// The value as written by the user.
        value: String,
        /// What is expected, as a clause.
        expected: String,
        /// How to fix it, as a clause.
        way_out: String,
        /// The kind of error, if it has a name: see [`Error::kind`].
        kind: Option<&'static str>,
    },

    /// A required key is missing.
    #[error("{}{} lacks the key `{}`; add it, as in {}", named(path), at_line(*line), short(key), short(example))]
    MissingKey {
        /// JSON path of the object; empty for the whole network.
        path: String,
        /// 1-based line of the end of the object, if it was read from text.
        line: Option<usize>,
        /// The key.
        key: String,
        /// The key with a value.
        example: String,
    },

    /// An unknown name.
    #[error("{}there is no {} `{}`; {}", short(path), short(what), short(name), known_names(suggestion.as_deref(), known))]
    UnknownName {
        /// JSON path of the reference and `": "`, or empty if the name is not from the network.
        path: String,
        /// The kind of object: `population`, `network` …
        what: String,
        /// The name.
        name: String,
        /// The most similar known name, if there is one.
        suggestion: Option<String>,
        /// All valid names.
        known: Vec<String>,
    },

    /// The equations or values of a population or projection are inconsistent.
    #[error("{}: {}", short(path), join(diagnostics))]
    Model {
        /// JSON path of the object, such as `populations[1]`.
        path: String,
        /// All errors, with line, column and marker.
        diagnostics: Vec<Diagnostic>,
    },

    /// A device failed, or was used incorrectly.
    #[error("{0}")]
    Backend(String),

    /// A device was lost with its arrays. The run can continue on another one.
    #[error("{device} was lost ({why}); reset the simulation, or use the CPU")]
    DeviceLost {
        /// The device.
        device: String,
        /// Its message.
        why: String,
    },

    /// A device has no memory for a buffer.
    #[error("{device} has no memory for the buffer `{buffer}` of {}, of {} in total ({why}); {way_out}", human(*bytes), human(*total))]
    OutOfMemory {
        /// The device.
        device: String,
        /// The name of the buffer, as listed by `--dry-run`.
        buffer: String,
        /// Its bytes.
        bytes: u64,
        /// Bytes of all buffers of the plan.
        total: u64,
        /// The message of the device.
        why: String,
        /// What would make it fit, in the order of least effect.
        way_out: String,
    },

    /// An increment by a synapse with state exceeds the range of its port.
    #[error(
        "an event of `{projection}` adds {value} {unit}, which is not a number or much larger than its first events: at most \
         {limit} {unit} fit; keep its variables in bounds, for example by `clip(…)`"
    )]
    EventTooLarge {
        /// The projection.
        projection: String,
        /// The value.
        value: f32,
        /// Largest value that fits.
        limit: f32,
        /// Their unit.
        unit: String,
    },

    /// A value by which neurons are compared is NaN, so that the winners are not defined.
    #[error(
        "the value of `winners` of neuron {neuron} in `{population}` is not a number (NaN) in step {step}, at {time_ms} ms, and cannot be compared; keep the expression `of` in bounds, for example by `clip(…)`, or exclude the neuron by a `threshold`"
    )]
    NotComparable {
        /// The population.
        population: String,
        /// The first such neuron, by its index in the population.
        neuron: usize,
        /// The step that computed it; all earlier steps are valid.
        step: u32,
        /// The time of that step.
        time_ms: f64,
    },

    /// A column of a timed array that does not exist.
    #[error(
        "the timed array `{table}` of `{population}` has no column {column}, which neuron {neuron} asks for in step {step}, at {time_ms} ms: columns are the whole numbers from 0 to {last}; keep the index in this range, for example by `clip(floor(…), 0, {last})`"
    )]
    MissingColumn {
        /// The population.
        population: String,
        /// The timed array.
        table: String,
        /// The column.
        column: f32,
        /// The last one that exists.
        last: usize,
        /// The first such neuron, by its index in the population.
        neuron: usize,
        /// The step that looked it up; all earlier steps are valid.
        step: u32,
        /// The time of that step.
        time_ms: f64,
    },

    /// A state variable became infinite or NaN.
    #[error(
        "{variable} of neuron {neuron} in `{population}` became {value} in step {step}, at {time_ms} ms: {}",
        why_diverged(*is_integrated, *is_integer, *dt_ms)
    )]
    Diverged {
        /// The population.
        population: String,
        /// The variable.
        variable: String,
        /// The first such neuron, by its index in the population.
        neuron: usize,
        /// The value.
        value: f32,
        /// The step that computed it; all earlier steps are valid.
        step: u32,
        /// The time of that step.
        time_ms: f64,
        /// The time step.
        dt_ms: f64,
        /// Whether a differential equation changes the variable.
        is_integrated: bool,
        /// Whether it is a whole number.
        is_integer: bool,
    },

    /// The loss of a training became infinite or NaN.
    #[error(
        "the loss of trial {trial} of the batch is not a finite number: `{array}` is {value}{}; use a smaller `optimiser.rate`, or `optimiser.clip_norm`",
        in_step(*step)
    )]
    LossNotFinite {
        /// The term of the loss and what it reads: `loss[0] (out.v)`.
        array: String,
        /// The trial, by its index in the batch.
        trial: usize,
        /// The first step of a value that is not finite, if the term reads a value for each step.
        step: Option<u32>,
        /// That value; the loss of the trial if all values are finite.
        value: f64,
    },
}

/// Why a variable became infinite or NaN, and what to do.
fn why_diverged(is_integrated: bool, is_integer: bool, dt_ms: f64) -> String {
    if is_integrated {
        return format!(
            "the step of {dt_ms} ms is too long for these equations, or a value is out of range; try a shorter dt, or another method"
        );
    }
    if is_integer {
        return "integers are exact up to 16777216 in f32, and up to 2147483648 in f64 (`--precision f64`); a number on the way to its value is \
                larger, or is divided by 0: keep them in bounds, for example by `%`"
            .into();
    }
    "it has no differential equation, so what is assigned or added to it is out of range; keep that in bounds, for example by `clip(…)`".into()
}

impl Error {
    /// Whether the input was invalid (exit code 2 of the command line), rather than the run failed (1).
    pub fn is_bad_input(&self) -> bool {
        match self {
            Error::Json { .. }
            | Error::UnknownKey { .. }
            | Error::Invalid { .. }
            | Error::MissingKey { .. }
            | Error::UnknownName { .. }
            | Error::Model { .. } => true,
            Error::Backend(_)
            | Error::DeviceLost { .. }
            | Error::OutOfMemory { .. }
            | Error::EventTooLarge { .. }
            | Error::NotComparable { .. }
            | Error::MissingColumn { .. }
            | Error::Diverged { .. }
            | Error::LossNotFinite { .. } => false,
        }
    }

    /// The JSON path of the error, such as `populations[1].size`, or the path that was set; empty for the whole network; `None` for errors
    /// elsewhere.
    pub fn path(&self) -> Option<&str> {
        match self {
            Error::UnknownKey { path, .. }
            | Error::Invalid { path, .. }
            | Error::MissingKey { path, .. }
            | Error::Model { path, .. } => Some(path),
            Error::UnknownName { path, .. } => Some(path.strip_suffix(": ").unwrap_or(path)).filter(|path| !path.is_empty()),
            Error::Json { .. } => Some(""),
            Error::Backend(_)
            | Error::DeviceLost { .. }
            | Error::OutOfMemory { .. }
            | Error::EventTooLarge { .. }
            | Error::NotComparable { .. }
            | Error::MissingColumn { .. }
            | Error::Diverged { .. }
            | Error::LossNotFinite { .. } => None,
        }
    }

    /// The position in the JSON text of the network: 1-based line, and column if known.
    pub fn position(&self) -> Option<(usize, Option<usize>)> {
        match self {
            Error::Json { line, column, .. } => Some((*line, Some(*column))),
            Error::UnknownKey { line, .. } => Some((*line, None)),
            Error::MissingKey { line, .. } => line.map(|line| (line, None)),
            _ => None,
        }
    }

    /// The kind of error, such as `dimension_mismatch` or `negative_delay`, named as in the conformance corpus, or `out_of_memory`; `None`
    /// if it has no name.
    pub fn kind(&self) -> Option<&str> {
        match self {
            Error::Invalid { kind, .. } => *kind,
            Error::Model { diagnostics, .. } => diagnostics.first().map(|diagnostic| diagnostic.kind.name()),
            _ => None,
        }
    }

    /// An invalid value: its path, the value, what is expected and how to fix it, both as clauses.
    pub fn invalid(path: impl Display, value: impl Display, expected: impl Display, way_out: impl Display) -> Error {
        Error::Invalid {
            path: path.to_string(),
            value: value.to_string(),
            expected: expected.to_string(),
            way_out: way_out.to_string(),
            kind: None,
        }
    }

    /// The same, with the name of its kind.
    #[must_use]
    pub fn of_kind(mut self, name: &'static str) -> Error {
        if let Error::Invalid { kind, .. } = &mut self {
            *kind = Some(name);
        }
        self
    }

    /// The same, found at `place` while the value of `path` was being changed.
    #[must_use]
    pub fn within(mut self, place: &str, path: &str) -> Error {
        let inner = |found: &str| match found.strip_suffix(": ").unwrap_or(found) {
            found if found.is_empty() || found == path => place.to_owned(),
            found => format!("{place}: {found}"),
        };
        match &mut self {
            Error::Invalid { path: found, .. }
            | Error::UnknownKey { path: found, .. }
            | Error::MissingKey { path: found, .. }
            | Error::Model { path: found, .. } => *found = inner(found),
            Error::UnknownName { path: found, .. } => *found = format!("{}: ", inner(found)),
            Error::Backend(sentence) => *sentence = format!("{place}: {sentence}"),
            Error::Json { .. }
            | Error::DeviceLost { .. }
            | Error::OutOfMemory { .. }
            | Error::EventTooLarge { .. }
            | Error::NotComparable { .. }
            | Error::MissingColumn { .. }
            | Error::Diverged { .. }
            | Error::LossNotFinite { .. } => {}
        }
        self
    }

    /// Errors in the texts or values of the object at `path`.
    pub fn model(path: &str, diagnostics: Vec<Diagnostic>) -> Error {
        Error::Model { path: path.into(), diagnostics }
    }

    /// An unknown name: the path of the reference (empty if it is not from the network), the kind of object, the name, and all valid names.
    pub fn unknown_name<'a>(path: &str, what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Error {
        let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
        Error::UnknownName {
            path: if path.is_empty() { String::new() } else { format!("{path}: ") },
            what: what.to_owned(),
            name: name.to_owned(),
            suggestion: suggestion(name, known.iter().map(String::as_str)).map(str::to_owned),
            known,
        }
    }
}

/// Maximum number of names in a message.
const LISTED: usize = 24;
/// Maximum number of errors in equations in a message.
const TOLD: usize = 8;
/// Maximum number of characters of a clause.
const SENTENCE: usize = 800;

/// A text of the user, quoted for a message.
fn short(text: &str) -> String {
    shown(text, MAX_QUOTED)
}

/// A path as part of a sentence.
fn named(path: &str) -> String {
    if path.is_empty() { "the network".to_owned() } else { short(path) }
}

fn at_line(line: Option<usize>) -> String {
    line.map_or(String::new(), |line| format!(" (line {line})"))
}

fn in_step(step: Option<u32>) -> String {
    step.map_or(String::new(), |step| format!(" in step {step}"))
}

fn join(diagnostics: &[Diagnostic]) -> String {
    let mut emitted: Vec<String> = diagnostics.iter().take(TOLD).map(Diagnostic::to_string).collect();
    if diagnostics.len() > TOLD {
        emitted.push(format!("and {} more", diagnostics.len() - TOLD));
    }
    emitted.join("\n")
}

/// The way out for an unknown key.
fn keys(suggestion: Option<&str>, known: &[String]) -> String {
    if known.is_empty() {
        "no other keys are allowed here; remove it".to_owned()
    } else {
        way_out(suggestion, known, "the valid keys are")
    }
}

/// The suggested name, or else all names.
pub(crate) fn known_names(suggestion: Option<&str>, known: &[String]) -> String {
    way_out(suggestion, known, "there are")
}

/// "did you mean `x`?", else the list of all.
pub(crate) fn way_out(suggestion: Option<&str>, known: &[String], introduction: &str) -> String {
    match suggestion {
        Some(name) => format!("did you mean `{}`?", short(name)),
        None if known.is_empty() => "there are none".to_owned(),
        None => {
            let list: Vec<String> = known.iter().take(LISTED).map(|name| format!("`{}`", short(name))).collect();
            let more = if known.len() > LISTED { format!(" and {} more", known.len() - LISTED) } else { String::new() };
            format!("{introduction} {}{more}", list.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_gets_a_suggestion_and_a_stranger_the_list() {
        let known = ["cuba", "coba", "izhikevich"];
        let message = |name| Error::unknown_name("", "network", name, known).to_string();
        assert_eq!(message("cubba"), "there is no network `cubba`; did you mean `cuba`?");
        assert_eq!(message("Izhikevitch"), "there is no network `Izhikevitch`; did you mean `izhikevich`?");
        assert_eq!(message("hopfield"), "there is no network `hopfield`; there are `cuba`, `coba`, `izhikevich`");
    }
}
