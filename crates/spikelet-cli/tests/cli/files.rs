//! Files that runs read and write.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{SMALL, code, file, folder, json, spikelet, text};

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
    refused(&["--edges", "n_n"], "edges have the form projection, `=`, file, such as EE=edges.csv");
    refused(&["--edges", &format!("nn={whole}")], "there is no projection `nn`; did you mean `n_n`?");
    let other = write("edges.dat", "0,1,0.1\n");
    refused(
        &["--edges", &format!("n_n={other}")],
        "an edge list must be a file that ends in .csv, .tsv, .txt (also with .gz), .feather, .parquet, .mtx or .npz",
    );
    refused(&["--edges", "n_n=no/such.csv"], "such.csv\", but there is no such file; check its name");
    let bad = write("bad.csv", "0,1,0.1\n0,x12,0.1\n");
    refused(&["--edges", &format!("n_n={bad}")], "bad.csv:2: column 2 is \"x12\", but a whole number is expected");
    fs::remove_file(whole).expect("it was there");
    let output = spikelet(&["check", &path]);
    assert!(text(&output.stderr).contains("projections[0].pairs.file is"), "{}", text(&output.stderr));
}

/// Cells whose synapses tire, with what is summed up of them.
pub(super) fn tiring(name: &str) -> String {
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
        (vec!["--learned", &learned, "--seed", "7"], "use a file of this network with the same seed, sizes and rules"),
        (vec!["--learned", "n_n=no.npz"], "no.npz\", but there is no such file"),
        (vec!["--learned", "n_n"], "learned weights have the form projection, `=`, file, such as EE=weights.npz"),
        (
            vec!["--save-weights", &weights, "--trials", "2"],
            "--save-weights writes the weights of a single trial, and there are several; select one with --trial",
        ),
    ] {
        let output = run(&more);
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
        assert_eq!(code(&output), 2, "{more:?}");
    }
    let static_network = file("learned_static", SMALL);
    let output = spikelet(&["run", &static_network, "--backend", "cpu", "--save-weights", &weights]);
    assert!(
        text(&output.stderr)
            .contains("--save-weights has nothing to write: no synapses of the network have variables of their own; remove it"),
        "{}",
        text(&output.stderr)
    );
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
    let mut names: Vec<_> =
        fs::read_dir(&out).expect("a folder").filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    assert_eq!(names, ["network.json", "report.json", "spikes.npz", "traces.npz"], "nothing stays of the run before");
}

/// All synapses of a network, of any kind of projection, are files; the network that reads them has the same spikes.
#[test]
fn synapses_are_exported_and_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (network, format) in [("everything", "npz"), ("plastic", "csv"), ("everything", "parquet")] {
        let (network, out) =
            (root.join(format!("tests/networks/{network}.json")).display().to_string(), folder(&format!("exported_{format}")));
        let exported = spikelet(&["export", &network, "--format", format, "--out", &out.display().to_string()]);
        assert_eq!(code(&exported), 0, "{}", text(&exported.stderr));
        let lines = text(&exported.stdout);
        assert!(lines.lines().count() == 6 && lines.lines().all(|line| line.contains(&format!(".{format}: "))), "{lines}");
        let spikes = |network: &str| json(&["run", network, "--time", "20", "--backend", "cpu", "--json"])["spikes_hash"].clone();
        let network_of_files = out.join("network.json");
        assert_eq!(spikes(&network_of_files.display().to_string()), spikes(&network), "{lines}");
    }
    // A file that does not fit is an error that names it.
    let out = folder("exported_wrong");
    let exported = spikelet(&["export", "cuba", "--scale", "0.05", "--format", "csv", "--out", &out.display().to_string()]);
    assert_eq!(code(&exported), 0, "{}", text(&exported.stderr));
    fs::write(out.join("EE.csv"), "pre,post\n0,1\n9999,0\n").expect("the folder is writable");
    let refused = spikelet(&["run", &out.join("network.json").display().to_string(), "--time", "1"]);
    let message = text(&refused.stderr);
    assert!(code(&refused) == 2 && message.contains("EE.csv") && message.contains("9999"), "{message}");
    // Files are written to the folder alone.
    let outside = file("exported_outside", &SMALL.replace(r#"{"pre": "n","#, r#"{"name": "/outside", "pre": "n","#));
    let refused = spikelet(&["export", &outside, "--format", "csv", "--out", &out.display().to_string()]);
    let message = text(&refused.stderr);
    assert!(code(&refused) == 2 && message.contains("projections[0].name is \"") && message.contains("rename it"), "{message}");
    let nowhere = spikelet(&["export", "cuba", "--format", "npz"]);
    assert!(code(&nowhere) == 2 && text(&nowhere.stderr).contains("name a folder with --out"), "{}", text(&nowhere.stderr));
}

/// The synapses at the end of a run are files, with what they have learnt; the network that reads them begins with it.
#[test]
fn synapses_are_saved_at_the_end_of_a_run() {
    let network = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/networks/plastic.json").display().to_string();
    let out = folder("saved_synapses").display().to_string();
    let run = |network: &str, more: &[&str]| spikelet(&[&["run", network, "--backend", "cpu", "--quiet"], more].concat());
    let saved = run(&network, &["--time", "20", "--save-synapses", &out]);
    assert_eq!(code(&saved), 0, "{}", text(&saved.stderr));
    let exported = folder("saved_exported").display().to_string();
    let with_values = Path::new(&out).join("network.json").display().to_string();
    let written = spikelet(&["export", &with_values, "--format", "csv", "--out", &exported]);
    assert_eq!(code(&written), 0, "{}", text(&written.stderr));
    // A run of no time has the values of the file, and those of the network are others.
    let lines = |folder: &str| fs::read_to_string(Path::new(folder).join("stdp.csv")).expect("it was written");
    let started = folder("saved_started").display().to_string();
    let written = spikelet(&["export", &network, "--format", "csv", "--out", &started]);
    assert_eq!(code(&written), 0, "{}", text(&written.stderr));
    assert_eq!(lines(&exported).lines().count(), lines(&started).lines().count());
    assert_ne!(lines(&exported), lines(&started));
    let several = run(&network, &["--time", "1", "--trials", "2", "--save-synapses", &out]);
    assert!(code(&several) == 2 && text(&several.stderr).contains("--save-synapses writes the synapses of a single trial"));
    // What cannot be written is known before the run.
    let ranks = run(&network, &["--time", "1", "--ranks", "2", "--save-synapses", &out]);
    assert!(code(&ranks) == 2 && text(&ranks.stderr).contains("use one rank"), "{}", text(&ranks.stderr));
    let nowhere = run(&network, &["--time", "1e7", "--save-synapses", "/dev/null/synapses"]);
    assert!(text(&nowhere.stderr).contains("/dev/null/synapses cannot be written"), "{}", text(&nowhere.stderr));
}

/// Of a run the last 10 ms are kept, whatever the length of a batch, with the spikes and rows that the whole run has then.
#[test]
fn the_end_of_a_run_alone_is_kept() {
    let network = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/networks/reduced.json").display().to_string();
    let lines = |name: &str, keep: &[&str]| {
        let out = folder(name).display().to_string();
        let base = ["run", &network, "--time", "40", "--backend", "cpu", "--format", "csv", "--json", "--out", &out];
        let report = json(&[&base[..], keep].concat());
        let lines = |file: &str| -> Vec<String> {
            let text = fs::read_to_string(Path::new(&out).join(file)).expect("it was written");
            text.lines().skip(1).map(str::to_owned).collect()
        };
        (report["spikes_hash"].clone(), lines("spikes.csv"), lines("traces.csv"))
    };
    let (hash, spikes, traces) = lines("kept_whole", &[]);
    let late = |lines: &[String], column: usize| -> Vec<String> {
        let is_late =
            |line: &&String| line.split(',').nth(column).and_then(|time| time.parse().ok()).is_some_and(|ms: f64| ms >= 30.0);
        lines.iter().filter(is_late).cloned().collect()
    };
    let expected = (hash, late(&spikes, 4), late(&traces, 1));
    assert!(expected.1.len() > 10 && expected.2.len() == 20, "{} and {}", expected.1.len(), expected.2.len());
    for batch in ["1", "7", "400"] {
        let found = lines("kept_end", &["--keep", "10", "--batch-steps", batch]);
        assert_eq!(found, expected, "batches of {batch}");
    }
    let none = lines("kept_none", &["--keep", "0"]);
    assert_eq!((none.1.len(), none.2.len()), (0, 0));
}
