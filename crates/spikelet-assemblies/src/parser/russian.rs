//! Russian: the case of a noun says what it is, and two forms of a noun share a block.

use super::grammar::{Grammar, Kind, Rule};

const LEX: &str = "LEX";
const VERB: &str = "VERB";
const NOM: &str = "NOM";
const ACC: &str = "ACC";
const DAT: &str = "DAT";

pub(super) static GRAMMAR: Grammar = Grammar {
    name: "russian",
    areas: &[LEX, NOM, VERB, ACC, DAT],
    open: &[LEX],
    kinds: &[
        Kind {
            name: "verb",
            before: &[Rule::open(&[VERB]), Rule::open_fibres(LEX, &[VERB]), Rule::open_fibres(VERB, &[NOM, ACC])],
            after: &[Rule::close_fibres(LEX, &[VERB])],
        },
        Kind {
            name: "ditransitive verb",
            before: &[Rule::open(&[VERB]), Rule::open_fibres(LEX, &[VERB]), Rule::open_fibres(VERB, &[NOM, ACC, DAT])],
            after: &[Rule::close_fibres(LEX, &[VERB])],
        },
        Kind {
            name: "nominative noun",
            before: &[Rule::open(&[NOM]), Rule::open_fibres(LEX, &[NOM])],
            after: &[Rule::close_fibres(LEX, &[NOM])],
        },
        Kind {
            name: "accusative noun",
            before: &[Rule::open(&[ACC]), Rule::open_fibres(LEX, &[ACC])],
            after: &[Rule::close_fibres(LEX, &[ACC])],
        },
        Kind {
            name: "dative noun",
            before: &[Rule::open(&[DAT]), Rule::open_fibres(LEX, &[DAT])],
            after: &[Rule::close_fibres(LEX, &[DAT])],
        },
    ],
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
