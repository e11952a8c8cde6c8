//! A gamma rhythm of excitatory and inhibitory neurons.

use super::parts::{assembled, expressions, of_both, population, projection, scaled};
use super::{CatalogueEntry, ExpectedActivity, Scaling};
use crate::{Connector, Error, Network};

pub(super) const PING: CatalogueEntry = CatalogueEntry {
    name: "ping",
    title: "Pyramidal-interneuronal gamma",
    about: "800 excitatory neurons with constant input fire; their volley makes 200 inhibitory neurons fire, which silence all \
            neurons until their synaptic current has decayed: a gamma rhythm of about 38 Hz in which the excitatory neurons \
            skip cycles. A shorter taui speeds it up. The mechanism is published; neurons and values are chosen for this \
            catalogue.",
    citation: "Boergers & Kopell 2003, Neural Comput 15:509; Whittington et al. 2000, Int J Psychophysiol 38:315",
    expected: &[
        ExpectedActivity { population: "E", rate_hz: 15.1, rate_within_hz: 0.9, cv_isi: Some([0.616, 0.05]) },
        ExpectedActivity { population: "I", rate_hz: 16.3, rate_within_hz: 2.0, cv_isi: Some([0.647, 0.07]) },
    ],
    figures_from: "this simulator, five seeds",
    scaling: Scaling::Neurons,
    small: 1.0,
    build: ping,
};

const PARAMETERS: [(&str, &str); 10] = [
    ("gl", "10 nS"),
    ("El", "-65 mV"),
    ("Ee", "0 mV"),
    ("Ei", "-75 mV"),
    ("Vt", "-50 mV"),
    ("Vr", "-65 mV"),
    ("taue", "2 ms"),
    ("taui", "9 ms"),
    // Standard deviation of the potential due to the noise alone.
    ("sigma", "3 mV"),
    ("I", "0 pA"),
];

fn ping(scale: f64) -> Result<Network, Error> {
    let neurons = |name: &str, size, own: &[(&str, &str)]| {
        let parameters: Vec<_> = PARAMETERS.iter().chain(own).copied().collect();
        let mut neurons = population(name, scaled(size, scale)?, "lif_cond_exp", &parameters, &[("v", "El + 15*mV*rand()")]);
        neurons.equations = Some("I_syn = sigma*sqrt(2*C*gl/dt)*randn() : amp (constant over dt)".to_owned());
        Ok(neurons)
    };
    let mut excitatory = neurons("E", 800, &[("C", "200 pF"), ("tref", "2 ms")])?;
    excitatory.parameters.extend(expressions(&[("I", "(450 + 40*randn())*pA")]));
    let inhibitory = neurons("I", 200, &[("C", "100 pF"), ("tref", "1 ms")])?;
    let synapses = |pre, post, inputs, on_pre: &str| {
        let mut synapses = projection(pre, post, Connector::fixed_indegree(inputs), on_pre);
        synapses.delay_ms = 0.5.into();
        synapses
    };
    let projections = vec![
        synapses("E", "I", 80, "ge_post += 1.2*nS"),
        synapses("I", "E", 40, "gi_post += 5*nS"),
        synapses("I", "I", 40, "gi_post += 3*nS"),
    ];
    Ok(assembled(vec![excitatory, inhibitory], projections, of_both("mV")))
}
