//! Tables written to files and read again.

use std::io::Cursor;
use std::sync::Arc;

use crate::{BuildOptions, Builder, Cpu, EdgePlan, EdgeTable, Network, Plan, ReadSeek, Simulation, Spike};

/// Two populations, with one projection of each kind of values between them.
fn network(projection: &str) -> Network {
    let text = format!(
        r#"{{
            "name": "kinds", "dt_ms": 0.1, "duration_ms": 60, "seed": 7,
            "populations": [
                {{"name": "E", "size": 60, "equations": "dv/dt = (ge + 22*mV - v)/(20*ms) : volt (unless refractory)\ndge/dt = -ge/(5*ms) : volt",
                  "threshold": "v > 20*mV", "reset": "v = 0*mV", "refractory": "2*ms", "initial": {{"v": "20*mV*rand()"}}}},
                {{"name": "I", "size": 30, "equations": "dv/dt = (ge + 15*mV - v)/(10*ms) : volt\ndge/dt = -ge/(5*ms) : volt",
                  "threshold": "v > 16*mV", "reset": "v = 0*mV", "initial": {{"v": "16*mV*rand()"}}}}
            ],
            "projections": [{{"name": "EI", "pre": "E", "post": "I", {projection}}}]
        }}"#
    );
    Network::from_json(&text).unwrap()
}

const KINDS: [&str; 15] = [
    r#""connect": {"rule": "bernoulli", "p": 0.2}, "on_pre": "ge_post += w", "parameters": {"w": "1.62 mV"}, "delay_ms": 1.2"#,
    r#""connect": {"rule": "bernoulli", "p": 0.2}, "on_pre": "ge_post += w", "parameters": {"w": "(1 + 0.5*rand())*mV"},
       "delay_ms": "(1 + 3*rand())*ms""#,
    r#""connect": {"rule": "bernoulli", "p": 0.2}, "on_pre": "ge_post += w", "parameters": {"w": "(1 + 0.5*randn())*mV"},
       "delay_ms": "(1 + 3*rand())*ms", "storage": "procedural""#,
    r#""connect": {"rule": "fixed_total", "n": 500}, "on_pre": "ge_post += w", "parameters": {"w": "(1 + 0.5*randn())*mV"},
       "weights": "f16", "delay_ms": 2"#,
    r#""connect": {"rule": "fixed_indegree", "n": 9}, "max_outdegree": 5, "on_pre": "ge_post += w", "parameters": {"w": "i*0.05*mV"}"#,
    r#""pairs": [[3, 2], [1, 0], [1, 5], [59, 29], [3, 2], [40, 7]], "on_pre": "ge_post += w",
       "parameters": {"w": {"values": [20, 18.1, 17.3, 16.2, 15.1, 19.4], "unit": "mV"}}, "delay_ms": [5, 4, 3, 2, 1, 0.5]"#,
    r#""connect": {"rule": "bernoulli", "p": 0.3}, "on_pre": "ge_post += w*x", "parameters": {"w": "2 mV", "x": "rand()"}, "delay_ms": 1"#,
    r#""connect": {"rule": "fixed_indegree", "n": 12}, "equations": "w : volt\ndx/dt = -x/tau : 1 (event-driven)\ntau : second (constant)",
       "on_pre": "ge_post += w\nx += 1\nw = clip(w + 0.1*mV*x, 0*mV, 4*mV)", "on_post": "w = clip(w - 0.05*mV*x, 0*mV, 4*mV)",
       "parameters": {"tau": "(10 + 5*rand())*ms"}, "initial": {"w": "(1 + rand())*mV"}, "delay_ms": "(1 + rand())*ms""#,
    r#""connect": {"rule": "all"}, "synapses_per_pair": 2, "on_pre": "ge_post += w", "parameters": {"w": "0.2*mV*rand()"}, "delay_ms": 1"#,
    r#""pairs": [[3, 2], [1, 0], [1, 5], [59, 29], [4, 2], [40, 7]], "max_indegree": 1, "on_pre": "ge_post += w",
       "parameters": {"w": {"values": [20, 18.1, 17.3, 16.2, 15.1, 19.4], "unit": "mV"}}, "delay_ms": [5, 4, 3, 2, 1, 0.5]"#,
    r#""pairs": [[3, 2], [1, 0], [1, 5], [59, 29], [4, 2], [40, 7]], "max_indegree": 1, "equations": "w : volt",
       "on_pre": "ge_post += w\nw = clip(w + 0.1*mV, 0*mV, 40*mV)", "initial": {"w": {"values": [20, 18.1, 17.3, 16.2, 15.1, 19.4], "unit": "mV"}}"#,
    r#""pairs": [[3, 2], [1, 0], [1, 5]], "on_pre": "ge_post += w; ge_pre -= 0.01*mV", "parameters": {"w": {"expr": "(1 + rand())*mV"}}"#,
    r#""connect": {"rule": "fixed_outdegree", "n": 7}, "on_pre": {"a": "ge_post += w", "b": "ge_post += 0.5*w"},
       "parameters": {"w": "(1 + 0.5*randn())*mV"}, "delay_ms": {"a": "3*rand()*ms", "b": 1.5}"#,
    r#""connect": {"rule": "fixed_outdegree", "n": 7}, "on_pre": {"a": "ge_post += w", "b": "w = clip(w + 0.1*mV, 0*mV, 4*mV)"},
       "on_post": {"c": "w = clip(w - 0.05*mV, 0*mV, 4*mV)"}, "equations": "w : volt", "initial": {"w": "(1 + rand())*mV"},
       "delay_ms": {"a": "3*rand()*ms", "b": "2*rand()*ms"}, "delay_post_ms": {"c": "4*rand()*ms"}"#,
    r#""connect": {"rule": "bernoulli", "p": 0.2}, "on_pre": {"a": "ge_post += w", "b": "ge_post += 0.5*w"}, "equations": "w : volt",
       "on_post": "w = clip(w - 0.05*mV, 0*mV, 4*mV)", "initial": {"w": "(1 + rand())*mV"}, "delay_ms": "3*rand()*ms",
       "delay_post_ms": "2*rand()*ms""#,
];

fn plan(network: &Network) -> Arc<Plan> {
    let mut builder = Builder::new(network, BuildOptions::default()).unwrap();
    while !builder.advance().unwrap().is_done {}
    Arc::new(builder.finish().unwrap())
}

fn spikes(network: &Network, steps: u32) -> Vec<Spike> {
    pollster::block_on(async {
        let mut simulation = Simulation::new(network, Box::new(Cpu::new(1))).await.unwrap();
        let spikes = simulation.advance(steps).await.unwrap().spikes;
        assert!(spikes.len() > 60, "{} spikes", spikes.len());
        spikes
    })
}

fn read(network: &Network, name: &str, bytes: &[u8]) -> Result<Network, crate::Error> {
    let mut network = network.clone();
    network.resolve(&mut |wanted| {
        assert_eq!(wanted, name);
        Ok(Box::new(Cursor::new(bytes.to_vec())) as Box<dyn ReadSeek>)
    })?;
    Ok(network)
}

fn files(table: &EdgeTable) -> [(&'static str, Vec<u8>); 2] {
    let mut csv = Vec::new();
    table.write_csv(&mut csv).unwrap();
    [("edges.npz", table.write_npz(Cursor::new(Vec::new())).unwrap().into_inner()), ("edges.csv", csv)]
}

#[test]
fn networks_that_read_their_own_tables_have_the_same_spikes() {
    for kind in KINDS {
        let network = network(kind);
        let plan = plan(&network);
        let table = EdgeTable::new(Arc::new(network.clone()), plan.clone(), "EI", None).unwrap();
        assert_eq!(table.len(), table.all().unwrap().pre.len() as u64, "{kind}");
        for (name, bytes) in files(&table) {
            let mut imported = network.clone();
            table.attach(&mut imported, name).unwrap();
            // What is written is a valid network.
            let imported = read(&Network::from_json(&imported.to_json()).unwrap(), name, &bytes).unwrap();
            let again = self::plan(&imported);
            assert_eq!(again.projections[0].synapses(), table.len(), "{kind}");
            if let EdgePlan::Stored(rows) = &plan.projections[0].edges {
                assert!(rows.targets().eq(again.projections[0].rows().targets()), "{kind}");
            }
            let twice = EdgeTable::new(Arc::new(imported.clone()), again, "EI", None).unwrap();
            assert_eq!(twice.all().unwrap(), table.all().unwrap(), "{kind}");
            assert_eq!(spikes(&imported, 600), spikes(&network, 600), "{kind}: {name}");
        }
    }
}

#[test]
fn tables_of_a_run_have_its_present_values() {
    let network = network(KINDS[7]);
    let mut simulation = pollster::block_on(Simulation::new(&network, Box::new(Cpu::new(1)))).unwrap();
    let before = pollster::block_on(simulation.edge_table(0, "EI")).unwrap();
    pollster::block_on(simulation.advance(600)).unwrap();
    let after = pollster::block_on(simulation.edge_table(0, "EI")).unwrap();
    let names: Vec<&str> = after.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["delay_ms", "x", "tau", "w"]);
    let (before, after) = (before.all().unwrap(), after.all().unwrap());
    assert_eq!((&before.pre, &before.post, &before.values[2]), (&after.pre, &after.post, &after.values[2]));
    assert_ne!(before.values[3], after.values[3]);
    let w = pollster::block_on(simulation.values(0, "EI.w")).unwrap();
    assert_eq!(after.values[3], w);
}

#[test]
fn tables_of_static_synapses_follow_values_that_are_set() {
    let mut network = network(KINDS[0]);
    network.duration_ms = 10.0;
    let mut simulation = pollster::block_on(Simulation::new(&network, Box::new(Cpu::new(1)))).unwrap();
    let weight = |simulation: &mut Simulation| {
        let table = pollster::block_on(simulation.edge_table(0, "EI")).unwrap();
        assert_eq!((table.columns()[0].name.as_str(), table.columns()[0].shared), ("delay_ms", Some(1.2)));
        assert_eq!((table.columns()[1].name.as_str(), table.columns()[1].unit.as_str()), ("w", "mV"));
        table.columns()[1].shared.unwrap()
    };
    assert!((weight(&mut simulation) - 1.62).abs() < 1e-6);
    pollster::block_on(simulation.set("EI.w", "0.81 mV")).unwrap();
    assert!((weight(&mut simulation) - 0.81).abs() < 1e-6);
}

#[test]
fn files_of_other_sizes_are_rejected_with_their_place() {
    let network = network(KINDS[5]);
    let table = EdgeTable::new(Arc::new(network.clone()), plan(&network), "EI", None).unwrap();
    let mut imported = network.clone();
    table.attach(&mut imported, "edges.csv").unwrap();
    let [_, (_, csv)] = files(&table);
    let csv = String::from_utf8(csv).unwrap();
    assert!(csv.starts_with("pre,post,delay_ms,w [mV]\n3,2,5,20\n1,0,4,18.1"), "{csv}");
    for (from, to, expected) in [
        ("59,29,", "60,29,", "edges.csv:5: column 1 is \"60\", but the presynaptic neurons are 0 to 59"),
        ("59,29,", "59,30,", "edges.csv:5: column 2 is \"30\", but the postsynaptic neurons are 0 to 29"),
        ("59,29,2,", "59,29,NaN,", "edges.csv:5: column 3 is \"NaN\", but a finite number is expected"),
        ("59,29,2,", "59,29,", "edges.csv:5"),
    ] {
        let error = read(&imported, "edges.csv", csv.replace(from, to).as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let error = EdgeTable::new(Arc::new(network.clone()), plan(&network), "IE", None).unwrap_err().to_string();
    assert!(error.contains("EI"), "{error}");
}
