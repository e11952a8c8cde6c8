//! Lattices of other libraries, at their sizes.

use super::parts::{assembled, expressions, population, potentials, projection, scaled, slice, spread, values};
use super::{CatalogueEntry, Scaling};
use crate::connectors::{Disc, Exponential};
use crate::worlds::{Area, Homeostasis, LearningRule, Lifecycle, NeuronModel, Plasticity, Sense, SynapseRule, WorldSynapses};
use crate::{Connector, Error, Network, Positions, Projection, Quantity, Source, SourceKind, World};

pub(super) const LIXIRNET: CatalogueEntry = CatalogueEntry {
    name: "lixirnet",
    title: "Lattice of lixirnet's tutorial",
    about: "100 x 100 Izhikevich neurons, each connected by electrical synapses to one in a hundred of the neurons within a \
            radius of 5. As in that library, the current is the mean over the neighbours, and the voltage is a hundred times \
            slower than published. A constant input, which the tutorial does not have, causes firing at a few Hz. Nearly half \
            of the neurons have no neighbour; the others synchronise.",
    citation: "lixirnet (spiking-neural-networks 0.24), GPU tutorial; Izhikevich 2003, IEEE Trans Neural Netw 14:1569",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Neurons,
    small: 0.25,
    build: lixirnet,
};

fn lixirnet(scale: f64) -> Result<Network, Error> {
    scaled(10_000, scale)?;
    let edge = libm::round(100.0 * libm::sqrt(scale)).max(1.0) as u32;
    let mut cells = population("cells", edge * edge, "izhikevich", &[("I", "20")], &[("v", "-65 + 95*rand()")]);
    cells.preset = Some("lixirnet".to_owned());
    cells.equations = Some("I_gap : 1\nI_syn = I_gap : 1".to_owned());
    cells.positions = Some(Positions::lattice(vec![edge, edge]));
    let gap = Projection {
        on_pre: None,
        equations: Some("I_gap_post = g*(v_pre - v_post)/N_incoming : 1 (summed)".to_owned()),
        parameters: values(&[("g", "7")]),
        ..projection("cells", "cells", Connector::Disc(Disc { p: 0.01, radius: 5.0.into(), autapses: false }), "")
    };
    Ok(assembled(vec![cells], vec![gap], vec![potentials("cells", &[0, 1], "1")]))
}

pub(super) const LATTICE_4D: CatalogueEntry = CatalogueEntry {
    name: "lattice4d",
    title: "A lattice in four dimensions",
    about: "10 x 10 x 10 x 10 leaky integrate-and-fire neurons. The probability of a synapse decreases as exp(-d/lambda) with \
            the distance in four dimensions. Slabs along the fourth coordinate are areas: the first, a sensory area, receives \
            external spikes, and its activity reaches the last area within about 100 ms, from neighbour to neighbour. Without \
            that input the lattice is silent. Every fifth neuron is inhibitory. The scale extends the fourth coordinate.",
    citation: "4D-Neural-Cognition (areas as boxes, distance rule, neuron); the weights are Spikelet's",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Neurons,
    small: 0.4,
    build: lattice_4d,
};

fn lattice_4d(scale: f64) -> Result<Network, Error> {
    let slabs = scaled(10, scale)?;
    let size = scaled(10_000, f64::from(slabs) / 10.0)?;
    let parameters =
        [("taum", "20 ms"), ("El", "-56 mV"), ("Vt", "-50 mV"), ("Vr", "-70 mV"), ("tref", "5 ms"), ("taue", "5 ms")];
    let mut neurons = population("lattice", size, "lif_exp", &parameters, &[("v", "El + 5*mV*rand()")]);
    neurons.positions = Some(Positions::lattice(vec![10, 10, 10, slabs]));
    let near = Connector::Exponential(Exponential { p: 1.0, lambda: 1.0.into(), cutoff: Some(4.0.into()), autapses: false });
    let mut recurrent = projection("lattice", "lattice", near, "ge_post += w");
    recurrent.equations = Some("w : volt (constant)".to_owned());
    recurrent.initial = expressions(&[("w", "(4 - 20*int(i % 5 == 0))*mV")]);
    recurrent.delay_ms = Quantity::expr("(1 + d/um)*ms").into();
    let mut sense = projection("sense", "lattice", Connector::one_to_one(), "ge_post += 100*mV");
    sense.post = slice("lattice", 0, 1000);
    let rate = Quantity::from("20 Hz");
    let source = Source { name: "sense".to_owned(), kind: SourceKind::Poisson { size: 1000, rate } };
    let recorded = vec![potentials("lattice", &[0, size - 1], "mV")];
    Ok(Network { sources: vec![source], ..assembled(vec![neurons], vec![recurrent, sense], recorded) })
}

pub(super) const WORLD_4D: CatalogueEntry = CatalogueEntry {
    name: "world4d",
    title: "A world in four dimensions",
    about: "10 x 10 x 10 x 10 leaky integrate-and-fire neurons in three areas, made as `spikelet import` makes them of a configuration. \
            The sensory area receives an array of 10 x 10 numbers, a still image here; the probability of a synapse decreases as \
            exp(-d/lambda); three neurons in ten, drawn at random, are inhibitory. Weights learn by the Hebbian rule, follow the \
            rate of their target, and decay. Neurons age, die after at most 9 s, and are born again with other parameters: each \
            spike of a population of lives is a death. The scale extends the fourth coordinate of the association area.",
    citation: "4D-Neural-Cognition (configuration, neuron, plasticity, life cycle); the weights are Spikelet's",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Neurons,
    small: 0.4,
    build: world_4d,
};

fn world_4d(scale: f64) -> Result<Network, Error> {
    let slabs = scaled(10, scale)?;
    scaled(10_000, f64::from(slabs) / 10.0)?;
    // The first slab, those between, and the last one.
    let last = slabs.max(2) - 1;
    let slabs = [("sensory", 0, 1), ("association", 1, last.max(1)), ("motor", last, slabs)];
    let model = NeuronModel::Lif { tau_m: 20.0, v_rest: -54.0, v_reset: -70.0, v_threshold: -50.0, refractory_period: 5.0 };
    let area = |(name, start, end): (&str, u32, u32)| Area {
        name: name.to_owned(),
        start: [0, 0, 0, start],
        shape: [10, 10, 10, end.saturating_sub(start)],
        model,
        inhibitory_fraction: 0.3,
    };
    let world = World {
        shape: [10, 10, 10, last + 1],
        areas: slabs.into_iter().map(area).filter(|area| area.size() > 0).collect(),
        senses: vec![Sense { name: "vision".to_owned(), area: "sensory".to_owned(), size: [10, 10] }],
        synapses: WorldSynapses {
            rule: SynapseRule::Distance { p: 1.0, lambda: 0.6, cutoff: 0.6 * SynapseRule::CUTOFF },
            weight_mean: 80.0,
            weight_std: 20.0,
            delay: 1,
        },
        plasticity: Plasticity {
            rule: LearningRule::Hebb { learning_rate: 0.1 },
            weight_min: 0.0,
            weight_max: 200.0,
            weight_decay: 0.001,
            homeostasis: Some(Homeostasis { target_rate: 5.0, time_window: 1000.0, scaling_rate: 0.01 }),
        },
        lifecycle: Some(Lifecycle {
            reproduction: true,
            max_age: 100_000.0,
            health_decay_per_step: 1e-4,
            mutation_std_params: 0.05,
            mutation_std_weights: 4.0,
        }),
    };
    let mut network = world.network();
    // A bright square.
    for vision in network.populations.iter_mut().filter(|population| population.name == "vision") {
        let square = Quantity::expr("30*mV*int(i % 10 > 2 and i % 10 < 7 and i // 10 > 2 and i // 10 < 7)");
        vision.initial.insert("value".to_owned(), square);
    }
    network.recordings = vec![potentials("sensory", &[0, 33], "mV")];
    network.statistics = spread("sensory_to_sensory", ["0 mV", "200 mV"]);
    Ok(network)
}
