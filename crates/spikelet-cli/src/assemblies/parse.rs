//! `spikelet assemblies parse`.

mod generated;

use std::fmt;

use serde::Serialize;
use spikelet_assemblies::BrainOptions;
use spikelet_assemblies::parser::{self, Dependency, Grammar, Parse, ParseError, ParserOptions};

use super::failure;
use crate::args::{self, ParseArguments};
use crate::failure::Failure;
use crate::interrupt::InterruptGuard;
use crate::{interrupt, terminal};

/// A parsed sentence. The keys of its JSON are part of the command line interface.
#[derive(Debug, Serialize)]
struct Report<'a> {
    sentence: &'a str,
    grammar: &'static str,
    /// Whether it is a sentence of the grammar whose words were read out again.
    parsed: bool,
    /// Why it is not; null if it was parsed.
    error: Option<String>,
    /// Each with its head, its dependent, and the area of the dependent.
    dependencies: Vec<[String; 3]>,
    #[serde(skip)]
    parse: Option<Parse>,
}

pub(super) fn run(args: &ParseArguments) -> Result<(), Failure> {
    interrupt::listen()?;
    let watch = InterruptGuard::begin(|signal| {
        terminal::fail(&Failure::Interrupted(signal, "before the end; nothing was printed".into()), false);
    })?;
    let grammar = match args.grammar {
        args::Grammar::English => Grammar::english(),
        args::Grammar::Russian => Grammar::russian(),
    };
    let mut options = ParserOptions::default();
    options.brain = BrainOptions { seed: args.seed, ..options.brain };
    let Some(sentence) = &args.sentence else {
        let report = generated::parsed(args, grammar, &options);
        watch.end();
        return if args.json {
            terminal::print(&format_args!("{:#}", serde_json::json!(report)))
        } else {
            terminal::print(&report)
        };
    };
    let (parse, error) = match parser::parse(sentence, grammar, &options) {
        Ok(parse) => (Some(parse), None),
        Err(ParseError::Brain(error)) => return Err(failure(&error, None)),
        Err(error) => (None, Some(error.to_string())),
    };
    watch.end();
    let report = Report {
        sentence,
        grammar: grammar.name(),
        parsed: parse.is_some(),
        error: error.clone(),
        dependencies: parse.iter().flat_map(|parse| words(&parse.dependencies)).collect(),
        parse,
    };
    if args.json {
        terminal::print(&format_args!("{:#}", serde_json::json!(report)))?;
    } else if report.parsed {
        terminal::print(&report)?;
    }
    error.map_or(Ok(()), |error| Err(Failure::Sentence(error)))
}

/// Dependencies as they are printed: head, dependent, area.
fn words(dependencies: &[Dependency]) -> Vec<[String; 3]> {
    let words = |of: &Dependency| [of.head.clone(), of.dependent.clone(), of.area.to_owned()];
    dependencies.iter().map(words).collect()
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(parse) = &self.parse else { return Ok(()) };
        writeln!(f, "{:<12}{:<18}{:<10}open areas", "word", "kind", "area")?;
        for word in &parse.words {
            writeln!(f, "{:<12}{:<18}{:<10}{}", word.word, word.kind, word.area, word.open_areas.join(" "))?;
        }
        write!(f, "\n{:<12}{:<12}area", "head", "dependent")?;
        self.dependencies.iter().try_for_each(|[head, dependent, area]| write!(f, "\n{head:<12}{dependent:<12}{area}"))
    }
}
