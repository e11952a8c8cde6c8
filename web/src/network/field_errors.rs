//! Errors of the edited network by field.

use spikelet_js::protocol::Diagnostic;

use super::Object;

/// An error.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldError {
    /// The object; `None` for the network itself.
    pub(crate) object: Option<Object>,
    /// The key in the object's JSON, `connect.p`, if known.
    pub(crate) key: String,
    /// What is wrong.
    pub(crate) sentence: String,
    /// How to fix it, if not in the sentence.
    pub(crate) help: Option<String>,
}

impl FieldError {
    /// Whether it belongs to this field, or to a part of its value.
    pub(crate) fn is_of(&self, object: Option<Object>, key: &str) -> bool {
        let rest = || self.key.strip_prefix(key);
        self.object == object && rest().is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }

    /// The number of the entry in a list that has a line for each: 2 for `functions[1].value`.
    pub(crate) fn entry(&self) -> Option<usize> {
        let (list, rest) = self.key.split_once('[')?;
        let (index, _) = rest.split_once(']')?;
        let index: usize = index.parse().ok().filter(|_| ["functions", "recordings", "run_regularly", "stop"].contains(&list))?;
        Some(index + 1)
    }
}

impl From<Diagnostic> for FieldError {
    fn from(found: Diagnostic) -> FieldError {
        let (object, key) = match Object::of_path(&found.path) {
            Some((object, key)) => (Some(object), key.to_owned()),
            None => (None, found.path),
        };
        FieldError { object, key, sentence: found.message, help: found.help }
    }
}

#[cfg(test)]
mod tests {
    use spikelet_js::protocol::Question;
    use spikelet_network::{Connector, Network, catalogue};

    use super::*;
    use crate::network::Kind;

    fn error_after(change: impl FnOnce(&mut Network)) -> FieldError {
        let mut network = catalogue::network("cuba", 0.02).expect("cuba");
        change(&mut network);
        let question = Question { json: network.to_json(), ..Question::default() };
        spikelet_js::judge::judge(&question, None, &|_| None).network.remove(0).diagnostic.into()
    }

    #[test]
    fn a_flaw_says_what_does() {
        let of = error_after(|network| network.projections[0].connect = Some(Connector::bernoulli(1.5)));
        assert_eq!(of.sentence, "1.5 is invalid: a probability is between 0 and 1.");
        assert_eq!(of.help.as_deref(), Some("For example 0.02 for 2 %."));
        assert!(of.is_of(Some(Object::new(Kind::Projection, 0)), "connect"));
        assert!(!of.is_of(Some(Object::new(Kind::Projection, 0)), "con"));
        assert!(!of.is_of(None, "connect"));
        let of = error_after(|network| network.projections[1].pre.population = "EX".into());
        assert!(of.sentence.starts_with("There is no population `EX`"), "{of:?}");
        let of = error_after(|network| network.dt_ms = 0.0);
        assert_eq!((of.object, of.key.as_str(), of.entry()), (None, "dt_ms", None));
        let of = error_after(|network| network.stop = vec!["spikes > 1".into(), "spikes >".into()]);
        assert!(of.is_of(None, "stop") && of.entry() == Some(2), "{of:?}");
    }
}
