//! The initial network for custom equations: a few neurons that spike at once.

use indexmap::IndexMap;
use spikelet_network::{Network, Population, Quantity};

/// Its name.
pub(crate) const NAME: &str = "New network";

/// Its description until it is edited.
pub(super) const ABOUT: &str = "Adapting neurons with increasing input currents. Edit the equations and run them.";

/// Adaptive integrate-and-fire neurons with increasing currents: the raster shows rate as a function of current.
pub(crate) fn network() -> Network {
    let texts = |pairs: &[(&str, &str)]| -> IndexMap<String, Quantity> {
        pairs.iter().map(|(name, text)| ((*name).to_owned(), Quantity::from(*text))).collect()
    };
    let population = Population {
        name: "cells".into(),
        size: 50,
        equations: Some(
            "dv/dt = (El - v + R*(I - w))/tau : volt (unless refractory)\ndw/dt = (a*(v - El) - w)/tauw : amp # adapts\nI : amp # each cell its own".into(),
        ),
        threshold: Some("v > Vt".into()),
        reset: Some("v = Vr\nw += b".into()),
        refractory: Some("2*ms".into()),
        parameters: texts(&[
            ("I", "(0.1 + 0.5*i/N)*nA"),
            ("tau", "20 ms"),
            ("tauw", "150 ms"),
            ("R", "100 Mohm"),
            ("a", "2 nS"),
            ("b", "30 pA"),
            ("El", "-65 mV"),
            ("Vt", "-50 mV"),
            ("Vr", "-60 mV"),
        ]),
        initial: texts(&[("v", "El")]),
        ..Population::default()
    };
    let recordings = vec![super::recording(&population, "v")];
    Network { name: NAME.into(), description: ABOUT.into(), populations: vec![population], recordings, ..Network::default() }
}

#[cfg(test)]
mod tests {
    use spikelet::{Cpu, Simulation};

    use super::*;

    #[test]
    fn it_spikes_and_adapts_from_the_first_run() {
        let network = network();
        assert_eq!(Network::from_json(&network.to_json()), Ok(network.clone()));
        assert_eq!(super::super::check::tests::check(&super::super::Equations::of(network.clone())).mistakes, []);
        let spikes = pollster::block_on(async {
            let mut simulation = Simulation::new(&network, Box::new(Cpu::new(1))).await.expect("it opens");
            simulation.advance(5000).await.expect("it runs").spikes
        });
        let steps =
            |neuron: u32| -> Vec<u32> { spikes.iter().filter(|spike| spike.neuron == neuron).map(|spike| spike.step).collect() };
        assert!(steps(0).is_empty(), "the first cell stays below threshold");
        let last = steps(49);
        assert!(last.len() > 10, "the last cell fires {} times in 500 ms", last.len());
        let (first, then) = (last[1] - last[0], last[last.len() - 1] - last[last.len() - 2]);
        assert!(then > first, "intervals grow: {first} → {then} steps");
    }
}
