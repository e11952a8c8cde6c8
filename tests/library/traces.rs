use serde_json::{Value, json};
use spikelet_tests::device;

use super::{bursts, intervals, on_all, one_synapse};

pub(super) const MODELS: [&str; 4] = ["lif_psc_alpha", "leaky_izhikevich", "rulkov", "rulkov_chaotic"];

/// Rotter & Diesmann 1999: an alpha current w (t/τ) exp(1 − t/τ), and the potential it leads to in closed form.
#[test]
fn an_alpha_current_and_its_potential_are_exact() {
    let projection = json!({
        "model": null, "on_pre": "Ie_rise_post += w", "equations": "w : amp (constant)",
        "parameters": {"w": "100 pA"}, "delay_ms": 1.5
    });
    let record = [("cell", "Ie"), ("cell", "v")];
    let cell = json!({"size": 1, "model": "lif_psc_alpha", "equations": "# its own lines\n"});
    let network = one_synapse("delta", &cell, &projection, &[1.0], &record, (0.1, 60.0));
    on_all(device().as_ref(), &network, |seen| {
        let (w, c, tau, tau_m) = (100.0, 250.0, 2.0, 10.0);
        let kappa = 1.0 / tau - 1.0 / tau_m;
        for k in 0..560 {
            // The spike of step 10 arrives 15 steps later and is felt in the step after.
            let t = f64::from(k) * 0.1;
            let current = w * t / tau * (1.0 - t / tau).exp();
            seen.is("current", seen.at("cell.Ie[0]", 2.6 + t), current, 2e-4);
            let reach = (1.0 - (-kappa * t).exp() * (1.0 + kappa * t)) / (kappa * kappa);
            let potential = w * 1f64.exp() / (tau * c) * (-t / tau_m).exp() * reach;
            seen.is("potential", seen.at("cell.v[0]", 2.6 + t), -65.0 + potential, 2e-4);
        }
    });
}

/// Rest is where 0.04 v² + (5 − g − b) v + 140 + g El = 0; a step fires beyond (5 − g)²/0.16 − 140 − g El + u, with u = b v of rest.
#[test]
fn the_leaky_izhikevich_cell_has_its_rest_and_onset() {
    let network = json!({
        "name": "leaky", "dt_ms": 0.1, "duration_ms": 200,
        "populations": [{
            "name": "cell", "size": 3, "model": "leaky_izhikevich",
            "parameters": {"I": {"values": [0, 11, 13], "unit": "1"}}, "initial": {"v": -67.016, "u": "b*v"}
        }],
        "recordings": [{"object": "cell", "var": "v", "indices": [0]}]
    });
    let rest = (-3.8 - (3.8f64 * 3.8 - 0.16 * 75.0).sqrt()) / 0.08;
    let onset = 16.0 / 0.16 - 75.0 + 0.2 * rest;
    assert!((11.0..13.0).contains(&onset), "{onset}");
    on_all(device().as_ref(), &network, |seen| {
        seen.is("rest", seen.at("cell.v[0]", 199.9), rest, 1e-2);
        assert!(seen.train("cell", 0).is_empty() && seen.train("cell", 1).is_empty(), "fires below the onset");
        assert!(!seen.train("cell", 2).is_empty(), "silent above the onset");
    });
}

fn map(model: &str, presets: &[&str], steps: f64) -> Value {
    let population = |preset: &&str| {
        let mut population = json!({"name": if preset.is_empty() { "default" } else { preset }, "size": 1, "model": model});
        if !preset.is_empty() {
            population["preset"] = json!(preset);
        }
        population
    };
    let populations: Vec<Value> = presets.iter().map(population).collect();
    let record = |population: &Value, var: &str| json!({"object": population["name"], "var": var, "indices": [0]});
    let recordings: Vec<Value> = populations.iter().flat_map(|of| [record(of, "x"), record(of, "y")]).collect();
    json!({"name": model, "dt_ms": 1, "duration_ms": steps, "populations": populations, "recordings": recordings})
}

/// Each sample follows from the one before, computed in f32.
fn follows(seen: &super::Seen, population: &str, next: impl Fn(f32, f32) -> (f32, f32)) {
    let (x, y) = (seen.trace(&format!("{population}.x[0]")), seen.trace(&format!("{population}.y[0]")));
    for k in 0..x.len() - 1 {
        let (next_x, next_y) = next(x[k] as f32, y[k] as f32);
        // A GPU may round a quotient by a unit more.
        let within = if seen.device == "the GPU" { 1e-6 } else { 0.0 };
        seen.is(&format!("x after step {k}"), x[k + 1], f64::from(next_x), within * x[k + 1].abs());
        seen.is(&format!("y after step {k}"), y[k + 1], f64::from(next_y), within * y[k + 1].abs());
    }
}

#[test]
fn the_rulkov_map_iterates_exactly_and_bursts() {
    let network = map("rulkov", &["tonic", "bursting", "silent"], 4000.0);
    on_all(device().as_ref(), &network, |seen| {
        for (preset, alpha, sigma) in [("tonic", 4.0f32, 0.01f32), ("bursting", 6.0, -0.1), ("silent", 4.0, -0.01)] {
            follows(seen, preset, |x, y| {
                let next = if x <= 0.0 {
                    alpha / (1.0 - x) + y
                } else if x < alpha + y {
                    alpha + y
                } else {
                    -1.0
                };
                (next, y - 0.001 * (x + 1.0 - sigma))
            });
        }
        assert!(seen.train("silent", 0).len() <= 1, "{:?}", seen.train("silent", 0));
        seen.is("rest", *seen.trace("silent.x[0]").last().unwrap(), -1.01, 1e-3);
        let tonic = intervals(&seen.train("tonic", 0)[3..]);
        assert!(tonic.len() > 12 && tonic.iter().all(|gap| (gap - 190.0).abs() <= 8.0), "{tonic:?}");
        let sizes = bursts(seen.train("bursting", 0), 30.0);
        assert!(sizes.len() > 5 && sizes[1..sizes.len() - 1].iter().all(|size| *size >= 4), "{sizes:?}");
    });
}

#[test]
fn the_chaotic_rulkov_map_iterates_exactly_and_bursts() {
    let network = map("rulkov_chaotic", &[""], 4000.0);
    on_all(device().as_ref(), &network, |seen| {
        follows(seen, "default", |x, y| (4.3 / (1.0 + x * x) + y, y - 0.001 * (x + 1.0)));
        let sizes = bursts(seen.train("default", 0), 40.0);
        assert!(sizes.len() > 4 && sizes[1..sizes.len() - 1].iter().all(|size| *size >= 4), "{sizes:?}");
    });
}
