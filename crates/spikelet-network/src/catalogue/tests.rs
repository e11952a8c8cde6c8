use super::*;
use crate::connectors::{All, Bernoulli, FixedIndegree, FixedOutdegree, PowerLaw};
use crate::{Connector, Projection, Quantity};

/// Scales that an entry must do.
fn scales(entry: &CatalogueEntry) -> Vec<f64> {
    match entry.scaling {
        Scaling::Neurons => vec![entry.small, 1.0, 1.001, 10.0, 1000.0],
        Scaling::Synapses(_) => vec![entry.small, 0.5, 1.0],
    }
}

#[test]
fn every_entry_is_a_valid_network_at_every_scale() {
    for entry in entries() {
        for scale in scales(entry) {
            let network = entry.network(scale).unwrap();
            network.validate().unwrap_or_else(|error| panic!("{} at {scale}: {error}", entry.name));
            assert_eq!(network.name, entry.name);
            assert_eq!(Network::from_json(&network.to_json()), Ok(network.clone()));
            for figures in entry.expected {
                assert!(network.population(figures.population).is_some());
            }
        }
        for text in [entry.title, entry.about, entry.citation] {
            assert!(!text.is_empty() && !text.contains("  "), "{text}");
        }
        assert_eq!(entry.expected.is_empty(), entry.figures_from.is_empty(), "{}", entry.name);
    }
}

#[test]
fn names_are_unique() {
    let names: std::collections::HashSet<_> = entries().iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), entries().len());
}

/// Mean number of synapses of a neuron, as far as a rule says it without positions.
fn per_neuron(network: &Network, projection: &Projection) -> f64 {
    let size = |name: &str| {
        let source = || network.source(name).map(crate::Source::size);
        f64::from(network.population(name).map(|population| population.size).or_else(source).unwrap())
    };
    let pre = projection.pre.range(size(&projection.pre.population) as u32).len() as f64;
    match projection.connect {
        Some(Connector::Bernoulli(Bernoulli { p: Quantity::Number(p), .. })) => p * pre,
        Some(Connector::FixedIndegree(FixedIndegree { n, .. }) | Connector::FixedOutdegree(FixedOutdegree { n, .. })) => {
            f64::from(n)
        }
        Some(Connector::PowerLaw(PowerLaw { n, .. })) => n as f64 / size(&projection.post.population),
        Some(Connector::All(All { condition: None, .. })) => pre,
        _ => 0.0,
    }
}

#[test]
fn scale_keeps_the_mean_number_of_synapses() {
    for entry in entries().iter().filter(|entry| entry.scaling == Scaling::Neurons) {
        let (one, ten) = (entry.network(1.0).unwrap(), entry.network(10.0).unwrap());
        for (small, large) in one.projections.iter().zip(&ten.projections) {
            let (small, large) = (per_neuron(&one, small), per_neuron(&ten, large));
            assert!((small - large).abs() <= 1e-4 * small, "{}: {small} and {large}", entry.name);
        }
        // A square lattice has whole edges.
        let neurons = |network: &Network| network.populations.iter().map(|p| f64::from(p.size)).sum::<f64>();
        let ratio = neurons(&ten) / neurons(&one);
        assert!((ratio - 10.0).abs() < 0.2, "{}: {ratio}", entry.name);
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
            let message = entry.network(scale).unwrap_err().to_string();
            assert!(message.starts_with(&format!("scale is {scale}, but it multiplies")), "{}: {message}", entry.name);
        }
    }
    let message = network("pd14", 2.0).unwrap_err().to_string();
    assert!(message.starts_with("scale is 2, but the microcircuit has its full density at 1"), "{message}");
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
