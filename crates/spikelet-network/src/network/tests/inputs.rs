//! Sources, pathways, timed arrays, and recordings of projections.

use crate::connectors::Condition;
use crate::{Connector, Delays, Endpoint, Indices, Network, Pathways, Population, Projection, Quantity, Recording};
use crate::{Source, SourceKind};

/// A network with all kinds of sources and two pathways; tests replace parts of its text.
const TEXT: &str = r#"{
  "name": "driven",
  "dt_ms": 0.1,
  "duration_ms": 100,
  "populations": [
    {"name": "E", "size": 4, "model": "lif_exp", "equations": "I_syn = g : volt",
     "parameters": {"I": {"timed": [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.5]], "dt": "1 ms", "unit": "mV"}, "J": {"timed": [1.0, 2.5], "dt": "2 ms"}}}
  ],
  "sources": [
    {"name": "times", "size": 3, "spike_times_ms": [[0, 1.0], [2, 2.8], [0, 2.3]]},
    {"name": "noise", "type": "poisson", "size": 10, "rate": "20 Hz"},
    {"name": "ext", "type": "poisson_input", "targets": ["E"], "var": "v", "N": 100, "rate": "5 Hz", "weight": "0.1 mV"}
  ],
  "projections": [
    {"name": "two", "pre": "times[1:]", "post": "E", "pairs": [[1, 0], [2, 3]], "method": "exact",
     "equations": "dx/dt = -x/(5*ms) : 1 (clock-driven)", "on_pre": {"slow": "g_post += 1*mV", "fast": "x += 1"},
     "delay_ms": {"slow": [1, 2], "fast": "0.5 ms"}, "on_post": "x += 2", "delay_post_ms": 0.2},
    {"name": "lib", "pre": "noise", "post": "E", "connect": {"rule": "condition", "condition": "i // 3 == j"},
     "model": "stp", "delay_ms": {"expr": "rand()*ms"}}
  ],
  "recordings": [
    {"object": "two", "var": "x", "indices": [1]}, {"object": "lib", "var": "u", "indices": "all"},
    {"object": "E", "var": "v", "indices": "all", "unit": "mV"}
  ],
  "statistics": [{"object": "two", "var": "x", "every_ms": 0.3, "range": ["0 mV", "3 mV"], "bins": 6}]
}"#;

fn refusal(from: &str, to: &str) -> String {
    assert!(TEXT.contains(from), "{from}");
    let error = Network::from_json(&TEXT.replacen(from, to, 1)).expect_err(to);
    assert!(error.is_bad_input());
    error.to_string()
}

#[test]
fn all_of_it_is_read_and_written_back() {
    let network = Network::from_json(TEXT).unwrap();
    assert_eq!(network.neurons(), 17);
    let [times, noise, ext] = network.sources.as_slice() else { panic!("{:?}", network.sources) };
    let spike_times_ms = vec![(0, 1.0), (2, 2.8), (0, 2.3)];
    assert_eq!(times, &Source { name: "times".into(), kind: SourceKind::Spikes { size: 3, spike_times_ms } });
    assert_eq!((times.size(), noise.size(), ext.size()), (3, 10, 0));
    assert_eq!(noise.kind, SourceKind::Poisson { size: 10, rate: "20 Hz".into() });
    let [two, lib] = network.projections.as_slice() else { panic!("{:?}", network.projections) };
    let pathways: Vec<_> = two.on_pre.iter().flat_map(Pathways::iter).collect();
    assert_eq!(pathways, [("fast", "x += 1"), ("slow", "g_post += 1*mV")]);
    assert_eq!(two.on_post, Some("x += 2".into()));
    assert_eq!(two.delay_ms.of("slow"), &Quantity::Values { values: vec![1.0, 2.0], unit: None });
    assert_eq!(two.delay_ms.of("fast"), &"0.5 ms".into());
    assert_eq!(two.delay_ms.of("other"), &0.0.into());
    assert_eq!(two.delay_post_ms, Some(0.2.into()));
    assert_eq!(lib.delay_ms, Quantity::expr("rand()*ms").into());
    assert_eq!(lib.connect, Some(Connector::Condition(Condition { condition: "i // 3 == j".into(), autapses: true })));
    assert_eq!(network.recordings[0].indices, Indices::List(vec![1]));
    assert_eq!(network.recordings[1].indices.of(3), [0, 1, 2]);
    let timed = |values: &[&[f64]], dt: &str, unit: Option<&str>| {
        let values = values.iter().map(|row| row.to_vec()).collect();
        Quantity::Timed { values, dt: dt.into(), unit: unit.map(str::to_owned) }
    };
    let parameters = &network.populations[0].parameters;
    assert_eq!(parameters["I"], timed(&[&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.5]], "1 ms", Some("mV")));
    assert_eq!(parameters["J"], timed(&[&[1.0], &[2.5]], "2 ms", None));

    let text = network.to_json();
    assert_eq!(Network::from_json(&text), Ok(network.clone()));
    let written: serde_json::Value = serde_json::from_str(&text).unwrap();
    let given: serde_json::Value = serde_json::from_str(TEXT).unwrap();
    for key in ["sources", "recordings"] {
        assert_eq!(written[key], given[key], "{key}");
    }
    assert_eq!(written["populations"][0]["parameters"], given["populations"][0]["parameters"]);
    for key in ["on_pre", "on_post", "delay_post_ms", "method"] {
        assert_eq!(written["projections"][0][key], given["projections"][0][key], "{key}");
    }
    assert_eq!(written["projections"][1]["connect"], given["projections"][1]["connect"]);
}

#[test]
fn a_single_text_is_written_as_one() {
    let pathways: Pathways = "v_post += 1*mV".into();
    assert_eq!(pathways.single(), pathways.get("pre"));
    assert_eq!(serde_json::to_string(&pathways).unwrap(), "\"v_post += 1*mV\"");
    let named: Pathways = [("a".to_owned(), "x += 1".to_owned())].into_iter().collect();
    assert_eq!((named.single(), named.len()), (None, 1));
    assert_eq!(serde_json::to_string(&named).unwrap(), "{\"a\":\"x += 1\"}");
}

#[test]
fn sources_alone_are_enough() {
    let source = Source { name: "s".into(), kind: SourceKind::Poisson { size: 10, rate: "20 Hz".into() } };
    let network = Network { sources: vec![source], ..Network::default() };
    network.validate().unwrap();
    assert_eq!(Network::from_json(&network.to_json()), Ok(network));
    let message = Network::default().validate().unwrap_err().to_string();
    assert_eq!(message, "populations is empty, but a network needs at least one population or source; add one");
}

#[test]
fn a_time_belongs_to_the_step_it_lies_in() {
    for (time, dt, step) in [(0.0, 0.1, 0.0), (2.3, 0.1, 23.0), (2.35, 0.1, 23.0), (2.3999, 0.1, 24.0), (1.9, 0.5, 3.0)] {
        assert_eq!(Source::step(time, dt), step, "{time} ms");
    }
    for step in 0..100_000 {
        assert_eq!(Source::step(f64::from(step) / 10.0, 0.1), f64::from(step));
    }
}

#[test]
fn impossible_inputs_are_refused_with_values_and_way_out() {
    let cases = [
        // Sources.
        (
            "\"name\": \"noise\"",
            "\"name\": \"E\"",
            "sources[1].name is \"E\", but populations[0].name already has this name, and names must be unique",
        ),
        (
            "\"name\": \"two\"",
            "\"name\": \"ext\"",
            "projections[0].name is \"ext\", but sources[2].name already has this name, and names must be unique",
        ),
        ("\"size\": 3", "\"size\": 0", "sources[0].size is 0, but a source needs at least one neuron"),
        ("\"size\": 3, ", "", "sources[0] is invalid, but a source without a `type` needs the key `size`"),
        ("\"size\": 10, ", "", "sources[1] is invalid, but a source of type \"poisson\" needs the key `size`;"),
        ("\"N\": 100", "\"size\": 100", "sources[2] is invalid, but a source of type \"poisson_input\" does not have the key `"),
        ("\"N\"", "\"n\"", "sources[2] (line 12) has an unknown key `n`; did you mean `N`?"),
        (
            "\"poisson\"",
            "\"poison\"",
            "sources[1].type is \"poison\", but it must be one of poisson, poisson_input; did you mean",
        ),
        ("[2, 2.8]", "[3, 2.8]", "sources[0].spike_times_ms[1][0] is 3, but times has neurons 0 to 2"),
        (
            "[2, 2.8]",
            "[2, -0.1]",
            "sources[0].spike_times_ms[1][1] is -0.1, but a spike time must be a finite number of milliseconds, 0 or more",
        ),
        ("[2, 2.8]", "[2]", "sources[0].spike_times_ms[1] is a list of 1, but a list of two, a neuron and a time in ms,"),
        ("[2, 2.8]", "[2, \"2.8\"]", "sources[0].spike_times_ms[1][1] is \"2.8\", but a number is expected"),
        (
            "[0, 2.3]",
            "[0, 1.05]",
            "sources[0].spike_times_ms[2] is [0, 1.05], but spike 0 of the list, at 1 ms, is in the same step of 0.1 ms",
        ),
        ("\"20 Hz\"", "-20", "sources[1].rate is -20, but a rate must be 0 or more"),
        ("\"20 Hz\"", "[1, 2]", "sources[1].rate is a list of 2 numbers, but there are 10 neurons"),
        ("\"5 Hz\"", "[1, 2]", "sources[2].rate is a list of 2 numbers, but there are 1 rates, because all neurons share one"),
        ("[\"E\"]", "[]", "sources[2].targets is empty, but a poisson_input needs at least one target population"),
        ("[\"E\"]", "[\"times\"]", "sources[2].targets[0]: there is no population `times`; there are `E`"),
        ("[\"E\"]", "[\"E\", \"E\"]", "sources[2].targets[1] is \"E\", but each target may be named only once"),
        // Ends of projections.
        ("\"times[1:]\"", "\"time\"", "projections[0].pre: there is no population or source `time`; did you mean `times`?"),
        ("\"times[1:]\"", "\"times[1:4]\"", "projections[0].pre is \"times[1:4]\", but times has neurons 0 to 2"),
        ("\"times[1:]\"", "\"ext\"", "projections[0].pre is \"ext\", but a poisson_input has no neurons"),
        ("[1, 0]", "[0, 0]", "projections[0].pairs[0] is [0, 0], but the presynaptic neurons are 1 to 2"),
        (
            "\"condition\", ",
            "\"condition\"}, \"parameters\": {",
            "projections[1].connect (line 18) lacks the key `condition`; add it, as in",
        ),
        // Pathways and delays.
        ("\"fast\": \"0.5", "\"fats\": \"0.5", "projections[0].delay_ms.fats: there is no pathway `fats`; did you mean `fast`?"),
        ("\"slow\": [1, 2]", "\"slow\": [1, -2]", "projections[0].delay_ms.slow[1] is -2, but a delay cannot be negative"),
        ("\"slow\": [1, 2]", "\"slow\": [1]", "projections[0].delay_ms.slow is a list of 1 numbers, but there are 2 pairs"),
        ("\"slow\": [1, 2]", "\"fast\": 1", "projections[0].delay_ms.fast is given twice, but a key must be unique"),
        ("\"slow\": \"g_post", "\"fast\": \"g_post", "projections[0].on_pre.fast is given twice, but a key must be unique"),
        (
            "{\"slow\": \"g_post += 1*mV\", \"fast\": \"x += 1\"}",
            "{}",
            "projections[0].on_pre is empty, but at least one pathway",
        ),
        ("\"x += 2\"", "3", "projections[0].on_post is 3, but a text, or an object of named texts such as"),
        (
            "\"on_post\": \"x += 2\", ",
            "",
            "projections[0].delay_post_ms is 0.2, but it is a delay of `on_post`, which is not set",
        ),
        ("0.2", "-0.2", "projections[0].delay_post_ms is -0.2, but a delay cannot be negative"),
        ("{\"expr\": \"rand()*ms\"}", "{\"expr\": 1}", "projections[1].delay_ms.expr is 1, but a text in quotes is expected"),
        ("{\"expr\": \"rand()*ms\"}", "true", "projections[1].delay_ms is true, but a number of ms, a text such as"),
        // Timed arrays.
        (
            "[5.0, 6.0, 7.0, 8.5]",
            "[5, 6, 7]",
            "populations[0].parameters.I.timed[1] is a row of 3, but the rows before it have 4",
        ),
        ("[1.0, 2.5]", "[]", "populations[0].parameters.J.timed is empty, but a timed array needs at least one row"),
        ("[1.0, 2.5]", "[1, \"x\"]", "populations[0].parameters.J.timed[1] is \"x\", but a number, or a list with one for each"),
        (", \"dt\": \"2 ms\"", "", "populations[0].parameters.J (line 7) lacks the key `dt`; add it, as in \"dt\": \"1 ms\""),
        (
            "\"0.5 ms\"",
            "{\"timed\": [1], \"dt\": \"1 ms\"}",
            "projections[0].delay_ms.fast is a timed array of 1 rows of 1 ms, but only a",
        ),
        // Recordings.
        ("\"indices\": [1]", "\"indices\": [2]", "recordings[0].indices[0] is 2, but two has synapses 0 to 1; record one of"),
        (
            "\"all\"",
            "\"some\"",
            "recordings[1].indices is \"some\", but a list of indices such as [0, 1], a slice such as \"0:100\", a condition on the table of the population such as \"type == 'KC'\", or \"all\" is expected",
        ),
        // Statistics.
        (
            "\"two\", \"var\": \"x\", \"every",
            "\"tow\", \"var\": \"x\", \"every",
            "statistics[0].object: there is no projection `tow`; did",
        ),
        (
            "\"two\", \"var\": \"x\", \"every",
            "\"E\", \"var\": \"x\", \"every",
            "statistics[0].object is \"E\", but a statistic needs a projection",
        ),
        (
            "0.3, \"range",
            "0.25, \"range",
            "statistics[0].every_ms is 0.25, but it must be a whole number of steps of 0.1 ms, 1 or more",
        ),
        (
            "0.3, \"range",
            "0, \"range",
            "statistics[0].every_ms is 0, but it must be a whole number of steps of 0.1 ms, 1 or more",
        ),
        ("\"bins\": 6", "\"bins\": 0", "statistics[0].bins is 0, but a histogram has 1 to 1000 bins; for example 20"),
        ("\"bins\": 6", "\"bins\": 1001", "statistics[0].bins is 1001, but a histogram has 1 to 1000 bins; for example 20"),
        ("\"range\": [\"0 mV\", \"3 mV\"], ", "", "statistics[0].bins is 6, but bins need a `range`, which is not set"),
        (
            "[\"0 mV\", \"3 mV\"]",
            "[\"3 mV\", 0]",
            "statistics[0].range is [\"3 mV\", 0], but a range needs a finite value and a larger finite value; exchange or correct",
        ),
        ("[\"0 mV\", \"3 mV\"]", "[0, \"3 mX\"]", "statistics[0].range: range, line 1, column 3: "),
        ("\"object\": \"two\"", "\"object\": \"times\"", "recordings[0].object is \"times\", but a source has no variables"),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .map(|&(from, to, expected)| (to, refusal(from, to), expected))
        .filter(|(_, message, expected)| !message.starts_with(expected))
        .map(|(to, message, expected)| format!("{to}\n     got: {message}\nexpected: {expected}\n"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn inputs_that_are_not_finite_are_refused() {
    let spoiled: [fn(&mut Network); 4] = [
        |n| n.sources[0].kind = SourceKind::Spikes { size: 1, spike_times_ms: vec![(0, f64::NAN)] },
        |n| n.sources[1].kind = SourceKind::Poisson { size: 1, rate: f64::INFINITY.into() },
        |n| n.projections[0].delay_ms = f64::NAN.into(),
        |n| {
            let timed = Quantity::Timed { values: vec![vec![0.0], vec![f64::NAN]], dt: "1 ms".into(), unit: None };
            n.populations[0].parameters.insert("I".into(), timed);
        },
    ];
    for spoil in spoiled {
        let mut network = Network::from_json(TEXT).unwrap();
        spoil(&mut network);
        let message = network.validate().unwrap_err().to_string();
        assert!(message.contains("NaN") || message.contains("inf"), "{message}");
    }
}

#[test]
fn a_negative_delay_has_its_kind() {
    let projection = Projection {
        name: "EE".into(),
        pre: Endpoint::whole("E"),
        post: Endpoint::whole("E"),
        connect: Some(Connector::all()),
        on_pre: Some("v_post += 1".into()),
        delay_ms: (-1.0).into(),
        ..Projection::default()
    };
    let population = Population { name: "E".into(), size: 1, model: Some("lif_exp".into()), ..Population::default() };
    let network = Network { populations: vec![population], projections: vec![projection], ..Network::default() };
    assert_eq!(network.validate().unwrap_err().kind(), Some("negative_delay"));
    let longer = Network { dt_ms: -1.0, ..network };
    assert_eq!(longer.validate().unwrap_err().kind(), None);
}

#[test]
fn inputs_are_set_by_path() {
    let mut network = Network::from_json(TEXT).unwrap();
    for (path, value) in [
        ("times.size", "5"),
        ("times.spike_times_ms", "[[1, 4], [2, 4.5]]"),
        ("noise.rate", "30 Hz"),
        ("noise.size", "12"),
        ("ext.rate", "7 Hz"),
        ("ext.weight", "0.2 mV"),
        ("ext.N", "50"),
        ("two.delay_ms.slow", "[3, 4]"),
        ("two.delay_post_ms", "0.4"),
        ("lib.delay_ms", "{\"fast\": 1}"),
    ] {
        network.set(path, value).unwrap();
    }
    assert_eq!(network.sources[0].kind, SourceKind::Spikes { size: 5, spike_times_ms: vec![(1, 4.0), (2, 4.5)] });
    assert_eq!(network.sources[1].kind, SourceKind::Poisson { size: 12, rate: "30 Hz".into() });
    let kind = SourceKind::PoissonInput {
        targets: vec![Endpoint::whole("E")],
        var: "v".into(),
        n: 50,
        rate: "7 Hz".into(),
        weight: "0.2 mV".into(),
    };
    assert_eq!(network.sources[2].kind, kind);
    let [two, lib] = network.projections.as_slice() else { panic!("{:?}", network.projections) };
    assert_eq!(two.delay_ms.of("slow"), &Quantity::Values { values: vec![3.0, 4.0], unit: None });
    assert_eq!(two.delay_ms.of("fast"), &"0.5 ms".into());
    assert_eq!(two.delay_post_ms, Some(0.4.into()));
    assert_eq!(lib.delay_ms, Delays::Each([("fast".to_owned(), 1.0.into())].into_iter().collect()));

    network.set("two.delay_ms", "2").unwrap();
    network.set("two.delay_ms.fast", "1").unwrap();
    let delays = &network.projections[0].delay_ms;
    assert_eq!((delays.of("fast"), delays.of("slow")), (&1.0.into(), &2.0.into()));

    let before = network.clone();
    for (path, value, expected) in [
        ("noise.rat", "1 Hz", "there is no `noise` setting `rat`; did you mean `rate`?"),
        ("noise.rate", "-1", "sources[1].rate is -1, but a rate must be 0 or more"),
        ("times.rate", "1 Hz", "there is no `times` setting `rate`; there are `size`, `spike_times_ms`"),
        ("times.spike_times_ms", "[[1, -4]]", "sources[0].spike_times_ms[0][1] is -4, but"),
        ("times.size", "1", "sources[0].spike_times_ms[0][0] is 1, but times has neurons 0 to 0"),
        ("ext.N", "-1", "ext.N is \"-1\", but a whole number is expected"),
        ("two.delay_ms.fats", "1", "projections[0].delay_ms.fats: there is no pathway `fats`; did you mean `fast`?"),
        ("nois.rate", "1", "there is no population, source or projection `nois`; did you mean `noise`?"),
    ] {
        let message = network.set(path, value).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{path}={value}: {message}");
        assert_eq!(network, before);
    }
}

#[test]
fn what_a_recording_keeps_is_written_back() {
    let recording = Recording { object: "E".into(), var: "v".into(), indices: Indices::All, ..Recording::default() };
    let text = serde_json::to_string(&recording).unwrap();
    assert_eq!(text, "{\"object\":\"E\",\"var\":\"v\",\"indices\":\"all\"}");
    assert_eq!(serde_json::from_str::<Recording>(&text).unwrap(), recording);
}

/// A source has spikes, and nothing that could be written: synapses that hear them may end there, no others.
#[test]
fn only_synapses_that_hear_it_end_at_a_source() {
    let text = r#"{"name": "n", "dt_ms": 0.1, "duration_ms": 1, "sources": [{"name": "s", "size": 2, "spike_times_ms": [[0, 1]]}],
        "projections": [{"pre": "s", "post": "s", "pairs": [[0, 1]], "equations": "w : 1", "on_pre": "w += 1", "on_post": "w -= 1"}]}"#;
    Network::from_json(text).unwrap();
    let message = Network::from_json(&text.replace(", \"on_post\": \"w -= 1\"", "")).unwrap_err().to_string();
    let expected = "projections[0].post is \"s\", but a source has no input; it can only be `post` of synapses that use its spikes in `on_post`";
    assert!(message.starts_with(expected), "{message}");
}
