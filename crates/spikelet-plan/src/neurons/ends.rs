//! The values of the neurons at both ends of a pair, before the run: positions and distance, and parameters and variables of the populations.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use spikelet_lang::check::COUNTS;
use spikelet_lang::model::Role;
use spikelet_lang::term::Symbol;
use spikelet_lang::{Dimension, End};
use spikelet_network::{Connector, Delays, Error, Projection, Quantity};

use super::population::{CheckedPopulation, computed};
use super::sources::LoweredNetwork;
use crate::values::Values;
use crate::values::neuron_start::NeuronStart;
use crate::values::places::{PLACES, Spaces, place_symbol, place_value};

/// Number of the first [`Symbol::Read`] that is not a place: `N_pre`, then `N_post`.
const SIZES: usize = PLACES.len();
/// Number of the first one that is a value of a neuron: an even distance from here is a value of the presynaptic neuron.
const VALUES: usize = SIZES + 2;

/// What expressions of pairs and synapses know of the neurons at both ends.
#[derive(Clone, Default)]
pub(crate) struct EndValues {
    spaces: Spaces,
    /// The sizes of both populations.
    sizes: Option<[u32; 2]>,
    /// The neurons of both sides, if an expression mentions them.
    neurons: [Option<Arc<NeuronStart>>; 2],
}

impl EndValues {
    /// Those of a projection.
    ///
    /// # Errors
    /// The population of a mentioned value is invalid.
    pub(crate) fn new(network: &LoweredNetwork<'_>, index: usize) -> Result<EndValues, Error> {
        let projection = &network.projections[index];
        let spaces = network.ends_in_space(index);
        let found = [&projection.pre, &projection.post].map(|endpoint| network.find(&endpoint.population));
        let [Some(pre), Some(post)] = found else { return Ok(EndValues { spaces, ..EndValues::default() }) };
        let mentioned = mentioned(projection);
        let is_own = |(end, name): &(End, String)| {
            let whole = suffixed(*end, name);
            !projection.parameters.contains_key(&whole) && place_symbol(&spaces, &whole).is_none()
        };
        let neurons = |end: End, population: usize| {
            let is_needed = mentioned.iter().any(|of| of.0 == end && is_own(of));
            if is_needed { start(network, population).map(Some) } else { Ok(None) }
        };
        let neurons = [neurons(End::Pre, pre)?, neurons(End::Post, post)?];
        Ok(EndValues { sizes: Some([pre, post].map(|end| network.populations[end].size)), neurons, spaces })
    }

    /// The symbol and dimension of a name.
    pub(crate) fn symbol(&self, name: &str) -> Option<(Symbol, Dimension)> {
        if let Some(place) = place_symbol(&self.spaces, name) {
            return Some((place, Dimension::LENGTH));
        }
        let (end, inner) = parted(name)?;
        let side = usize::from(end == End::Post);
        if inner == "N" {
            return self.sizes.map(|_| (Symbol::Read(SIZES + side), Dimension::NONE));
        }
        let (at, _, (dimension, _)) = self.neurons[side].as_ref()?.values.get_full(inner)?;
        Some((Symbol::Read(VALUES + 2 * at + side), *dimension))
    }

    /// The value of such a symbol for a pair of neurons.
    pub(crate) fn value(&self, read: usize, pre: u32, post: u32) -> f64 {
        match read {
            0..SIZES => place_value(&self.spaces, read, pre, post),
            SIZES..VALUES => self.sizes.map_or(f64::NAN, |sizes| f64::from(sizes[read - SIZES])),
            _ => {
                let side = (read - VALUES) % 2;
                let neuron = if side == 0 { pre } else { post } as usize;
                match self.values(read) {
                    Some(Values::Each(values)) => values.get(neuron).copied().unwrap_or(f64::NAN),
                    Some(values) => values.at(0),
                    None => f64::NAN,
                }
            }
        }
    }

    /// The value of such a symbol, if it is the same for all pairs.
    pub(crate) fn uniform(&self, read: usize) -> Option<f64> {
        match read {
            0..SIZES => None,
            SIZES..VALUES => self.sizes.map(|sizes| f64::from(sizes[read - SIZES])),
            _ => self.values(read).filter(|values| values.is_uniform()).map(|values| values.at(0)),
        }
    }

    fn values(&self, read: usize) -> Option<&Values> {
        let neurons = self.neurons[(read - VALUES) % 2].as_ref()?;
        neurons.values.get_index((read - VALUES) / 2).map(|(_, (_, values))| values)
    }

    /// What a name of a neuron is that has no value before the run.
    pub(crate) fn elsewhere(&self, name: &str) -> Option<String> {
        let (end, inner) = parted(name)?;
        if COUNTS.contains(&name) {
            return None;
        }
        let neurons = self.neurons[usize::from(end == End::Post)].as_ref()?;
        Some(match neurons.unknown.get(inner) {
            Some(why) => format!("{why}: set the value as a parameter or initial value of `{}`", neurons.population),
            None => format!("not a parameter or variable of `{}`", neurons.population),
        })
    }

    /// The names that it knows.
    pub(crate) fn known(&self) -> Vec<String> {
        let sizes = self.sizes.iter().flat_map(|_| ["N_pre".to_owned(), "N_post".to_owned()]);
        let of_end = |end: End| {
            let neurons = self.neurons[usize::from(end == End::Post)].iter();
            neurons.flat_map(move |neurons| neurons.values.keys().map(move |name| suffixed(end, name)))
        };
        sizes.chain(of_end(End::Pre)).chain(of_end(End::Post)).collect()
    }
}

/// The values of all neurons of a population at the start of a run, also of those of other ranks.
///
/// # Errors
/// The population is invalid.
fn start(network: &LoweredNetwork<'_>, population: usize) -> Result<Arc<NeuronStart>, Error> {
    network.starts[population].get_or_init(|| evaluated(network, population).map(Arc::new)).clone()
}

/// The same, evaluated now.
fn evaluated(network: &LoweredNetwork<'_>, population: usize) -> Result<NeuronStart, Error> {
    let name = network.populations[population].name.clone();
    let mut start = NeuronStart { population: name, values: IndexMap::new(), unknown: IndexMap::new() };
    if network.spikes[population].is_some() {
        return Ok(start);
    }
    let neurons = CheckedPopulation::new(&LoweredNetwork::new(network.network())?, population)?;
    let model = &neurons.model;
    let is_of_step = |name: &str| model.variable(name).is_some_and(|at| model.variables[at].role == Role::Held);
    for (name, value) in neurons.values.0.iter().filter(|(name, _)| !is_of_step(name)) {
        start.values.insert(name.clone(), value.clone());
    }
    let of_projection = |projection: &Projection| {
        let is_here = |end: &End| projection_end(projection, *end) == start.population;
        mentioned(projection).into_iter().filter(|(end, _)| is_here(end)).map(|(_, name)| name).collect::<Vec<_>>()
    };
    let wanted: BTreeSet<String> = network.network().projections.iter().flat_map(of_projection).collect();
    for name in wanted {
        match computed(&neurons, &name) {
            Some(Err(why)) => {
                start.unknown.insert(name, why);
            }
            Some(Ok(value)) => {
                start.values.insert(name, value);
            }
            None if neurons.parameters.given.get(&name).is_some_and(is_timed) && !start.values.contains_key(&name) => {
                start.unknown.insert(name, "a function of time");
            }
            None => {}
        }
    }
    Ok(start)
}

fn is_timed(quantity: &Quantity) -> bool {
    matches!(quantity, Quantity::Timed { .. }) || quantity.function_of_time().is_some()
}

/// The population of one of the neurons of a projection.
fn projection_end(projection: &Projection, end: End) -> &str {
    match end {
        End::Pre => &projection.pre.population,
        End::Post => &projection.post.population,
        End::Third => projection.third.as_ref().map_or("", |third| &third.population),
    }
}

/// A name of a neuron as expressions of pairs write it.
fn suffixed(end: End, name: &str) -> String {
    format!("{name}_{}", end.name())
}

/// The end, and the name in the population.
fn parted(name: &str) -> Option<(End, &str)> {
    let of_end = |end: End, suffix: &str| name.strip_suffix(suffix).filter(|inner| !inner.is_empty()).map(|inner| (end, inner));
    of_end(End::Pre, "_pre").or_else(|| of_end(End::Post, "_post"))
}

/// The names of neurons that any expression of a projection mentions.
pub(crate) fn mentioned(projection: &Projection) -> HashSet<(End, String)> {
    let values = projection.parameters.values().chain(projection.initial.values());
    names(wiring_texts(projection).into_iter().chain(values.filter_map(text)))
}

/// The names of neurons on which connectivity, third neurons and delays depend, also through parameters.
pub(crate) fn wired(projection: &Projection) -> HashSet<(End, String)> {
    let mut texts = wiring_texts(projection);
    let mut seen = HashSet::new();
    let mut next = 0;
    while next < texts.len() {
        let used = words(texts[next]).filter_map(|word| projection.parameters.get_key_value(word));
        let used: Vec<&str> = used.filter(|(name, _)| seen.insert(name.as_str())).filter_map(|(_, of)| text(of)).collect();
        texts.extend(used);
        next += 1;
    }
    names(texts)
}

/// The expressions of the rule, of the third neurons and of the delays.
fn wiring_texts(projection: &Projection) -> Vec<&str> {
    let third = projection.third.as_ref().and_then(|third| third.index.as_ref());
    let rule = projection.connect.iter().flat_map(Connector::expressions);
    let rule = rule.chain(projection.synapses_per_pair.as_ref().and_then(text));
    rule.chain(projection.all_delays().flat_map(Delays::quantities).chain(third).filter_map(text)).collect()
}

fn text(quantity: &Quantity) -> Option<&str> {
    match quantity {
        Quantity::Text(text) | Quantity::Expr(text) => Some(text),
        _ => None,
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

/// The names of neurons in these texts.
fn names<'a>(texts: impl IntoIterator<Item = &'a str>) -> HashSet<(End, String)> {
    let named = texts.into_iter().flat_map(words).filter_map(parted);
    named.filter(|(_, inner)| *inner != "N").map(|(end, inner)| (end, inner.to_owned())).collect()
}
