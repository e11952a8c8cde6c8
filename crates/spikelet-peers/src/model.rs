//! The networks, as Spikelet gets them: those of its catalogue, changed where the peers' differ.

use spikelet::{Network, Quantity, catalogue};

use crate::{Result, options};

/// A network that all have.
#[derive(Debug)]
pub(crate) struct Model {
    /// What the scripts of the peers call it, too.
    pub(crate) name: &'static str,
    catalogue: &'static str,
    scale: f64,
    /// Biological time of a run.
    pub(crate) seconds: f64,
    /// Initial values that the peers' scripts have and the catalogue has not.
    initial: &'static [(&'static str, f64)],
    /// The mean rate, in Hz, below which activity that nothing drives from outside has died out.
    pub(crate) alive_hz: Option<f64>,
}

const PLAIN: Model = Model { name: "", catalogue: "", scale: 1.0, seconds: 1.0, initial: &[], alive_hz: None };

/// All of them.
const MODELS: [Model; 8] = [
    Model { name: "cuba", catalogue: "cuba", seconds: 5.0, ..PLAIN },
    Model { name: "plastic_cuba", catalogue: "plastic_cuba", seconds: 3.0, ..PLAIN },
    Model { name: "coba", catalogue: "coba", seconds: 2.0, alive_hz: Some(10.0), ..PLAIN },
    Model { name: "cobahh", catalogue: "cobahh", initial: &[("h", 0.0)], ..PLAIN },
    Model { name: "brunel", catalogue: "brunel_ai", initial: &[("v", 0.0)], ..PLAIN },
    Model { name: "izhikevich", catalogue: "izhikevich", seconds: 10.0, ..PLAIN },
    Model { name: "izhikevich_10k", catalogue: "izhikevich", scale: 10.0, seconds: 2.0, ..PLAIN },
    Model { name: "pd14", catalogue: "pd14", scale: 0.1, seconds: 2.0, ..PLAIN },
];

impl Model {
    /// # Errors
    /// There is no such model.
    pub(crate) fn named(name: &str) -> Result<&'static Model> {
        let found = MODELS.iter().find(|model| model.name == name);
        found.ok_or_else(|| format!("there is no model `{name}`; there are {}", options::MODELS.join(", ")).into())
    }

    /// The network; nothing but spikes is recorded.
    ///
    /// # Errors
    /// None, unless the catalogue is broken.
    pub(crate) fn network(&self) -> Result<Network> {
        let mut network = catalogue::network(self.catalogue, self.scale)?;
        network.recordings.clear();
        network.statistics.clear();
        for population in &mut network.populations {
            for (variable, value) in self.initial {
                population.initial.insert((*variable).to_owned(), Quantity::Number(*value));
            }
        }
        network.validate()?;
        Ok(network)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_have_the_sizes_of_the_peers() {
        let sizes: Vec<u64> = MODELS.iter().map(|model| model.network().unwrap().neurons()).collect();
        // Of 7,718 the peers have one less: they round 606.5 to even.
        assert_eq!(sizes, [4000, 10_000, 4000, 4000, 12_500, 1000, 10_000, 7718]);
        assert_eq!(MODELS.map(|model| model.name), options::MODELS);
        assert!(Model::named("cubaa").unwrap_err().to_string().contains("cuba, plastic_cuba, coba"));
    }
}
