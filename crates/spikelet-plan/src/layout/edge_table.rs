//! All synapses of a projection with their values: an edge list, as files of `pairs` are.

mod rounding;

use std::collections::HashMap;
use std::io::{self, BufWriter, Seek, Write};
use std::sync::Arc;

use rounding::Rounding;
use spikelet_lang::syntax::parse_unit;
use spikelet_lang::{Dimension, End};
use spikelet_network::npz::NpzWriter;
use spikelet_network::{DelayColumn, Error, Network, Pairs, Quantity};

use crate::check::checked::{self, CheckedProjection};
use crate::check::quantities::named;
use crate::draw::drawing::{Drawing, DrawnPart, Preparing};
use crate::neurons::ends::EndValues;
use crate::neurons::population::CheckedPopulation;
use crate::neurons::sources::LoweredNetwork;
use crate::pairs::edges::{EdgelessContext, KnownEdges};
use crate::{ArrayEntry, ArrayId, Owner, PerSynapse, Plan, neurons, time};

/// Maximum number of edges of a file.
const MAX_EDGES: u64 = u32::MAX as u64 - 1;
/// Edges that are written at once.
const PAGE: usize = 1 << 20;

/// The values of all synapses for one name.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeColumn {
    /// The name of a parameter or variable of the synapses, or that of [delays](spikelet_network::DelayColumn), such as `delay_ms`.
    pub name: String,
    /// Its inner unit; empty for pure numbers.
    pub unit: String,
    /// The common value, if it is the same for all synapses of the network.
    pub shared: Option<f64>,
}

impl EdgeColumn {
    /// Whether it has delays.
    pub fn is_delay(&self) -> bool {
        DelayColumn::of_name(&self.name).is_some()
    }

    /// Its unit, where one is written in a file.
    fn unit(&self) -> Option<&str> {
        let is_written = !self.is_delay() && parse_unit(&self.unit).is_ok_and(|unit| unit.factor == 1.0);
        is_written.then_some(self.unit.as_str())
    }

    /// Its name in a file: `w [mV]`.
    pub fn header(&self) -> String {
        self.unit().map_or_else(|| self.name.clone(), |unit| format!("{} [{unit}]", self.name))
    }
}

/// Some edges of an [`EdgeTable`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EdgePart {
    /// The presynaptic neuron of each, in its population.
    pub pre: Vec<u32>,
    /// The postsynaptic neuron of each, in its population.
    pub post: Vec<u32>,
    /// The values of each column, in its unit.
    pub values: Vec<Vec<f64>>,
}

/// The synapses of a projection with their delay and every value that differs between them: weights as the simulator uses them, rounded to
/// units of their sums, and variables at the time of the table. Synapses without state are drawn again, part by part, whenever they are
/// read, so that a table of any size needs little memory.
///
/// The table is in the form of a file of `pairs`: in the order of presynaptic and then of postsynaptic neurons, or of a list that the projection
/// has. A network that [reads it](EdgeTable::attach) has the same spikes.
#[derive(Debug, Clone)]
pub struct EdgeTable {
    network: Arc<Network>,
    plan: Arc<Plan>,
    index: usize,
    columns: Vec<EdgeColumn>,
    roundings: Vec<Option<Rounding>>,
    /// The pathways whose delays are the first columns.
    pathways: Vec<usize>,
    /// All edges, unless they are drawn.
    whole: Option<EdgePart>,
}

impl EdgeTable {
    /// The synapses of a projection of a network with this plan. Variables of synapses have the given `words`, or their initial values if
    /// there are none.
    ///
    /// # Errors
    /// An unknown projection, one with more than 4294967294 synapses, or a plan of a part of the network.
    pub fn new(
        network: Arc<Network>,
        plan: Arc<Plan>,
        projection: &str,
        words: Option<&HashMap<ArrayId, Vec<u32>>>,
    ) -> Result<EdgeTable, Error> {
        let names = || network.projections.iter().map(|of| of.name.as_str());
        let Some(index) = names().position(|name| name == projection) else {
            return Err(Error::unknown_name("projection", "projection", projection, names()));
        };
        let (path, count) = (format!("projections[{index}]"), plan.projections[index].synapses());
        if !plan.part().is_whole() {
            let expected = "the synapses of a network that is divided among ranks are not on one of them";
            return Err(Error::invalid(path, format!("{projection:?}"), expected, "use one rank"));
        }
        if count > MAX_EDGES {
            let expected = format!("a file of edges has at most {MAX_EDGES}");
            return Err(Error::invalid(path, format!("{count} synapses"), expected, "use a smaller network"));
        }
        let mut table =
            EdgeTable { columns: Vec::new(), roundings: Vec::new(), pathways: Vec::new(), whole: None, network, plan, index };
        let network = table.network.clone();
        let lowered = Arc::new(LoweredNetwork::new(&network)?);
        let neurons = neurons::check(&lowered)?;
        let checked = checked::check(&lowered, index, &neurons)?;
        table.delays(&checked);
        if checked.model.is_static() {
            table.without_state(&lowered, checked, &neurons)?;
        } else {
            table.with_state(&lowered, &checked, words)?;
        }
        Ok(table)
    }

    /// Number of edges.
    #[expect(clippy::len_without_is_empty, reason = "not needed")]
    pub fn len(&self) -> u64 {
        self.plan.projections[self.index].synapses()
    }

    /// The name of the projection.
    pub fn projection(&self) -> &str {
        &self.network.projections[self.index].name
    }

    /// Names and units of the values.
    pub fn columns(&self) -> &[EdgeColumn] {
        &self.columns
    }

    /// Bytes of all arrays: 4 for each neuron, 8 for each value.
    pub fn bytes(&self) -> u64 {
        self.len() * (8 + 8 * self.columns.len() as u64)
    }

    /// Passes all edges to `visit`, in parts of about a million.
    ///
    /// # Errors
    /// An error of `visit`.
    pub fn for_each(&self, visit: &mut dyn FnMut(&EdgePart) -> io::Result<()>) -> io::Result<()> {
        if let Some(whole) = &self.whole {
            return visit(whole);
        }
        let (lowered, checked) = self.checked().map_err(io::Error::other)?;
        let mut drawing = self.preparing(&lowered, checked).and_then(finished).map_err(io::Error::other)?;
        while let Some(part) = drawing.next_part(&self.pathways).map_err(io::Error::other)? {
            visit(&self.rounded(part))?;
        }
        Ok(())
    }

    /// All edges at once.
    ///
    /// # Errors
    /// None that the construction did not find.
    pub fn all(&self) -> io::Result<EdgePart> {
        let mut all = EdgePart { values: vec![Vec::new(); self.columns.len()], ..EdgePart::default() };
        self.for_each(&mut |part| {
            all.pre.extend(&part.pre);
            all.post.extend(&part.post);
            all.values.iter_mut().zip(&part.values).for_each(|(all, part)| all.extend(part));
            Ok(())
        })?;
        Ok(all)
    }

    /// Writes a NumPy archive: the arrays `pre`, `post`, `delay_ms` and, such as `w [mV]`, one for each value. Drawn synapses are drawn once for each array.
    ///
    /// # Errors
    /// An error of the file.
    pub fn write_npz<W: Write + Seek>(&self, file: W) -> io::Result<W> {
        let (mut archive, count) = (NpzWriter::new(file), self.len() as usize);
        archive.add_parts::<u32>("pre", count, |put| self.for_each(&mut |part| put(&part.pre)))?;
        archive.add_parts::<u32>("post", count, |put| self.for_each(&mut |part| put(&part.post)))?;
        for (place, column) in self.columns.iter().enumerate() {
            archive.add_parts::<f64>(&column.header(), count, |put| self.for_each(&mut |part| put(&part.values[place])))?;
        }
        archive.finish()
    }

    /// Writes lines of values separated by commas, after a line with the names and units of the columns. Numbers have as many digits as
    /// identify them.
    ///
    /// # Errors
    /// An error of the file.
    pub fn write_csv(&self, file: impl Write) -> io::Result<()> {
        let mut file = BufWriter::with_capacity(PAGE, file);
        write!(file, "pre,post")?;
        self.columns.iter().try_for_each(|column| write!(file, ",{}", column.header()))?;
        writeln!(file)?;
        self.for_each(&mut |part| {
            for (edge, (pre, post)) in part.pre.iter().zip(&part.post).enumerate() {
                write!(file, "{pre},{post}")?;
                part.values.iter().try_for_each(|values| write!(file, ",{}", values[edge]))?;
                writeln!(file)?;
            }
            Ok(())
        })?;
        file.flush()
    }

    /// Replaces the rule of the projection in a network by a file of this table, and its values by the columns. Values that are the same for
    /// all synapses become numbers in the network.
    ///
    /// # Errors
    /// The network has no such projection.
    pub fn attach(&self, network: &mut Network, file: &str) -> Result<(), Error> {
        if network.populations.iter().any(|population| population.neurons.is_some()) {
            // These are indices, and a file of a network with a table of neurons has identifiers.
            let is_read = network.check_files().is_ok();
            let read = if is_read { std::mem::take(network) } else { Network::clone(&self.network) };
            *network = read.with_contents();
        }
        network.attach(self.projection(), file)?;
        let Some(projection) = network.projections.iter_mut().find(|of| of.name == self.projection()) else { return Ok(()) };
        projection.pairs = Some(Pairs::file(file));
        (projection.learned, projection.storage, projection.synapses_per_pair) = (None, None, None);
        (projection.max_indegree, projection.max_outdegree) = (None, None);
        for column in &self.columns {
            let EdgeColumn { name, shared, .. } = column;
            match (shared, DelayColumn::of_name(name)) {
                (None, Some(delay)) => delay.remove(projection),
                (None, None) => {
                    projection.parameters.shift_remove(name);
                    projection.initial.shift_remove(name);
                }
                (Some(_), Some(_)) => {}
                (Some(value), None) => {
                    let value = column.unit().map_or(Quantity::Number(*value), |unit| Quantity::Text(format!("{value} {unit}")));
                    projection.parameters.insert(name.clone(), value);
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, name: &str, unit: String, shared: Option<f64>, rounding: Option<Rounding>) {
        self.columns.push(EdgeColumn { name: name.to_owned(), unit, shared });
        self.roundings.push(rounding);
    }

    /// The columns of delays: the one of all presynaptic pathways, and others that differ between synapses. Others that are the same stay in the
    /// network.
    fn delays(&mut self, checked: &CheckedProjection) {
        let network = self.network.clone();
        let projection = &network.projections[self.index];
        for (index, pathway) in checked.model.pathways.iter().enumerate() {
            let Some(name) = DelayColumn::of(projection, pathway.end, &pathway.name).map(|column| column.to_string()) else {
                continue;
            };
            let shared = match &self.plan.projections[self.index].pathways[index].delay {
                PerSynapse::Shared(steps) => Some(self.delay(*steps, pathway.end)),
                _ => None,
            };
            let is_written = shared.is_none() || name == DelayColumn::default().to_string();
            // Pathways with the same delays have one column.
            if is_written && self.columns.iter().all(|column| column.name != name) {
                self.push(&name, "ms".into(), shared, None);
                self.pathways.push(index);
            }
        }
    }

    /// A delay in steps as the file gives it: spikes of events are numbered by the step after them.
    fn delay(&self, steps: u32, end: End) -> f64 {
        let is_event = end == End::Pre && self.network.event(&self.network.projections[self.index].pre.population).is_some();
        time::of_step(steps + u32::from(is_event), self.plan.dt_ms)
    }

    /// The names of the values, without the delay.
    fn names(&self) -> Vec<String> {
        let names = self.columns.iter().map(|column| column.name.clone());
        names.skip(self.pathways.len()).collect()
    }

    fn checked(&self) -> Result<(Arc<LoweredNetwork<'_>>, CheckedProjection), Error> {
        let lowered = Arc::new(LoweredNetwork::new(&self.network)?);
        let checked = checked::check(&lowered, self.index, &neurons::check(&lowered)?)?;
        Ok((lowered, checked))
    }

    fn preparing<'a>(&self, network: &Arc<LoweredNetwork<'a>>, checked: CheckedProjection) -> Result<Preparing<'a>, Error> {
        Preparing::of_values(network.clone(), self.index, checked, &self.names())
    }

    /// Drawn synapses with weights as they are used.
    fn rounded(&self, part: DrawnPart) -> EdgePart {
        let DrawnPart { pre, post, delays, values } = part;
        let ends = self.pathways.iter().map(|pathway| self.plan.projections[self.index].pathways[*pathway].end);
        let in_ms = |(steps, end): (Vec<u32>, End)| steps.into_iter().map(|steps| self.delay(steps, end)).collect();
        let mut values: Vec<Vec<f64>> = delays.into_iter().zip(ends).map(in_ms).chain(values).collect();
        for (values, (rounding, column)) in values.iter_mut().zip(self.roundings.iter().zip(&self.columns)) {
            if let Some(shared) = column.shared {
                values.fill(shared);
            } else if let Some(rounding) = rounding {
                values.iter_mut().for_each(|value| *value = rounding.apply(*value, false));
            }
        }
        EdgePart { pre, post, values }
    }

    /// The columns of synapses without state: all values that differ, and weights.
    fn without_state(
        &mut self,
        network: &Arc<LoweredNetwork<'_>>,
        checked: CheckedProjection,
        neurons: &[CheckedPopulation],
    ) -> Result<(), Error> {
        let projection = &network.projections[self.index];
        let ends = EndValues::new(network, self.index)?;
        let named = named(self.index, &checked, &EdgelessContext { dt: network.dt_ms, projection, ends })?;
        for (name, (dimension, values)) in named.0.iter().filter(|(name, _)| projection.mentions(name)) {
            let rounding = Rounding::of(&self.plan, self.index, (&checked.model, &neurons[checked.post]), name);
            let shared = values.is_uniform().then(|| values.at(0));
            if rounding.is_none() && shared.is_some() {
                continue;
            }
            let shared = shared.map(|weight| rounding.map_or(weight, |rounding| rounding.apply(weight, true)));
            self.push(name, unit(*dimension), shared, rounding);
        }
        let drawing = finished(self.preparing(network, checked)?)?;
        if drawing.is_done() {
            self.whole = Some(self.rounded(drawing.whole(&self.pathways, &self.names())?));
        }
        Ok(())
    }

    /// The columns of synapses with state, and their values.
    fn with_state(
        &mut self,
        network: &Arc<LoweredNetwork<'_>>,
        checked: &CheckedProjection,
        words: Option<&HashMap<ArrayId, Vec<u32>>>,
    ) -> Result<(), Error> {
        let (of_file, plan, index) = (self.network.clone(), self.plan.clone(), self.index);
        let (of, projection) = (&plan.projections[index], &network.projections[index]);
        let (rows, own) = (of.rows(), plan.own(of.post));
        let listed = projection.pairs.as_ref().map(|pairs| pairs.len());
        let ends = EndValues::new(network, index)?;
        let edges = KnownEdges::new(network.network(), (index, listed), rows, of.pre_slice.start, own, ends);
        let named = named(index, checked, &edges)?;
        let order = rows.in_order_of_pairs();
        let (pre, post) = order.iter().map(|edge| edges.neurons(*edge)).map(|[pre, post]| (pre, post)).unzip();
        let mut whole = EdgePart { pre, post, values: Vec::new() };
        for pathway in &self.pathways {
            let end = of.pathways[*pathway].end;
            whole.values.push(order.iter().map(|edge| self.delay(of.delay(*pathway, *edge), end)).collect());
        }
        let learned = of_file.projections[index].learned.as_ref().and_then(|file| file.learned());
        for (name, (dimension, values)) in named.0.iter().filter(|(name, _)| projection.mentions(name)) {
            let array = plan.arrays().named().find(|(_, entry)| entry.owner.of_synapses() == Some(index) && entry.name() == name);
            let is_learned = learned.is_some_and(|learned| learned.variables.contains_key(name));
            let values = match array {
                Some((array, ArrayEntry { owner: Owner::Traces { end, .. }, .. })) => {
                    let words = words.and_then(|words| words.get(&array)).filter(|words| **words != plan.initial_words(array));
                    // Before the run it is one value, which stays in the network.
                    let Some(words) = words else { continue };
                    let neuron = |edge: usize| edges.neurons(edge)[usize::from(*end == End::Post)];
                    order.iter().map(|edge| f64::from(f32::from_bits(words[neuron(*edge) as usize]))).collect()
                }
                Some((array, entry)) if !entry.is_parameter() || is_learned => {
                    let initial;
                    let words = match words.and_then(|words| words.get(&array)) {
                        Some(words) => words,
                        None => {
                            initial = plan.initial_words(array);
                            &initial
                        }
                    };
                    order.iter().map(|edge| f64::from(f32::from_bits(words[*edge]))).collect()
                }
                _ if values.is_uniform() => continue,
                _ => order.iter().map(|edge| values.at(*edge)).collect(),
            };
            self.push(name, unit(*dimension), None, None);
            whole.values.push(values);
        }
        self.whole = Some(whole);
        Ok(())
    }
}

/// A prepared drawing.
fn finished(mut preparing: Preparing<'_>) -> Result<Drawing<'_>, Error> {
    while !preparing.advance()? {}
    preparing.finish()
}

/// The inner unit of a value; empty for pure numbers.
fn unit(dimension: Dimension) -> String {
    if dimension == Dimension::NONE { String::new() } else { dimension.inner_unit() }
}
