//! What the language means once it runs: each construct in a small network whose values are known in closed form.

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
fn initial_values_use_subexpressions_in_any_order() {
    let equations = "dv/dt = (v_inf - v)/(10*ms) : 1\nw : 1\nv_inf = 2*w + rest : 1\nrest = a*(i + 1) : 1\na : 1 (constant)\n\
                     held = 3*w : 1 (constant over dt)";
    let more = json!({"parameters": {"a": 0.5}, "initial": {"v": "v_inf + held", "w": "i"}});
    let (rows, _) = run(cell(3, equations, more, "v"), 1).unwrap();
    assert_eq!(rows[0], [0.5, 6.0, 11.5]);
}

#[test]
fn infinity_is_a_bound() {
    let equations = "dx/dt = (1 - x)/(10*ms) : 1\nlow = min(x, inf) - max(x, -inf) : 1\nalways = int(x < inf and -inf < x) : 1\n\
                     part = clip(x, 0.5, inf) + x/inf : 1\nsum = low + 10*always + 100*part : 1";
    let (rows, _) = run(cell(1, equations, json!({"initial": {"x": 0.25}}), "sum"), 1).unwrap();
    assert_eq!(rows[0], [60.0]);
    for (equation, words) in [
        ("x = inf : 1", "`inf` is not a finite number"),
        ("y : 1\nx = y*inf : 1", "`y*inf` is not a finite number"),
        ("x = sqrt(inf) : 1", "`sqrt(inf)` is not a finite number"),
        ("x = inf - inf : 1", "`inf - inf` is not a finite number"),
    ] {
        let error = run(cell(1, equation, json!({}), "x"), 1).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("1e30"), "{error}");
    }
}

#[test]
fn timestep_counts_whole_steps() {
    let equations = "k = timestep(t, 0.3*ms) + 1000*timestep(t - 0.1*ms, dt) : 1";
    let (rows, _) = run(cell(1, equations, json!({}), "k"), 8).unwrap();
    let found: Vec<f32> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(found, [-1000.0, 0.0, 1000.0, 2001.0, 3001.0, 4001.0, 5002.0, 6002.0]);
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

/// dx = x σ dW of Stratonovich is x = exp(σ W): Milstein's method is of order 1 in dt, path by path.
#[test]
fn milstein_follows_the_path_of_its_noise() {
    let equations = "dx/dt = sigma*x*xi : 1\nsigma = sqrt(0.1/(10*ms)) : Hz**0.5";
    let more = json!({"method": "milstein", "initial": {"x": 1.0}});
    let (rows, _) = run(cell(20_000, equations, more, "x"), 101).unwrap();
    close(rows[100].iter().sum::<f32>() / 20_000.0, (0.5 * 0.1_f64).exp(), 0.012);
    let logarithms: Vec<f32> = rows[100].iter().map(|x| x.ln()).collect();
    close(logarithms.iter().map(|x| x * x).sum::<f32>() / 20_000.0, 0.1, 0.004);
    let shared = "dx/dt = x*xi/sqrt(ms) : 1\ndy/dt = y*xi/sqrt(ms) : 1";
    let error = run(cell(1, shared, json!({"method": "milstein"}), "x"), 1).unwrap_err().to_string();
    assert!(error.contains("each variable must have noise of its own") && error.contains("`heun`"), "{error}");
}

/// An Ornstein–Uhlenbeck process in each synapse.
#[test]
fn synapses_have_noise() {
    let network = json!({
        "populations": [{"name": "n", "size": 60, "equations": "v : 1", "threshold": "v > 1"}],
        "projections": [{"name": "nn", "pre": "n", "post": "n", "connect": {"rule": "all"}, "on_pre": "v_post += w", "initial": {"w": 0},
            "equations": "dw/dt = -w/(10*ms) + sqrt(2/(10*ms))*xi : 1 (clock-driven)"}],
        "recordings": [{"object": "nn", "var": "w", "indices": "all"}]
    });
    let (rows, _) = run(network, 501).unwrap();
    let last = &rows[500];
    close(last.iter().sum::<f32>() / 3600.0, 0.0, 0.06);
    close(last.iter().map(|w| w * w).sum::<f32>() / 3600.0, 1.0 - (-10.0_f64).exp(), 0.09);
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
fn poisson_input_acts_on_the_neurons_of_its_slices() {
    let with = |targets: Value| {
        let mut network = cell(40, "x : 1", json!({"update": "x = x"}), "x");
        network["sources"] = json!([{"name": "in", "type": "poisson_input", "targets": targets, "var": "x", "N": 200, "rate": "50 Hz",
            "weight": 1.0}]);
        run(network, 51).map(|(rows, _)| rows[50].clone())
    };
    let (whole, sliced) = (with(json!(["n"])).unwrap(), with(json!(["n[5:10]", "n[20:]"])).unwrap());
    assert!(whole.iter().all(|x| *x > 0.0));
    for (neuron, (x, all)) in sliced.iter().zip(&whole).enumerate() {
        let expected = if (5..10).contains(&neuron) || neuron >= 20 { *all } else { 0.0 };
        assert_eq!(*x, expected, "neuron {neuron}");
    }
    for (targets, expected) in [
        (json!(["n[0:10]", "n[9:20]"]), "\"n[0:10]\" has some of the same neurons"),
        (json!(["n", "n"]), "each target may be named only once"),
        (json!(["n[30:50]"]), "n has neurons 0 to 39"),
        (json!(["m[3:5]"]), "there is no population `m`"),
        (json!(["n[3]"]), "a slice such as"),
    ] {
        let found = with(targets).expect_err("it is rejected").to_string();
        assert!(found.contains(expected), "{found}");
    }
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

/// The column of one channel.
fn column(rows: &[Vec<f32>], channel: usize) -> Vec<f32> {
    rows.iter().map(|row| row[channel]).collect()
}

/// As in Brian 2, they run at t = 0 first, and a recording of the same time finds what they have changed.
#[test]
fn statements_run_at_regular_times() {
    let regular =
        json!([{"every_ms": "0.5 ms", "statements": "x += 1"}, {"every_ms": 0.3, "start_ms": 0.4, "statements": "x += 100"}]);
    let (rows, _) = run(cell(1, "x : 1", json!({"run_regularly": regular}), "x"), 12).unwrap();
    let found = column(&rows, 0);
    assert_eq!(found, [1.0, 1.0, 1.0, 1.0, 101.0, 102.0, 102.0, 202.0, 202.0, 202.0, 303.0, 303.0]);
    // Without an interval, in every step; and at times that an f32 cannot tell apart.
    let (rows, _) = run(cell(1, "x : 1", json!({"run_regularly": [{"statements": "x += 1"}]}), "x"), 5).unwrap();
    assert_eq!(column(&rows, 0), [1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn statements_of_one_time_run_in_their_order() {
    let regular =
        json!([{"statements": "x = 2*x", "order": 1}, {"statements": "x += 1"}, {"statements": "x = 10*x", "order": -1}]);
    let (rows, _) = run(cell(1, "x : 1", json!({"run_regularly": regular, "initial": {"x": 1}}), "x"), 2).unwrap();
    assert_eq!(column(&rows, 0), [22.0, 442.0]);
}

/// They read the values that are held over the step, leave what is `unless refractory`, and act before the refractory condition is tested.
#[test]
fn statements_at_regular_times_know_refractoriness_and_held_values() {
    let equations = "dv/dt = 0/ms : 1 (unless refractory)\nx : 1\nfree : 1\nh = 3*int(t >= 0.2*ms) : 1 (constant over dt)";
    let of = |refractory: &str| {
        json!({"threshold": "v > 1", "reset": "v = 0", "refractory": refractory, "initial": {"v": 2},
            "run_regularly": [{"statements": "v += 0.25; x = h; free = int(not_refractory)"}]})
    };
    let network = |refractory: &str, var: &str| cell(1, equations, of(refractory), var);
    let (rows, activity) = run(network("0.3*ms", "v"), 6).unwrap();
    assert_eq!(activity.spikes[0].step, 0);
    // The values are those of Brian 2: refractoriness is that of the step before.
    assert_eq!(column(&rows, 0), [2.25, 0.0, 0.0, 0.0, 0.25, 0.5]);
    assert_eq!(column(&run(network("0.3*ms", "free"), 5).unwrap().0, 0), [1.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(column(&run(network("0.3*ms", "x"), 4).unwrap().0, 0), [0.0, 0.0, 3.0, 3.0]);
    // A condition that the statements make false holds until then.
    assert_eq!(column(&run(network("x < 1", "v"), 6).unwrap().0, 0), [2.25, 0.0, 0.0, 0.25, 0.5, 0.75]);
}

/// Synapses change their own variables, reading both neurons, and event-driven variables are up to date.
#[test]
fn statements_of_synapses_run_at_regular_times() {
    let network = json!({
        "populations": [{"name": "n", "size": 2, "equations": "x : 1\ng : 1", "initial": {"x": {"values": [1, 5]}},
                         "run_regularly": [{"every_ms": 0.2, "statements": "x += 10"}]}],
        "sources": [{"name": "s", "size": 1, "spike_times_ms": [[0, 0.1]]}],
        "projections": [
            {"name": "p", "pre": "n", "post": "n", "pairs": [[0, 1]], "equations": "w : 1", "on_pre": "g_post += w",
             "run_regularly": [{"every_ms": 0.2, "start_ms": 0.2, "statements": "k = x_pre; w += k + 1000*x_post + j"}]},
            {"name": "q", "pre": "s", "post": "n", "pairs": [[0, 0]], "equations": "y : 1\ndz/dt = -z/(1*ms) : 1 (event-driven)",
             "on_pre": "z = 1; g_post += 0.25*z", "run_regularly": [{"every_ms": 0.3, "statements": "y = z"}]}],
        "recordings": [{"object": "p", "var": "w", "indices": [0]}, {"object": "q", "var": "y", "indices": [0]}]
    });
    let (rows, _) = run(network, 8).unwrap();
    // Those of populations come first.
    let first = 21.0 + 1000.0 * 25.0 + 1.0;
    assert_eq!(column(&rows, 0)[..5], [0.0, 0.0, first, first, first + 31.0 + 35_000.0 + 1.0]);
    let y = column(&rows, 1);
    assert_eq!(y[..3], [0.0, 0.0, 0.0]);
    close(y[3], (-0.2_f64).exp(), 1e-6);
    close(y[7], (-0.5_f64).exp(), 1e-6);
}

#[test]
fn wrong_statements_at_regular_times_are_errors_with_their_place() {
    let says = |regular: Value, words: &[&str]| {
        let error = run(cell(1, "v : volt\nw : 1", json!({"run_regularly": [{"statements": "w = 1"}, regular]}), "v"), 1);
        let error = error.err().map_or_else(String::new, |error| error.to_string());
        words.iter().for_each(|word| assert!(error.contains(word), "{error}: {word}"));
    };
    says(json!({"statements": "v += 1*nA"}), &["populations[0]: run_regularly[1].statements", "`v` is volt, `1*nA` is amp"]);
    says(json!({"statements": "u += 1"}), &["there is no variable `u`"]);
    says(json!({"statements": "  "}), &["run_regularly[1].statements", "at least one statement"]);
    says(json!({"every_ms": 0.25, "statements": "w = 1"}), &["run_regularly[1].every_ms", "0.25", "0.2 ms or 0.3 ms"]);
    says(json!({"every": 1, "statements": "w = 1"}), &["every", "every_ms"]);
    let synapse = |statements: &str| {
        let network = json!({"populations": [{"name": "n", "size": 1, "equations": "g : 1"}],
            "projections": [{"pre": "n", "post": "n", "pairs": [[0, 0]], "equations": "w : 1", "on_pre": "g_post += w",
                "run_regularly": [{"every_ms": 1, "statements": statements}]}]});
        run(network, 1).err().map_or_else(String::new, |error| error.to_string())
    };
    assert_eq!(synapse("w = 0.5*w + rand()"), "");
    for (statements, words) in [
        ("g_post += w", "(summed)"),
        ("g_pre = w", "presynaptic neuron"),
        ("w += 1*mV", "projections[0]: run_regularly[0].statements"),
    ] {
        assert!(synapse(statements).contains(words), "{}", synapse(statements));
    }
}

/// Populations, trials and f64 agree about the steps.
#[test]
fn a_leaky_cell_that_is_kicked_follows_its_closed_form() {
    let equations = "dv/dt = -v/(5*ms) : 1";
    let network =
        cell(1, equations, json!({"threshold": "v > 100", "run_regularly": [{"every_ms": 2, "statements": "v += 1"}]}), "v");
    let (rows, _) = run(network, 101).unwrap();
    let kicks = (0..6).map(|kick| (-f64::from(10 - 2 * kick) / 5.0).exp()).sum::<f64>();
    close(rows[100][0], kicks, 2e-6);
}
