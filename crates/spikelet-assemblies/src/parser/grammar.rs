//! Grammars: the areas of a parser, its lexicon, and what each kind of word opens and closes.

/// In rules, the area of the word to which a phrase belongs.
pub(super) const HOST: &str = "HOST";

/// What a parser knows of a language.
#[derive(Debug)]
pub struct Grammar {
    pub(super) name: &'static str,
    /// The areas, of which the first has a block of neurons for each word stem.
    pub(super) areas: &'static [&'static str],
    /// The areas that are open before the first word.
    pub(super) open: &'static [&'static str],
    /// The areas of which each word has a copy of its own.
    pub(super) repeated: &'static [&'static str],
    /// The areas of words that can be hosts of phrases.
    pub(super) hosts: &'static [&'static str],
    pub(super) kinds: &'static [&'static Kind],
    /// The order of words; sentences begin in the first state.
    pub(super) order: &'static [State],
    /// Each word with its kind and its block.
    pub(super) lexicon: &'static [(&'static str, &'static str, u32)],
    /// The areas of the dependents of the word in an area.
    pub(super) readout: &'static [(&'static str, &'static [&'static str])],
    /// The area from which sentences are read out, and what its word is.
    pub(super) root: (&'static str, &'static str),
    /// An area without which a sentence is not complete, and what its word is.
    pub(super) required: Option<(&'static str, &'static str)>,
}

/// A word of the lexicon.
pub(super) struct Lexeme {
    pub(super) word: &'static str,
    /// The name of its kind.
    pub(super) kind: &'static str,
    pub(super) block: u32,
}

/// A kind of words.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// What is opened and closed before the rounds of the word.
    pub(super) before: &'static [Rule],
    /// What is opened and closed after them.
    pub(super) after: &'static [Rule],
}

/// Opens or closes areas or fibres with a lock.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) is_open: bool,
    /// If given, what changes are the fibres between this area and the others, else the areas themselves.
    pub(super) from: Option<&'static str>,
    pub(super) areas: &'static [&'static str],
    pub(super) lock: u32,
}

impl Rule {
    pub(super) const fn open(areas: &'static [&'static str]) -> Rule {
        Rule { is_open: true, from: None, areas, lock: 0 }
    }

    pub(super) const fn close(areas: &'static [&'static str]) -> Rule {
        Rule { is_open: false, from: None, areas, lock: 0 }
    }

    pub(super) const fn open_fibres(from: &'static str, areas: &'static [&'static str]) -> Rule {
        Rule { is_open: true, from: Some(from), areas, lock: 0 }
    }

    pub(super) const fn close_fibres(from: &'static str, areas: &'static [&'static str]) -> Rule {
        Rule { is_open: false, from: Some(from), areas, lock: 0 }
    }

    pub(super) const fn lock(self, lock: u32) -> Rule {
        Rule { lock, ..self }
    }
}

impl Grammar {
    /// Its name: `english` or `russian`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The names of its areas. Words are blocks of neurons of the first one.
    pub fn areas(&self) -> &'static [&'static str] {
        self.areas
    }

    /// Its words with their kinds.
    pub fn words(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        self.lexicon.iter().map(|(word, kind, _)| (*word, *kind))
    }

    /// The words of a kind.
    pub fn words_of(&self, kind: &str) -> Vec<&'static str> {
        self.words().filter(|(_, of)| *of == kind).map(|(word, _)| word).collect()
    }

    /// The number of blocks of the first area.
    pub(super) fn blocks(&self) -> u32 {
        self.lexicon.iter().map(|(.., block)| block + 1).max().unwrap_or(0)
    }

    pub(super) fn lexeme(&self, word: &str) -> Option<Lexeme> {
        let (word, kind, block) = *self.lexicon.iter().find(|(known, ..)| *known == word)?;
        Some(Lexeme { word, kind, block })
    }

    /// The word of a block. Of several forms it is the one that this area receives.
    pub(super) fn form(&self, block: u32, area: &str) -> Option<&'static str> {
        let forms = || self.lexicon.iter().filter(|(.., of)| *of == block);
        let fits = |kind: &str| {
            let kind = self.kinds.iter().find(|known| known.name == kind);
            let opens = |rule: &Rule| rule.from == Some(self.areas[0]) && rule.areas.contains(&area);
            kind.is_some_and(|kind| kind.before.iter().any(opens))
        };
        forms().find(|(_, kind, _)| fits(kind)).or_else(|| forms().next()).map(|(word, ..)| *word)
    }

    /// The areas of the dependents of the word in an area.
    pub(super) fn dependents(&self, area: &str) -> &'static [&'static str] {
        self.readout.iter().find(|(head, _)| *head == area).map_or(&[], |(_, dependents)| dependents)
    }
}

/// What can follow in a sentence.
#[derive(Debug)]
pub(super) struct State {
    /// Whether the sentence can end.
    pub(super) can_end: bool,
    /// The kinds that can follow, and the state after each. Two kinds of one name have different rules; later words decide between them.
    pub(super) steps: &'static [(&'static Kind, usize)],
}
