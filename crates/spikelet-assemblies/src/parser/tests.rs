use super::*;

fn parsed(sentence: &str, grammar: &'static Grammar) -> Vec<(String, String, &'static str)> {
    let parse = parse(sentence, grammar, &ParserOptions::default()).unwrap_or_else(|error| panic!("{sentence}: {error}"));
    parse.dependencies.into_iter().map(|it| (it.head, it.dependent, it.area)).collect()
}

fn expect(sentence: &str, grammar: &'static Grammar, expected: &[&str]) {
    let found: Vec<String> =
        parsed(sentence, grammar).iter().map(|(head, dependent, area)| format!("{head} {dependent} {area}")).collect();
    assert_eq!(found, expected, "{sentence}");
}

#[test]
fn english_sentences_are_read_out_of_the_synapses() {
    let english = Grammar::english();
    expect("cats chase mice", english, &["chase cats SUBJ", "chase mice OBJ"]);
    expect("people are bad", english, &["are people SUBJ", "are bad ADJ"]);
    expect(
        "the big dogs quickly bite a man",
        english,
        &["bite dogs SUBJ", "bite man OBJ", "bite quickly ADVERB", "dogs the DET", "dogs big ADJ", "man a DET"],
    );
    expect("people in mice run", english, &["run people SUBJ", "people mice PREP_P", "mice in PREP"]);
    expect(
        "cats run in the big mice",
        english,
        &["run cats SUBJ", "run mice PREP_P", "mice in PREP", "mice big ADJ", "mice the DET"],
    );
}

#[test]
fn the_case_marks_what_a_russian_noun_is_in_any_order() {
    let russian = Grammar::russian();
    for sentence in ["kot vidit sobaku", "sobaku vidit kot", "vidit sobaku kot", "kot sobaku vidit"] {
        expect(sentence, russian, &["vidit kot NOM", "vidit sobaku ACC"]);
    }
    expect("sobakie kota dayet kot", russian, &["dayet kot NOM", "dayet kota ACC", "dayet sobakie DAT"]);
}

#[test]
fn a_path_says_what_was_open_and_fired() {
    let parse = parse("cats chase mice", Grammar::english(), &ParserOptions::default()).unwrap();
    let areas: Vec<&str> = parse.words.iter().map(|path| path.area).collect();
    assert_eq!(areas, ["SUBJ", "VERB", "OBJ"]);
    let chase = &parse.words[1];
    assert_eq!(chase.open_areas, ["LEX", "SUBJ", "VERB"]);
    assert!(chase.fibres.contains(&("SUBJ", "VERB")) && chase.fibres.contains(&("VERB", "LEX")), "{:?}", chase.fibres);
    assert!(!chase.fibres.contains(&("LEX", "LEX")) && !chase.fibres.contains(&("LEX", "SUBJ")));
    let sizes: Vec<(&str, usize)> = chase.winners.iter().map(|(area, winners)| (*area, winners.len())).collect();
    assert_eq!(sizes, [("LEX", 20), ("SUBJ", 100), ("VERB", 100)]);
    assert_eq!(parse.root, "chase");
}

#[test]
fn what_is_no_sentence_is_explained() {
    let error = |sentence: &str| parse(sentence, Grammar::english(), &ParserOptions::default()).unwrap_err().to_string();
    assert!(error("").starts_with("the sentence is empty; write words of the lexicon"));
    let unknown = error("cats chase Mice");
    assert!(
        unknown.starts_with("word 3, “Mice”, is not in the lexicon of the grammar; known words are the, a, dogs"),
        "{unknown}"
    );
    assert_eq!(
        error("cats run mice"),
        "word 3, “mice”, is a noun, which has no place here; expected an adverb, a preposition or the end of the sentence; leave it out, \
         or put what is expected before it"
    );
    assert_eq!(
        error("the dogs chase"),
        "the sentence ends after word 3, “chase”, which is a transitive verb; expected a determiner, an adjective or a noun; add what is \
         expected"
    );
    let long = error(&"the ".repeat(1000));
    assert_eq!(long, "word 101, “the”, is one too many: a sentence has at most 100 words; split it");
    let russian = |sentence: &str| parse(sentence, Grammar::russian(), &ParserOptions::default()).unwrap_err().to_string();
    assert!(
        russian("kot vidit sobaka")
            .starts_with("word 3, “sobaka”, is a second dependent of “vidit” in the area NOM beside “kot”")
    );
    assert!(russian("kot sobaka vidit").starts_with("word 2, “sobaka”, would replace “kot” in the area NOM"));
    assert!(russian("vidit lyubit kot").starts_with("word 2, “lyubit”, would replace “vidit” in the area VERB"));
    assert!(russian("kot vidit sobakie").starts_with("word 3, “sobakie”, depends on no other word"));
    assert!(russian("vidit sobaku").starts_with("the sentence has no nominative noun; expected"));
}

#[test]
fn a_word_that_cannot_be_read_out_is_an_error() {
    let few = ParserOptions { n: 30, k: 20, rounds: 2, ..ParserOptions::default() };
    let error = parse("the big dogs chase mice", Grammar::english(), &few).unwrap_err().to_string();
    assert!(error.contains("cannot be read out of the area") && error.contains("use another seed"), "{error}");
}

/// The fraction of sentences that were parsed; prints the others.
fn fraction(sentences: &[corpus::TestSentence], grammar: &'static Grammar, mode: Mode, seed: u64) -> f64 {
    let brain = BrainOptions { mode, seed, ..ParserOptions::default().brain };
    let coverage = corpus::coverage(sentences, grammar, &ParserOptions { brain, ..ParserOptions::default() });
    coverage.failures.iter().for_each(|failure| println!("{}: {:?}", failure.sentence.text, failure.found));
    println!("{}, {mode:?}, seed {seed}: {} of {}", grammar.name(), coverage.parsed, coverage.total);
    coverage.fraction()
}

/// Every `step`-th sentence, with words that depend on the seed.
fn some(grammar: &'static Grammar, seed: u64, step: usize) -> Vec<corpus::TestSentence> {
    let sentences = corpus::sentences(grammar, corpus::Bounds::default(), seed);
    sentences.into_iter().skip(seed as usize % step).step_by(step).collect()
}

#[test]
fn all_english_sentences_within_the_bounds_are_parsed() {
    let english = Grammar::english();
    assert_eq!(some(english, 1, 1).len(), 204);
    for seed in 1..=6 {
        assert_eq!(fraction(&some(english, seed, 6), english, Mode::Lazy, seed), 1.0, "seed {seed}");
    }
    assert_eq!(fraction(&some(english, 1, 20), english, Mode::Procedural, 1), 1.0);
}

#[test]
fn russian_sentences_are_parsed_in_any_order() {
    let russian = Grammar::russian();
    assert_eq!(some(russian, 1, 1).len(), 2 * 4 * 6 + 8 * 24);
    for seed in 1..=3 {
        assert_eq!(fraction(&some(russian, seed, 12), russian, Mode::Lazy, seed), 1.0, "seed {seed}");
    }
}

#[test]
fn adjectives_and_phrases_have_areas_of_their_own() {
    let english = Grammar::english();
    expect(
        "people of the woman chase a dogs in the cats",
        english,
        &[
            "chase people SUBJ",
            "chase dogs OBJ",
            "people woman PREP_P",
            "woman of PREP",
            "woman the DET",
            "dogs a DET",
            "dogs cats PREP_P",
            "cats in PREP",
            "cats the DET",
        ],
    );
    expect("the big bad cats run", english, &["run cats SUBJ", "cats the DET", "cats big ADJ", "cats bad ADJ"]);
    expect("people are bad cats", english, &["are people SUBJ", "are cats OBJ", "cats bad ADJ"]);
    expect("people are bad in mice", english, &["are people SUBJ", "are mice PREP_P", "are bad ADJ", "mice in PREP"]);
    expect("dogs are dogs", english, &["are dogs SUBJ", "are dogs OBJ"]);
}

#[test]
fn all_english_sentences_with_more_adjectives_and_phrases_are_parsed() {
    let english = Grammar::english();
    let bounds = corpus::Bounds { adjectives: 2, phrases: 2 };
    let sentences: Vec<_> = corpus::sentences(english, bounds, 1).into_iter().step_by(12).collect();
    assert_eq!(fraction(&sentences, english, Mode::Lazy, 1), 1.0);
}
