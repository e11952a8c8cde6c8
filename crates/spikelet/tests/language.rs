//! What the language means once it runs: each construct in a small network whose values are known in closed form.
#![expect(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test fails by panicking, and reads best with its JSON in place"
)]

use serde_json::{Value, json};
use spikelet::{Activity, Cpu, Error, Network, Simulation};

/// Runs a network of steps of 0.1 ms; gives the rows of samples, with what happened.
fn run(mut network: Value, steps: u32) -> Result<(Vec<Vec<f32>>, Activity), Error> {
    let defaults = json!({"name": "test", "dt_ms": 0.1, "duration_ms": 100});
    for (key, value) in defaults.as_object().unwrap() {
        network.as_object_mut().unwrap().entry(key).or_insert(value.clone());
    }
    let network = Network::from_json(&network.to_string())?;
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(1))).await?;
        let activity = simulation.advance(steps).await?;
        if let Some(failure) = simulation.failure() {
            return Err(failure.clone());
        }
        let channels = simulation.plan().channels.len();
        let rows = activity.samples.chunks(channels.max(1)).map(<[f32]>::to_vec).collect();
        Ok((rows, activity))
    })
}

/// One population `n`, with a recording of `var` in all neurons.
fn cell(size: u32, equations: &str, more: Value, var: &str) -> Value {
    let mut population = json!({"name": "n", "size": size, "equations": equations});
    population.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"populations": [population], "recordings": [{"object": "n", "var": var, "indices": "all"}]})
}

fn close(found: f32, wanted: f64, within: f64) {
    assert!((f64::from(found) - wanted).abs() <= within, "{found}, expected {wanted}");
}

#[test]
fn exact_integration_takes_a_time_constant_and_a_drive_of_each_neuron() {
    let parameters = json!({"tau": {"values": [5, 20], "unit": "ms"}, "I": {"values": [1, 3], "unit": "1"}});
    let equations = "dv/dt = (I - v)/tau : 1\ntau : second (constant)\nI : 1 (constant)";
    let (rows, _) = run(cell(2, equations, json!({"parameters": parameters, "method": "exact"}), "v"), 101).unwrap();
    close(rows[100][0], 1.0 - (-10.0_f64 / 5.0).exp(), 2e-6);
    close(rows[100][1], 3.0 * (1.0 - (-10.0_f64 / 20.0).exp()), 2e-6);
}

#[test]
fn noise_has_the_variance_and_drift_of_its_calculus() {
    // dx = x σ dW: Itô keeps the mean, Stratonovich lets it grow by exp(σ² t/2).
    for (method, mean) in [("euler", 1.0), ("heun", (0.5 * 0.2 * 10.0 / 20.0_f64).exp())] {
        let equations = "dx/dt = x*sqrt(0.1/(10*ms))*xi : 1";
        let more = json!({"method": method, "initial": {"x": 1.0}});
        let (rows, _) = run(cell(20_000, equations, more, "x"), 101).unwrap();
        let found = rows[100].iter().sum::<f32>() / 20_000.0;
        close(found, mean, 0.012);
    }
    let additive = cell(20_000, "dx/dt = sqrt(1/(10*ms))*xi : 1", json!({}), "x");
    let (rows, _) = run(additive, 101).unwrap();
    let variance = rows[100].iter().map(|x| x * x).sum::<f32>() / 20_000.0;
    close(variance, 1.0, 0.04);
}

#[test]
fn timed_arrays_hold_their_rows_and_the_last_one_for_ever() {
    let rows = json!({"timed": [[1, 10], [2, 20], [3, 30]], "dt": "1 ms", "unit": "1"});
    let network = cell(2, "I = drive(t, i) : 1", json!({"parameters": {"drive": rows}}), "I");
    let (rows, _) = run(network, 50).unwrap();
    let column: Vec<f32> = [0, 9, 10, 19, 20, 49].iter().map(|k| rows[*k][1]).collect();
    assert_eq!(column, [10.0, 10.0, 20.0, 20.0, 30.0, 30.0]);
    let single = json!({"timed": [5, 7], "dt": "2 ms", "unit": "pA"});
    let (rows, _) = run(cell(1, "I = drive(t) : amp", json!({"parameters": {"drive": single}}), "I"), 30).unwrap();
    assert_eq!((rows[19][0], rows[20][0], rows[29][0]), (5.0, 7.0, 7.0));
}

/// A timed array in place of a value: of a declared parameter, of one that only the network names, and of the rate of a source.
#[test]
fn a_timed_array_may_stand_for_a_parameter() {
    let rows = json!({"timed": [[1, 10], [2, 20]], "dt": "1 ms", "unit": "1"});
    for declared in ["dv/dt = I/ms : 1\nI : 1 (constant)", "dv/dt = I/ms : 1\nI : 1", "dv/dt = I/ms : 1"] {
        let (rows, _) = run(cell(2, declared, json!({"method": "euler", "parameters": {"I": rows}}), "v"), 21).unwrap();
        close(rows[20][0], 3.0, 1e-5);
        close(rows[20][1], 30.0, 1e-5);
    }
    let wrong = json!({"method": "euler", "parameters": {"I": {"timed": [1], "dt": "1 ms", "unit": "mV"}}});
    let error = run(cell(1, "dv/dt = I/ms : 1\nI : 1", wrong, "v"), 1).unwrap_err().to_string();
    assert!(error.contains("expected"), "{error}");

    let rate = json!({"timed": [0, 1000, 0], "dt": "10 ms", "unit": "Hz"});
    let of_library = json!({"timed": [0, 1, 0], "dt": "10 ms", "unit": "nA"});
    let (_, activity) = run(
        json!({"populations": [{"name": "E", "size": 1, "model": "lif", "parameters": {"I": of_library}}],
               "sources": [{"name": "P", "type": "poisson", "size": 100, "rate": rate}]}),
        400,
    )
    .unwrap();
    let steps = |neurons: std::ops::Range<u32>| {
        let of = activity.spikes.iter().filter(|spike| neurons.contains(&spike.neuron)).map(|spike| spike.step);
        (of.clone().min().unwrap(), of.clone().max().unwrap(), of.count())
    };
    let (first, last, spikes) = steps(1..101);
    assert!(first >= 100 && last < 200 && (900..1100).contains(&spikes), "{first} {last} {spikes}");
    let (first, last, _) = steps(0..1);
    assert!(first >= 100 && last < 201, "{first} {last}");
}

#[test]
fn a_parameter_may_be_a_function_of_time() {
    let equations = "dv/dt = I/ms : 1\nI : 1 (constant)";
    let more = json!({"method": "euler", "parameters": {"I": "int(t > 0.95*ms)*2"}});
    let (rows, _) = run(cell(1, equations, more, "v"), 21).unwrap();
    close(rows[20][0], 2.0, 1e-5);
}

#[test]
fn values_held_over_a_step_are_the_same_wherever_they_are_read() {
    let equations = "x : 1\ny : 1\nr = randn() : 1 (constant over dt)";
    let more = json!({"update": "x = r\ny = r", "threshold": "x > 100"});
    let mut network = cell(50, equations, more, "x");
    let list = network["recordings"].as_array_mut().unwrap();
    list.extend([json!({"object": "n", "var": "y", "indices": "all"}), json!({"object": "n", "var": "r", "indices": "all"})]);
    let (rows, _) = run(network, 3).unwrap();
    assert_eq!(rows[1][..50], rows[1][50..100], "x and y");
    assert_eq!(rows[1][..50], rows[0][100..], "what the step before drew");
    assert_ne!(rows[1][0], rows[1][1], "each neuron draws its own");
}

#[test]
fn lastspike_is_the_time_of_the_spike_and_the_interval_keeps_its_digits() {
    let equations = "dv/dt = 1/ms : 1\nage = t - lastspike : second";
    let more = json!({"method": "euler", "threshold": "v > 0.95", "reset": "v = 0"});
    let (rows, activity) = run(cell(1, equations, more, "age"), 30).unwrap();
    assert_eq!(activity.spikes[0].step, 9);
    let after: Vec<f32> = rows[10..13].iter().map(|row| row[0]).collect();
    assert_eq!(after, [0.1, 0.2, 0.3].map(|x: f32| x), "{after:?}");
}

#[test]
fn refractoriness_by_a_condition_lasts_until_it_is_false() {
    // v falls from 2 after its spike; the neuron rests until it is below 1 again.
    let equations = "dv/dt = -v/(10*ms) : 1\nn : 1";
    let more = json!({"method": "exact", "threshold": "v > 0.5", "reset": "n += 1", "refractory": "v > 1", "initial": {"v": 2}});
    let (rows, activity) = run(cell(1, equations, more, "n"), 80).unwrap();
    let again = (10.0 * 2.0_f64.ln() / 0.1).ceil() as u32;
    assert_eq!(activity.spikes[..2].iter().map(|spike| spike.step).collect::<Vec<_>>(), [0, again]);
    assert_eq!(rows[79][0], activity.spikes.len() as f32 - if activity.spikes.last().unwrap().step == 79 { 1.0 } else { 0.0 });
}

fn joined(on_pre: Value, more: Value) -> Value {
    let mut projection = json!({"name": "syn", "pre": "s", "post": "n", "pairs": [[0, 0], [0, 1], [1, 0]], "on_pre": on_pre});
    projection.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({
        "sources": [{"name": "s", "size": 2, "spike_times_ms": [[0, 1.0], [1, 1.0], [0, 3.0]]}],
        "populations": [{"name": "n", "size": 2, "equations": "x : 1\ny : 1", "update": "x = x"}],
        "projections": [projection],
        "recordings": [
            {"object": "n", "var": "x", "indices": "all"}, {"object": "n", "var": "y", "indices": "all"}
        ]
    })
}

#[test]
fn pathways_have_delays_of_their_own() {
    let on_pre = json!({"slow": "x_post += 1", "fast": "y_post += 1"});
    let (rows, _) = run(joined(on_pre, json!({"delay_ms": {"slow": 1.0, "fast": 0.2}})), 60).unwrap();
    // Sent in step 10, felt one step after the delay.
    assert_eq!((rows[12][2], rows[13][2]), (0.0, 2.0));
    assert_eq!((rows[20][0], rows[21][0], rows[21][1]), (0.0, 2.0, 1.0));
}

#[test]
fn synapses_know_how_many_they_are() {
    let more = json!({"equations": "w : 1\nx_post = w/N_incoming : 1 (summed)", "initial": {"w": {"expr": "3*(1 + i)"}}});
    let mut network = joined(json!(null), more);
    network["projections"][0].as_object_mut().unwrap().remove("on_pre");
    let (rows, _) = run(network, 3).unwrap();
    assert_eq!((rows[1][0], rows[1][1]), ((3.0 + 6.0) / 2.0, 3.0));
}

#[test]
fn writes_other_than_additions_see_each_other_in_the_order_of_the_senders() {
    // (x + 1)·2 for the first sender, then again for the second: order matters, and the second sees the first.
    let (rows, _) = run(joined(json!("x_post = (x_post + 1)*2\ny_post += x_post"), json!({})), 40).unwrap();
    assert_eq!((rows[11][0], rows[11][1]), (6.0, 2.0));
    assert_eq!((rows[11][2], rows[11][3]), (2.0 + 6.0, 2.0));
    assert_eq!(rows[31][0], 14.0);
}

#[test]
fn event_driven_variables_decay_between_events() {
    let more = json!({"equations": "du/dt = -u/(4*ms) : 1 (event-driven)\nw : 1 (constant)", "parameters": {"w": 2}});
    let (rows, _) = run(joined(json!("u += 1\nx_post += w*u"), more), 60).unwrap();
    close(rows[40][1], 2.0 + 2.0 * (1.0 + (-2.0_f64 / 4.0).exp()), 1e-5);
}

#[test]
fn release_at_random_is_drawn_for_each_synapse_and_event() {
    let mut network = joined(json!("x_post += int(rand() < 0.25)"), json!({}));
    network["sources"] = json!([{"name": "s", "size": 400, "spike_times_ms":
        (0..400).flat_map(|k| [(k, 1.0), (k, 2.0)]).collect::<Vec<_>>()}]);
    network["projections"][0]["pairs"] = json!((0..400).map(|k| [k, 0]).collect::<Vec<_>>());
    let (rows, _) = run(network, 40).unwrap();
    let (first, second) = (rows[12][0], rows[30][0] - rows[12][0]);
    close(first, 100.0, 35.0);
    close(second, 100.0, 35.0);
    assert_ne!(first, second);
}

#[test]
fn an_event_far_beyond_the_first_ones_stops_the_run() {
    let mut network = joined(json!("w = w*1000 + 1\nx_post += w"), json!({"equations": "w : 1"}));
    let many: Vec<(u32, f64)> = (1..20).map(|k| (0, f64::from(k))).collect();
    network["sources"][0]["spike_times_ms"] = json!(many);
    let message = run(network, 300).err().unwrap().to_string();
    assert!(message.contains("an event of `syn` adds") && message.contains("clip"), "{message}");
}

#[test]
fn poisson_input_is_binomial_and_starts_after_the_first_step() {
    let mut network = cell(4000, "x : 1", json!({"update": "x = x"}), "x");
    network["sources"] = json!([{"name": "in", "type": "poisson_input", "targets": ["n"], "var": "x", "N": 200, "rate": "50 Hz",
        "weight": 1.0}]);
    let (rows, _) = run(network, 101).unwrap();
    assert!(rows[0].iter().all(|x| *x == 0.0));
    let mean = rows[100].iter().sum::<f32>() / 4000.0;
    let variance = rows[100].iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / 4000.0;
    close(mean, 100.0, 1.0);
    close(variance, 100.0 * (1.0 - 0.005), 10.0);
}

#[test]
fn lines_beside_a_library_cell_replace_its_own_and_presets_set_its_values() {
    let population = json!({"name": "n", "size": 1, "model": "izhikevich", "preset": "tonic_spiking",
        "equations": "I_syn = 1000 : 1"});
    let with = json!({"populations": [population]});
    let mut without = with.clone();
    without["populations"][0].as_object_mut().unwrap().remove("equations");
    let spikes = |network: Value| run(network, 1000).unwrap().1.spikes.len();
    let (driven, plain) = (spikes(with), spikes(without.clone()));
    assert!(plain > 2 && driven > 5 * plain, "{plain} {driven}");
    without["populations"][0]["preset"] = json!("tonic_spikin");
    let message = run(without, 1).err().unwrap().to_string();
    assert!(message.contains("did you mean `tonic_spiking`"), "{message}");
}

#[test]
fn weights_and_delays_are_drawn_from_distributions() {
    let more = json!({"parameters": {"w": "lognormal(2, 0.5)"}, "delay_ms": "normal(1.5 ms, 0.5 ms, 0.5 ms, 2.5 ms)"});
    let mut network = joined(json!("x_post += w"), more);
    network["sources"] = json!([{"name": "s", "size": 400, "spike_times_ms": (0..400).map(|k| (k, 1.0)).collect::<Vec<_>>()}]);
    network["projections"][0]["pairs"] = json!((0..400).map(|k| [k, 0]).collect::<Vec<_>>());
    let (rows, _) = run(network, 60).unwrap();
    let all = 400.0 * 2.0 * 0.125_f64.exp();
    // Sent in step 10, felt one step after the delay: of 5 to 25 steps, half of them at most 15.
    assert_eq!(rows[15][0], 0.0);
    close(rows[26][0], all / 2.0, 100.0);
    close(rows[36][0], all, 100.0);
}

#[test]
fn values_of_synapses_may_be_a_list_of_a_name_that_no_equation_declares() {
    let more = |values: Value| json!({"parameters": {"w": {"values": values, "unit": "1"}}});
    let (rows, _) = run(joined(json!("x_post += w"), more(json!([1, 2, 4]))), 20).unwrap();
    assert_eq!(rows[12][..2], [5.0, 2.0]);
    let message = run(joined(json!("x_post += w"), more(json!([1, 2]))), 20).err().unwrap().to_string();
    assert!(message.contains("a list of 2 numbers in 1, but there are 3 pairs"), "{message}");
}

#[test]
fn a_condition_on_pairs_reads_what_all_of_them_share() {
    let network = |condition: &str| {
        let parameters = json!({"k": "1", "w": "normal(5, 0.1)"});
        let mut network = joined(
            json!("x_post += w"),
            json!({"parameters": parameters, "connect": {"rule": "condition", "condition": condition}}),
        );
        network["projections"][0].as_object_mut().unwrap().remove("pairs");
        network
    };
    let (rows, _) = run(network("j >= k"), 20).unwrap();
    assert_eq!(rows[12][0], 0.0);
    close(rows[12][1], 10.0, 1.0);
    let message = run(network("j >= w"), 1).err().unwrap().to_string();
    assert!(message.contains("`w` is a parameter that differs between synapses, and has no value here"), "{message}");
}

#[test]
fn mistakes_of_values_have_their_kind() {
    let kind = |network: Value| run(network, 1).err().and_then(|error| error.kind().map(str::to_owned)).unwrap_or_default();
    let tau = |tau: &str| cell(1, "dv/dt = -v/tau : 1", json!({"parameters": {"tau": tau}}), "v");
    assert_eq!(kind(tau("-10*ms")), "non_positive_time_constant");
    assert_eq!(kind(tau("0*ms")), "non_positive_time_constant");
    assert_eq!(kind(cell(1, "dv/dt = -v/tau : 1", json!({}), "v")), "missing_parameter_value");
    assert_eq!(kind(cell(1, "dv/dt = (I - v)/(1*ms) : 1\nI : 1 (constant)", json!({}), "v")), "missing_parameter_value");
    assert_eq!(kind(cell(1, "dv/dt = (gain - v)/(1*ms) : 1", json!({}), "v")), "undefined_name");
    let negative = joined(json!("x_post += 1"), json!({"delay_ms": -1.0}));
    assert_eq!(kind(negative), "negative_delay");
    assert_eq!(kind(cell(2, "v : volt", json!({"initial": {"v": "normal(-65 mV, -5 mV)"}}), "v")), "out_of_range");
}

#[test]
fn parameters_that_a_library_synapse_does_not_use_are_refused() {
    let network = |name: &str| {
        json!({
            "sources": [{"name": "s", "size": 1, "spike_times_ms": [[0, 1.0]]}],
            "populations": [{"name": "n", "size": 1, "model": "lif",
                "equations": spikelet::lang::library::library("exp_current").unwrap().post().unwrap(),
                "parameters": {"tau_exp": "5 ms"}}],
            "projections": [{"pre": "s", "post": "n", "model": "exp_current", "pairs": [[0, 0]], "parameters": {name: "3 ms"}}]
        })
    };
    let message = run(network("tau_exp"), 1).err().unwrap().to_string();
    assert!(message.contains("set it in the population `n`"), "{message}");
    let message = run(network("weigth"), 1).err().unwrap().to_string();
    assert!(message.contains("there is no `exp_current` parameter `weigth`"), "{message}");
}

/// A list in the order of pairs, for a name that only `on_pre` mentions.
#[test]
fn a_list_may_stand_for_a_parameter_that_no_equation_declares() {
    let mut network = cell(3, "dv/dt = 0/ms : 1", json!({"threshold": "t > 0.05*ms and t < 0.15*ms", "reset": "v = 0"}), "v");
    network["projections"] = json!([{"pre": "n", "post": "n", "pairs": [[0, 2], [1, 0]], "on_pre": "v_post += w",
                                     "parameters": {"w": {"values": [3, 5], "unit": "1"}}, "delay_ms": 0.2}]);
    let (rows, _) = run(network, 9).unwrap();
    assert_eq!(rows[8], [5.0, 0.0, 3.0]);
}
