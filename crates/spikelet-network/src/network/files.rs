//! Files that a network names: tables of neurons, edge lists and learned weights.

use std::borrow::Cow;
use std::io::{Read, Seek};
use std::sync::Arc;

use spikelet_lang::{End, library};

use super::condition_value::placeholder;
use super::{
    DelayColumn, Delays, EdgeFile, Endpoint, Indices, Network, NeuronFile, Notice, Pairs, Population, Projection, Quantity,
    SynapseStateFile,
};
use crate::edges::{Bounds, Column, EdgeList, Meaning};
use crate::{Error, Ids, SynapseState};

/// Bytes with random access: an archive has its table of contents at its end.
pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// The content of a file.
type FileBytes<'a> = Box<dyn ReadSeek + 'a>;

/// The content of a file, or a clause that says why it cannot be opened, such as "there is no such file".
pub type FileContent<'a> = Result<FileBytes<'a>, String>;

impl Network {
    /// The files that must be read before the network can be built, in the order of its populations and projections.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let tables = self.populations.iter().filter_map(|population| population.neurons.as_ref()?.unread());
        tables.chain(self.projections.iter().flat_map(|projection| {
            let learned = projection.learned.as_ref().and_then(SynapseStateFile::unread);
            projection.pairs.as_ref().and_then(Pairs::unread).into_iter().chain(learned)
        }))
    }

    /// Changes the names of these files, for example to paths from another folder.
    pub fn rename_files(&mut self, name: &mut dyn FnMut(&str) -> String) {
        for neurons in self.populations.iter_mut().filter_map(|population| population.neurons.as_mut()) {
            if neurons.table.is_none() {
                neurons.file = name(&neurons.file);
            }
        }
        for projection in &mut self.projections {
            if let Some(Pairs::File(EdgeFile { file, edges: None, .. })) = &mut projection.pairs {
                *file = name(file);
            }
            if let Some(SynapseStateFile { file, learned: None }) = &mut projection.learned {
                *file = name(file);
            }
        }
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
    /// Columns of edges other than `pre` and `post` become parameters of the projection with their names; `delay_ms`, or `delay_ms.fast` for
    /// one pathway, its delays. Columns of a table of neurons become parameters where it says so. A value set in the network overrides a
    /// column. Conditions on tables become lists of neurons and pairs. [`Network::to_json`] writes the names of the files, and the conditions.
    ///
    /// # Errors
    /// A file that cannot be opened, an error in it (see [`crate::NeuronTable::read`], [`EdgeList::read`] and [`SynapseState::read`]), or an
    /// unused column; nothing is changed then. Whether learned weights belong to the same synapses is checked after these are drawn.
    pub fn resolve<'a>(&mut self, open: &mut dyn FnMut(&str) -> FileContent<'a>) -> Result<(), Error> {
        // Unknown names in a projection are reported before its file is read.
        self.validate()?;
        let mut network = self.clone();
        let mut open = |path: String, name: &str| opened(&path, name, open(name));
        network.take_tables(&mut open)?;
        for index in 0..network.projections.len() {
            let projection = &network.projections[index];
            if let Some(Pairs::File(file @ EdgeFile { edges: None, .. })) = &projection.pairs {
                let meaning = Meaning {
                    ids: [network.ids_of(&projection.pre), network.ids_of(&projection.post)],
                    columns: Some(&file.columns).filter(|columns| !columns.is_empty()),
                    skip_unknown: file.skip_unknown,
                };
                let content = open(format!("projections[{index}].pairs"), &file.file)?;
                let mut edges = EdgeList::read_as(&file.file, content, &network.bounds(projection), &meaning)?;
                let mut file = file.clone();
                file.repeated = edges.pairs.windows(2).filter(|two| two[0] == two[1]).count();
                if !file.sum.is_empty() {
                    let rows = edges.pairs.len();
                    edges = edges.summed(&file.file, &file.sum)?;
                    file.repeated = rows - edges.pairs.len();
                }
                network.projections[index].take_edges(file, edges)?;
            }
            let projection = &mut network.projections[index];
            if let Some(name) = projection.learned.as_ref().and_then(SynapseStateFile::unread).map(str::to_owned) {
                let own = |other: &str| other == projection.name;
                let read = SynapseState::read(&name, open(format!("projections[{index}].learned"), &name)?, &own)?;
                let Some(learned) = read.into_iter().next() else {
                    let expected =
                        format!("it must contain the arrays `{0}.pre`, `{0}.post` and arrays of values", projection.name);
                    let way_out = "save it from a network with a projection of that name";
                    return Err(Error::invalid(name, format!("without synapses of {}", projection.name), expected, way_out));
                };
                projection.learned = Some(SynapseStateFile { file: name, learned: Some(Arc::new(learned)) });
            }
        }
        network.spread_changed()?;
        network.select()?;
        network.validate()?;
        *self = network;
        Ok(())
    }

    /// Reads the tables of neurons, but no other files; as [`Network::resolve`].
    ///
    /// # Errors
    /// As [`Network::resolve`].
    pub fn read_tables<'a>(&mut self, open: &mut dyn FnMut(&str) -> FileContent<'a>) -> Result<(), Error> {
        let mut network = self.clone();
        network.take_tables(&mut |path, name| opened(&path, name, open(name)))?;
        *self = network;
        Ok(())
    }

    fn take_tables<'a>(&mut self, open: &mut dyn FnMut(String, &str) -> Result<FileBytes<'a>, Error>) -> Result<(), Error> {
        for (index, population) in self.populations.iter_mut().enumerate() {
            if let Some(name) = population.neurons.as_ref().and_then(NeuronFile::unread).map(str::to_owned) {
                let path = format!("populations[{index}]");
                population.take_table(&path, open(format!("{path}.neurons"), &name)?)?;
            }
        }
        Ok(())
    }

    /// What files of edges say several times.
    pub fn notices_of_files(&self) -> Vec<Notice> {
        let of_projection = |index: usize, projection: &Projection| {
            let Some(Pairs::File(EdgeFile { file, sum, edges: Some(edges), repeated: repeated @ 1.., .. })) = &projection.pairs
            else {
                return None;
            };
            let sentence = if !sum.is_empty() {
                format!(
                    "{} rows of {file} became {} synapses: rows of the same pair were added up",
                    edges.len() + repeated,
                    edges.len()
                )
            } else if self.ids_of(&projection.pre).is_some() {
                format!(
                    "{file} has {repeated} times the pair of neurons of the row before: such rows are synapses of their own; \"sum\" of \
                     `pairs` makes one of them, such as \"sum\": [\"w\"]"
                )
            } else {
                return None;
            };
            Some(Notice::new(format!("projections[{index}].pairs"), sentence))
        };
        self.projections.iter().enumerate().filter_map(|(index, projection)| of_projection(index, projection)).collect()
    }

    /// The identifiers of the neurons of an end, if its population has a table that was read.
    fn ids_of(&self, end: &Endpoint) -> Option<&Ids> {
        let event = self.event(&end.population).map(|(population, _)| population);
        self.population(&end.population).or(event)?.neurons.as_ref()?.table()?.ids()
    }

    /// Rejects a network with files that have not been read.
    ///
    /// # Errors
    /// The first of them.
    pub fn check_files(&self) -> Result<(), Error> {
        let table = |(index, population): (usize, &Population)| {
            Some((format!("populations[{index}].neurons"), population.neurons.as_ref()?.unread()?.to_owned()))
        };
        let unread = |(index, projection): (usize, &Projection)| {
            let of = |key: &str, file: &str| (format!("projections[{index}].{key}"), file.to_owned());
            let pairs = projection.pairs.as_ref().and_then(Pairs::unread).map(|file| of("pairs", file));
            pairs.or_else(|| Some(of("learned", projection.learned.as_ref()?.unread()?)))
        };
        let tables = self.populations.iter().enumerate().find_map(table);
        let first = tables.or_else(|| self.projections.iter().enumerate().find_map(unread));
        let Some((path, file)) = first else { return Ok(()) };
        let expected = "that file was not loaded";
        Err(Error::invalid(format!("{path}.file"), format!("{file:?}"), expected, "open it together with the network file"))
    }

    /// The network without the content of files.
    pub fn without_columns(&self) -> Network {
        let mut network = self.clone();
        network.populations.iter_mut().for_each(Population::without_table);
        for recording in &mut network.recordings {
            if let Indices::Selected { neurons, .. } = &mut recording.indices {
                *neurons = None;
            }
        }
        for projection in &mut network.projections {
            if let Some(Pairs::Selected { connect, .. }) = &projection.pairs {
                projection.connect = Some(connect.clone());
                projection.pairs = None;
            }
            let Some(Pairs::File(EdgeFile { edges: Some(edges), taken, .. })) = &projection.pairs else { continue };
            let (count, columns) = (edges.len(), taken.clone());
            projection.parameters.retain(|name, value| !(columns.contains(name) && value.is_column(count)));
            for delay in columns.iter().filter_map(|name| DelayColumn::of_name(name)).collect::<Vec<_>>() {
                if delay.value(projection).is_some_and(|value| value.is_column(count)) {
                    delay.remove(projection);
                }
            }
        }
        network
    }

    /// For checks before files are read: tables of neurons that were not read give the value 1, and nothing is connected between neurons that
    /// are not selected yet.
    #[must_use]
    pub fn with_placeholders(&self) -> Cow<'_, Network> {
        let is_unread = |population: &Population| population.neurons.as_ref().is_some_and(|neurons| neurons.unread().is_some());
        if !self.populations.iter().any(is_unread) {
            return Cow::Borrowed(self);
        }
        let mut network = self.clone();
        for population in &mut network.populations {
            let Some(neurons) = population.neurons.as_ref().filter(|neurons| neurons.unread().is_some()) else { continue };
            for name in neurons.parameters().cloned().collect::<Vec<_>>().iter() {
                if !population.initial.contains_key(name) {
                    population.parameters.entry(name.clone()).or_insert(Quantity::Number(1.0));
                }
            }
            population.with_placeholders();
        }
        network.changes.iter_mut().flat_map(|change| change.set.values_mut()).for_each(placeholder);
        for projection in &mut network.projections {
            if projection.is_selected() {
                (projection.connect, projection.pairs) = (None, Some(Pairs::Listed(Vec::new())));
            }
        }
        Cow::Owned(network)
    }

    /// The network with what it has read of files, so that it needs none of them: lists of pairs, of values and of neurons.
    #[must_use]
    pub fn with_contents(mut self) -> Network {
        self.list_changed();
        self.populations.iter_mut().for_each(|population| population.neurons = None);
        for projection in &mut self.projections {
            projection.pairs = projection.pairs.take().map(|pairs| match pairs {
                Pairs::Listed(pairs) => Pairs::Listed(pairs),
                pairs => Pairs::Listed(pairs.to_vec()),
            });
            (projection.pre.condition, projection.post.condition) = (None, None);
        }
        for recording in &mut self.recordings {
            if let Indices::Selected { neurons: Some(neurons), .. } = &mut recording.indices {
                recording.indices = Indices::List(std::mem::take(neurons));
            }
        }
        self
    }

    /// Whether its JSON is shorter than what it has read.
    pub(super) fn has_contents(&self) -> bool {
        let pairs = |of: &Projection| matches!(of.pairs, Some(Pairs::File(_) | Pairs::Selected { .. }));
        self.populations.iter().any(|population| population.neurons.is_some()) || self.projections.iter().any(pairs)
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

/// The content of a file, or the error at its place in the network.
fn opened<'a>(path: &str, name: &str, content: FileContent<'a>) -> Result<FileBytes<'a>, Error> {
    content.map_err(|why| {
        let way_out = "check its name, which is relative to the folder of the network file";
        Error::invalid(format!("{path}.file"), format!("{name:?}"), why, way_out)
    })
}

impl Projection {
    fn take_edges(&mut self, file: EdgeFile, edges: EdgeList) -> Result<(), Error> {
        let (name, mut columns) = (file.file.as_str(), Vec::new());
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
                    let way_out = "rename it; the name for delays is delay_ms; or name those to be read: \"pairs\": {\"file\": …, \"columns\": \
                                   {\"w\": \"weight\"}}";
                    return Err(Error::invalid(name, format!("with a column `{column}`"), expected, way_out));
                }
                self.parameters.insert(column.clone(), value);
                columns.push(column);
            }
        }
        self.pairs = Some(Pairs::File(EdgeFile { edges: Some(Arc::new(edges.pairs)), taken: columns, ..file }));
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
