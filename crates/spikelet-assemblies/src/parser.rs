//! A parser made of assemblies (Mitropolsky, Collins & Papadimitriou 2021, "A biologically plausible parser", TACL 9:1374).
//!
//! Each word is a block of neurons of the area LEX. When a word is read, its block fires, the kind of the word opens and closes areas and
//! fibres, and what is open projects for some rounds: an assembly for the word forms in an area that says what the word is (subject, verb,
//! …), and is connected with those of the words on which it depends or that depend on it. The dependencies are then read out of the
//! synapses: from the root of the sentence, each fibre that was ever active is followed to the assembly at its other end, and from there to
//! the word.
//!
//! An area holds one assembly that can be distinguished from others: two words whose assemblies share an input, such as “the”, come to share an
//! assembly, too. So areas whose kind of word can occur again (determiners, adjectives, adverbs, prepositions and their nouns) have copies:
//! each word forms its assembly in a copy of its own, to which the rules of the area apply. A phrase belongs to its host, the last noun or
//! verb before it.
//!
//! Locks alone accept texts that are no sentences, and lose their words. So the kinds of words are read by a finite automaton first.

pub mod corpus;
mod english;
mod error;
mod grammar;
mod languages;
mod order;
mod read_out;
mod russian;

use std::collections::{BTreeMap, BTreeSet};

pub use error::ParseError;
pub use grammar::Grammar;
use grammar::{HOST, Kind, Lexeme, Rule};

use crate::circuit::Circuit;
use crate::{AreaId, AreaOptions, Brain, BrainOptions, Error, Mode};

/// Parameters of a parser. The defaults are those of the original, except that all areas of a grammar are alike: in the original the one of
/// determiners has as few winners as a word, and weaker fibres, so that with some seeds its words cannot be read out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParserOptions {
    /// The brain: seed, mode, threads and so on.
    pub brain: BrainOptions,
    /// Neurons of each area but the one of words.
    pub n: u32,
    /// How many of them fire.
    pub k: u32,
    /// Neurons of a word.
    pub word_k: u32,
    /// Rounds of each word.
    pub rounds: u32,
}

impl Default for ParserOptions {
    /// p = 0.1, n = 10,000, k = 100, 20 neurons a word, 20 rounds, lazy.
    fn default() -> ParserOptions {
        let brain = BrainOptions { p: 0.1, mode: Mode::Lazy, ..BrainOptions::default() };
        ParserOptions { brain, n: 10_000, k: 100, word_k: 20, rounds: 20 }
    }
}

/// β between the area of words and the others, in both directions.
const WORD_BETA: f64 = 1.0;
/// β from an area to itself.
const RECURRENT_BETA: f64 = 0.05;
/// β between two areas.
const FIBRE_BETA: f64 = 0.5;

/// The area of words, the first one of each grammar.
const WORDS: AreaId = AreaId(0);

/// A dependency between two words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dependency {
    /// The word on which the other one depends.
    pub head: String,
    /// The other word.
    pub dependent: String,
    /// The area of the dependent, which says what it is.
    pub area: &'static str,
}

/// What happened while a word was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPath {
    /// The word.
    pub word: String,
    /// Its kind.
    pub kind: &'static str,
    /// The area in which its assembly formed.
    pub area: &'static str,
    /// The areas that were open.
    pub open_areas: Vec<&'static str>,
    /// What projected to what: (from, to).
    pub fibres: Vec<(&'static str, &'static str)>,
    /// The winners of each area after the rounds of the word, if it has any.
    pub winners: Vec<(&'static str, Vec<u32>)>,
}

/// A sentence that has been parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parse {
    /// The path of each word.
    pub words: Vec<WordPath>,
    /// The root of the sentence.
    pub root: String,
    /// The dependencies, as they were read out.
    pub dependencies: Vec<Dependency>,
}

/// The largest number of words of a sentence: each can need an area of its own, and fibres to all others.
pub const LONGEST: usize = 100;

/// Parses a sentence of words separated by spaces, with a brain that has seen no other sentence.
///
/// ```
/// use spikelet_assemblies::parser::{Grammar, ParserOptions, parse};
///
/// let parse = parse("cats chase mice", Grammar::english(), &ParserOptions::default())?;
/// let found: Vec<_> = parse.dependencies.iter().map(|it| (it.head.as_str(), it.dependent.as_str(), it.area)).collect();
/// assert_eq!(found, [("chase", "cats", "SUBJ"), ("chase", "mice", "OBJ")]);
/// # Ok::<(), spikelet_assemblies::parser::ParseError>(())
/// ```
///
/// # Errors
/// A word is unknown, the sentence is not one of the grammar, a word cannot be read out again, or a round failed.
pub fn parse(sentence: &str, grammar: &'static Grammar, options: &ParserOptions) -> Result<Parse, ParseError> {
    let known = || grammar.words().map(|(word, _)| word).collect::<Vec<_>>().join(", ");
    let mut lexemes = Vec::new();
    for (index, word) in sentence.split_whitespace().enumerate() {
        if index == LONGEST {
            return Err(ParseError::TooLong { word: word.into(), position: index + 1, longest: LONGEST });
        }
        let unknown = || ParseError::UnknownWord { word: word.into(), position: index + 1, known: known() };
        lexemes.push(grammar.lexeme(word).ok_or_else(unknown)?);
    }
    if lexemes.is_empty() {
        return Err(ParseError::Empty { known: known() });
    }
    let kinds = grammar.kinds_of(&lexemes)?;
    let mut parser = Parser::new(grammar, options)?;
    let mut words = Vec::new();
    for (Lexeme { word, block, .. }, kind) in lexemes.into_iter().zip(kinds) {
        words.push(parser.read(word, kind, block)?);
    }
    parser.check_complete()?;
    let (root, dependencies) = parser.read_out()?;
    Ok(Parse { words, root, dependencies })
}

/// The word whose assembly an area has.
#[derive(Clone)]
struct Holder {
    word: String,
    position: usize,
    is_dependent: bool,
}

struct Parser {
    grammar: &'static Grammar,
    brain: Brain,
    circuit: Circuit,
    options: ParserOptions,
    position: usize,
    /// The copies of each area of the grammar. The last one of an area that has several holds no word yet.
    copies: Vec<Vec<AreaId>>,
    /// The area of the grammar of which each area is a copy.
    originals: Vec<usize>,
    /// The area of the word to which a phrase belongs that begins now.
    host: Option<AreaId>,
    holders: BTreeMap<AreaId, Holder>,
    /// The dependent of each word (by position) in each area, with its position.
    dependents: BTreeMap<(usize, AreaId), (usize, String)>,
    /// All fibres that were ever active.
    activated: BTreeSet<(AreaId, AreaId)>,
}

impl Parser {
    fn new(grammar: &'static Grammar, options: &ParserOptions) -> Result<Parser, ParseError> {
        let brain = Brain::new(options.brain)?;
        let (copies, originals) = (vec![Vec::new(); grammar.areas.len()], Vec::new());
        let (holders, dependents, activated) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        let (circuit, options) = (Circuit::new(&[]), *options);
        let mut parser = Parser {
            grammar,
            brain,
            circuit,
            options,
            position: 0,
            copies,
            originals,
            host: None,
            holders,
            dependents,
            activated,
        };
        let areas: Result<Vec<AreaId>, Error> = (0..grammar.areas.len()).map(|original| parser.add_area(original)).collect();
        parser.circuit = Circuit::new(&areas?).without_recurrence(WORDS);
        for name in grammar.open {
            parser.circuit.set_area(parser.brain.area(name)?, 0, true);
        }
        Ok(parser)
    }

    /// Adds an area of the grammar to the brain, or a copy of it.
    fn add_area(&mut self, original: usize) -> Result<AreaId, Error> {
        let (ParserOptions { n, k, word_k, .. }, name) = (self.options, self.grammar.areas[original]);
        let number = self.copies[original].len() + 1;
        let name = if number == 1 { name.to_owned() } else { format!("{name} {number}") };
        let area = if original == WORDS.0 {
            let blocks = self.grammar.blocks().saturating_mul(word_k);
            self.brain.add_area(&name, AreaOptions::new(blocks, word_k, WORD_BETA).explicit())?
        } else {
            let area = self.brain.add_area(&name, AreaOptions::new(n, k, FIBRE_BETA))?;
            self.brain.set_beta(WORDS, area, WORD_BETA)?;
            self.brain.set_beta(area, area, RECURRENT_BETA)?;
            area
        };
        self.copies[original].push(area);
        self.originals.push(original);
        Ok(area)
    }

    fn name(&self, area: AreaId) -> &'static str {
        self.grammar.areas[self.originals[area.0]]
    }

    /// The area of a name in a rule with all its copies, or the host.
    fn copies_of(&self, name: &str) -> Result<&[AreaId], Error> {
        if name == HOST { Ok(self.host.as_slice()) } else { Ok(&self.copies[self.brain.area(name)?.0]) }
    }

    /// What a rule closes, it closes in all copies. It opens the copy in which a word forms, the last one, and fibres to it.
    fn apply(&self, circuit: &mut Circuit, rules: &[Rule]) -> Result<(), ParseError> {
        for rule in rules {
            for name in rule.areas {
                let all = self.copies_of(name)?;
                let areas = if rule.is_open { &all[all.len().saturating_sub(1)..] } else { all };
                for area in areas.iter().copied() {
                    match rule.from {
                        None => circuit.set_area(area, rule.lock, rule.is_open),
                        Some(from) => {
                            let from = self.copies_of(from)?.iter();
                            from.for_each(|from| circuit.set_fibre([*from, area], rule.lock, rule.is_open));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The area in which a word of a kind forms an assembly, with the circuit that its rules give; none if it is not exactly one.
    fn place(&self, kind: &Kind) -> Result<(Circuit, Option<AreaId>), ParseError> {
        let mut circuit = self.circuit.clone();
        self.apply(&mut circuit, kind.before)?;
        let open = circuit.projections(|area| area == WORDS);
        let mut places = open.into_iter().filter(|(from, to)| *from == WORDS && *to != WORDS).map(|(_, to)| to);
        let place = places.next().filter(|_| places.next().is_none());
        Ok((circuit, place))
    }

    /// The kinds of words that have a place now, and lose no other word.
    fn expected(&self) -> Result<String, ParseError> {
        let mut kinds = Vec::new();
        for kind in self.grammar.kinds {
            if let (_, Some(place)) = self.place(kind)?
                && self.replaced(place).is_none()
                && !kinds.contains(&kind.name)
            {
                kinds.push(kind.name);
            }
        }
        Ok(error::any_of(kinds, true))
    }

    /// The word that would be lost if another assembly formed in an area.
    fn replaced(&self, area: AreaId) -> Option<&Holder> {
        let is_root = self.name(area) == self.grammar.root.0;
        self.holders.get(&area).filter(|holder| is_root || !holder.is_dependent)
    }

    fn read(&mut self, word: &str, kind: &'static Kind, block: u32) -> Result<WordPath, ParseError> {
        self.position += 1;
        let position = self.position;
        let (circuit, place) = self.place(kind)?;
        let Some(place) = place else {
            return Err(ParseError::NoPlace { word: word.into(), position, kind: kind.name, expected: self.expected()? });
        };
        if let Some(holder) = self.replaced(place) {
            let (area, previous) = (self.name(place), holder.word.clone());
            return Err(ParseError::Replaces { word: word.into(), position, area, previous });
        }
        self.circuit = circuit;
        self.holders.insert(place, Holder { word: word.into(), position, is_dependent: false });
        if self.grammar.repeated.contains(&self.name(place)) {
            let copy = self.add_area(self.originals[place.0])?;
            self.circuit.add_copy(place, copy);
        }
        let fibres = self.fire(place, block)?;
        self.link(&fibres)?;
        let path = WordPath {
            word: word.into(),
            kind: kind.name,
            area: self.name(place),
            open_areas: self.names(&self.circuit.open_areas()),
            fibres: self.names_of_fibres(&fibres),
            winners: self.all_winners(),
        };
        if self.grammar.hosts.contains(&self.name(place)) {
            self.host = Some(place);
        }
        let mut circuit = self.circuit.clone();
        self.apply(&mut circuit, kind.after)?;
        self.circuit = circuit;
        self.activated.extend(fibres);
        Ok(path)
    }

    /// Fires the block of a word while a new assembly forms in an area. All other areas keep theirs. Returns what projected.
    fn fire(&mut self, place: AreaId, block: u32) -> Result<BTreeSet<(AreaId, AreaId)>, ParseError> {
        self.brain.activate(WORDS, block)?;
        for area in self.circuit.open_areas() {
            if area != place && !self.brain.winners(area).is_empty() {
                self.brain.fix(area)?;
            }
        }
        self.brain.unfix(place);
        self.brain.set_winners(place, &[])?;
        let mut fibres = BTreeSet::new();
        for _ in 0..self.options.rounds {
            fibres.extend(self.circuit.step(&mut self.brain)?);
        }
        Ok(fibres)
    }

    /// Takes note of which words depend on which, to report sentences in which one would be lost.
    fn link(&mut self, fibres: &BTreeSet<(AreaId, AreaId)>) -> Result<(), ParseError> {
        for (from, to) in fibres {
            if !self.is_dependent(*from, *to) {
                continue;
            }
            let area = self.name(*to);
            let (Some(head), Some(dependent)) = (self.holders.get(from).cloned(), self.holders.get_mut(to)) else { continue };
            dependent.is_dependent = true;
            let (position, word) = (dependent.position, dependent.word.clone());
            let before = self.dependents.insert((head.position, *to), (position, word.clone()));
            if let Some((_, previous)) = before.filter(|(before, _)| *before != position) {
                return Err(ParseError::SecondDependent { word, position, head: head.word, area, previous });
            }
        }
        Ok(())
    }

    /// Whether a word in the one area can have a dependent in the other. Of two copies of an area, the later one has the dependent.
    fn is_dependent(&self, head: AreaId, dependent: AreaId) -> bool {
        let are_copies = self.originals[head.0] == self.originals[dependent.0];
        self.grammar.dependents(self.name(head)).contains(&self.name(dependent)) && (!are_copies || head < dependent)
    }

    /// The names of areas in the order of the grammar, that of copies once.
    fn names(&self, areas: &[AreaId]) -> Vec<&'static str> {
        let originals: BTreeSet<usize> = areas.iter().map(|area| self.originals[area.0]).collect();
        originals.into_iter().map(|original| self.grammar.areas[original]).collect()
    }

    fn names_of_fibres(&self, fibres: &BTreeSet<(AreaId, AreaId)>) -> Vec<(&'static str, &'static str)> {
        let originals: BTreeSet<_> = fibres.iter().map(|(from, to)| (self.originals[from.0], self.originals[to.0])).collect();
        originals.into_iter().map(|(from, to)| (self.grammar.areas[from], self.grammar.areas[to])).collect()
    }

    /// The winners of each area, of copies those of the last one that has any.
    fn all_winners(&self) -> Vec<(&'static str, Vec<u32>)> {
        let last = |copies: &Vec<AreaId>| copies.iter().rev().copied().find(|area| !self.brain.winners(*area).is_empty());
        let areas = self.copies.iter().filter_map(last);
        areas.map(|area| (self.name(area), self.brain.winners(area).to_vec())).collect()
    }

    /// An error if the sentence lacks a part, or a word belongs to no other one.
    fn check_complete(&self) -> Result<(), ParseError> {
        let root = self.brain.area(self.grammar.root.0)?;
        for (area, part) in [self.grammar.root].into_iter().chain(self.grammar.required) {
            if !self.holders.contains_key(&self.brain.area(area)?) {
                return Err(ParseError::Missing { part, expected: self.expected()? });
            }
        }
        let unattached = self.holders.iter().find(|(area, holder)| **area != root && !holder.is_dependent);
        match unattached {
            None => Ok(()),
            Some((_, Holder { word, position, .. })) => {
                Err(ParseError::Unattached { word: word.clone(), position: *position, expected: self.expected()? })
            }
        }
    }
}

#[cfg(test)]
mod tests;
