//! The order of words, as a finite automaton over their kinds.

use super::error::{ParseError, any_of};
use super::grammar::{Grammar, Kind, Lexeme, State};

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
