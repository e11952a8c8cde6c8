//! Degrees that follow from the expected number of synapses.

use spikelet::{Network, Source};

/// Synapses onto each post neuron and from each pre neuron of a projection, on average, if there are so many in all.
pub(crate) fn degrees(network: &Network, place: usize, synapses: f64) -> Option<[f64; 2]> {
    let projection = network.projections.get(place)?;
    let size = |name: &str| {
        let population = network.population(name).map(|population| population.size);
        population.or_else(|| network.source(name).map(Source::size))
    };
    let neurons = |end: &spikelet::Endpoint| Some(end.range(size(&end.population)?).len()).filter(|neurons| *neurons > 0);
    Some([synapses / neurons(&projection.post)? as f64, synapses / neurons(&projection.pre)? as f64])
}

#[cfg(test)]
mod tests {
    use spikelet::{Estimate, catalogue};

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
}
