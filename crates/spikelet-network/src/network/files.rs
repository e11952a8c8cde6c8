//! Files that a network names: edge lists and learned weights.

use std::io::{Read, Seek};
use std::sync::Arc;

use spikelet_lang::{End, library};

use super::{DelayColumn, Delays, EdgeFile, Network, Pairs, Projection, Quantity, SynapseStateFile};
use crate::edges::{Bounds, Column, EdgeList};
use crate::{Error, SynapseState};

/// Bytes with random access: an archive has its table of contents at its end.
pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// The content of a file, or a clause that says why it cannot be opened, such as "there is no such file".
pub type FileContent<'a> = Result<Box<dyn ReadSeek + 'a>, String>;

impl Network {
    /// The files that must be read before the network can be built, in the order of its projections.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.projections.iter().flat_map(|projection| {
            let learned = projection.learned.as_ref().and_then(SynapseStateFile::unread);
            projection.pairs.as_ref().and_then(Pairs::unread).into_iter().chain(learned)
        })
    }

    /// Sets the edges of a projection from a file, instead of its rule or pairs.
    ///
    /// # Errors
    /// There is no such projection.
    pub fn attach(&mut self, projection: &str, file: &str) -> Result<(), Error> {
        let projection = self.projection_mut(projection)?;
        (projection.connect, projection.pairs) = (None, Some(Pairs::file(file)));
        Ok(())
    }

    /// Sets learned weights of a projection from a file.
    ///
    /// # Errors
    /// There is no such projection.
    pub fn attach_learned(&mut self, projection: &str, file: &str) -> Result<(), Error> {
        self.projection_mut(projection)?.learned = Some(SynapseStateFile::new(file));
        Ok(())
    }

    fn projection_mut(&mut self, name: &str) -> Result<&mut Projection, Error> {
        match self.projections.iter().position(|known| known.name == name) {
            Some(index) => Ok(&mut self.projections[index]),
            None => {
                let known = self.projections.iter().map(|known| known.name.as_str());
                Err(Error::unknown_name("", "projection", name, known))
            }
        }
    }

    /// Reads the [files](Network::files) of all projections. `open` returns the content of a file by its name, or a clause that says why it
    /// cannot; content in memory, in a `Cursor`, is also possible.
    ///
    /// Columns other than `pre` and `post` become parameters of the projection with their names; `delay_ms`, or `delay_ms.fast` for one pathway, its
    /// delays. A value set in the
    /// projection overrides a column. [`Network::to_json`] writes the name of the file instead of pairs and columns.
    ///
    /// # Errors
    /// A file that cannot be opened, an error in it (see [`EdgeList::read`] and [`SynapseState::read`]), or an unused column; no projection is
    /// changed then. Whether learned weights belong to the same synapses is checked after these are drawn.
    pub fn resolve<'a>(&mut self, open: &mut dyn FnMut(&str) -> FileContent<'a>) -> Result<(), Error> {
        // Unknown names in a projection are reported before its file is read.
        self.validate()?;
        let mut projections = self.projections.clone();
        let mut open = |index: usize, key: &str, name: &str| {
            open(name).map_err(|why| {
                let way_out = "check its name, which is relative to the folder of the network file";
                Error::invalid(format!("projections[{index}].{key}.file"), format!("{name:?}"), why, way_out)
            })
        };
        for (index, projection) in projections.iter_mut().enumerate() {
            if let Some(name) = projection.pairs.as_ref().and_then(Pairs::unread).map(str::to_owned) {
                let edges = EdgeList::read(&name, open(index, "pairs", &name)?, &self.bounds(projection))?;
                projection.take_edges(&name, edges)?;
            }
            if let Some(name) = projection.learned.as_ref().and_then(SynapseStateFile::unread).map(str::to_owned) {
                let own = |other: &str| other == projection.name;
                let read = SynapseState::read(&name, open(index, "learned", &name)?, &own)?;
                let Some(learned) = read.into_iter().next() else {
                    let expected =
                        format!("it must contain the arrays `{0}.pre`, `{0}.post` and arrays of values", projection.name);
                    let way_out = "save it from a network with a projection of that name";
                    return Err(Error::invalid(name, format!("without synapses of {}", projection.name), expected, way_out));
                };
                projection.learned = Some(SynapseStateFile { file: name, learned: Some(Arc::new(learned)) });
            }
        }
        let before = std::mem::replace(&mut self.projections, projections);
        self.validate().inspect_err(|_| self.projections = before)
    }

    /// Rejects a network with files that have not been read.
    ///
    /// # Errors
    /// The first of them.
    pub fn check_files(&self) -> Result<(), Error> {
        let unread = |(index, projection): (usize, &Projection)| {
            let pairs = projection.pairs.as_ref().and_then(Pairs::unread).map(|file| (index, "pairs", file.to_owned()));
            let learned = || Some((index, "learned", projection.learned.as_ref()?.unread()?.to_owned()));
            pairs.or_else(learned)
        };
        let Some((index, key, file)) = self.projections.iter().enumerate().find_map(unread) else { return Ok(()) };
        let (path, expected) = (format!("projections[{index}].{key}.file"), "that file was not loaded");
        Err(Error::invalid(path, format!("{file:?}"), expected, "open it together with the network file"))
    }

    /// The network without the content of files.
    pub fn without_columns(&self) -> Network {
        let mut network = self.clone();
        for projection in &mut network.projections {
            let Some(Pairs::File(EdgeFile { edges: Some(edges), columns, .. })) = &projection.pairs else { continue };
            let (count, columns) = (edges.len(), columns.clone());
            let from_file = |value: &Quantity| matches!(value, Quantity::Values { values, .. } if values.len() == count);
            projection.parameters.retain(|name, value| !(columns.contains(name) && from_file(value)));
            for delay in columns.iter().filter_map(|name| DelayColumn::of_name(name)).collect::<Vec<_>>() {
                if delay.value(projection).is_some_and(from_file) {
                    delay.remove(projection);
                }
            }
        }
        network
    }

    /// The neurons that a projection can connect.
    pub(super) fn bounds(&self, projection: &Projection) -> Bounds {
        let size = |name: &str| {
            let event = self.event(name).map(|(population, _)| population);
            let population = self.population(name).or(event).map(|population| population.size);
            population.or_else(|| self.source(name).map(super::Source::size)).unwrap_or(0)
        };
        let range = |endpoint: &super::Endpoint| endpoint.range(size(&endpoint.population));
        Bounds { pre: range(&projection.pre), post: range(&projection.post) }
    }
}

impl Projection {
    fn take_edges(&mut self, name: &str, edges: EdgeList) -> Result<(), Error> {
        let mut columns = Vec::new();
        for Column { name: column, unit, values } in edges.columns {
            let given = self.parameters.contains_key(&column) || self.initial.contains_key(&column);
            let same = values.first().copied().filter(|first| values.iter().all(|value| value == first));
            let value = Quantity::Values { values, unit };
            if let Some(delay) = DelayColumn::of_name(&column).filter(|delay| delay.is_of(self)) {
                // What needs one delay for all synapses can have it from a file, too.
                let value = match (same, &value) {
                    (Some(same), Quantity::Values { unit: None, .. }) => Quantity::Number(same),
                    _ => value,
                };
                if delay.give(self, value) {
                    columns.push(column);
                }
            } else if !given {
                if !self.mentions(&column) {
                    let expected = "the projection does not use a value of that name";
                    let way_out = "rename it, or remove it; the name for delays is delay_ms";
                    return Err(Error::invalid(name, format!("with a column `{column}`"), expected, way_out));
                }
                self.parameters.insert(column.clone(), value);
                columns.push(column);
            }
        }
        self.pairs = Some(Pairs::File(EdgeFile { file: name.to_owned(), edges: Some(Arc::new(edges.pairs)), columns }));
        Ok(())
    }

    /// Without lists of values, whose length is unknown before the file with the synapses is read: they are checked then.
    pub(super) fn without_lists(&self) -> Projection {
        let mut projection = self.clone();
        let is_single = |value: &Quantity| !matches!(value, Quantity::Values { .. });
        projection.parameters.retain(|_, value| is_single(value));
        projection.initial.retain(|_, value| is_single(value));
        let own = [Some(&mut projection.delay_ms), projection.delay_post_ms.as_mut(), projection.delay_third_ms.as_mut()];
        for delays in own.into_iter().flatten() {
            match delays {
                Delays::Same(delay) if !is_single(delay) => *delays = Delays::default(),
                Delays::Same(_) => {}
                Delays::Each(each) => each.retain(|_, delay| is_single(delay)),
            }
        }
        if let Some(index) = projection.third.as_mut().and_then(|third| third.index.as_mut()).filter(|index| !is_single(index)) {
            *index = Quantity::Number(0.0);
        }
        projection
    }

    /// Whether a name occurs in one of the texts of the projection, or is a parameter of its library model: a column of its edges may
    /// have this name.
    pub fn mentions(&self, name: &str) -> bool {
        let pathways = End::ALL.into_iter().flat_map(|end| self.pathways(end)).map(|(_, text)| text);
        let word = |text: &str| text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
        let of_library = self.model.as_deref().and_then(|model| library(model).ok());
        let in_library = of_library.is_some_and(|model| {
            model.parameters.contains_key(name) || word(model.equations()) || model.on_pre().is_some_and(word)
        });
        in_library || pathways.chain(self.equations.as_deref()).any(word)
    }
}
