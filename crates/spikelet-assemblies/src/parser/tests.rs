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
        "word 3, “mice”, is a noun, which has no place here; expected an adverb or a determiner or an adjective or a preposition"
    );
    assert!(error("cats dogs chase mice").starts_with("word 2, “dogs”, would replace “cats” in the area SUBJ"));
    assert!(error("cats chase love mice").starts_with("word 3, “love”, would replace “chase” in the area VERB"));
    assert!(
        error("cats chase mice dogs")
            .starts_with("word 4, “dogs”, is a second dependent of “chase” in the area OBJ beside “mice”")
    );
    assert!(error("cats chase mice in").starts_with("word 4, “in”, depends on no other word"));
    assert!(error("chase mice").starts_with("the sentence has no subject; expected"));
    assert!(error("the cats").starts_with("the sentence has no verb; expected"));
}

/// The fraction of sentences that were parsed; prints the others.
fn fraction(sentences: &[corpus::Sentence], grammar: &'static Grammar, mode: Mode, seed: u64) -> f64 {
    let brain = BrainOptions { mode, seed, ..ParserOptions::default().brain };
    let coverage = corpus::coverage(sentences, grammar, &ParserOptions { brain, ..ParserOptions::default() });
    coverage.failures.iter().for_each(|failure| println!("{}: {:?}", failure.sentence.text, failure.found));
    println!("{}, {mode:?}, seed {seed}: {} of {}", grammar.name(), coverage.parsed, coverage.total);
    coverage.fraction()
}

/// Every `step`-th sentence, with words that depend on the seed.
fn some(grammar: &'static Grammar, seed: u64, step: usize) -> Vec<corpus::Sentence> {
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
fn what_is_lost_is_missing_from_a_parse() {
    // The area of prepositional phrases has one assembly for both, because their determiner connects them.
    let sentence = "people of the woman chase a dogs in the cats";
    let lost = parse(sentence, Grammar::english(), &ParserOptions::default()).unwrap();
    assert!(!lost.is_complete(), "{:?}", lost.dependencies);
    let complete = parse("people of the woman chase a dogs", Grammar::english(), &ParserOptions::default()).unwrap();
    assert!(complete.is_complete(), "{:?}", complete.dependencies);
    let twice = parse("the big bad cats run", Grammar::english(), &ParserOptions::default()).unwrap_err().to_string();
    assert!(twice.starts_with("word 3, “bad”, would replace “big” in the area ADJ"), "{twice}");
}
