//! Linked variables as projections: one synapse onto each neuron, whose value is copied in every step.

use indexmap::IndexMap;
use spikelet_lang::{Dimension, check_link};
use spikelet_network::{Endpoint, Error, Link, Pairs, Projection};
use spikelet_rows::OwnNeurons;
use spikelet_rows::rng::Purpose;

use super::checked::CheckedProjection;
use crate::neurons::population::CheckedPopulation;
use crate::neurons::sources::{LinkedVariable, LoweredNetwork};
use crate::values::draw_numbers::DrawNumbers;
use crate::values::neuron_elements::NeuronElements;
use crate::values::{NamedValues, Values};

/// A link whose neurons are known.
struct Resolved {
    population: usize,
    var: String,
    /// The neuron that each neuron is linked to.
    neurons: Vec<u32>,
}

/// The projections of the linked variables of a network: each copies the value of a variable that is not linked itself.
///
/// # Errors
/// Variables that are linked in a circle, or a link to a neuron that does not exist.
pub(crate) fn projections(network: &LoweredNetwork<'_>) -> Result<Vec<(Projection, LinkedVariable)>, Error> {
    let mut all = Vec::new();
    for (index, population) in network.populations.iter().enumerate() {
        for name in population.linked.keys() {
            let Resolved { population: source, var, neurons } = resolved(network, (index, name), &mut Vec::new())?;
            let projection = Projection {
                // No object of a file can have this name.
                name: format!("{}.{name}", population.name),
                pre: Endpoint::whole(network.populations[source].name.clone()),
                post: Endpoint::whole(population.name.clone()),
                pairs: Some(Pairs::Listed(neurons.into_iter().zip(0..).map(|(pre, post)| [pre, post]).collect())),
                ..Projection::default()
            };
            let path = format!("{}.linked.{name}", network.paths[index]);
            all.push((projection, LinkedVariable { name: name.clone(), source: var, path }));
        }
    }
    Ok(all)
}

/// Follows a link to a variable that is not linked itself. `open` are the links being followed.
fn resolved(
    network: &LoweredNetwork<'_>,
    (index, name): (usize, &str),
    open: &mut Vec<(usize, String)>,
) -> Result<Resolved, Error> {
    let population = &network.populations[index];
    let (path, link) = (format!("{}.linked.{name}", network.paths[index]), &population.linked[name]);
    if open.iter().any(|(known, variable)| (*known, variable.as_str()) == (index, name)) {
        let circle = open.iter().map(|(of, variable)| format!("{}.{variable}", network.populations[*of].name));
        let circle = format!("{} → {}.{name}", circle.collect::<Vec<_>>().join(" → "), population.name);
        let way_out = "link one of them to a variable with a value of its own";
        return Err(Error::invalid(path, circle, "linked variables depend on each other", way_out));
    }
    open.push((index, name.to_owned()));
    let Some(source) = network.find(&link.population) else {
        let known = network.populations.iter().map(|of| of.name.as_str());
        return Err(Error::unknown_name(&format!("{path}.population"), "population", &link.population, known));
    };
    let neurons = neurons(network, index, (name, link, source), &path)?;
    if !network.populations[source].linked.contains_key(&link.var) {
        return Ok(Resolved { population: source, var: link.var.clone(), neurons });
    }
    let further = resolved(network, (source, &link.var), open)?;
    let neurons = neurons.into_iter().map(|neuron| further.neurons[neuron as usize]).collect();
    Ok(Resolved { neurons, ..further })
}

/// The neuron of the population `source` that each neuron of a population is linked to.
fn neurons(
    network: &LoweredNetwork<'_>,
    index: usize,
    (name, link, source): (&str, &Link, usize),
    path: &str,
) -> Result<Vec<u32>, Error> {
    let (size, sources) = (network.populations[index].size, network.populations[source].size);
    let Some(quantity) = &link.index else {
        return Ok((0..size).map(|neuron| if sources == 1 { 0 } else { neuron }).collect());
    };
    let elements = NeuronElements {
        first: network.populations[..index].iter().map(|other| other.size).sum(),
        own: OwnNeurons::range(0..size, size),
        dt: network.dt_ms,
        seed: network.seed,
        purpose: Purpose::Link,
        space: network.spaces[index].clone(),
        computed: Vec::new(),
        integers: Vec::new(),
    };
    let draws = DrawNumbers::new(network.populations[index].linked.keys().cloned());
    let mut values = NamedValues::default();
    values
        .set("index", quantity, Some(Dimension::NONE), &elements, draws.of(name))
        .map_err(|diagnostic| Error::model(path, vec![diagnostic]))?;
    let indices = values.0.swap_remove("index").map_or(Values::Uniform(0.0), |(_, values)| values);
    let neuron = |neuron: u32| {
        let of_what = || (format!("{path}.index"), format!("neuron {neuron} is linked to it"));
        network.neuron_at(source, indices.at(neuron as usize), of_what, "i//10")
    };
    (0..size).map(neuron).collect()
}

impl LinkedVariable {
    /// The checked projection between the populations of both sides.
    pub(crate) fn checked(
        &self,
        name: &str,
        [(pre, source), (post, linked)]: [(usize, &CheckedPopulation); 2],
    ) -> Result<CheckedProjection, Error> {
        let model = check_link(&source.model, &self.source, &linked.model, &self.name)
            .map_err(|diagnostic| Error::model(&self.path, vec![diagnostic]))?;
        Ok(CheckedProjection { model, ..CheckedProjection::generated(name, [pre, post]) })
    }
}

impl CheckedPopulation {
    /// Rejects a linked variable without a source.
    pub(crate) fn check_linked(&self, links: &IndexMap<String, Link>) -> Result<(), Error> {
        let without = |of: &&spikelet_lang::model::Variable| of.linked && !links.contains_key(&of.name);
        let Some(variable) = self.model.variables.iter().find(without) else { return Ok(()) };
        let example = format!("\"linked\": {{\"{}\": {{\"population\": \"…\", \"var\": \"…\"}}}}", variable.name);
        Err(Error::MissingKey { path: self.path.clone(), line: None, key: format!("linked.{}", variable.name), example })
    }
}
