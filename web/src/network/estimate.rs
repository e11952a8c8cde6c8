//! The size of a network, from its text and the expected number of synapses.

use spikelet_network::{Network, Source};

/// Number of its neurons, without those of sources.
pub(crate) fn neurons(network: &Network) -> u64 {
    network.populations.iter().map(|population| u64::from(population.size)).sum()
}

/// Mean in-degree and out-degree of a projection, for a total number of synapses.
pub(crate) fn degrees(network: &Network, place: usize, synapses: f64) -> Option<[f64; 2]> {
    let projection = network.projections.get(place)?;
    let size = |name: &str| {
        let population = network.population(name).map(|population| population.size);
        population.or_else(|| network.source(name).map(Source::size))
    };
    let neurons = |end: &spikelet_network::Endpoint| Some(end.range(size(&end.population)?).len()).filter(|neurons| *neurons > 0);
    Some([synapses / neurons(&projection.post)? as f64, synapses / neurons(&projection.pre)? as f64])
}

#[cfg(test)]
mod tests {
    use spikelet::Estimate;
    use spikelet_network::catalogue;

    use super::*;

    #[test]
    fn degrees_count_the_neurons_of_slices() {
        let mut network = catalogue::network("cuba", 1.0).expect("cuba");
        let synapses = |network: &Network| Estimate::of(network).expect("an estimate").projections[0].synapses;
        assert_eq!(degrees(&network, 0, synapses(&network)), Some([64.0, 64.0]));
        network.projections[0].pre = "E[0:800]".parse().expect("a slice");
        assert_eq!(degrees(&network, 0, synapses(&network)), Some([16.0, 64.0]));
        network.projections[0].pre = "nobody".parse().expect("a name");
        assert_eq!(degrees(&network, 0, 1.0), None);
    }

    #[test]
    fn what_is_expected_of_the_catalogue_is_what_is_built() {
        // A grid with an edge; a network with sources; all to all.
        for name in ["waves", "stdp_song", "decision"] {
            let network = catalogue::entry(name).and_then(|entry| entry.network(entry.small)).expect(name);
            let (expected, built) = (Estimate::of(&network).expect(name), spikelet::Plan::new(&network).expect(name));
            let (synapses, sources) = (built.synapses() as f64, built.neurons() as u64 - neurons(&network));
            assert!((expected.synapses() - synapses).abs() < 0.01 * synapses, "{name}: {} and {synapses}", expected.synapses());
            assert_eq!(sources, u64::from(network.sources.iter().map(spikelet_network::Source::size).sum::<u32>()), "{name}");
        }
    }
}
