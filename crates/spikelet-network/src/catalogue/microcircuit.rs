//! The cortical microcircuit: Potjans & Diesmann 2014.

use super::parts::{assembled, poisson_input, population, potentials, projection, scaled, scaled_synapses};
use super::{CatalogueEntry, ExpectedActivity, Scaling};
use crate::{Connector, Error, Network, Projection, Quantity};

const COMPENSATION: &str = "synapses grow with the square of the scale; weights over its square root and a constant current keep mean and \
                            variance of the input";

pub(super) const PD14: CatalogueEntry = CatalogueEntry {
    name: "pd14",
    title: "Cortical microcircuit",
    about: "The neurons under one square millimetre of early sensory cortex: 77169 in four layers, 299 million synapses. \
            With the connection probabilities found in experiments it gives the spontaneous activity of cortex: irregular, \
            asynchronous, sparse in layers 2/3 and 6. Each neuron gets Poisson spikes from some two thousand other places.",
    citation: "Potjans & Diesmann 2014, Cereb Cortex 24:785; downscaling of van Albada, Helias & Diesmann 2015, PLoS Comput Biol 11:e1004490",
    expected: &RATES,
    figures_from: "NEST 3, means over 10 s, as published with its implementation",
    scaling: Scaling::Synapses(COMPENSATION),
    small: 0.02,
    build: |scale| microcircuit(scale, true),
};

pub(super) const PD14_DC: CatalogueEntry = CatalogueEntry {
    name: "pd14_dc",
    title: "Cortical microcircuit, constant drive",
    about: "The network pd14 with a constant current of the same mean in place of its Poisson input: all irregularity now \
            comes from within.",
    expected: &[],
    figures_from: "",
    build: |scale| microcircuit(scale, false),
    ..PD14
};

/// ±15 %, or 0.3 Hz.
const fn figures(population: &'static str, rate_hz: f64) -> ExpectedActivity {
    let share = 0.15 * rate_hz;
    ExpectedActivity { population, rate_hz, rate_within_hz: if share > 0.3 { share } else { 0.3 }, cv_isi: None }
}

const RATES: [ExpectedActivity; 8] = [
    figures("L23E", 0.903),
    figures("L23I", 2.965),
    figures("L4E", 4.414),
    figures("L4I", 5.876),
    figures("L5E", 7.569),
    figures("L5I", 8.633),
    figures("L6E", 1.105),
    figures("L6I", 7.829),
];

const SIZES: [u32; 8] = [20_683, 5834, 21_915, 5479, 4850, 1065, 14_395, 2948];
/// Probability that two neurons are joined: a row for each target, a column for each source.
const PROBABILITIES: [[f64; 8]; 8] = [
    [0.1009, 0.1689, 0.0437, 0.0818, 0.0323, 0.0, 0.0076, 0.0],
    [0.1346, 0.1371, 0.0316, 0.0515, 0.0755, 0.0, 0.0042, 0.0],
    [0.0077, 0.0059, 0.0497, 0.135, 0.0067, 0.0003, 0.0453, 0.0],
    [0.0691, 0.0029, 0.0794, 0.1597, 0.0033, 0.0, 0.1057, 0.0],
    [0.1004, 0.0622, 0.0505, 0.0057, 0.0831, 0.3726, 0.0204, 0.0],
    [0.0548, 0.0269, 0.0257, 0.0022, 0.06, 0.3158, 0.0086, 0.0],
    [0.0156, 0.0066, 0.0211, 0.0166, 0.0572, 0.0197, 0.0396, 0.2252],
    [0.0364, 0.001, 0.0034, 0.0005, 0.0277, 0.008, 0.0658, 0.1443],
];
/// Synapses of each neuron from outside, each of 8 Hz.
const OUTSIDE: [u32; 8] = [1600, 1500, 2100, 1900, 2000, 1900, 2900, 2100];
const OUTSIDE_HZ: f64 = 8.0;
/// Mean and standard deviation of the initial potentials, in mV, which spare the network its first volley.
const POTENTIALS: [[f64; 2]; 8] = [
    [-68.28, 5.36],
    [-63.16, 4.57],
    [-63.33, 4.74],
    [-63.45, 4.94],
    [-63.11, 4.94],
    [-61.66, 4.55],
    [-66.72, 5.46],
    [-61.43, 4.48],
];
/// In pF.
const CAPACITANCE: f64 = 250.0;
/// Time constant of the membrane, in ms.
const TAU: f64 = 10.0;
/// Time constant of synaptic currents, in ms.
const TAU_SYN: f64 = 0.5;
/// Peak of an excitatory postsynaptic potential, in mV.
const PSP: f64 = 0.15;
/// How many times stronger inhibition is.
const INHIBITION: f64 = -4.0;

/// Peak of an excitatory synaptic current at full scale, in pA: the one whose potential peaks at [`PSP`].
fn excitatory_current() -> f64 {
    let ratio = TAU / TAU_SYN;
    let peak = libm::pow(ratio, -TAU_SYN / (TAU - TAU_SYN)) - libm::pow(ratio, -TAU / (TAU - TAU_SYN));
    PSP * CAPACITANCE * (TAU - TAU_SYN) / (TAU * TAU_SYN * peak)
}

/// Weight at full scale, in pA.
fn weight(target: usize, source: usize) -> f64 {
    let strength = match (target, source) {
        _ if source % 2 == 1 => INHIBITION,
        // From L4E to L23E.
        (0, 2) => 2.0,
        _ => 1.0,
    };
    excitatory_current() * strength
}

/// Synapses at full scale: as many draws of a pair as join a given one at least once with the published probability.
fn synapses(target: usize, source: usize) -> f64 {
    let pairs = f64::from(SIZES[target]) * f64::from(SIZES[source]);
    libm::log(1.0 - PROBABILITIES[target][source]) / libm::log((pairs - 1.0) / pairs)
}

/// Mean currents in pA at full scale: from within, at the published rates, and from outside.
fn currents(target: usize) -> [f64; 2] {
    let per_ms_and_khz = TAU_SYN / 1000.0;
    let within =
        |source: usize| weight(target, source) * synapses(target, source) / f64::from(SIZES[target]) * RATES[source].rate_hz;
    let outside = excitatory_current() * f64::from(OUTSIDE[target]) * OUTSIDE_HZ;
    [per_ms_and_khz * (0..8).map(within).sum::<f64>(), per_ms_and_khz * outside]
}

fn microcircuit(scale: f64, spikes: bool) -> Result<Network, Error> {
    scaled(SIZES[0], scale)?;
    if scale > 1.0 {
        let expected = "the microcircuit has its full density at 1, and compensation is published for less";
        return Err(Error::invalid("scale", scale, expected, "write 1 or less"));
    }
    let mut network = assembled(Vec::new(), Vec::new(), vec![potentials("L23E", &[0], "mV"), potentials("L5E", &[0], "mV")]);
    let stronger = 1.0 / libm::sqrt(scale);
    for (target, &ExpectedActivity { population: name, .. }) in RATES.iter().enumerate() {
        let [within, outside] = currents(target);
        // What a mean input of sqrt(scale) times the full one lacks; without spikes from outside, all of theirs.
        let lacking = 1.0 - libm::sqrt(scale);
        let current = if spikes { lacking * (within + outside) } else { lacking * within + outside };
        let parameters = [
            ("tau", "10 ms"),
            ("R", "40 Mohm"),
            ("El", "-65 mV"),
            ("Vt", "-50 mV"),
            ("Vr", "-65 mV"),
            ("tref", "2 ms"),
            ("tau_exp", "0.5 ms"),
        ];
        let mut neurons = population(name, scaled(SIZES[target], scale)?, "lif", &parameters, &[]);
        neurons.equations = Some("dI_exp/dt = -I_exp/tau_exp : amp\nI_syn = I_exp : amp".to_owned());
        neurons.parameters.insert("I".to_owned(), current.into());
        let [mean, sd] = POTENTIALS[target];
        neurons.initial.insert("v".to_owned(), format!("normal({mean} mV, {sd} mV)").as_str().into());
        network.populations.push(neurons);
        if spikes {
            let count = scaled(OUTSIDE[target], scale)?;
            let weight = excitatory_current() * stronger;
            network.sources.push(poisson_input(name, "I_exp", count, "8 Hz", format!("{weight} pA").as_str()));
        }
    }
    for target in 0..8 {
        for source in 0..8 {
            let n = scaled_synapses(synapses(target, source), scale * scale);
            if n > 0 {
                network.projections.push(between(target, source, n, weight(target, source) * stronger));
            }
        }
    }
    Ok(network)
}

fn between(target: usize, source: usize, n: u64, weight: f64) -> Projection {
    let connect = Connector::fixed_total(n);
    let mut synapses = projection(RATES[source].population, RATES[target].population, connect, "I_exp_post += w");
    synapses.equations = Some("w : amp (constant)".to_owned());
    // Redrawn where the sign would change; no draw comes near the other bound.
    let [low, high] = if weight > 0.0 { [0.0, 2.0 * weight] } else { [2.0 * weight, 0.0] };
    let weights = format!("normal({weight} pA, {} pA, {low} pA, {high} pA)", 0.1 * weight.abs());
    synapses.initial.insert("w".to_owned(), Quantity::from(weights.as_str()));
    let mean: f64 = if source.is_multiple_of(2) { 1.5 } else { 0.75 };
    // Redrawn below half a step, so that none rounds to 0.
    synapses.delay_ms = format!("normal({mean} ms, {} ms, 0.05 ms, {} ms)", mean / 2.0, 10.0 * mean).as_str().into();
    synapses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connectors::FixedTotal;

    fn total(network: &Network) -> u64 {
        let of = |projection: &Projection| match projection.connect {
            Some(Connector::FixedTotal(FixedTotal { n, .. })) => n,
            _ => 0,
        };
        network.projections.iter().map(of).sum()
    }

    /// The published implementation has 77,169 neurons and 298,880,968 synapses between them.
    #[test]
    fn full_scale_has_the_published_numbers() {
        let network = PD14.network(1.0).unwrap();
        assert_eq!((network.neurons(), total(&network)), (77_169, 298_880_968));
        assert_eq!(network.projections.len(), 55);
        assert!((excitatory_current() - 87.8).abs() < 0.05, "{} pA", excitatory_current());
        // Nothing is scaled down, so nothing is to be made up for.
        assert!(network.populations.iter().all(|population| population.parameters["I"] == 0.0.into()));
    }

    #[test]
    fn a_tenth_keeps_a_tenth_of_the_neurons_and_of_their_synapses() {
        let network = PD14.network(0.1).unwrap();
        assert_eq!((network.neurons(), total(&network)), (7718, 2_988_807));
    }

    /// The mean current of the Poisson input, from outside and for what is lacking within, is that of the constant drive.
    #[test]
    fn both_drives_have_the_same_mean() {
        let current = |entry: CatalogueEntry| match entry.network(0.25).unwrap().populations[2].parameters["I"] {
            Quantity::Number(current) => current,
            _ => f64::NAN,
        };
        let spikes = excitatory_current() * 2.0 * 525.0 * OUTSIDE_HZ / 1000.0 * TAU_SYN;
        assert!((current(PD14) + spikes - current(PD14_DC)).abs() < 1e-6, "{} {spikes} {}", current(PD14), current(PD14_DC));
    }
}
