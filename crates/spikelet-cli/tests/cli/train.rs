//! `spikelet train`, and the commands of `docs/training.md`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{code, folder, spikelet, text};

/// A training that takes a moment: eight hidden neurons, forty samples.
const SMALL: &str = r#"{
  "name": "small",
  "network": {
    "name": "small", "dt_ms": 1, "duration_ms": 30,
    "sources": [{"name": "input", "size": 3, "spike_times_ms": []}],
    "populations": [
      {"name": "hidden", "size": 8, "equations": "dv/dt = (I - v)/tau : 1\ndI/dt = -I/tau_s : 1",
       "threshold": "v > 1", "reset": "v = 0", "parameters": {"tau": "20 ms", "tau_s": "5 ms"}},
      {"name": "output", "size": 2, "equations": "dv/dt = (I - v)/tau : 1\ndI/dt = -I/tau_s : 1",
       "parameters": {"tau": "20 ms", "tau_s": "5 ms"}}
    ],
    "projections": [
      {"pre": "input", "post": "hidden", "connect": {"rule": "all"}, "on_pre": "I_post += w", "equations": "w : 1",
       "initial": {"w": "normal(4, 2)"}},
      {"pre": "hidden", "post": "output", "connect": {"rule": "all"}, "on_pre": "I_post += w", "equations": "w : 1",
       "initial": {"w": "normal(0, 0.5)"}}
    ]
  },
  "input": "input",
  "data": {"generate": "temporal_xor", "jitter_ms": 0.5, "train": 40, "test": 20},
  "method": "bptt",
  "train": [{"path": "input_hidden"}, {"path": "hidden_output"}],
  "loss": [{"type": "cross_entropy", "population": "output", "reading": "max", "variable": "v"}],
  "optimiser": {"type": "adam", "rate": 0.05},
  "batch": 8,
  "epochs": 4
}"#;

fn training(name: &str, content: &str) -> String {
    let path = folder(name).join("training.json");
    fs::write(&path, content).expect("the target folder is writable");
    path.display().to_string()
}

/// The lines that a training prints.
fn lines(words: &[&str]) -> Vec<Value> {
    let output = spikelet(&[&["train"], words, &["--json"]].concat());
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("each line is one JSON value")).collect()
}

/// Epochs without their times.
fn results(lines: &[Value]) -> Vec<Value> {
    let without = |line: &Value| {
        let mut line = line.clone();
        line.as_object_mut().expect("an object").remove("seconds");
        line
    };
    lines[..lines.len() - 1].iter().map(without).collect()
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("it was written")
}

#[test]
fn a_training_prints_a_line_for_each_epoch_and_its_result() {
    let file = training("train_lines", SMALL);
    let lines = lines(&[&file, "--threads", "1"]);
    assert_eq!(lines.len(), 5);
    for (epoch, line) in (1..).zip(&lines[..4]) {
        let keys: Vec<&String> = line.as_object().expect("an object").keys().collect();
        let expected = [
            "epoch",
            "loss",
            "loss_validation",
            "loss_test",
            "accuracy_train",
            "accuracy_validation",
            "accuracy_test",
            "rates_hz",
            "seconds",
        ];
        assert_eq!(keys, expected);
        assert!(line["loss_test"].as_f64().is_some() && line["loss_validation"].is_null(), "{line}");
        assert!(line["rates_hz"]["hidden"].as_f64().is_some() && line["rates_hz"]["output"].is_null(), "{line}");
        assert_eq!(line["epoch"], epoch);
        let part = |key: &str| line[key].as_f64().is_some_and(|part| (0.0..=1.0).contains(&part));
        assert!(part("accuracy_train") && part("accuracy_test"), "{line}");
    }
    let last = &lines[4];
    assert_eq!((&last["final"], &last["parameters"]), (&lines[3], &40.into()));
    assert!(last["tape_bytes"].as_u64().is_some_and(|bytes| bytes > 1000), "{last}");
    assert_eq!((&last["completed"], &last["interrupted"]), (&true.into(), &Value::Null));
    let loss = |line: &Value| line["loss"].as_f64().expect("a number");
    assert!(loss(&lines[3]) < loss(&lines[0]), "{lines:?}");
}

#[test]
fn threads_do_not_change_results_and_seeds_do() {
    let file = training("train_threads", SMALL);
    let of = |words: &[&str]| results(&lines(&[&[file.as_str(), "--epochs", "2"], words].concat()));
    let one = of(&["--threads", "1"]);
    assert_eq!(of(&["--threads", "3"]), one);
    assert_ne!(of(&["--seed", "2"]), one);
}

/// Four epochs are two and two more, to the bit.
#[test]
fn a_training_continues_from_its_checkpoint() {
    let file = training("train_resume", SMALL);
    let (whole, parts) = (folder("train_whole"), folder("train_parts"));
    let [whole_out, parts_out] = [&whole, &parts].map(|folder| folder.display().to_string());
    let all = results(&lines(&[&file, "--out", &whole_out]));
    let first = results(&lines(&[&file, "--epochs", "2", "--out", &parts_out]));
    let checkpoint = parts.join("checkpoint").display().to_string();
    let second = results(&lines(&[&file, "--resume", &checkpoint, "--out", &parts_out]));
    assert_eq!([first, second].concat(), all);
    assert_eq!(read(&parts, "network.json"), read(&whole, "network.json"));
    let curve = |folder: &Path| -> Vec<Value> { serde_json::from_str(&read(folder, "curve.json")).expect("JSON") };
    assert_eq!(curve(&parts).len(), 4);

    // Another training, and files that are no checkpoint.
    let other = training("train_other", &SMALL.replace("\"batch\": 8", "\"batch\": 10"));
    for (words, said) in [
        ([&other, "--resume", &checkpoint], "this training has another `batch`"),
        ([&file, "--resume", &file], "a file that begins with `spktrain`"),
        ([&file, "--resume", "/nowhere/checkpoint"], "cannot be read"),
    ] {
        let output = spikelet(&[&["train"], &words[..]].concat());
        assert_eq!(code(&output), 2);
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
}

#[test]
fn the_files_of_a_training_are_written() {
    let (file, out) = (training("train_files", SMALL), folder("train_files_out"));
    let lines = lines(&[&file, "--epochs", "2", "--out", &out.display().to_string()]);
    assert_eq!(serde_json::from_str::<Value>(&read(&out, "report.json")).expect("JSON"), lines[2]);
    assert_eq!(serde_json::from_str::<Value>(&read(&out, "curve.json")).expect("JSON"), Value::from(lines[..2].to_vec()));
    let csv = read(&out, "curve.csv");
    let heading = "epoch,loss,loss_validation,loss_test,accuracy_train,accuracy_validation,accuracy_test,seconds,hidden_hz\n1,";
    assert!(csv.starts_with(heading) && csv.lines().count() == 3, "{csv}");
    let svg = read(&out, "curve.svg");
    assert_eq!((svg.matches("<polyline").count(), svg.matches("<circle").count()), (4, 8), "{svg}");
    let check = spikelet(&["check", &out.join("network.json").display().to_string()]);
    assert_eq!(code(&check), 0, "{}", text(&check.stderr));
}

#[test]
fn a_training_ends_early() {
    let file = training("train_early", SMALL);
    let until = lines(&[&file, "--until", "0.01"]);
    let said = until[1]["stopped"].as_str().expect("a reason");
    assert!(until.len() == 2 && said.starts_with("stopped at an accuracy of "), "{until:?}");
    let patience = lines(&[&file, "--epochs", "200", "--patience", "3"]);
    let said = patience.last().and_then(|last| last["stopped"].as_str()).expect("a reason");
    assert!(patience.len() < 201 && said.starts_with("stopped because epoch "), "{said}");
}

#[test]
fn values_of_a_training_and_its_network_are_set() {
    let file = training("train_set", SMALL);
    let set = lines(&[&file, "--set", "hidden.size=6", "--set", "epochs=2", "--set", "optimiser.rate=0.01"]);
    assert_eq!((set.len(), &set[2]["parameters"]), (3, &30.into()));
    let written = SMALL.replace("\"size\": 8", "\"size\": 6").replace("0.05", "0.01").replace("\"epochs\": 4", "\"epochs\": 2");
    assert_eq!(results(&set), results(&lines(&[&training("train_set_written", &written)])));
    for (set, said) in
        [("optimiser.rat=1", "rate"), ("batch=many", "batch"), ("hiden.size=3", "hiden"), ("train[7].rate=1", "a list of 2")]
    {
        let output = spikelet(&["train", &file, "--set", set]);
        assert_eq!(code(&output), 2);
        assert!(text(&output.stderr).contains(said), "{set}: {}", text(&output.stderr));
    }
}

/// The network that is kept is that of the best epoch, and evaluates as that one did.
#[test]
fn patience_keeps_the_best_network() {
    let (file, out) = (training("train_patience", SMALL), folder("train_patience_out"));
    let place = out.display().to_string();
    let all = lines(&[&file, "--epochs", "200", "--patience", "3", "--out", &place]);
    let report = all.last().expect("a report");
    let (best, last) = (report["best_epoch"].as_u64().expect("a number"), report["final"]["epoch"].as_u64().expect("a number"));
    assert_eq!((report["network_epoch"].as_u64(), last), (Some(best), best + 3));
    let network = out.join("network.json").display().to_string();
    let evaluated = super::json(&["evaluate", &network, &file, "--json"]);
    assert_eq!(evaluated["accuracy"], all[best as usize - 1]["accuracy_test"]);
    let said = text(&spikelet(&["train", &file, "--epochs", "200", "--patience", "3"]).stdout);
    assert!(said.contains(&format!("; the network is that of epoch {best}")), "{said}");
}

#[test]
fn a_trained_network_is_evaluated() {
    let (file, out, answers) = (training("evaluate", SMALL), folder("evaluate_out"), folder("evaluate_answers"));
    let [place, answers_at] = [&out, &answers].map(|folder| folder.display().to_string());
    lines(&[&file, "--out", &place]);
    let network = out.join("network.json").display().to_string();
    let of = |words: &[&str]| super::json(&[&["evaluate", &network, &file, "--json"], words].concat());
    let test = of(&["--out", &answers_at]);
    let classes = test["classes"].as_array().expect("a list");
    let count = |of: &Value| of.as_u64().expect("a number");
    assert_eq!((classes.len(), count(&test["samples"])), (2, 20));
    let right: u64 = (0..2).map(|class| count(&classes[class]["answers"][class])).sum();
    let all: u64 = classes.iter().flat_map(|class| class["answers"].as_array().expect("a list")).map(count).sum();
    assert_eq!((all, Some(right as f64 / 20.0)), (20, test["accuracy"].as_f64()));
    // Three input spikes of each sample pass eight synapses each, and those of hidden neurons two.
    let hidden = &test["populations"][0];
    let spikes = hidden["spikes"].as_f64().expect("a number") * 8.0;
    let events = test["synaptic_events"].as_f64().expect("a number");
    assert!((events - (3.0 * 8.0 + 2.0 * spikes)).abs() < 1e-9, "{test}");
    assert_eq!(test["neuron_updates"], 10.0 * 30.0);
    let csv = read(&answers, "predictions.csv");
    assert!(csv.starts_with("sample,label,answer,reading_0,reading_1\n0,") && csv.lines().count() == 21, "{csv}");
    assert_eq!(serde_json::from_str::<Value>(&read(&answers, "evaluation.json")).expect("JSON"), test);
    assert_eq!(of(&["--samples", "train"])["samples"], 40);

    // A file of samples with the name of a result stays.
    let named = answers.join("predictions.csv").display().to_string();
    fs::write(&named, "sample,label,time_ms,channel\n0,1,1,0\n").expect("it is writable");
    let output = spikelet(&["evaluate", &network, &file, "--data", &named, "--out", &answers_at]);
    assert_eq!(code(&output), 2, "{}", text(&output.stdout));
    assert!(read(&answers, "predictions.csv").starts_with("sample,label,time_ms,channel"));

    // Samples of a file of their own.
    fs::write(answers.join("two.csv"), "sample,label,time_ms,channel\n0,1,1,0\n1,0,2,1\n").expect("it is writable");
    let two = answers.join("two.csv").display().to_string();
    let other =
        SMALL.replace(r#"{"generate": "temporal_xor", "jitter_ms": 0.5, "train": 40, "test": 20}"#, r#"{"file": "none.csv"}"#);
    let other = training("evaluate_other", &other);
    assert_eq!(super::json(&["evaluate", &network, &other, "--json", "--data", &two])["samples"], 2);
    for (words, said) in [
        (&["evaluate", &network, &other][..], "none.csv, but it cannot be read"),
        (
            &["evaluate", &network, &file, "--samples", "validation"],
            "has no samples to validate with; choose others with --samples",
        ),
        (&["evaluate", "missing.json", &file], "missing.json"),
        (&["evaluate", &network, "yin-yang"], "loss[0].population is `output` with 2 neurons"),
    ] {
        let output = spikelet(words);
        assert_eq!(code(&output), 2, "{words:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(said), "{words:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_training_that_has_gone_further_or_has_other_data_does_not_continue() {
    let folder = folder("train_changed");
    let data = folder.join("samples.csv");
    let header = "sample,label,time_ms,channel\n";
    fs::write(&data, format!("{header}0,1,1,0\n1,0,2,1\n")).expect("it is writable");
    let generated = r#"{"generate": "temporal_xor", "jitter_ms": 0.5, "train": 40, "test": 20}"#;
    fs::write(folder.join("training.json"), SMALL.replace(generated, r#"{"file": "samples.csv"}"#)).expect("it is writable");
    let [file, out] = [folder.join("training.json"), folder.join("out")].map(|path| path.display().to_string());
    lines(&[&file, "--epochs", "3", "--out", &out]);
    let checkpoint = folder.join("out/checkpoint").display().to_string();
    let refused = |words: &[&str]| {
        let output = spikelet(&[&["train", &file, "--resume", &checkpoint], words].concat());
        assert_eq!(code(&output), 2, "{}", text(&output.stdout));
        text(&output.stderr)
    };
    let said = refused(&["--epochs", "2"]);
    assert!(said.contains("epochs is 2, but the checkpoint is after epoch 3"), "{said}");
    fs::write(&data, format!("{header}0,1,1,0\n1,0,2.5,1\n")).expect("it is writable");
    let said = refused(&[]);
    assert!(said.contains("the checkpoint is of other data") && said.contains("a file has changed since"), "{said}");
}

/// The example of the page learns with whatever seed.
#[test]
fn the_example_of_the_page_learns_with_every_seed() {
    let page = include_str!("../../../../docs/training.md");
    let (_, rest) = page.split_once("```json\n").expect("the example");
    let (example, _) = rest.split_once("```").expect("its end");
    let file = training("train_example", example);
    for seed in 1..=20 {
        let lines = lines(&[&file, "--seed", &seed.to_string()]);
        let last = &lines.last().expect("a report")["final"];
        assert!(last["accuracy_test"].as_f64().is_some_and(|part| part >= 0.99), "seed {seed}: {last}");
    }
}

#[test]
fn a_network_can_be_in_a_file_of_its_own() {
    let folder = folder("train_network_file");
    let whole: Value = serde_json::from_str(SMALL).expect("JSON");
    fs::write(folder.join("network.json"), whole["network"].to_string()).expect("it is writable");
    let mut other = whole.clone();
    other["network"] = serde_json::json!({"file": "network.json"});
    fs::write(folder.join("training.json"), other.to_string()).expect("it is writable");
    let path = folder.join("training.json").display().to_string();
    let whole = training("train_network_here", SMALL);
    assert_eq!(results(&lines(&[&path, "--epochs", "1"])), results(&lines(&[&whole, "--epochs", "1"])));
}

/// A loss that is no number ends a training; the checkpoint before it stays.
#[test]
fn a_loss_that_is_not_finite_is_named() {
    let diverging = SMALL.replace("\"rate\": 0.05", "\"rate\": 1e38");
    let (file, out) = (training("train_diverging", &diverging), folder("train_diverging_out"));
    let output = spikelet(&["train", &file, "--json", "--out", &out.display().to_string()]);
    let sentence = text(&output.stderr);
    assert_eq!(code(&output), 1, "{sentence}");
    assert!(sentence.starts_with("error: epoch 1, batch ") && sentence.contains("is the state after epoch 0"), "{sentence}");
    let checkpoint = out.join("checkpoint").display().to_string();
    let usable = SMALL.replace("\"rate\": 0.05", "\"rate\": 1e38").replace("\"epochs\": 4", "\"epochs\": 5");
    let again = spikelet(&["train", &training("train_again", &usable), "--resume", &checkpoint]);
    assert!(text(&again.stderr).starts_with("error: epoch 1, batch "), "{}", text(&again.stderr));
}

/// Each error names the place, the value, what was expected, and the way out.
#[test]
fn what_is_not_possible_is_explained() {
    for (change, parts) in [
        (("\"population\": \"output\"", "\"population\": \"out\""), &["loss[0].population", "`out`", "`output`"][..]),
        (("\"variable\": \"v\"", "\"variable\": \"u\""), &["loss[0].variable", "`u`"]),
        (("\"path\": \"input_hidden\"", "\"path\": \"input_hiden\""), &["train[0].path", "`input_hidden`"]),
        (("\"input\": \"input\"", "\"input\": \"inputs\""), &["input", "`inputs`"]),
        (("\"temporal_xor\"", "\"xor\""), &["data.generate", "temporal_xor"]),
        (("\"size\": 3", "\"size\": 2"), &["input", "3 channels", "set its `size` to 3"]),
        (("\"batch\": 8", "\"batch\": 0"), &["batch is 0", "32"]),
        (("\"type\": \"adam\"", "\"type\": \"adan\""), &["optimiser.type", "adam"]),
        (("\"size\": 8", "\"size\": -8"), &["network.populations[0].size"]),
        (("\"on_pre\": \"I_post += w\"", "\"on_pre\": \"J_post += w\""), &["J"]),
    ] {
        assert!(SMALL.contains(change.0), "{change:?}");
        let output = spikelet(&["train", &training("train_mistakes", &SMALL.replacen(change.0, change.1, 1))]);
        let sentence = text(&output.stderr);
        assert_eq!(code(&output), 2, "{change:?}: {sentence}");
        assert!(parts.iter().all(|part| sentence.contains(part)), "{change:?}: {sentence}");
    }
    for (words, parts) in [
        (&["train", "yinyang"][..], &["there is no training `yinyang`", "`yin-yang`"][..]),
        (&["train", "pattern", "--until", "0.9"], &["--until", "--patience"]),
        (&["train", "yin-yang", "--until", "95"], &["0.95"]),
        (&["train", "missing.json"], &["there is no file missing.json"]),
    ] {
        let output = spikelet(words);
        let sentence = text(&output.stderr);
        assert_eq!(code(&output), 2, "{words:?}: {sentence}");
        assert!(parts.iter().all(|part| sentence.contains(part)), "{words:?}: {sentence}");
    }
}

#[test]
fn trainings_are_listed_and_shown() {
    let listed = super::json(&["list", "trainings", "--json"]);
    let names: Vec<&str> = listed.as_array().expect("a list").iter().filter_map(|of| of["name"].as_str()).collect();
    assert_eq!(names, ["yin-yang", "randman", "xor", "random-spikes", "evidence", "delayed-match", "pattern"]);
    let shown = super::json(&["show", "training", "yin-yang"]);
    assert_eq!(shown["method"], "eventprop");
    assert_eq!(super::json(&["show", "training", "yin-yang", "--method", "bptt"])["method"], "bptt");
    let schema = text(&spikelet(&["show", "schema", "training"]).stdout);
    assert_eq!(schema, include_str!("../../../../docs/training.schema.json").replace("\r\n", "\n"));
}

/// A signal ends a training after a batch, with a checkpoint from which it continues to the bit.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_leaves_a_checkpoint() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    let (file, out) = (training("train_signal", SMALL), folder("train_signal_out"));
    let place = out.display().to_string();
    let mut child = Command::new(env!("CARGO_BIN_EXE_spikelet"));
    child.args(["train", &file, "--epochs", "1000000", "--json", "--out", &place]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().expect("the program starts");
    let mut printed = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    printed.read_line(&mut line).expect("text");
    assert!(line.starts_with("{\"epoch\":1,"), "{line}");
    let kill = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.expect("kill is there").success());
    printed.read_to_string(&mut line).expect("text");
    let mut said = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(143), "{said}");
    assert!(said.starts_with("interrupted by SIGTERM after ") && said.contains("--resume"), "{said}");
    let report: Value = serde_json::from_str(line.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&report["completed"], &report["interrupted"]), (&false.into(), &"SIGTERM".into()));
    let done = report["final"]["epoch"].as_u64().expect("a number");

    let epochs = (done + 2).to_string();
    let checkpoint = out.join("checkpoint").display().to_string();
    let continued = results(&lines(&[&file, "--epochs", &epochs, "--resume", &checkpoint]));
    let whole = results(&lines(&[&file, "--epochs", &epochs]));
    assert_eq!(continued, whole[done as usize..]);
}

/// The blocks of code of the page, with their languages.
#[test]
fn the_commands_of_the_page_print_what_it_shows() {
    let page = include_str!("../../../../docs/training.md");
    let (out, mut last, mut commands) = (folder("training_page"), String::new(), 0);
    for block in page.split("\n```").skip(1).step_by(2) {
        let (language, content) = block.split_once('\n').expect("a block has lines");
        match language {
            "sh" => {
                last.clear();
                for line in content.lines() {
                    let command = line.split('#').next().unwrap_or_default();
                    let words: Vec<&str> = command.split_whitespace().collect();
                    assert_eq!(words[0], "spikelet");
                    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_spikelet"));
                    let output = program.args(&words[1..]).current_dir(&out).output().expect("the program starts");
                    assert_eq!(code(&output), 0, "{command}: {}", text(&output.stderr));
                    last += &text(&output.stdout);
                    commands += 1;
                }
            }
            // All but the time, with any accuracy: seeds fix it, but not the version of the program.
            "text" => {
                for (shown, printed) in content.lines().zip(last.lines()) {
                    let words = |line: &str| line.split_whitespace().filter(|word| word.parse::<f64>().is_err()).count();
                    assert_eq!(words(shown), words(printed), "the page shows\n{shown}\nbut the command prints\n{printed}");
                }
                assert_eq!(content.lines().count(), last.lines().count(), "{last}");
            }
            "json" => fs::write(out.join("mine.json"), content).expect("the folder is writable"),
            "rust" => {}
            other => panic!("a block is {other}"),
        }
    }
    assert!(commands >= 6, "{commands}");
}
