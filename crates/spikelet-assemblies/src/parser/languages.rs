//! The grammars that there are.

use super::{Grammar, english, russian};

impl Grammar {
    /// English with the lexicon of the original: a fixed order of subject, verb and object, determiners, adjectives, adverbs, prepositions and
    /// a copula.
    pub fn english() -> &'static Grammar {
        &english::GRAMMAR
    }

    /// Russian with the lexicon of the original: cases mark what a noun is, and words have any order.
    pub fn russian() -> &'static Grammar {
        &russian::GRAMMAR
    }

    /// The grammar of this name.
    pub fn named(name: &str) -> Option<&'static Grammar> {
        Grammar::all().into_iter().find(|grammar| grammar.name == name)
    }

    /// All grammars.
    pub fn all() -> [&'static Grammar; 2] {
        [Grammar::english(), Grammar::russian()]
    }
}
