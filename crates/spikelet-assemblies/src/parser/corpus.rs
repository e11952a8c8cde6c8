//! Sentences that a grammar generates, with the dependencies that a parse of them must have.

use spikelet::rng::philox;

use super::{Dependency, Grammar, ParseError, ParserOptions, parse};

/// A sentence with its dependencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestSentence {
    /// The words, separated by spaces.
    pub text: String,
    /// Its dependencies, sorted.
    pub dependencies: Vec<Dependency>,
}

/// How long generated English sentences are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The largest number of adjectives before a noun.
    pub adjectives: u32,
    /// The largest number of prepositional phrases in a sentence: the first follows the subject or the end of the sentence, the second the
    /// other one.
    pub phrases: u32,
}

impl Default for Bounds {
    /// One of each: what the rules of the original can represent, which have one area for each kind of word.
    fn default() -> Bounds {
        Bounds { adjectives: 1, phrases: 1 }
    }
}

/// How many of some sentences were parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    /// Sentences whose dependencies are right.
    pub parsed: usize,
    /// All sentences.
    pub total: usize,
    /// What went wrong in the others.
    pub failures: Vec<Failure>,
}

/// A sentence that was not parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The sentence.
    pub sentence: TestSentence,
    /// The dependencies that were read out instead, sorted, or the error.
    pub found: Result<Vec<Dependency>, ParseError>,
}

impl Coverage {
    /// The fraction of sentences that were parsed.
    pub fn fraction(&self) -> f64 {
        self.parsed as f64 / self.total.max(1) as f64
    }
}

/// Parses sentences, and compares the dependencies.
pub fn coverage(sentences: &[TestSentence], grammar: &'static Grammar, options: &ParserOptions) -> Coverage {
    let mut failures = Vec::new();
    for sentence in sentences {
        let found = parse(&sentence.text, grammar, options).map(|parse| {
            let mut found = parse.dependencies;
            found.sort();
            found
        });
        if found.as_ref() != Ok(&sentence.dependencies) {
            failures.push(Failure { sentence: sentence.clone(), found });
        }
    }
    Coverage { parsed: sentences.len() - failures.len(), total: sentences.len(), failures }
}

/// Sentences of a grammar: all structures within the bounds, each once, with words that are a function of the seed. No noun occurs twice.
///
/// English: `DET? ADJ* N PP? V (DET? ADJ* N)? ADV? PP?` with the adverb before the verb or after the object, and sentences with a copula.
/// Russian: all orders of the verb and its nouns, for all words; the bounds and the seed do not matter.
pub fn sentences(grammar: &'static Grammar, bounds: Bounds, seed: u64) -> Vec<TestSentence> {
    if grammar.words_of("copula").is_empty() {
        russian(grammar)
    } else {
        English { grammar, seed, sentences: Vec::new() }.all(bounds)
    }
}

struct English {
    grammar: &'static Grammar,
    seed: u64,
    sentences: Vec<TestSentence>,
}

/// What comes before a noun.
#[derive(Clone, Copy)]
struct Noun {
    has_determiner: bool,
    adjectives: u32,
}

/// What follows the subject.
#[derive(Clone, Copy)]
enum Predicate {
    Verb { adverb: Adverb },
    Object { noun: Noun, adverb: Adverb },
    CopulaAdjective,
    CopulaNoun { has_determiner: bool },
}

#[derive(Clone, Copy, PartialEq)]
enum Adverb {
    None,
    Before,
    After,
}

/// A sentence in the making.
struct Draft<'a> {
    of: &'a English,
    number: u32,
    words: Vec<&'static str>,
    dependencies: Vec<Dependency>,
}

const ADVERBS: [Adverb; 3] = [Adverb::None, Adverb::Before, Adverb::After];

impl English {
    fn all(mut self, bounds: Bounds) -> Vec<TestSentence> {
        let nouns: Vec<Noun> = (0..=bounds.adjectives)
            .flat_map(|adjectives| [false, true].map(|has_determiner| Noun { has_determiner, adjectives }))
            .collect();
        let mut predicates = vec![Predicate::CopulaAdjective];
        predicates.extend([false, true].map(|has_determiner| Predicate::CopulaNoun { has_determiner }));
        for adverb in ADVERBS {
            predicates.push(Predicate::Verb { adverb });
            predicates.extend(nouns.iter().map(|noun| Predicate::Object { noun: *noun, adverb }));
        }
        let phrases = [[false, false], [true, false], [false, true], [true, true]];
        let within = |phrases: &[bool; 2]| phrases.iter().filter(|phrase| **phrase).count() <= bounds.phrases as usize;
        for subject in &nouns {
            for predicate in &predicates {
                for phrases in phrases.iter().filter(|phrases| within(phrases)) {
                    let is_verb = matches!(predicate, Predicate::Verb { .. } | Predicate::Object { .. });
                    if is_verb || !phrases[1] {
                        self.add(*subject, *predicate, *phrases);
                    }
                }
            }
        }
        self.sentences
    }

    fn add(&mut self, subject: Noun, predicate: Predicate, phrases: [bool; 2]) {
        let number = self.sentences.len() as u32;
        let mut draft = Draft { of: self, number, words: Vec::new(), dependencies: Vec::new() };
        let subject = draft.noun(subject);
        if phrases[0] {
            draft.phrase(subject);
        }
        let mut host = match predicate {
            Predicate::Verb { adverb } | Predicate::Object { adverb, .. } => {
                let before = (adverb == Adverb::Before).then(|| draft.word("adverb"));
                let is_transitive = matches!(predicate, Predicate::Object { .. });
                let verb = draft.word(if is_transitive { "transitive verb" } else { "intransitive verb" });
                draft.depends(before, verb, "ADVERB");
                verb
            }
            _ => draft.word("copula"),
        };
        let verb = host;
        draft.depends(Some(subject), verb, "SUBJ");
        match predicate {
            Predicate::Verb { .. } => {}
            Predicate::Object { noun, .. } => {
                host = draft.noun(noun);
                draft.depends(Some(host), verb, "OBJ");
            }
            Predicate::CopulaAdjective => {
                let adjective = draft.word("adjective");
                draft.depends(Some(adjective), verb, "ADJ");
            }
            Predicate::CopulaNoun { has_determiner } => {
                let noun = draft.noun(Noun { has_determiner, adjectives: 0 });
                draft.depends(Some(noun), verb, "OBJ");
            }
        }
        if let Predicate::Verb { adverb: Adverb::After } | Predicate::Object { adverb: Adverb::After, .. } = predicate {
            let adverb = draft.word("adverb");
            draft.depends(Some(adverb), verb, "ADVERB");
        }
        if phrases[1] {
            draft.phrase(host);
        }
        let Draft { words, mut dependencies, .. } = draft;
        dependencies.sort();
        self.sentences.push(TestSentence { text: words.join(" "), dependencies });
    }
}

impl Draft<'_> {
    /// Adds a word of a kind that the sentence does not have yet, if there is another one.
    fn word(&mut self, kind: &str) -> &'static str {
        let words = self.of.grammar.words_of(kind);
        let [random, ..] = philox(self.of.seed, [self.number, self.words.len() as u32, 0, 0]);
        let start = random as usize % words.len();
        let mut candidates = (0..words.len()).map(|step| words[(start + step) % words.len()]);
        let word = candidates.find(|word| !self.words.contains(word)).unwrap_or(words[start]);
        self.words.push(word);
        word
    }

    fn depends(&mut self, dependent: Option<&'static str>, head: &'static str, area: &'static str) {
        let dependency = |dependent: &str| Dependency { head: head.into(), dependent: dependent.into(), area };
        self.dependencies.extend(dependent.map(dependency));
    }

    fn noun(&mut self, noun: Noun) -> &'static str {
        let determiner = noun.has_determiner.then(|| self.word("determiner"));
        let adjectives: Vec<&'static str> = (0..noun.adjectives).map(|_| self.word("adjective")).collect();
        let noun = self.word("noun");
        self.depends(determiner, noun, "DET");
        adjectives.into_iter().for_each(|adjective| self.depends(Some(adjective), noun, "ADJ"));
        noun
    }

    /// A phrase of a preposition, a noun and, in every other sentence, a determiner.
    fn phrase(&mut self, host: &'static str) {
        let preposition = self.word("preposition");
        let noun = self.noun(Noun { has_determiner: self.number % 2 == 1, adjectives: 0 });
        self.depends(Some(preposition), noun, "PREP");
        self.depends(Some(noun), host, "PREP_P");
    }
}

fn russian(grammar: &'static Grammar) -> Vec<TestSentence> {
    let cases = [("nominative noun", "NOM"), ("accusative noun", "ACC"), ("dative noun", "DAT")];
    let mut sentences = Vec::new();
    for (kind, count) in [("verb", 2), ("ditransitive verb", 3)] {
        for verb in grammar.words_of(kind) {
            // Each way to choose a noun for each case.
            let mut choices = vec![Vec::new()];
            for (case, area) in &cases[..count] {
                let words = grammar.words_of(case);
                let extend = |chosen: &Vec<(&'static str, &'static str)>| {
                    let with = |word: &&'static str| chosen.iter().copied().chain([(*word, *area)]).collect::<Vec<_>>();
                    words.iter().map(with).collect::<Vec<_>>()
                };
                choices = choices.iter().flat_map(extend).collect();
            }
            for nouns in choices {
                let mut dependencies: Vec<Dependency> =
                    nouns.iter().map(|(noun, area)| Dependency { head: verb.into(), dependent: (*noun).into(), area }).collect();
                dependencies.sort();
                let words: Vec<&str> = nouns.iter().map(|(noun, _)| *noun).chain([verb]).collect();
                let texts = orders(&words).into_iter().map(|words| words.join(" "));
                sentences.extend(texts.map(|text| TestSentence { text, dependencies: dependencies.clone() }));
            }
        }
    }
    sentences
}

/// All orders of some words.
fn orders<'a>(words: &[&'a str]) -> Vec<Vec<&'a str>> {
    if words.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for first in 0..words.len() {
        let rest: Vec<&str> = words.iter().enumerate().filter(|(index, _)| *index != first).map(|(_, word)| *word).collect();
        all.extend(orders(&rest).into_iter().map(|rest| [words[first]].into_iter().chain(rest).collect()));
    }
    all
}
