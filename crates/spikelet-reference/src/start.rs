//! Values before the first step. Connectivity, and whatever is drawn, are the product's: functions of coordinates (rule 10.1). The rest is
//! evaluated here.

use std::collections::{BTreeMap, HashSet};

use indexmap::IndexMap;
use spikelet::{BuildOptions, Builder, Plan};
use spikelet_lang::syntax::{AssignKind, Statement, parse_quantity, parse_statements, parse_unit};
use spikelet_lang::{End, library};
use spikelet_network::{Delays, Network, Population, Projection, Quantity, Source, SourceKind, nearest_step, texts};

use crate::expression::{Scope, evaluate};
use crate::neurons::{Firing, Neurons, typed};
use crate::sites::draws;
use crate::synapses::{ProjectedSynapses, of_end};
use crate::text::{Model, names};
use crate::{Error, World};

/// The values of the elements of an object, by name: what is given, what the model says of it, and what else its expressions may name.
pub(crate) struct Given<'a> {
    pub(crate) quantities: &'a IndexMap<String, Quantity>,
    pub(crate) model: &'a Model,
    pub(crate) count: usize,
    /// The place of an element in lists.
    pub(crate) place: &'a dyn Fn(usize) -> usize,
    /// Indices, sizes, values of neurons.
    pub(crate) other: &'a dyn Fn(&str, usize) -> Option<f64>,
    /// What is drawn.
    pub(crate) drawn: &'a dyn Fn(&str) -> Option<Vec<f64>>,
    pub(crate) world: &'a World,
}

struct Element<'a> {
    given: &'a Given<'a>,
    known: &'a IndexMap<String, Vec<f64>>,
    element: usize,
}

impl Scope for Element<'_> {
    fn name(&self, name: &str) -> Result<Option<f64>, Error> {
        Ok(match self.known.get(name) {
            Some(values) => Some(values[self.element]),
            None if name == "dt" => Some(self.given.world.dt),
            None => (self.given.other)(name, self.element),
        })
    }

    fn call(&self, name: &str, arguments: &[f64]) -> Result<Option<f64>, Error> {
        self.given.world.function(name, arguments)
    }
}

impl Given<'_> {
    /// All values.
    pub(crate) fn all(&self) -> Result<IndexMap<String, Vec<f64>>, Error> {
        let mut known = IndexMap::new();
        self.quantities.keys().try_for_each(|name| self.value(name, &mut known))?;
        Ok(known)
    }

    /// Computes the value of a name, after those that it needs.
    pub(crate) fn value(&self, name: &str, known: &mut IndexMap<String, Vec<f64>>) -> Result<(), Error> {
        let Some(quantity) = self.quantities.get(name).filter(|_| !known.contains_key(name)) else { return Ok(()) };
        if matches!(quantity, Quantity::Timed { .. }) || quantity.function_of_time().is_some() {
            return Ok(());
        }
        let values = self.of(name, quantity, known)?;
        let declared = self.model.variables.get(name).map(|of| of.declared).unwrap_or_default();
        known.insert(name.to_owned(), values.into_iter().map(|value| typed(declared, value)).collect());
        Ok(())
    }

    /// The value of a quantity in each element.
    pub(crate) fn of(&self, name: &str, given: &Quantity, known: &mut IndexMap<String, Vec<f64>>) -> Result<Vec<f64>, Error> {
        let drawn = || (self.drawn)(name).ok_or_else(|| Error::Unsupported(format!("the value of {name}, which is drawn")));
        match given {
            Quantity::Number(value) => Ok(vec![*value; self.count]),
            Quantity::Values { values, unit } => {
                let factor = unit.as_ref().map_or(Ok(1.0), |unit| parse_unit(unit).map(|of| of.factor)).map_err(Error::text)?;
                Ok((0..self.count).map(|element| values[(self.place)(element)] * factor).collect())
            }
            Quantity::Timed { .. } => Err(Error::Unsupported(format!("a timed array as the value of {name}"))),
            Quantity::Text(text) | Quantity::Expr(text) => {
                let expression = self.model.inlined(&parse_quantity(name, text).map_err(Error::text)?);
                if draws(&expression) {
                    return drawn();
                }
                let mut needed = Vec::new();
                names(&expression, &mut |inner| needed.push(inner.to_owned()));
                needed.iter().filter(|inner| *inner != name).try_for_each(|inner| self.value(inner, known))?;
                let value = |element| evaluate(&expression, &Element { given: self, known, element });
                match (0..self.count).map(value).collect() {
                    // Coordinates, distances.
                    Err(Error::Name(_)) => drawn(),
                    values => values,
                }
            }
        }
    }
}

/// The plan of a network of which all synapses have state, so that it knows all values that are drawn.
pub(crate) fn plan(network: &Network) -> Result<Plan, Error> {
    let mut network = network.clone();
    (network.changes, network.stop, network.recordings, network.statistics) = Default::default();
    network.projections.iter_mut().for_each(|of| (of.storage, of.weights) = (None, None));
    let build = |network: &Network| -> Result<Plan, Error> {
        Ok(Builder::new(network, BuildOptions { exact: true, ..BuildOptions::default() })?.finish()?)
    };
    let plan = build(&network)?;
    let without: Vec<usize> = (0..network.projections.len()).filter(|index| plan.projections[*index].state.is_none()).collect();
    for index in &without {
        let projection = &mut network.projections[*index];
        let of_library = projection.model.as_deref().and_then(|name| library(name).ok()?.on_pre().map(str::to_owned));
        let first = projection.pathways(End::Pre).next().map(|(name, text)| (name.to_owned(), text.to_owned()));
        let all: Vec<(String, String)> = projection.pathways(End::Pre).map(|(name, text)| (name.into(), text.into())).collect();
        let Some((name, text)) = first.or_else(|| Some(("pre".to_owned(), of_library?))) else { continue };
        let statements = parse_statements("on_pre", &text).map_err(Error::texts)?;
        let adds = |of: &&Statement| matches!(of.kind, AssignKind::Change(_)) && !of.target.ends_with("_pre");
        let Some(target) = statements.iter().find(adds).map(|of| of.target.as_str()) else { continue };
        let inner = target.strip_suffix("_post").unwrap_or(target);
        // An assignment without an effect.
        let text = format!("{text}\n{inner}_post = {inner}_post");
        let others = all.into_iter().filter(|(other, _)| *other != name);
        projection.on_pre = Some(others.chain([(name.clone(), text)]).collect());
    }
    if without.is_empty() { Ok(plan) } else { build(&network) }
}

/// The populations of a network: its own, its sources, and the neurons of its events.
pub(crate) fn populations(network: &Network, plan: &Plan, world: &World) -> Result<Vec<Neurons>, Error> {
    let mut populations: Vec<Neurons> = Vec::new();
    for population in &network.populations {
        populations.push(neurons(network, population, Firing::Threshold, plan, populations.len(), world)?);
    }
    for source in &network.sources {
        let of = Population { name: source.name.clone(), size: source.size(), ..Population::default() };
        let (of, firing) = match &source.kind {
            SourceKind::PoissonInput { .. } => continue,
            SourceKind::Spikes { spike_times_ms, .. } => {
                let mut steps: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
                for (neuron, time) in spike_times_ms {
                    steps.entry(Source::step(*time, network.dt_ms) as u32).or_default().push(*neuron);
                }
                steps.values_mut().for_each(|neurons| {
                    neurons.sort_unstable();
                    neurons.dedup();
                });
                (of, Firing::List(steps))
            }
            SourceKind::Poisson { rate, .. } => {
                let parameters = [("rate".to_owned(), rate.clone())].into_iter().collect();
                let (equations, threshold) = (Some("rate : Hz (constant)".into()), Some("rand() < rate*dt".into()));
                (Population { equations, threshold, parameters, ..of }, Firing::Threshold)
            }
        };
        populations.push(neurons(network, &of, firing, plan, populations.len(), world)?);
    }
    for (index, event) in network.events_with_neurons() {
        let name = format!("{}.{event}", network.populations[index].name);
        let of = Population { name, size: network.populations[index].size, ..Population::default() };
        let firing = Firing::Event(index, event.to_owned());
        populations.push(neurons(network, &of, firing, plan, populations.len(), world)?);
    }
    Ok(populations)
}

/// Parameters and initial values of a population, those of its model among them.
pub(crate) fn quantities_of_population(population: &Population) -> IndexMap<String, Quantity> {
    let own = texts::own(population);
    own.parameters.into_iter().chain(own.initial).collect()
}

/// The names that values of neurons may use beside each other: index and size.
pub(crate) fn names_of_neurons(size: usize) -> impl Fn(&str, usize) -> Option<f64> {
    move |name, neuron| match name {
        "i" => Some(neuron as f64),
        "N" => Some(size as f64),
        _ => None,
    }
}

/// The same of synapses between these neurons: also values of both neurons (rules 9.1 and 9.4).
pub(crate) fn names_of_synapses<'a>(
    neurons: &'a [[u32; 3]],
    ends: [usize; 3],
    populations: &'a [Neurons],
) -> impl Fn(&str, usize) -> Option<f64> + 'a {
    let number = move |end: usize, neuron: u32| neurons.iter().filter(|of| of[end] == neuron).count() as f64;
    move |name, synapse| {
        let [pre, post, _] = neurons[synapse];
        Some(match (name, of_end(name)) {
            ("i", _) => f64::from(pre),
            ("j", _) => f64::from(post),
            ("N", _) => neurons.len() as f64,
            ("N_pre", _) => populations[ends[0]].size as f64,
            ("N_post", _) => populations[ends[1]].size as f64,
            ("N_outgoing", _) => number(0, pre),
            ("N_incoming", _) => number(1, post),
            (_, Some((end, inner))) if end != End::Third => {
                populations[ends[end as usize]].values.get(inner)?[neurons[synapse][end as usize] as usize]
            }
            _ => return None,
        })
    }
}

/// The values that are given for the neurons of a population.
pub(crate) fn given_neurons<'a>(
    quantities: &'a IndexMap<String, Quantity>,
    model: &'a Model,
    size: usize,
    drawn: &'a dyn Fn(&str) -> Option<Vec<f64>>,
    world: &'a World,
    other: &'a dyn Fn(&str, usize) -> Option<f64>,
) -> Given<'a> {
    Given { quantities, model, count: size, place: &|neuron| neuron, other, drawn, world }
}

fn neurons(
    network: &Network,
    population: &Population,
    firing: Firing,
    plan: &Plan,
    index: usize,
    world: &World,
) -> Result<Neurons, Error> {
    let model = Model::population(network, population)?;
    let (size, quantities) = (population.size as usize, quantities_of_population(population));
    let drawn = |name: &str| {
        let place = plan.populations[index].program.variables.iter().position(|of| of == name)?;
        let values = plan.exact_population(index).initial.swap_remove(place);
        Some(if values.len() == 1 { vec![values[0]; size] } else { values })
    };
    let other = names_of_neurons(size);
    let mut values = given_neurons(&quantities, &model, size, &drawn, world, &other).all()?;
    let names = model.variables.keys().chain(model.definitions.iter().filter(|(_, of)| of.held).map(|(name, _)| name));
    for name in names {
        if !values.contains_key(name) {
            values.insert(name.clone(), vec![0.0; size]);
        }
    }
    let winners = match &population.winners {
        Some(winners) => Some(winners.rule("winners", population.size)?),
        None => None,
    };
    Ok(Neurons {
        name: population.name.clone(),
        first: plan.populations[index].first,
        size,
        scheme: None,
        firing,
        values,
        last: vec![None; size],
        resting: vec![false; size],
        rests_at_spike: vec![false; size],
        pending: IndexMap::new(),
        winners,
        group: population.winners.as_ref().and_then(|of| of.group.clone()),
        model,
    })
}

/// Parameters and initial values of a projection, those of its model among them.
pub(crate) fn quantities_of_projection(projection: &Projection) -> Result<IndexMap<String, Quantity>, Error> {
    let mut quantities: IndexMap<String, Quantity> = IndexMap::new();
    quantities.insert("plasticity".into(), Quantity::Number(1.0));
    if let Some(name) = &projection.model {
        let model = library(name).map_err(|_| Error::Name(name.clone()))?;
        quantities.extend(model.parameters.iter().map(|(name, of)| (name.clone(), of.default.as_str().into())));
        quantities.extend(model.initial.iter().map(|(name, of)| (name.clone(), of.as_str().into())));
        let preset = projection.preset.as_ref().and_then(|name| model.presets.get(name));
        let values = preset.iter().flat_map(|of| of.parameters.iter().chain(&of.initial));
        quantities.extend(values.map(|(name, of)| (name.clone(), of.as_str().into())));
    }
    quantities.extend(projection.parameters.clone());
    quantities.extend(projection.initial.clone());
    Ok(quantities)
}

/// The delays of the synapses for a pathway, in steps (rule 1.3).
fn delays(
    projection: &Projection,
    (end, pathway): (End, &str),
    given: &Given<'_>,
    known: &mut IndexMap<String, Vec<f64>>,
) -> Result<Vec<u32>, Error> {
    let zero = Quantity::Number(0.0);
    let delay = projection.delays(end).1.map_or(&zero, |delays| match delays {
        Delays::Same(delay) => delay,
        each => each.of(pathway),
    });
    let place = format!("{}.{pathway}", end.name());
    let values = given.of(&place, delay, known)?;
    Ok(values.into_iter().map(|delay| nearest_step(delay / given.world.dt) as u32).collect())
}

/// The projections of a network.
pub(crate) fn projections(
    network: &Network,
    plan: &Plan,
    populations: &[Neurons],
    world: &World,
) -> Result<Vec<ProjectedSynapses>, Error> {
    let of = |(index, projection): (usize, &Projection)| synapses(network, (index, projection), plan, populations, world);
    network.projections.iter().enumerate().map(of).collect()
}

fn synapses(
    network: &Network,
    (index, projection): (usize, &Projection),
    plan: &Plan,
    populations: &[Neurons],
    world: &World,
) -> Result<ProjectedSynapses, Error> {
    let (planned, model) = (&plan.projections[index], Model::projection(network, projection)?);
    let find = |name: &str| populations.iter().position(|of| of.name == name).ok_or_else(|| Error::Name(name.into()));
    let [pre, post] = [find(&projection.pre.population)?, find(&projection.post.population)?];
    let third = projection.third.as_ref().map(|third| find(&third.population)).transpose()?;
    let ends = [pre, post, third.unwrap_or(post)];
    let rows = planned.rows();
    let mut neurons = Vec::new();
    for (row, from) in planned.pre_slice.clone().enumerate() {
        for edge in rows.offsets[row] as usize..rows.offsets[row + 1] as usize {
            let to = rows.target(edge);
            neurons.push([from, to, planned.third.as_ref().map_or(to, |third| third.neurons[edge])]);
        }
    }
    let count = neurons.len();
    let degree = |end: usize, of: &[u32; 3]| neurons.iter().filter(|other: &&[u32; 3]| other[end] == of[end]).count() as f64;
    let degrees = neurons.iter().map(|of| [degree(0, of), degree(1, of)]).collect();
    let mut listed: Vec<usize> = (0..count).collect();
    if !rows.pairs.is_empty() {
        listed.sort_by_key(|edge| rows.pairs[*edge]);
    }
    let state = planned.state.as_ref();
    let drawn = |name: &str| {
        if let Some((end, pathway)) = name.split_once('.') {
            let known = &plan.synapse_model(index).pathways;
            let place = known.iter().position(|of| of.end.name() == end && of.name == pathway)?;
            let early = u32::from(network.event(&projection.pre.population).is_some() && end == "pre");
            return Some((0..count).map(|edge| f64::from(planned.delay(place, edge) + early) * world.dt).collect());
        }
        let (state, exact) = (state?, state?.exact.as_ref()?);
        let values = match (state.array(name), state.trace(name)) {
            (Some(array), _) => exact.arrays[array].to_vec(),
            (None, trace) => vec![exact.traces[trace?]],
        };
        Some(if values.len() == 1 { vec![values[0]; count] } else { values })
    };
    let quantities = quantities_of_projection(projection)?;
    let place = |edge: usize| rows.pairs.get(edge).map_or(edge, |pair| *pair as usize);
    let (mut values, delays) = {
        let other = names_of_synapses(&neurons, ends, populations);
        let given = Given { quantities: &quantities, model: &model, count, place: &place, other: &other, drawn: &drawn, world };
        let mut values = given.all()?;
        let delays = model.pathways.iter().map(|of| delays(projection, (of.end, &of.name), &given, &mut values));
        let delays = delays.collect::<Result<Vec<Vec<u32>>, Error>>()?;
        (values, delays)
    };
    for name in model.variables.keys().chain(model.held().into_iter().map(|(name, _)| name)) {
        if !values.contains_key(name) {
            values.insert(name.clone(), vec![0.0; count]);
        }
        if projection.learned.is_some()
            && let Some(learned) = drawn(name)
        {
            values.insert(name.clone(), learned);
        }
    }
    let post_size = 0..populations[post].size as u32;
    let third_size = populations[ends[2]].size as u32;
    let slices = [planned.pre_slice.clone(), projection.post.range(post_size.end), 0..third_size];
    let in_flight = model.pathways.iter().map(|_| BTreeMap::new()).collect();
    let plastic = plastic(&model);
    Ok(ProjectedSynapses {
        name: projection.name.clone(),
        index: index as u32,
        scheme: None,
        ends,
        has_third: third.is_some(),
        degrees,
        listed,
        values,
        updated: vec![0; count],
        plastic,
        delays,
        in_flight,
        slices,
        neurons,
        model,
    })
}

/// The plastic variables (rule 6.15): those with the flag; without any flag what spikes or equations change and does not decay by itself.
fn plastic(model: &Model) -> HashSet<String> {
    let flagged: HashSet<String> = model.variables.keys().filter(|name| model.has(name, "plastic")).cloned().collect();
    if !flagged.is_empty() {
        return flagged;
    }
    let written = model.written();
    let returns = |name: &str| {
        let mut equations = model.differential.iter().chain(&model.event_driven);
        equations.any(|(of, rate)| of == name && model.inlined(rate).mentions(name))
    };
    model.variables.keys().filter(|name| written.contains(*name) && !returns(name)).cloned().collect()
}

/// A link: for each neuron the index of the other one (rules 3.5 and 8.9).
pub(crate) fn link(
    populations: &[Neurons],
    network: &Network,
    population: usize,
    name: &str,
    world: &World,
) -> Result<(usize, String, Vec<usize>), Error> {
    let (of, link) = (&populations[population], &network.populations[population].linked[name]);
    let source =
        populations.iter().position(|other| other.name == link.population).ok_or_else(|| Error::Name(link.population.clone()))?;
    let quantities = quantities_of_population(&network.populations[population]);
    let other = names_of_neurons(of.size);
    let given = given_neurons(&quantities, &of.model, of.size, &|_| None, world, &other);
    let index = match &link.index {
        Some(index) => given.of(name, index, &mut IndexMap::new())?,
        None if populations[source].size == 1 => vec![0.0; of.size],
        None => (0..of.size).map(|neuron| neuron as f64).collect(),
    };
    Ok((source, link.var.clone(), index.into_iter().map(|index| index as usize).collect()))
}
