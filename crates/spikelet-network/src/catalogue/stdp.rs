//! STDP: one neuron, one window, one large network.

use super::parts::{
    assembled, expressions, of_both, population, potentials, projection, scaled, spread, synapses, target_of, values, weights,
};
use super::{CatalogueEntry, ExpectedActivity, Scaling};
use crate::connectors::All;
use crate::{Connector, Error, Network, Projection, Quantity, Source, SourceKind, Statistic};

pub(super) const SONG: CatalogueEntry = CatalogueEntry {
    name: "stdp_song",
    title: "STDP: competition between inputs",
    about: "1000 Poisson inputs of 15 Hz to one leaky integrate-and-fire neuron, through conductances with additive STDP. As \
            depression is slightly larger than potentiation, inputs compete: within two minutes the weights gather near 0 and \
            near the bound, and the rate of the neuron becomes stable. Plasticity is faster than published (A = 0.01 instead of \
            0.005). The scale is the number of neurons, with 1000 inputs each.",
    citation: "Song, Miller & Abbott 2000, Nat Neurosci 3:919",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Neurons,
    small: 1.0,
    build: song,
};

pub(super) const WINDOW: CatalogueEntry = CatalogueEntry {
    name: "stdp_window",
    title: "STDP: the window",
    about: "101 neurons that each fire once, driven by a teaching input, with one plastic synapse each. Presynaptic spikes come \
            from 50 ms after to 50 ms before: after 130 ms the weights show the STDP window, A·exp(-d/tau) on either side. A \
            pair in the same step counts as pre before post.",
    citation: "Bi & Poo 1998, J Neurosci 18:10464; Song, Miller & Abbott 2000, Nat Neurosci 3:919",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Neurons,
    small: 1.0,
    build: window,
};

pub(super) const PLASTIC_CUBA: CatalogueEntry = CatalogueEntry {
    name: "plastic_cuba",
    title: "Balanced network with STDP",
    about: "10,000 neurons of cuba with fixed in-degrees (64 excitatory, 16 inhibitory), where all 512,000 synapses between \
            excitatory neurons follow additive STDP, starting at 1.62 mV. Rates and irregularity stay near those of cuba while \
            the weights spread. A network to measure the speed of plasticity.",
    citation: "Vogels & Abbott 2005, J Neurosci 25:10786; Morrison, Aertsen & Diesmann 2007, Neural Comput 19:1437",
    expected: &[
        ExpectedActivity { population: "E", rate_hz: 5.14, rate_within_hz: 0.5, cv_isi: None },
        ExpectedActivity { population: "I", rate_hz: 5.15, rate_within_hz: 0.5, cv_isi: None },
    ],
    figures_from: "Brian 2.9, three seeds",
    scaling: Scaling::Neurons,
    small: 0.1,
    build: plastic_cuba,
};

/// Inputs of each neuron.
const INPUTS: u32 = 1000;

fn song(scale: f64) -> Result<Network, Error> {
    // The inputs limit the scale.
    let cells = scaled(INPUTS, scale).and_then(|_| scaled(1, scale))?;
    let parameters = [
        ("tau", "10 ms"),
        ("El", "-74 mV"),
        ("Vt", "-54 mV"),
        ("Vr", "-60 mV"),
        ("tref", "0 ms"),
        ("R", "100 Mohm"),
        ("g_max", "0.1 nS"),
    ];
    let cell = target_of("stdp_song", "", population("cell", cells, "lif", &parameters, &[("v", "Vr")]))?;
    let condition = Some(format!("i // {INPUTS} == j"));
    let mut learning = synapses("learning", "input", "cell", Connector::All(All { condition, autapses: true }), "stdp_song");
    learning.parameters = values(&[("A", "0.01")]);
    learning.initial = expressions(&[("w", "rand()")]);
    Ok(Network {
        duration_ms: 100_000.0,
        sources: vec![Source {
            name: "input".to_owned(),
            kind: SourceKind::Poisson { size: cells * INPUTS, rate: "15 Hz".into() },
        }],
        statistics: spread("learning", ["0", "1"]),
        ..assembled(vec![cell], vec![learning], vec![potentials("cell", &[0], "mV"), weights("learning", &[0, 1, 2, 3])])
    })
}

fn window(scale: f64) -> Result<Network, Error> {
    let pairs = scaled(101, scale)?;
    let (dt_ms, pre_ms) = (0.1, 60.0);
    let post_ms = |pair: u32| pre_ms - 50.0 + 100.0 * f64::from(pair) / f64::from((pairs - 1).max(1));
    let scripted = |name: &str, time_ms: &dyn Fn(u32) -> f64| Source {
        name: name.to_owned(),
        kind: SourceKind::Spikes { size: pairs, spike_times_ms: (0..pairs).map(|pair| (pair, time_ms(pair))).collect() },
    };
    // Presynaptic spikes only change weights: their current is 0.
    let cell = population("cell", pairs, "lif", &[("tref", "0 ms"), ("J_exc", "0 pA")], &[]);
    let teaching = synapses("teaching", "teacher", "cell", Connector::one_to_one(), "delta");
    Ok(Network {
        dt_ms,
        duration_ms: 130.0,
        // A neuron fires in the step after its teaching input.
        sources: vec![scripted("pre", &|_| pre_ms), scripted("teacher", &|pair| post_ms(pair) - dt_ms)],
        statistics: spread("learning", ["0.48", "0.52"]).into_iter().map(|of| Statistic { every_ms: 10.0, ..of }).collect(),
        ..assembled(
            vec![target_of("stdp", "", cell)?],
            vec![
                synapses("learning", "pre", "cell", Connector::one_to_one(), "stdp"),
                Projection { parameters: values(&[("w", "100 mV")]), ..teaching },
            ],
            vec![weights("learning", &[0, pairs / 2, pairs - 1])],
        )
    })
}

fn plastic_cuba(scale: f64) -> Result<Network, Error> {
    let cells = |name, size| {
        let initial = [("v", "Vr + rand()*(Vt - Vr)")];
        Ok::<_, Error>(population(name, scaled(size, scale)?, "lif_exp", &[], &initial))
    };
    let fixed = |pre: &str, post: &str, inputs: u32, on_pre: &str| Projection {
        name: format!("{pre}{post}"),
        ..projection(pre, post, Connector::fixed_indegree(inputs), on_pre)
    };
    let plastic = Projection {
        equations: Some(
            "w : volt\n\
             dx/dt = -x/tau : 1 (event-driven)\n\
             dy/dt = -y/tau : 1 (event-driven)"
                .to_owned(),
        ),
        on_post: Some("y += 1; w = clip(w + dp*x, 0*volt, wmax)".into()),
        parameters: values(&[("tau", "20 ms"), ("wmax", "3.24 mV"), ("dp", "0.0324 mV"), ("dm", "0.03402 mV")]),
        initial: [("w".to_owned(), Quantity::from("1.62 mV"))].into_iter().collect(),
        ..fixed("E", "E", 64, "ge_post += w; x += 1; w = clip(w - dm*y, 0*volt, wmax)")
    };
    let projections = vec![
        plastic,
        fixed("E", "I", 64, "ge_post += 1.62*mV"),
        fixed("I", "E", 16, "gi_post += -9*mV"),
        fixed("I", "I", 16, "gi_post += -9*mV"),
    ];
    let network = assembled(vec![cells("E", 8000)?, cells("I", 2000)?], projections, of_both("mV"));
    Ok(Network { statistics: spread("EE", ["0 mV", "3.24 mV"]), ..network })
}
