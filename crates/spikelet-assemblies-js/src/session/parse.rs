//! Parses sentences.

use spikelet_assemblies::parser::{self, Grammar, ParserOptions};
use spikelet_assemblies::{BrainOptions, Mode};

use crate::protocol::{Dependency, Lexicon, LexiconWord, Parse, ParseRequest, SessionError, Winners, WordPath};

/// The path of each word, and the dependencies.
pub(super) fn parse(sentence: &ParseRequest) -> Result<Parse, SessionError> {
    let ParseRequest { text, grammar, p, seed, n, k, rounds } = sentence;
    let Some(known) = Grammar::named(grammar) else {
        let names: Vec<&str> = Grammar::all().iter().map(|grammar| grammar.name()).collect();
        let message = format!("there is no grammar “{grammar}”; there are {}", names.join(", "));
        return Err(SessionError::new("unknown_name", message, Some("grammar")));
    };
    let brain = BrainOptions { p: *p, seed: *seed, mode: Mode::Lazy, ..BrainOptions::default() };
    let options = ParserOptions { brain, n: *n, k: *k, rounds: *rounds, ..ParserOptions::default() };
    let parsed = parser::parse(text, known, &options)?;
    let dependencies = parsed.dependencies.into_iter().map(|found| {
        let parser::Dependency { head, dependent, area } = found;
        Dependency { head, dependent, area }
    });
    Ok(Parse { words: parsed.words.into_iter().map(path).collect(), root: parsed.root, dependencies: dependencies.collect() })
}

fn path(path: parser::WordPath) -> WordPath {
    let parser::WordPath { word, kind, area, open_areas, fibres, winners } = path;
    let winners = winners.into_iter().map(|(area, neurons)| Winners { area: area.into(), neurons }).collect();
    WordPath { word, kind, area, open_areas, fibres, winners }
}

/// All grammars.
pub(super) fn grammars() -> Vec<Lexicon> {
    let lexicon = |grammar: &'static Grammar| Lexicon {
        name: grammar.name(),
        areas: grammar.areas().to_vec(),
        words: grammar.words().map(|(word, kind)| LexiconWord { word, kind }).collect(),
    };
    Grammar::all().into_iter().map(lexicon).collect()
}
