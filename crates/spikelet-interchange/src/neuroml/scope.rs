//! Names of a component in the texts of a population or projection.

use indexmap::IndexMap;
use spikelet_network::Error;

use super::document::Element;
use super::expression::{own_name, translate};

/// Longest text of a value at the start, in which derived variables are written out.
const MAX_TEXT: usize = 100_000;
/// Maximum number of derived variables that read each other.
const MAX_DEPTH: usize = 64;

/// What the names in the expressions of a component stand for.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// What its own names end with, so that several components can be in one text.
    suffix: String,
    /// What it requires of others: the text during the run, and at the start.
    given: IndexMap<String, [String; 2]>,
    /// Its own names: parameters, constants and variables.
    own: Vec<String>,
    /// Values of derived variables, as they are written in the file.
    derived: IndexMap<String, String>,
    /// Texts of variables at the start, of those that are read from other components.
    started: IndexMap<String, String>,
}

impl Scope {
    /// Names that end with `suffix`; what is given has a text during the run, and one at the start.
    pub(super) fn new(suffix: &str, given: IndexMap<String, [String; 2]>) -> Scope {
        Scope { suffix: suffix.to_owned(), given, ..Scope::default() }
    }

    /// Adds a name of the component.
    pub(super) fn declare(&mut self, name: &str) {
        self.own.push(name.to_owned());
    }

    /// Adds a derived variable.
    pub(super) fn derive(&mut self, name: &str, value: &str) {
        self.derived.insert(name.to_owned(), value.to_owned());
    }

    /// Whether others give a value of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    /// Whether it has all names of a population, and not those of a part of it.
    pub(super) fn is_whole(&self) -> bool {
        self.suffix.is_empty()
    }

    /// Adds a value that is the same at all times.
    pub(super) fn give(&mut self, name: &str, value: &str) {
        self.given.insert(name.to_owned(), [value.to_owned(), value.to_owned()]);
    }

    /// Adds the text of a variable at the start.
    pub(super) fn start_with(&mut self, name: &str, text: &str) {
        self.started.insert(name.to_owned(), text.to_owned());
    }

    /// What is given, during the run (0) or at the start (1).
    pub(super) fn given(&self, when: usize) -> Vec<(&str, String)> {
        self.given.iter().map(|(name, texts)| (name.as_str(), texts[when].clone())).collect()
    }

    /// An own name as it is written here.
    pub(super) fn name(&self, name: &str) -> String {
        format!("{}{}", own_name(name), self.suffix)
    }

    /// A name with a meaning of its own here, such as that of a regime.
    pub(super) fn plain(&self, name: &str) -> String {
        format!("{name}{}", self.suffix)
    }

    fn rename(&self, name: &str, time: &str) -> Option<String> {
        if self.own.iter().any(|of| of == name) {
            return Some(self.name(name));
        }
        match (self.given.get(name), name) {
            (Some([now, _]), _) => Some(now.clone()),
            (None, "t") => Some(time.to_owned()),
            _ => Some(own_name(name)),
        }
    }

    /// An expression in a step: jLEMS computes with the time of its end.
    pub(super) fn text(&self, expression: &str) -> String {
        self.text_at(expression, "(t + dt)")
    }

    /// An expression at another time.
    pub(super) fn text_at(&self, expression: &str, time: &str) -> String {
        translate(expression, &|name| self.rename(name, time))
    }

    /// An expression before the first step, in which derived variables are written out.
    pub(super) fn text_at_start(&self, of: &Element, expression: &str) -> Result<String, Error> {
        let text = self.written_out(expression, 0);
        text.filter(|text| text.len() <= MAX_TEXT).ok_or_else(|| {
            let expected = "derived variables that do not depend on themselves are expected at the start";
            of.wrong("", format_args!("`{expression}`"), expected, "write its value")
        })
    }

    fn written_out(&self, expression: &str, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH || expression.len() > MAX_TEXT {
            return None;
        }
        let is_complete = std::cell::Cell::new(true);
        let text = translate(expression, &|name| {
            if let Some(start) = self.started.get(name) {
                return Some(format!("({start})"));
            }
            if let Some(value) = self.derived.get(name) {
                let value = if is_complete.get() { self.written_out(value, depth + 1) } else { None };
                is_complete.set(is_complete.get() && value.as_ref().is_some_and(|value| value.len() <= MAX_TEXT));
                return Some(format!("({})", value.unwrap_or_default()));
            }
            match self.given.get(name) {
                Some([_, start]) if !self.own.iter().any(|of| of == name) => Some(start.clone()),
                _ => self.rename(name, "(0*second)"),
            }
        });
        is_complete.get().then_some(text)
    }
}
