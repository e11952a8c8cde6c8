//! The pulse-coupled network of Izhikevich 2003.

use super::parts::{of_both, scaled};
use super::{CatalogueEntry, ExpectedActivity, Scaling};
use crate::{Connector, Endpoint, Error, Network, Population, Projection, Quantity};

pub(super) const IZHIKEVICH: CatalogueEntry = CatalogueEntry {
    name: "izhikevich",
    title: "Pulse-coupled cortical network",
    about: "800 excitatory and 200 inhibitory neurons of many firing types with all-to-all connectivity and thalamic noise. \
            Alpha and gamma rhythms appear and disappear, as in sleep and wakefulness.",
    citation: "Izhikevich 2003, IEEE Trans Neural Netw 14:1569",
    expected: &[
        ExpectedActivity { population: "E", rate_hz: 7.15, rate_within_hz: 0.36, cv_isi: Some([0.353, 0.02]) },
        ExpectedActivity { population: "I", rate_hz: 6.65, rate_within_hz: 0.69, cv_isi: Some([0.352, 0.04]) },
    ],
    figures_from: "Brian 2.9, 23 seeds",
    scaling: Scaling::Neurons,
    small: 1.0,
    build: izhikevich,
};

/// The paper draws one number `r` per neuron and derives two parameters from it. The second is written as a function of the first (c = −65
/// + 15r² and d = 8 − 6r²; a = 0.02 + 0.08r and b = 0.25 − 0.05r), which needs no further variable.
const EXCITATORY: [(&str, &str); 5] =
    [("a", "0.02"), ("b", "0.2"), ("c", "-65 + 15*rand()**2"), ("d", "8 - 0.4*(c + 65)"), ("noise", "5")];
const INHIBITORY: [(&str, &str); 5] =
    [("a", "0.02 + 0.08*rand()"), ("b", "0.25 - 0.625*(a - 0.02)"), ("c", "-65"), ("d", "2"), ("noise", "2")];

fn izhikevich(scale: f64) -> Result<Network, Error> {
    let population = |name: &str, size, parameters: [(&str, &str); 5]| {
        let value = |text: &str| text.parse().map_or_else(|_| Quantity::expr(text), Quantity::Number);
        Ok(Population {
            name: name.to_owned(),
            size: scaled(size, scale)?,
            model: Some("izhikevich_2003".to_owned()),
            parameters: parameters.map(|(key, text)| (key.to_owned(), value(text))).into_iter().collect(),
            initial: [("v", Quantity::Number(-65.0)), ("u", Quantity::expr("b*v"))]
                .map(|(key, value)| (key.to_owned(), value))
                .into_iter()
                .collect(),
            ..Population::default()
        })
    };
    let projection = |pre: &str, post: &str| {
        let (weight, inputs) = if pre == "E" { ("0.5*rand()", 800) } else { ("-rand()", 200) };
        Projection {
            name: format!("{pre}{post}"),
            pre: Endpoint::whole(pre),
            post: Endpoint::whole(post),
            connect: Some(if scale == 1.0 { Connector::all() } else { Connector::fixed_indegree(inputs) }),
            equations: Some("w : 1 (constant)".to_owned()),
            on_pre: Some("I_post += w".into()),
            initial: [("w".to_owned(), Quantity::expr(weight))].into_iter().collect(),
            ..Projection::default()
        }
    };
    Ok(Network {
        dt_ms: 1.0,
        populations: vec![population("E", 800, EXCITATORY)?, population("I", 200, INHIBITORY)?],
        projections: [("E", "E"), ("E", "I"), ("I", "E"), ("I", "I")].map(|(pre, post)| projection(pre, post)).into(),
        recordings: of_both("1"),
        ..Network::default()
    })
}
