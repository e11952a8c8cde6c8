//! Excitation balanced by inhibition: the benchmark networks of Brette et al. 2007.

use super::parts::{Values, assembled, expressions, of_both, scaled, values};
use super::{CatalogueEntry, ExpectedActivity, Scaling};
use crate::{Connector, Endpoint, Error, Network, Population, Projection};

pub(super) const CUBA: CatalogueEntry = CatalogueEntry {
    name: "cuba",
    title: "Balanced network, current-based synapses",
    about: "4000 leaky integrate-and-fire neurons, four fifths of them excitatory, connected at random with probability 0.02. \
            The resting potential is above threshold; inhibition keeps the neurons below it, so they fire irregularly at about \
            5.6 Hz.",
    citation: "Vogels & Abbott 2005, J Neurosci 25:10786; Brette et al. 2007, J Comput Neurosci 23:349 (benchmark 2)",
    expected: &[
        ExpectedActivity { population: "E", rate_hz: 5.67, rate_within_hz: 1.46, cv_isi: Some([0.503, 0.04]) },
        ExpectedActivity { population: "I", rate_hz: 5.59, rate_within_hz: 0.44, cv_isi: Some([0.506, 0.09]) },
    ],
    figures_from: "Brian 2.9, ten seeds",
    scaling: Scaling::Neurons,
    small: 1.0,
    build: cuba,
};

pub(super) const COBA: CatalogueEntry = CatalogueEntry {
    name: "coba",
    title: "Balanced network, conductance-based synapses",
    about: "The connectivity of cuba with synaptic conductances. There is no external input: activity at about 19 Hz starts \
            from the initial conductances and sustains itself; for some seeds it dies out.",
    citation: "Vogels & Abbott 2005, J Neurosci 25:10786; Brette et al. 2007, J Comput Neurosci 23:349 (benchmark 1)",
    expected: &[
        ExpectedActivity { population: "E", rate_hz: 19.05, rate_within_hz: 4.83, cv_isi: Some([1.466, 0.1]) },
        ExpectedActivity { population: "I", rate_hz: 19.17, rate_within_hz: 1.77, cv_isi: Some([1.462, 0.1]) },
    ],
    figures_from: "Brian 2.9, the 18 of 23 seeds that stay active",
    scaling: Scaling::Neurons,
    small: 1.0,
    build: coba,
};

pub(super) const COBAHH: CatalogueEntry = CatalogueEntry {
    name: "cobahh",
    title: "Balanced network of Hodgkin-Huxley neurons",
    about: "The connectivity of coba with sodium and potassium channels instead of a threshold: 4000 Traub-Miles neurons at \
            about 36 Hz, without external input. Most of the computation is in the equations, little in the synapses.",
    citation: "Brette et al. 2007, J Comput Neurosci 23:349 (benchmark 3); kinetics of Traub & Miles 1991",
    expected: &[
        ExpectedActivity { population: "E", rate_hz: 36.7, rate_within_hz: 6.5, cv_isi: Some([1.88, 0.2]) },
        ExpectedActivity { population: "I", rate_hz: 36.3, rate_within_hz: 3.3, cv_isi: Some([1.88, 0.2]) },
    ],
    figures_from: "Brian 2.9, ten seeds (rates over 500 ms)",
    scaling: Scaling::Neurons,
    small: 0.25,
    build: cobahh,
};

fn cuba(scale: f64) -> Result<Network, Error> {
    BalancedVariant {
        model: "lif_exp",
        equations: None,
        parameters: &[
            ("taum", "20 ms"),
            ("taue", "5 ms"),
            ("taui", "10 ms"),
            ("El", "-49 mV"),
            ("Vt", "-50 mV"),
            ("Vr", "-60 mV"),
            ("tref", "5 ms"),
        ],
        initial: &[("v", "Vr + rand()*(Vt - Vr)")],
        weights: [("we", "1.62 mV"), ("wi", "-9 mV")],
    }
    .network(scale)
}

fn coba(scale: f64) -> Result<Network, Error> {
    BalancedVariant {
        model: "lif_cond_exp",
        equations: None,
        parameters: &[
            ("C", "200 pF"),
            ("gl", "10 nS"),
            ("El", "-60 mV"),
            ("Ee", "0 mV"),
            ("Ei", "-80 mV"),
            ("taue", "5 ms"),
            ("taui", "10 ms"),
            ("Vt", "-50 mV"),
            ("Vr", "-60 mV"),
            ("tref", "5 ms"),
        ],
        initial: &CONDUCTANCES,
        weights: [("we", "6 nS"), ("wi", "67 nS")],
    }
    .network(scale)
}

/// Conductances of the active state, to start the activity.
const CONDUCTANCES: [(&str, &str); 3] = [
    ("v", "El + (5*randn() - 5)*mV"),
    ("ge", "clip(1.5*randn() + 4, 0, 1000)*10*nS"),
    ("gi", "clip(12*randn() + 20, 0, 1000)*10*nS"),
];

fn cobahh(scale: f64) -> Result<Network, Error> {
    BalancedVariant {
        model: "traub_miles",
        equations: Some(
            "dge/dt = -ge/taue : siemens\n\
             dgi/dt = -gi/taui : siemens\n\
             I_syn = ge*(Ee - v) + gi*(Ei - v) : amp",
        ),
        parameters: &[
            ("C", "200 pF"),
            ("gl", "10 nS"),
            ("El", "-60 mV"),
            ("ENa", "50 mV"),
            ("EK", "-90 mV"),
            ("gna", "20 uS"),
            ("gk", "6 uS"),
            ("VT", "-63 mV"),
            ("Ee", "0 mV"),
            ("Ei", "-80 mV"),
            ("taue", "5 ms"),
            ("taui", "10 ms"),
        ],
        // The gates are far from rest for a few ms.
        initial: &[CONDUCTANCES[0], CONDUCTANCES[1], CONDUCTANCES[2], ("m", "0"), ("n", "0"), ("h", "1")],
        weights: [("we", "6 nS"), ("wi", "67 nS")],
    }
    .network(scale)
}

/// The differences between the networks.
struct BalancedVariant {
    model: &'static str,
    equations: Option<&'static str>,
    parameters: Values<'static>,
    initial: Values<'static>,
    /// Name and value of the excitatory and of the inhibitory weight.
    weights: [(&'static str, &'static str); 2],
}

impl BalancedVariant {
    fn network(&self, scale: f64) -> Result<Network, Error> {
        let population = |name: &str, size| {
            Ok(Population {
                name: name.to_owned(),
                size: scaled(size, scale)?,
                model: Some(self.model.to_owned()),
                equations: self.equations.map(str::to_owned),
                parameters: values(self.parameters),
                initial: expressions(self.initial),
                ..Population::default()
            })
        };
        let projection = |pre: &str, post: &str| {
            // 0.02 of 3200 and of 800; the in-degree does not change with the scale.
            let (port, (weight, value), inputs) =
                if pre == "E" { ("ge", self.weights[0], 64) } else { ("gi", self.weights[1], 16) };
            Projection {
                name: format!("{pre}{post}"),
                pre: Endpoint::whole(pre),
                post: Endpoint::whole(post),
                connect: Some(if scale == 1.0 { Connector::bernoulli(0.02) } else { Connector::fixed_indegree(inputs) }),
                on_pre: Some(format!("{port}_post += {weight}").into()),
                parameters: [(weight.to_owned(), value.into())].into_iter().collect(),
                delay_ms: 0.1.into(),
                ..Projection::default()
            }
        };
        let projections = [("E", "E"), ("E", "I"), ("I", "E"), ("I", "I")].map(|(pre, post)| projection(pre, post));
        Ok(assembled(vec![population("E", 3200)?, population("I", 800)?], projections.into(), of_both("mV")))
    }
}
