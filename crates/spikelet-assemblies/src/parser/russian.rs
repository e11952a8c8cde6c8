//! Russian: the case of a noun says what it is, and two forms of a noun share a block.

use super::grammar::{Grammar, Kind, Rule, State};

const LEX: &str = "LEX";
const VERB: &str = "VERB";
const NOM: &str = "NOM";
const ACC: &str = "ACC";
const DAT: &str = "DAT";

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "russian",
    areas: &[LEX, NOM, VERB, ACC, DAT],
    open: &[LEX],
    repeated: &[],
    hosts: &[],
    kinds: &[&TRANSITIVE_VERB, &DITRANSITIVE_VERB, &NOMINATIVE_NOUN, &ACCUSATIVE_NOUN, &DATIVE_NOUN],
    // Any word can follow any other; an area with a word does not accept a second.
    order: &[State {
        can_end: true,
        steps: &[(&TRANSITIVE_VERB, 0), (&DITRANSITIVE_VERB, 0), (&NOMINATIVE_NOUN, 0), (&ACCUSATIVE_NOUN, 0), (&DATIVE_NOUN, 0)],
    }],
    lexicon: &[
        ("vidit", "verb", 0),
        ("lyubit", "verb", 1),
        ("kot", "nominative noun", 2),
        ("kota", "accusative noun", 2),
        ("kotu", "dative noun", 2),
        ("sobaka", "nominative noun", 3),
        ("sobaku", "accusative noun", 3),
        ("sobakie", "dative noun", 3),
        ("dayet", "ditransitive verb", 4),
    ],
    readout: &[(VERB, &[NOM, ACC, DAT])],
    root: (VERB, "verb"),
    required: Some((NOM, "nominative noun")),
};

static TRANSITIVE_VERB: Kind = Kind {
    name: "verb",
    before: &[Rule::open(&[VERB]), Rule::open_fibres(LEX, &[VERB]), Rule::open_fibres(VERB, &[NOM, ACC])],
    after: &[Rule::close_fibres(LEX, &[VERB])],
};

static DITRANSITIVE_VERB: Kind = Kind {
    name: "ditransitive verb",
    before: &[Rule::open(&[VERB]), Rule::open_fibres(LEX, &[VERB]), Rule::open_fibres(VERB, &[NOM, ACC, DAT])],
    after: &[Rule::close_fibres(LEX, &[VERB])],
};

static NOMINATIVE_NOUN: Kind = Kind {
    name: "nominative noun",
    before: &[Rule::open(&[NOM]), Rule::open_fibres(LEX, &[NOM])],
    after: &[Rule::close_fibres(LEX, &[NOM])],
};

static ACCUSATIVE_NOUN: Kind = Kind {
    name: "accusative noun",
    before: &[Rule::open(&[ACC]), Rule::open_fibres(LEX, &[ACC])],
    after: &[Rule::close_fibres(LEX, &[ACC])],
};

static DATIVE_NOUN: Kind = Kind {
    name: "dative noun",
    before: &[Rule::open(&[DAT]), Rule::open_fibres(LEX, &[DAT])],
    after: &[Rule::close_fibres(LEX, &[DAT])],
};
