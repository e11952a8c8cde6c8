//! Plastic networks: balance, selectivity, reward, and pattern recognition.

use super::parts::{
    assembled, expressions, of_both, poisson_input, population, potentials, projection, scaled, scaled_synapses, slice, spread,
    synapses, target_of, values, weights,
};
use super::{CatalogueEntry, Scaling};
use crate::connectors::All;
use crate::{Connector, Endpoint, Error, Network, Population, Projection, Quantity};

pub(super) const ISTDP_BALANCE: CatalogueEntry = CatalogueEntry {
    name: "istdp_balance",
    title: "Inhibition that learns to balance",
    about: "2000 excitatory and 500 inhibitory neurons with input far above threshold. The synapses from I to E start at 0 and \
            follow inhibitory STDP. After about 5 s they balance the excitation of each neuron, and the initially regular \
            firing at 50 Hz is asynchronous and irregular, slightly above the target rate of 5 Hz (an inhibited neuron fires \
            less in the following 20 ms, which the rule interprets as a low rate). Smaller than published, with more and weaker \
            inhibitory inputs, and five times as fast.",
    citation: "Vogels, Sprekeler, Zenke, Clopath & Gerstner 2011, Science 334:1569",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Neurons,
    small: 0.2,
    build: istdp_balance,
};

pub(super) const BCM_SELECTIVITY: CatalogueEntry = CatalogueEntry {
    name: "bcm_selectivity",
    title: "BCM cells become selective",
    about: "One of four groups of inputs fires at 40 Hz for 200 ms, then another, in random order; the others fire at 2 Hz. Ten \
            neurons with random weights respond to all groups at first. The sliding threshold lets one group win in each \
            neuron, and after three minutes the neuron responds to that group only. Which group wins depends on the initial \
            weights.",
    citation: "Bienenstock, Cooper & Munro 1982, J Neurosci 2:32",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Synapses(
        "the number of inputs per neuron is multiplied by the scale, and their currents are divided by it",
    ),
    small: 1.0,
    build: bcm_selectivity,
};

pub(super) const RSTDP_REWARD: CatalogueEntry = CatalogueEntry {
    name: "rstdp_reward",
    title: "A reward that comes late",
    about: "40 neurons with noise input and 160 synapses among them. Whenever neuron 1 fires within 10 ms after neuron 0, a \
            reward follows after 1 to 3 s, as a pulse of dopamine for all synapses. The eligibility trace of each synapse, \
            which lasts one second, is sufficient to identify the responsible one: within 800 s the synapse from 0 to 1, number \
            0, reaches its bound, while nearly all others decrease. Published with 1000 neurons over an hour.",
    citation: "Izhikevich 2007, Cereb Cortex 17:2443",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Synapses(
        "the number of synapses per neuron is multiplied by the scale, and their currents are divided by \
                                it",
    ),
    small: 1.0,
    build: rstdp_reward,
};

pub(super) const SPIKE_PATTERN: CatalogueEntry = CatalogueEntry {
    name: "spike_pattern",
    title: "A cell finds a pattern that repeats",
    about: "2000 afferents fire at 64 Hz without pause. At random times, every 200 ms on average, half of them repeat a pattern \
            of 50 ms spike by spike, with noise of 10 Hz; rates do not reveal it. By STDP alone a neuron learns within about 15 \
            s to fire once for every pattern and at no other time, and then earlier and earlier in the pattern. The pattern is \
            stored in delays: the spikes of one neuron, start, reach each afferent after its delay. Published with variable \
            rates and a jitter of 1 ms.",
    citation: "Masquelier, Guyonneau & Thorpe 2008, PLoS ONE 3:e1377",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Synapses("the number of afferents and the threshold of the neuron are multiplied by the scale"),
    small: 0.25,
    build: spike_pattern,
};

fn istdp_balance(scale: f64) -> Result<Network, Error> {
    let cells = |name, size| {
        let parameters = [("I", "200 pA")];
        Ok::<_, Error>(population(name, scaled(size, scale)?, "lif_cond_exp", &parameters, &[("v", "Vr + rand()*(Vt - Vr)")]))
    };
    let fixed = |pre: &str, post: &str, on_pre: &str| Projection {
        name: format!("{pre}{post}"),
        delay_ms: 0.1.into(),
        ..projection(pre, post, Connector::fixed_indegree(100), on_pre)
    };
    let balancing = Projection {
        delay_ms: 0.1.into(),
        parameters: values(&[("eta", "0.05"), ("rate_0", "5 Hz")]),
        ..synapses("IE", "I", "E", Connector::fixed_indegree(100), "stdp_inhibitory")
    };
    let projections = vec![
        fixed("E", "E", "ge_post += 0.48*nS"),
        fixed("E", "I", "ge_post += 0.48*nS"),
        fixed("I", "I", "gi_post += 1.2*nS"),
        balancing,
    ];
    let mut recordings = of_both("mV");
    recordings.push(weights("IE", &[0, 1]));
    let populations = vec![target_of("stdp_inhibitory", "", cells("E", 2000)?)?, cells("I", 500)?];
    let statistics = spread("IE", ["0", "5"]);
    Ok(Network { duration_ms: 10_000.0, statistics, ..assembled(populations, projections, recordings) })
}

/// Groups of inputs, and the fraction of time in which one of them is active.
const GROUPS: u32 = 4;
const PRESENTATIONS: u32 = 1500;

fn bcm_selectivity(scale: f64) -> Result<Network, Error> {
    let inputs = scaled(25 * GROUPS, scale)?;
    // All groups in an order given by a generator of Numerical Recipes.
    let mut word = 1u32;
    let mut turn = || {
        let mut groups: Vec<u32> = (0..GROUPS).collect();
        for left in (2..=GROUPS).rev() {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            groups.swap((left - 1) as usize, ((u64::from(word) * u64::from(left)) >> 32) as usize);
        }
        groups
    };
    let order: Vec<u32> = (0..PRESENTATIONS / GROUPS).flat_map(|_| turn()).collect();
    let mut input = Population {
        name: "input".to_owned(),
        size: inputs,
        equations: Some("rate = 2*Hz + 38*Hz*int(i*groups // N == active(t)) : Hz".to_owned()),
        threshold: Some("rand() < rate*dt".to_owned()),
        parameters: values(&[("groups", &GROUPS.to_string())]),
        ..Population::default()
    };
    let values_of = order.iter().map(|group| vec![f64::from(*group)]).collect();
    let active = Quantity::Timed { values: values_of, dt: "200 ms".into(), unit: None };
    input.parameters.insert("active".to_owned(), active);
    let current = format!("{} pA", 55.0 / scale);
    let parameters = [("J_exc", current.as_str()), ("rate_0", "2.5 Hz"), ("tau_rate", "30 ms"), ("tau_mean", "2000 ms")];
    let cell = target_of("bcm", "", population("cell", 10, "lif", &parameters, &[]))?;
    let learning = Projection {
        parameters: values(&[("eta", "5e-5")]),
        initial: expressions(&[("w", "rand()")]),
        ..synapses("learning", "input", "cell", Connector::all(), "bcm")
    };
    Ok(Network {
        dt_ms: 0.5,
        duration_ms: 200.0 * f64::from(PRESENTATIONS),
        statistics: spread("learning", ["0", "1"]),
        ..assembled(vec![input, cell], vec![learning], vec![weights("learning", &[0, inputs / 2])])
    })
}

fn rstdp_reward(scale: f64) -> Result<Network, Error> {
    let current = format!("{} pA", 75.0 / scale);
    let cells = population("E", scaled(40, scale)?, "lif", &[("tau", "20 ms"), ("J_exc", current.as_str())], &[]);
    let noisy = "dI_noise/dt = -I_noise/tau_exc : amp\nI_syn = J_exc*s_exc + I_noise : amp";
    let counter = |name: &str, equations: &str, threshold: &str, reset: &str| Population {
        name: name.to_owned(),
        size: 1,
        equations: Some(equations.to_owned()),
        threshold: Some(threshold.to_owned()),
        reset: Some(reset.to_owned()),
        method: Some("euler".to_owned()),
        ..Population::default()
    };
    // 1 for 10 ms after a spike of neuron 0; a spike of neuron 1 in this time is a hit.
    let coincidence = "dopen/dt = -int(open > 0*ms) : second\nhit : 1";
    // Counts down until the reward; further hits meanwhile are ignored.
    let reward = "dleft/dt = -int(left > 0*ms) : second\nwaiting : 1";
    let link = |name: &str, pre: Endpoint, post: &str, on_pre: &str, delay_ms: f64| {
        let link = projection(&pre.population, post, Connector::all(), on_pre);
        Projection { name: name.to_owned(), pre, delay_ms: delay_ms.into(), ..link }
    };
    // One pair in ten, including that from 0 to 1.
    let some = Connector::All(All { condition: Some("(3*i + 7*j) % 10 == 7".to_owned()), autapses: false });
    let learning = Projection {
        delay_ms: 1.0.into(),
        parameters: values(&[("eta", "5 Hz")]),
        initial: values(&[("w", "0.1")]),
        ..synapses("learning", "E", "E", some, "rstdp")
    };
    let rewarding = synapses("dopamine", "reward", "E", Connector::all(), "dopamine");
    let wait = "left_post = left_post + int(waiting_post < 0.5)*(1 + 2*rand())*second\nwaiting_post = 1";
    Ok(Network {
        dt_ms: 1.0,
        duration_ms: 800_000.0,
        statistics: spread("learning", ["0", "1"]),
        sources: vec![poisson_input("E", "I_noise", 100, "12 Hz", "21 pA")],
        ..assembled(
            vec![
                target_of("rstdp", noisy, cells)?,
                counter("coincidence", coincidence, "hit > 0.5", "hit = 0\nopen = 0*ms"),
                counter("reward", reward, "waiting > 0.5 and left <= 0*ms", "waiting = 0"),
            ],
            vec![
                learning,
                link("cause", slice("E", 0, 1), "coincidence", "open_post = 10*ms", 1.0),
                link("effect", slice("E", 1, 2), "coincidence", "hit_post += int(open_post > 0*ms)", 0.0),
                link("earned", Endpoint::whole("coincidence"), "reward", wait, 0.0),
                Projection { parameters: values(&[("w", "0.5")]), ..rewarding },
            ],
            vec![weights("learning", &[0, 1, 2, 3])],
        )
    })
}

fn spike_pattern(scale: f64) -> Result<Network, Error> {
    let afferents = scaled(2000, scale)?;
    let population = |name: &str, size, equations: &str, threshold: &str, reset: &str, method: &str| Population {
        name: name.to_owned(),
        size,
        equations: Some(equations.to_owned()),
        threshold: Some(threshold.to_owned()),
        reset: Some(reset.to_owned()),
        method: Some(method.to_owned()),
        ..Population::default()
    };
    let start = Population {
        initial: values(&[("left", "100 ms")]),
        ..population(
            "start",
            1,
            "dleft/dt = -int(left > 0*ms) : second",
            "left <= 0*ms",
            "left = 100*ms + 50*ms*floor(5*rand())",
            "euler",
        )
    };
    // Neurons of the pattern have less noise during the pattern.
    let afferent = population(
        "afferent",
        afferents,
        "dbusy/dt = -int(busy > 0*ms) : second\nfire : 1",
        "fire > 0.5 or rand() < dt*(10*Hz + 54*Hz*int(busy <= 0*ms))",
        "fire = 0",
        "euler",
    );
    // A potential of height 1 at w = 1; a spike sets the neuron to one threshold below rest.
    let cell = Population {
        parameters: values(&[("k", "6.35"), ("V_t", &(500.0 * scale).to_string())]),
        ..population("cell", 1, "dv/dt = (k*s - v)/(10*ms) : 1\nds/dt = -s/(2.5*ms) : 1", "v > V_t", "v = -V_t\ns = 0", "exact")
    };
    let half = || slice("afferent", 0, afferents / 2);
    let link = |name: &str, connect, on_pre: &str| {
        let link = projection("start", "afferent", connect, on_pre);
        Projection { name: name.to_owned(), post: half(), ..link }
    };
    // 54 Hz for 50 ms.
    let spikes = scaled_synapses(2.7, f64::from(afferents / 2));
    let pattern = Connector::fixed_total(spikes);
    // The last presynaptic spike before a postsynaptic spike potentiates, the first one after it depresses.
    let learning = Projection {
        equations: Some("w : 1\ndx/dt = -x/(16.8*ms) : 1 (event-driven)\ndy/dt = -y/(33.7*ms) : 1 (event-driven)".to_owned()),
        on_post: Some("y += 1\nw = clip(w + A_plus*x, 0, 1)".into()),
        parameters: values(&[("A_plus", "0.03125"), ("A_minus", "0.0265625")]),
        initial: values(&[("w", "0.475")]),
        ..projection("afferent", "cell", Connector::all(), "s_post += w\nx = 1\nw = clip(w - A_minus*y, 0, 1)\ny = 0")
    };
    Ok(Network {
        dt_ms: 0.5,
        duration_ms: 30_000.0,
        statistics: spread("learning", ["0", "1"]),
        ..assembled(
            vec![start, afferent, cell],
            vec![
                Projection { delay_ms: "uniform(0 ms, 50 ms)".into(), ..link("pattern", pattern, "fire_post = 1") },
                link("busy", Connector::all(), "busy_post = 50*ms"),
                Projection { name: "learning".to_owned(), ..learning },
            ],
            vec![potentials("cell", &[0], "1"), weights("learning", &[0, 1])],
        )
    })
}
