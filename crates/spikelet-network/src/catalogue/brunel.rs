//! The four states of a sparse random network: Brunel 2000.

use super::parts::{assembled, of_both, poisson_input, population, projection, scaled, values};
use super::{CatalogueEntry, ExpectedActivity, Scaling};
use crate::{Connector, Error, Network};

/// The entry of one state, with its relative strength of inhibition g and its external rate, in units of the one that
/// reaches threshold.
macro_rules! state {
    ($name:literal, $title:literal, g: $g:literal, eta: $eta:literal, $about:literal, $expected:expr, $from:literal) => {
        CatalogueEntry {
            name: $name,
            title: $title,
            about: concat!(
                $about,
                " 12500 neurons, each with 1000 excitatory and 250 inhibitory synapses of 0.1 mV and -",
                $g,
                " times that, and Poisson spikes from outside."
            ),
            citation: "Brunel 2000, J Comput Neurosci 8:183, model A, figure 8",
            expected: $expected,
            figures_from: $from,
            scaling: Scaling::Neurons,
            small: 0.08,
            build: |scale| brunel(scale, $g, $eta),
        }
    };
}

pub(super) const SYNCHRONOUS_REGULAR: CatalogueEntry = state!(
    "brunel_sr", "Random network, synchronous regular", g: 3.0, eta: 2.0,
    "Excitation dominates: the neurons fire regularly, synchronously and at high rates.",
    &[
        ExpectedActivity { population: "E", rate_hz: 311.3, rate_within_hz: 3.0, cv_isi: Some([0.015, 0.02]) },
        ExpectedActivity { population: "I", rate_hz: 311.3, rate_within_hz: 3.0, cv_isi: Some([0.015, 0.02]) },
    ],
    "this simulator, one seed"
);
pub(super) const FAST: CatalogueEntry = state!(
    "brunel_si_fast", "Random network, fast oscillation", g: 6.0, eta: 4.0,
    "Strong inhibition and strong input: the population oscillates fast, each neuron fires irregularly at a lower rate.",
    &[
        ExpectedActivity { population: "E", rate_hz: 57.7, rate_within_hz: 3.0, cv_isi: Some([0.8, 0.04]) },
        ExpectedActivity { population: "I", rate_hz: 58.5, rate_within_hz: 3.0, cv_isi: Some([0.8, 0.04]) },
    ],
    "this simulator, one seed"
);
pub(super) const ASYNCHRONOUS: CatalogueEntry = state!(
    "brunel_ai", "Random network, asynchronous irregular", g: 5.0, eta: 2.0,
    "Inhibition dominates: a stationary population rate, irregular neurons.",
    &[
        ExpectedActivity { population: "E", rate_hz: 37.44, rate_within_hz: 0.7, cv_isi: Some([0.416, 0.02]) },
        ExpectedActivity { population: "I", rate_hz: 37.58, rate_within_hz: 0.7, cv_isi: Some([0.416, 0.02]) },
    ],
    "Brian 2.9 and NEST 3, six seeds each"
);
pub(super) const SLOW: CatalogueEntry = state!(
    "brunel_si_slow", "Random network, slow oscillation", g: 4.5, eta: 0.9,
    "Input below threshold: the population rate oscillates slowly, the neurons fire few irregular spikes.",
    &[
        ExpectedActivity { population: "E", rate_hz: 5.5, rate_within_hz: 0.8, cv_isi: Some([0.497, 0.03]) },
        ExpectedActivity { population: "I", rate_hz: 5.5, rate_within_hz: 0.8, cv_isi: Some([0.497, 0.03]) },
    ],
    "this simulator, four seeds"
);

/// Amplitude of an excitatory postsynaptic potential, in mV.
const J: f64 = 0.1;
/// Excitatory and inhibitory synapses onto a neuron.
const INPUTS: [u32; 2] = [1000, 250];
/// Threshold in mV.
const THETA: f64 = 20.0;
/// Membrane time constant in ms.
const TAU: f64 = 20.0;

fn brunel(scale: f64, g: f64, eta: f64) -> Result<Network, Error> {
    // Each neuron has the same number of external excitatory synapses; at eta = 1 their mean input reaches threshold.
    let rate_khz = eta * THETA / (J * f64::from(INPUTS[0]) * TAU);
    let neurons = |name: &str, size| {
        let parameters = [("tau", "20 ms"), ("Vt", "20 mV"), ("Vr", "10 mV"), ("tref", "2 ms")];
        Ok(population(name, scaled(size, scale)?, "lif_delta", &parameters, &[("v", "rand()*Vt")]))
    };
    let synapses = |pre: &str, post: &str| {
        let (inputs, on_pre) = if pre == "E" { (INPUTS[0], "v_post += J") } else { (INPUTS[1], "v_post -= g*J") };
        let mut synapses = projection(pre, post, Connector::fixed_indegree(inputs), on_pre);
        synapses.parameters = values(&[("J", "0.1 mV")]);
        if pre == "I" {
            synapses.parameters.insert("g".to_owned(), g.into());
        }
        synapses.delay_ms = 1.5.into();
        synapses
    };
    let outside = |target| poisson_input(target, "v", INPUTS[0], rate_khz, "0.1 mV");
    Ok(Network {
        sources: vec![outside("E"), outside("I")],
        ..assembled(
            vec![neurons("E", 10_000)?, neurons("I", 2500)?],
            [("E", "E"), ("E", "I"), ("I", "E"), ("I", "I")].map(|(pre, post)| synapses(pre, post)).into(),
            of_both("mV"),
        )
    })
}
