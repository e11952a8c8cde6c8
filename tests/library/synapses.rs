use std::f64::consts::PI;

use serde_json::{Value, json};
use spikelet_tests::device;

use super::{Seen, on_all, one_synapse};

pub(super) const MODELS: [&str; 19] = [
    "delta",
    "exp_current",
    "exp_conductance",
    "alpha_current",
    "alpha_conductance",
    "dual_exp_current",
    "dual_exp_conductance",
    "ampa",
    "gaba_a",
    "gaba_b",
    "nmda",
    "transmitter_release",
    "graded",
    "electrical",
    "electrical_mean",
    "current_input",
    "tsodyks_markram",
    "std",
    "dopamine",
];

/// A cell that does not fire.
fn cell(parameters: &Value) -> Value {
    let mut all = json!({"Vt": "100 mV"});
    for (name, value) in parameters.as_object().unwrap() {
        all[name] = value.clone();
    }
    json!({"size": 1, "model": "lif", "parameters": all})
}

/// The spike of step 10 with a delay of 1.5 ms is felt from here on.
const ARRIVED: f64 = 2.6;

/// Rotter & Diesmann 1999; Roth & van Rossum 2009, chapter 6: each current and the potential it leads to, in closed form.
#[test]
fn currents_and_potentials_are_exact() {
    let (r, tau_m, w) = (0.1, 10.0, 50.0);
    // The response of the membrane to a current exp(−t/τ).
    let response = |tau: f64, t: f64| r * tau / (tau_m - tau) * ((-t / tau_m).exp() - (-t / tau).exp());
    let (tr, td) = (1.0f64, 6.0f64);
    let norm = (td / tr).powf(td / (td - tr)) * tr / (td - tr);
    let dual = |t: f64| w * norm * ((-t / td).exp() - (-t / tr).exp());
    let kappa = 1.0 / 2.0 - 1.0 / tau_m;
    let alpha_reach = |t: f64| (1.0 - (-kappa * t).exp() * (1.0 + kappa * t)) / (kappa * kappa);
    type Course<'a> = &'a dyn Fn(f64) -> f64;
    let cases: [(&str, &str, Value, Course<'_>, Course<'_>); 3] = [
        ("exp_current", "I_exp", json!({"tau_exp": "5 ms"}), &|t| w * (-t / 5.0).exp(), &|t| w * response(5.0, t)),
        ("alpha_current", "I_alpha", json!({"tau_alpha": "2 ms"}), &|t| w * t / 2.0 * (1.0 - t / 2.0).exp(), &|t| {
            w * 1f64.exp() * r / (2.0 * tau_m) * (-t / tau_m).exp() * alpha_reach(t)
        }),
        ("dual_exp_current", "I_dual", json!({"tr_dual": "1 ms", "td_dual": "6 ms"}), &dual, &|t| {
            w * norm * (response(td, t) - response(tr, t))
        }),
    ];
    let gpu = device();
    for (model, variable, parameters, current, potential) in cases {
        let projection = json!({"parameters": {"w": "50 pA"}, "delay_ms": 1.5});
        let record = [("cell", variable), ("cell", "v")];
        let network = one_synapse(model, &cell(&parameters), &projection, &[1.0], &record, (0.1, 50.0));
        on_all(gpu.as_ref(), &network, |seen| {
            for k in 0..470 {
                let t = f64::from(k) * 0.1;
                seen.is(model, seen.at(&format!("cell.{variable}[0]"), ARRIVED + t), current(t), 1e-4);
                seen.is(&format!("{model}, potential"), seen.at("cell.v[0]", ARRIVED + t), -65.0 + potential(t), 3e-4);
            }
            // The peak of both shaped currents is the weight.
            let peak = seen.trace(&format!("cell.{variable}[0]")).iter().fold(0.0f64, |a, b| a.max(*b));
            seen.is(&format!("peak of {model}"), peak, w, 0.02);
        });
    }
    let projection = json!({"parameters": {"w": "2 mV"}, "delay_ms": 1.5});
    let network = one_synapse("delta", &cell(&json!({})), &projection, &[1.0], &[("cell", "v")], (0.1, 20.0));
    on_all(gpu.as_ref(), &network, |seen| {
        for k in 0..170 {
            let t = f64::from(k) * 0.1;
            seen.is("delta", seen.at("cell.v[0]", ARRIVED + t), -65.0 + 2.0 * (-t / tau_m).exp(), 1e-4);
        }
    });
}

/// Shape of the conductances, and the pull on the potential: in steps of 0.01 ms exponential Euler is within half a percent.
#[test]
fn conductances_peak_at_their_weight_and_pull_to_the_reversal_potential() {
    let dual = |t: f64| {
        let norm = 6f64.powf(6.0 / 5.0) / 5.0;
        norm * ((-t / 6.0).exp() - (-t).exp())
    };
    type Course<'a> = &'a dyn Fn(f64) -> f64;
    let cases: [(&str, &str, Value, Course<'_>); 3] = [
        ("exp_conductance", "g_exp", json!({"tau_exp": "5 ms", "E_exp": "-80 mV"}), &|t| (-t / 5.0).exp()),
        ("alpha_conductance", "g_alpha", json!({"tau_alpha": "2 ms", "E_alpha": "-80 mV"}), &|t| t / 2.0 * (1.0 - t / 2.0).exp()),
        ("dual_exp_conductance", "g_dual", json!({"tr_dual": "1 ms", "td_dual": "6 ms", "E_dual": "-80 mV"}), &dual),
    ];
    let gpu = device();
    for (model, variable, parameters, shape) in cases {
        let projection = json!({"parameters": {"w": "4 nS"}});
        let record = [("cell", variable), ("cell", "v")];
        let network = one_synapse(model, &cell(&parameters), &projection, &[1.0], &record, (0.01, 30.0));
        on_all(gpu.as_ref(), &network, |seen| {
            // tau dv/dt = El − v + R g (E − v), by midpoints.
            let (mut v, h) = (-65.0, 0.01);
            for k in 0..2800 {
                let t = f64::from(k) * h;
                seen.is(model, seen.at(&format!("cell.{variable}[0]"), 1.01 + t), 4.0 * shape(t), 0.025);
                seen.is(&format!("{model}, potential"), seen.at("cell.v[0]", 1.01 + t), v, 0.02);
                let slope = |v: f64, t: f64| (-65.0 - v + 0.1 * 4.0 * shape(t) * (-80.0 - v)) / 10.0;
                v += h * slope(v + h / 2.0 * slope(v, t), t + h / 2.0);
            }
        });
    }
}

/// Destexhe, Mainen & Sejnowski 1998: a pulse of 1 ms opens (1 − exp(−(α + β)))·α/(α + β) of the receptors, which then close
/// with β.
#[test]
fn receptors_bind_and_unbind_in_closed_form() {
    let gpu = device();
    for (model, alpha, beta) in [("ampa", 1.1, 0.19), ("gaba_a", 5.0, 0.18), ("nmda", 0.072, 0.0066)] {
        let mut parameters = json!({});
        parameters[format!("E_{model}")] = json!("0 mV");
        if model == "nmda" {
            parameters["Mg"] = json!("1 mM");
        }
        let record = [("synapse", "r")];
        let network = one_synapse(model, &cell(&parameters), &json!({}), &[1.0], &record, (0.1, 30.0));
        on_all(gpu.as_ref(), &network, |seen| {
            let open = alpha / (alpha + beta) * (1.0 - (-(alpha + beta) * 1.0f64).exp());
            for (t, expected) in [(0.5, f64::NAN), (1.0, open), (11.0, open * (-beta * 10.0).exp())] {
                if !expected.is_nan() {
                    let found = seen.trace("synapse.r[0]").iter().copied().fold(0.0f64, f64::max);
                    let value = if t == 1.0 { found } else { seen.at("synapse.r[0]", peak_time(seen) + t - 1.0) };
                    seen.is(&format!("{model} after {t} ms"), value, expected, 2e-5);
                }
            }
        });
    }
}

/// When the share of open receptors is largest.
fn peak_time(seen: &Seen) -> f64 {
    let trace = seen.trace("synapse.r[0]");
    let largest = (0..trace.len()).max_by(|a, b| trace[*a].total_cmp(&trace[*b])).unwrap();
    largest as f64 * seen.dt
}

/// Jahr & Stevens 1990: with 1 mM of magnesium 1/(1 + exp(−0.062 v)/3.57) of the channels are free: 0.078 at −60 mV and 0.781 at 0.
#[test]
fn magnesium_blocks_nmda_channels() {
    let mut cell = cell(&json!({
        "E_nmda": "0 mV", "Mg": "1 mM", "R": "0.001 Mohm", "El": {"values": [-80, -60, -20, 0], "unit": "mV"}
    }));
    cell["size"] = json!(4);
    let network = one_synapse("nmda", &cell, &json!({}), &[1.0], &[("cell", "B_nmda"), ("cell", "I_nmda")], (0.1, 20.0));
    on_all(device().as_ref(), &network, |seen| {
        for (k, (v, block)) in [(-80.0f64, f64::NAN), (-60.0, 0.0796), (-20.0, f64::NAN), (0.0, 0.7812)].into_iter().enumerate() {
            let found = seen.at(&format!("cell.B_nmda[{k}]"), 15.0);
            seen.is("free share", found, 1.0 / (1.0 + (-0.062 * v).exp() / 3.57), 1e-4);
            if !block.is_nan() {
                seen.is("printed share", found, block, 2e-3);
            }
        }
        let current = |k: usize| seen.at(&format!("cell.I_nmda[{k}]"), 15.0);
        assert!(current(2) > 2.0 * current(0), "the current grows with depolarisation: {} {}", current(0), current(2));
    });
}

/// Destexhe & Sejnowski 1995: one spike opens next to nothing, ten at 200 Hz open a large share; s follows from its equations.
#[test]
fn gaba_b_needs_several_spikes() {
    let ten: Vec<f64> = (0..10).map(|k| 1.0 + 5.0 * f64::from(k)).collect();
    let gpu = device();
    let mut peaks = Vec::new();
    for spikes in [&ten[..1], &ten[..]] {
        let parameters = json!({"E_gaba_b": "-95 mV"});
        let network = one_synapse(
            "gaba_b",
            &cell(&parameters),
            &json!({}),
            spikes,
            &[("synapse", "s"), ("cell", "g_gaba_b")],
            (0.1, 200.0),
        );
        // The same equations in steps of a hundredth of that.
        let (mut r, mut s, mut largest) = (0.0f64, 0.0f64, 0.0f64);
        for k in 0..200_000 {
            let t = f64::from(k) * 0.001;
            let pulse = spikes.iter().any(|spike| (spike + 0.1..spike + 1.1).contains(&t));
            let t_max = if pulse { 0.09 } else { 0.0 };
            (r, s) = (r + 0.001 * (t_max * (1.0 - r) - 0.0012 * r), s + 0.001 * (0.18 * r - 0.034 * s));
            largest = largest.max(s);
        }
        let found = std::cell::Cell::new(0.0);
        on_all(gpu.as_ref(), &network, |seen| {
            let peak = |label: &str| seen.trace(label).iter().copied().fold(0.0, f64::max);
            seen.is("peak of s", peak("synapse.s[0]"), largest, 0.01 * largest);
            found.set(peak("cell.g_gaba_b[0]"));
        });
        peaks.push(found.get());
    }
    assert!(peaks[0] < 0.01 && peaks[1] > 20.0 * peaks[0], "{peaks:?}");
}

/// A network of cells `a` and `b`, both without spikes, joined by a synapse of `a` onto `b`.
fn pair(model: &str, projection: &Value, populations: &[Value], record: &[(&str, &str)], ms: f64) -> Value {
    let mut joined = json!({"name": "synapse", "pre": "a", "post": "b", "model": model, "connect": {"rule": "all"}});
    for (key, value) in projection.as_object().unwrap() {
        joined[key] = value.clone();
    }
    let recordings: Vec<Value> =
        record.iter().map(|(object, var)| json!({"object": object, "var": var, "indices": "all"})).collect();
    json!({"name": model, "dt_ms": 0.1, "duration_ms": ms, "populations": populations, "projections": [joined], "recordings": recordings})
}

fn named(name: &str, cell: Value, equations: &str) -> Value {
    let mut cell = cell;
    cell["name"] = json!(name);
    cell["equations"] = json!(equations);
    cell
}

/// Skinner et al. 1994 and Destexhe et al. 1994: at a constant potential both relax exponentially to a closed value.
#[test]
fn graded_release_follows_the_potential() {
    let gpu = device();
    let post = "g_graded : siemens\nI_syn = g_graded*(E_graded - v) : amp";
    let populations = [named("a", cell(&json!({"El": "-38 mV"})), ""), named("b", cell(&json!({"E_graded": "-80 mV"})), post)];
    let network = pair("graded", &json!({}), &populations, &[("synapse", "s"), ("b", "g_graded")], 100.0);
    on_all(gpu.as_ref(), &network, |seen| {
        let open = 1.0 / (1.0 + (-2.0f64 / 4.0).exp());
        seen.is("gate after 10 ms", seen.at("synapse.s[0]", 10.0), open * (1.0 - (-1f64).exp()), 1e-3);
        seen.is("conductance in the end", seen.at("b.g_graded[0]", 99.9), open, 1e-3);
    });
    let post = "g_release : siemens\nI_syn = g_release*(E_release - v) : amp";
    let populations = [named("a", cell(&json!({"El": "2 mV"})), ""), named("b", cell(&json!({"E_release": "0 mV"})), post)];
    let network = pair("transmitter_release", &json!({"preset": "ampa"}), &populations, &[("synapse", "r")], 20.0);
    on_all(gpu.as_ref(), &network, |seen| {
        let (bind, unbind) = (1.1 * 0.5, 0.19f64);
        let open = bind / (bind + unbind);
        seen.is("open after 1 ms", seen.at("synapse.r[0]", 1.0), open * (1.0 - (-(bind + unbind)).exp()), 2e-3);
        seen.is("open in the end", seen.at("synapse.r[0]", 19.9), open, 1e-3);
    });
}

/// Bennett 1977: two coupled cells, current into one. The potential of the other is gR/(1 + gR) of the first's.
#[test]
fn gap_junctions_have_their_coupling_coefficient() {
    let gpu = device();
    for (model, parameters, g) in
        [("electrical", json!({"g": "5 nS"}), 5.0), ("electrical_mean", json!({"g": "10 nS", "n": 2}), 5.0)]
    {
        let lines = "I_gap : amp\nI_syn = I_gap : amp";
        let mut both = named("n", cell(&json!({"I": {"values": [100, 0], "unit": "pA"}})), lines);
        both["size"] = json!(2);
        let network = json!({
            "name": model, "dt_ms": 0.1, "duration_ms": 100, "populations": [both],
            "projections": [{"name": "synapse", "pre": "n", "post": "n", "model": model, "pairs": [[0, 1], [1, 0]], "parameters": parameters}],
            "recordings": [{"object": "n", "var": "v", "indices": "all"}]
        });
        on_all(gpu.as_ref(), &network, |seen| {
            let [near, far] = [0, 1].map(|k| seen.at(&format!("n.v[{k}]"), 99.9) + 65.0);
            let gr = g * 0.1;
            seen.is(&format!("{model}: coupling"), far / near, gr / (1.0 + gr), 1e-4);
            seen.is(&format!("{model}: potential"), near, 10.0 * (1.0 + gr) / (1.0 + 2.0 * gr), 1e-3);
        });
    }
}

/// A membrane that follows a step, 1 − exp(−t/τ), and a sine, by 1/√(1 + (2πfτ)²).
#[test]
fn currents_of_sources_drive_cells() {
    let mut populations = vec![
        json!({"name": "step", "size": 1, "model": "step_current", "parameters": {"amplitude": "100 pA", "start": "10 ms", "stop": "60 ms"}}),
        json!({"name": "sine", "size": 1, "model": "sine_current", "parameters": {"amplitude": "40 pA", "offset": "0 pA", "f": "20 Hz"}}),
    ];
    populations.extend(["a", "b"].map(|name| named(name, cell(&json!({})), "I : amp")));
    let joined = |pre: &str, post: &str, w: f64| json!({"pre": pre, "post": post, "model": "current_input", "connect": {"rule": "all"}, "parameters": {"w": w}});
    let network = json!({
        "name": "currents", "dt_ms": 0.1, "duration_ms": 200, "populations": populations,
        "projections": [joined("step", "a", 1.0), joined("sine", "b", 2.0)],
        "recordings": [{"object": "a", "var": "v", "indices": [0]}, {"object": "b", "var": "v", "indices": [0]}]
    });
    on_all(device().as_ref(), &network, |seen| {
        for k in 0..500 {
            let t = f64::from(k) * 0.1;
            seen.is("step", seen.at("a.v[0]", 10.0 + t), -65.0 + 10.0 * (1.0 - (-t / 10.0).exp()), 1e-3);
        }
        let top = seen.trace("b.v[0]")[1000..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        seen.is("sine", top + 65.0, 8.0 / (1.0 + (2.0 * PI * 0.02 * 10.0).powi(2)).sqrt(), 0.01);
    });
}

/// Markram, Wang & Tsodyks 1998: a train at 20 Hz, spike by spike and at its steady state, and what a pause of 500 ms restores.
#[test]
fn short_term_plasticity_reaches_its_steady_state() {
    let gpu = device();
    let mut spikes: Vec<f64> = (0..60).map(|k| 10.0 + 50.0 * f64::from(k)).collect();
    spikes.push(3460.0);
    for (model, preset, w, u_0, tauf, taud) in [
        ("tsodyks_markram", Some("depressing"), 250.0, 0.67, 1.0, 800.0),
        ("tsodyks_markram", Some("facilitating"), 1540.0, 0.03, 530.0, 130.0),
        ("std", None, 250.0, 0.4, 0.0f64, 300.0),
    ] {
        let mut projection = json!({});
        if let Some(preset) = preset {
            projection["preset"] = json!(preset);
        }
        let parameters = json!({"tau_stp": "1 ms", "R": "0.001 Mohm"});
        let network = one_synapse(model, &cell(&parameters), &projection, &spikes, &[("cell", "I_stp")], (0.5, 3500.0));
        on_all(gpu.as_ref(), &network, |seen| {
            let what = format!("{model} {}", preset.unwrap_or_default());
            let (mut u, mut x, mut last) = (0.0f64, 1.0f64, f64::NEG_INFINITY);
            for spike in &spikes {
                let gap = spike - last;
                if gap.is_finite() {
                    u *= (-gap / tauf).exp();
                    x = 1.0 - (1.0 - x) * (-gap / taud).exp();
                }
                u = if model == "std" { u_0 } else { u + u_0 * (1.0 - u) };
                let released = u * x;
                x -= released;
                last = *spike;
                seen.is(&format!("{what} at {spike}"), seen.at("cell.I_stp[0]", spike + 0.5), w * released, 1e-4 * w);
            }
            let decayed = |tau: f64| if tau > 0.0 { (-50.0 / tau).exp() } else { 0.0 };
            let u = if model == "std" { u_0 } else { u_0 / (1.0 - (1.0 - u_0) * decayed(tauf)) };
            let x = (1.0 - decayed(taud)) / (1.0 - (1.0 - u) * decayed(taud));
            seen.is(&format!("{what}, steady state"), seen.at("cell.I_stp[0]", 2960.5), w * u * x, 1e-3 * w);
        });
    }
}

/// Humphries, Wood & Gurney 2009: the gains of receptors that dopamine has bound.
#[test]
fn dopamine_scales_the_gains_of_its_receptors() {
    let parameters = json!({
        "tau_DA": "200 ms", "K_D1": 1, "K_D2": 0.1, "beta_D1": 0.5, "beta_D2": 0.3
    });
    let record = [("cell", "DA"), ("cell", "gain_D1"), ("cell", "gain_D2")];
    let projection = json!({"parameters": {"w": 0.4}});
    let network = one_synapse("dopamine", &cell(&parameters), &projection, &[1.0, 21.0], &record, (0.1, 100.0));
    on_all(device().as_ref(), &network, |seen| {
        let level = 0.4 * ((-20f64 / 200.0).exp() + 1.0);
        seen.is("dopamine", seen.at("cell.DA[0]", 21.1), level, 1e-4);
        seen.is("gain of D1", seen.at("cell.gain_D1[0]", 21.1), 1.0 + 0.5 * level / (level + 1.0), 1e-4);
        seen.is("gain of D2", seen.at("cell.gain_D2[0]", 21.1), 1.0 - 0.3 * level / (level + 0.1), 1e-4);
    });
}
