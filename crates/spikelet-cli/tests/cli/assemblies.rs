//! `spikelet assemblies`, and the commands of `docs/assemblies.md`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json as value};

use super::{code, folder, json, spikelet, text, words};

const SMALL: [&str; 8] = ["--n", "2000", "--k", "45", "--p", "0.1", "--rounds", "10"];

fn assemblies(words: &[&str]) -> std::process::Output {
    spikelet(&[&["assemblies"], words].concat())
}

fn report(words: &[&str]) -> Value {
    json(&[&["assemblies"], words, &["--json"]].concat())
}

#[test]
fn a_projection_is_reported_for_each_seed() {
    let report = report(&[&["project", "--beta", "0.1", "--seeds", "3"][..], &SMALL].concat());
    let [results, first] = [&report["results"], &report["results"][0]];
    assert_eq!(results.as_array().map(Vec::len), Some(3), "{report}");
    assert_eq!((&report["operation"], &report["mode"], &report["rounds"]), (&"project".into(), &"lazy".into(), &10.into()));
    assert_eq!((&report["completed"], &report["interrupted"], &report["chance"]), (&true.into(), &Value::Null, &0.0225.into()));
    assert!(report["seconds_per_round"].as_f64().is_some_and(|seconds| seconds > 0.0), "{report}");
    assert!(report["memory_bytes"].as_u64().is_some_and(|bytes| bytes > 1000), "{report}");
    assert!(first["stability"].as_f64().is_some_and(|stability| stability > 0.9), "{first}");
    assert!(first["support"].as_u64().is_some_and(|support| (45..1000).contains(&support)), "{first}");
    assert_eq!(first["supports"]["A"], first["support"]);
    assert_eq!((&first["seed"], &results[2]["seed"]), (&1.into(), &3.into()));
    assert_ne!(first["winners_hash"], results[1]["winners_hash"]);
}

#[test]
fn rounds_are_saved_as_a_network_with_the_same_winners() {
    let folder = folder("assemblies-network");
    let file = folder.join("areas.json");
    let file = file.to_str().unwrap();
    let words =
        [&["complete", "--beta", "0.1", "--mode", "procedural", "--keep", "0.4", "--save-network", file][..], &SMALL].concat();
    let report = report(&words);
    let run = json(&["run", file, "--json"]);
    // 45 winners in each of 10 rounds; in a step of its own the 18 that are kept; then 5 rounds of recall. The stimulus fires in all steps.
    assert_eq!(run["spikes"], 45 * 10 + 18 + 45 * 5 + 45 * 17, "{report}");
    let lazy = assemblies(&["project", "--save-network", file]);
    assert_eq!(code(&lazy), 2);
    assert!(text(&lazy.stderr).contains("use the mode `procedural` or `explicit`"), "{}", text(&lazy.stderr));
}

#[test]
fn threads_and_storage_do_not_change_winners() {
    let hashes = |words: &[&str]| {
        let report = report(&[&["merge", "--seeds", "2"][..], &SMALL, words].concat());
        [0, 1].map(|seed| report["results"][seed]["winners_hash"].clone())
    };
    let expected = hashes(&["--mode", "explicit", "--threads", "1"]);
    for threads in ["1", "2", "3", "8"] {
        assert_eq!(hashes(&["--mode", "procedural", "--threads", threads]), expected, "{threads} threads");
    }
    let lazy = hashes(&["--mode", "lazy"]);
    assert_eq!(hashes(&["--mode", "lazy", "--threads", "3"]), lazy);
    assert_ne!(lazy, expected);
}

/// A GPU computes the same winners; where there is none, the error says so.
#[test]
fn a_gpu_has_the_winners_of_the_cpu() {
    let words = [&["project", "--mode", "procedural", "--json"][..], &SMALL].concat();
    let output = assemblies(&[&words[..], &["--backend", "gpu"]].concat());
    if text(&output.stderr).contains("there is no GPU adapter") {
        assert!(std::env::var_os("SPIKELET_REQUIRE_ADAPTER").is_none(), "{}", text(&output.stderr));
        return;
    }
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let on_gpu: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
    let on_cpu = json(&[&["assemblies"], &words[..], &["--backend", "cpu"]].concat());
    assert_eq!(on_gpu["results"], on_cpu["results"]);
    assert_ne!(on_gpu["backend"], on_cpu["backend"]);
}

#[test]
fn operations_report_their_overlaps() {
    let overlaps = |words: &[&str]| report(words)["results"][0]["overlaps"].clone();
    let associated = overlaps(&[&["associate", "--beta", "0.1"][..], &SMALL].concat());
    let [before, after] = ["a_b_before", "a_b_after"].map(|name| associated[name].as_f64().expect("a number"));
    assert!(after > 2.0 * before, "{associated}");
    let area = ["--n", "10000", "--k", "100", "--p", "0.05", "--beta", "0.1", "--rounds", "20"];
    let completed = overlaps(&[&["complete", "--keep", "0.6", "--recall", "5"][..], &area].concat());
    assert_eq!(completed["kept"], value!(0.6));
    assert!(completed["recovered"].as_f64().is_some_and(|part| part > 0.8), "{completed}");
    assert!(overlaps(&[&["merge"], &area[..]].concat())["b_recalled"].as_f64().is_some_and(|part| part > 0.8));
    let recalled = overlaps(&[&["sequence", "--length", "4"], &area[..]].concat());
    assert!(recalled["in_order"] == value!(1.0) && recalled["recalled"].as_f64().is_some_and(|part| part > 0.5), "{recalled}");
}

/// Each error names the value, what was expected, and the way out.
#[test]
fn what_is_not_possible_is_explained() {
    for (words, parts) in [
        (&["project", "--k", "20", "--n", "10"][..], &["“A”", "k = 20", "n = 10"][..]),
        (&["project", "--k", "0"], &["k = 0", "at least 1"]),
        (&["merge", "--p", "0"], &["p = 0", "greater than 0 and at most 1"]),
        (&["merge", "--p", "1.5"], &["p = 1.5", "at most 1"]),
        (&["associate", "--beta", "-1"], &["beta", "-1", "at least 0"]),
        (&["project", "--w-max", "0.5"], &["w_max", "0.5", "at least 1"]),
        (&["project", "--n", "5000000000"], &["5000000000", "--n"]),
        (&["complete", "--keep", "0"], &["--keep", "0.5"]),
        (&["complete", "--keep", "0.001", "--k", "100"], &["0.001", "at least 0.01"]),
        (&["project", "--seeds", "0"], &["--seeds"]),
        (&["project", "--backend", "gpu"], &["--backend gpu", "--backend cpu"]),
        (&["project", "--adapter", "0", "--backend", "cpu"], &["--adapter", "--backend cpu", "remove one"]),
        (&["project", "--threads", "5000"], &["5000", "1024"]),
        (&["parse", "cats eat mice"], &["word 2", "“eat”", "known words are the, a, dogs"]),
        (&["parse", ""], &["empty"]),
        (
            &["parse", "the dogs chase"],
            &["ends after word 3, “chase”", "a transitive verb", "a determiner, an adjective or a noun"],
        ),
        (&["parse", "dogs are"], &["ends after word 2, “are”", "a copula", "an adjective"]),
        (&["parse", "the big quickly dogs run"], &["word 3, “quickly”, is an adverb", "expected an adjective or a noun"]),
        (&["parse", "dom", "--grammar", "russian"], &["“dom”", "kot"]),
    ] {
        let output = assemblies(words);
        let sentence = text(&output.stderr);
        assert_eq!(code(&output), 2, "{words:?}: {sentence}");
        assert!(parts.iter().all(|part| sentence.contains(part)), "{words:?}: {sentence}");
    }
    let output = assemblies(&["project", "--beta", "2", "--rounds", "200", "--w-max", "10000"]);
    let sentence = text(&output.stderr);
    assert!(code(&output) == 1 && sentence.contains("exceeds") && sentence.contains("w_max"), "{sentence}");
    let json = assemblies(&["merge", "--p", "0", "--json"]);
    let printed: Value = serde_json::from_slice(&json.stdout).expect("one JSON value");
    assert!(printed["mistakes"][0]["message"].as_str().is_some_and(|message| message.starts_with("p = 0")), "{printed}");
}

/// Weights do not grow without bound where there are many rounds; the bound is said, and can be set.
#[test]
fn the_default_bound_of_weights_allows_any_number_of_rounds() {
    for words in [&["project", "--beta", "0.1", "--rounds", "100"][..], &["merge", "--k", "100", "--n", "10000", "--beta", "1"]] {
        let output = assemblies(words);
        let (printed, k) = (text(&output.stdout), if words[0] == "merge" { 100 } else { 317 });
        let bound = format!("weights grow to at most {}, so that", 524_287 / (3 * k));
        assert!(code(&output) == 0 && printed.contains(&bound), "{printed}{}", text(&output.stderr));
        assert!(printed.contains("--w-max sets another bound"), "{printed}");
    }
    let words = [&["project", "--w-max", "20"][..], &SMALL].concat();
    assert_eq!(report(&words)["w_max"], value!(20.0));
    assert!(text(&assemblies(&words).stdout).contains("weights grow to at most 20 (--w-max)"));
}

/// What does not fit is refused before it is drawn, and the memory is listed.
#[test]
fn too_little_memory_is_itemised() {
    let output = assemblies(&["project", "--mode", "explicit", "--memory", "10MB"]);
    let sentence = text(&output.stderr);
    assert_eq!(code(&output), 1, "{sentence}");
    let parts = ["into area “A”", "10000000 are allowed", "use the mode `procedural` or `lazy`", "\n  area A: "];
    assert!(parts.iter().all(|part| sentence.contains(part)), "{sentence}");
    assert!(code(&assemblies(&["project", "--memory", "10MB", "--rounds", "3"])) == 0);
}

#[test]
fn a_sentence_is_an_object() {
    let parsed = report(&["parse", "cats chase mice"]);
    let expected = value!({
        "sentence": "cats chase mice", "grammar": "english", "parsed": true, "error": null,
        "dependencies": [["chase", "cats", "SUBJ"], ["chase", "mice", "OBJ"]]
    });
    assert_eq!(parsed, expected);
    let output = assemblies(&["parse", "mice cats", "--json"]);
    let refused: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
    assert_eq!((code(&output), &refused["parsed"]), (2, &false.into()), "{refused}");
    assert!(refused["error"].as_str().is_some_and(|error| text(&output.stderr).contains(error)), "{refused}");
}

#[test]
fn all_sentences_of_a_grammar_are_counted() {
    let report = report(&["parse", "--generate", "--grammar", "russian"]);
    let [sentences, parsed] = ["sentences", "parsed"].map(|key| report[key].as_u64().expect("a number"));
    assert!(sentences > 20 && parsed <= sentences, "{report}");
    assert_eq!(report["failures"].as_array().map(|failures| failures.len() as u64), Some(sentences - parsed));
    assert_eq!(report["fraction"], value!(parsed as f64 / sentences as f64));
    let text = text(&assemblies(&["parse", "--generate", "--grammar", "russian"]).stdout);
    assert!(text.starts_with(&format!("russian: {parsed} of {sentences} sentences are parsed")), "{text}");
    assert_eq!(code(&assemblies(&["parse", "--generate", "cats chase mice"])), 2);
    assert_eq!(code(&assemblies(&["parse", "cats chase mice", "--phrases", "2"])), 2);
}

#[test]
fn a_figure_is_written() {
    let out = folder("assembly_figures");
    let words = ["figure", "complete", "--reduce", "50", "--seeds", "2", "--out", &out.display().to_string()];
    let printed = report(&words);
    let read = |name: &str| fs::read_to_string(out.join(name)).expect("it was written");
    assert_eq!(serde_json::from_str::<Value>(&read("complete.json")).expect("JSON"), printed);
    let points = printed["curves"][0]["points"].as_array().expect("points");
    assert_eq!((points.len(), points[9]["values"].as_array().map(Vec::len)), (10, Some(2)), "{printed}");
    let csv = read("complete.csv");
    assert!(csv.starts_with("curve,x,seed,value\nrecovered,0.1,1,") && csv.lines().count() == 21, "{csv}");
    let svg = read("complete.svg");
    assert_eq!(svg.matches("<circle").count(), 10, "{svg}");
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.contains("part that is kept"));
    let table = text(&assemblies(&["figure", "density", "--reduce", "50", "--seeds", "1"]).stdout);
    assert!(table.starts_with("Density of synapses") && table.contains("± 0"), "{table}");
}

/// A signal ends it at once; the results of seeds that were run are printed.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_leaves_the_results_so_far() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spikelet"));
    command.args(["assemblies", "project", "--seeds", "1000000", "--json"]).args(SMALL);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    // The handlers are there when the program has threads.
    let tasks = format!("/proc/{}/task", child.id());
    while fs::read_dir(&tasks).map_or(0, Iterator::count) < 2 && child.try_wait().expect("it can be asked").is_none() {}
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill is there").success());
    let output = child.wait_with_output().expect("it ends");
    let printed: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
    assert_eq!((code(&output), &printed["completed"], &printed["interrupted"]), (130, &false.into(), &"SIGINT".into()));
    let sentence = text(&output.stderr);
    assert!(sentence.contains("interrupted by SIGINT after") && sentence.contains("of 1000000 seeds"), "{sentence}");
}

/// The blocks of code of a page, with their languages.
fn blocks(page: &str) -> Vec<(&str, Vec<&str>)> {
    let mut blocks: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut is_code = false;
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(language) if !is_code => {
                blocks.push((language, Vec::new()));
                is_code = true;
            }
            Some(_) => is_code = false,
            None if is_code => blocks.last_mut().expect("a block").1.push(line),
            None => {}
        }
    }
    blocks
}

#[test]
fn the_commands_of_the_page_print_what_it_shows() {
    let page = include_str!("../../../../docs/assemblies.md");
    let (out, mut last, mut commands) = (folder("assemblies_page"), String::new(), 0);
    for (language, lines) in blocks(page) {
        match language {
            "sh" => {
                last.clear();
                for line in lines {
                    let (command, comment) = line.split_once('#').unwrap_or((line, ""));
                    let words = words(command);
                    assert_eq!(words[0], "spikelet");
                    let output = Command::new(env!("CARGO_BIN_EXE_spikelet")).args(&words[1..]).current_dir(&out).output();
                    let output = output.expect("the program starts");
                    let expected = if comment.contains("fails") { 2 } else { 0 };
                    assert_eq!(code(&output), expected, "{command}: {}", text(&output.stderr));
                    last += &text(if expected == 0 { &output.stdout } else { &output.stderr });
                    commands += 1;
                }
            }
            "text" => {
                // Winners are the same on all machines. Only the time of a round, in the last line, is not shown.
                let printed: Vec<&str> = last.lines().collect();
                assert!(lines.len() <= printed.len(), "{last}");
                assert_eq!(lines, printed[..lines.len()], "the page shows other lines than the command prints");
            }
            "rust" => {}
            "json" => fs::write(out.join("area.json"), lines.join("\n")).expect("the folder is writable"),
            other => panic!("a block is {other}"),
        }
    }
    assert!(commands > 10, "{commands}");
    let figure = fs::read(out.join("figures/density.json")).expect("it was written");
    assert!(serde_json::from_slice::<Value>(&figure).is_ok());
    let lines = BufReader::new(fs::File::open(out.join("figures/density.csv")).expect("it was written")).lines();
    assert_eq!(lines.count(), 1 + 2 * 5 * 2);
}
