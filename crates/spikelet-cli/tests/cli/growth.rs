//! What is ten times as long takes at most fifteen times the instructions, counted by callgrind: on Linux, with `SPIKELET_FULL=1`.

use std::process::Command;

use serde_json::{Value, json};

use crate::folder;

/// A cell that nothing drives to its threshold.
fn cell(name: &str) -> Value {
    json!({"name": name, "size": 2, "equations": "dv/dt = (I - v)/(10*ms) : 1\nI : 1 (constant)", "threshold": "v > 1", "reset": "v = 0",
           "parameters": {"I": 0.9}})
}

fn network(key: &str, parts: Vec<Value>) -> String {
    let mut network = json!({"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": [cell("p")]});
    network[key] = parts.into();
    network.to_string()
}

fn populations(count: usize) -> String {
    network("populations", (0..count).map(|k| cell(&format!("p{k}"))).collect())
}

fn projections(count: usize) -> String {
    let projection = |k: usize| {
        json!({"name": format!("s{k}"), "pre": "p", "post": "p", "connect": {"rule": "all"}, "equations": "w : 1 (constant)",
               "on_pre": "v_post += w", "parameters": {"w": 0.1}, "delay_ms": 1})
    };
    network("projections", (0..count).map(projection).collect())
}

fn changes(count: usize) -> String {
    let change = |k: usize| json!({"at_ms": 0.1*(k % 10) as f64, "set": {"p.I": 0.5 + 0.4*k as f64/count as f64}});
    network("changes", (0..count).map(change).collect())
}

/// A change of each of as many projections and populations.
fn changes_of_objects(count: usize) -> String {
    let projection = |k: usize| {
        json!({"name": format!("s{k}"), "pre": format!("p{k}"), "post": "p0", "connect": {"rule": "all"}, "equations": "w : 1 (constant)",
               "on_pre": "v_post += w", "parameters": {"w": 0.1}, "delay_ms": 1})
    };
    let change = |k: usize| {
        let set = json!({format!("s{k}.w"): 0.1 + 0.4*k as f64/count as f64, format!("p{k}.I"): 0.5 + 0.4*k as f64/count as f64});
        json!({"at_ms": 0.1*(k % 10) as f64, "set": set})
    };
    let populations: Vec<Value> = (0..count).map(|k| cell(&format!("p{k}"))).collect();
    let mut network = json!({"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": populations});
    network["projections"] = (0..count).map(projection).collect();
    network["changes"] = (0..count).map(change).collect();
    network.to_string()
}

fn recordings(count: usize) -> String {
    let recording = |k: usize| json!({"object": "p", "var": "v", "indices": [k % 2]});
    network("recordings", (0..count).map(recording).collect())
}

/// LEMS with this many connections.
fn connections(count: usize) -> String {
    let connection =
        |k: usize| format!(r#"<connection id="{k}" preCellId="../p[{}]" postCellId="../p[{}]"/>"#, k % 100, k * 7 % 100);
    let connections: String = (0..count).map(connection).collect();
    format!(
        r#"<Lems><Target component="sim"/>
        <iafCell id="c" leakReversal="-50mV" thresh="-55mV" reset="-70mV" C="0.2nF" leakConductance="0.01uS"/>
        <expOneSynapse id="s" gbase="5nS" erev="0mV" tauDecay="3ms"/>
        <network id="net"><population id="p" component="c" size="100"/>
        <projection id="pr" presynapticPopulation="p" postsynapticPopulation="p" synapse="s">{connections}</projection></network>
        <Simulation id="sim" length="1ms" step="0.1ms" target="net"/></Lems>"#
    )
}

/// Instructions of a command; its exit status does not matter.
fn instructions(words: &[&str]) -> u64 {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", env!("CARGO_BIN_EXE_spikelet")]).args(words);
    let said = command.output().expect("valgrind starts: apt-get install valgrind").stderr;
    let said = String::from_utf8_lossy(&said);
    let count = said.lines().find_map(|line| line.split_once("Collected :")).expect(&said).1;
    count.trim().parse().expect(&said)
}

#[test]
fn ten_times_the_text_takes_at_most_fifteen_times_the_instructions() {
    if std::env::var_os("SPIKELET_FULL").is_none() || cfg!(not(target_os = "linux")) {
        return;
    }
    type Make = fn(usize) -> String;
    let cases: [(&str, &str, Make, usize); 8] = [
        ("populations", "check", populations, 60),
        ("projections", "check", projections, 60),
        ("changes", "check", changes, 100),
        ("changes", "run", changes, 100),
        ("changes of objects", "check", changes_of_objects, 60),
        ("changes of objects", "run", changes_of_objects, 60),
        ("recordings", "check", recordings, 100),
        ("connections", "import", connections, 1000),
    ];
    let folder = folder("growth");
    let mut wrong = Vec::new();
    for (what, command, make, size) in cases {
        let [few, many] = [size, 10 * size].map(|size| {
            let file = folder.join(if command == "import" { "n.xml" } else { "n.json" });
            std::fs::write(&file, make(size)).expect("the folder is writable");
            let out = folder.join(format!("{}-{command}-{size}", what.replace(' ', "-")));
            let (file, out) = (file.display().to_string(), out.display().to_string());
            match command {
                "check" => instructions(&[command, &file]),
                _ => instructions(&[command, &file, "--out", &out]),
            }
        });
        // What every start costs is in both.
        let start = instructions(&["--version"]);
        let ratio = (many - start) as f64 / (few - start) as f64;
        println!("{command} of {size} and {} {what}: {few} and {many} instructions, {ratio:.1} times as many", 10 * size);
        if ratio > 15.0 {
            wrong.push(format!("{what}, {command}: {ratio:.1}"));
        }
    }
    assert!(wrong.is_empty(), "more than linear:\n{}", wrong.join("\n"));
}
