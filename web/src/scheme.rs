//! Light or dark colours: those of the system, unless the user chooses.

use leptos::prelude::*;

use crate::kept;

/// The name under which the choice is stored.
const SCHEME: &str = "colours";

/// The colours of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    System,
    Light,
    Dark,
}

impl Scheme {
    /// All of them, in the order of the menu.
    pub(crate) const ALL: [Scheme; 3] = [Scheme::System, Scheme::Light, Scheme::Dark];

    /// Its word in the menu and in the storage.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Scheme::System => "as the system",
            Scheme::Light => "light",
            Scheme::Dark => "dark",
        }
    }

    /// That of a word; any other word is the system's.
    pub(crate) fn of_word(word: &str) -> Scheme {
        Scheme::ALL.into_iter().find(|scheme| scheme.word() == word).unwrap_or(Scheme::System)
    }

    /// The value of the attribute of the root that the style sheet reads.
    fn attribute(self) -> Option<&'static str> {
        match self {
            Scheme::System => None,
            Scheme::Light => Some("light"),
            Scheme::Dark => Some("dark"),
        }
    }

    /// The one that was chosen in an earlier visit, which the page has from now on.
    pub(crate) fn restore() -> Scheme {
        let scheme = kept::read(SCHEME).map_or(Scheme::System, |word| Scheme::of_word(&word));
        scheme.show();
        scheme
    }

    /// Chooses it, in this visit and in later ones.
    pub(crate) fn choose(self) {
        self.show();
        // Where nothing can be stored, the choice holds for this visit.
        kept::write(SCHEME, self.attribute().map(|_| self.word())).ok();
    }

    fn show(self) {
        let Some(root) = document().document_element() else { return };
        match self.attribute() {
            Some(value) => root.set_attribute("data-colours", value),
            None => root.remove_attribute("data-colours"),
        }
        .ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_and_others_are_the_systems() {
        for scheme in Scheme::ALL {
            assert_eq!(Scheme::of_word(scheme.word()), scheme);
        }
        assert_eq!(Scheme::of_word("sepia"), Scheme::System);
    }
}
