//! English.

use super::grammar::{Grammar, HOST, Kind, Rule, State};

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
    repeated: &[DET, ADJ, ADVERB, PREP, PREP_P],
    hosts: &[SUBJ, OBJ, VERB, PREP_P],
    kinds: &[
        &NOUN,
        &TRANSITIVE_VERB,
        &INTRANSITIVE_VERB,
        &COPULA,
        &ADVERBS,
        &DETERMINER,
        &ADJECTIVE,
        &PREDICATIVE_ADJECTIVE,
        &PREPOSITION,
    ],
    order: ORDER,
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
        (PREP_P, &[PREP, ADJ, DET, PREP_P]),
    ],
    root: (VERB, "verb"),
    required: Some((SUBJ, "subject")),
};

/// The states of the order of words, by their positions in it.
const SUBJECT: usize = 0;
const SUBJECT_NOUN: usize = 1;
const SUBJECT_END: usize = 2;
const VERB_NEXT: usize = 3;
const OBJECT: usize = 4;
const OBJECT_NOUN: usize = 5;
const OBJECT_END: usize = 6;
const PREDICATE: usize = 7;
const LAST: usize = 8;
const LAST_NOUN: usize = 9;
const END: usize = 10;

/// `NP ADV? V NP ADV? PP*`, `NP ADV? V ADV? PP*` and `NP COPULA (NP | ADJ) PP*`, where NP is `DET? ADJ* N PP*` and PP is `P NP`. The adverb
/// after an intransitive verb or an object can follow its phrases, too.
const ORDER: &[State] = &[
    State { can_end: false, steps: &[(&DETERMINER, SUBJECT_NOUN), (&ADJECTIVE, SUBJECT_NOUN), (&NOUN, SUBJECT_END)] },
    State { can_end: false, steps: &[(&ADJECTIVE, SUBJECT_NOUN), (&NOUN, SUBJECT_END)] },
    State {
        can_end: false,
        steps: &[
            (&TRANSITIVE_VERB, OBJECT),
            (&INTRANSITIVE_VERB, OBJECT_END),
            (&COPULA, PREDICATE),
            (&ADVERBS, VERB_NEXT),
            (&PREPOSITION, SUBJECT),
        ],
    },
    State { can_end: false, steps: &[(&TRANSITIVE_VERB, OBJECT), (&INTRANSITIVE_VERB, OBJECT_END)] },
    State { can_end: false, steps: &[(&DETERMINER, OBJECT_NOUN), (&ADJECTIVE, OBJECT_NOUN), (&NOUN, OBJECT_END)] },
    State { can_end: false, steps: &[(&ADJECTIVE, OBJECT_NOUN), (&NOUN, OBJECT_END)] },
    State { can_end: true, steps: &[(&ADVERBS, END), (&PREPOSITION, OBJECT)] },
    State {
        can_end: false,
        steps: &[(&DETERMINER, LAST_NOUN), (&ADJECTIVE, LAST_NOUN), (&PREDICATIVE_ADJECTIVE, END), (&NOUN, END)],
    },
    State { can_end: false, steps: &[(&DETERMINER, LAST_NOUN), (&ADJECTIVE, LAST_NOUN), (&NOUN, END)] },
    State { can_end: false, steps: &[(&ADJECTIVE, LAST_NOUN), (&NOUN, END)] },
    State { can_end: true, steps: &[(&PREPOSITION, LAST)] },
];

/// A noun becomes what is open: the subject, the object or the noun of a preposition; with the determiner and adjectives before it.
///
/// The lock 1 of fibres is set by a preposition: the next noun belongs to it alone. The lock 1 of `PREP_P` is released for the rounds of nouns
/// only: in the original the area is open from the preposition on, and the verb projects into it while a determiner is read. In the original
/// a phrase is joined with all that is open; here with its host.
static NOUN: Kind = Kind {
    name: "noun",
    before: &[
        Rule::open_fibres(LEX, &[SUBJ, OBJ, PREP_P]),
        Rule::open_fibres(DET, &[SUBJ, OBJ, PREP_P]),
        Rule::open_fibres(ADJ, &[SUBJ, OBJ, PREP_P]),
        Rule::open_fibres(VERB, &[OBJ]),
        Rule::open_fibres(PREP, &[PREP_P]),
        Rule::open_fibres(HOST, &[PREP_P]),
        Rule::open(&[PREP_P, HOST]).lock(1),
        Rule::open(&[HOST]),
    ],
    after: &[
        Rule::close(&[DET, ADJ, PREP_P, PREP]),
        Rule::close(&[PREP_P]).lock(1),
        Rule::close_fibres(LEX, &[SUBJ, OBJ, PREP_P]),
        Rule::close_fibres(DET, &[SUBJ, OBJ, PREP_P]),
        Rule::close_fibres(ADJ, &[SUBJ, OBJ, PREP_P]),
        Rule::close_fibres(VERB, &[OBJ]),
        Rule::close_fibres(PREP_P, &[PREP, VERB, SUBJ, OBJ, PREP_P]),
        Rule::open_fibres(LEX, &[SUBJ, OBJ]).lock(1),
        Rule::open_fibres(DET, &[SUBJ, OBJ]).lock(1),
        Rule::open_fibres(ADJ, &[SUBJ, OBJ]).lock(1),
    ],
};

/// The fibres that a verb opens before its rounds: to its word, its subject, and the adverb before it.
const VERB_BEFORE: &[Rule] =
    &[Rule::open_fibres(LEX, &[VERB]), Rule::open_fibres(VERB, &[SUBJ, ADVERB]), Rule::open_fibres(ADVERB, &[VERB])];

static TRANSITIVE_VERB: Kind = Kind {
    name: "transitive verb",
    before: VERB_BEFORE,
    after: &[Rule::close_fibres(LEX, &[VERB]), Rule::open(&[OBJ]), Rule::close(&[SUBJ, ADVERB])],
};

static INTRANSITIVE_VERB: Kind = Kind {
    name: "intransitive verb",
    before: VERB_BEFORE,
    after: &[Rule::close_fibres(LEX, &[VERB]), Rule::close(&[SUBJ, ADVERB])],
};

/// A copula has an object or an adjective.
static COPULA: Kind = Kind {
    name: "copula",
    before: &[Rule::open_fibres(LEX, &[VERB]), Rule::open_fibres(VERB, &[SUBJ])],
    after: &[Rule::close_fibres(LEX, &[VERB]), Rule::open(&[OBJ]), Rule::close(&[SUBJ])],
};

/// An adverb before the verb waits for it; one after it is joined with it at once.
static ADVERBS: Kind = Kind {
    name: "adverb",
    before: &[Rule::open(&[ADVERB]), Rule::open_fibres(LEX, &[ADVERB])],
    after: &[Rule::close_fibres(LEX, &[ADVERB])],
};

static DETERMINER: Kind = Kind {
    name: "determiner",
    before: &[Rule::open(&[DET]), Rule::open_fibres(LEX, &[DET])],
    after: &[Rule::close_fibres(LEX, &[DET])],
};

static ADJECTIVE: Kind = Kind {
    name: "adjective",
    before: &[Rule::open(&[ADJ]), Rule::open_fibres(LEX, &[ADJ])],
    after: &[Rule::close_fibres(LEX, &[ADJ])],
};

/// The adjective of a copula. It is joined with the verb, not with a noun, and there is no object.
static PREDICATIVE_ADJECTIVE: Kind = Kind {
    name: "adjective",
    before: &[Rule::open(&[ADJ]), Rule::open_fibres(LEX, &[ADJ]), Rule::open_fibres(VERB, &[ADJ])],
    after: &[Rule::close_fibres(LEX, &[ADJ]), Rule::close_fibres(VERB, &[ADJ]), Rule::close(&[ADJ, OBJ])],
};

static PREPOSITION: Kind = Kind {
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
