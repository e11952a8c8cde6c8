//! Results in formats of archives.

use std::fs;
use std::path::{Path, PathBuf};

use spikelet_interchange::hdf5::File;

use super::{code, folder, spikelet, text};

fn sample(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/results").join(name).display().to_string()
}

/// Runs the sample into a folder; `words` follow.
fn run(out: &Path, words: &[&str]) -> PathBuf {
    let (network, folder) = (sample("network.json"), out.display().to_string());
    let command = [&["run", &network, "--backend", "cpu", "--quiet", "--out", &folder], words].concat();
    let output = spikelet(&command);
    assert_eq!((code(&output), text(&output.stderr).as_str()), (0, ""));
    out.to_owned()
}

fn spike_times(folder: &Path, population: &str) -> Vec<f64> {
    let table = fs::read_to_string(folder.join("spikes.csv")).expect("a table");
    let rows = table.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    rows.filter(|row| row[1] == population).map(|row| row[4].parse().expect("a time")).collect()
}

#[test]
fn a_run_is_written_for_archives_and_analysis() {
    let out = folder("results");
    let table = run(&out.join("csv"), &["--format", "csv"]);
    let (excited, inhibited) = (spike_times(&table, "E"), spike_times(&table, "I"));

    let nwb = run(&out.join("nwb"), &["--format", "nwb", "--metadata", &sample("metadata.json")]);
    let file = File::open(fs::read(nwb.join("run.nwb")).unwrap()).unwrap();
    let units = |name: &str| file.dataset(&format!("/units/{name}")).unwrap();
    let (times, ends) = (units("spike_times").f64().unwrap(), units("spike_times_index").i64().unwrap());
    let mut of_first: Vec<f64> = times[..ends[39] as usize].iter().map(|time| time * 1000.0).collect();
    of_first.sort_by(f64::total_cmp);
    assert_eq!((ends.len(), ends[59] as usize), (60, times.len()));
    assert!(of_first.iter().zip(&excited).all(|(found, time)| (found - time).abs() < 1e-9) && of_first.len() == excited.len());
    assert_eq!(units("population").strings().unwrap()[40], "I");
    assert_eq!(file.dataset("/general/subject/species").unwrap().strings().unwrap(), ["Mus musculus"]);
    assert_eq!(file.dataset("/acquisition/E.v/data").unwrap().shape(), [2000, 3]);
    assert_eq!(file.dataset("/acquisition/E.ge/data").unwrap().shape(), [200, 1]);
    assert_eq!(file.dataset("/acquisition/mean(I.v)/data").unwrap().shape(), [400]);
    let rate = file.attributes("/acquisition/mean(I.v)/starting_time").unwrap()["rate"].number();
    assert_eq!(rate, Some(2000.0));

    let sonata = run(&out.join("sonata"), &["--format", "sonata"]);
    let file = File::open(fs::read(sonata.join("spikes.h5")).unwrap()).unwrap();
    assert_eq!(file.dataset("/spikes/I/timestamps").unwrap().f64().unwrap(), inhibited);
    let report = File::open(fs::read(sonata.join("trace.E.v.h5")).unwrap()).unwrap();
    assert_eq!(report.dataset("/report/E/mapping/node_ids").unwrap().i64().unwrap(), [0, 5, 7]);
    assert_eq!(report.dataset("/report/E/data").unwrap().shape(), [2000, 3]);

    // A variable with two intervals, each of several neurons.
    let text = fs::read_to_string(sample("network.json")).unwrap();
    let mut network: serde_json::Value = serde_json::from_str(&text).unwrap();
    network["recordings"] = serde_json::json!([
        {"object": "E", "var": "v", "indices": [0, 5]}, {"object": "E", "var": "v", "indices": [1, 2], "every_ms": 1.0}
    ]);
    let twice = out.join("twice.json").display().to_string();
    fs::write(&twice, network.to_string()).unwrap();
    let folder = out.join("twice").display().to_string();
    let output = spikelet(&["run", &twice, "--backend", "cpu", "--quiet", "--out", &folder, "--format", "nwb"]);
    assert_eq!((code(&output), super::text(&output.stderr)), (0, String::new()));
    let file = File::open(fs::read(Path::new(&folder).join("run.nwb")).unwrap()).unwrap();
    assert_eq!(file.dataset("/acquisition/E.v/data").unwrap().shape(), [2000, 2]);
    assert_eq!(file.dataset("/acquisition/E.v@10/data").unwrap().shape(), [200, 2]);

    // The files of a folder belong to one run.
    fs::write(sonata.join("trace.txt"), "mine").unwrap();
    let again = run(&sonata, &["--format", "nwb"]);
    let names = |name: &str| again.join(name).exists();
    assert!(names("run.nwb") && names("trace.txt") && !names("trace.E.v.h5") && !names("spikes.h5"));
}

/// What is in the tables is read by other libraries in `tests/results/check.py`; their writer has tests of its own.
#[test]
fn a_run_is_written_as_tables() {
    let out = folder("results-tables");
    let tables = run(&out.join("run"), &["--format", "parquet", "--trials", "2"]);
    let read = |name: &str| fs::read(tables.join(name)).expect("a table");
    let says = |bytes: &[u8], word: &str| bytes.windows(word.len()).any(|part| part == word.as_bytes());
    let (spikes, traces) = (read("spikes.parquet"), read("traces.parquet"));
    assert!([&spikes, &traces].iter().all(|bytes| bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1")));
    for word in ["trial", "population", "neuron", "step", "{\"time_ms\":\"ms\"}", "spikelet_version"] {
        assert!(says(&spikes, word), "{word}");
    }
    for word in ["E.v[5] (mV)", "mean(I.v) (mV)", "\"E.ge[1] (mV)\":\"mV\""] {
        assert!(says(&traces, word), "{word}");
    }
    assert!(!tables.join("statistics.parquet").exists() && !tables.join("spikes.npz").exists());

    // The same neuron in two recordings: two columns.
    let text = fs::read_to_string(sample("network.json")).unwrap();
    let mut network: serde_json::Value = serde_json::from_str(&text).unwrap();
    network["recordings"] = serde_json::json!([
        {"object": "E", "var": "v", "indices": [0]}, {"object": "E", "var": "v", "indices": [0], "every_ms": 1.0}
    ]);
    let twice = out.join("twice.json").display().to_string();
    fs::write(&twice, network.to_string()).unwrap();
    let again = tables.display().to_string();
    let output = spikelet(&["run", &twice, "--backend", "cpu", "--quiet", "--out", &again, "--format", "parquet"]);
    assert_eq!((code(&output), super::text(&output.stderr)), (0, String::new()));
    assert!(says(&read("traces.parquet"), "E.v[0] (mV) #2"));

    // The files of a folder belong to one run.
    run(&tables, &["--format", "csv"]);
    assert!(!tables.join("spikes.parquet").exists() && !tables.join("traces.parquet").exists());
}

#[test]
fn what_a_format_cannot_contain_is_refused() {
    let out = folder("results-refused");
    let write = |name: &str, content: &str| {
        fs::write(out.join(name), content).unwrap();
        out.join(name).display().to_string()
    };
    let folder = out.join("run").display().to_string();
    let start = ["run", &sample("network.json"), "--out", &folder];
    for (words, said) in [
        (&["--format", "nwb", "--trials", "2"][..], "--format nwb writes the results of a single trial"),
        (&["--format", "sonata", "--sweep", "E.I=18 mV,19 mV"], "--format sonata writes the results of a single trial"),
        (&["--metadata", &write("empty.json", "{}")], "--metadata is for NWB; add --format nwb"),
        (&["--format", "nwb", "--metadata", &write("lab.json", "{\"lab\": 3}")], "lab"),
        (
            &["--format", "nwb", "--metadata", &write("subject.json", "{\"subjekt\": {}}")],
            "metadata (line 1) has an unknown key `subjekt`; did you mean `subject`?",
        ),
    ] {
        let output = spikelet(&[&start[..], words].concat());
        assert!(code(&output) == 2 && text(&output.stderr).contains(said), "{said}: {}", text(&output.stderr));
    }
}
