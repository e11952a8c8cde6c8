//! Notices and errors about values, and the effect of values that are set.

use serde_json::{Value, json};
use spikelet::{BuildOptions, Cpu, Error, Network, Plan, Simulation, diagnose};

/// A network of these parts, in steps of 0.1 ms.
fn network(parts: Value) -> Result<Network, Error> {
    let network = unchecked(parts)?;
    network.validate()?;
    Ok(network)
}

/// The same, which need not hold together.
fn unchecked(parts: Value) -> Result<Network, Error> {
    let mut whole = json!({"name": "test", "dt_ms": 0.1, "duration_ms": 10});
    whole.as_object_mut().unwrap().extend(parts.as_object().unwrap().clone());
    Network::from_json_unchecked(&whole.to_string())
}

/// One population `E` of two neurons.
fn cell(equations: &str, more: Value) -> Value {
    let mut cell = json!({"name": "E", "size": 2, "equations": equations});
    cell.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    cell
}

fn refusal(parts: Value) -> String {
    let built = network(parts).and_then(|network| Plan::new(&network).map(|plan| plan.neurons()));
    built.err().map_or("it is built".to_owned(), |error| error.to_string())
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(message.contains(part), "{message}\nlacks {part}"));
}

/// The notices of a network, a line each.
fn notices(parts: Value) -> String {
    spikelet::notices(&network(parts).unwrap()).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// What is recorded in a step.
fn row(parts: Value, step: usize) -> Vec<f32> {
    let network = network(parts).unwrap();
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(1))).await.unwrap();
        let samples = simulation.advance(step as u32 + 1).await.unwrap().samples;
        samples.chunks_exact(simulation.plan().channels.len()).nth(step).unwrap().to_vec()
    })
}

fn recorded(population: Value, names: &[&str]) -> Value {
    let recordings = names.iter().map(|var| json!({"object": "E", "var": var, "indices": "all"})).collect::<Vec<_>>();
    json!({"populations": [population], "recordings": recordings})
}

#[test]
fn an_initial_value_follows_the_others_whatever_their_order() {
    let izhikevich = json!({"name": "E", "size": 2, "model": "izhikevich", "initial": {"v": -70}});
    // u = b*v, with b = 0.2.
    assert_eq!(row(recorded(izhikevich, &["v", "u"]), 0), [-70.0, -70.0, -14.0, -14.0]);
    let chain = cell("a : 1\nb : 1\nc : 1\nd : 1", json!({"initial": {"a": "2*b", "b": "c + d", "c": "i + 1"}}));
    assert_eq!(row(recorded(chain, &["a"]), 0), [2.0, 4.0]);
    let circle = cell("a : 1\nb : 1", json!({"initial": {"a": "b", "b": "a"}}));
    says(&refusal(json!({"populations": [circle]})), &["populations[0].initial", "depend on each other", "`a`, `b`"]);
}

#[test]
fn a_list_of_texts_is_a_list_of_values() {
    let taus = |list: Value| cell("v : 1\ntau : second (constant)", json!({"parameters": {"tau": list}}));
    assert_eq!(row(recorded(taus(json!(["10 ms", "0.02*second"])), &["tau"]), 0), [10.0, 20.0]);
    says(&refusal(recorded(taus(json!(["10 ms", "20 mV"])), &[])), &["parameters.tau", "\"20 mV\"", "is volt"]);
    says(
        &refusal(recorded(taus(json!(["10 ms", 20])), &[])),
        &["parameters.tau", "either all numbers of a list have a unit, as in [\"10 ms\", \"20 ms\"], or none"],
    );
    says(
        &refusal(recorded(taus(json!(["10 ms", "soon"])), &[])),
        &["parameters.tau", "its element 1, \"soon\", is not a value: `soon` is not defined; correct it"],
    );
}

#[test]
fn a_recording_is_in_the_unit_that_it_asks_for() {
    let mut parts = recorded(cell("v : volt\nC : mM", json!({"initial": {"v": "5 mV", "C": "3 mM"}})), &["v", "v", "C"]);
    parts["recordings"][0]["unit"] = json!("V");
    parts["recordings"][2]["unit"] = json!("mM");
    let row = row(parts.clone(), 0);
    assert_eq!([row[0], row[2], row[4]], [0.005, 5.0, 3.0]);
    let plan = Plan::new(&network(parts.clone()).unwrap()).unwrap();
    assert_eq!([&*plan.channels[0].unit, &*plan.channels[2].unit], ["V", "mV"]);
    parts["recordings"][1]["unit"] = json!("nA");
    let found = diagnose(&unchecked(parts).unwrap(), BuildOptions::default());
    says(&found[0].to_string(), &["recordings[1]", "`nA` is amp", "`v` is volt"]);
}

#[test]
fn half_a_step_of_delay_is_rounded_up() {
    let arrivals = |delay: Value| -> Vec<usize> {
        let size = 4;
        let parts = json!({"populations": [{"name": "E", "size": size, "equations": "v : 1"}],
            "sources": [{"name": "s", "size": 1, "spike_times_ms": [[0, 0]]}],
            "projections": [{"pre": "s", "post": "E", "pairs": [[0, 0], [0, 1], [0, 2], [0, 3]], "on_pre": "v += 1", "delay_ms": delay}],
            "recordings": [{"object": "E", "var": "v", "indices": "all"}]});
        let rows: Vec<Vec<f32>> = (0..99).map(|step| row(parts.clone(), step)).collect();
        (0..size).map(|neuron| rows.iter().position(|row| row[neuron] == 1.0).unwrap() - 1).collect()
    };
    assert_eq!(arrivals(json!(0.95)), [10; 4]);
    assert_eq!(arrivals(json!([0.25, 0.35, 1.05, 2.949])), [3, 4, 11, 29]);
    assert_eq!(arrivals(json!("0.25*ms + j*ms")), [3, 13, 23, 33]);
    let computed = |delay: &str| {
        notices(json!({"populations": [cell("v : 1", json!({}))],
            "projections": [{"pre": "E", "post": "E", "connect": {"rule": "all"}, "on_pre": "v += 1", "delay_ms": delay, "parameters": {"d": "1 ms"}}]}))
    };
    says(
        &computed("d + 0.25*ms*j"),
        &["projections[0].delay_ms is 1.25 ms, which is not a multiple of dt_ms, 0.1", "this one to 1.3 ms"],
    );
    says(&computed("d/3"), &["projections[0].delay_ms is 0.333", "this one to 0.3 ms"]);
    assert_eq!([computed("d + 0.5*ms*j"), computed("uniform(d, 2*d)")], ["", ""]);
}

#[test]
fn rates_that_no_process_has_are_refused_or_told() {
    let source = |rate: Value| json!({"sources": [{"name": "s", "type": "poisson", "size": 3, "rate": rate}]});
    says(
        &refusal(source(json!("20 kHz"))),
        &["sources[0].rate is 20000 Hz", "a process fires at most once per step of 0.1 ms, at 10000 Hz"],
    );
    says(&refusal(source(json!(["1 Hz", "-2 Hz", "3 Hz"]))), &["sources[0].rate[1] is -2", "0 or more"]);
    says(&refusal(source(json!("10 kHz"))), &["it is built"]);
    let input = |rate: &str| {
        json!({"populations": [cell("v : 1", json!({"parameters": {"r": "30 kHz"}}))],
            "sources": [{"name": "s", "type": "poisson_input", "targets": ["E"], "var": "v", "N": 5, "rate": rate, "weight": 1}]})
    };
    says(&refusal(input("r")), &["sources[0].rate is 30000 Hz", "more processes"]);
    says(&refusal(input("-1 Hz")), &["sources[0].rate is -1 Hz"]);
    // What changes while it runs is told with neuron and step.
    says(
        &notices(source(json!("10*Hz*(1 - t/(5*ms)) + 0*Hz*i"))),
        &[
            "sources[0].rate is -0.2 Hz at 5.1 ms (neuron 0, step 51): negative rates count as 0; write max(…, 0*Hz) around it if this is intended",
        ],
    );
    says(
        &notices(source(json!({"timed": [0, 20], "dt": "5 ms", "unit": "kHz"}))),
        &["sources[0].rate is 20000 Hz at 5 ms", "counts as 10000 Hz"],
    );
    assert_eq!(notices(source(json!("10*Hz*(1 + sin(t/ms))"))), "");
}

#[test]
fn times_below_zero_and_beside_the_steps() {
    let resting = |refractory: &str| {
        refusal(
            json!({"populations": [cell("dv/dt = -v/(1*ms) : 1", json!({"threshold": "v > 1", "refractory": refractory, "parameters": {"T": "2 ms"}}))]}),
        )
    };
    says(&resting("-5 ms"), &["populations[0].refractory is `-5 ms`", "0 or more"]);
    says(&resting("T - i*3*ms"), &["populations[0].refractory", "-1 ms"]);
    says(&resting("T"), &["it is built"]);
    let mut short = json!({"populations": [cell("v : 1", json!({"initial": {"v": 0}}))]});
    short["duration_ms"] = json!(5.05);
    says(&notices(short), &["duration_ms is 5.05 ms, which is not a multiple of dt_ms, 0.1"]);
}

#[test]
fn a_network_that_cannot_fire_is_told_so() {
    // Nanoamperes through an ohm.
    let cells = |r: &str, more: Value| {
        let mut cell = cell(
            "dv/dt = (El - v + R*I)/tau : volt",
            json!({"threshold": "v > -50*mV", "reset": "v = El", "initial": {"v": "El"},
                "parameters": {"El": "-70 mV", "tau": "10 ms", "I": "2 nA", "R": r}}),
        );
        cell.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"populations": [cell], "projections": [{"pre": "E", "post": "E", "connect": {"rule": "all"}, "on_pre": "v += 5*mV"}], "duration_ms": 50})
    };
    says(
        &notices(cells("1 ohm", json!({}))),
        &["no neuron fires in all of the 50 ms", "E.v = -70 mV", "increase their input, and check its unit"],
    );
    assert_eq!(notices(cells("15 Mohm", json!({}))), "");
    let mut driven = cells("1 ohm", json!({}));
    driven["sources"] = json!([{"name": "s", "type": "poisson", "size": 1, "rate": "10 Hz"}]);
    assert_eq!(notices(driven), "");
}

#[test]
fn a_variable_without_a_value_is_told_and_can_be_changed() {
    let population = || cell("dv/dt = (D - v)/(10*ms) : 1\nD : 1", json!({}));
    says(
        &notices(json!({"populations": [population()]})),
        &["populations[0].parameters.D is not set, and nothing changes it: `", "`D` stays 0"],
    );
    let mut changed = recorded(population(), &["v"]);
    changed["changes"] = json!([{"at_ms": 1, "set": {"E.D": 1}}]);
    assert_eq!(notices(changed.clone()), "");
    assert!(row(changed.clone(), 10)[0] == 0.0 && row(changed, 30)[0] > 0.1);
}

#[test]
fn names_that_mean_something_elsewhere_are_told_what_they_are() {
    let initial = |v: &str| {
        refusal(
            json!({"populations": [cell("v : 1\ns = 2*v : 1\nu = t/ms : 1", json!({"initial": {"v": v}, "parameters": {"k": 2}}))]}),
        )
    };
    says(&initial("s"), &["the values depend on each other: `v`, `s`", "Set one of them independently"]);
    says(&initial("u"), &["`u` is computed by the equations in every step, and has no value here", "`k`", "`i`, `N`, `dt`"]);
    says(&initial("t/ms"), &["`t` is the time"]);
    says(&initial("N_post"), &["`N_post` is a count that only statements of synapses can use"]);
    says(&initial("inf"), &["`inf` is not a finite number.", "1e30"]);
    let joined = |connect: Value, on_pre: &str| {
        refusal(
            json!({"populations": [cell("v : 1", json!({}))], "projections": [{"pre": "E", "post": "E", "connect": connect, "on_pre": on_pre}]}),
        )
    };
    let condition = |text: &str| joined(json!({"rule": "condition", "condition": text}), "v += 1");
    says(&condition("u_post > 0"), &["`u_post` is not a parameter or variable of", "`i`, `j`"]);
    says(&condition("v > 0"), &["`v` is a name of the neurons"]);
    says(&condition("N_incoming > i"), &["`N_incoming` is a count"]);
    says(&condition("rand() < 0.1"), &["`p` of the rule \"bernoulli\"", "`condition`"]);
    says(&joined(json!({"rule": "scale_free", "n": 2}), "v += 1"), &["at least one of 1 others", "for example 1"]);
    says(
        &joined(json!({"rule": "one_to_one", "n": 2}), "v += 1"),
        &["unknown key `n`", "no other keys are allowed here; remove it"],
    );
    let noise = json!({"populations": [cell("v : 1", json!({}))], "projections": [{"pre": "E", "post": "E", "connect": {"rule": "all"},
        "equations": "dw/dt = -w/(1*ms) + xi/sqrt(ms) : 1 (event-driven)", "on_pre": "v += w"}]});
    says(&refusal(noise), &["only clock-driven equations can have it", "`(clock-driven)`"]);
    says(&refusal(json!({"populations": [cell("dv/dt = (k*v)/ms : 1", json!({"parameters": {"k": "1/mV"}}))]})), &["hertz/volt"]);
}

/// What scripts for Brian 2 say in another way.
#[test]
fn texts_of_brian_2_are_translated() {
    let population = |more: Value| refusal(json!({"populations": [cell("dv/dt = -v/(10*ms) : volt\nI : amp (constant)", more)]}));
    let current = |value: Value| population(json!({"parameters": {"I": value}}));
    let projection = |more: Value| {
        let mut projection = json!({"pre": "E", "post": "E", "connect": {"rule": "all"}, "on_pre": "v += 1*mV"});
        projection.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let population = cell("dv/dt = -v/(10*ms) : volt", json!({"threshold": "v > 1*mV", "reset": "v = 0*mV"}));
        refusal(json!({"populations": [population], "projections": [projection]}))
    };
    let zero = json!({"I": 0});
    for method in ["gsl_rkf45", "gsl"] {
        let parts = ["method", &format!("there is no method `{method}`"), "write `rk4` and", "a smaller `dt_ms`"];
        says(&population(json!({"method": method, "parameters": zero})), &parts);
    }
    says(&current(json!("linspace(0, 1, N)*nA")), &["parameters", "no function `linspace`", "`a + (b - a)*i/(N - 1)`"]);
    says(&current(json!("arange(N)*nA")), &["parameters", "no function `arange`", "`a + step*i`"]);
    says(
        &current(json!(["1 nA", "2 foo"])),
        &["parameters.I", "its element 1, \"2 foo\", is not a value", "`foo` is not defined"],
    );
    says(
        &current(json!(["1 nA", "2 mV"])),
        &["parameters.I", "its element 1, \"2 mV\", is volt, and element 0, \"1 nA\", is amp"],
    );
    says(&projection(json!({"connect": {"i": [0, 1], "j": [1, 1]}})), &["projections[0].connect", "\"pairs\": [[0, 2], [1, 2]]"]);
    says(&projection(json!({"connect": "i != j"})), &["\"i != j\"", "{\"rule\": \"condition\", \"condition\": \"i != j\"}"]);
    says(&projection(json!({"delay": "2 ms"})), &["projections[0]", "`delay`", "did you mean `delay_ms`?"]);
    says(&projection(json!({"model": "w : volt"})), &["projections[0].model is \"w : volt\"", "write equations in `equations`"]);
    let pasted = json!({"name": "E", "size": 2, "model": "dv/dt = -v/(10*ms) : volt", "threshold": "v > 1*mV"});
    says(&refusal(json!({"populations": [pasted]})), &["populations[0].model is \"dv/dt", "write equations in `equations`"]);
    says(&population(json!({"refractory": 5, "parameters": zero})), &["populations[0].refractory is 5", "write \"5 ms\""]);
    says(&population(json!({"N": 100, "parameters": zero})), &["populations[0]", "`N`", "did you mean `size`?"]);
    let source = json!({"name": "s", "type": "poisson", "size": 3, "rates": "5 Hz"});
    says(&refusal(json!({"sources": [source]})), &["sources[0]", "`rates`", "did you mean `rate`?"]);
    let equations = |text: &str, more: Value| refusal(json!({"populations": [cell(text, more)]}));
    says(
        &equations("dv/dt = -v/(10*defaultclock.dt) : 1", json!({})),
        &["populations[0]", "equations, line 1", "`defaultclock.dt` has a point", "Write `dt`."],
    );
    says(&equations("v = np.exp(t/ms) : 1", json!({})), &["Write `exp`."]);
    let flag = json!({"threshold": "v > 1", "reset": "v = 0", "refractory": "5*ms"});
    says(&equations("dv/dt = (1 - v)*int(not_refractory)/ms : 1", flag), &["it is built"]);
    let bare = population(json!({"threshold": "v > -50", "parameters": zero}));
    says(&bare, &["threshold", "`v` is volt, `-50` is a pure number", "Write its unit, for example `-50*mV`."]);
    let reset = population(json!({"threshold": "v > -50*mV", "reset": "v = -70", "parameters": zero}));
    says(&reset, &["reset", "`-70` is a pure number; expected volt", "Write its unit, for example `-70*mV`."]);
}

#[test]
fn a_shared_variable_has_one_value_that_regular_statements_assign() {
    let shared = |more: Value| cell("x : 1 (shared)\ny : 1 (shared)\nk : 1 (shared, constant)\nv : 1\ntau : 1 (constant)", more);
    let runs = |statements: &str| {
        let values = json!({"k": 2, "tau": [1, 2]});
        shared(json!({"parameters": values, "initial": {"x": 1}, "run_regularly": [{"every_ms": 1, "statements": statements}]}))
    };
    let counted = recorded(runs("u = 2*x + k*q; x = u + t/ms; y += x; v += y*tau"), &["x", "y", "v"]);
    let with_q = |mut parts: Value| {
        parts["populations"][0]["parameters"]["q"] = json!(1);
        parts
    };
    assert_eq!(row(with_q(counted.clone()), 0), [4.0, 4.0, 4.0, 4.0, 4.0, 8.0]);
    assert_eq!(row(with_q(counted.clone()), 10), [11.0, 11.0, 15.0, 15.0, 19.0, 38.0]);
    let mut set = with_q(counted);
    set["changes"] = json!([{"at_ms": 0.5, "set": {"E.q": 2}}]);
    assert_eq!(row(set, 10)[0], 13.0);
    let refused = |statements: &str| refusal(json!({"populations": [runs(statements)]}));
    for (statements, why) in [
        ("x = v", "but `v` is a value of each neuron"),
        ("u = v; x = 2*u", "but `u` is a value of each neuron"),
        ("u = k; u = u*tau; x = u", "but `u` is a value of each neuron"),
        ("x = tau", "but `tau` is a value of each neuron"),
        ("x = i", "but `i` is the index of a neuron"),
        ("x = rand()", "but a random number is drawn for each neuron"),
    ] {
        let parts = ["run_regularly[0].statements", "`x` is shared", why, "link it to a population of one neuron"];
        says(&refused(statements), &parts);
    }
    let reset = shared(json!({"parameters": {"k": 2, "tau": 1}, "threshold": "v > 1", "reset": "x = 1"}));
    says(
        &refusal(json!({"populations": [reset]})),
        &["reset", "`x` is declared constant or shared", "in `run_regularly` of the population"],
    );
    let each = shared(json!({"parameters": {"k": 2, "tau": 1}, "initial": {"x": "i"}}));
    says(&refusal(json!({"populations": [each]})), &["populations[0].initial.x is one value per neuron", "declared (shared)"]);
    let driven = cell("dx/dt = -x/ms : 1 (shared)", json!({}));
    says(&refusal(json!({"populations": [driven]})), &["`x` is shared, and an equation is integrated in each neuron"]);
    let arrives = json!({"populations": [shared(json!({"parameters": {"k": 2, "tau": 1}}))],
        "projections": [{"pre": "E", "post": "E", "connect": {"rule": "all"}, "on_pre": "x_post += 1"}]});
    says(&refusal(arrives), &["`x` of the postsynaptic neuron is constant, shared or computed"]);
}

#[test]
fn messages_are_short_and_show_what_a_terminal_would_obey() {
    says(&refusal(json!({"del`y": 1, "populations": []})), &["has an unknown key `del`y`"]);
    let escape = refusal(json!({"populations": [cell("dv/dt = -v/\u{1b}[31mtau : 1", json!({}))]}));
    assert!(!escape.contains('\u{1b}') && escape.contains('␛'), "{escape}");
    let long = "x".repeat(100_000);
    for message in [
        refusal(json!({long.clone(): 1, "populations": []})),
        refusal(json!({"populations": [cell(&format!("dv/dt = -v/{long} : 1"), json!({}))]})),
        refusal(json!({"populations": [cell(&"dv/dt = -v/ta : 1\n".repeat(500), json!({}))]})),
    ] {
        assert!(message.chars().count() < 8000 && message.lines().count() < 60, "{}", &message[..2000]);
    }
}

#[test]
fn all_mistakes_are_found_at_once() {
    let wrong = |name: &str, equations: &str| json!({"name": name, "size": 1, "equations": equations});
    let parts = json!({
        "populations": [wrong("A", "dv/dt = -v/tau_a : 1"), wrong("B", "dv/dt = -v/tau_b : 1"), wrong("C", "v : 1"), {"name": "D", "size": 0}],
        "projections": [
            {"pre": "C", "post": "C", "connect": {"rule": "condition", "condition": "k > 0"}, "on_pre": "v += 1"},
            {"pre": "C", "post": "C", "connect": {"rule": "all"}, "on_pre": "u += 1"}],
        "recordings": [{"object": "C", "var": "w", "indices": [0]}, {"object": "C", "var": "v", "indices": [0], "unit": "mV"}]});
    let found = diagnose(&unchecked(parts).unwrap(), BuildOptions::default());
    let paths: Vec<&str> = found.iter().filter_map(Error::path).collect();
    let expected = [
        "populations[3].size",
        "populations[0]",
        "populations[1]",
        "projections[0].connect",
        "projections[1]",
        "recordings[0].var",
        "recordings[1]",
    ];
    assert_eq!(paths, expected);
}

#[test]
fn a_weight_that_is_clipped_and_driven_may_start_small() {
    let parts = json!({"populations": [cell("g : 1", json!({}))], "sources": [{"name": "s", "size": 1, "spike_times_ms": [[0, 0], [0, 5]]}],
        "projections": [{"pre": "s", "post": "E", "connect": {"rule": "all"}, "equations": "dw/dt = 1/(1*ms) : 1 (clock-driven)",
            "on_pre": "w = clip(w, 0, 3); g += w", "initial": {"w": 1e-10}}],
        "recordings": [{"object": "E", "var": "g", "indices": [0]}]});
    // An event of step 0 finds what a step has made of the weight.
    assert!((row(parts, 60)[0] - 3.1).abs() < 1e-3);
}

#[test]
fn many_exact_equations_are_compiled_as_blocks() {
    let chain = |first: usize, count: usize| -> String {
        let line = |k: usize| format!("dx{k}/dt = (x{} - x{k})/(5*ms) : 1\n", if k == first { first } else { k - 1 });
        (first..first + count).map(line).collect()
    };
    let built = |equations: String, method: Value| {
        let network =
            network(json!({"populations": [cell(&equations, json!({"method": method, "initial": {"x0": 1}}))]})).unwrap();
        Plan::new(&network).map(|plan| (plan.populations[0].program.method, plan.populations[0].program.rules.systems.len()))
    };
    let exact = Some(spikelet::lang::model::Method::Exact);
    // Blocks of ten: as many systems, none larger.
    assert_eq!(built((0..50).map(|block| chain(10 * block, 10)).collect(), json!("exact")).unwrap(), (exact, 50));
    assert_eq!(built(chain(0, 201), Value::Null).unwrap().0, Some(spikelet::lang::model::Method::ExponentialEuler));
    says(
        &built(chain(0, 201), json!("exact")).unwrap_err().to_string(),
        &["201 equations are coupled; the maximum is 200", "`exponential_euler`"],
    );
}
