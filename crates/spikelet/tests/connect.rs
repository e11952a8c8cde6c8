//! Rules and values of synapses before the run, from expressions of a pair of neurons.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use spikelet::{
    Assignment, BuildOptions, Builder, Change, Cpu, EdgePlan, Network, PartSummary, Partition, PerSynapse, Plan, Simulation,
    Storage, expected_synapses,
};

/// Two populations with a label, a height and a gain, and one projection.
fn network(projection: &Value) -> Network {
    let mut of = json!({"name": "EI", "pre": "E", "post": "I", "on_pre": "v_post += w", "parameters": {"w": "1 mV"}});
    of.as_object_mut().unwrap().extend(projection.as_object().unwrap().clone());
    let equations = "dv/dt = -v/tau : volt\nlabel : 1 (constant)\ny : meter\ng : 1\nhalf = g/2 : 1\nnow = g + t/ms : 1\n\
                     slow = half + 1 : 1 (constant over dt)";
    let parameters = json!({"tau": "10 ms", "label": {"expr": "i % 3"}, "g": {"expr": "1 + i"}});
    let population = |name: &str, size: u32| {
        json!({"name": name, "size": size, "equations": equations, "threshold": "v > 20*mV", "reset": "v = 0*mV",
               "parameters": parameters, "initial": {"y": {"expr": "10*um*i"}, "v": {"expr": "i*mV/10"}}})
    };
    let json = json!({"name": "ends", "dt_ms": 0.1, "duration_ms": 5, "populations": [population("E", 40), population("I", 30)],
                      "projections": [of]});
    Network::from_json(&json.to_string()).unwrap_or_else(|error| panic!("{error}"))
}

fn plan(projection: &Value) -> Plan {
    Plan::new(&network(projection)).unwrap_or_else(|error| panic!("{projection}: {error}"))
}

fn refusal(projection: &Value) -> String {
    Plan::new(&network(projection)).expect_err(&projection.to_string()).to_string()
}

fn edges(plan: &Plan) -> Vec<[u32; 2]> {
    let rows = plan.projections[0].rows();
    let row = |(pre, row): (u32, &[u64])| (row[0] as usize..row[1] as usize).map(|at| [pre, rows.target(at)]).collect::<Vec<_>>();
    (0..).zip(rows.offsets.windows(2)).flat_map(row).collect()
}

/// The weight of each synapse in units of its port, or the common one.
fn weights(plan: &Plan) -> Vec<i32> {
    plan.projections[0].writes().flat_map(|(_, write)| write.weights.units().collect::<Vec<_>>()).collect()
}

/// The edges and weights of three ranks, whose neurons are in no order.
fn of_ranks(network: &Network) -> Vec<([u32; 2], i32)> {
    let rank = |neuron: u32| (neuron.wrapping_mul(2_654_435_761) >> 16) % 3;
    let of = |(_, size): (String, u32)| Assignment::Each(Arc::new((0..size).map(rank).collect()));
    let partition = Partition::new(network, 3, Partition::shape(network).into_iter().map(of).collect()).unwrap();
    let part = |rank| Builder::of_part(network, BuildOptions::default(), partition.part(rank)).unwrap();
    let mut builders: Vec<Builder<'_>> = (0..3).map(part).collect();
    let whole = PartSummary::merge(builders.iter_mut().map(|builder| builder.summary().unwrap()).collect::<Vec<_>>());
    let mut all = Vec::new();
    for builder in builders {
        let plan = builder.finish_with(&whole).unwrap();
        let own = plan.own(plan.projections[0].post).clone();
        all.extend(edges(&plan).into_iter().map(|[pre, place]| [pre, own.neuron(place)]).zip(weights(&plan)));
    }
    // The order of synapses between the same neurons is kept.
    all.sort_by_key(|(pair, _)| *pair);
    all
}

#[test]
fn conditions_and_probabilities_read_the_neurons_of_both_ends() {
    let rule = |condition: &str| json!({"connect": {"rule": "condition", "condition": condition}});
    let same = edges(&plan(&rule("label_pre == label_post")));
    assert_eq!(same.len(), 40 * 10);
    assert!(same.iter().all(|[i, j]| i % 3 == j % 3));
    for (text, alike) in [
        ("v_pre < v_post", "i < j"),
        ("half_pre > slow_post - 1", "i > j"),
        ("i < N_post and N_pre == 40", "i < 30"),
        ("abs(y_pre - y_post) < 25*um", "abs(i - j) < 3"),
    ] {
        assert_eq!(edges(&plan(&rule(text))), edges(&plan(&rule(alike))), "{text}");
    }
    let p = |p: &str| edges(&plan(&json!({"connect": {"rule": "bernoulli", "p": p}, "parameters": {"w": "1 mV", "s": "50 um"}})));
    assert_eq!(p("0.5*exp(-abs(y_pre - y_post)/s)"), p("0.5*exp(-abs(10*um*i - 10*um*j)/s)"));
    assert_eq!(p("label_post/N_pre"), p("(j % 3)/40"));
}

#[test]
fn values_and_delays_read_the_neurons_of_both_ends() {
    let with = |w: &str, delay: &str, equations: &str| {
        let mut of =
            json!({"connect": {"rule": "bernoulli", "p": 0.3}, "parameters": {"w": {"expr": w}}, "delay_ms": {"expr": delay}});
        if !equations.is_empty() {
            of["equations"] = json!(equations);
        }
        plan(&of)
    };
    for equations in ["", "w : volt\ndz/dt = -z/(10*ms) : 1 (event-driven)"] {
        let (found, expected) = (
            with("g_pre*half_post*0.01*mV*(1 + rand())", "0.1*ms*label_pre + 0.1*ms", equations),
            // Read from positions that no population has, these are values of the host as well.
            with("(1 + i)*(1 + j)*0.005*mV*(1 + rand()*N/N)", "0.1*ms*(i % 3) + 0.1*ms*N/N", equations),
        );
        assert_eq!(edges(&found), edges(&expected));
        assert_eq!(weights(&found), weights(&expected));
        let delays = |plan: &Plan| (0..edges(plan).len()).map(|at| plan.projections[0].delay(0, at)).collect::<Vec<_>>();
        assert_eq!(delays(&found), delays(&expected));
        assert_eq!(delays(&found).iter().max(), Some(&3));
    }
    // What is the same for all pairs is stored once, and may be drawn again at each spike.
    let shared = plan(&json!({"connect": {"rule": "all"}, "parameters": {"w": "40 mV/N_pre/N_post"}, "storage": "procedural"}));
    let [(_, write)] = shared.projections[0].writes().collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!(write.exact, Some(PerSynapse::Shared(40.0 / 40.0 / 30.0)));
    assert!(matches!(shared.projections[0].edges, EdgePlan::Procedural(_)));
}

#[test]
fn what_has_no_value_before_the_run_is_an_error_with_a_way_out() {
    let condition = |text: &str| refusal(&json!({"connect": {"rule": "condition", "condition": text}}));
    for (found, expected) in [
        (condition("lable_pre == 1"), "`lable_pre` is not a parameter or variable of `E`"),
        (condition("label == 1"), "write it with `_pre` or `_post`"),
        (
            condition("now_post > 1"),
            "`now_post` is computed from random numbers, the time or spikes: set the value as a parameter",
        ),
        (condition("v_pre > g_post"), "volt"),
        (
            refusal(&json!({"connect": {"rule": "all"}, "parameters": {"w": "now_pre*mV"}})),
            "`now_pre` is computed from random numbers",
        ),
        (
            refusal(&json!({"connect": {"rule": "bernoulli", "p": "label_pre/3"}, "storage": "procedural"})),
            "use values of the neurons, which no counter gives when a spike comes; use \"stored\"",
        ),
        (
            refusal(&json!({"connect": {"rule": "all"}, "parameters": {"w": "g_pre*mV"}, "storage": "procedural"})),
            "use \"stored\"",
        ),
        (refusal(&json!({"connect": {"rule": "bernoulli", "p": "g_pre"}})), "2 for i = 1, j = 0"),
    ] {
        assert!(found.contains(expected), "{found}\n{expected}");
    }
}

#[test]
fn synapses_that_read_neurons_are_stored_however_little_memory_there_is() {
    let network = network(&json!({"connect": {"rule": "all"}, "parameters": {"w": {"expr": "g_pre*mV"}}}));
    let free = Plan::new(&network).unwrap();
    let needed = Builder::new(&network, BuildOptions::default()).unwrap().estimate().bytes;
    let tight =
        BuildOptions { storage: Some(Storage::Procedural), memory: Some(2 * needed + 100_000), ..BuildOptions::default() };
    assert_eq!(Builder::new(&network, tight).unwrap().finish().unwrap(), free);
}

#[test]
fn parts_and_expected_synapses_know_the_neurons_of_other_ranks() {
    let network = network(&json!({
        "connect": {"rule": "bernoulli", "p": "0.5*int(label_pre == label_post)"},
        "parameters": {"w": {"expr": "g_pre*half_post*0.01*mV"}}, "delay_ms": {"expr": "0.1*ms*g_pre"}
    }));
    let plan = Plan::new(&network).unwrap();
    assert_eq!(of_ranks(&network), edges(&plan).into_iter().zip(weights(&plan)).collect::<Vec<_>>());
    let expected = expected_synapses(&network).unwrap();
    let mut sum = 0.0;
    (0..40).for_each(|pre| expected[0].row(pre, 1, |_, of_pair| sum += of_pair));
    assert_eq!(sum, 200.0);
}

#[test]
fn a_set_value_is_followed_by_weights_but_not_by_wiring() {
    let weighted = network(&json!({"connect": {"rule": "all"}, "parameters": {"w": {"expr": "half_pre*0.01*mV"}}}));
    let mut simulation = pollster::block_on(Simulation::new(&weighted, Box::new(Cpu::new(1)))).unwrap();
    pollster::block_on(simulation.set("E.g", "{\"expr\": \"2 + i\"}")).unwrap();
    let mut changed = weighted.clone();
    changed.set("E.g", "{\"expr\": \"2 + i\"}").unwrap();
    let built = Plan::new(&changed).unwrap();
    let [found, expected] = [simulation.plan(), &built].map(|plan| {
        let shift = plan.populations[1].ports[0].shift;
        weights(plan).iter().map(|units| f64::from(*units) / 2f64.powi(shift)).collect::<Vec<_>>()
    });
    assert!(found.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-6 * expected), "{found:?}");

    let wired = network(
        &json!({"connect": {"rule": "condition", "condition": "label_pre == a"}, "parameters": {"w": "1 mV", "a": "2*k", "k": "N_post/30"}}),
    );
    let mut simulation = pollster::block_on(Simulation::new(&wired, Box::new(Cpu::new(1)))).unwrap();
    let error = pollster::block_on(simulation.set("E.label", "{\"expr\": \"(i + 1) % 3\"}")).unwrap_err().to_string();
    assert!(error.contains("connectivity cannot change during a run"), "{error}");
    // The same value connects the same neurons, and other values of these neurons are free.
    pollster::block_on(simulation.set("E.label", "{\"expr\": \"i % 3 + 0*i\"}")).unwrap();
    pollster::block_on(simulation.set("E.tau", "12 ms")).unwrap();

    let mut later = wired.clone();
    later.changes = vec![Change { at_ms: 1.0, set: [("E.label".to_owned(), 1.0.into())].into_iter().collect() }];
    let error = Plan::new(&later).unwrap_err().to_string();
    assert!(error.contains("`EI` connects neurons by it, and connectivity cannot change during a run"), "{error}");
}

/// How many synapses each pair has.
fn of_pairs(plan: &Plan) -> std::collections::BTreeMap<[u32; 2], usize> {
    let mut counts = std::collections::BTreeMap::new();
    edges(plan).into_iter().for_each(|pair| *counts.entry(pair).or_default() += 1);
    counts
}

#[test]
fn each_pair_has_its_number_of_synapses_with_their_own_values() {
    for connect in [
        json!({"rule": "all"}),
        json!({"rule": "bernoulli", "p": 0.4}),
        json!({"rule": "condition", "condition": "i % 2 == 0"}),
        json!({"rule": "fixed_indegree", "n": 5, "multapses": false}),
        json!({"rule": "fixed_outdegree", "n": 5, "multapses": false}),
        json!({"rule": "fixed_total", "n": 77, "multapses": false}),
        json!({"rule": "power_law", "n": 300, "gamma_out": 2.5, "gamma_in": 2.5}),
    ] {
        let single = of_pairs(&plan(&json!({"connect": connect})));
        for (number, of) in [
            (json!(3), (|_, _| 3) as fn(u32, u32) -> usize),
            (json!("i"), |i, _| i as usize),
            (json!("int(label_pre == label_post)*(1 + j % 2)"), |i, j| if i % 3 == j % 3 { 1 + j as usize % 2 } else { 0 }),
        ] {
            let found = of_pairs(&plan(&json!({"connect": connect, "synapses_per_pair": number})));
            let expected =
                single.iter().map(|(pair, count)| (*pair, count * of(pair[0], pair[1]))).filter(|(_, count)| *count > 0);
            assert_eq!(found, expected.collect(), "{connect}, {number}");
        }
    }
    let of = json!({"connect": {"rule": "all"}, "synapses_per_pair": 4, "parameters": {"w": "uniform(1 mV, 2 mV)"}, "delay_ms": "uniform(0 ms, 3 ms)"});
    let drawn = plan(&of);
    let weights = weights(&drawn);
    assert_eq!(weights.len(), 4 * 40 * 30);
    assert!(weights.chunks(4).all(|pair| (1..4).all(|copy| pair[copy] != pair[copy - 1])));
    assert!((0..1200).any(|pair| {
        (1..4).any(|copy| drawn.projections[0].delay(0, 4 * pair) != drawn.projections[0].delay(0, 4 * pair + copy))
    }));
    // The first synapse of a pair is the one of a pair with one synapse.
    let mut one = of.clone();
    one["synapses_per_pair"] = json!(1);
    let (one, four) = (plan(&one), &drawn);
    assert!((0..1200).all(|pair| one.projections[0].delay(0, pair) == four.projections[0].delay(0, 4 * pair)));
    assert!(of_ranks(&network(&of)) == edges(&drawn).into_iter().zip(weights).collect::<Vec<_>>());
}

#[test]
fn caps_estimates_and_expectations_count_synapses() {
    let of = json!({"connect": {"rule": "all"}, "synapses_per_pair": "1 + j % 3", "max_outdegree": 20});
    let capped = plan(&of);
    assert!(capped.projections[0].degrees.outgoing.iter().all(|degree| *degree == 20));
    assert_eq!(capped.projections[0].degrees.dropped, 40 * (60 - 20));
    for (rule, expected) in [
        (json!({"rule": "all"}), 2400.0),
        (json!({"rule": "bernoulli", "p": 0.5}), 1200.0),
        (json!({"rule": "condition", "condition": "i < 20"}), 1200.0),
        (json!({"rule": "fixed_indegree", "n": 2}), 120.0),
    ] {
        let network = network(&json!({"connect": rule, "synapses_per_pair": "1 + j % 3"}));
        let estimate = Builder::new(&network, BuildOptions::default()).unwrap().estimate().synapses();
        assert!((estimate - expected).abs() < 1e-6 * expected, "{rule}: {estimate}");
        let parts = expected_synapses(&network).unwrap();
        let sum: f64 = (0..30).map(|post| parts[0].incoming(post, 1)).sum();
        assert!((sum - expected).abs() < 1e-6 * expected, "{rule}: {sum}");
    }
}

#[test]
fn wrong_numbers_of_synapses_name_the_value_and_the_pair() {
    let rule = json!({"rule": "all"});
    for (number, expected) in [
        (json!("i - 5"), "projections[0].synapses_per_pair is -5 for i = 0, j = 0"),
        (json!("j/2"), "projections[0].synapses_per_pair is 0.5 for i = 0, j = 1"),
        (json!("1e6"), "65535"),
        (json!("g"), "write it with `_pre` or `_post`"),
        (json!("i*mV"), "`i*mV` is"),
    ] {
        let found = refusal(&json!({"connect": rule, "synapses_per_pair": number}));
        assert!(found.contains(expected), "{found}\n{expected}");
    }
    let refused = |of: Value| {
        let mut text: Value = serde_json::from_str(&network(&json!({"connect": rule})).to_json()).unwrap();
        of.as_object().unwrap().iter().for_each(|(key, value)| text["projections"][0][key] = value.clone());
        Network::from_json(&text.to_string()).expect_err("it is rejected").to_string()
    };
    for (number, expected) in [
        (json!(0), "a whole number from 1 to 65535"),
        (json!(-1), "synapses_per_pair is -1"),
        (json!(1.5), "synapses_per_pair is 1.5"),
        (json!([1, 2]), "one number, or an expression of the pair"),
    ] {
        let found = refused(json!({"synapses_per_pair": number}));
        assert!(found.contains(expected), "{found}");
    }
    let found = refused(json!({"synapses_per_pair": 2, "connect": null, "pairs": [[0, 1]]}));
    assert!(found.contains("list a pair several times"), "{found}");
    let found = refusal(&json!({"connect": rule, "synapses_per_pair": 2, "storage": "procedural"}));
    assert!(found.contains("no counter gives several synapses of a pair; use \"stored\""), "{found}");
}

/// The edges of a generator by loops: `first`, `end` and `step` of each neuron, the index of a value, and whether it is kept.
fn naive(
    neurons: [u32; 2],
    limits: impl Fn(i64) -> [i64; 3],
    index: impl Fn(i64, i64) -> i64,
    keeps: impl Fn(i64, i64) -> bool,
) -> Vec<[u32; 2]> {
    let mut all = Vec::new();
    for own in 0..i64::from(neurons[0]) {
        let [mut value, end, step] = limits(own);
        while if step > 0 { value < end } else { value > end } {
            let other = index(own, value);
            if keeps(own, value) && (0..i64::from(neurons[1])).contains(&other) {
                all.push([own as u32, other as u32]);
            }
            value += step;
        }
    }
    all
}

fn sorted(mut edges: Vec<[u32; 2]>, is_turned: bool) -> Vec<[u32; 2]> {
    edges.iter_mut().filter(|_| is_turned).for_each(|edge| edge.swap(0, 1));
    edges.sort_unstable();
    edges
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn generators_are_loops(
        (a, b, c) in (-5_i64..5, -9_i64..9, -9_i64..9),
        step in prop_oneof![-4_i64..0, 1_i64..5],
        (scale, shift) in (-2_i64..3, -10_i64..20),
        modulus in 1_i64..5,
        of_sources in any::<bool>(),
    ) {
        let (own, other) = if of_sources { ("j", "i") } else { ("i", "j") };
        let text = format!("({scale})*k + {shift} for k in range({a}*{own} + ({b}), {own} + ({c}), {step}) if k % {modulus} == 0 or {own} == 3");
        let found = edges(&plan(&json!({"connect": {"rule": "generator", other: text, "skip_if_invalid": true}})));
        let sizes = if of_sources { [30, 40] } else { [40, 30] };
        let expected = naive(
            sizes,
            |own| [a * own + b, own + c, step],
            |_, k| scale * k + shift,
            |own, k| k.rem_euclid(modulus) == 0 || own == 3,
        );
        prop_assert_eq!(found, sorted(expected, of_sources), "{}", text);
    }
}

#[test]
fn generators_of_brian_are_read_as_they_are() {
    let with = |key: &str, text: &str, skip: bool| {
        edges(&plan(&json!({"connect": {"rule": "generator", key: text, "skip_if_invalid": skip}})))
    };
    let near = sorted(naive([40, 30], |i| [i - 3, i + 4, 1], |_, k| k, |i, k| i != k), false);
    assert_eq!(with("j", "k for k in range(i-3, i+4) if i != k", true), near);
    assert_eq!(with("j", "k for k in range(i-3, i+4) if i != k and k >= 0 and k < N_post", false), near);
    assert_eq!(with("j", "i", true), (0..30).map(|i| [i, i]).collect::<Vec<_>>());
    assert_eq!(with("j", "int(i/10)", false), (0..40).map(|i| [i, i / 10]).collect::<Vec<_>>());
    assert_eq!(with("i", "j + 10", false), (0..30).map(|j| [j + 10, j]).collect::<Vec<_>>());
    assert_eq!(with("j", "i + 1 if i < 29", false), (0..29).map(|i| [i, i + 1]).collect::<Vec<_>>());
    // The condition knows the generated neuron and its values; a repeated index is a synapse more.
    let same = |i: i64, k: i64| i % 3 == k % 3;
    assert_eq!(
        with("j", "k for k in range(N_post) if label_pre == label_post", false),
        naive([40, 30], |_| [0, 30, 1], |_, k| k, same)
    );
    assert_eq!(
        with("j", "k for k in range(100) if label_pre == label_post", true),
        naive([40, 30], |_| [0, 30, 1], |_, k| k, same)
    );
    assert_eq!(with("j", "int(k/3) for k in range(6)", false).len(), 40 * 6);
    assert_eq!(with("i", "int(label_post)", false), sorted((0..30).map(|j| [j % 3, j]).collect(), false));

    let slice = plan(
        &json!({"pre": "E[5:10]", "post": "I[20:30]", "connect": {"rule": "generator", "j": "2*i + 10", "skip_if_invalid": true}}),
    );
    let rows = slice.projections[0].rows();
    let row = |row: usize| rows.row(row).map(|at| rows.target(at)).collect::<Vec<_>>();
    assert_eq!((0..5).map(row).collect::<Vec<_>>(), [vec![20], vec![22], vec![24], vec![26], vec![28]]);
}

#[test]
fn samples_have_their_size_or_probability() {
    let with = |key: &str, text: &str| edges(&plan(&json!({"connect": {"rule": "generator", key: text}})));
    for key in ["i", "j"] {
        let (own, count) = if key == "j" { (40, 30) } else { (30, 40) };
        let half = with(key, &format!("k for k in sample({count}, p=0.5)"));
        assert!((500..700).contains(&half.len()), "{}", half.len());
        assert_eq!(half, sorted(half.clone(), false));
        assert!(half.windows(2).all(|pair| pair[0] != pair[1]));
        let five = with(key, &format!("k for k in sample(1, {count}, 2, size=5)"));
        assert_eq!(five.len(), 5 * own);
        let mut degrees = std::collections::BTreeMap::new();
        for edge in &five {
            let [own, other] = if key == "j" { *edge } else { [edge[1], edge[0]] };
            assert_eq!(other % 2, 1);
            *degrees.entry(own).or_insert(0) += 1;
        }
        assert!(degrees.values().all(|degree| *degree == 5));
        assert!(five.windows(2).all(|pair| pair[0] != pair[1]));
        let of = json!({"connect": {"rule": "generator", key: format!("k for k in sample({count}, p=0.2)")}, "parameters": {"w": "uniform(1 mV, 2 mV)"},
                        "synapses_per_pair": 2, "max_outdegree": 9});
        let network = network(&of);
        let whole = Plan::new(&network).unwrap();
        assert!(of_ranks(&network) == edges(&whole).into_iter().zip(weights(&whole)).collect::<Vec<_>>());
    }
    // A condition does not change what is drawn.
    let (all, some) = (with("j", "k for k in sample(30, p=0.3)"), with("j", "k for k in sample(30, p=0.3) if k > i"));
    assert_eq!(all.into_iter().filter(|[i, j]| j > i).collect::<Vec<_>>(), some);
}

#[test]
fn wrong_generators_name_the_place_and_the_neuron() {
    let with = |connect: Value| {
        let mut connect = connect;
        connect["rule"] = json!("generator");
        refusal(&json!({"connect": connect}))
    };
    for (key, text, expected) in [
        (
            "j",
            "k for k in range(i, i + 2)",
            "projections[0].connect.j is j = 30 for i = 29, but the postsynaptic neurons are 0 to 29",
        ),
        ("i", "j - 1", "projections[0].connect.i is i = -1 for j = 0, but the presynaptic neurons are 0 to 39"),
        ("j", "i/10", "j = 0.1 for i = 1, but an index must be a whole number"),
        ("j", "k for k in range(i/2)", "whole numbers are expected"),
        ("j", "k for k in range(0, 10, i)", "a step of 0 for i = 0"),
        ("j", "k for k in sample(10, p=i)", "p = 2 for i = 2"),
        ("j", "k for k in sample(10, size=11)", "a sample of 10 values has 0 to 10 of them"),
        ("j", "k for k in list(3)", "`range(…)` or `sample(…)`"),
        ("j", "k for k in range(n)", "`n` is not defined"),
        ("j", "k for k in range(k)", "`k` is the name of the values"),
        ("j", "k for k in range(j)", "only the condition after `if` knows the generated `j`"),
        ("j", "k for i in range(3)", "`i` has a meaning already"),
        ("j", "k for k in range(3) if k", "expected a condition"),
        ("j", "k*mV for k in range(3)", "expected a pure number"),
    ] {
        let found = with(json!({key: text}));
        assert!(found.contains(expected), "{text}: {found}");
    }
    let json = |connect: Value| {
        let mut text: Value = serde_json::from_str(&network(&json!({"connect": {"rule": "all"}})).to_json()).unwrap();
        text["projections"][0]["connect"] = connect;
        Network::from_json(&text.to_string()).expect_err("it is rejected").to_string()
    };
    assert!(json(json!({"rule": "generator"})).contains("neither `i` nor `j`"));
    assert!(json(json!({"rule": "generator", "i": "j", "j": "i"})).contains("both `i` and `j`"));
    let procedural =
        refusal(&json!({"connect": {"rule": "generator", "j": "i", "skip_if_invalid": true}, "storage": "procedural"}));
    assert!(procedural.contains("use \"stored\""), "{procedural}");
}

#[test]
fn estimates_and_expectations_know_generators() {
    for of in
        [json!({"rule": "generator", "j": "k for k in range(10)"}), json!({"rule": "generator", "i": "k for k in range(10)"})]
    {
        let network = network(&json!({"connect": of, "synapses_per_pair": 2}));
        let synapses = Plan::new(&network).unwrap().synapses() as f64;
        let estimate = Builder::new(&network, BuildOptions::default()).unwrap().estimate().synapses();
        assert!((estimate - synapses).abs() < 1e-6 * synapses, "{of}: {estimate}");
        let parts = expected_synapses(&network).unwrap();
        let sum: f64 = (0..30).map(|post| parts[0].incoming(post, 1)).sum();
        assert!((sum - synapses).abs() < 1e-6 * synapses, "{of}: {sum}");
    }
}
