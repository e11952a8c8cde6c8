//! Why a sentence has no parse.

use crate::Error;

/// Why a sentence has no parse. Words are counted from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParseError {
    /// There are no words.
    #[error("the sentence is empty; write words of the lexicon separated by spaces: {known}")]
    Empty {
        /// The words of the lexicon.
        known: String,
    },
    /// The lexicon does not have the word.
    #[error("word {position}, “{word}”, is not in the lexicon of the grammar; known words are {known}")]
    UnknownWord {
        /// The word.
        word: String,
        /// Its position.
        position: usize,
        /// The words of the lexicon.
        known: String,
    },
    /// There are too many words.
    #[error("word {position}, “{word}”, is one too many: a sentence has at most {longest} words; split it")]
    TooLong {
        /// The first word beyond the limit.
        word: String,
        /// Its position.
        position: usize,
        /// The largest number of words.
        longest: usize,
    },
    /// The word cannot follow those before it.
    #[error(
        "word {position}, “{word}”, is {}, which has no place here; expected {expected}; leave it out, or put what is expected before it",
        with_article(.kind)
    )]
    NoPlace {
        /// The word.
        word: String,
        /// Its position.
        position: usize,
        /// Its kind.
        kind: &'static str,
        /// The kinds of words that have one.
        expected: String,
    },
    /// The word would replace another one, which would be lost.
    #[error(
        "word {position}, “{word}”, would replace “{previous}” in the area {area}, which holds one word; leave one of them out, or \
         separate them by a word that takes “{previous}” as its dependent"
    )]
    Replaces {
        /// The word.
        word: String,
        /// Its position.
        position: usize,
        /// The area of both.
        area: &'static str,
        /// The word that the area holds.
        previous: String,
    },
    /// A word has two dependents in the same area.
    #[error(
        "word {position}, “{word}”, is a second dependent of “{head}” in the area {area} beside “{previous}”; it can have one; leave one \
         of them out"
    )]
    SecondDependent {
        /// The word.
        word: String,
        /// Its position.
        position: usize,
        /// The word on which both depend.
        head: String,
        /// The area of both.
        area: &'static str,
        /// The first dependent.
        previous: String,
    },
    /// The sentence ends, and nothing depends on a word nor does it depend on another one.
    #[error("word {position}, “{word}”, depends on no other word; the sentence ends too early, expected {expected}")]
    Unattached {
        /// The word.
        word: String,
        /// Its position.
        position: usize,
        /// The kinds of words that can follow.
        expected: String,
    },
    /// The sentence ends after a word that needs others.
    #[error(
        "the sentence ends after word {position}, “{word}”, which is {}; expected {expected}; add what is expected",
        with_article(.kind)
    )]
    EndsEarly {
        /// The last word.
        word: String,
        /// Its position.
        position: usize,
        /// Its kind.
        kind: &'static str,
        /// The kinds of words that can follow.
        expected: String,
    },
    /// The sentence ends without a part that it needs.
    #[error("the sentence has no {part}; expected {expected}")]
    Missing {
        /// The part.
        part: &'static str,
        /// The kinds of words that can follow.
        expected: String,
    },
    /// A word cannot be read out of the synapses.
    #[error(
        "word {position}, “{word}”, cannot be read out of the area {area}: its assembly makes other neurons of the area of words fire; \
         use another seed, larger areas or more rounds for each word"
    )]
    Lost {
        /// The word.
        word: String,
        /// Its position.
        position: usize,
        /// The area in which its assembly formed.
        area: &'static str,
    },
    /// A round failed.
    #[error(transparent)]
    Brain(#[from] Error),
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
fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}
