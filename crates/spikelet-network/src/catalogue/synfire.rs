//! A synfire chain.

use spikelet_lang::host::normal_f64;

use super::parts::{assembled, poisson_input, population, potentials, projection, scaled, slice};
use super::{CatalogueEntry, Scaling};

use crate::connectors::All;
use crate::{Connector, Endpoint, Error, Network, Projection, Source, SourceKind};

pub(super) const SYNFIRE: CatalogueEntry = CatalogueEntry {
    name: "synfire",
    title: "Synfire chain",
    about: "Ten pools of 100 neurons, each neuron connected to all neurons of the next pool, with the noise of 20000 background \
            synapses. A packet of 40 spikes into the first pool at 30 ms spreads and dies out; a packet of 80 at 130 ms \
            sharpens to less than a millisecond and reaches the last pool. The scale makes the chain longer.",
    citation: "Diesmann, Gewaltig & Aertsen 1999, Nature 402:529",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Neurons,
    small: 1.0,
    build: synfire,
};

/// Neurons of a pool.
const POOL: u32 = 100;
/// Peak of the synaptic current, in pA: it gives a potential of 0.14 mV.
const WEIGHT: f64 = 45.1;
/// Time, number of spikes, and standard deviation of the spike times of the packets, in ms.
const PACKETS: [(f64, u32, f64); 2] = [(30.0, 40, 1.0), (130.0, 80, 1.0)];

fn synfire(scale: f64) -> Result<Network, Error> {
    let pools = scaled(10, scale)?;
    let size = scaled(10 * POOL, f64::from(pools) / 10.0)?;
    let parameters = [
        ("C", "250 pF"),
        ("taum", "10 ms"),
        ("taue", "0.33 ms"),
        ("taui", "0.33 ms"),
        ("El", "-70 mV"),
        ("Vr", "-70 mV"),
        ("Vt", "-55 mV"),
        ("tref", "1 ms"),
    ];
    // The background input gives v this mean and standard deviation.
    let chain = population("chain", size, "lif_psc_alpha", &parameters, &[("v", "(-61.5 + 2.9*randn())*mV")]);
    let background = |name: &str, var, number, rate: &str, weight: f64| Source {
        name: name.to_owned(),
        ..poisson_input("chain", var, number, rate, format!("{weight} pA").as_str())
    };
    let packets = PACKETS.iter().flat_map(|&(time, spikes, sd)| {
        // Quantiles instead of draws: every seed has the same packet.
        (0..spikes).map(move |k| (k, time + sd * normal_f64((f64::from(k) + 0.5) / f64::from(spikes))))
    });
    let packets =
        Source { name: "packets".to_owned(), kind: SourceKind::Spikes { size: POOL, spike_times_ms: packets.collect() } };
    let link = |pre: Endpoint, post: Endpoint, connect| {
        let link = projection(&pre.population, &post.population, connect, format!("Ie_rise_post += {WEIGHT}*pA"));
        Projection { pre, post, delay_ms: 5.0.into(), ..link }
    };
    let next = format!("j // {POOL} == i // {POOL} + 1");
    let next = Connector::All(All { condition: Some(next), autapses: true });
    Ok(Network {
        duration_ms: 250.0,
        sources: vec![
            packets,
            background("excitation", "Ie_rise", 17_600, "2 Hz", WEIGHT),
            background("inhibition", "Ii_rise", 2400, "12.5 Hz", -WEIGHT),
        ],
        ..assembled(
            vec![chain],
            vec![
                link(Endpoint::whole("packets"), slice("chain", 0, POOL), Connector::all()),
                link(Endpoint::whole("chain"), Endpoint::whole("chain"), next),
            ],
            vec![potentials("chain", &[0, 500.min(size - 1), size - 1], "mV")],
        )
    })
}
