use std::io::Cursor;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::snapshot::fingerprint;
use crate::{BuildOptions, Cpu, Error, Network, Plan, Point, Quantity, ReadSeek, Simulation, Snapshot};

const CSV: &str = "pre,post,w [nS],delay_ms\n0,1,2,0.5\n3,0,1.5,1\n";

fn network(projection: &Value) -> Network {
    let mut whole = json!({"name": "EE", "pre": "E", "post": "E", "pairs": {"file": "edges.csv"}, "on_pre": "g_post += w"});
    whole.as_object_mut().unwrap().extend(projection.as_object().unwrap().clone());
    let network = json!({"name": "n", "dt_ms": 0.1, "duration_ms": 1, "projections": [whole],
        "populations": [{"name": "E", "size": 4, "equations": "dg/dt = -g/(5*ms) : siemens", "threshold": "g > 1*nS", "reset": "g = 0*nS"}]});
    Network::from_json(&network.to_string()).unwrap()
}

/// Files in memory, by name.
fn resolve(network: &mut Network, files: &[(&str, &str)]) -> Result<(), Error> {
    network.resolve(&mut |name| {
        let found = files.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, text)| Box::new(Cursor::new(text.as_bytes())) as Box<dyn ReadSeek>)
            .ok_or_else(|| "it is not open".to_owned())
    })
}

fn values(values: &[f64], unit: Option<&str>) -> Quantity {
    Quantity::Values { values: values.to_vec(), unit: unit.map(str::to_owned) }
}

#[test]
fn a_file_gives_pairs_weights_and_delays() {
    let mut network = network(&json!({}));
    let written = network.to_json();
    assert_eq!(network.files().collect::<Vec<_>>(), ["edges.csv"]);
    let error = Plan::new(&network).unwrap_err().to_string();
    assert_eq!(
        error,
        "projections[0].pairs.file is \"edges.csv\", but that file was not loaded; open it together with the network file"
    );
    resolve(&mut network, &[("edges.csv", CSV)]).unwrap();
    assert_eq!(network.files().count(), 0);
    let projection = &network.projections[0];
    assert_eq!(&**projection.pairs.as_ref().unwrap(), [[0, 1], [3, 0]]);
    assert_eq!(projection.parameters["w"], values(&[2.0, 1.5], Some("nS")));
    assert_eq!(projection.delay_ms.of("pre"), &values(&[0.5, 1.0], None));
    let plan = Plan::new(&network).unwrap();
    assert_eq!((plan.synapses(), plan.ring.slots), (2, 11));

    // Of the file, JSON holds the name alone; what is set by hand is the network's own.
    assert_eq!(network.to_json(), written);
    network.set("EE.w", "3 nS").unwrap();
    let mut back = Network::from_json(&network.to_json()).unwrap();
    resolve(&mut back, &[("edges.csv", CSV)]).unwrap();
    assert_eq!(back.projections[0].parameters["w"], "3 nS".into());
    assert_eq!(back.projections[0].delay_ms, network.projections[0].delay_ms);
    network.set("EE.delay_ms", "[2, 3]").unwrap();
    let mut back = Network::from_json(&network.to_json()).unwrap();
    resolve(&mut back, &[("edges.csv", CSV)]).unwrap();
    assert_eq!(back.projections[0].delay_ms, network.projections[0].delay_ms);
}

#[test]
fn lists_of_values_are_in_the_order_of_a_file() {
    let lists = json!({"equations": "w : siemens (constant)\nk : 1", "on_pre": {"near": "g_post += w", "far": "g_post += k*w"},
        "parameters": {"w": [2, 3]}, "initial": {"k": [4, 5]}, "delay_ms": {"near": [0.1, 0.2], "far": {"values": [1, 2], "unit": "ms"}},
        "on_post": "k += 1", "delay_post_ms": [0.3, 0.4]});
    let mut network = network(&lists);
    resolve(&mut network, &[("edges.csv", "pre,post\n3,0\n0,1\n")]).unwrap();
    assert!(Plan::new(&network).unwrap().memory_steps > 20);
    let mut back = Network::from_json(&network.to_json()).unwrap();
    let error = resolve(&mut back, &[("edges.csv", "pre,post\n3,0\n")]).unwrap_err().to_string();
    assert!(error.starts_with("projections[0].delay_ms.near is a list of 2 numbers, but there are 1 pairs"), "{error}");
    network.set("EE.delay_post_ms", "[0.3]").unwrap_err();
}

#[test]
fn values_of_the_network_stand_in_place_of_columns() {
    let mut network = network(&json!({"parameters": {"w": "1 nS"}, "delay_ms": 2}));
    resolve(&mut network, &[("edges.csv", CSV)]).unwrap();
    assert_eq!((&network.projections[0].parameters["w"], &network.projections[0].delay_ms), (&"1 nS".into(), &2.0.into()));
}

#[test]
fn what_is_wrong_with_a_file_changes_nothing() {
    for (projection, text, said) in [
        (json!({}), "pre,post,w\n0,4,1\n", "edges.csv:2: column 2 is \"4\", but the postsynaptic neurons are 0 to 3"),
        (json!({"pre": "E[1:3]"}), "0,1,1\n", "edges.csv:1: column 1 is \"0\", but the presynaptic neurons are 1 to 2"),
        (
            json!({}),
            "pre,post,we\n0,1,1\n",
            "edges.csv is with a column `we`, but the projection does not use a value of that name",
        ),
        (
            json!({}),
            "pre,post,w,delay_ms\n0,1,1,1\n0,2,1,-2\n",
            "projections[0].delay_ms[1] is -2, but a delay cannot be negative",
        ),
    ] {
        let mut network = network(&projection);
        let before = network.clone();
        let error = resolve(&mut network, &[("edges.csv", text)]).expect_err(text);
        assert!(error.is_bad_input() && error.to_string().starts_with(said), "{error}");
        assert_eq!(network, before);
    }
    let error = resolve(&mut network(&json!({})), &[]).unwrap_err().to_string();
    assert!(error.starts_with("projections[0].pairs.file is \"edges.csv\", but it is not open; check its name"), "{error}");
}

#[test]
fn a_file_is_attached_in_place_of_a_rule() {
    let mut network = network(&json!({"pairs": [[0, 1]], "parameters": {"w": "1 nS"}}));
    network.attach("EE", "more.csv").unwrap();
    resolve(&mut network, &[("more.csv", "0,1\n1,2\n")]).unwrap();
    assert_eq!(Plan::new(&network).unwrap().synapses(), 2);
    let error = network.attach("E", "more.csv").unwrap_err().to_string();
    assert!(error.starts_with("there is no projection `E`; did you mean `EE`?"), "{error}");
}

#[test]
fn what_is_no_pairs_is_refused_with_its_place() {
    let text = network(&json!({})).to_json();
    for (pairs, said) in [
        ("\"edges.csv\"", "projections[0].pairs is \"edges.csv\", but a list such as [[0, 1], [0, 2]], or a file such as"),
        ("{\"fil\": \"a\"}", "projections[0].pairs (line 2"),
        ("{}", "lacks the key `file`"),
        ("[[0]]", "projections[0].pairs[0] is a list of 1"),
    ] {
        let changed = text.replace("{\n        \"file\": \"edges.csv\"\n      }", pairs);
        assert_ne!(changed, text);
        let error = Network::from_json(&changed).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn values_of_a_table_of_neurons_identify_a_network_and_its_name_does_not() {
    let parts = |file: &str, gains: &str| {
        let population = json!({"name": "E", "size": 2, "equations": "dv/dt = gain*mV/ms : volt\ngain : 1", "threshold": "v > 1*mV",
            "reset": "v = 0*mV", "neurons": {"file": file, "columns": {"gain": "gain"}}});
        let network = json!({"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": [population]});
        let mut network = Network::from_json(&network.to_string()).unwrap();
        assert_eq!(crate::diagnose(&network, crate::BuildOptions::default()), [], "before the file is read");
        let table = format!("gain\n{gains}");
        resolve(&mut network, &[(file, &table)]).unwrap();
        fingerprint(&network, &Plan::new(&network).unwrap())
    };
    let same = parts("neurons.csv", "1\n2\n");
    assert_eq!(same, parts("other/neurons.tsv", "1\n2\n"));
    assert_ne!(same, parts("neurons.csv", "1\n3\n"));
}

/// The trials of a sweep go on from the bytes of a snapshot, which name the files.
#[test]
fn a_sweep_over_a_network_with_files_is_restored() {
    let mut network = network(&json!({}));
    network.populations[0].size = 4;
    network.populations[0].neurons = serde_json::from_value(json!({"file": "neurons.csv", "id": "id"})).unwrap();
    let equations = "dg/dt = (driven*3*nS - g)/(5*ms) : siemens\ndriven : 1";
    network.populations[0].equations = Some(equations.to_owned());
    network.populations[0].parameters.insert("driven".to_owned(), "type == 'b'".into());
    let files = [("neurons.csv", "id,type\n0,a\n1,b\n2,a\n3,b\n"), ("edges.csv", CSV)];
    resolve(&mut network, &files).unwrap();
    let (network, plan) = (Arc::new(network.clone()), Arc::new(Plan::new(&network).unwrap()));
    let point = |value: &str| {
        let values = vec![("E.driven".to_owned(), value.to_owned())];
        Point::new(&network, &plan, values, BuildOptions::default()).unwrap()
    };
    let points = ["type == 'b'", "type == 'a'", "0"].map(point);
    let simulation = || {
        let variants = points.iter().map(|point| point.variant(0)).collect();
        pollster::block_on(Simulation::of_trials(variants, Box::new(Cpu::new(1)))).unwrap()
    };
    pollster::block_on(async {
        let mut whole = simulation();
        whole.advance_trials(40).await.unwrap();
        let bytes = whole.snapshot().await.unwrap().to_bytes();
        let expected = whole.advance_trials(60).await.unwrap();
        assert!(expected[0].spikes.len() > 3 && expected[0].spikes != expected[1].spikes && expected[2].spikes.is_empty());
        let mut other = simulation();
        other.restore(&Snapshot::from_bytes(&bytes).unwrap()).await.unwrap();
        assert!(other.advance_trials(60).await.unwrap() == expected);
        // Other values are noticed all the same.
        let swapped = [&points[0], &points[2], &points[1]].map(|point| point.variant(0)).to_vec();
        let mut swapped = Simulation::of_trials(swapped, Box::new(Cpu::new(1))).await.unwrap();
        let error = swapped.restore(&Snapshot::from_bytes(&bytes).unwrap()).await.unwrap_err().to_string();
        assert!(error.contains("trial 1 is of `n` with other values"), "{error}");
    });
}
