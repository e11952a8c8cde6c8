use serde_json::{Value, json};

use super::{DT, POST, PRE, Rows, STEPS, arrivals, judge, network, post_spikes};

pub(crate) const MODELS: [&str; 10] = [
    "stdp",
    "stdp_song",
    "stdp_nearest",
    "stdp_multiplicative",
    "stdp_power_law",
    "stdp_triplet",
    "hebb_decay",
    "oja",
    "stdp_inhibitory",
    "stp_stdp",
];

/// Which side's spike runs the rule.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Pre,
    Post,
}

/// An event of a synapse, and all spikes of both sides.
struct Event<'a> {
    side: Side,
    step: u32,
    /// Time since the last event of this synapse, in ms.
    elapsed: f64,
    pre: &'a [u32],
    post: &'a [u32],
}

impl Event<'_> {
    /// Ages in ms of the pre spikes that the rule has seen: a post spike sees one of its own step, a pre spike not itself.
    fn since_pre(&self) -> impl Iterator<Item = f64> {
        let seen = |step: u32| step < self.step || step == self.step && self.side == Side::Post;
        self.pre.iter().filter(move |step| seen(**step)).map(|step| f64::from(self.step - step) * DT)
    }

    fn since_post(&self) -> impl Iterator<Item = f64> {
        self.post.iter().filter(|step| **step < self.step).map(|step| f64::from(self.step - step) * DT)
    }

    /// The trace that pre spikes leave, before this one adds to it.
    fn x(&self, tau: f64) -> f64 {
        self.since_pre().map(|age| (-age / tau).exp()).sum()
    }

    /// The trace that post spikes leave, before this one adds to it.
    fn y(&self, tau: f64) -> f64 {
        self.since_post().map(|age| (-age / tau).exp()).sum()
    }

    /// The same of the latest pre spike alone.
    fn latest_x(&self, tau: f64) -> f64 {
        self.since_pre().last().map_or(0.0, |age| (-age / tau).exp())
    }

    /// The same of the latest post spike alone.
    fn latest_y(&self, tau: f64) -> f64 {
        self.since_post().last().map_or(0.0, |age| (-age / tau).exp())
    }
}

/// A synapse's rule: moves the weight at an event, and says what a pre spike hands on.
type Rule = Box<dyn FnMut(&Event<'_>, &mut f64) -> f64>;

/// A rule that does one thing at pre spikes and another at post spikes, and hands on the weight from before.
fn rule(mut pre: impl FnMut(&Event<'_>, f64) -> f64 + 'static, mut post: impl FnMut(&Event<'_>, f64) -> f64 + 'static) -> Rule {
    Box::new(move |event, w| {
        let handed_on = *w;
        *w = if event.side == Side::Pre { pre(event, *w) } else { post(event, *w) };
        handed_on
    })
}

/// Weights of all synapses and what has gathered in their targets, decaying with `tau`, at the start of each step.
fn expected(start: f64, tau: f64, rule: &dyn Fn() -> Rule) -> Rows {
    let mut rows = vec![vec![start; PRE * POST + POST]; STEPS];
    rows.iter_mut().for_each(|row| row[PRE * POST..].fill(0.0));
    for (pre, post) in (0..PRE).flat_map(|pre| (0..POST).map(move |post| (pre, post))) {
        let (arrivals, spikes) = (arrivals(pre), post_spikes(post));
        let mut events: Vec<(u32, Side)> = arrivals.iter().map(|step| (*step, Side::Pre)).collect();
        events.extend(spikes.iter().map(|step| (*step, Side::Post)));
        events.sort_by_key(|(step, side)| (*step, *side == Side::Post));
        let (mut w, mut last, mut rule) = (start, 0, rule());
        for (step, side) in events {
            let event = Event { side, step, elapsed: f64::from(step - last) * DT, pre: &arrivals, post: &spikes };
            let handed_on = rule(&event, &mut w);
            last = step;
            for (later, row) in rows.iter_mut().enumerate().skip(step as usize + 1) {
                row[pre * POST + post] = w;
                if side == Side::Pre {
                    // It is added at the start of the next step, and has decayed once more in each sample after that.
                    row[PRE * POST + post] += handed_on * (-(later as f64 - f64::from(step) - 1.0) * DT / tau).exp();
                }
            }
        }
    }
    rows
}

fn check(name: &str, parameters: &Value, preset: Option<&str>, start: f64, rule: &dyn Fn() -> Rule) {
    let (gathered, tau) = if name == "stdp_inhibitory" { ("cell.s_inh", 10.0) } else { ("cell.s_exc", 5.0) };
    let cell = if name == "stp_stdp" { json!({"parameters": {"tau_exc": "5 ms"}}) } else { json!({}) };
    let mut projection = json!({"parameters": parameters, "initial": {"w": start}});
    if let Some(preset) = preset {
        projection["preset"] = json!(preset);
    }
    judge(&network(name, &cell, &projection, &["rule.w", gathered]), &expected(start, tau, rule), 5e-6);
}

#[test]
fn pairs() {
    let bounded = |w: f64| w.clamp(0.0, 1.0);
    // Large steps, so that both bounds are met.
    check("stdp", &json!({"A_plus": 0.1, "A_minus": 0.12, "tau_minus": "30 ms"}), None, 0.5, &|| {
        rule(move |e, w| bounded(w - 0.12 * e.y(30.0)), move |e, w| bounded(w + 0.1 * e.x(20.0)))
    });
    check("stdp_song", &json!({"A": 0.02}), None, 0.5, &|| {
        rule(move |e, w| bounded(w - 0.021 * e.y(20.0)), move |e, w| bounded(w + 0.02 * e.x(20.0)))
    });
    check("stdp_nearest", &json!({"A_plus": 0.1, "A_minus": 0.08}), None, 0.5, &|| {
        rule(move |e, w| bounded(w - 0.08 * e.latest_y(20.0)), move |e, w| bounded(w + 0.1 * e.latest_x(20.0)))
    });
}

#[test]
fn pairs_whose_changes_follow_the_weight() {
    let soft = |plus: f64, minus: f64, mu_plus: f64, mu_minus: f64, w_max: f64| {
        rule(
            move |e, w| (w - minus * (w / w_max).powf(mu_minus) * e.y(20.0)).clamp(0.0, w_max),
            move |e, w| (w + plus * (1.0 - w / w_max).powf(mu_plus) * e.x(20.0)).clamp(0.0, w_max),
        )
    };
    let name = "stdp_multiplicative";
    check(name, &json!({"A_plus": 0.1, "A_minus": 0.12}), None, 0.5, &|| soft(0.1, 0.12, 1.0, 1.0, 1.0));
    check(name, &json!({}), Some("guetig"), 0.01, &|| soft(0.005, 0.00525, 0.02, 0.02, 1.0));
    check(name, &json!({}), Some("van_rossum"), 2.0, &|| soft(0.003, 0.012, 0.0, 1.0, 4.0));
    // Bounds met with an exponent of 0, which is stdp.
    let additive = json!({"A_plus": 0.3, "A_minus": 0.3, "mu_plus": 0, "mu_minus": 0});
    check(name, &additive, None, 0.5, &|| soft(0.3, 0.3, 0.0, 0.0, 1.0));
    check("stdp_power_law", &json!({}), None, 45.0, &|| {
        rule(|e, w| w - 0.011 * w * e.y(20.0), |e, w| w + 0.1 * w.powf(0.4) * e.x(20.0))
    });
}

#[test]
fn triplets() {
    let full = |[a2p, a3p, a2m, a3m]: [f64; 4], tau_x: f64, tau_y: f64| {
        rule(
            move |e, w| (w - e.y(33.7) * (a2m + a3m * e.x(tau_x))).clamp(0.0, 1.0),
            move |e, w| (w + e.x(16.8) * (a2p + a3p * e.y(tau_y))).clamp(0.0, 1.0),
        )
    };
    let latest = |[a2p, a3p, a2m, a3m]: [f64; 4], tau_x: f64, tau_y: f64| {
        rule(
            move |e, w| (w - e.latest_y(33.7) * (a2m + a3m * e.latest_x(tau_x))).clamp(0.0, 1.0),
            move |e, w| (w + e.latest_x(16.8) * (a2p + a3p * e.latest_y(tau_y))).clamp(0.0, 1.0),
        )
    };
    // Table 3 and table 4 of Pfister & Gerstner 2006.
    let check = |preset, of: &dyn Fn() -> Rule| check("stdp_triplet", &json!({}), Some(preset), 0.5, of);
    check("visual_cortex", &|| full([5e-10, 6.2e-3, 7e-3, 2.3e-4], 101.0, 125.0));
    check("visual_cortex_minimal", &|| full([0.0, 6.5e-3, 7.1e-3, 0.0], 101.0, 114.0));
    check("visual_cortex_nearest", &|| latest([8.8e-11, 5.3e-2, 6.6e-3, 3.1e-3], 714.0, 40.0));
    check("hippocampus", &|| full([6.1e-3, 6.7e-3, 1.6e-3, 1.4e-3], 946.0, 27.0));
    check("hippocampus_minimal", &|| full([5.3e-3, 8e-3, 3.5e-3, 0.0], 101.0, 40.0));
    check("hippocampus_nearest", &|| latest([4.6e-3, 9.1e-3, 3e-3, 7.5e-9], 575.0, 47.0));
}

#[test]
fn hebb_and_oja() {
    check("hebb_decay", &json!({"eta": 0.05, "tau_w": "300 ms"}), None, 0.6, &|| {
        let at = |e: &Event<'_>, w: f64| 0.2 + (w - 0.2) * (-e.elapsed / 300.0).exp();
        Box::new(move |e, w| {
            let present = at(e, *w);
            *w = (present + 0.05 * if e.side == Side::Pre { e.y(20.0) } else { e.x(20.0) }).min(1.0);
            present
        })
    });
    check("oja", &json!({"eta": 0.05}), None, 0.5, &|| {
        rule(|_, w| w, |e, w| (w + 0.05 * (e.x(50.0) - e.y(50.0) * w)).clamp(0.0, 1.0))
    });
}

#[test]
fn inhibition() {
    // alpha = 2 * 3 Hz * 20 ms
    check("stdp_inhibitory", &json!({"eta": 0.05}), None, 0.3, &|| {
        Box::new(|e, w| {
            *w = (*w + 0.05 * if e.side == Side::Pre { e.y(20.0) - 0.12 } else { e.x(20.0) }).clamp(0.0, 100.0);
            *w
        })
    });
}

#[test]
fn short_and_long_term_together() {
    let parts = |[release, tau_f, tau_d]: [f64; 3]| -> Rule {
        let (mut u, mut resources, mut last) = (0.0, 1.0, 0u32);
        Box::new(move |e, w| {
            if e.side == Side::Post {
                *w = (*w + 0.05 * e.x(20.0)).clamp(0.0, 1.0);
                return 0.0;
            }
            let since = f64::from(e.step - last) * DT;
            last = e.step;
            u *= f64::exp(-since / tau_f);
            resources = 1.0 - (1.0 - resources) * f64::exp(-since / tau_d);
            u += release * (1.0 - u);
            let handed_on = *w * u * resources;
            resources -= u * resources;
            *w = (*w - 0.06 * e.y(20.0)).clamp(0.0, 1.0);
            handed_on
        })
    };
    for (preset, values) in [("depressing", [0.67, 1.0, 800.0]), ("facilitating", [0.03, 530.0, 130.0])] {
        let parameters = json!({"A_plus": 0.05, "A_minus": 0.06});
        check("stp_stdp", &parameters, Some(preset), 0.5, &|| parts(values));
    }
}
