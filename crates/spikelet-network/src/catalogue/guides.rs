//! The networks of BrainPy's guides: their sizes and time constants, with values for which neurons fire.

use super::parts::{assembled, population, potentials, projection, scaled, slice};
use super::{CatalogueEntry, ExpectedActivity, Scaling};
use crate::{Connector, Endpoint, Error, Network, Population, Projection};

pub(super) const TEN_THOUSAND: CatalogueEntry = CatalogueEntry {
    name: "guide10k",
    title: "10,000 neurons joined with probability 0.01",
    about: "The example of BrainPy's performance guide: 10000 leaky integrate-and-fire neurons, a million synapses that decay \
            within 5 ms, and input drawn for each neuron and step. The published values have the threshold below the reset and \
            no input; here they are corrected, and a fifth of the neurons are inhibitory.",
    citation: "BrainPy documentation, performance guide (sizes; the values are Spikelet's)",
    expected: &[ExpectedActivity { population: "N", rate_hz: 4.97, rate_within_hz: 0.3, cv_isi: Some([0.452, 0.02]) }],
    figures_from: "this simulator, five seeds",
    scaling: Scaling::Neurons,
    small: 0.2,
    build: ten_thousand,
};

pub(super) const EXCITATION_INHIBITION: CatalogueEntry = CatalogueEntry {
    name: "guide_ei",
    title: "8000 excitatory and 2000 inhibitory neurons, probability 0.02",
    about: "The example of BrainPy's GPU guide: time constants of 15 and 10 ms, two million synapses that decay within 5 ms, \
            and input drawn for each neuron and step. As in guide10k, its values are replaced by ones with which neurons fire.",
    citation: "BrainPy documentation, GPU and TPU guide (sizes and time constants; the other values are Spikelet's)",
    expected: &[
        ExpectedActivity { population: "E", rate_hz: 8.38, rate_within_hz: 0.5, cv_isi: Some([0.455, 0.02]) },
        ExpectedActivity { population: "I", rate_hz: 13.93, rate_within_hz: 0.4, cv_isi: Some([0.526, 0.03]) },
    ],
    figures_from: "this simulator, five seeds",
    scaling: Scaling::Neurons,
    small: 0.2,
    build: excitation_inhibition,
};

/// Neurons with a random input, uniform between 0 and `noise` in each step.
fn neurons(name: &str, size: u32, own: &[(&str, &str)]) -> Population {
    let parameters = [("El", "-65 mV"), ("Vt", "-50 mV"), ("Vr", "-65 mV"), ("tref", "2 ms"), ("taue", "5 ms")];
    let parameters: Vec<_> = parameters.iter().chain(own).copied().collect();
    let mut neurons = population(name, size, "lif_exp", &parameters, &[("v", "El + rand()*(Vt - El)")]);
    neurons.equations = Some("I_syn = noise*rand() : volt (constant over dt)".to_owned());
    neurons
}

/// With probability `p`; at other scales than 1 with the same in-degree.
fn synapses(pre: Endpoint, post: &str, p: f64, inputs: u32, scale: f64, on_pre: &str) -> Projection {
    let connect = if scale == 1.0 { Connector::bernoulli(p) } else { Connector::fixed_indegree(inputs) };
    let synapses = projection(&pre.population, post, connect, on_pre);
    Projection { pre, delay_ms: 0.5.into(), ..synapses }
}

fn ten_thousand(scale: f64) -> Result<Network, Error> {
    let size = scaled(10_000, scale)?;
    let excitatory = scaled(8000, scale)?;
    let all = neurons("N", size, &[("taum", "20 ms"), ("taui", "10 ms"), ("noise", "32 mV")]);
    let excitation = synapses(slice("N", 0, excitatory), "N", 0.01, 80, scale, "ge_post += 1.2*mV");
    let inhibition = synapses(slice("N", excitatory, size), "N", 0.01, 20, scale, "gi_post -= 7*mV");
    let projections = vec![
        Projection { name: "excitation".to_owned(), ..excitation },
        Projection { name: "inhibition".to_owned(), ..inhibition },
    ];
    Ok(assembled(vec![all], projections, vec![potentials("N", &[0, 1], "mV")]))
}

fn excitation_inhibition(scale: f64) -> Result<Network, Error> {
    let own = |taum| [("taum", taum), ("taui", "5 ms"), ("noise", "40 mV")];
    let populations = vec![neurons("E", scaled(8000, scale)?, &own("15 ms")), neurons("I", scaled(2000, scale)?, &own("10 ms"))];
    let both = |post| {
        [
            synapses(Endpoint::whole("E"), post, 0.02, 160, scale, "ge_post += 0.8*mV"),
            synapses(Endpoint::whole("I"), post, 0.02, 40, scale, "gi_post -= 5*mV"),
        ]
    };
    let projections = ["E", "I"].into_iter().flat_map(both).collect();
    Ok(assembled(populations, projections, super::parts::of_both("mV")))
}
