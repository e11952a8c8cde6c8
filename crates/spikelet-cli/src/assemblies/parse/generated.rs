//! All sentences of a grammar.

use std::fmt;

use serde::Serialize;
use spikelet_assemblies::parser::corpus::{Bounds, Failure, coverage, sentences};
use spikelet_assemblies::parser::{Grammar, ParserOptions};

use super::words;
use crate::args::ParseArguments;

/// Number of failures that the text shows.
const LINES: usize = 10;

/// How many sentences were parsed. The keys of its JSON are part of the command line interface.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    grammar: &'static str,
    seed: u64,
    adjectives: u32,
    phrases: u32,
    sentences: usize,
    /// Sentences whose dependencies are right.
    parsed: usize,
    fraction: f64,
    failures: Vec<Wrong>,
}

/// A sentence whose dependencies are not right.
#[derive(Debug, Serialize)]
struct Wrong {
    sentence: String,
    expected: Vec<[String; 3]>,
    /// What was read out; null if there is an error.
    found: Option<Vec<[String; 3]>>,
    error: Option<String>,
}

/// Generates sentences, and parses them.
pub(super) fn parsed(args: &ParseArguments, grammar: &'static Grammar, options: &ParserOptions) -> Report {
    let ParseArguments { adjectives, phrases, seed, .. } = *args;
    let coverage = coverage(&sentences(grammar, Bounds { adjectives, phrases }, seed), grammar, options);
    let wrong = |Failure { sentence, found }: &Failure| Wrong {
        sentence: sentence.text.clone(),
        expected: words(&sentence.dependencies),
        found: found.as_ref().ok().map(|found| words(found)),
        error: found.as_ref().err().map(ToString::to_string),
    };
    Report {
        grammar: grammar.name(),
        seed,
        adjectives,
        phrases,
        sentences: coverage.total,
        parsed: coverage.parsed,
        fraction: coverage.fraction(),
        failures: coverage.failures.iter().map(wrong).collect(),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { grammar, sentences, parsed, fraction, failures, .. } = self;
        write!(f, "{grammar}: {parsed} of {sentences} sentences are parsed, {:.1} %", 100.0 * fraction)?;
        for Wrong { sentence, expected, found, error } in failures.iter().take(LINES) {
            write!(f, "\n\n{sentence}")?;
            if let Some(error) = error {
                write!(f, "\n  {error}")?;
            }
            let Some(found) = found else { continue };
            for of in expected.iter().filter(|of| !found.contains(of)) {
                write!(f, "\n  missing: {}", of.join(" "))?;
            }
            for of in found.iter().filter(|of| !expected.contains(of)) {
                write!(f, "\n  wrong: {}", of.join(" "))?;
            }
        }
        match failures.len().saturating_sub(LINES) {
            0 => Ok(()),
            left => write!(f, "\n\n… and {left} sentences more; --json lists all"),
        }
    }
}
