//! Two networks of prefrontal cortex with several stable states: slow saturating excitation, and shared inhibition.

use super::parts::{assembled, expressions, poisson_input, population, potentials, projection, scaled, values};
use super::{CatalogueEntry, Scaling};
use crate::{Connector, Error, Network, Population, Projection, Quantity, Source};

pub(super) const RING: CatalogueEntry = CatalogueEntry {
    name: "ring",
    title: "Ring attractor: spatial working memory",
    about: "512 excitatory neurons with a preferred direction each excite similar neurons, and inhibit all through 128 \
            inhibitory neurons. A cue at the middle of the ring (neurons 244 to 268, from 300 to 550 ms) causes a bump of \
            activity that persists after the cue and drifts slowly. A quarter of the published size with four times the \
            weights; NMDA receptors open instantaneously. Larger networks drift less.",
    citation: "Compte, Brunel, Goldman-Rakic & Wang 2000, Cereb Cortex 10:910",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Synapses("connectivity is all-to-all, with weights divided by the scale"),
    small: 0.5,
    build: ring,
};

pub(super) const DECISION: CatalogueEntry = CatalogueEntry {
    name: "decision",
    title: "Decision: two pools compete",
    about: "Two pools of 240 excitatory neurons receive the same evidence from 500 to 1500 ms and excite themselves. Inhibition \
            from 400 neurons lets one pool win; the winner continues to fire after the evidence. Which pool wins depends on the \
            seed and the trial; different rates of left_evidence and right_evidence favour one. NMDA receptors open \
            instantaneously here; recurrent weights of 1.85 instead of 1.7 compensate.",
    citation: "Wang 2002, Neuron 36:955",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Synapses("connectivity is all-to-all, with weights divided by the scale"),
    small: 0.25,
    build: decision,
};

/// A pyramidal cell or an interneuron of Wang 1999, with NMDA receptors under the magnesium block of Jahr & Stevens 1990.
fn cell(name: &str, size: u32, excitatory: bool, reset: &str, taui: &str) -> Population {
    let own = if excitatory { ["500 pF", "25 nS", "2 ms"] } else { ["200 pF", "20 nS", "1 ms"] };
    let parameters = [
        ("C", own[0]),
        ("gl", own[1]),
        ("tref", own[2]),
        ("El", "-70 mV"),
        ("Vt", "-50 mV"),
        ("Vr", reset),
        ("Ee", "0 mV"),
        ("Ei", "-70 mV"),
        ("taue", "2 ms"),
        ("taui", taui),
        ("taun", "100 ms"),
    ];
    let mut cell = population(name, size, "lif_cond_exp", &parameters, &[("v", "El + 15*mV*rand()")]);
    cell.equations = Some("dgn/dt = -gn/taun : siemens\nI_syn = gn/(1 + exp(-0.062*v/mV)/3.57)*(Ee - v) : amp".to_owned());
    cell
}

/// All-to-all synapses with NMDA receptors of weight `w` in nS and further statements.
///
/// A spike opens the fraction 1 − 1/e of the closed receptors, which corresponds to their published rise over 2 ms. `s` is the open
/// fraction of a synapse. It decays like the conductance of the target, so that one variable of the target holds the sum.
fn saturating(pre: &str, post: &str, w: impl Into<Quantity>, further: &str) -> Projection {
    let on_pre = format!("gn_post += w*(1 - exp(-1))*(1 - s)\ns += (1 - exp(-1))*(1 - s){further}");
    let mut synapses = projection(pre, post, Connector::all(), on_pre);
    synapses.equations = Some("ds/dt = -s/taun : 1 (event-driven)\nw : siemens (constant)".to_owned());
    synapses.parameters = values(&[("taun", "100 ms")]);
    synapses.initial.insert("w".to_owned(), w.into());
    synapses
}

/// All-to-all synapses with GABA receptors of weight `w` in nS.
fn inhibition(post: &str, w: f64) -> Projection {
    projection("I", post, Connector::all(), format!("gi_post += {w}*nS"))
}

fn ring(scale: f64) -> Result<Network, Error> {
    let size = scaled(512, scale)?;
    // Weights are given for 2048 neurons.
    let share = 4.0 / scale;
    // A footprint of 18 degrees and height 1.62; the other weights are lowered to keep the mean weight.
    let footprint = 1.62_f64;
    let width = libm::sqrt(2.0 * std::f64::consts::PI) * 18.0 / 360.0;
    let low = (1.0 - footprint * width) / (1.0 - width);
    let profile =
        format!("{low} + {}*exp(-0.5*(min(abs(i - j), {size} - abs(i - j))*{}/18)**2)", footprint - low, 360.0 / f64::from(size));

    let mut excitatory = cell("E", size, true, "-60 mV", "10 ms");
    let cue = "200*pA*int(abs(i - N/2) <= N/40)*int(t >= 300*ms)*int(t < 550*ms)";
    excitatory.parameters.extend(expressions(&[("I", cue)]));
    let inhibitory = cell("I", scaled(128, scale)?, false, "-60 mV", "10 ms");
    Ok(Network {
        duration_ms: 2000.0,
        sources: vec![poisson_input("E", "ge", 1000, "1.8 Hz", "3.1 nS"), poisson_input("I", "ge", 1000, "1.8 Hz", "2.38 nS")],
        ..assembled(
            vec![excitatory, inhibitory],
            vec![
                saturating("E", "E", Quantity::expr(format!("{}*nS*({profile})", 0.381 * share)), ""),
                saturating("E", "I", 0.292 * share, ""),
                inhibition("E", 1.336 * share),
                inhibition("I", 1.024 * share),
            ],
            vec![potentials("E", &[0, size / 2], "mV")],
        )
    })
}

fn decision(scale: f64) -> Result<Network, Error> {
    // Pools of 15 %; weights within a pool are larger and weights between pools smaller, with the same mean weight.
    let strong = 1.85;
    let weak = 1.0 - 0.15 * (strong - 1.0) / (1.0 - 0.15);
    let share = 1.0 / scale;
    let mut network = Network { duration_ms: 2000.0, ..Network::default() };
    for (post, size) in [("left", 240), ("right", 240), ("other", 1120), ("I", 400)] {
        let excitatory = post != "I";
        network.populations.push(cell(post, scaled(size, scale)?, excitatory, "-55 mV", "5 ms"));
        let outside = if excitatory { 2.1 } else { 1.62 };
        network.sources.push(poisson_input(post, "ge", 1000, "2.4 Hz", outside));
        let [nmda, ampa, gaba] = if excitatory { [0.165, 0.05, 1.3] } else { [0.13, 0.04, 1.0] };
        for pre in ["left", "right", "other"] {
            let preference = match post {
                "left" | "right" if pre == post => strong,
                "left" | "right" => weak,
                _ => 1.0,
            };
            let fast = format!("\nge_post += {}*nS", ampa * preference * share);
            network.projections.push(saturating(pre, post, nmda * preference * share, &fast));
        }
        network.projections.push(inhibition(post, gaba * share));
    }
    for projection in &mut network.projections {
        projection.delay_ms = 0.5.into();
    }
    for pool in ["left", "right"] {
        let rate = Quantity::expr("40*Hz*int(t >= 500*ms)*int(t < 1500*ms)");
        let evidence = poisson_input(pool, "ge", 1, rate, 2.1);
        network.sources.push(Source { name: format!("{pool}_evidence"), ..evidence });
        network.recordings.push(potentials(pool, &[0], "mV"));
    }
    Ok(network)
}
