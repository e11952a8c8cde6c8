//! Published networks, ready to run at any scale.

use crate::Error;
use crate::network::{Network, Recording};

mod balanced;
mod izhikevich;

/// A network of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// What it is called on the command line and in the page.
    pub name: &'static str,
    /// A short title.
    pub title: &'static str,
    /// What it is and what it shows, in a few sentences.
    pub about: &'static str,
    /// Where it was published.
    pub citation: &'static str,
    /// What its activity is at scale 1.
    pub expected: &'static [Figures],
    /// Makes it with `scale` times its published number of neurons.
    ///
    /// At any other scale than 1 each neuron keeps its mean number of inputs, drawn as a fixed in-degree, and so keeps
    /// its dynamics.
    ///
    /// # Errors
    /// A scale that is not a finite number above 0, or leaves no neuron, or makes too many.
    pub build: fn(scale: f64) -> Result<Network, Error>,
}

/// The activity of a population that other simulators found at scale 1, over a run of 1 s without its first 200 ms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Name of the population.
    pub population: &'static str,
    /// Mean rate in Hz.
    pub rate_hz: f64,
    /// How far from it one run may be, in Hz: about three standard deviations over seeds.
    pub rate_within_hz: f64,
}

/// All networks of the catalogue.
pub fn entries() -> &'static [Entry] {
    &[balanced::CUBA, balanced::COBA, izhikevich::IZHIKEVICH]
}

/// The network called `name`, with `scale` times its published number of neurons.
///
/// # Errors
/// An unknown name (with a suggestion), or a scale that does not do.
pub fn network(name: &str, scale: f64) -> Result<Network, Error> {
    match entries().iter().find(|entry| entry.name == name) {
        Some(entry) => (entry.build)(scale),
        None => Err(Error::unknown_name("", "network", name, entries().iter().map(|entry| entry.name))),
    }
}

/// `size` neurons at scale 1, scaled.
fn scaled(size: u32, scale: f64) -> Result<u32, Error> {
    let neurons = libm::round(f64::from(size) * scale);
    // Twice for the other population, which is smaller.
    if (1.0..f64::from(u32::MAX / 2)).contains(&neurons) {
        return Ok(neurons as u32);
    }
    let expected = format!("it multiplies {size} neurons, and from 1 to {} must come out", u32::MAX / 2);
    Err(Error::invalid("scale", scale, expected, "write 1, or 10 for ten times as many"))
}

/// The membrane potentials of the first neurons.
fn potentials(unit: &str) -> Vec<Recording> {
    let trace = |object: &str, indices: Vec<u32>| Recording {
        object: object.to_owned(),
        var: "v".to_owned(),
        indices: indices.into(),
        unit: Some(unit.to_owned()),
    };
    vec![trace("E", vec![0, 1]), trace("I", vec![0])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Connector;

    #[test]
    fn every_entry_is_a_valid_network_at_every_scale() {
        for entry in entries() {
            for scale in [0.02, 0.5, 1.0, 1.001, 10.0, 1000.0] {
                let network = (entry.build)(scale).unwrap();
                network.validate().unwrap();
                assert_eq!(network.name, entry.name);
                assert_eq!(Network::from_json(&network.to_json()), Ok(network.clone()));
                for figures in entry.expected {
                    assert!(network.population(figures.population).is_some());
                }
                for text in [entry.title, entry.about, entry.citation] {
                    assert!(!text.is_empty());
                }
            }
        }
    }

    #[test]
    fn scale_keeps_the_mean_number_of_inputs() {
        let inputs = |network: &Network| -> Vec<(String, f64)> {
            let count = |p: &crate::Projection| match p.connect {
                Some(Connector::Bernoulli { p: crate::Quantity::Number(probability), .. }) => {
                    probability * f64::from(network.population(&p.pre.population).unwrap().size)
                }
                Some(Connector::FixedIndegree { n, .. }) => f64::from(n),
                _ => f64::from(network.population(&p.pre.population).unwrap().size),
            };
            network.projections.iter().map(|p| (p.name.clone(), count(p))).collect()
        };
        for entry in entries() {
            let one = network(entry.name, 1.0).unwrap();
            let ten = network(entry.name, 10.0).unwrap();
            assert_eq!(inputs(&one), inputs(&ten));
            assert_eq!(ten.neurons(), 10 * one.neurons());
        }
    }

    #[test]
    fn a_slip_in_the_name_gets_a_suggestion() {
        let message = network("izhikevic", 1.0).unwrap_err().to_string();
        assert_eq!(message, "there is no network `izhikevic`; did you mean `izhikevich`?");
    }

    #[test]
    fn a_scale_that_does_not_do_is_refused() {
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9, 1e9] {
            for entry in entries() {
                let message = network(entry.name, scale).unwrap_err().to_string();
                assert!(message.starts_with(&format!("scale is {scale}, but it multiplies")), "{message}");
            }
        }
    }

    /// The published parameters, in the words of the file that a user would write.
    #[test]
    fn cuba_is_the_network_of_the_reference() {
        let cuba = network("cuba", 1.0).unwrap();
        assert_eq!((cuba.dt_ms, cuba.neurons(), cuba.projections.len()), (0.1, 4000, 4));
        for projection in &cuba.projections {
            assert_eq!(projection.connect, Some(Connector::bernoulli(0.02)));
            assert_eq!(projection.delay_ms, 0.1.into());
        }
    }
}
