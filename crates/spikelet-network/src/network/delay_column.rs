//! The columns of delays in files of edges.

use std::fmt;

use spikelet_lang::End;

use super::{Delays, Projection, Quantity};

/// The name of a column of delays: `delay_ms`, `delay_post_ms` or `delay_third_ms` for all pathways of an end, or with the name of a pathway,
/// such as `delay_ms.fast`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelayColumn {
    end: End,
    pathway: Option<String>,
}

const KEYS: [(&str, End); 3] = [("delay_ms", End::Pre), ("delay_post_ms", End::Post), ("delay_third_ms", End::Third)];

impl Default for DelayColumn {
    fn default() -> DelayColumn {
        DelayColumn { end: End::Pre, pathway: None }
    }
}

impl fmt::Display for DelayColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = KEYS.iter().find(|(_, end)| *end == self.end).map_or("", |(key, _)| key);
        match &self.pathway {
            Some(pathway) => write!(f, "{key}.{pathway}"),
            None => f.write_str(key),
        }
    }
}

impl DelayColumn {
    /// The column of this name, if it is one of delays.
    pub fn of_name(name: &str) -> Option<DelayColumn> {
        let (key, pathway) = name.split_once('.').map_or((name, None), |(key, pathway)| (key, Some(pathway.to_owned())));
        KEYS.iter().find(|(known, _)| *known == key).map(|(_, end)| DelayColumn { end: *end, pathway })
    }

    /// The column of the delays of a pathway; `None` if none are given.
    pub fn of(projection: &Projection, end: End, pathway: &str) -> Option<DelayColumn> {
        let pathway = match projection.delays(end).1? {
            Delays::Same(_) => None,
            Delays::Each(of) => Some(of.contains_key(pathway).then(|| pathway.to_owned())?),
        };
        Some(DelayColumn { end, pathway })
    }

    /// Whether the projection has such pathways.
    pub(super) fn is_of(&self, projection: &Projection) -> bool {
        projection.pathways(self.end).any(|(name, _)| self.pathway.as_ref().is_none_or(|pathway| pathway == name))
    }

    /// Sets delays that the projection does not give; whether it did.
    pub(super) fn give(&self, projection: &mut Projection, value: Quantity) -> bool {
        let given = self.take(projection).filter(|delays| *delays != Delays::default());
        let (delays, is_taken) = match (given, &self.pathway) {
            (None, None) => (Delays::Same(value), true),
            (None, Some(pathway)) => (Delays::Each([(pathway.clone(), value)].into_iter().collect()), true),
            (Some(Delays::Each(mut of)), Some(pathway)) if !of.contains_key(pathway) => {
                of.insert(pathway.clone(), value);
                (Delays::Each(of), true)
            }
            (Some(delays), _) => (delays, false),
        };
        self.set(projection, Some(delays));
        is_taken
    }

    /// Removes them from a projection that has them from a file.
    pub fn remove(&self, projection: &mut Projection) {
        let left = match (self.take(projection), &self.pathway) {
            (Some(Delays::Each(mut of)), Some(pathway)) => {
                of.shift_remove(pathway);
                (!of.is_empty()).then_some(Delays::Each(of))
            }
            _ => None,
        };
        self.set(projection, left);
    }

    fn take(&self, projection: &mut Projection) -> Option<Delays> {
        match self.end {
            End::Pre => Some(std::mem::take(&mut projection.delay_ms)),
            End::Post => projection.delay_post_ms.take(),
            End::Third => projection.delay_third_ms.take(),
        }
    }

    fn set(&self, projection: &mut Projection, delays: Option<Delays>) {
        match self.end {
            End::Pre => projection.delay_ms = delays.unwrap_or_default(),
            End::Post => projection.delay_post_ms = delays,
            End::Third => projection.delay_third_ms = delays,
        }
    }

    /// The value, if the projection gives it.
    pub(super) fn value<'a>(&self, projection: &'a Projection) -> Option<&'a Quantity> {
        match (projection.delays(self.end).1?, &self.pathway) {
            (Delays::Same(value), None) => Some(value),
            (Delays::Each(of), Some(pathway)) => of.get(pathway),
            _ => None,
        }
    }
}
