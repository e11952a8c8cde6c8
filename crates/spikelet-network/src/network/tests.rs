use proptest::prelude::*;

use super::*;
use crate::connectors::{All, Bernoulli, FixedIndegree, FixedOutdegree, FixedTotal};

mod closures;
mod connectome;
mod inputs;
mod surrogates;

/// A small network with everything in it; tests replace parts of its text.
const TEXT: &str = r#"{
  "format": 1,
  "name": "two",
  "dt_ms": 0.1,
  "duration_ms": 100,
  "seed": 7,
  "populations": [
    {"name": "E", "size": 80, "model": "lif_exp", "parameters": {"taum": "20 ms", "El": -49},
     "initial": {"v": {"expr": "-60*mV + rand()*10*mV"}, "ge": 0}},
    {"name": "I", "size": 20, "equations": "dv/dt = -v/tau : volt", "threshold": "v > 1*mV", "reset": "v = 0*mV",
     "refractory": null, "method": "exact", "parameters": {"tau": {"values": [1, 2], "unit": "ms"}}}
  ],
  "projections": [
    {"pre": "E", "post": "E[0:40]", "connect": {"rule": "bernoulli", "p": 0.02}, "on_pre": "ge_post += we",
     "parameters": {"we": "1.62 mV"}, "delay_ms": 0.1},
    {"pre": "E[:20]", "post": "I", "connect": {"rule": "one_to_one"}, "on_pre": "v_post += 1*mV"},
    {"name": "IE", "pre": "I", "post": "E", "pairs": [[0, 0], [19, 79]], "on_pre": "gi_post -= w",
     "equations": "w : volt", "initial": {"w": {"values": [1, 2], "unit": "mV"}}, "delay_ms": [1, 2.5]}
  ],
  "recordings": [{"object": "E", "var": "v", "indices": [0, 79], "unit": "mV"}]
}"#;

/// 0.95 ms are 9.499999999999998 steps of 0.1 ms (rule 1.3 of docs/language.md).
#[test]
fn half_a_step_is_the_next_one_in_all_times_that_are_rounded() {
    let text = text().replace(r#""duration_ms": 100"#, r#""duration_ms": 0.95"#);
    let mut network = Network::from_json(&text).unwrap();
    network
        .add_change(Change { at_ms: 0.95, set: [("E.El".to_owned(), Quantity::Number(-50.0))].into_iter().collect() })
        .unwrap();
    network.add_stop("rate(0.95 ms) > 100 Hz").unwrap();
    let window = network.stop_conditions().unwrap()[0].window_steps(network.dt_ms);
    assert_eq!((network.steps(), network.schedule()[0].step, window, nearest_step(0.95 / 0.1)), (10.0, 10, 10, 10.0));
}

fn text() -> String {
    TEXT.replace(r#""values": [1, 2], "unit": "ms""#, r#""expr": "(1 + i)*ms""#)
}

fn network() -> Network {
    Network::from_json(&text()).unwrap()
}

/// What a change of the text makes of it, as a sentence.
fn refusal(from: &str, to: &str) -> String {
    let good = text();
    assert!(good.contains(from), "{from}");
    let error = Network::from_json(&good.replacen(from, to, 1)).expect_err(to);
    assert!(error.is_bad_input());
    error.to_string()
}

/// Changes the text and compares the sentence; all that differ are shown at once.
fn check(cases: &[(&str, &str, &str)], agrees: fn(&str, &str) -> bool) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|&(from, to, expected)| (to, refusal(from, to), expected))
        .filter(|(_, message, expected)| !agrees(message, expected))
        .map(|(to, message, expected)| format!("{to}\n     got: {message}\nexpected: {expected}\n"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_network_is_read() {
    let network = network();
    assert_eq!(network.neurons(), 100);
    assert_eq!(network.populations[0].parameters["El"], Quantity::Number(-49.0));
    assert_eq!(network.populations[0].initial.keys().collect::<Vec<_>>(), ["v", "ge"]);
    assert_eq!(network.populations[1].refractory, None);
    let names: Vec<_> = network.projections.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["E_E", "E_I", "IE"]);
    assert_eq!(network.projections[1].pre.range(80), 0..20);
    assert_eq!(network.projections[0].delay_ms, 0.1.into());
    assert_eq!(network.projections[2].delay_ms.of("pre"), &Quantity::Values { values: vec![1.0, 2.5], unit: None });
    assert_eq!(network.projections[2].rule(), Rule::Pairs([[0, 0], [19, 79]].as_slice().into()));
}

#[test]
fn generated_names_do_not_collide() {
    let twice = text().replace(r#""name": "IE", "pre": "I", "post": "E""#, r#""pre": "E", "post": "E""#);
    let twice = twice.replace("[19, 79]", "[20, 79]");
    let names: Vec<_> = Network::from_json(&twice).unwrap().projections.into_iter().map(|p| p.name).collect();
    assert_eq!(names, ["E_E", "E_I", "E_E_2"]);
}

/// serde's own sentences are read in `json.rs`: this fails when a new version words them differently.
#[test]
fn unreadable_texts_are_refused_with_place_and_way_out() {
    let cases = [
        // Malformed.
        (r#""dt_ms": 0.1,"#, r#""dt_ms": 0.1"#, "line 5, column 3: the JSON is malformed: expected `,` or `}`"),
        ("0.1,", "NaN,", "line 4, column 12: the JSON is malformed: NaN is not a finite number; write a finite one"),
        ("0.1,", "1e999,", "line 4, column 16: the JSON is malformed: the number is too large; write a smaller one"),
        ("0.1,", "-Infinity,", "Infinity is not a finite number"),
        ("null", "None", "None is not JSON; write null"),
        ("null", "…None", "the JSON is malformed: expected value"),
        ("\"seed\": 7,", "// once\n\"seed\": 7,", "JSON has no comments, remove this one"),
        // Unknown keys, variants.
        ("\"size\": 20", "\"sizes\": 20", "populations[1] (line 10) has an unknown key `sizes`; did you mean `size`?"),
        ("\"size\": 20", "\"N\": 20", "populations[1] (line 10) has an unknown key `N`; did you mean `size`?"),
        (
            "\"seed\": 7",
            "\"citation\": 7",
            "the network (line 6) has an unknown key `citation`; the valid keys are `format`, `name`,",
        ),
        ("\"expr\": \"-60", "\"exp\": \"-60", "populations[0].initial.v (line 9) has an unknown key `exp`; did you mean `expr`?"),
        ("\"p\": 0.02", "\"q\": 0.02", "projections[0].connect (line 14) has an unknown key `q`;"),
        (
            "\"bernoulli\"",
            "\"bernouli\"",
            "projections[0].connect.rule is \"bernouli\", but it must be one of all, condition, one_to_one, bernoulli, fixed_indegree, fixed_outdegree, fixed_total, gaussian, exponential, disc, box, blockwise, small_world, scale_free, power_law, generator; did you mean \"bernoulli\" (line 14,",
        ),
        // Wrong types and values.
        (
            "\"size\": 80",
            "\"size\": -80",
            "populations[0].size is -80, but a whole number from 0 to 4294967295 is expected; correct it at line 8, column",
        ),
        ("\"size\": 80", "\"size\": 80.5", "populations[0].size is 80.5, but a whole number"),
        ("\"size\": 80", "\"size\": \"many\"", "populations[0].size is \"many\", but a whole number"),
        ("\"dt_ms\": 0.1", "\"dt_ms\": \"0.1 ms\"", "dt_ms is \"0.1 ms\", but a number is expected"),
        ("\"dt_ms\": 0.1", "\"dt_ms\": null", "dt_ms is null, but a number is expected"),
        ("\"lif_exp\"", "[1]", "populations[0].model is a list, but a text in quotes is expected"),
        ("\"20 ms\"", "true", "populations[0].parameters.taum is true, but a number, a text such as \"20 ms\", a list"),
        ("\"20 ms\"", "{\"unit\": \"ms\"}", "populations[0].parameters.taum is an object, but a number, a text such as"),
        ("\"20 ms\"", "[1, \"2\"]", "either all numbers of a list have a unit, as in [\"10 ms\", \"20 ms\"], or none"),
        (
            "{\"name\": \"I\"",
            "{}, {\"name\": \"I\"",
            "populations[1] (line 10) lacks the key `name`; add it, as in \"name\": \"E\"",
        ),
        ("\"size\": 80, ", "", "populations[0] (line 9) lacks the key `size`; add it, as in \"size\": 1000"),
        ("\"dt_ms\": 0.1,", "", "the network (line 21) lacks the key `dt_ms`; add it, as in \"dt_ms\": 0.1"),
        (
            "{\"rule\": \"one_to_one\"}",
            "\"j = i\"",
            "projections[1].connect is \"j = i\", but a rule such as {\"rule\": \"all\"} or {",
        ),
        ("[19, 79]", "[19]", "projections[2].pairs[1] is a list of 1, but a list of two whole numbers is expected"),
        ("[19, 79]", "[19, -1]", "projections[2].pairs[1][1] is -1, but a whole number"),
        (
            "\"E[0:40]\"",
            "\"E[40]\"",
            "projections[0].post is \"E[40]\", but a population such as \"E\", a slice such as \"E[0:800]\", or a condition such as \"E[type == 'KC']\" is expected; correct it at line 14, column",
        ),
        ("\"seed\": 7", "\"seed\": 7, \"seed\": 8", "seed is given twice, but a key must be unique; remove one (line 6,"),
        ("\"El\": -49", "\"taum\": -49", "populations[0].parameters.taum is given twice, but a key must be unique"),
        (
            "\"p\": 0.02",
            "\"n\": 2",
            "projections[0].connect (line 14) has an unknown key `n`; the valid keys are `p`, `condition`, `autapses`",
        ),
        (", \"p\": 0.02", "", "projections[0].connect (line 14) lacks the key `p`; add it, as in"),
    ];
    check(&cases, |message, expected| message.contains(expected));
    let message = Network::from_json(&format!("{} x", text())).unwrap_err().to_string();
    assert!(message.starts_with("line 21, column 3: the JSON is malformed: trailing characters"), "{message}");
    let message = Network::from_json("3").unwrap_err().to_string();
    assert!(message.starts_with("the network is 3, but an object in braces is expected"), "{message}");
    let message = Network::from_json("").unwrap_err().to_string();
    assert!(message.contains("line 1, column 0: the JSON is malformed: EOF"), "{message}");
}

#[test]
fn impossible_networks_are_refused_with_values_and_way_out() {
    let cases = [
        ("\"format\": 1", "\"format\": 2", "format is 2, but this version reads format 1;"),
        (
            "\"dt_ms\": 0.1",
            "\"dt_ms\": 0",
            "dt_ms is 0, but a time step must be a finite number of milliseconds above 0; for example 0.1",
        ),
        ("\"dt_ms\": 0.1", "\"dt_ms\": -0.5", "dt_ms is -0.5, but"),
        (
            "\"post\": \"E[0:40]\"",
            "\"post\": \"IE\"",
            "projections[0].post is \"IE\", but it is a projection, and synapses have no synapses of their own; name the population that acts on its synapses",
        ),
        ("\"duration_ms\": 100", "\"duration_ms\": -1", "duration_ms is -1, but a duration"),
        ("\"size\": 20", "\"size\": 0", "populations[1].size is 0, but a population needs at least one neuron; write 1 or more"),
        (
            "\"size\": 20",
            "\"size\": 4294967295",
            "populations is 4294967375, but all populations and sources together can have at most 4294967295 neurons",
        ),
        (
            "\"name\": \"I\"",
            "\"name\": \"E\"",
            "populations[1].name is \"E\", but populations[0].name already has this name, and names must be unique",
        ),
        (
            "\"name\": \"IE\"",
            "\"name\": \"I\"",
            "projections[2].name is \"I\", but populations[1].name already has this name, and names must be unique",
        ),
        (
            "\"name\": \"I\"",
            "\"name\": \"a.b\"",
            "populations[1].name is \"a.b\", but a name is an identifier without spaces and without . : = [ ]",
        ),
        (
            "\"model\": \"lif_exp\",",
            "",
            "populations[0] is without neurons' equations, but a population needs a `model`, `equations`, or both;",
        ),
        (
            "\"model\": \"lif_exp\"",
            "\"model\": \"lif_exp\", \"reset\": \"v = 0\"",
            "populations[0].reset is \"v = 0\", but a library model defines this itself",
        ),
        ("\"post\": \"I\"", "\"post\": \"II\"", "projections[1].post: there is no population `II`; did you mean `I`?"),
        (
            "\"pre\": \"E[:20]\"",
            "\"pre\": \"input[:20]\"",
            "projections[1].pre: there is no population `input`; there are `E`, `I`",
        ),
        (
            "E[0:40]",
            "E[0:81]",
            "projections[0].post is \"E[0:81]\", but E has neurons 0 to 79; use a slice within this range, such as E[0:80]",
        ),
        ("E[0:40]", "E[40:40]", "projections[0].post is \"E[40:40]\", but"),
        ("E[0:40]", "E[50:40]", "projections[0].post is \"E[50:40]\", but"),
        (
            "E[:20]",
            "E[:19]",
            "projections[1].connect is one_to_one from 19 to 20 neurons, but both sides must have the same number",
        ),
        ("0.02", "1.5", "projections[0].connect.p is 1.5, but a probability is between 0 and 1"),
        ("0.02", "-0.5", "projections[0].connect.p is -0.5, but"),
        (
            "\"bernoulli\", \"p\": 0.02",
            "\"fixed_indegree\", \"n\": 2, \"pre_range\": [70, 90]",
            "projections[0].connect.pre_range is [70, 90], but the presynaptic neurons are 0 to 79; use a part of [0, 80]",
        ),
        (
            "\"bernoulli\", \"p\": 0.02",
            "\"fixed_indegree\", \"n\": 2, \"pre_range\": [7, 8], \"autapses\": false",
            "projections[0].connect.autapses is false, but neuron 7 has no other",
        ),
        (
            "[19, 79]",
            "[19, 80]",
            "projections[2].pairs[1] is [19, 80], but the postsynaptic neurons are 0 to 79; its postsynaptic index 80",
        ),
        (
            "[19, 79]",
            "[20, 79]",
            "projections[2].pairs[1] is [20, 79], but the presynaptic neurons are 0 to 19; its presynaptic index 20",
        ),
        (
            "\"pairs\"",
            "\"connect\": {\"rule\": \"all\"}, \"pairs\"",
            "projections[2] is joined twice, but a projection needs either `connect` or `pairs`",
        ),
        (
            "\"connect\": {\"rule\": \"one_to_one\"},",
            "",
            "projections[1] is not joined, but a projection needs either `connect` or `pairs`",
        ),
        (", \"on_pre\": \"v_post += 1*mV\"", "", "projections[1] lacks the key `on_pre`"),
        ("\"delay_ms\": 0.1", "\"delay_ms\": -0.1", "projections[0].delay_ms is -0.1, but a delay cannot be negative"),
        ("[1, 2.5]", "[1, -2.5]", "projections[2].delay_ms[1] is -2.5, but a delay cannot be negative"),
        (
            "[1, 2.5]",
            "[1, 2.5, 3]",
            "projections[2].delay_ms is a list of 3 numbers, but there are 2 pairs; give one value for each",
        ),
        (
            "\"delay_ms\": 0.1",
            "\"delay_ms\": [0.1]",
            "projections[0].delay_ms is a list of 1 numbers, but a list of values needs `pairs`, because a rule determines the synapses itself",
        ),
        (
            "\"expr\": \"(1 + i)*ms\"",
            "\"values\": [1, 2], \"unit\": \"ms\"",
            "populations[1].parameters.tau is a list of 2 numbers in ms, but there are 20 neurons",
        ),
        (
            "\"object\": \"E\"",
            "\"object\": \"EE\"",
            "recordings[0].object: there is no population or projection `EE`; did you mean `E`?",
        ),
        ("[0, 79]", "[0, 80]", "recordings[0].indices[1] is 80, but E has neurons 0 to 79"),
    ];
    check(&cases, |message, expected| message.starts_with(expected));
}

#[test]
fn numbers_that_are_not_finite_are_refused_wherever_they_come_from() {
    let spoiled: [fn(&mut Network); 4] = [
        |n| n.dt_ms = f64::NAN,
        |n| n.duration_ms = f64::INFINITY,
        |n| n.populations[0].parameters["El"] = f64::NAN.into(),
        |n| n.projections[0].connect = Some(Connector::bernoulli(f64::NAN)),
    ];
    for spoil in spoiled {
        let mut network = network();
        spoil(&mut network);
        let message = network.validate().unwrap_err().to_string();
        assert!(message.contains("NaN") || message.contains("inf"), "{message}");
    }
}

#[test]
fn values_are_set_by_path() {
    let mut network = network();
    for (path, value) in [
        ("dt_ms", "0.05"),
        ("duration_ms", "10"),
        ("seed", "18446744073709551615"),
        ("E.taum", "15 ms"),
        ("E.v", "-50*mV"),
        ("E.ge", "{\"expr\": \"rand()*mV\"}"),
        ("E.Vt", "-40"),
        ("E.size", "90"),
        ("E_E.p", "0.5"),
        ("E_E.delay_ms", "2"),
        ("IE.w", "[3, 4]"),
    ] {
        network.set(path, value).unwrap();
    }
    assert_eq!((network.dt_ms, network.duration_ms, network.seed), (0.05, 10.0, u64::MAX));
    let excitatory = &network.populations[0];
    assert_eq!(excitatory.size, 90);
    assert_eq!(excitatory.parameters["taum"], "15 ms".into());
    assert_eq!(excitatory.parameters["Vt"], (-40.0).into());
    assert_eq!(excitatory.initial["v"], "-50*mV".into());
    assert_eq!(excitatory.initial["ge"], Quantity::expr("rand()*mV"));
    assert_eq!(network.projections[0].connect, Some(Connector::bernoulli(0.5)));
    assert_eq!(network.projections[0].delay_ms, 2.0.into());
    assert_eq!(network.projections[2].initial["w"], Quantity::Values { values: vec![3.0, 4.0], unit: None });
}

#[test]
fn a_refused_setting_leaves_the_network_as_it_was() {
    let mut network = network();
    let before = network.clone();
    for (path, value, expected) in [
        ("X.taum", "1", "there is no population, source or projection `X`; "),
        ("dtms", "1", "there is no setting `dtms`; did you mean `dt_ms`?"),
        ("dt_ms", "fast", "dt_ms is \"fast\", but a number of milliseconds is expected"),
        ("dt_ms", "-1", "dt_ms is -1, but a time step"),
        ("seed", "0.5", "seed is \"0.5\", but a whole number is expected"),
        ("E.size", "0", "populations[0].size is 0, but"),
        ("E.size", "5000000000", "E.size is 5000000000, but the maximum is 4294967295"),
        ("E_E.p", "2", "projections[0].connect.p is 2, but"),
        ("E.taum", "nan", "populations[0].parameters.taum is NaN, but a finite number"),
        ("E.taum", "{\"expr\": 1}", "E.taum.expr is 1, but a text in quotes is expected"),
        ("E.taum", "{\"exp\": 1}", "E.taum (line 1) has an unknown key `exp`; did you mean `expr`?"),
    ] {
        let message = network.set(path, value).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{path}={value}: {message}");
        assert_eq!(network, before);
    }
}

fn quantities() -> impl Strategy<Value = Quantity> {
    let number = || prop_oneof![any::<f64>().prop_filter("finite", |x| x.is_finite()), Just(0.1), Just(-0.0)];
    prop_oneof![
        number().prop_map(Quantity::Number),
        ".*".prop_map(Quantity::Text),
        ".*".prop_map(Quantity::Expr),
        (proptest::collection::vec(number(), 3), proptest::option::of("[a-zA-Z]*"))
            .prop_map(|(values, unit)| Quantity::Values { values, unit }),
    ]
}

fn maps() -> impl Strategy<Value = IndexMap<String, Quantity>> {
    proptest::collection::vec(("[A-Za-z_][A-Za-z0-9_]*", quantities()), 0..4).prop_map(|list| list.into_iter().collect())
}

fn connectors() -> impl Strategy<Value = Connector> {
    prop_oneof![
        (0.0..=1.0_f64, proptest::option::of(".*"), any::<bool>())
            .prop_map(|(p, condition, autapses)| Connector::Bernoulli(Bernoulli { p: p.into(), condition, autapses })),
        (proptest::option::of(".*"), any::<bool>()).prop_map(|(condition, autapses)| Connector::All(All { condition, autapses })),
        Just(Connector::one_to_one()),
        (any::<u32>(), proptest::option::of(Just([1, 3])), any::<bool>(), any::<bool>()).prop_map(
            |(n, pre_range, autapses, multapses)| Connector::FixedIndegree(FixedIndegree { n, pre_range, autapses, multapses })
        ),
        (any::<u32>(), any::<bool>(), any::<bool>())
            .prop_map(|(n, autapses, multapses)| Connector::FixedOutdegree(FixedOutdegree { n, autapses, multapses })),
        (any::<u32>(), any::<bool>()).prop_map(|(n, autapses)| Connector::FixedTotal(FixedTotal {
            n: u64::from(n),
            autapses,
            multapses: true
        })),
    ]
}

proptest! {
    #[test]
    fn json_and_back_is_the_same_network(
        name in "\\PC*", seed: u64, dt_ms in 1e-9..1e9, duration_ms in 0.0..1e9, parameters in maps(), initial in maps(),
        connector in connectors(), delay in 0.0..100.0_f64, weights in maps(), parameters_set in maps(), model: bool,
    ) {
        // Lists in maps have three values: one per neuron, none for synapses made by a rule.
        let weights = weights.into_iter().filter(|(_, value)| !matches!(value, Quantity::Values { .. })).collect();
        let own = |text: &str| (!model).then(|| text.to_owned());
        let population = Population {
            name: "E".into(), size: 3, model: model.then(|| "lif_exp".to_owned()), equations: own("dv/dt = -v/tau : 1"),
            threshold: own("v > 1"), reset: own("v = 0\nw += 1"), refractory: own("5*ms"), parameters, initial,
            ..Population::default()
        };
        let projection = Projection {
            name: "EE".into(), pre: Endpoint::whole("E"), post: "E[:]".parse().unwrap(), connect: Some(connector),
            on_pre: Some("v_post += w".into()), parameters: weights, delay_ms: delay.into(), ..Projection::default()
        };
        let statistic = Statistic {
            object: "EE".into(), var: "w".into(), every_ms: dt_ms, range: Some([Quantity::Number(-dt_ms), "1e9 mV".into()]),
            bins: Some(7), unit: None,
        };
        let recording = Recording { object: "E".into(), var: "v".into(), indices: vec![2, 0].into(), ..Recording::default() };
        let paths = parameters_set.into_iter().map(|(key, value)| (format!("E.{key}"), value));
        let change = Change { at_ms: 3.0 * dt_ms, set: paths.chain([("E.I".to_owned(), "1 pA".into())]).collect() };
        let arguments = [("x".to_owned(), "volt".to_owned()), ("a".to_owned(), "1".to_owned())].into_iter().collect();
        let function =
            CustomFunction { name: "f".into(), arguments, unit: "volt".into(), value: own("x*a"), wgsl: model.then(|| "return x;".into()) };
        let network = Network {
            functions: vec![function],
            format: FORMAT, name, description: String::new(), dt_ms, duration_ms, seed,
            populations: vec![population], sources: Vec::new(), projections: vec![projection], recordings: vec![recording],
            statistics: vec![statistic], changes: vec![change], stop: vec![format!("rate(E, {dt_ms} ms) > 5 Hz")],
        };
        let valid = network.validate();
        prop_assume!(valid.is_ok());
        let back = Network::from_json(&network.to_json()).unwrap();
        prop_assert_eq!(&back, &network);
        prop_assert_eq!(back.to_json(), network.to_json());
    }

    #[test]
    fn a_quantity_is_set_as_it_is_written(values in maps()) {
        let mut network = network();
        for value in values.values() {
            // Lists have three values, as these sources have neurons.
            network.populations[0].size = 3;
            network.projections.clear();
            network.recordings.clear();
            network.set("E.x", &value.to_setting()).unwrap();
            prop_assert_eq!(&network.populations[0].parameters["x"], value);
        }
    }
}
