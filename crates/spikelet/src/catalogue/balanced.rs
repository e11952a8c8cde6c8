//! Excitation balanced by inhibition: the benchmark networks of Brette et al. 2007.

use super::{Entry, Figures, potentials, scaled};
use crate::{Connector, Endpoint, Error, Network, Population, Projection, Quantity};

pub(super) const CUBA: Entry = Entry {
    name: "cuba",
    title: "Balanced network, current-based synapses",
    about: "4000 leaky integrate-and-fire neurons, four fifths of them excitatory, joined at random with probability \
            0.02. The resting potential lies above threshold; inhibition keeps the neurons below it, so they fire \
            irregularly at about 5.6 Hz.",
    citation: "Vogels & Abbott 2005, J Neurosci 25:10786; Brette et al. 2007, J Comput Neurosci 23:349 (benchmark 2)",
    expected: &[
        Figures { population: "E", rate_hz: 5.67, rate_within_hz: 1.46 },
        Figures { population: "I", rate_hz: 5.59, rate_within_hz: 0.44 },
    ],
    build: cuba,
};

pub(super) const COBA: Entry = Entry {
    name: "coba",
    title: "Balanced network, conductance-based synapses",
    about: "The same wiring with synaptic conductances. Nothing drives it from outside: activity at about 19 Hz keeps \
            itself alive from the initial conductances on, and dies out in some seeds.",
    citation: "Vogels & Abbott 2005, J Neurosci 25:10786; Brette et al. 2007, J Comput Neurosci 23:349 (benchmark 1)",
    expected: &[
        Figures { population: "E", rate_hz: 19.05, rate_within_hz: 4.83 },
        Figures { population: "I", rate_hz: 19.17, rate_within_hz: 1.77 },
    ],
    build: coba,
};

fn cuba(scale: f64) -> Result<Network, Error> {
    Balanced {
        entry: &CUBA,
        model: "lif_exp",
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
    Balanced {
        entry: &COBA,
        model: "lif_cond_exp",
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
        initial: &[
            ("v", "El + (5*randn() - 5)*mV"),
            ("ge", "clip(1.5*randn() + 4, 0, 1000)*10*nS"),
            ("gi", "clip(12*randn() + 20, 0, 1000)*10*nS"),
        ],
        weights: [("we", "6 nS"), ("wi", "67 nS")],
    }
    .network(scale)
}

/// What the two networks differ in.
struct Balanced {
    entry: &'static Entry,
    model: &'static str,
    parameters: &'static [(&'static str, &'static str)],
    initial: &'static [(&'static str, &'static str)],
    /// Name and value of the excitatory and of the inhibitory weight.
    weights: [(&'static str, &'static str); 2],
}

impl Balanced {
    fn network(&self, scale: f64) -> Result<Network, Error> {
        let population = |name: &str, size| {
            Ok(Population {
                name: name.to_owned(),
                size: scaled(size, scale)?,
                model: Some(self.model.to_owned()),
                parameters: self.parameters.iter().map(|&(key, value)| (key.to_owned(), value.into())).collect(),
                initial: self.initial.iter().map(|&(key, text)| (key.to_owned(), Quantity::expr(text))).collect(),
                ..Population::default()
            })
        };
        let projection = |pre: &str, post: &str| {
            // 0.02 of 3200 and of 800; the in-degree that stays when the network grows.
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
        Ok(Network {
            name: self.entry.name.to_owned(),
            description: format!("{}: {}", self.entry.title, self.entry.citation),
            dt_ms: 0.1,
            populations: vec![population("E", 3200)?, population("I", 800)?],
            projections: [("E", "E"), ("E", "I"), ("I", "E"), ("I", "I")].map(|(pre, post)| projection(pre, post)).into(),
            recordings: potentials("mV"),
            ..Network::default()
        })
    }
}
