//! The library models for populations, in groups derived from their texts.

use spikelet_lang::LibraryModel;
use spikelet_lang::library::{self, ModelKind};

/// The spike mechanism of a model, for the groups of a menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    /// A reset after the threshold.
    Reset,
    /// Only differential equations.
    Continuous,
    /// Steps instead of differential equations, and no reset.
    Map,
    /// Sources.
    Source,
}

impl Family {
    const ALL: [Family; 4] = [Family::Reset, Family::Continuous, Family::Map, Family::Source];

    fn of(model: &LibraryModel) -> Option<Family> {
        let text = model.text().ok()?;
        Some(match (model.kind, text.reset, text.update) {
            (ModelKind::Synapse, ..) => return None,
            (ModelKind::Source, ..) => Family::Source,
            (ModelKind::Neuron, Some(_), _) => Family::Reset,
            (ModelKind::Neuron, None, Some(_)) => Family::Map,
            (ModelKind::Neuron, None, None) => Family::Continuous,
        })
    }

    fn title(self) -> &'static str {
        match self {
            Family::Reset => "Threshold and reset",
            Family::Continuous => "Models with spike shape (Hodgkin–Huxley and similar)",
            Family::Map => "Maps",
            Family::Source => "Sources",
        }
    }
}

/// Title and models of each group, sorted by title.
pub(crate) fn groups() -> Vec<(&'static str, Vec<&'static LibraryModel>)> {
    let group = |family: Family| {
        let mut members: Vec<_> = library::models().filter(|model| Family::of(model) == Some(family)).collect();
        members.sort_by_key(|model| model.title.to_lowercase());
        (family.title(), members)
    };
    Family::ALL.into_iter().map(group).filter(|(_, models)| !models.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_and_source_is_in_one_group() {
        let groups = groups();
        let group = |name: &str| {
            let mut found = groups.iter().filter(|(_, models)| models.iter().any(|model| model.name == name));
            (found.next().map(|(title, _)| *title), found.next().is_some())
        };
        for (name, title) in [
            ("lif", Some("Threshold and reset")),
            ("izhikevich", Some("Threshold and reset")),
            ("hodgkin_huxley", Some("Models with spike shape (Hodgkin–Huxley and similar)")),
            ("rulkov", Some("Maps")),
            ("poisson", Some("Sources")),
            ("ampa", None),
        ] {
            assert_eq!(group(name), (title, false), "{name}");
        }
        let synapses = library::names().filter(|name| library::library(name).is_ok_and(|model| model.kind == ModelKind::Synapse));
        let listed: usize = groups.iter().map(|(_, models)| models.len()).sum();
        assert_eq!(listed + synapses.count(), library::names().count());
    }
}
