//! Published networks, ready to run. The page's menu, the command line, tests and benches read this list.

use crate::Error;
use crate::network::Network;

mod assemblies;
mod balanced;
mod brunel;
mod cases;
mod competition;
mod guides;
mod izhikevich;
mod large;
mod lattices;
mod learning;
mod loops;
mod microcircuit;
mod parts;
mod ping;
mod stdp;
mod synfire;
mod waves;

pub use cases::{Case, cases, families};

/// A network of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct CatalogueEntry {
    /// Its name on the command line and in the page.
    pub name: &'static str,
    /// A short title.
    pub title: &'static str,
    /// What it is and what it shows, in a few sentences.
    pub about: &'static str,
    /// Its publication.
    pub citation: &'static str,
    /// Expected activity at scale 1; empty if no mean rate describes it.
    pub expected: &'static [ExpectedActivity],
    /// The source of these values; empty if there are none.
    pub figures_from: &'static str,
    /// The effect of a scale other than 1.
    pub scaling: Scaling,
    /// A scale at which it builds and runs 100 ms quickly: for tests, benches and previews.
    pub small: f64,
    build: fn(scale: f64) -> Result<Network, Error>,
}

/// The effect of a scale on a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// Multiplies the neurons. Each neuron has the same mean number of synapses, so the dynamics are the same.
    Neurons,
    /// Multiplies the neurons and the synapses of each. The text describes what compensates for it.
    Synapses(&'static str),
}

/// The activity of a population at scale 1, over a run of 1 s without its first 200 ms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedActivity {
    /// Name of the population.
    pub population: &'static str,
    /// Mean rate in Hz.
    pub rate_hz: f64,
    /// Tolerance of a single run in Hz: about three standard deviations over seeds.
    pub rate_within_hz: f64,
    /// Mean coefficient of variation of the interspike intervals, and the tolerance of a single run.
    pub cv_isi: Option<[f64; 2]>,
}

/// All networks of the catalogue, in the order of a menu.
pub fn entries() -> &'static [CatalogueEntry] {
    &[
        balanced::CUBA,
        balanced::COBA,
        balanced::COBAHH,
        izhikevich::IZHIKEVICH,
        brunel::SYNCHRONOUS_REGULAR,
        brunel::FAST,
        brunel::ASYNCHRONOUS,
        brunel::SLOW,
        ping::PING,
        synfire::SYNFIRE,
        competition::RING,
        competition::DECISION,
        waves::WAVES,
        stdp::SONG,
        stdp::WINDOW,
        stdp::PLASTIC_CUBA,
        learning::ISTDP_BALANCE,
        learning::BCM_SELECTIVITY,
        learning::RSTDP_REWARD,
        learning::SPIKE_PATTERN,
        assemblies::PROJECT,
        assemblies::ASSOCIATE,
        assemblies::PARSER,
        microcircuit::PD14,
        microcircuit::PD14_DC,
        lattices::LIXIRNET,
        lattices::LATTICE_4D,
        lattices::WORLD_4D,
        guides::TEN_THOUSAND,
        guides::EXCITATION_INHIBITION,
        large::FLY,
        large::MILLION,
    ]
}

/// The entry named `name`.
///
/// # Errors
/// An unknown name, with a suggestion.
pub fn entry(name: &str) -> Result<&'static CatalogueEntry, Error> {
    let found = entries().iter().find(|entry| entry.name == name);
    found.ok_or_else(|| Error::unknown_name("", "network", name, entries().iter().map(|entry| entry.name)))
}

/// The network named `name` at a scale: see [`Scaling`].
///
/// # Errors
/// An unknown name (with a suggestion), or an invalid scale.
pub fn network(name: &str, scale: f64) -> Result<Network, Error> {
    entry(name)?.network(scale)
}

impl CatalogueEntry {
    /// The network at a scale: see [`CatalogueEntry::scaling`].
    ///
    /// # Errors
    /// A scale that is not a finite number above 0, leaves no neuron or makes too many.
    pub fn network(&self, scale: f64) -> Result<Network, Error> {
        let network = (self.build)(scale)?;
        Ok(Network { name: self.name.to_owned(), description: self.description(), ..network })
    }

    /// The description of the network: its title and publication.
    pub fn description(&self) -> String {
        format!("{}: {}", self.title, self.citation)
    }
}

#[cfg(test)]
mod tests;
