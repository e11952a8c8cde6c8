//! A parser made of assemblies (Mitropolsky, Collins & Papadimitriou 2021, "A biologically plausible parser", TACL 9:1374).
//!
//! Each word is a block of neurons of the area LEX. When a word is read, its block fires, the kind of the word opens and closes areas and
//! fibres, and what is open projects for some rounds: an assembly for the word forms in an area that says what the word is (subject, verb,
//! …), and is connected with those of the words on which it depends or that depend on it. The dependencies are then read out of the
//! synapses: from the root of the sentence, each fibre that was ever active is followed to the assembly at its other end, and from there to
//! the word.

pub mod corpus;
mod english;
mod error;
mod grammar;
mod languages;
mod russian;

use std::collections::{BTreeMap, BTreeSet};

pub use error::ParseError;
pub use grammar::Grammar;
use grammar::{Kind, Rule};

use crate::circuit::Circuit;
use crate::operations::{self, without_plasticity};
use crate::{AreaId, AreaOptions, Assembly, Brain, BrainOptions, Mode};

/// Parameters of a parser. The defaults are those of the original, except that all areas of a grammar are alike: in the original the one of
/// determiners has as few winners as a word, and weaker fibres, so that with some seeds its words cannot be read out.
#[derive(Debug, Clone, PartialEq)]
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

impl Parse {
    /// Whether each word but the root was read out as a dependent. If not, assemblies of the sentence were confused: two words shared one.
    pub fn is_complete(&self) -> bool {
        self.dependencies.len() + 1 == self.words.len()
    }
}

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
/// A word is unknown, the sentence is not one of the grammar, or a round failed.
pub fn parse(sentence: &str, grammar: &'static Grammar, options: &ParserOptions) -> Result<Parse, ParseError> {
    let known = || grammar.words().map(|(word, _)| word).collect::<Vec<_>>().join(", ");
    let mut lexemes = Vec::new();
    for (index, word) in sentence.split_whitespace().enumerate() {
        let unknown = || ParseError::UnknownWord { word: word.into(), position: index + 1, known: known() };
        let (kind, block) = grammar.lexeme(word).ok_or_else(unknown)?;
        lexemes.push((word, kind, block));
    }
    if lexemes.is_empty() {
        return Err(ParseError::Empty { known: known() });
    }
    let mut parser = Parser::new(grammar, options)?;
    let mut words = Vec::new();
    for (word, kind, block) in lexemes {
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
    rounds: u32,
    word_k: u32,
    position: usize,
    holders: BTreeMap<AreaId, Holder>,
    /// The dependent of each word (by position) in each area, with its position.
    dependents: BTreeMap<(usize, AreaId), (usize, String)>,
    /// All fibres that were ever active.
    activated: BTreeSet<(AreaId, AreaId)>,
}

impl Parser {
    fn new(grammar: &'static Grammar, options: &ParserOptions) -> Result<Parser, ParseError> {
        let mut brain = Brain::new(options.brain)?;
        let mut areas = Vec::new();
        for (index, name) in grammar.areas.iter().enumerate() {
            let blocks = AreaOptions::new(grammar.blocks().saturating_mul(options.word_k), options.word_k, WORD_BETA).explicit();
            let area = if index == 0 { blocks } else { AreaOptions::new(options.n, options.k, FIBRE_BETA) };
            areas.push(brain.add_area(name, area)?);
        }
        let words = areas[0];
        for area in areas[1..].iter().copied() {
            brain.set_beta(words, area, WORD_BETA)?;
            brain.set_beta(area, area, RECURRENT_BETA)?;
        }
        let mut circuit = Circuit::new(&areas).without_recurrence(words);
        for name in grammar.open {
            circuit.set_area(brain.area(name)?, 0, true);
        }
        let (rounds, word_k) = (options.rounds, options.word_k);
        let (holders, dependents, activated) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        Ok(Parser { grammar, brain, circuit, rounds, word_k, position: 0, holders, dependents, activated })
    }

    fn words_area(&self) -> AreaId {
        AreaId(0)
    }

    fn name(&self, area: AreaId) -> &'static str {
        self.grammar.areas[area.0]
    }

    fn apply(&self, circuit: &mut Circuit, rules: &[Rule]) -> Result<(), ParseError> {
        for rule in rules {
            for area in rule.areas {
                let area = self.brain.area(area)?;
                match rule.from {
                    None => circuit.set_area(area, rule.lock, rule.is_open),
                    Some(from) => circuit.set_fibre([self.brain.area(from)?, area], rule.lock, rule.is_open),
                }
            }
        }
        Ok(())
    }

    /// The area in which a word of a kind forms an assembly, with the circuit that its rules give; none if it is not exactly one.
    fn place(&self, kind: &Kind) -> Result<(Circuit, Option<AreaId>), ParseError> {
        let mut circuit = self.circuit.clone();
        self.apply(&mut circuit, kind.before)?;
        let words = self.words_area();
        let open = circuit.projections(|area| area == words);
        let mut places = open.into_iter().filter(|(from, to)| *from == words && *to != words).map(|(_, to)| to);
        let place = places.next().filter(|_| places.next().is_none());
        Ok((circuit, place))
    }

    /// The kinds of words that have a place now, and lose no other word.
    fn expected(&self) -> Result<String, ParseError> {
        let mut kinds = Vec::new();
        for kind in self.grammar.kinds {
            if let (_, Some(place)) = self.place(kind)?
                && self.replaced(place).is_none()
            {
                let article = if kind.name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
                kinds.push(format!("{article} {}", kind.name));
            }
        }
        Ok(if kinds.is_empty() { "the end of the sentence".into() } else { kinds.join(" or ") })
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
        let fibres = self.fire(place, block)?;
        self.link(&fibres)?;
        let path = WordPath {
            word: word.into(),
            kind: kind.name,
            area: self.name(place),
            open_areas: self.circuit.open_areas().into_iter().map(|area| self.name(area)).collect(),
            fibres: fibres.iter().map(|(from, to)| (self.name(*from), self.name(*to))).collect(),
            winners: self.all_winners(),
        };
        let mut circuit = self.circuit.clone();
        self.apply(&mut circuit, kind.after)?;
        self.circuit = circuit;
        self.activated.extend(fibres);
        Ok(path)
    }

    /// Fires the block of a word while a new assembly forms in an area. All other areas keep theirs. Returns what projected.
    fn fire(&mut self, place: AreaId, block: u32) -> Result<BTreeSet<(AreaId, AreaId)>, ParseError> {
        self.brain.activate(self.words_area(), block)?;
        for area in self.circuit.open_areas() {
            if area != place && !self.brain.winners(area).is_empty() {
                self.brain.fix(area)?;
            }
        }
        self.brain.unfix(place);
        self.brain.set_winners(place, &[])?;
        let mut fibres = BTreeSet::new();
        for _ in 0..self.rounds {
            fibres.extend(self.circuit.step(&mut self.brain)?);
        }
        Ok(fibres)
    }

    /// Takes note of which words depend on which, to report sentences in which one would be lost.
    fn link(&mut self, fibres: &BTreeSet<(AreaId, AreaId)>) -> Result<(), ParseError> {
        for (from, to) in fibres {
            if !self.grammar.dependents(self.name(*from)).contains(&self.name(*to)) {
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

    fn all_winners(&self) -> Vec<(&'static str, Vec<u32>)> {
        let areas = self.brain.areas().map(|area| (self.name(area), self.brain.winners(area).to_vec()));
        areas.filter(|(_, winners)| !winners.is_empty()).collect()
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

    /// The root of the sentence and the dependencies, from the synapses.
    fn read_out(&mut self) -> Result<(String, Vec<Dependency>), ParseError> {
        self.brain.areas().for_each(|area| self.brain.unfix(area));
        let root = self.brain.area(self.grammar.root.0)?;
        let mut dependencies = Vec::new();
        let word = self.word_of(root)?.ok_or(ParseError::NonWord)?;
        self.follow(root, &word, &mut dependencies)?;
        Ok((word, dependencies))
    }

    /// The dependents of the word whose assembly fires in an area, and theirs in turn.
    fn follow(&mut self, area: AreaId, head: &str, found: &mut Vec<Dependency>) -> Result<(), ParseError> {
        let assembly = Assembly::of(&self.brain, area)?;
        let mut dependents = Vec::new();
        for name in self.grammar.dependents(self.name(area)) {
            let to = self.brain.area(name)?;
            if !self.activated.contains(&(area, to)) {
                continue;
            }
            self.brain.set_winners(area, &assembly.neurons)?;
            without_plasticity(&mut self.brain, |brain| brain.project(&[(area.into(), to)], 1))?;
            let reached = Assembly::of(&self.brain, to)?;
            // An area that other words of the kind of the head have used can have no assembly for this one.
            if let Some(word) = self.word_of(to)? {
                found.push(Dependency { head: head.into(), dependent: word.clone(), area: name });
                dependents.push((reached, word));
            }
        }
        for (assembly, word) in dependents {
            self.brain.set_winners(assembly.area, &assembly.neurons)?;
            self.follow(assembly.area, &word, found)?;
        }
        Ok(())
    }

    /// The word to which the assembly of an area projects. In a language with cases, the area distinguishes forms that share a block.
    fn word_of(&mut self, area: AreaId) -> Result<Option<String>, ParseError> {
        let words = self.words_area();
        without_plasticity(&mut self.brain, |brain| brain.project(&[(area.into(), words)], 1))?;
        let blocks: Vec<Assembly> = (0..self.grammar.blocks()).map(|block| Assembly::block(words, self.word_k, block)).collect();
        let block = operations::read_out(&self.brain, &blocks).map(|(block, _)| block as u32);
        Ok(block.and_then(|block| self.grammar.form(block, self.name(area))).map(str::to_owned))
    }
}

#[cfg(test)]
mod tests;
