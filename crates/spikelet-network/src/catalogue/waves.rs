//! Waves in a sheet of excitable neurons.

use super::parts::{assembled, expressions, population, potentials, projection, scaled, values};
use super::{CatalogueEntry, Scaling};
use crate::connectors::Disc;
use crate::{Connector, Error, Network, Positions, Projection};

pub(super) const WAVES: CatalogueEntry = CatalogueEntry {
    name: "waves",
    title: "Waves over a sheet of coupled cells",
    about: "64 x 64 excitable FitzHugh-Nagumo neurons, each connected to its four neighbours by gap junctions. The neurons in \
            the middle receive a current and oscillate; each of their cycles starts a ring-shaped wave that travels to the \
            edges at about half a neuron per ms. A smaller g slows the waves, and below about 0.1 they stop. The values are \
            chosen for this catalogue.",
    citation: "FitzHugh 1961, Biophys J 1:445; Nagumo, Arimoto & Yoshizawa 1962, Proc IRE 50:2061; Winfree 1991, Chaos 1:303",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Neurons,
    small: 1.0,
    build: waves,
};

/// Neurons along an edge at scale 1.
const EDGE: u32 = 64;

fn waves(scale: f64) -> Result<Network, Error> {
    scaled(EDGE * EDGE, scale)?;
    let edge = libm::round(f64::from(EDGE) * libm::sqrt(scale)).max(1.0) as u32;
    let drive = format!("0.6*int((i % {edge} - {c})**2 + (i // {edge} - {c})**2 <= 16)", c = edge / 2);
    let mut cells = population("cells", edge * edge, "fitzhugh_nagumo", &[], &[]);
    cells.equations = Some("I_gap : 1\nI_syn = I_gap : 1".to_owned());
    cells.parameters = expressions(&[("I", &drive)]);
    cells.positions = Some(Positions::lattice(vec![edge, edge]));
    let neighbours = Connector::Disc(Disc { p: 1.0, radius: 1.0.into(), autapses: false });
    let gap = Projection {
        on_pre: None,
        equations: Some("I_gap_post = g*(v_pre - v_post) : 1 (summed)".to_owned()),
        parameters: values(&[("g", "0.5")]),
        ..projection("cells", "cells", neighbours, "")
    };
    let middle = edge * (edge / 2);
    let recorded = potentials("cells", &[middle + edge / 2, middle + edge / 4, middle], "1");
    Ok(Network { duration_ms: 300.0, ..assembled(vec![cells], vec![gap], vec![recorded]) })
}
