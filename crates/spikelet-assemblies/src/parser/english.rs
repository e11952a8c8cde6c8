//! English.

use super::grammar::{Grammar, Kind, Rule};

const LEX: &str = "LEX";
const DET: &str = "DET";
const SUBJ: &str = "SUBJ";
const OBJ: &str = "OBJ";
const VERB: &str = "VERB";
const ADJ: &str = "ADJ";
const ADVERB: &str = "ADVERB";
const PREP: &str = "PREP";
const PREP_P: &str = "PREP_P";

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "english",
    areas: &[LEX, DET, SUBJ, OBJ, VERB, ADJ, ADVERB, PREP, PREP_P],
    open: &[LEX, SUBJ, VERB],
    kinds: &[NOUN, TRANSITIVE_VERB, INTRANSITIVE_VERB, COPULA, ADVERBS, DETERMINER, ADJECTIVE, PREPOSITION],
    lexicon: &[
        ("the", "determiner", 0),
        ("a", "determiner", 1),
        ("dogs", "noun", 2),
        ("cats", "noun", 3),
        ("mice", "noun", 4),
        ("people", "noun", 5),
        ("chase", "transitive verb", 6),
        ("love", "transitive verb", 7),
        ("bite", "transitive verb", 8),
        ("of", "preposition", 9),
        ("big", "adjective", 10),
        ("bad", "adjective", 11),
        ("run", "intransitive verb", 12),
        ("fly", "intransitive verb", 13),
        ("quickly", "adverb", 14),
        ("in", "preposition", 15),
        ("are", "copula", 16),
        ("man", "noun", 17),
        ("woman", "noun", 18),
        ("saw", "transitive verb", 19),
    ],
    readout: &[
        (VERB, &[SUBJ, OBJ, PREP_P, ADVERB, ADJ]),
        (SUBJ, &[DET, ADJ, PREP_P]),
        (OBJ, &[DET, ADJ, PREP_P]),
        (PREP_P, &[PREP, ADJ, DET]),
    ],
    root: (VERB, "verb"),
    required: Some((SUBJ, "subject")),
};

/// A noun becomes what is open: the subject, the object or the noun of a preposition; with the determiner and adjective before it.
///
/// The lock 1 of fibres is set by a preposition: the next noun belongs to it alone. The lock 1 of `PREP_P` is released for the rounds of nouns
/// only: in the original the area is open from the preposition on, and the verb projects into it while a determiner is read.
const NOUN: Kind = Kind {
    name: "noun",
    before: &[
        Rule::open_fibres(LEX, &[SUBJ, OBJ, PREP_P]),
        Rule::open_fibres(DET, &[SUBJ, OBJ, PREP_P]),
        Rule::open_fibres(ADJ, &[SUBJ, OBJ, PREP_P]),
        Rule::open_fibres(VERB, &[OBJ]),
        Rule::open_fibres(PREP_P, &[PREP, SUBJ, OBJ]),
        Rule::open(&[PREP_P]).lock(1),
    ],
    after: &[
        Rule::close(&[DET, ADJ, PREP_P, PREP]),
        Rule::close(&[PREP_P]).lock(1),
        Rule::close_fibres(LEX, &[SUBJ, OBJ, PREP_P]),
        Rule::close_fibres(DET, &[SUBJ, OBJ, PREP_P]),
        Rule::close_fibres(ADJ, &[SUBJ, OBJ, PREP_P]),
        Rule::close_fibres(VERB, &[OBJ, ADJ]),
        Rule::close_fibres(PREP_P, &[PREP, VERB, SUBJ, OBJ]),
        Rule::open_fibres(LEX, &[SUBJ, OBJ]).lock(1),
        Rule::open_fibres(DET, &[SUBJ, OBJ]).lock(1),
        Rule::open_fibres(ADJ, &[SUBJ, OBJ]).lock(1),
    ],
};

/// The fibres that a verb opens before its rounds: to its word, its subject, and the adverb before it.
const VERB_BEFORE: &[Rule] =
    &[Rule::open_fibres(LEX, &[VERB]), Rule::open_fibres(VERB, &[SUBJ, ADVERB]), Rule::open(&[ADVERB]).lock(1)];

const TRANSITIVE_VERB: Kind = Kind {
    name: "transitive verb",
    before: VERB_BEFORE,
    after: &[
        Rule::close_fibres(LEX, &[VERB]),
        Rule::open(&[OBJ]),
        Rule::close(&[SUBJ, ADVERB]),
        Rule::open_fibres(PREP_P, &[VERB]),
    ],
};

const INTRANSITIVE_VERB: Kind = Kind {
    name: "intransitive verb",
    before: VERB_BEFORE,
    after: &[Rule::close_fibres(LEX, &[VERB]), Rule::close(&[SUBJ, ADVERB]), Rule::open_fibres(PREP_P, &[VERB])],
};

/// A copula has an object or an adjective.
const COPULA: Kind = Kind {
    name: "copula",
    before: &[Rule::open_fibres(LEX, &[VERB]), Rule::open_fibres(VERB, &[SUBJ])],
    after: &[Rule::close_fibres(LEX, &[VERB]), Rule::open(&[OBJ]), Rule::close(&[SUBJ]), Rule::open_fibres(ADJ, &[VERB])],
};

/// The lock 1 of the area is released by a verb: there is one adverb before it, and one after it.
const ADVERBS: Kind = Kind {
    name: "adverb",
    before: &[Rule::open(&[ADVERB]), Rule::open_fibres(LEX, &[ADVERB])],
    after: &[Rule::close_fibres(LEX, &[ADVERB]), Rule::close(&[ADVERB]).lock(1)],
};

const DETERMINER: Kind = Kind {
    name: "determiner",
    before: &[Rule::open(&[DET]), Rule::open_fibres(LEX, &[DET])],
    after: &[Rule::close_fibres(LEX, &[DET]), Rule::close_fibres(VERB, &[ADJ])],
};

const ADJECTIVE: Kind = Kind {
    name: "adjective",
    before: &[Rule::open(&[ADJ]), Rule::open_fibres(LEX, &[ADJ])],
    after: &[Rule::close_fibres(LEX, &[ADJ]), Rule::close_fibres(VERB, &[ADJ])],
};

const PREPOSITION: Kind = Kind {
    name: "preposition",
    before: &[Rule::open(&[PREP]), Rule::open_fibres(LEX, &[PREP])],
    after: &[
        Rule::close_fibres(LEX, &[PREP]),
        Rule::open(&[PREP_P]),
        Rule::close_fibres(LEX, &[SUBJ, OBJ]).lock(1),
        Rule::close_fibres(DET, &[SUBJ, OBJ]).lock(1),
        Rule::close_fibres(ADJ, &[SUBJ, OBJ]).lock(1),
    ],
};
