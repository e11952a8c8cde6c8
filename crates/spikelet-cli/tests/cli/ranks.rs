//! `spikelet run --ranks` and `--devices`: ranks in one process.

use std::fs;

use serde_json::Value;

use super::{code, folder, json, spikelet, text};

const CUBA: [&str; 7] = ["run", "cuba", "--scale", "0.1", "--time", "100", "--json"];

fn with(arguments: &[&str]) -> Value {
    json(&[&CUBA[..], &["--backend", "cpu"], arguments].concat())
}

/// What does not depend on time, threads or ranks.
fn results(report: &Value) -> Vec<&Value> {
    ["neurons", "synapses", "spikes", "synaptic_events", "populations", "spikes_hash", "results"].map(|key| &report[key]).into()
}

#[test]
fn ranks_share_a_network_with_the_same_spikes() {
    let expected = with(&[]);
    for options in [
        &["--ranks", "2", "--threads", "1"][..],
        &["--ranks", "3"],
        &["--ranks", "7", "--threads", "2"],
        &["--ranks", "3", "--balance", "2,1,1"],
        &["--ranks", "2", "--balance", "auto"],
        &["--ranks", "3", "--partition", "graph"],
        &["--ranks", "3", "--partition", "blocks"],
    ] {
        let report = with(options);
        assert_eq!(results(&report), results(&expected), "{options:?}");
        let keys = ["ranks", "exchange_seconds", "wait_seconds", "bytes_exchanged", "imbalance"];
        assert!(keys.iter().all(|key| report[key].is_number()), "{report}");
        let memory = report["memory_bytes_per_rank"].as_array().map(Vec::len);
        assert_eq!(memory, report["ranks"].as_u64().map(|ranks| ranks as usize));
    }
    let devices = json(&[&CUBA[..], &["--devices", "cpu,cpu"]].concat());
    assert_eq!((results(&devices), &devices["ranks"]), (results(&expected), &2.into()));
    assert_eq!(with(&["--ranks", "1"]).get("ranks"), None);
}

#[test]
fn ranks_have_trials_of_their_own_if_there_are_enough() {
    let runs = ["--trials", "2", "--sweep", "E.taum=15ms,20ms"];
    let expected = with(&runs);
    for options in [&["--ranks", "3"][..], &["--ranks", "4"], &["--ranks", "2", "--split", "network"], &["--ranks", "6"]] {
        assert_eq!(results(&with(&[&runs[..], options].concat())), results(&expected), "{options:?}");
    }
}

#[test]
fn the_parts_of_an_array_of_jobs_are_all_runs() {
    let runs = ["--trials", "3", "--sweep", "E.taum=15ms,20ms"];
    let expected = with(&runs);
    let mut found = Vec::new();
    for part in ["1/4", "2/4", "3/4", "4/4"] {
        let report = with(&[&runs[..], &["--part", part]].concat());
        assert_eq!(report["part"], part);
        found.extend(report["results"].as_array().expect("a list").iter().cloned());
    }
    assert_eq!(expected["results"].as_array(), Some(&found));
}

#[test]
fn files_of_ranks_are_those_of_one() {
    let run = |name: &str, options: &[&str]| {
        let out = folder(name);
        with(&[&["--trials", "2", "--format", "csv", "--out", &out.display().to_string()], options].concat());
        fs::read(out.join("spikes.csv")).expect("it is written")
    };
    let expected = run("ranks_one", &[]);
    assert!(run("ranks_trials", &["--ranks", "2"]) == expected);
    assert!(run("ranks_network", &["--ranks", "2", "--split", "network"]) == expected);
}

#[test]
fn ranks_that_cannot_be_are_refused() {
    for (options, sentence) in [
        (&["--ranks", "0"][..], "invalid value '0' for '--ranks <N>'"),
        (&["--ranks", "100000"], "ranks is 100000, but a network of 400 neurons can have 1 to 400 ranks"),
        (&["--ranks", "2", "--balance", "1,2,3"], "--balance has 3 shares, but there are 2 ranks"),
        (&["--ranks", "2", "--balance", "1,0"], "shares must be numbers above 0"),
        (&["--devices", "cpu,tpu"], "a device of a rank must be cpu, gpu, or gpu with its number"),
        (&["--devices", "cpu,cpu", "--ranks", "2"], "cannot be used with"),
        (&["--ranks", "2", "--partition", "kmean"], "there is no method `kmean`; did you mean `kmeans`?"),
        (&["--ranks", "2", "--partition", "no.json"], "no.json cannot be read"),
        (&["--ranks", "2", "--partition", "graph", "--balance", "2,1"], "--balance divides consecutive neurons"),
        (&["--part", "5/4"], "a part has the form K/N with K from 1 to N"),
        (&["--part", "3/16"], "--part 3/16 of 1 runs has none; use at most 1 parts"),
    ] {
        let output = spikelet(&[&["run", "cuba", "--scale", "0.1"], options].concat());
        let said = text(&output.stderr);
        assert!(code(&output) == 2 && said.starts_with("error: ") && said.contains(sentence), "{options:?}: {said}");
    }
}

#[test]
fn a_partition_is_read_from_a_file() {
    let file = folder("ranks_partition").join("partition.json").display().to_string();
    let made = spikelet(&["partition", "cuba", "--scale", "0.1", "--ranks", "3", "--method", "graph", "--out", &file]);
    assert_eq!(code(&made), 0, "{}", text(&made.stderr));
    assert_eq!(results(&with(&["--ranks", "3", "--partition", &file])), results(&with(&[])));
    let other = spikelet(&["run", "cuba", "--scale", "0.1", "--ranks", "2", "--partition", &file]);
    let said = text(&other.stderr);
    assert!(code(&other) == 2 && said.contains("divides the network among 3 ranks, but there are 2; start 3"), "{said}");
}

/// The reason of the rank that ended, once.
#[test]
fn a_device_that_cannot_have_a_part_says_so() {
    let output = spikelet(&["run", "cuba", "--scale", "0.1", "--ranks", "2", "--precision", "f64"]);
    let said = text(&output.stderr);
    assert_eq!((code(&output), said.matches("error: ").count()), (1, 1), "{said}");
    assert!(said.contains("cannot simulate a part of a network"), "{said}");
}

/// Processes of mpirun would each run the whole network, and write the same files.
#[test]
#[cfg(not(feature = "mpi"))]
fn processes_without_mpi_are_rejected() {
    for variable in ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_spikelet"));
        let command =
            command.env(variable, "4").args(["run", "cuba", "--scale", "0.01", "--time", "1", "--backend", "cpu", "--quiet"]);
        let output = command.output().expect("the program starts");
        let message = super::text(&output.stderr);
        assert_eq!(super::code(&output), 2, "{message}");
        assert!(message.contains("mpirun started 4 processes, and this program is built without MPI"), "{message}");
        assert!(message.contains("--features mpi") && message.contains("--ranks 4"), "{message}");
        assert_eq!(super::code(&command.args(["--part", "1/1"]).output().expect("the program starts")), 0);
    }
}

/// What some ranks reject, all of them end with, whichever is first.
#[test]
fn wrong_input_has_one_exit_code_on_any_number_of_ranks() {
    let network = r#"{
      "name": "third", "dt_ms": 0.1, "duration_ms": 1,
      "sources": [{"name": "S", "size": 4, "spike_times_ms": [[0, 0.2], [3, 0.3]]}],
      "populations": [{"name": "A", "size": 4, "equations": "v : 1", "threshold": "v > 1", "reset": "v = 0"}],
      "projections": [{"name": "P", "pre": "S", "post": "A", "third": {"population": "A", "index": "j"}, "connect": {"rule": "all"},
                       "equations": "w : 1", "on_pre": "w += 1; v_post += w", "on_third": "w = 0"}]
    }"#;
    let file = super::file("third_on_ranks", network);
    assert_eq!(code(&spikelet(&["run", &file, "--backend", "cpu"])), 0);
    for ranks in ["2", "3", "4", "2", "3", "4"] {
        let output = spikelet(&["run", &file, "--backend", "cpu", "--ranks", ranks, "--split", "network"]);
        assert_eq!(code(&output), 2, "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("projections[0].third"), "{}", text(&output.stderr));
    }
}

/// A rank that does not answer: the others end after the limit, or after the first signal, and what was recorded is continued.
#[test]
#[cfg(unix)]
fn ranks_do_not_wait_for_ever() {
    use super::unfinished::{PLASTIC, assert_same, start, wait_for};
    let network = super::file("hung_network", &PLASTIC.replace("\"duration_ms\": 5000", "\"duration_ms\": 300"));
    for (ranks, limit, is_ended_by_signal) in [("2", "1s", false), ("5", "1s", false), ("3", "1h", true)] {
        let out = folder("hung_out");
        let path = out.display().to_string();
        // Statistics are sums of the parts of ranks.
        let whole = folder("hung_whole");
        json(&["run", &network, "--backend", "cpu", "--json", "--ranks", ranks, "--out", &whole.display().to_string()]);
        let hung = ["--hang-at", "100", "--wait-limit", limit, "--checkpoint-every-model", "20ms", "--batch-steps", "100"];
        let words = [&["run", &network, "--backend", "cpu", "--quiet", "--out", &path, "--ranks", ranks], &hung[..]].concat();
        let mut child = start(&words);
        let said = if is_ended_by_signal {
            wait_for(&out.join("unfinished/checkpoint-5"), &mut child);
            std::thread::sleep(std::time::Duration::from_millis(500));
            let id = child.id().to_string();
            assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().expect("kill is there").success());
            "interrupted by SIGTERM while rank "
        } else {
            "error: rank "
        };
        let output = child.wait_with_output().expect("a process");
        let message = text(&output.stderr);
        assert_eq!(code(&output), if is_ended_by_signal { 143 } else { 1 }, "{message}");
        assert!(message.starts_with(said) && message.lines().count() == 1, "{message}");
        assert!(message.contains(&format!("`spikelet resume {path}` continues")), "{message}");
        assert_eq!(code(&spikelet(&["resume", &path, "--quiet"])), 0);
        assert_same(&whole, &out, &["spikes.npz", "traces.npz", "statistics.npz", "network.json"]);
    }
}
