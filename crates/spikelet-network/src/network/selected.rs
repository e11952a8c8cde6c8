//! What conditions on tables of neurons select: neurons of recordings, and synapses between them.

use std::sync::Arc;

use super::condition_value::needs_table;
use super::{Endpoint, Indices, Network, Pairs, Population, Projection};
use crate::connectors::All;
use crate::selection::Selection;
use crate::{Connector, Error};

impl Network {
    /// Replaces rules between selected neurons by their pairs, and selects the neurons of recordings, for all tables that were read.
    pub(super) fn select(&mut self) -> Result<(), Error> {
        let projections = self.projections.iter().enumerate().map(|(index, of)| self.selected_pairs(index, of));
        let projections = projections.collect::<Result<Vec<_>, Error>>()?;
        let recordings = self.recordings.iter().enumerate().map(|(index, of)| match &of.indices {
            Indices::Selected { condition, .. } => self.selected(&format!("recordings[{index}].indices"), &of.object, condition),
            _ => Ok(None),
        });
        let recordings = recordings.collect::<Result<Vec<_>, Error>>()?;
        for (projection, pairs) in self.projections.iter_mut().zip(projections) {
            if let (Some(edges), Some(connect)) = (pairs, &projection.connect) {
                projection.pairs = Some(Pairs::Selected { connect: connect.clone(), edges: Arc::new(edges) });
                projection.connect = None;
            }
        }
        for (recording, selected) in self.recordings.iter_mut().zip(recordings) {
            if let (Indices::Selected { neurons, .. }, Some(selected)) = (&mut recording.indices, selected) {
                *neurons = Some(selected);
            }
        }
        Ok(())
    }

    /// The neurons that a condition selects, if the table was read.
    fn selected(&self, path: &str, population: &str, condition: &str) -> Result<Option<Vec<u32>>, Error> {
        let population = self.with_table(path, population, condition)?;
        let Some(table) = population.neurons.as_ref().and_then(|neurons| neurons.table()) else { return Ok(None) };
        let neurons = Selection::parse(path, condition)?.neurons(path, table)?;
        if neurons.is_empty() {
            let expected = format!("no neuron of {} has all of this", population.name);
            return Err(Error::invalid(path, format!("{condition:?}"), expected, "correct the condition"));
        }
        Ok(Some(neurons))
    }

    /// A population with a table, which a condition needs.
    pub(super) fn with_table(&self, path: &str, name: &str, condition: &str) -> Result<&Population, Error> {
        Selection::parse(path, condition)?;
        let population = self.population(name).filter(|population| population.neurons.is_some());
        population.ok_or_else(|| needs_table(path, name, condition))
    }

    /// Rejects what selected neurons cannot be connected by.
    pub(super) fn check_selected(&self, path: &str, projection: &Projection) -> Result<(), Error> {
        let Some(end) = [&projection.pre, &projection.post].into_iter().find(|end| end.condition.is_some()) else {
            return Ok(());
        };
        let (place, found, expected) = match (&projection.connect, &projection.pairs) {
            (None, Some(Pairs::Selected { .. }) | None) => return Ok(()),
            (Some(Connector::OneToOne(_) | Connector::All(All { condition: None, .. })), _) => return Ok(()),
            (Some(Connector::All(_)), _) => {
                ("connect", "a condition on pairs".to_owned(), "selected neurons are connected without one")
            }
            (Some(other), _) => {
                let expected = "selected neurons are connected by `all` or `one_to_one`";
                ("connect", format!("{:?}", other.entry().name), expected)
            }
            (None, Some(_)) => ("pairs", format!("a list beside \"{end}\""), "pairs name their neurons themselves"),
        };
        let way_out = format!("use one of these rules, or \"{}\" without a condition", end.population);
        Err(Error::invalid(format!("{path}.{place}"), found, expected, way_out))
    }

    /// The pairs of a rule between neurons of which some are selected, if the tables were read.
    fn selected_pairs(&self, index: usize, projection: &Projection) -> Result<Option<Vec<[u32; 2]>>, Error> {
        let path = format!("projections[{index}]");
        let Some(connector) = &projection.connect else { return Ok(None) };
        if !projection.is_selected() {
            return Ok(None);
        }
        let bounds = self.bounds(projection);
        let side = |key: &str, end: &Endpoint, range: std::ops::Range<u32>| match &end.condition {
            Some(condition) => self.selected(&format!("{path}.{key}"), &end.population, condition),
            None => Ok(Some(range.collect())),
        };
        let (pre, post) = (side("pre", &projection.pre, bounds.pre)?, side("post", &projection.post, bounds.post)?);
        let (Some(pre), Some(post)) = (pre, post) else { return Ok(None) };
        if let Connector::All(All { autapses, .. }) = connector {
            let is_allowed = |i: u32, j: u32| *autapses || i != j || projection.pre.population != projection.post.population;
            let row = |i: u32| post.iter().filter(move |j| is_allowed(i, **j)).map(move |j| [i, *j]);
            return Ok(Some(pre.iter().flat_map(|i| row(*i)).collect()));
        }
        if pre.len() != post.len() {
            let found = format!("one_to_one from {} to {} neurons", pre.len(), post.len());
            let way_out = format!("give {} as many neurons as are selected, or use the rule `all`", projection.pre.population);
            return Err(Error::invalid(format!("{path}.connect"), found, "both sides must have the same number", way_out));
        }
        Ok(Some(pre.into_iter().zip(post).map(|(i, j)| [i, j]).collect()))
    }
}

impl Projection {
    /// Whether a condition selects neurons of one of its ends.
    pub(super) fn is_selected(&self) -> bool {
        self.pre.condition.is_some() || self.post.condition.is_some()
    }
}
