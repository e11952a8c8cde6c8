//! Sentences that a grammar of this test generates, which knows nothing of the parser's, with the dependencies that a reader finds in them.

use spikelet_assemblies::parser::{Grammar, ParserOptions, parse};

const NOUNS: [&str; 6] = ["dogs", "cats", "mice", "people", "man", "woman"];
const TRANSITIVE: [&str; 4] = ["chase", "love", "bite", "saw"];

/// The linear congruential generator of Knuth's MMIX.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn of(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len())]
    }
}

/// A sentence with its dependencies: head, dependent, and what it is.
#[derive(Default)]
struct GeneratedSentence {
    words: Vec<&'static str>,
    dependencies: Vec<(&'static str, &'static str, &'static str)>,
}

impl GeneratedSentence {
    /// `S → NP ("quickly")? V_t NP ("quickly")? PP? | NP V_i ("quickly")? PP? | NP "are" (NP | A)`
    fn random(random: &mut Random) -> GeneratedSentence {
        let mut sentence = GeneratedSentence::default();
        let subject = sentence.noun_phrase(random, 2);
        let form = random.below(4);
        let is_before = form < 3 && random.below(4) == 0;
        if is_before {
            sentence.words.push("quickly");
        }
        let verb = match form {
            0 | 1 => random.of(&TRANSITIVE),
            2 => random.of(&["run", "fly"]),
            _ => "are",
        };
        sentence.words.push(verb);
        sentence.dependencies.push((verb, subject, "SUBJ"));
        if is_before {
            sentence.dependencies.push((verb, "quickly", "ADVERB"));
        }
        let mut host = verb;
        if form < 2 || form == 3 && random.below(2) == 0 {
            host = sentence.noun_phrase(random, 2);
            sentence.dependencies.push((verb, host, "OBJ"));
        } else if form == 3 {
            let adjective = random.of(&["big", "bad"]);
            sentence.words.push(adjective);
            sentence.dependencies.push((verb, adjective, "ADJ"));
        }
        // After a phrase of the object, a reader could take another one to belong to either noun.
        let has_phrase = sentence.words.iter().rev().take_while(|word| **word != verb).any(|word| ["of", "in"].contains(word));
        if form < 3 && random.below(4) == 0 {
            sentence.words.push("quickly");
            sentence.dependencies.push((verb, "quickly", "ADVERB"));
        }
        if form < 3 && !has_phrase && random.below(3) == 0 {
            sentence.phrase(random, host, 1);
        }
        sentence.dependencies.sort_unstable();
        sentence
    }

    /// `NP → ("the" | "a")? A* N PP?`, with at most two adjectives and `depth` phrases, each within the one before it.
    fn noun_phrase(&mut self, random: &mut Random, depth: usize) -> &'static str {
        let determiner = ["the", "a"].get(random.below(3)).copied();
        let adjectives: Vec<&'static str> = (0..random.below(3)).map(|_| random.of(&["big", "bad"])).collect();
        let noun = random.of(&NOUNS);
        self.words.extend(determiner.into_iter().chain(adjectives.iter().copied()).chain([noun]));
        self.dependencies.extend(determiner.map(|determiner| (noun, determiner, "DET")));
        self.dependencies.extend(adjectives.iter().map(|adjective| (noun, *adjective, "ADJ")));
        if depth > 0 && random.below(3) == 0 {
            self.phrase(random, noun, depth - 1);
        }
        noun
    }

    /// `PP → P NP`
    fn phrase(&mut self, random: &mut Random, host: &'static str, depth: usize) {
        let preposition = random.of(&["of", "in"]);
        self.words.push(preposition);
        let noun = self.noun_phrase(random, depth);
        self.dependencies.extend([(noun, preposition, "PREP"), (host, noun, "PREP_P")]);
    }
}

/// The dependencies that the parser reads out, sorted.
fn parsed(text: &str) -> Result<Vec<(String, String, &'static str)>, String> {
    let parse = parse(text, Grammar::english(), &ParserOptions::default()).map_err(|error| error.to_string())?;
    let mut found: Vec<_> = parse.dependencies.into_iter().map(|it| (it.head, it.dependent, it.area)).collect();
    found.sort_unstable();
    Ok(found)
}

#[test]
fn two_hundred_sentences_have_the_dependencies_that_a_reader_finds() {
    let (mut random, mut phrases, mut adjectives) = (Random(1), 0, 0);
    for _ in 0..200 {
        let GeneratedSentence { words, dependencies } = GeneratedSentence::random(&mut random);
        let count = |area: &str| dependencies.iter().filter(|(.., of)| *of == area).count();
        phrases += usize::from(count("PREP_P") > 1);
        adjectives += usize::from(count("ADJ") > 1);
        let text = words.join(" ");
        let found = parsed(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let found: Vec<_> = found.iter().map(|(head, dependent, area)| (head.as_str(), dependent.as_str(), *area)).collect();
        assert_eq!(found, dependencies, "{text}");
    }
    assert!(phrases > 20 && adjectives > 20, "{phrases} sentences with several phrases, {adjectives} with several adjectives");
}

#[test]
fn phrases_within_phrases_belong_to_the_noun_before_them() {
    let expected = [
        ("man", "the", "DET"),
        ("man", "woman", "PREP_P"),
        ("people", "of", "PREP"),
        ("people", "the", "DET"),
        ("saw", "cats", "OBJ"),
        ("saw", "man", "SUBJ"),
        ("woman", "of", "PREP"),
        ("woman", "people", "PREP_P"),
        ("woman", "the", "DET"),
    ];
    let found = parsed("the man of the woman of the people saw cats").unwrap();
    assert_eq!(found.iter().map(|(head, word, area)| (head.as_str(), word.as_str(), *area)).collect::<Vec<_>>(), expected);
}

#[test]
fn the_longest_sentence_is_parsed() {
    let found = parsed(&format!("cats{} run", " of mice".repeat(49))).unwrap();
    assert_eq!(found.len(), 99);
}

/// The word, its place and what was expected are named.
#[test]
fn what_is_no_sentence_is_refused() {
    for (text, place, expected) in [
        ("the dogs chase", "after word 3, “chase”", "a determiner, an adjective or a noun"),
        ("dogs are", "after word 2, “are”", "a determiner, an adjective or a noun"),
        ("the big quickly dogs run", "word 3, “quickly”", "an adjective or a noun"),
        ("the the dogs run", "word 2, “the”", "an adjective or a noun"),
        ("big the dogs run", "word 2, “the”", "an adjective or a noun"),
        ("dogs run run", "word 3, “run”", "an adverb, a preposition or the end of the sentence"),
        ("dogs chase love cats", "word 3, “love”", "a determiner, an adjective or a noun"),
        ("dogs are run", "word 3, “run”", "a determiner, an adjective or a noun"),
        ("dogs", "after word 1, “dogs”", "a transitive verb, an intransitive verb, a copula, an adverb or a preposition"),
        ("the", "after word 1, “the”", "an adjective or a noun"),
        ("run", "word 1, “run”", "a determiner, an adjective or a noun"),
        ("chase mice", "word 1, “chase”", "a determiner, an adjective or a noun"),
        ("cats dogs chase mice", "word 2, “dogs”", "a transitive verb"),
        ("cats chase mice dogs", "word 4, “dogs”", "the end of the sentence"),
        ("cats chase quickly mice", "word 3, “quickly”", "a noun"),
        ("cats chase mice in", "after word 4, “in”", "a noun"),
        ("cats of run", "word 3, “run”", "a noun"),
        ("cats quickly quickly run", "word 3, “quickly”", "a transitive verb or an intransitive verb"),
        ("cats quickly are bad", "word 3, “are”", "a transitive verb or an intransitive verb"),
        ("people are big bad", "after word 4, “bad”", "an adjective or a noun"),
        ("people are bad the cats", "word 4, “the”", "an adjective, a noun, a preposition or the end of the sentence"),
        ("in people dogs run", "word 1, “in”", "a noun"),
    ] {
        let error = parsed(text).expect_err(text);
        assert!(error.contains(place) && error.contains(expected), "{text}: {error}");
    }
    assert!(parsed(" ").unwrap_err().starts_with("the sentence is empty"));
}
