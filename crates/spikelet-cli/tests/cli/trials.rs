//! `spikelet run --trials`, `--trial` and `--sweep`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn run(arguments: &[&str]) -> Output {
    let base = ["run", "izhikevich", "--scale", "0.2", "--backend", "cpu", "--time", "40"];
    let output = Command::new(env!("CARGO_BIN_EXE_spikelet")).args(base).args(arguments).output().expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    output
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_slice(&run(&[&["--json"], arguments].concat()).stdout).expect("stdout is one JSON value")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the program writes UTF-8")
}

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    _ = fs::remove_dir_all(&folder);
    folder
}

#[test]
fn one_trial_alone_is_that_trial_of_the_batch() {
    let batch = json(&["--trials", "5", "--threads", "2"]);
    let results = batch["results"].as_array().expect("a list");
    assert_eq!((results.len(), &batch["trials"]), (5, &5.into()));
    assert!(batch["trial_steps_per_second"].as_f64() > Some(0.0));
    let spikes: u64 = results.iter().filter_map(|result| result["spikes"].as_u64()).sum();
    assert_eq!(batch["spikes"].as_u64(), Some(spikes));
    for (trial, threads) in [(0, "1"), (3, "4"), (4, "2")] {
        let alone = json(&["--trial", &trial.to_string(), "--threads", threads]);
        assert_eq!(alone["spikes_hash"], batch["spikes_hash"][trial], "trial {trial}");
        assert_eq!(alone["results"][0], results[trial]);
        assert_eq!(alone["results"][0]["trial"], trial);
    }
    let keys: Vec<&str> = results[0].as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["values", "trial", "time_ms", "spikes", "spikes_hash", "rates_hz", "completed", "failure", "stopped", "statistics"]
    );
    assert_eq!(results[0]["values"], Value::Object(serde_json::Map::new()));
    assert!(results[0]["rates_hz"]["E"].as_f64() > Some(0.0), "{}", results[0]);
}

#[test]
fn a_sweep_runs_every_combination_with_every_trial() {
    let out = folder("sweep_out");
    let path = out.display().to_string();
    let grid = ["--sweep", "E.noise=4..6:3", "--sweep", "I.noise=1,2", "--trials", "2", "--out", &path, "--format", "csv"];
    let report = json(&grid);
    let results = report["results"].as_array().expect("a list");
    let values: Vec<String> = results
        .iter()
        .map(|result| {
            format!("{} {} {}", result["values"]["E.noise"], result["values"]["I.noise"], result["trial"]).replace('"', "")
        })
        .collect();
    let expected: Vec<String> =
        ["4", "5", "6"].iter().flat_map(|e| ["1 0", "1 1", "2 0", "2 1"].map(|rest| format!("{e} {rest}"))).collect();
    assert_eq!(values, expected);
    let set = json(&["--set", "E.noise=5", "--set", "I.noise=2", "--trial", "1"]);
    assert_eq!(set["spikes_hash"], results[7]["spikes_hash"]);

    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(read("variants.csv"), "variant,E.noise,I.noise\n0,4,1\n1,4,2\n2,5,1\n3,5,2\n4,6,1\n5,6,2\n");
    let spikes = read("spikes.csv");
    assert!(spikes.starts_with("variant,trial,population,neuron,step,time_ms\n0,0,"), "{}", &spikes[..100]);
    let of = |start: &str| spikes.lines().filter(|line| line.starts_with(start)).count() as u64;
    assert_eq!(Some(of("3,1,")), results[7]["spikes"].as_u64());

    let table = text(&run(&["--sweep", "E.noise=4..6:3", "--trials", "2"]).stdout);
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(lines.iter().any(|line| line.starts_with(&["E.noise", "trials", "spikes", "E", "Hz"])), "{table}");
    assert!(["4", "5", "6"].iter().all(|value| lines.iter().any(|line| line.starts_with(&[value, "2"]))), "{table}");
    assert!(table.contains("trial-steps/s"), "{table}");
}

#[test]
fn what_finds_no_room_follows() {
    let all = json(&["--trials", "6"]);
    let output = run(&["--trials", "6", "--memory", "1220KiB", "--storage", "stored", "--json"]);
    let notice = text(&output.stderr);
    assert!(notice.contains("of 6 trials run in parallel, and the others after them: each needs"), "{notice}");
    assert_eq!(notice.matches("notice:").count(), 1, "{notice}");
    let limited: Value = serde_json::from_slice(&output.stdout).expect("stdout is one JSON value");
    assert_eq!(limited["spikes_hash"], all["spikes_hash"]);
    assert_eq!(text(&run(&["--trials", "6", "--memory", "1220KiB", "--storage", "stored", "--quiet"]).stderr), "");
}

#[test]
fn values_that_change_what_is_built_run_in_groups() {
    let output = run(&["--sweep", "E.size=100,120", "--sweep", "E.noise=4,5", "--trials", "2", "--json"]);
    let notice = text(&output.stderr);
    assert_eq!(notice, "notice: E.size changes the build: 4 networks run in 2 groups, one after the other\n");
    let report: Value = serde_json::from_slice(&output.stdout).expect("stdout is one JSON value");
    let set = json(&["--set", "E.size=120", "--set", "E.noise=5", "--trial", "1"]);
    assert_eq!(report["results"][7]["spikes_hash"], set["spikes_hash"]);
    assert_eq!(report["results"].as_array().map(Vec::len), Some(8));
    // Another time step makes another number of steps.
    let steps = json(&["--sweep", "dt_ms=0.5,1"]);
    assert_eq!((&steps["results"][0]["time_ms"], &steps["results"][1]["time_ms"]), (&40.0.into(), &40.0.into()));
}

#[test]
fn a_trial_that_stops_leaves_the_others_alone() {
    let free = json(&["--trials", "4"]);
    let least = (0..4).filter_map(|trial| free["results"][trial]["spikes"].as_u64()).min().expect("four trials");
    let condition = format!("spikes > {least}");
    let stopping = json(&["--trials", "4", "--stop", &condition]);
    let mut ended = 0;
    for trial in 0..4 {
        let (free, stopping) = (&free["results"][trial], &stopping["results"][trial]);
        if stopping["stopped"].is_null() {
            assert_eq!(free["spikes_hash"], stopping["spikes_hash"]);
        } else {
            ended += 1;
            assert_eq!(stopping["stopped"]["time_ms"], stopping["time_ms"]);
            assert!(stopping["spikes"].as_u64() > Some(least));
        }
    }
    assert!(ended > 0 && ended < 4, "{stopping}");
}
