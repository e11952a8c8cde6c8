//! Lattices of other libraries, at their sizes.

use super::parts::{assembled, expressions, population, potentials, projection, scaled, slice, values};
use super::{CatalogueEntry, Scaling};
use crate::connectors::{Disc, Exponential};
use crate::{Connector, Error, Network, Positions, Projection, Quantity, Source, SourceKind};

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
    cells.positions = Some(Positions::Grid { shape: vec![edge, edge], spacing: 1.0.into(), tile: None, periodic: false });
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
    neurons.positions =
        Some(Positions::Grid { shape: vec![10, 10, 10, slabs], spacing: 1.0.into(), tile: None, periodic: false });
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
