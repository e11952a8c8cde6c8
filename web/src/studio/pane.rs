//! The panes beside the plots.

/// The pane between plots and sliders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pane {
    Shut,
    Lesson,
    Network,
    Experiments,
    Senses,
    Projects,
}

impl Pane {
    /// All of them, in the order of their buttons.
    pub(crate) const ALL: [Pane; 5] = [Pane::Lesson, Pane::Network, Pane::Experiments, Pane::Senses, Pane::Projects];

    /// Its name in the browser's storage.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Pane::Shut => "shut",
            Pane::Lesson => "lesson",
            Pane::Network => "network",
            Pane::Experiments => "experiments",
            Pane::Senses => "senses",
            Pane::Projects => "projects",
        }
    }

    /// Its title: the word with a capital.
    pub(crate) fn title(self) -> String {
        let word = self.word();
        format!("{}{}", word[..1].to_uppercase(), &word[1..])
    }

    /// The pane with this name. Equations had a pane of their own, and are now in the one of the network.
    pub(crate) fn of_word(word: &str) -> Option<Pane> {
        let word = if word == "equations" { "network" } else { word };
        Pane::ALL.into_iter().find(|pane| pane.word() == word)
    }

    /// The id of its element.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Pane::Network => "network-pane",
            pane => pane.word(),
        }
    }

    /// The id of its button.
    pub(crate) fn button_id(self) -> &'static str {
        match self {
            Pane::Shut => "pane-shut",
            Pane::Lesson => "pane-lesson",
            Pane::Network => "pane-network",
            Pane::Experiments => "pane-experiments",
            Pane::Senses => "pane-senses",
            Pane::Projects => "pane-projects",
        }
    }
}
