//! Conversion of sources and events to populations: the language has a threshold for every kind of source. Linked variables become
//! projections.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use spikelet_lang::Dimension;
use spikelet_lang::model::{NeuronModel, PoissonInput, Role, Table, Variable};
use spikelet_lang::own::OwnFunctions;
use spikelet_lang::syntax::BinaryOp;
use spikelet_lang::term::{self, Function, Node, Symbol};
use spikelet_network::{Error, Link, Network, Population, Projection, Quantity, Rule, Source, SourceKind};
use spikelet_rows::connect::Space;
use spikelet_rows::{Part, Partition};

use crate::values::neuron_start::NeuronStart;
use crate::values::places::Spaces;

/// Maximum number of steps of a list of spikes: the integers of f32.
const MAX_STEP: f64 = 16_777_216.0;

/// A network whose sources and events stand among its populations, and whose linked variables among its projections, after the others.
pub(crate) struct LoweredNetwork<'a> {
    network: &'a Network,
    /// The neurons whose values and synapses are wanted.
    pub(crate) part: Arc<Part>,
    pub(crate) populations: Vec<Cow<'a, Population>>,
    /// The path of each population in the file.
    pub(crate) paths: Arc<Vec<String>>,
    /// For each population its spikes, if it is a list of spikes.
    pub(crate) spikes: Vec<Option<Arc<SpikeList>>>,
    /// For each population the positions of its neurons, if there are any.
    pub(crate) spaces: Vec<Option<Arc<Space>>>,
    /// Functions of its own.
    pub(crate) functions: OwnFunctions,
    /// For each population the values of its neurons at the start, once an expression of a projection needs them.
    pub(crate) starts: Vec<OnceLock<Result<Arc<NeuronStart>, Error>>>,
    /// The projections of the file, and then those that are generated.
    pub(crate) projections: Vec<Cow<'a, Projection>>,
    pub(crate) generated: Vec<Generated>,
}

/// A projection that is not in the file.
#[derive(Clone)]
pub(crate) enum Generated {
    /// It copies the values of a linked variable.
    Link(LinkedVariable),
    /// It has the synapses of this projection in the opposite direction, and adds to the neurons that are presynaptic there.
    ToPre(usize),
}

/// A linked variable of a population.
#[derive(Clone)]
pub(crate) struct LinkedVariable {
    /// Its name in the equations.
    pub(crate) name: String,
    /// The name of its source: a variable, a parameter or a subexpression, which is not linked itself.
    pub(crate) source: String,
    /// The path of its link in the file.
    pub(crate) path: String,
}

/// The spikes of a source, neuron by neuron, as a table of steps.
pub(crate) struct SpikeList {
    /// Offset of each neuron's first spike.
    pub(crate) first: Vec<f64>,
    /// The steps in order, and after those of each neuron a step that never comes.
    pub(crate) steps: Vec<f32>,
}

impl SpikeList {
    fn new(size: u32, times: &[(u32, f64)], dt: f64, path: &str) -> Result<SpikeList, Error> {
        let mut sorted: Vec<(u32, f64)> = times.iter().map(|(neuron, time)| (*neuron, Source::step(*time, dt))).collect();
        sorted.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        if let Some((_, step)) = sorted.iter().find(|(_, step)| *step > MAX_STEP) {
            let expected = format!("a list of spikes can have at most {MAX_STEP} steps");
            return Err(Error::invalid(format!("{path}.spike_times_ms"), step * dt, expected, "use a longer dt, or shorten it"));
        }
        if sorted.len() as f64 + f64::from(size) > MAX_STEP {
            let expected = format!("a source can have at most {MAX_STEP} spikes and neurons");
            return Err(Error::invalid(format!("{path}.spike_times_ms"), sorted.len(), expected, "split it into two sources"));
        }
        let (mut first, mut steps, mut rest) = (Vec::new(), Vec::new(), sorted.as_slice());
        for neuron in 0..size {
            first.push(steps.len() as f64);
            let (own, others) = rest.split_at(rest.partition_point(|(other, _)| *other == neuron));
            steps.extend(own.iter().map(|(_, step)| *step as f32));
            steps.push(f32::MAX);
            rest = others;
        }
        Ok(SpikeList { first, steps })
    }

    /// A model that fires when the step is the next one of its list.
    pub(crate) fn model(&self) -> NeuronModel {
        let next = term::symbol(Symbol::Variable(0));
        let steps = term::divide(&term::symbol(Symbol::Time), &term::symbol(Symbol::Dt));
        let step = term::call(Function::Floor, term::add(&steps, &term::number(0.5)));
        let due: term::Term = Arc::new(Node::Lookup(0, next.clone()));
        let table = Table { rows: self.steps.len(), columns: 1, row_ms: 1f64.to_bits(), dimension: Dimension::NONE };
        NeuronModel {
            // Nothing else changes it.
            variables: vec![Variable { written: true, constant: true, ..Variable::new("next", Dimension::NONE, Role::Declared) }],
            threshold: Some(Arc::new(Node::Binary(BinaryOp::Equal, due, step))),
            reset: vec![(0, term::add(&next, &term::number(1.0)))],
            tables: [("steps".to_owned(), table)].into_iter().collect(),
            ..NeuronModel::default()
        }
    }
}

impl<'a> LoweredNetwork<'a> {
    /// A network as a whole.
    pub(crate) fn new(network: &'a Network) -> Result<LoweredNetwork<'a>, Error> {
        let sizes = Partition::shape(network).into_iter().map(|(_, size)| size);
        LoweredNetwork::of_part(network, Arc::new(Part::whole(sizes)))
    }

    /// A network, of which a part is wanted.
    pub(crate) fn of_part(network: &'a Network, part: Arc<Part>) -> Result<LoweredNetwork<'a>, Error> {
        let mut lowered = LoweredNetwork {
            network,
            part,
            populations: network.populations.iter().map(Cow::Borrowed).collect(),
            paths: Arc::default(),
            spikes: network.populations.iter().map(|_| None).collect(),
            spaces: Vec::new(),
            functions: network.own_functions()?,
            starts: Vec::new(),
            projections: network.projections.iter().map(Cow::Borrowed).collect(),
            generated: Vec::new(),
        };
        let mut paths: Vec<String> = (0..network.populations.len()).map(|index| format!("populations[{index}]")).collect();
        for (index, population) in (0..).zip(&network.populations) {
            let path = format!("populations[{index}].positions");
            let place = |positions| Space::new(positions, &path, network.seed, index, population.size).map(Arc::new);
            lowered.spaces.push(population.positions.as_ref().map(place).transpose()?);
        }
        for (index, source) in network.sources.iter().enumerate() {
            let path = format!("sources[{index}]");
            let Some(population) = neurons_of_source(source) else { continue };
            let spikes = match &source.kind {
                SourceKind::Spikes { size, spike_times_ms } => {
                    Some(Arc::new(SpikeList::new(*size, spike_times_ms, network.dt_ms, &path)?))
                }
                _ => None,
            };
            lowered.populations.push(Cow::Owned(population));
            paths.push(path);
            lowered.spikes.push(spikes);
            lowered.spaces.push(None);
        }
        for (index, event) in network.events_with_neurons() {
            lowered.populations.push(Cow::Owned(neurons_of_event(&network.populations[index], event)));
            paths.push(format!("populations[{index}].events.{event}"));
            lowered.spikes.push(None);
            lowered.spaces.push(lowered.spaces[index].clone());
        }
        lowered.paths = Arc::new(paths);
        lowered.starts.resize_with(lowered.populations.len(), OnceLock::new);
        lowered.with_generated()
    }

    /// The same network with other values: sizes, positions, lists of spikes and what is generated do not depend on them.
    pub(crate) fn with_values<'b>(&'b self, network: &'b Network) -> LoweredNetwork<'b> {
        let sources = network.sources.iter().filter_map(neurons_of_source).map(Cow::Owned);
        let mut populations: Vec<Cow<'b, Population>> = network.populations.iter().map(Cow::Borrowed).chain(sources).collect();
        populations.extend(self.populations[populations.len()..].iter().map(|of| Cow::Borrowed(&**of)));
        let generated = self.projections[network.projections.len()..].iter().map(|of| Cow::Owned((**of).clone()));
        LoweredNetwork {
            network,
            part: self.part.clone(),
            starts: populations.iter().map(|_| OnceLock::new()).collect(),
            populations,
            paths: self.paths.clone(),
            spikes: self.spikes.clone(),
            spaces: self.spaces.clone(),
            functions: self.functions.clone(),
            projections: network.projections.iter().map(Cow::Borrowed).chain(generated).collect(),
            generated: self.generated.clone(),
        }
    }

    /// The random input of a population.
    pub(crate) fn inputs(&self, population: &str) -> Result<Vec<PoissonInput>, Error> {
        let mut inputs = Vec::new();
        for (index, source) in self.network.sources.iter().enumerate() {
            if let SourceKind::PoissonInput { targets, var, n, rate, weight } = &source.kind
                && source.kind.acts_on(population)
            {
                let size = self.network.population(population).map_or(0, |population| population.size);
                let own = targets.iter().filter(|target| target.population == population).map(|target| target.range(size));
                let slices = own.filter(|range| *range != (0..size)).map(|range| [range.start, range.end]).collect();
                let text = |quantity: &Quantity, key: &str| {
                    quantity.text().ok_or_else(|| {
                        let (path, expected) =
                            (format!("sources[{index}].{key}"), "one value or expression is used for all targets");
                        Error::invalid(path, quantity, expected, "use a number, or {\"expr\": \"…\"} with `i`")
                    })
                };
                let (rate, weight) = (text(rate, "rate")?, text(weight, "weight")?);
                inputs.push(PoissonInput {
                    path: format!("sources[{index}]"),
                    variable: var.clone(),
                    number: n.to_string(),
                    rate,
                    weight,
                    slices,
                });
            }
        }
        Ok(inputs)
    }

    /// The definition of the synapses of a projection.
    pub(crate) fn rule(&self, index: usize) -> Result<Rule<'a>, Error> {
        Ok(match (&self.projections[index], self.generated(index)) {
            (Cow::Borrowed(projection), _) => projection.rule(),
            (_, Some(Generated::ToPre(of))) => Rule::Pairs(Cow::Owned(self.pairs_of(*of)?)),
            (Cow::Owned(projection), _) => Rule::Pairs(Cow::Owned(projection.pairs.as_deref().unwrap_or_default().to_vec())),
        })
    }

    /// The original network.
    pub(crate) fn network(&self) -> &'a Network {
        self.network
    }

    /// The neuron of a population that an expression gives as its index. `of_what` is the path of the expression, and what the neuron is; `example`
    /// is such an expression.
    ///
    /// # Errors
    /// There is no such neuron.
    pub(crate) fn neuron_at(
        &self,
        population: usize,
        index: f64,
        of_what: impl FnOnce() -> (String, String),
        example: &str,
    ) -> Result<u32, Error> {
        let of = &self.populations[population];
        if index >= 0.0 && index < f64::from(of.size) && index == libm::floor(index) {
            return Ok(index as u32);
        }
        let (path, what) = of_what();
        let neurons = match of.size {
            1 => "neuron 0 alone".to_owned(),
            size => format!("neurons 0 to {}", size - 1),
        };
        let expected = format!("{what}, and `{}` has {neurons}", of.name);
        Err(Error::invalid(path, index, expected, format!("use one of these, for example \"{example}\"")))
    }

    /// The positions of the neurons of both sides of a projection, if they use the same space.
    pub(crate) fn ends_in_space(&self, index: usize) -> Spaces {
        let projection = &self.projections[index];
        let of = |name: &str| self.spaces[self.find(name)?].clone();
        let ends = [of(&projection.pre.population)?, of(&projection.post.population)?];
        (ends[0].dimensions == ends[1].dimensions && ends[0].extent == ends[1].extent).then_some(ends)
    }

    /// The population or source named `name`.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.populations.iter().position(|population| population.name == name)
    }
}

/// The population of a source; `None` for random input, which has no neurons of its own.
fn neurons_of_source(source: &Source) -> Option<Population> {
    let population = Population { name: source.name.clone(), size: source.size(), ..Population::default() };
    match &source.kind {
        SourceKind::PoissonInput { .. } => None,
        SourceKind::Spikes { .. } => Some(population),
        SourceKind::Poisson { rate, .. } => {
            let parameters = [("rate".to_owned(), rate.clone())].into_iter().collect();
            let (equations, threshold) = (Some("rate : Hz (constant)".into()), Some("rand() < rate*dt".into()));
            Some(Population { equations, threshold, parameters, ..population })
        }
    }
}

/// A population with a neuron for each one of another population, which fires in the step after an event of that neuron.
fn neurons_of_event(of: &Population, event: &str) -> Population {
    let link = Link { population: of.name.clone(), var: event.to_owned(), index: None };
    Population {
        name: format!("{}.{event}", of.name),
        size: of.size,
        equations: Some("happened : boolean (linked)".into()),
        threshold: Some("happened".into()),
        linked: [("happened".to_owned(), link)].into_iter().collect(),
        ..Population::default()
    }
}

impl std::ops::Deref for LoweredNetwork<'_> {
    type Target = Network;

    fn deref(&self) -> &Network {
        self.network
    }
}
