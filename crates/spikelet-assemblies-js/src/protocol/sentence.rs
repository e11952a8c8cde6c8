//! Sentences and their parses.

use serde::{Deserialize, Serialize};

use super::Winners;

/// A sentence to parse.
#[derive(Debug, Clone, Deserialize)]
pub struct ParseRequest {
    /// Words separated by spaces.
    pub text: String,
    /// The name of the grammar.
    pub grammar: String,
    /// Probability of a synapse.
    pub p: f64,
    /// Seed of all random choices.
    pub seed: u64,
    /// Neurons of each area but the one of words.
    pub n: u32,
    /// How many of them fire.
    pub k: u32,
    /// Rounds of each word.
    pub rounds: u32,
}

/// A parse.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parse {
    /// The path of each word.
    pub words: Vec<WordPath>,
    /// The root of the sentence.
    pub root: String,
    /// The dependencies, as they were read out.
    pub dependencies: Vec<Dependency>,
}

/// What happened while a word was read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WordPath {
    /// The word.
    pub word: String,
    /// Its kind.
    pub kind: &'static str,
    /// The area in which its assembly formed.
    pub area: &'static str,
    /// The areas that were open.
    pub open_areas: Vec<&'static str>,
    /// What projected: source and target.
    pub fibres: Vec<(&'static str, &'static str)>,
    /// The winners of each area that has some.
    pub winners: Vec<Winners>,
}

/// A dependency between two words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dependency {
    /// The word on which the other one depends.
    pub head: String,
    /// The other word.
    pub dependent: String,
    /// What it is.
    pub area: &'static str,
}

/// A grammar.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lexicon {
    /// Its name.
    pub name: &'static str,
    /// Its areas.
    pub areas: Vec<&'static str>,
    /// Its words with their kinds.
    pub words: Vec<LexiconWord>,
}

/// A word of a grammar.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LexiconWord {
    /// The word.
    pub word: &'static str,
    /// Its kind.
    pub kind: &'static str,
}
