//! The first visit: whether the page shows its tour and plays by itself, and the tour's steps.

/// Biological ÷ wall time while the page plays by itself.
pub(crate) const SOFT_SPEED: f64 = 0.05;

/// What is known when the page opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Visit {
    /// Whether the address names neither a network nor a setting.
    pub(crate) is_bare: bool,
    /// Whether the tour was shown before, or the browser stores nothing, so that it would come again and again.
    pub(crate) has_seen_tour: bool,
    /// Whether the user prefers reduced motion.
    pub(crate) is_calm: bool,
}

impl Visit {
    /// Whether the tour is shown.
    pub(crate) fn shows_tour(self) -> bool {
        self.is_bare && !self.has_seen_tour
    }

    /// Whether the first network plays softly.
    pub(crate) fn plays_softly(self) -> bool {
        self.is_bare && !self.is_calm
    }
}

/// A step of the tour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stop {
    /// What it points at, as a CSS selector.
    pub(crate) at: &'static str,
    /// Its title.
    pub(crate) title: &'static str,
    /// Its text.
    pub(crate) text: &'static str,
}

/// The steps of the tour.
pub(crate) const STOPS: [Stop; 4] = [
    Stop {
        at: "#play",
        title: "Play",
        text: "Run the network and pause it, also with the space bar. In a lesson it runs the next step, slowly. Each dot is a spike of a neuron: time goes to the right, neurons are stacked.",
    },
    Stop {
        at: ".parameters",
        title: "Change it while it runs",
        text: "Every slider acts at once, also during a run. The arrow keys move it in small steps.",
    },
    Stop {
        at: "#pane-lesson",
        title: "Follow a lesson",
        text: "Each network has one: what to watch, what to change, what should happen, measured during the run. New to spiking neurons? Start with the five chapters.",
    },
    Stop {
        at: "#network",
        title: "Choose another network",
        text: "More than thirty published networks, found by name, author or topic. “New” starts one of your own.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bare_address_has_a_tour_and_moves() {
        let visit = Visit { is_bare: true, has_seen_tour: false, is_calm: false };
        assert!(visit.shows_tour() && visit.plays_softly());
        for other in [Visit { is_bare: false, ..visit }, Visit { has_seen_tour: true, ..visit }] {
            assert!(!other.shows_tour(), "{other:?}");
        }
        for other in [Visit { is_bare: false, ..visit }, Visit { is_calm: true, ..visit }] {
            assert!(!other.plays_softly(), "{other:?}");
        }
    }
}
