//! The structure of a network for the forms of the network pane: names, references, fields and errors.
//!
//! Plain data without the browser. [`Equations`](crate::equations::Equations) contains the edited network.

pub(crate) mod estimate;
pub(crate) mod field_errors;
pub(crate) mod fields;
pub(crate) mod lines;
pub(crate) mod place;
pub(crate) mod structure;
pub(crate) mod undo_history;

use spikelet_network::Network;

/// The kinds of objects that a network lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Population,
    Source,
    Projection,
}

impl Kind {
    /// In the order shown.
    pub(crate) const ALL: [Kind; 3] = [Kind::Population, Kind::Source, Kind::Projection];

    /// The key of their list in JSON.
    pub(crate) fn list(self) -> &'static str {
        match self {
            Kind::Population => "populations",
            Kind::Source => "sources",
            Kind::Projection => "projections",
        }
    }

    /// The singular name.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Population => "population",
            Kind::Source => "source",
            Kind::Projection => "projection",
        }
    }

    /// The plural name.
    pub(crate) fn count(self, network: &Network) -> usize {
        match self {
            Kind::Population => network.populations.len(),
            Kind::Source => network.sources.len(),
            Kind::Projection => network.projections.len(),
        }
    }
}

/// A population, source or projection by its index in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Object {
    pub(crate) kind: Kind,
    pub(crate) place: usize,
}

impl Object {
    pub(crate) fn new(kind: Kind, place: usize) -> Object {
        Object { kind, place }
    }

    /// Its name; `None` if it does not exist.
    pub(crate) fn name(self, network: &Network) -> Option<&str> {
        match self.kind {
            Kind::Population => network.populations.get(self.place).map(|population| population.name.as_str()),
            Kind::Source => network.sources.get(self.place).map(|source| source.name.as_str()),
            Kind::Projection => network.projections.get(self.place).map(|projection| projection.name.as_str()),
        }
    }

    /// The object at the start of a JSON path, `projections[2].connect.p`, and the rest, `connect.p`.
    pub(crate) fn of_path(path: &str) -> Option<(Object, &str)> {
        let (list, rest) = path.split_once('[')?;
        let (place, rest) = rest.split_once(']')?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.list() == list)?;
        Some((Object::new(kind, place.parse().ok()?), rest.trim_start_matches('.')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_with_an_object() {
        let at = |kind, place| Object::new(kind, place);
        assert_eq!(Object::of_path("projections[12].connect.p"), Some((at(Kind::Projection, 12), "connect.p")));
        assert_eq!(Object::of_path("populations[0]"), Some((at(Kind::Population, 0), "")));
        assert_eq!(Object::of_path("sources[1].targets[0]"), Some((at(Kind::Source, 1), "targets[0]")));
        for other in ["dt_ms", "recordings[0].var", "populations[x]", "populations"] {
            assert_eq!(Object::of_path(other), None, "{other}");
        }
    }
}
