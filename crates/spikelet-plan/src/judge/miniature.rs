//! A small version of a network that can be planned while the user types: the same texts and values, very few neurons and synapses.

use std::collections::HashSet;

use spikelet_network::texts::infer::unit_text;
use spikelet_network::texts::{Texts, equations_of};
use spikelet_network::{Endpoint, Link, Network, Population, Positions, Quantity, Recording};

/// Two neurons distinguish values for all from one value per neuron.
const FEW: u32 = 2;

/// The network with the fewest neurons and synapses for which its texts and values can be checked.
pub(super) fn miniature(network: &Network) -> Network {
    with_synapses(network, 0)
}

/// The same with a number of synapses for each projection that has a rule, all between the first neurons.
pub fn with_synapses(network: &Network, synapses: usize) -> Network {
    let mut small = network.clone();
    // Listed synapses determine the number of neurons.
    let mut listed: HashSet<String> = HashSet::new();
    for projection in &mut small.projections {
        if projection.connect.take().is_some() {
            // The storage of a rule has no meaning for a list.
            projection.storage = None;
            projection.pairs = Some(vec![[0, 0]; synapses].into());
            projection.pre = Endpoint::whole(std::mem::take(&mut projection.pre.population));
            projection.post = Endpoint::whole(std::mem::take(&mut projection.post.population));
        } else {
            listed.extend([projection.pre.population.clone(), projection.post.population.clone()]);
        }
    }
    for population in small.populations.iter_mut().filter(|population| !listed.contains(&population.name)) {
        shrink(population);
    }
    // What a link or a synapse reads is checked, the neurons of which are not.
    for link in small.populations.iter_mut().flat_map(|population| population.linked.values_mut()) {
        link.index = Some(0.0.into());
    }
    for third in small.projections.iter_mut().filter_map(|projection| projection.third.as_mut()) {
        third.index = Some(0.0.into());
    }
    // The variable of a recording is checked, its neurons are not.
    for recording in &mut small.recordings {
        let Recording { object, var, unit, every_ms, .. } = std::mem::take(recording);
        *recording = Recording { object, var, unit, every_ms, ..Recording::default() };
    }
    small
}

/// A network of one population with very few neurons.
pub(super) fn alone(network: &Network, population: &Population) -> Network {
    let mut population = population.clone();
    shrink(&mut population);
    let sources = (!population.linked.is_empty()).then(|| sources_of_links(&mut population));
    let populations = [population].into_iter().chain(sources).collect();
    Network {
        dt_ms: network.dt_ms,
        name: "alone".into(),
        populations,
        functions: network.functions.clone(),
        ..Network::default()
    }
}

/// A population with a variable for each linked variable of another one, which is linked to it.
fn sources_of_links(population: &mut Population) -> Population {
    let name = format!("{}_links", population.name);
    let equations = equations_of(&Texts::of(population).equations);
    let declared = |linked: &String| {
        let equation = equations.iter().find(|equation| equation.name == *linked);
        let unit = equation.map_or_else(|| "1".to_owned(), |equation| unit_text(equation.unit.dimension));
        format!("{linked} : {unit}")
    };
    let lines: Vec<String> = population.linked.keys().map(declared).collect();
    for (var, link) in &mut population.linked {
        *link = Link { population: name.clone(), var: var.clone(), index: None };
    }
    Population { name, size: 1, equations: Some(lines.join("\n")), ..Population::default() }
}

/// As few neurons as the values allow: a list has one value per neuron.
fn shrink(population: &mut Population) {
    if !has_lists(population) {
        population.size = population.size.clamp(1, FEW);
        if let Some(winners) = &mut population.winners {
            winners.k = winners.k.map(|k| k.clamp(1, population.size));
        }
        // Expressions may use coordinates; their values do not matter.
        if let Some(positions) = &population.positions {
            let r#box = vec![1.0.into(); positions.dimensions()];
            population.positions = Some(Positions::Random { r#box, periodic: positions.is_periodic() });
        }
    }
}

/// Whether it has values with one entry per neuron.
fn has_lists(population: &Population) -> bool {
    let single = |value: &Quantity| matches!(value, Quantity::Number(_) | Quantity::Text(_) | Quantity::Expr(_));
    !population.parameters.values().chain(population.initial.values()).all(single)
}

#[cfg(test)]
mod tests {
    use crate::Plan;
    use spikelet_network::{Connector, Source, catalogue};

    use super::*;

    #[test]
    fn every_network_of_the_catalogue_has_a_miniature_with_its_channels() {
        for entry in catalogue::entries() {
            let network = entry.network(1.0).expect(entry.name);
            let plan = Plan::new(&miniature(&network)).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
            let sources: u32 = network.sources.iter().map(Source::size).sum();
            let most = |population: &Population| if has_lists(population) { population.size } else { FEW };
            let cells: u32 = network.populations.iter().map(most).sum();
            assert!(plan.neurons() <= cells + sources, "{}", entry.name);
            assert_eq!(plan.synapses(), 0, "{}", entry.name);
            assert_eq!(plan.projections.len(), network.projections.len());
        }
    }

    #[test]
    fn what_is_listed_keeps_its_neurons() {
        let mut network = catalogue::network("cuba", 1.0).expect("cuba");
        network.projections.truncate(1);
        network.projections[0].connect = Some(Connector::bernoulli(0.5));
        network.projections[0].pre = Endpoint { start: Some(100), end: Some(200), ..Endpoint::whole("E") };
        let small = miniature(&network);
        assert_eq!(small.projections[0].pre, Endpoint::whole("E"));
        assert_eq!(small.populations[0].size, 2);

        (network.projections[0].connect, network.projections[0].pre) = (None, Endpoint::whole("E"));
        network.projections[0].pairs = Some(vec![[3000, 7]].into());
        let small = miniature(&network);
        assert_eq!(small.populations[0].size, network.populations[0].size);
        assert!(Plan::new(&small).is_ok());

        network.populations[0].parameters.insert("taum".into(), Quantity::Values { values: vec![20.0; 3200], unit: None });
        assert_eq!(alone(&network, &network.populations[0]).populations[0].size, 3200);
    }
}
