//! The cases of benchmarks: networks of given sizes, by name. `spikelet bench` and `cargo bench` read this list.

use super::loops::{LOOPS, LoopCase};
use super::parts::{assembled, population, projection, scaled, slice};
use super::{Scaling, entries, entry};
use crate::network::Storage;
use crate::{Connector, Endpoint, Error, Network, Projection, Quantity};

/// A network of a given size.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The network: of the catalogue, of the families `lif` and `lattice`, which have many sizes, or `loop`.
    pub network: &'static str,
    /// The size: `small` (that of the catalogue), `published` or, if a scale changes more than the neurons, `full`; for `lif` the number of
    /// neurons, for `lattice` the edge; for `loop` what its neurons do.
    pub size: String,
    /// Whether it needs gigabytes, or minutes to build.
    pub large: bool,
    /// Biological time in ms for the comparison of spikes between devices.
    pub compared_ms: f64,
    variant: Variant,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Variant {
    /// A network of the catalogue at a scale.
    Scale(f64),
    /// The same at scale 1, with procedural synapses.
    Procedural,
    /// The fly network at a scale, with activity in all neurons.
    Driven(f64),
    /// A number of leaky integrate-and-fire neurons.
    Lif(u32),
    /// Neurons that do one thing.
    Loop(LoopCase),
}

/// Cases that need gigabytes or minutes.
const LARGE: [&str; 7] =
    ["pd14/full", "pd14/procedural", "pd14_dc/full", "fly/published", "fly/2hz", "million/published", "lif/1e6"];

const LIF: [(u32, &str); 5] = [(100, "1e2"), (1000, "1e3"), (10_000, "1e4"), (100_000, "1e5"), (1_000_000, "1e6")];
const LATTICE: [u32; 5] = [10, 25, 50, 100, 200];

/// All cases, in the order of the catalogue; then the [families], and neurons that do one thing in every step (`loop`).
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in entries() {
        if entry.small != 1.0 {
            cases.push(Case::new(entry.name, "small", Variant::Scale(entry.small)));
        }
        let size = if entry.scaling == Scaling::Neurons { "published" } else { "full" };
        cases.push(Case::new(entry.name, size, Variant::Scale(1.0)));
        match entry.name {
            "pd14" => cases.push(Case::new("pd14", "procedural", Variant::Procedural)),
            "fly" => cases.extend(
                [("2hz_small", entry.small), ("2hz", 1.0)].map(|(size, scale)| Case::new("fly", size, Variant::Driven(scale))),
            ),
            _ => {}
        }
    }
    cases.extend(families().into_iter().flatten());
    cases.extend(LOOPS.map(|of| Case::new("loop", of.name, Variant::Loop(of))));
    cases
}

/// Networks of many sizes, to measure speed as a function of size; each family from its smallest.
///
/// * `lif`: leaky integrate-and-fire neurons with delta synapses, 100 per neuron, but at most to a tenth of all: 1 % at 10,000 neurons. A
///   constant input just above threshold and strong inhibition cause a rate of about 5 Hz (100 neurons fire faster); the delay of 1.5 ms is
///   15 steps.
/// * `lattice`: the network `lixirnet` with a given number of neurons on a side.
pub fn families() -> [Vec<Case>; 2] {
    let lif = LIF.map(|(neurons, size)| Case::new("lif", size, Variant::Lif(neurons)));
    let lattice = LATTICE.map(|edge| {
        let scale = f64::from(edge * edge) / 10_000.0;
        Case::new("lattice", &edge.to_string(), Variant::Scale(scale))
    });
    [lif.into(), lattice.into()]
}

impl Case {
    fn new(network: &'static str, size: &str, variant: Variant) -> Case {
        let large = LARGE.contains(&format!("{network}/{size}").as_str());
        Case { network, size: size.to_owned(), large, compared_ms: if large { 20.0 } else { 100.0 }, variant }
    }

    /// Whether it is measured without being named: neither large nor only a loop.
    pub fn is_usual(&self) -> bool {
        !self.large && !matches!(self.variant, Variant::Loop(_))
    }

    /// Its name, such as `cuba/published`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.network, self.size)
    }

    /// The network, without recordings.
    ///
    /// # Errors
    /// None, unless the catalogue is invalid.
    pub fn network(&self) -> Result<Network, Error> {
        let published = || entry(if self.network == "lattice" { "lixirnet" } else { self.network });
        let network = match self.variant {
            Variant::Scale(scale) => published()?.network(scale)?,
            Variant::Procedural => {
                let mut network = published()?.network(1.0)?;
                network.projections.iter_mut().for_each(|projection| projection.storage = Some(Storage::Procedural));
                network
            }
            Variant::Driven(scale) => driven(published()?.network(scale)?),
            Variant::Lif(neurons) => lif(neurons)?,
            Variant::Loop(of) => of.network(),
        };
        Ok(Network { name: self.name(), recordings: Vec::new(), statistics: Vec::new(), ..network })
    }
}

/// Replaces the stimulus by a constant input, different for each neuron: above threshold for one in fifteen, with a mean rate of 2 to 3 Hz.
/// The run contains no random numbers.
fn driven(mut network: Network) -> Network {
    let sources = std::mem::take(&mut network.sources);
    network.projections.retain(|projection| sources.iter().all(|source| source.name != projection.pre.population));
    for population in &mut network.populations {
        population.parameters.insert("I".to_owned(), Quantity::expr(DRIVE));
        population.initial.insert("v".to_owned(), Quantity::expr("El + rand()*(Vt - El)"));
    }
    network
}

/// The threshold is 7 mV away.
const DRIVE: &str = "7.5*mV*rand()";

fn lif(neurons: u32) -> Result<Network, Error> {
    let excitatory = scaled(neurons, 0.8)?;
    let synapses = 100.min(neurons / 10);
    // The fluctuation of the input is the same for all sizes.
    let weight = 0.2 * libm::sqrt(100.0 / f64::from(synapses));
    let parameters = [("tau", "20 ms"), ("Vt", "20 mV"), ("Vr", "10 mV"), ("tref", "2 ms"), ("I", "20.5 mV")];
    let cells = population("N", neurons, "lif_delta", &parameters, &[("v", "rand()*Vt")]);
    let onto = |name: &str, pre: Endpoint, on_pre: String| Projection {
        name: name.to_owned(),
        pre,
        storage: Some(Storage::Stored),
        delay_ms: 1.5.into(),
        ..projection("N", "N", Connector::fixed_outdegree(synapses), on_pre)
    };
    let projections = vec![
        onto("excitation", slice("N", 0, excitatory), format!("v_post += {weight}*mV")),
        onto("inhibition", slice("N", excitatory, neurons), format!("v_post -= {}*mV", 16.0 * weight)),
    ];
    Ok(assembled(vec![cells], projections, Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_a_valid_network_with_a_name_of_its_own() {
        let cases = cases();
        let names: std::collections::HashSet<_> = cases.iter().map(Case::name).collect();
        assert_eq!(names.len(), cases.len());
        for case in &cases {
            let network = case.network().unwrap();
            network.validate().unwrap_or_else(|error| panic!("{}: {error}", case.name()));
        }
        let large: Vec<_> = LARGE.iter().filter(|name| !names.contains(**name)).collect();
        assert!(large.is_empty(), "{large:?} are no cases");
        for entry in entries() {
            assert!(cases.iter().any(|case| case.network == entry.name && !case.large), "{} has none but large ones", entry.name);
        }
    }

    #[test]
    fn families_grow() {
        for family in families() {
            let sizes: Vec<u64> = family.iter().map(|case| case.network().unwrap().neurons()).collect();
            assert!(sizes.is_sorted() && sizes.len() == 5, "{sizes:?}");
        }
        assert_eq!(families()[1][4].network().unwrap().neurons(), 40_000);
    }
}
