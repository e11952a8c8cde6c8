//! Large networks.

use super::parts::{assembled, population, potentials, projection, scaled, scaled_synapses, slice};
use super::{CatalogueEntry, Scaling};
use crate::connectors::PowerLaw;
use crate::network::Storage;
use crate::{Connector, Endpoint, Error, Network, Projection, Source, SourceKind};

pub(super) const MILLION: CatalogueEntry = CatalogueEntry {
    name: "million",
    title: "A million neurons, a billion synapses",
    about: "A million leaky integrate-and-fire neurons with 1000 synapses each. Synapses are not stored but drawn again at \
            every spike. A constant input above threshold and strong inhibition cause irregular firing at about 3 Hz. The state \
            of all neurons needs a few dozen MiB.",
    citation: "The balance of van Vreeswijk & Sompolinsky 1996, Science 274:1724, in the network of Brunel 2000; the values are \
               Spikelet's",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Neurons,
    small: 0.002,
    build: million,
};

fn million(scale: f64) -> Result<Network, Error> {
    let size = scaled(1_000_000, scale)?;
    let excitatory = scaled(800_000, scale)?;
    let parameters = [("tau", "20 ms"), ("Vt", "20 mV"), ("Vr", "10 mV"), ("tref", "2 ms"), ("I", "24 mV")];
    let neurons = population("N", size, "lif_delta", &parameters, &[("v", "rand()*Vt")]);
    let synapses = |name: &str, pre: Endpoint, on_pre: &str| Projection {
        name: name.to_owned(),
        pre,
        storage: Some(Storage::Procedural),
        delay_ms: 1.5.into(),
        ..projection("N", "N", Connector::fixed_outdegree(1000), on_pre)
    };
    let projections = vec![
        synapses("excitation", slice("N", 0, excitatory), "v_post += 0.4*mV"),
        synapses("inhibition", slice("N", excitatory, size), "v_post -= 3.2*mV"),
    ];
    let network = assembled(vec![neurons], projections, vec![potentials("N", &[0, size - 1], "mV")]);
    Ok(Network { dt_ms: 0.5, ..network })
}

pub(super) const FLY: CatalogueEntry = CatalogueEntry {
    name: "fly",
    title: "A random graph with the numbers of a fly's brain",
    about: "139255 neurons and 15.1 million connections, as counted in the brain of Drosophila, with heavy-tailed degrees and \
            weights and the neuron of its published whole-brain model. Only these numbers are from the fly: the connectivity is \
            random. 200 neurons are driven to fire at 150 Hz; all other activity follows from them.",
    citation: "Dorkenwald et al. 2024, Nature 634:124 (counts); Shiu et al. 2024, Nature 634:210 (neuron, delay, weight of a \
               synapse)",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Neurons,
    small: 0.02,
    build: fly,
};

/// Three fifths of the neurons release acetylcholine, the others mostly GABA and glutamate, which are inhibitory in the fly.
const EXCITATORY: (&str, f64) = ("E", 0.6);
const INHIBITORY: (&str, f64) = ("I", 0.4);
/// Connections of all neurons.
const CONNECTIONS: f64 = 15_100_000.0;
/// The stimulated excitatory neurons: with many connections, but not the most.
const STIMULATED: [u32; 2] = [100, 300];

fn fly(scale: f64) -> Result<Network, Error> {
    let parameters =
        [("taum", "20 ms"), ("taue", "5 ms"), ("El", "-52 mV"), ("Vt", "-45 mV"), ("Vr", "-52 mV"), ("tref", "2.2 ms")];
    let neurons = |name, size| Ok(population(name, scaled(size, scale)?, "lif_exp", &parameters, &[]));
    let synapses = |(pre, senders): (&str, f64), (post, receivers): (&str, f64)| {
        let n = scaled_synapses(CONNECTIONS * senders * receivers, scale);
        let connect = Connector::PowerLaw(PowerLaw { n, gamma_out: 3.5, gamma_in: 3.5, autapses: false });
        let on_pre = if pre == "E" { "ge_post += w" } else { "ge_post -= w" };
        let mut synapses = projection(pre, post, connect, on_pre);
        synapses.equations = Some("w : volt (constant)".to_owned());
        // 0.275 mV for each synapse of a connection: 3.6 on average, hundreds at most.
        synapses.initial.insert("w".to_owned(), "lognormal(0.55 mV, 1.08)".into());
        synapses.delay_ms = 1.8.into();
        synapses
    };
    let [first, end] = STIMULATED;
    let stimulus = Source { name: "stimulus".to_owned(), kind: SourceKind::Poisson { size: end - first, rate: "150 Hz".into() } };
    // 250 synapses: each of its spikes fires its neuron.
    let onto = projection("stimulus", "E", Connector::one_to_one(), "v_post += 250*0.275*mV");
    let both = [EXCITATORY, INHIBITORY];
    let mut projections: Vec<_> = both.iter().flat_map(|pre| both.map(|post| synapses(*pre, post))).collect();
    projections.push(Projection { post: slice("E", first, end), ..onto });
    let recorded = vec![potentials("E", &[first, 0], "mV")];
    let populations = vec![neurons("E", 83_553)?, neurons("I", 55_702)?];
    Ok(Network { sources: vec![stimulus], ..assembled(populations, projections, recorded) })
}
