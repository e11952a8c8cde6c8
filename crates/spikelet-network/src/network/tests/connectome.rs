//! Tables of neurons, edges by identifiers, and selections.

use std::io::Cursor;

use crate::{Error, Indices, Network, Pairs, Quantity};

const NEURONS: &str = "root_id,cell_type,nt_type,gain\n720575940600000001,sugar,ACH,1.5\n720575940600000002,sugar,GABA,2\n\
                       720575940600000003,MN9,ACH,-1\n";
/// As FlyWire publishes them: with columns that no network needs.
const EDGES: &str = "pre_root_id,post_root_id,neuropil,syn_count,nt_type\n\
                     720575940600000001,720575940600000003,GNG,5,ACH\n720575940600000002,720575940600000003,PRW,7.0,GABA\n";

fn network() -> String {
    r#"{"name": "brain", "dt_ms": 0.1, "duration_ms": 10,
        "populations": [{"name": "brain", "size": 3, "equations": "dv/dt = -v/(10*ms) : volt\nsign : 1\ngain : 1", "threshold": "v > 1*mV",
            "reset": "v = 0*mV", "neurons": {"file": "neurons.csv", "id": "root_id", "columns": {"gain": "gain"},
            "codes": {"sign": {"column": "nt_type", "values": {"GABA": -1}, "otherwise": 1}}}}],
        "sources": [{"name": "drive", "type": "poisson", "size": 2, "rate": "150 Hz"}],
        "projections": [
            {"name": "edges", "pre": "brain", "post": "brain", "pairs": {"file": "edges.csv.gz", "columns": {"w": "syn_count"}},
             "equations": "w : 1 (constant)", "on_pre": "v_post += w*sign_pre*0.275*mV"},
            {"name": "excite", "pre": "drive", "post": "brain[cell_type == 'sugar']", "connect": {"rule": "one_to_one"},
             "on_pre": "v_post += 68*mV"},
            {"name": "all", "pre": "brain[cell_type == 'sugar']", "post": "brain", "connect": {"rule": "all", "autapses": false},
             "on_pre": "v_post += 1*mV"}],
        "recordings": [{"object": "brain", "var": "v", "indices": "cell_type ~ 'MN*'"}]}"#
        .to_owned()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, text.as_bytes()).expect("memory");
    encoder.finish().expect("memory")
}

fn read(network: &str, neurons: &str, edges: &str) -> Result<Network, Error> {
    let mut network = Network::from_json(network)?;
    network.resolve(&mut |name| match name {
        "neurons.csv" => Ok(Box::new(Cursor::new(neurons.as_bytes().to_vec()))),
        "edges.csv.gz" => Ok(Box::new(Cursor::new(gzip(edges)))),
        _ => Err("there is no such file".to_owned()),
    })?;
    Ok(network)
}

#[test]
fn files_of_a_connectome_become_a_network() {
    let network = read(&network(), NEURONS, EDGES).unwrap();
    let values = |values: &[f64]| Quantity::Values { values: values.to_vec(), unit: None };
    assert_eq!(network.populations[0].parameters["gain"], values(&[1.5, 2.0, -1.0]));
    assert_eq!(network.populations[0].parameters["sign"], values(&[1.0, -1.0, 1.0]));
    let pairs = |index: usize| network.projections[index].pairs.as_deref().map(<[_]>::to_vec);
    assert_eq!(pairs(0), Some(vec![[0, 2], [1, 2]]));
    assert_eq!(network.projections[0].parameters["w"], values(&[5.0, 7.0]));
    assert_eq!(pairs(1), Some(vec![[0, 0], [1, 1]]));
    assert_eq!(pairs(2), Some(vec![[0, 1], [0, 2], [1, 0], [1, 2]]));
    assert_eq!(network.recordings[0].indices.of(3), [2]);
    network.check_files().unwrap();
}

#[test]
fn its_json_names_files_and_conditions() {
    let original = Network::from_json(&network()).unwrap();
    assert_eq!(original.files().collect::<Vec<_>>(), ["neurons.csv", "edges.csv.gz"]);
    assert!(original.check_files().unwrap_err().to_string().starts_with("populations[0].neurons.file is \"neurons.csv\""));
    let network = read(&network(), NEURONS, EDGES).unwrap();
    assert_eq!(Network::from_json(&network.to_json()).unwrap(), original);
    // A copy that needs no file.
    let alone = Network::from_json(&network.with_contents().to_json()).unwrap();
    assert_eq!((alone.files().count(), &alone.recordings[0].indices), (0, &Indices::List(vec![2])));
    assert_eq!(alone.projections[1].pairs, Some(Pairs::Listed(vec![[0, 0], [1, 1]])));
    assert_eq!(alone.projections[1].post.to_string(), "brain");
    assert!(alone.populations[0].parameters.contains_key("sign"));
}

#[test]
fn a_value_that_is_set_overrides_a_column() {
    let json = network().replace(r#""neurons": {"#, r#""parameters": {"gain": 3}, "neurons": {"#);
    let network = read(&json, NEURONS, EDGES).unwrap();
    assert_eq!(network.populations[0].parameters["gain"], Quantity::Number(3.0));
    assert_eq!(Network::from_json(&network.to_json()).unwrap().populations[0].parameters.len(), 1);
}

#[test]
fn what_does_not_fit_together_is_counted() {
    let edges = |row: &str| read(&network(), NEURONS, &format!("{EDGES}{row}\n")).unwrap_err().to_string();
    let unknown = "720575940600000001,9,GNG,1,ACH\n8,720575940600000001,GNG,1,ACH\n8,720575940600000002,GNG,1,ACH";
    let said = edges(unknown);
    assert!(
        said.starts_with("edges.csv.gz:4: column 2 is \"9\", but it must be the identifier of a postsynaptic neuron"),
        "{said}"
    );
    assert!(
        said.contains("3 of 5 rows have 2 different ones that it lacks") && said.contains("\"skip_unknown\": true"),
        "{said}"
    );
    let skipping = network().replace(r#""columns": {"w""#, r#""skip_unknown": true, "columns": {"w""#);
    let network_without = read(&skipping, NEURONS, &format!("{EDGES}{unknown}\n")).unwrap();
    assert_eq!(network_without.projections[0].pairs.as_deref().map(<[_]>::len), Some(2));
    assert_eq!(network_without.projections[0].parameters["w"], Quantity::Values { values: vec![5.0, 7.0], unit: None });
    let float = edges("7.20575940600000001e17,720575940600000002,GNG,1,ACH");
    assert!(float.contains("has lost its last digits"), "{float}");

    for (from, to, said) in [
        (r#""size": 3, "equations""#, r#""size": 4, "equations""#, "populations[0].size is 4, but neurons.csv has 3 rows"),
        (r#""id": "root_id""#, r#""id": "rootid""#, "neurons.csv: there is no column `rootid`; did you mean `root_id`?"),
        (
            r#""w": "syn_count""#,
            r#""w": "syn_counts""#,
            "edges.csv.gz:1: there is no column `syn_counts`; did you mean `syn_count`?",
        ),
        (r#"{"gain": "gain"}"#, r#"{"gain": "nt_type"}"#, "neurons.csv:2 is \"ACH\", but a finite number is expected"),
        (r#""GABA": -1"#, r#""gaba": -1"#, "neurons.csv is without \"gaba\""),
        (
            "brain[cell_type == 'sugar']\", \"connect\": {\"rule\": \"one",
            "brain[cell_type == 'MN9']\", \"connect\": {\"rule\": \"one",
            "projections[1].connect is one_to_one from 2 to 1 neurons",
        ),
        ("cell_type ~ 'MN*'", "cell_type ~ 'XX*'", "recordings[0].indices is \"cell_type ~ 'XX*'\", but no neuron of brain"),
        (
            "cell_type ~ 'MN*'",
            "cell_type = 'MN9'",
            "recordings[0].indices is \"cell_type = 'MN9'\", but texts and numbers are compared by ==",
        ),
        (
            r#""rule": "all", "autapses": false"#,
            r#""rule": "bernoulli", "p": 0.5"#,
            "projections[2].connect is \"bernoulli\", but selected",
        ),
    ] {
        let json = network();
        assert!(json.contains(from), "{from}");
        let error = read(&json.replace(from, to), NEURONS, EDGES).unwrap_err().to_string();
        assert!(error.starts_with(said), "{error}");
    }
    let twice = read(&network(), &NEURONS.replace("0003", "0001"), EDGES).unwrap_err().to_string();
    assert!(twice.starts_with("column \"root_id\" of neurons.csv is \"720575940600000001\""), "{twice}");
}

#[test]
fn conditions_need_a_table() {
    let json = r#"{"name": "n", "dt_ms": 0.1, "duration_ms": 10, "populations": [{"name": "E", "size": 3, "model": "lif"}],
        "sources": [{"name": "s", "type": "poisson_input", "targets": ["E"], "var": "v", "N": 1, "rate": "1 Hz", "weight": "1 mV"}],
        "projections": [{"pre": "E", "post": "E", "connect": {"rule": "all"}, "on_pre": "v_post += 1*mV"}]}"#;
    for (from, to, said) in [
        (
            r#""pre": "E""#,
            r#""pre": "E[type == 'a']""#,
            "projections[0].pre is \"type == 'a'\", but a condition needs a table of neurons",
        ),
        (r#"["E"]"#, r#"["E[type == 'a']"]"#, "sources[0].targets[0] is \"E[type == 'a']\", but the targets of a poisson_input"),
    ] {
        let error = Network::from_json(&json.replace(from, to)).unwrap_err().to_string();
        assert!(error.starts_with(said), "{error}");
    }
}

#[test]
fn conditions_are_values_of_neurons() {
    let json = network()
        .replace("gain : 1\"", "gain : 1\\nsilenced : 1\\nsweet : 1\"")
        .replace(
            r#""neurons": {"#,
            r#""parameters": {"silenced": 0, "sweet": "cell_type == 'sugar' and gain > 1.7"}, "neurons": {"#,
        )
        .replace(r#""recordings""#, r#""changes": [{"at_ms": 5, "set": {"brain.silenced": "nt_type == 'ACH'"}}], "recordings""#);
    let original = Network::from_json(&json).unwrap();
    let mut network = read(&json, NEURONS, EDGES).unwrap();
    let list = |values: [f64; 3]| Quantity::Values { values: values.to_vec(), unit: None };
    assert_eq!(network.populations[0].parameters["sweet"], list([0.0, 1.0, 0.0]));
    // What a change will set for each neuron is a list from the start.
    assert_eq!(network.populations[0].parameters["silenced"], list([0.0; 3]));
    assert_eq!(Network::from_json(&network.to_json()).unwrap(), original);
    let due = network.schedule();
    network.make_change(&due).unwrap();
    assert_eq!(network.populations[0].parameters["silenced"], list([1.0, 0.0, 1.0]));
    // One number for all neurons of a list, and what is not of the table.
    network.set("brain.silenced", "0").unwrap();
    assert_eq!(network.populations[0].parameters["silenced"], list([0.0; 3]));
    network.set("brain.sweet", "n > 3").unwrap();
    assert_eq!(network.populations[0].parameters["sweet"], Quantity::Text("n > 3".to_owned()));
    // A copy that needs no table has lists.
    let alone = Network::from_json(&network.clone().with_contents().to_json()).unwrap();
    assert_eq!(alone.changes[0].set["brain.silenced"], list([1.0, 0.0, 1.0]));

    let wrong = |network: &mut Network, text: &str| network.set("brain.sweet", text).unwrap_err().to_string();
    assert!(wrong(&mut network, "cell_type == 'suger'").contains("no neuron of neurons.csv has it"));
    assert!(wrong(&mut network, "gain > 100 and nt_type == 'ACH'").contains("no neuron of neurons.csv has all of this"));
    assert!(wrong(&mut network, "typ == 'sugar'").contains("`typ`"));
    let mut plain = Network::from_json(
        r#"{"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": [{"name": "brain", "size": 2, "equations": "sweet : 1"}]}"#,
    )
    .unwrap();
    assert!(wrong(&mut plain, "type == 'KC'").contains("`brain` has none"));
}

#[test]
fn values_that_are_set_stay_in_the_json() {
    let mut network = read(&network(), NEURONS, EDGES).unwrap();
    network.set("brain.gain", "[4, 5, 6]").unwrap();
    network.set("brain.sign", "nt_type == 'ACH'").unwrap();
    let again = Network::from_json(&network.to_json()).unwrap();
    assert_eq!(again.populations[0].parameters["gain"], Quantity::Values { values: vec![4.0, 5.0, 6.0], unit: None });
    assert_eq!(again.populations[0].parameters["sign"], Quantity::Text("nt_type == 'ACH'".to_owned()));
}

#[test]
fn silenced_neurons_fire_no_spikes_by_their_equations() {
    let mut network = read(&network(), NEURONS, EDGES).unwrap();
    network.silence_neurons(&"brain[cell_type == 'sugar']".parse().unwrap()).unwrap();
    network.silence_neurons(&"brain[2:]".parse().unwrap()).unwrap();
    let population = &network.populations[0];
    assert_eq!(population.threshold.as_deref(), Some("(v > 1*mV) and silenced == 0"));
    assert_eq!(population.events["silent_spike"].condition, "(v > 1*mV) and silenced == 1");
    assert_eq!(population.events["silent_spike"].statements.as_deref(), Some("v = 0*mV"));
    assert_eq!(population.parameters["silenced"], Quantity::Values { values: vec![1.0; 3], unit: None });
    let wrong =
        |network: &mut Network, neurons: &str| network.silence_neurons(&neurons.parse().unwrap()).unwrap_err().to_string();
    assert!(wrong(&mut network, "brian").contains("brain"));
    assert!(wrong(&mut network, "brain[2:5]").contains("neurons 0 to 2"));
    assert!(wrong(&mut network, "brain[cell_type == 'x']").contains("no neuron"));
    let of_library =
        r#"{"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": [{"name": "E", "size": 2, "model": "lif_exp"}]}"#;
    let mut network = Network::from_json(of_library).unwrap();
    // A change to one number stays one number.
    let mut timed = network.clone();
    timed.add_change("0.5 ms: E.silenced = 1".parse().unwrap()).unwrap();
    assert_eq!(timed.populations[0].parameters["silenced"], Quantity::Number(0.0));
    network.silence_neurons(&"E[1:]".parse().unwrap()).unwrap();
    assert_eq!(network.populations[0].parameters["silenced"], Quantity::Values { values: vec![0.0, 1.0], unit: None });
    assert!(network.populations[0].model.is_none() && network.populations[0].threshold.as_ref().unwrap().contains("silenced"));
}

#[test]
fn rows_of_one_pair_become_one_synapse_where_the_network_says_so() {
    let twice =
        format!("{EDGES}720575940600000001,720575940600000003,PRW,2,ACH\n720575940600000001,720575940600000003,PRW,2,ACH\n");
    let apart = read(&network(), NEURONS, &twice).unwrap();
    let notice = |network: &Network| network.notices_of_files().iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    assert_eq!(apart.projections[0].pairs.as_deref().map(<[_]>::len), Some(4));
    assert!(notice(&apart).contains("edges.csv.gz has 1 times the pair of neurons of the row before"), "{}", notice(&apart));
    let json = network().replace(r#""columns": {"w": "syn_count"}"#, r#""columns": {"w": "syn_count"}, "sum": ["w"]"#);
    let summed = read(&json, NEURONS, &twice).unwrap();
    assert_eq!(summed.projections[0].pairs.as_deref(), Some(&[[0, 2], [1, 2]][..]));
    assert_eq!(summed.projections[0].parameters["w"], Quantity::Values { values: vec![9.0, 7.0], unit: None });
    assert!(notice(&summed).contains("4 rows of edges.csv.gz became 2 synapses"), "{}", notice(&summed));
    assert_eq!(Network::from_json(&summed.to_json()).unwrap(), Network::from_json(&json).unwrap());
    let wrong = read(&json.replace(r#""sum": ["w"]"#, r#""sum": ["v"]"#), NEURONS, &twice).unwrap_err().to_string();
    assert!(wrong.contains("`w`"), "{wrong}");
}
