use serde_json::json;

use super::{DT, POST, PRE, Rows, STEPS, arrivals, judge, network, post_spikes};

pub(crate) const MODELS: [&str; 4] = ["rstdp", "bcm", "homeostatic_scaling", "clopath"];

/// Whether something happens in a step, for each step.
fn marks(steps: &[u32]) -> Vec<bool> {
    let mut marks = vec![false; STEPS];
    steps.iter().for_each(|step| marks[*step as usize] = true);
    marks
}

/// Weights of all synapses at the start of each step. `synapse` makes one that is told, step by step, whether its pre spike arrives
/// and whether its post neuron fires or has fired in the step before; it answers with its weight.
fn expected(synapse: impl Fn() -> Box<dyn FnMut(bool, bool, bool) -> f64>, start: f64) -> Rows {
    let mut rows = vec![vec![start; PRE * POST]; STEPS];
    for (pre, post) in (0..PRE).flat_map(|pre| (0..POST).map(move |post| (pre, post))) {
        let (arrives, fires) = (marks(&arrivals(pre)), marks(&post_spikes(post)));
        let mut synapse = synapse();
        for step in 0..STEPS - 1 {
            rows[step + 1][pre * POST + post] = synapse(arrives[step], fires[step], step > 0 && fires[step - 1]);
        }
    }
    rows
}

/// A variable that goes to `input` with a time constant, over one step.
fn towards(value: f64, input: f64, tau: f64) -> f64 {
    input + (value - input) * (-DT / tau).exp()
}

/// Izhikevich 2007: dopamine that is there at the start decays; eligibility turns into weight by it.
#[test]
fn reward() {
    let projection = json!({"parameters": {"eta": "20 Hz", "tau_c": "300 ms", "DA_tonic": 0.1}, "initial": {"w": 0.5}});
    let cell = json!({"initial": {"DA": 0.5}});
    let synapse = || -> Box<dyn FnMut(bool, bool, bool) -> f64> {
        let (mut w, mut c, mut x, mut y, mut dopamine) = (0.5, 0.0, 0.0, 0.0, 0.5);
        Box::new(move |arrives, fires, _| {
            dopamine = towards(dopamine, 0.0, 200.0);
            (x, y) = (towards(x, 0.0, 20.0), towards(y, 0.0, 20.0));
            (w, c) = (w + DT * 0.02 * c * (0.1 + dopamine), c - DT * c / 300.0);
            if arrives {
                (w, x, c) = (f64::clamp(w, 0.0, 1.0), x + 1.0, c - 0.15 * y);
            }
            if fires {
                (w, y, c) = (f64::clamp(w, 0.0, 1.0), y + 1.0, c + 0.1 * x);
            }
            w
        })
    };
    judge(&network("rstdp", &cell, &projection, &["rule.w"]), &expected(synapse, 0.5), 5e-5);
}

#[test]
fn bcm() {
    let projection = json!({"parameters": {"eta": 0.002}, "initial": {"w": 0.5}});
    let cell = json!({"parameters": {"tau_mean": "500 ms", "rate_0": "10 Hz"}});
    let synapse = || -> Box<dyn FnMut(bool, bool, bool) -> f64> {
        let (mut w, mut rate, mut mean) = (0.5, 0.0, 0.0);
        Box::new(move |arrives, _, fired| {
            let input = if fired { 1.0 / DT } else { 0.0 };
            (rate, mean) = (towards(rate, input, 100.0), towards(mean, input, 500.0));
            if arrives {
                w = f64::clamp(w + 0.002 * rate * (rate - mean * mean / 0.01) / 1e-4, 0.0, 1.0);
            }
            w
        })
    };
    judge(&network("bcm", &cell, &projection, &["rule.w"]), &expected(synapse, 0.5), 5e-5);
}

#[test]
fn scaling() {
    let parameters = json!({"rate_0": "20 Hz", "tau_rate": "100 ms", "tau_scaling": "1 second"});
    let synapse = || -> Box<dyn FnMut(bool, bool, bool) -> f64> {
        // All weights scale together, each as of its last spike.
        let (mut rate, mut scaling, mut w): (f64, f64, f64) = (0.0, 0.0, 0.5);
        Box::new(move |arrives, _, fired| {
            let input = if fired { 1.0 / DT } else { 0.0 };
            // The mean of the rate over the step.
            let mean = input + (rate - input) * (1.0 - (-DT / 100.0).exp()) * 100.0 / DT;
            scaling += DT * (0.02 - mean) / (0.02 * 1000.0);
            rate = towards(rate, input, 100.0);
            if arrives {
                w = 0.5 * scaling.exp();
            }
            w
        })
    };
    let projection = json!({"initial": {"w": 0.5}});
    let network = network("homeostatic_scaling", &json!({"parameters": parameters}), &projection, &["rule.w"]);
    judge(&network, &expected(synapse, 0.5), 5e-5);
}

/// A leaky cell that jumps to spikes of 100 mV, seen by the rule of Clopath et al. 2010.
#[test]
fn voltage() {
    let (rest, threshold_low, threshold_high) = (-65.0, -70.6, -45.3);
    let synapse = || -> Box<dyn FnMut(bool, bool, bool) -> f64> {
        // The cell's v is told to jump in the step in which it fires, and is reset at the start of the next.
        let (mut w, mut x, mut low, mut high): (f64, f64, f64, f64) = (0.5, 0.0, rest, rest);
        Box::new(move |arrives, fires, _| {
            let start = if fires { 100.0 } else { 0.0 };
            let v = rest + start * (-DT / 10.0).exp();
            // A decaying v through a low pass; of the same time constant, at most nearly.
            let pass = |u: f64, tau: f64| {
                let drive = if tau == 10.0 {
                    DT / tau * (-DT / tau).exp()
                } else {
                    ((-DT / 10.0).exp() - (-DT / tau).exp()) / (1.0 - tau / 10.0)
                };
                rest + (u - rest) * (-DT / tau).exp() + start * drive
            };
            (low, high) = (pass(low, 12.0), pass(high, 7.0));
            let rate = 8e-5 / 15.0 * x * (v - threshold_high).max(0.0) * (high - threshold_low).max(0.0);
            (w, x) = (w + DT * rate, x - DT * x / 15.0);
            if arrives {
                (w, x) = ((w - 14e-5 * (low - threshold_low).max(0.0)).clamp(0.0, 1.0), x + 1.0);
            }
            if fires {
                w = w.min(1.0);
            }
            w
        })
    };
    let cell = json!({"parameters": {"tau_u_minus": "12 ms"}, "initial": {"u_minus": "-65 mV", "u_plus": "-65 mV"}});
    let projection = json!({"initial": {"w": 0.5}});
    judge(&network("clopath", &cell, &projection, &["rule.w"]), &expected(synapse, 0.5), 2e-5);
}
