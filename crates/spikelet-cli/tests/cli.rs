//! The `spikelet` program as a user meets it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn spikelet(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_spikelet")).args(arguments).output().expect("the program starts")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("the program was not killed")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the program writes UTF-8")
}

fn json(arguments: &[&str]) -> Value {
    let output = spikelet(arguments);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("stdout is one JSON value")
}

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

fn file(name: &str, content: &str) -> String {
    let path = folder(name).join("network.json");
    fs::write(&path, content).expect("the target folder is writable");
    path.display().to_string()
}

const SMALL: &str = r#"{
  "name": "small",
  "dt_ms": 0.1,
  "duration_ms": 50,
  "populations": [
    {"name": "n", "size": 10, "equations": "dv/dt = (I - v)/tau : 1\nI : 1 (constant)",
     "threshold": "v > 1", "reset": "v = 0", "refractory": "2*ms",
     "parameters": {"tau": "10 ms", "I": {"expr": "1.1 + 0.1*i"}}}
  ],
  "projections": [
    {"pre": "n", "post": "n", "connect": {"rule": "bernoulli", "p": 0.5}, "on_pre": "v_post += w",
     "equations": "w : 1", "initial": {"w": 0.01}, "delay_ms": 1}
  ],
  "recordings": [{"object": "n", "var": "v", "indices": [0, 9]}]
}"#;

#[test]
fn the_report_has_exactly_its_keys() {
    let report = json(&["run", "cuba", "--backend", "cpu", "--time", "100", "--seed", "3", "--threads", "2", "--json"]);
    let keys: Vec<&str> = report.as_object().expect("an object").keys().map(String::as_str).collect();
    let expected = "network, neurons, synapses, dt_ms, time_ms, seed, trials, backend, build_seconds, first_spike_seconds, \
                    simulate_seconds, real_time_factor, trial_steps_per_second, spikes, synaptic_events, synaptic_events_per_second, memory_bytes, resident_bytes, \
                    buffers, device_bytes, \
                    populations, spikes_hash, changes, stopped, notices, results";
    assert_eq!(keys.join(", "), expected);
    let keys = |value: &Value| value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>().join(", "));
    assert_eq!(keys(&report["backend"]).as_deref(), Some("kind, name, threads, reason"));
    assert_eq!(keys(&report["populations"][0]).as_deref(), Some("name, size, rate_hz, cv_isi"));

    let bytes = |buffers: &Value| buffers.as_array().map(|list| list.iter().filter_map(|of| of["bytes"].as_u64()).sum::<u64>());
    assert_eq!((bytes(&report["buffers"]), &report["device_bytes"]), (report["memory_bytes"].as_u64(), &report["memory_bytes"]));
    assert_eq!(report["network"], "cuba");
    assert_eq!((&report["neurons"], &report["seed"], &report["trials"]), (&4000.into(), &3.into(), &1.into()));
    assert_eq!((report["dt_ms"].as_f64(), report["time_ms"].as_f64()), (Some(0.1), Some(100.0)));
    assert_eq!((&report["backend"]["kind"], &report["backend"]["threads"]), (&"cpu".into(), &2.into()));
    assert!(report["spikes"].as_u64() > Some(0) && report["synaptic_events"].as_u64() > report["spikes"].as_u64());
    let seconds = |key: &str| report[key].as_f64().unwrap_or_else(|| panic!("{key} is a number"));
    assert!(seconds("build_seconds") < seconds("first_spike_seconds"));
    assert!((seconds("real_time_factor") - seconds("simulate_seconds") * 10.0).abs() < 1e-9);
    let hash = report["spikes_hash"].as_str().expect("one trial has one hash");
    assert!(hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{hash}");
}

#[test]
fn the_same_seed_gives_the_same_spikes_with_any_number_of_threads() {
    for network in ["cuba", "coba", "izhikevich"] {
        let hash = |more: &[&str]| {
            let base = ["run", network, "--backend", "cpu", "--time", "50", "--json"];
            json(&[&base[..], more].concat())["spikes_hash"].clone()
        };
        let one = hash(&["--threads", "1"]);
        assert_eq!(one, hash(&["--threads", "1"]));
        assert_eq!(one, hash(&["--threads", "3"]));
        assert_ne!(one, hash(&["--seed", "2"]));
    }
}

/// Excitation from outside, an array of times, and what it does to a cell, said on the command line and in the file.
#[test]
fn a_protocol_changes_values_and_ends_the_run() {
    let base = ["run", "cuba", "--scale", "0.1", "--backend", "cpu", "--time", "60", "--json"];
    let run = |more: &[&str]| json(&[&base[..], more].concat());
    let plain = run(&[]);
    assert_eq!((&plain["changes"], &plain["stopped"]), (&Value::Array(Vec::new()), &Value::Null));

    let changed = run(&["--at", "20 ms: E.El=-60 mV", "--at", "10: EE.we=1 mV"]);
    assert_ne!(changed["spikes_hash"], plain["spikes_hash"]);
    let change = |index: usize| {
        let change = &changed["changes"][index];
        (change["time_ms"].as_f64(), change["path"].as_str(), change["value"].as_str())
    };
    assert_eq!(change(0), (Some(10.0), Some("EE.we"), Some("1 mV")));
    assert_eq!(change(1), (Some(20.0), Some("E.El"), Some("-60 mV")));

    let stopped = run(&["--stop", "spikes > 100", "--stop", "rate(E, 10 ms) > 10000 Hz"]);
    assert_eq!(stopped["stopped"]["condition"], "spikes > 100");
    assert!(stopped["stopped"]["time_ms"] == stopped["time_ms"] && stopped["time_ms"].as_f64() < Some(60.0), "{stopped}");
    assert!((101..200).contains(&stopped["spikes"].as_u64().unwrap_or(0)), "{stopped}");
    let trials = run(&["--stop", "spikes > 100", "--trials", "2"]);
    assert_eq!(trials["stopped"].as_array().map(Vec::len), Some(2), "{trials}");

    let out = folder("protocol");
    let write = ["--stop", "spikes > 100", "--at", "5 ms: E.El=-49 mV", "--out", &out.display().to_string()];
    let first = run(&write);
    let again = json(&["run", &out.join("network.json").display().to_string(), "--backend", "cpu", "--json"]);
    assert_eq!((&again["spikes_hash"], &again["stopped"]), (&first["spikes_hash"], &first["stopped"]));

    let table = spikelet(&[
        "run",
        "cuba",
        "--scale",
        "0.1",
        "--backend",
        "cpu",
        "--time",
        "60",
        "--at",
        "5.04 ms: E.El=-49 mV",
        "--at",
        "70 ms: E.El=-49 mV",
        "--stop",
        "spikes > 100",
    ]);
    for line in ["changed      E.El = -49 mV at 5 ms", "stopped      spikes > 100 at "] {
        assert!(text(&table.stdout).contains(line), "{line} in {}", text(&table.stdout));
    }
    assert_eq!(text(&table.stderr).matches("notice: changes[").count(), 2, "{}", text(&table.stderr));
}

/// A projection as a list, as a file beside the network, and as one attached on the command line: the same spikes.
#[test]
fn edges_are_read_from_files() {
    let with = |pairs: &str, more: &str| {
        let rule = r#""connect": {"rule": "bernoulli", "p": 0.5}"#;
        SMALL.replace(rule, &format!("\"pairs\": {pairs}")).replace("\"initial\": {\"w\": 0.01}, \"delay_ms\": 1", more)
    };
    let values = r#""initial": {"w": [0.2, 0.3, 0.1]}, "delay_ms": [1, 2, 0.5]"#;
    let hash = |network: &str, more: &[&str]| {
        json(&[&["run", network, "--backend", "cpu", "--json"], more].concat())["spikes_hash"].clone()
    };
    let listed = hash(&file("edges_listed", &with("[[0, 1], [9, 2], [4, 4]]", values)), &[]);

    let path = file("edges_file", &with("{\"file\": \"lists/edges.csv\"}", "\"initial\": {}"));
    let lists = Path::new(&path).with_file_name("lists");
    fs::create_dir_all(&lists).expect("the target folder is writable");
    let write = |name: &str, text: &str| {
        fs::write(lists.join(name), text).expect("the target folder is writable");
        lists.join(name).display().to_string()
    };
    write("edges.csv", "# from elsewhere\npost,pre,w,delay_ms [ms]\n1,0,0.2,1\n2,9,0.3,2\n4,4,0.1,0.5\n");
    let out = folder("edges_out");
    assert_eq!(hash(&path, &["--out", &out.display().to_string()]), listed);
    assert_eq!(hash(&out.join("network.json").display().to_string(), &[]), listed, "the written network finds the file");
    assert_eq!(code(&spikelet(&["check", &path])), 0);

    let rule = file("edges_rule", &SMALL.replace("\"initial\": {\"w\": 0.01}, \"delay_ms\": 1", "\"initial\": {}"));
    let whole = lists.join("edges.csv").display().to_string();
    assert_eq!(hash(&rule, &["--edges", &format!("n_n={whole}")]), listed);

    let refused = |more: &[&str], said: &str| {
        let output = spikelet(&[&["run", &rule, "--backend", "cpu"], more].concat());
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
        assert_eq!(code(&output), 2);
    };
    refused(&["--edges", "n_n"], "edges are the name of a projection, `=` and a file");
    refused(&["--edges", &format!("nn={whole}")], "there is no projection `nn`; did you mean `n_n`?");
    let other = write("edges.dat", "0,1,0.1\n");
    refused(&["--edges", &format!("n_n={other}")], "an edge list is a file that ends in .csv");
    refused(&["--edges", "n_n=no/such.csv"], "such.csv\", but there is no such file; check its name");
    let bad = write("bad.csv", "0,1,0.1\n0,x12,0.1\n");
    refused(&["--edges", &format!("n_n={bad}")], "bad.csv:2: column 2 is \"x12\", but a whole number is expected");
    fs::remove_file(whole).expect("it was there");
    let output = spikelet(&["check", &path]);
    assert!(text(&output.stderr).contains("projections[0].pairs.file is"), "{}", text(&output.stderr));
}

/// Cells whose synapses tire, with what is summed up of them.
fn tiring(name: &str) -> String {
    let network = SMALL.replace("v_post += w\"", "v_post += w*x\\nx *= 0.8\"").replace("w : 1\"", "w : 1 (constant)\\nx : 1\"");
    let network = network.replace("{\"w\": 0.01}", "{\"w\": {\"expr\": \"0.02*rand()\"}, \"x\": 1}");
    let statistics = r#""statistics": [{"object": "n_n", "var": "x", "every_ms": 20, "range": [0, 1], "bins": 4}], "recordings""#;
    file(name, &network.replace("\"recordings\"", statistics))
}

#[test]
fn statistics_are_shown_and_written() {
    let (path, out) = (tiring("statistics"), folder("statistics_out").display().to_string());
    let run = ["run", &path, "--backend", "cpu", "--trials", "2", "--out", &out];
    let report = json(&[&run[..], &["--json", "--format", "csv"]].concat());
    let statistic = &report["results"][1]["statistics"][0];
    assert_eq!((&statistic["name"], &statistic["unit"]), (&"n_n.x".into(), &"1".into()));
    assert_eq!(statistic["time_ms"], serde_json::json!([0.0, 20.0, 40.0]));
    assert_eq!(statistic["ends"], serde_json::json!([0.0, 0.25, 0.5, 0.75, 1.0]));
    let counts = statistic["counts"][2].as_array().expect("a histogram").iter().filter_map(Value::as_u64).sum::<u64>();
    assert_eq!((counts, &statistic["finite"][2]), (report["synapses"].as_u64().expect("a count"), &counts.into()));
    let lines = |name: &str| {
        let text = fs::read_to_string(Path::new(&out).join(name)).expect("it was written");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let statistics = lines("statistics.csv");
    assert_eq!(statistics[0], "trial,time_ms,statistic,unit,finite,not_finite,mean,sd,min,max,below,above");
    assert_eq!((statistics.len(), statistics[4].starts_with(&format!("1,0,n_n.x,1,{counts},0,1,0,1,1,0,0"))), (1 + 2 * 3, true));
    let histograms = lines("histograms.csv");
    assert_eq!((histograms.len(), histograms[4].clone()), (1 + 2 * 3 * 4, format!("0,0,n_n.x,0.75,1,{counts}")));

    let output = spikelet(&run);
    let mean =
        (0..2).map(|trial| report["results"][trial]["statistics"][0]["mean"][2].as_f64().expect("a mean")).sum::<f64>() / 2.0;
    let line =
        text(&output.stdout).lines().find(|line| line.starts_with("n_n.x ")).map(str::to_owned).expect("a line of its own");
    assert!(line.starts_with(&format!("n_n.x        {mean:.3} ± ")) && line.ends_with(", at 40 ms"), "{line}");
    let mut archive = zip::ZipArchive::new(fs::File::open(Path::new(&out).join("statistics.npz")).expect("it was written"))
        .expect("an archive");
    assert_eq!(archive.len(), 13);
    assert!(archive.by_name("n_n.x.counts.npy").is_ok());
}

/// A run is kept, and another one goes on with what its synapses have learnt.
#[test]
fn learnt_values_are_kept_and_taken_up() {
    let path = tiring("learned");
    let weights = Path::new(&path).with_file_name("weights.npz").display().to_string();
    let run = |more: &[&str]| spikelet(&[&["run", &path, "--backend", "cpu", "--quiet"], more].concat());
    let output = run(&["--save-weights", &weights]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let mean = |report: &Value, at: usize| report["results"][0]["statistics"][0]["mean"][at].clone();
    let learned = format!("n_n={weights}");
    let again = ["run", &path, "--backend", "cpu", "--json", "--learned", &learned];
    let first = json(&["run", &path, "--backend", "cpu", "--json", "--time", "60"]);
    let second = json(&[&again[..], &["--time", "20"]].concat());
    assert!(mean(&second, 0).as_f64() < mean(&first, 2).as_f64(), "{first} {second}");
    // What is written with it names the file, and finds it from anywhere.
    let out = folder("learned_out").display().to_string();
    json(&[&again[..], &["--out", &out]].concat());
    let kept = json(&["run", &Path::new(&out).join("network.json").display().to_string(), "--backend", "cpu", "--json"]);
    assert_eq!(mean(&kept, 0), mean(&second, 0));

    // The end of a run that a condition ends, wherever the device is by then.
    let ended = Path::new(&path).with_file_name("ended.npz").display().to_string();
    let stop = json(&["run", &path, "--backend", "cpu", "--json", "--stop", "spikes > 20", "--save-weights", &ended]);
    let time = stop["time_ms"].to_string();
    let same = Path::new(&path).with_file_name("same.npz").display().to_string();
    assert_eq!(code(&run(&["--time", &time, "--save-weights", &same])), 0);
    assert_eq!(fs::read(&ended).expect("it was written"), fs::read(&same).expect("it was written"));

    for (more, said) in [
        (vec!["--learned", &learned, "--seed", "7"], "take a file of this network, drawn from the same seed, sizes and rules"),
        (vec!["--learned", "n_n=no.npz"], "no.npz\", but there is no such file"),
        (vec!["--learned", "n_n"], "learnt values are the name of a projection, `=` and a file"),
        (vec!["--save-weights", &weights, "--trials", "2"], "there are several; take one, with --trial"),
    ] {
        let output = run(&more);
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
        assert_eq!(code(&output), 2, "{more:?}");
    }
    let static_network = file("learned_static", SMALL);
    let output = spikelet(&["run", &static_network, "--backend", "cpu", "--save-weights", &weights]);
    assert!(text(&output.stderr).contains("no synapses of the network have a state"), "{}", text(&output.stderr));
}

#[test]
fn a_dry_run_says_what_a_network_takes_and_runs_nothing() {
    let output = spikelet(&["run", "guide_ei", "--dry-run", "--storage", "stored"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let stored = text(&output.stdout);
    for part in [
        "guide_ei: 10000 neurons",
        "stored",
        "in-degree",
        "GPU that binds 128.0 MiB at once",
        "dispatches per",
        "synaptic events per",
    ] {
        assert!(stored.contains(part), "{part}: {stored}");
    }
    // Spikes do not depend on how synapses are kept, memory does.
    let run = |storage: &str| json(&["run", "guide_ei", "--backend", "cpu", "--time", "20", "--storage", storage, "--json"]);
    let (stored, drawn) = (run("stored"), run("procedural"));
    assert_eq!(stored["spikes_hash"], drawn["spikes_hash"]);
    assert!(stored["memory_bytes"].as_u64() > drawn["memory_bytes"].as_u64().map(|bytes| 4 * bytes));
    // With less memory than it would take, some of what can be drawn anew is.
    let small = json(&["run", "guide_ei", "--backend", "cpu", "--time", "20", "--memory", "2MiB", "--json"]);
    assert!(small["memory_bytes"].as_u64() < Some(2 << 20), "{small}");
    assert_eq!(small["spikes_hash"], drawn["spikes_hash"]);

    let output = spikelet(&["run", "guide_ei", "--memory", "2MiB", "--storage", "stored"]);
    let message = text(&output.stderr);
    assert_eq!(code(&output), 2, "{message}");
    assert!(message.contains("there are 2.0 MiB of memory for it") && message.contains("\"procedural\""), "{message}");
}

#[test]
fn weights_are_kept_in_two_bytes() {
    let path = file(
        "halves",
        r#"{"name": "halves", "dt_ms": 0.1, "duration_ms": 1, "populations": [{"name": "n", "size": 1000, "model": "lif_exp"}], "projections": [
            {"name": "same", "pre": "n", "post": "n", "connect": {"rule": "one_to_one"}, "on_pre": "ge_post += 1*mV"},
            {"name": "differ", "pre": "n", "post": "n", "connect": {"rule": "all"}, "on_pre": "ge_post += w", "parameters": {"w": "uniform(0 mV, 1 mV)"}},
            {"name": "state", "pre": "n", "post": "n", "connect": {"rule": "one_to_one"}, "equations": "u : 1", "on_pre": "u += 1"}]}"#,
    );
    let dry = |options: &[&str]| {
        let output = spikelet(&[&["run", &path, "--dry-run"], options].concat());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let weights = text(&output.stdout).lines().find(|line| line.trim_start().starts_with("weights ")).map(str::to_owned);
        (weights.unwrap_or_default(), text(&output.stdout), text(&output.stderr))
    };
    let (weights, report, _) = dry(&[]);
    assert!(weights.contains(" 4000004 ") && !report.contains("f16"), "{report}");
    let (weights, report, notices) = dry(&["--weights", "f16"]);
    assert!(weights.contains(" 2000004 "), "{report}");
    let kept = |name: &str| report.lines().find(|line| line.starts_with(name)).is_some_and(|line| line.contains("stored f16"));
    assert_eq!(["same", "differ", "state"].map(kept), [false, true, false], "{report}");
    assert!(notices.contains("notice: --weights f16 changes nothing in state: their synapses have a state"), "{notices}");
    // The network that is written says so where it is so.
    let out = folder("halves_out");
    let output =
        spikelet(&["run", &path, "--backend", "cpu", "--weights", "f16", "--quiet", "--out", &out.display().to_string()]);
    assert_eq!((code(&output), text(&output.stderr).as_str()), (0, ""));
    let written: Value = serde_json::from_slice(&fs::read(out.join("network.json")).expect("it was written")).expect("JSON");
    let weights = |projection: usize| written["projections"][projection]["weights"].as_str();
    assert_eq!([0, 1, 2].map(weights), [Some("f16"), Some("f16"), None]);
}

#[test]
fn trials_have_a_hash_each() {
    let run = |trials| json(&["run", "izhikevich", "--backend", "cpu", "--time", "50", "--trials", trials, "--json"]);
    let report = run("3");
    let hashes = report["spikes_hash"].as_array().expect("a list");
    assert_eq!((hashes.len(), &report["trials"]), (3, &3.into()));
    assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2], "noise differs between trials");
    assert_eq!(run("1")["spikes_hash"], hashes[0]);
}

#[test]
fn a_table_is_printed_unless_quiet() {
    let output = spikelet(&["run", "cuba", "--backend", "cpu", "--time", "20"]);
    assert_eq!(code(&output), 0);
    let table = text(&output.stdout);
    for word in ["network", "cuba", "real-time factor", "spikes hash", "population", "rate Hz", "asked for"] {
        assert!(table.contains(word), "{word} in:\n{table}");
    }
    assert_eq!(text(&output.stderr), "", "no progress bar in a pipe");
    let output = spikelet(&["run", "cuba", "--backend", "cpu", "--time", "20", "--quiet"]);
    assert_eq!((code(&output), text(&output.stdout)), (0, String::new()));
}

#[test]
fn a_file_runs_and_its_spikes_are_written() {
    let network = file("runs", SMALL);
    let out = folder("runs_out");
    let folder = out.display().to_string();
    let run = ["run", &network, "--backend", "cpu", "--set", "n.tau=8 ms", "--out", &folder, "--format", "csv", "--json"];
    let report = json(&run);
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(serde_json::from_str::<Value>(&read("report.json")).ok(), Some(report.clone()));

    let spikes = read("spikes.csv");
    let mut lines = spikes.lines();
    assert_eq!(lines.next(), Some("trial,population,neuron,step,time_ms"));
    assert_eq!(Some(lines.clone().count() as u64), report["spikes"].as_u64());
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |cell: usize| cells[cell].parse::<f64>().expect(line);
        assert_eq!((cells.len(), cells[0], cells[1]), (5, "0", "n"));
        assert!((number(3) * 0.1 - number(4)).abs() < 1e-6 && number(2) < 10.0, "{line}");
    }
    let traces = read("traces.csv");
    assert!(traces.starts_with("trial,time_ms,n.v[0]"), "{traces}");
    assert_eq!(traces.lines().count(), 1 + 500, "one line for each step");

    // What was run, settings included, is there to be run again.
    let again = out.join("network.json").display().to_string();
    assert_eq!(json(&["run", &again, "--backend", "cpu", "--json"])["spikes_hash"], report["spikes_hash"]);
    assert_eq!(code(&spikelet(&["run", &network, "--backend", "cpu", "--quiet", "--out", &folder])), 0);
    assert!(out.join("spikes.npz").exists() && out.join("traces.npz").exists());
}

#[test]
fn check_says_what_it_read_or_what_is_wrong() {
    let output = spikelet(&["check", &file("check", SMALL)]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("is a network: small, 10 neurons"), "{}", text(&output.stdout));
    let output = spikelet(&["check", &file("check_bad", &SMALL.replace("v > 1", "v > 1*mV"))]);
    assert_eq!((code(&output), text(&output.stdout)), (2, String::new()));
    assert!(text(&output.stderr).contains("threshold, line 1, column"), "{}", text(&output.stderr));
}

#[test]
fn lists_name_what_there_is() {
    for (what, names) in [
        ("networks", &["cuba", "coba", "izhikevich"][..]),
        ("models", &["lif_exp", "lif_cond_exp", "izhikevich_2003"]),
        ("devices", &[]),
    ] {
        let list = json(&["list", what, "--json"]);
        let found: Vec<&str> = list.as_array().expect("a list").iter().filter_map(|item| item["name"].as_str()).collect();
        assert!(!found.is_empty() && names.iter().all(|name| found.contains(name)), "{list}");
        let table = spikelet(&["list", what]);
        assert_eq!(code(&table), 0);
        assert!(names.iter().all(|name| text(&table.stdout).contains(name)));
    }
}

/// With or without a GPU: the CPU comes first, adapters are numbered, and every limit says what is asked of it.
#[test]
fn devices_are_listed_with_what_they_have_and_chosen_by_it() {
    let list = json(&["list", "devices", "--json"]);
    let devices = list.as_array().expect("a list");
    assert_eq!((&devices[0]["kind"], &devices[0]["number"]), (&"cpu".into(), &Value::Null));
    let table = text(&spikelet(&["list", "devices"]).stdout);
    for (number, gpu) in devices[1..].iter().enumerate() {
        assert_eq!(gpu["number"], number);
        let limits = gpu["limits"].as_array().expect("limits");
        let binding = limits.iter().find(|limit| limit["name"] == "maxStorageBufferBindingSize").expect("the largest binding");
        assert!(binding["available"].as_u64() >= Some(128 << 20) && binding["requested"] == gpu["max_binding_bytes"], "{gpu}");
        assert!(
            gpu["features"].as_array().is_some_and(|features| features.iter().any(|of| of["name"] == "timestamp-query")),
            "{gpu}"
        );
        assert!(["api", "type", "driver", "vendor_id", "device_id"].iter().all(|key| gpu.get(key).is_some()), "{gpu}");
        assert!(table.contains(&format!("gpu {number}")) && table.contains("maxComputeInvocationsPerWorkgroup"), "{table}");
        // A software adapter runs where it is named.
        let number = number.to_string();
        let report = json(&["run", &file("adapter", SMALL), "--adapter", &number, "--time", "1", "--json"]);
        assert_eq!((&report["backend"]["kind"], &report["backend"]["name"]), (&"gpu".into(), &gpu["name"]));
        let names: Vec<&str> = report["buffers"].as_array().into_iter().flatten().filter_map(|of| of["name"].as_str()).collect();
        assert_eq!(names, ["header", "tables", "clocks", "state", "ring", "rows 1", "spikes", "samples"]);
        let refused = spikelet(&["run", &file("groups", SMALL), "--adapter", &number, "--workgroup-size", "96"]);
        let message = text(&refused.stderr);
        assert!(
            code(&refused) == 2 && message.contains("the workgroup size is 96, but") && message.contains("powers of two"),
            "{message}"
        );
    }
    if !devices[1..].iter().any(|gpu| gpu["software"] == false) {
        assert!(table.contains("for a real GPU"), "{table}");
    }
    let none = spikelet(&["run", "cuba", "--adapter", "no such thing"]);
    let message = text(&none.stderr);
    assert!(code(&none) == 2 && message.contains("the adapter is `no such thing`, but"), "{message}");
    assert!(devices[1..].iter().all(|gpu| message.contains(gpu["name"].as_str().expect("a name"))), "{message}");
}

#[test]
fn a_profile_says_where_the_time_goes_and_changes_no_spike() {
    let network = file("profile", SMALL);
    let on_cpu = spikelet(&["run", &network, "--backend", "cpu", "--profile", "--json"]);
    assert!(text(&on_cpu.stderr).contains("the CPU ran, and --profile times the kernels of a GPU"), "{}", text(&on_cpu.stderr));
    let list = json(&["list", "devices", "--json"]);
    let Some(gpu) = list.get(1) else { return println!("skipped: no adapter") };
    let folder = folder("profile_trace");
    let (trace, cache) = (folder.join("trace.json"), folder.join("cache"));
    let run = |more: &[&str]| json(&[&["run", &network, "--adapter", "0", "--json"], more].concat());
    let plain = run(&[]);
    assert_eq!(plain.get("profile"), None);
    let profiled = run(&["--profile", "--trace", &trace.display().to_string()]);
    assert_eq!(profiled["spikes_hash"], plain["spikes_hash"]);
    let profile = &profiled["profile"];
    assert!(profile["copy_bytes_per_second"].as_f64() > Some(0.0) && profile["dispatches"].as_u64() > Some(0), "{profile}");
    assert!(profile["bottleneck"].as_str().is_some_and(|words| !words.is_empty()), "{profile}");
    let has_stamps =
        gpu["features"].as_array().into_iter().flatten().any(|of| of["name"] == "timestamp-query" && of["available"] == true);
    let kernels = profile["kernels"].as_array().expect("kernels");
    assert_eq!(!kernels.is_empty(), has_stamps, "{profile}");
    let events: Value = serde_json::from_str(&fs::read_to_string(&trace).expect("a trace")).expect("JSON");
    let dispatches: u64 = kernels.iter().filter_map(|kernel| kernel["dispatches"].as_u64()).sum();
    assert_eq!(events["traceEvents"].as_array().map(Vec::len), Some(dispatches as usize + 1));

    // The size of workgroups changes no spike, and is timed once.
    let tuned = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spikelet"));
        command.args(["run", "cuba", "--scale", "0.2", "--time", "20", "--adapter", "0", "--workgroup-size", "auto", "--json"]);
        let output = command.env("XDG_CACHE_HOME", &cache).output().expect("the program starts");
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")
    };
    let (first, second) = (tuned(), tuned());
    let usual = json(&["run", "cuba", "--scale", "0.2", "--time", "20", "--adapter", "0", "--json"]);
    assert_eq!((&first["spikes_hash"], &second["spikes_hash"]), (&usual["spikes_hash"], &usual["spikes_hash"]));
    assert_eq!(first["backend"]["reason"], second["backend"]["reason"]);
    if cfg!(target_os = "linux") && first["backend"]["reason"].as_str().is_some_and(|reason| reason.contains("the fastest here"))
    {
        let known = fs::read_to_string(cache.join("spikelet/workgroup-sizes.json")).expect("the size is remembered");
        assert!(known.contains(gpu["name"].as_str().expect("a name")), "{known}");
    }
}

#[test]
fn check_holds_the_kernels_to_the_portable_core() {
    for network in ["cuba", &file("check_kernels", SMALL)] {
        let report = json(&["check", network, "--kernels", "--json"]);
        let kernels = report["kernels"].as_array().expect("kernels");
        assert!(kernels.len() > 1, "{report}");
        for kernel in kernels {
            assert_eq!((&kernel["valid"], &kernel["issues"]), (&true.into(), &Value::Array(Vec::new())), "{kernel}");
        }
    }
    let output = spikelet(&["check", "cuba", "--kernels"]);
    assert!(
        text(&output.stdout).contains("kernel start: valid\nkernel neurons: valid\nkernel propagate: valid"),
        "{}",
        text(&output.stdout)
    );
    assert_eq!(json(&["check", "cuba", "--json"])["kernels"], Value::Null);
}

/// One clear sentence on stderr, nothing on stdout, and exit code 2.
#[test]
fn bad_input_is_refused_with_a_sentence() {
    let run = |more: &[&str]| spikelet(&[&["run", "cuba", "--backend", "cpu"], more].concat());
    let small = |name: &str, from: &str, to: &str| {
        assert!(SMALL.contains(from), "{from}");
        spikelet(&["run", &file(name, &SMALL.replacen(from, to, 1)), "--backend", "cpu"])
    };
    let cases = [
        (spikelet(&["run", "cubba"]), "there is no network `cubba`; did you mean `cuba`?"),
        (spikelet(&["run", "no/such.json"]), "there is no file no/such.json; check the path"),
        (spikelet(&["check", "nothing.json"]), "there is no file nothing.json; check the path"),
        (spikelet(&["run", env!("CARGO_TARGET_TMPDIR")]), "is a folder; name the JSON file in it"),
        (
            small("b1", "\"dt_ms\": 0.1,", "\"dt_ms\": 0.1"),
            "network.json: line 4, column 3: the JSON is malformed: expected `,` or `}`",
        ),
        (small("b2", "\"size\"", "\"sise\""), "populations[0] (line 6) has an unknown key `sise`; did you mean `size`?"),
        (small("b3", "\"size\": 10", "\"size\": 0"), "populations[0].size is 0, but a population has at least one neuron"),
        (small("b4", "\"p\": 0.5", "\"p\": 1.5"), "projections[0].connect.p is 1.5, but a probability lies between 0 and 1"),
        (small("b5", "\"dt_ms\": 0.1", "\"dt_ms\": 0"), "dt_ms is 0, but a time step is a finite number of milliseconds above 0"),
        (small("b6", "\"dt_ms\": 0.1", "\"dt_ms\": NaN"), "line 3, column 12: the JSON is malformed: NaN is not a finite number"),
        (small("b7", "0.01", "1e999"), "the number is too large to be finite"),
        (small("b8", "10 ms", "10 mV"), "equations, line 1, column 9: `(I - v)/tau` is"),
        (
            small("b9", "\"v = 0\"", "\"v = 2\""),
            "populations[0].threshold is `v > 1`, but it is still true right after the reset",
        ),
        (small("b10", "\"threshold\": \"v > 1\"", "\"threshold\": \"x > 1\""), "`x`"),
        (
            small("b11", "\"equations\": \"dv/dt = (I - v)/tau : 1\\nI : 1 (constant)\",", "\"model\": \"lif_expo\","),
            "a library model brings its own",
        ),
        (
            spikelet(&[
                "run",
                &file(
                    "b12",
                    r#"{"name": "x", "dt_ms": 1, "duration_ms": 1, "populations": [{"name": "n", "size": 1, "model": "lif_epx"}]}"#,
                ),
            ]),
            "populations[0].model: there is no model `lif_epx`; did you mean `lif_exp`?",
        ),
        (run(&["--dt", "-0.1"]), "dt_ms is -0.1, but a time step"),
        (run(&["--dt", "nan"]), "dt_ms is NaN, but a time step is a finite number"),
        (run(&["--time", "-1"]), "duration_ms is -1, but a duration"),
        (run(&["--time", "1e15"]), "but a run has at most 2147483647; take a shorter time or a longer step"),
        (run(&["--scale", "0"]), "scale is 0, but it multiplies 3200 neurons"),
        (run(&["--set", "E.size=0"]), "populations[0].size is 0, but"),
        (run(&["--set", "EE.p=7"]), "projections[0].connect.p is 7, but"),
        (run(&["--set", "E.tuam=15 ms"]), "`tuam`; did you mean `taum`?"),
        (run(&["--set", "E.taum=15 mV"]), "is volt; expected second"),
        (run(&["--set", "E.taum=inf"]), "populations[0].parameters.taum is inf, but a finite number is expected"),
        (run(&["--set", "EX.taum=1"]), "there is no population, source or projection `EX`; did you mean"),
        (run(&["--set", "E.Vr=-40"]), "it is still true right after the reset"),
        (
            run(&["--at", "5 ms: E.tuam=1"]),
            "changes[0].set[\"E.tuam\"]: populations[0].parameters: there is no `lif_exp` parameter `tuam`",
        ),
        (run(&["--at", "5 ms: F.taum=1"]), "changes[0].set[\"F.taum\"]: there is no population, source or projection `F`"),
        (run(&["--at", "5 mV: E.taum=1"]), "a change happens at a time, and 5 mV is volt"),
        (run(&["--at", "-5 ms: E.taum=1"]), "changes[0].at_ms is -5, but"),
        (run(&["--stop", "spike > 3"]), "stop[0]: condition, line 1, column 1: a condition begins with"),
        (run(&["--set", "E.taum"]), "a setting is a path, `=` and a value"),
        (spikelet(&["run", &file("b13", SMALL), "--scale", "2"]), "--scale 2 goes with a network of the catalogue"),
        (spikelet(&["verify", "no/such"]), "there is no file or folder no/such; check the path"),
        (spikelet(&["verify", &folder("no_cases").display().to_string()]), "holds no case; a case is a file that ends in .json"),
        (spikelet(&["verify"]), "<PATH>"),
        (spikelet(&["verify", ".", "--seeds", "0"]), "'--seeds <N>'"),
        (spikelet(&["run", "cuba", "--backend", "tpu"]), "possible values: auto, gpu, cpu"),
        (run(&["--adapter", "0"]), "the adapter is `0`, but the CPU was asked for, too; leave one of them out"),
        (spikelet(&["verify", ".", "--adapter", "0"]), "--adapter 0 goes with --backend gpu"),
        (spikelet(&["check", "cuba", "--adapter", "0"]), "--kernels"),
        (run(&["--trials", "0"]), "'--trials <N>'"),
        (run(&["--trials", "2", "--trial", "1"]), "cannot be used with '--trial <N>'"),
        (run(&["--sweep", "E.taum=10ms..30ms"]), "a range says after `:` how many values it has"),
        (run(&["--sweep", "E.taum=10ms..30mV:3"]), "one end is second, the other volt"),
        (run(&["--sweep", "E.taum=1ms,2ms", "--sweep", "E.taum=3ms"]), "E.taum twice"),
        (run(&["--sweep", "E.tuam=10ms,20ms"]), "`tuam`; did you mean `taum`?"),
        (run(&["--sweep", "F.taum=10ms,20ms"]), "there is no population, source or projection `F`"),
        (run(&["--sweep", "E.taum=10ms,0ms"]), "the time constant `taum` is above 0"),
        (run(&["--format", "csv"]), "--out <DIR>"),
    ];
    for (output, expected) in cases {
        let message = text(&output.stderr);
        assert!(message.contains(expected), "expected: {expected}\n     got: {message}");
        assert_eq!((code(&output), text(&output.stdout)), (2, String::new()), "{expected}");
        assert_eq!(message.matches("error:").count(), 1, "{message}");
    }
}

/// v = 2 (1 - exp(-t/5 ms)) crosses 1 after 3.4657 ms.
const CASE: &str = r#"{
  "name": "one", "family": "lif", "dt_ms": 0.1, "duration_ms": 5,
  "populations": [{"name": "n", "size": 1, "equations": "dv/dt = (2 - v)/(5*ms) : 1", "method": "exact",
                   "threshold": "v > 1", "reset": "v = 0"}],
  "expected": {"spikes": {"n": [[0, 3.4]]}}, "tolerance": {"spike_steps": 1}
}"#;

#[test]
fn verify_judges_files_and_folders() {
    let cases = folder("cases");
    let write = |name: &str, content: &str| {
        let path = cases.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the target folder is writable");
        fs::write(&path, content).expect("the target folder is writable");
        path.display().to_string()
    };
    let good = write("a.json", CASE);
    write("notes.txt", "no case");
    let all = cases.display().to_string();
    let output = spikelet(&["verify", &all]);
    assert_eq!((code(&output), text(&output.stderr)), (0, String::new()));
    assert_eq!(text(&output.stdout), "ok   one\n1 passed, 0 failed\n");

    let late = write("more/late.json", &CASE.replace("3.4]", "3.2]").replace("\"one\"", "\"late\""));
    let broken = write("more/broken.json", &CASE.replace("\"size\": 1", "\"size\": \"one\""));
    let output = spikelet(&["verify", &all]);
    assert_eq!((code(&output), text(&output.stderr)), (1, "error: 2 cases failed\n".to_owned()));
    let lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!(lines[0], "ok   one");
    assert!(lines[1].starts_with(&format!("FAIL {broken}: populations[0].size: invalid type: string \"one\"")), "{}", lines[1]);
    assert_eq!(lines[2], "FAIL late: spike 0 of neuron 0 of n is at 3.4 ms, expected at 3.2 ms, up to 1 steps apart");
    assert_eq!(lines[3], "1 passed, 2 failed");
    assert_eq!(code(&spikelet(&["verify", &good])), 0);

    let output = spikelet(&["verify", &good, &late, "--json"]);
    assert_eq!(code(&output), 1);
    let report: Value = serde_json::from_slice(&output.stdout).expect("stdout is one JSON value");
    assert_eq!((&report["backend"], &report["passed"], &report["failed"]), (&"cpu".into(), &1.into(), &1.into()));
    assert_eq!((&report["cases"][0]["outcome"], &report["cases"][1]["outcome"]), (&"passed".into(), &"failed".into()));
    assert_eq!(report["cases"][0]["measures"][0]["what"], "spikes of n");
}

#[test]
fn a_run_that_fails_ends_with_1() {
    let growing = SMALL.replace("(I - v)/tau", "v*v*v*v*v/tau").replace("v > 1", "v < -1").replace("\"v = 0\"", "\"v = 1\"");
    let growing = growing.replace("\"threshold\"", "\"initial\": {\"v\": 2}, \"threshold\"");
    let output = spikelet(&["run", &file("diverges", &growing), "--backend", "cpu"]);
    let message = text(&output.stderr);
    assert!(message.contains("try a shorter dt"), "{message}");
    assert_eq!((code(&output), text(&output.stdout)), (1, String::new()));

    let blocked = file("blocked", SMALL);
    let output = spikelet(&["run", &blocked, "--backend", "cpu", "--quiet", "--out", &format!("{blocked}/out")]);
    assert!(text(&output.stderr).contains("cannot be written"), "{}", text(&output.stderr));
    assert_eq!(code(&output), 1);
}

/// A GPU that is lost on the way: the run goes on, with the same spikes, and says so.
#[test]
fn a_lost_gpu_does_not_end_the_run() {
    let base = ["run", "cuba", "--scale", "0.2", "--time", "60", "--trials", "2", "--json"];
    let on_gpu = |more: &[&str]| spikelet(&[&base[..], &["--backend", "gpu"], more].concat());
    let plain = on_gpu(&[]);
    if text(&plain.stderr).contains("there is no GPU adapter") {
        assert!(std::env::var_os("SPIKELET_REQUIRE_ADAPTER").is_none(), "{}", text(&plain.stderr));
        println!("skipped: no adapter");
        return;
    }
    let plain: Value = serde_json::from_slice(&plain.stdout).expect("stdout is one JSON value");
    assert_eq!(plain["notices"], Value::Array(Vec::new()));
    // In a trial, and at its very end, which the next one finds out.
    for lose_at in ["25", "60"] {
        let output = on_gpu(&["--lose-device-at", lose_at]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).expect("stdout is one JSON value");
        assert_eq!(report["spikes_hash"], plain["spikes_hash"]);
        let notices = report["notices"].as_array().expect("a list");
        let notice = notices.first().and_then(Value::as_str).expect("a sentence");
        assert!(notices.len() == 1 && notice.contains("was lost at") && notice.contains("going on from 0 ms on"), "{notices:?}");
        // A driver may have its own to say.
        let said = text(&output.stderr);
        assert!(said.lines().filter(|line| line.starts_with("notice")).eq([format!("notice: {notice}")]), "{said}");
    }
}

/// Ctrl-C ends the run cleanly: what was simulated until then is reported and written.
#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_it_has() {
    use std::process::Stdio;
    use std::thread::sleep;
    use std::time::Duration;

    let out = folder("interrupted");
    let mut program = Command::new(env!("CARGO_BIN_EXE_spikelet"));
    program.args(["run", "cuba", "--backend", "cpu", "--time", "1e7", "--json", "--out"]).arg(&out);
    let child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    // Long enough for it to listen; it runs for hours otherwise.
    sleep(Duration::from_secs(2));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(kill.success());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(text(&output.stderr).starts_with("interrupted at"), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("stdout is one JSON value");
    let time = report["time_ms"].as_f64().expect("a number");
    assert!(time > 0.0 && time < 1e7, "{time}");
    assert!(out.join("spikes.npz").exists());
}
