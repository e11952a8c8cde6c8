//! The order of words, as a finite automaton over their kinds.

use super::ParseError;
use super::grammar::{Grammar, Kind, Lexeme};

/// What can follow in a sentence.
#[derive(Debug)]
pub(super) struct State {
    /// Whether the sentence can end.
    pub(super) can_end: bool,
    /// The kinds that can follow, and the state after each. Two kinds of one name have different rules; later words decide between them.
    pub(super) steps: &'static [(&'static Kind, usize)],
}

impl Grammar {
    /// The kind of each word, with the rules for its place in the sentence.
    ///
    /// # Errors
    /// A word cannot follow those before it, or the sentence cannot end.
    pub(super) fn kinds_of(&self, lexemes: &[Lexeme]) -> Result<Vec<&'static Kind>, ParseError> {
        let mut paths: Vec<(&State, Vec<&'static Kind>)> =
            self.order.first().map(|first| (first, Vec::new())).into_iter().collect();
        for (index, Lexeme { word, kind, .. }) in lexemes.iter().enumerate() {
            let mut longer = Vec::new();
            for (state, path) in &paths {
                for (step, next) in state.steps.iter().filter(|(step, _)| step.name == *kind) {
                    longer.push((&self.order[*next], path.iter().copied().chain([*step]).collect()));
                }
            }
            if longer.is_empty() {
                let (word, position) = ((*word).to_owned(), index + 1);
                return Err(ParseError::NoPlace { word, position, kind, expected: following(&paths) });
            }
            paths = longer;
        }
        match (paths.iter().position(|(state, _)| state.can_end), lexemes.last()) {
            (Some(whole), _) => Ok(paths.swap_remove(whole).1),
            (None, Some(Lexeme { word, kind, .. })) => {
                let (word, position) = ((*word).to_owned(), lexemes.len());
                Err(ParseError::EndsEarly { word, position, kind, expected: following(&paths) })
            }
            (None, None) => Ok(Vec::new()),
        }
    }
}

/// What can follow in any of some states.
fn following(paths: &[(&State, Vec<&'static Kind>)]) -> String {
    let mut kinds: Vec<&'static str> = Vec::new();
    for (kind, _) in paths.iter().flat_map(|(state, _)| state.steps) {
        if !kinds.contains(&kind.name) {
            kinds.push(kind.name);
        }
    }
    any_of(kinds, paths.iter().any(|(state, _)| state.can_end))
}

/// “a noun, an adverb or the end of the sentence”.
pub(super) fn any_of(kinds: Vec<&'static str>, can_end: bool) -> String {
    let mut parts: Vec<String> = kinds.into_iter().map(with_article).collect();
    if can_end {
        parts.push("the end of the sentence".into());
    }
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// “a noun”, “an adverb”.
pub(super) fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}
