//! The rules for sources and documents: crate arrows, names in documents of the code, references and lists that are complete.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

/// Who may use whom: files of a crate that use each other in a circle.
mod circles;
/// What documents name, list and link to exists.
mod documents;
/// The drawing of crates.
mod drawing;
/// Old names of items are not declared any more.
mod names;
/// Documents and messages use plain words.
mod prose;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The packages of the workspace, by their manifests.
fn packages() -> Vec<serde_json::Value> {
    let metadata = ["metadata", "--no-deps", "--format-version", "1"];
    let output = Command::new(env!("CARGO")).args(metadata).current_dir(root()).output().unwrap();
    let mut metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    std::mem::take(metadata["packages"].as_array_mut().unwrap())
}

/// Which crates of the workspace a crate may use.
const ARROWS: [(&str, &[&str]); 32] = [
    ("spikelet-lang", &[]),
    ("spikelet-kernel", &["spikelet-lang"]),
    ("spikelet-network", &["spikelet-lang"]),
    ("spikelet-interchange", &["spikelet-lang", "spikelet-network"]),
    ("spikelet-rows", &["spikelet-lang", "spikelet-kernel", "spikelet-network"]),
    ("spikelet-plan", &["spikelet-lang", "spikelet-kernel", "spikelet-network", "spikelet-rows"]),
    ("spikelet-cpu", &["spikelet-lang", "spikelet-kernel", "spikelet-network", "spikelet-rows", "spikelet-plan"]),
    ("spikelet", &["spikelet-lang", "spikelet-kernel", "spikelet-network", "spikelet-rows", "spikelet-plan", "spikelet-cpu"]),
    ("spikelet-export", &["spikelet", "spikelet-interchange"]),
    ("spikelet-interchange-js", &["spikelet-module", "spikelet", "spikelet-interchange", "spikelet-export"]),
    ("spikelet-assemblies", &["spikelet-kernel", "spikelet"]),
    ("spikelet-module", &[]),
    ("spikelet-assemblies-js", &["spikelet-module", "spikelet-assemblies"]),
    ("spikelet-partition", &["spikelet-lang", "spikelet-network", "spikelet-plan", "spikelet-rows"]),
    ("spikelet-mpi", &["spikelet", "spikelet-network", "spikelet-plan"]),
    (
        "spikelet-train",
        &[
            "spikelet-lang",
            "spikelet-kernel",
            "spikelet-network",
            "spikelet-rows",
            "spikelet-plan",
            "spikelet",
            "spikelet-interchange",
        ],
    ),
    ("spikelet-train-js", &["spikelet-module", "spikelet-network", "spikelet-plan", "spikelet-train"]),
    ("spikelet-gpu", &["spikelet-kernel", "spikelet", "spikelet-assemblies", "spikelet-train"]),
    ("spikelet-gpu-kit", &["spikelet", "spikelet-gpu", "spikelet-verify"]),
    ("spikelet-reference", &["spikelet", "spikelet-lang", "spikelet-network"]),
    ("spikelet-random", &["spikelet", "spikelet-reference", "spikelet-verify"]),
    ("spikelet-verify", &["spikelet"]),
    ("spikelet-js", &["spikelet-kernel", "spikelet", "spikelet-gpu", "spikelet-verify"]),
    (
        "spikelet-cli",
        &[
            "spikelet-lang",
            "spikelet-kernel",
            "spikelet",
            "spikelet-assemblies",
            "spikelet-export",
            "spikelet-gpu",
            "spikelet-interchange",
            "spikelet-mpi",
            "spikelet-native",
            "spikelet-partition",
            "spikelet-reference",
            "spikelet-train",
            "spikelet-verify",
        ],
    ),
    (
        "spikelet-py",
        &[
            "spikelet",
            "spikelet-export",
            "spikelet-gpu",
            "spikelet-interchange",
            "spikelet-kernel",
            "spikelet-native",
            "spikelet-train",
        ],
    ),
    ("spikelet-native", &[]),
    ("spikelet-host", &[]),
    ("spikelet-bindgen", &[]),
    ("spikelet-peers", &["spikelet", "spikelet-assemblies", "spikelet-host"]),
    (
        "spikelet-tests",
        &[
            "spikelet",
            "spikelet-assemblies",
            "spikelet-gpu",
            "spikelet-host",
            "spikelet-interchange",
            "spikelet-js",
            "spikelet-kernel",
            "spikelet-lang",
            "spikelet-network",
            "spikelet-random",
            "spikelet-reference",
            "spikelet-train",
            "spikelet-verify",
        ],
    ),
    ("spikelet-web", &["spikelet", "spikelet-lang", "spikelet-network", "spikelet-js"]),
    ("xtask", &["spikelet-host"]),
];

/// Outside crates that only one crate of ours may name.
const OWNERS: [(&str, &str); 4] =
    [("wgpu", "spikelet-gpu"), ("mpi", "spikelet-mpi"), ("leptos", "spikelet-web"), ("pyo3", "spikelet-py")];

/// Programs that name one all the same: the kit has the simulator that the GPU is compared with, of the benchmarks of `spikelet-gpu`.
const COMPARED: [(&str, &str); 1] = [("wgpu", "spikelet-gpu-kit")];

#[test]
fn crates_use_only_what_their_arrows_allow() {
    let packages = packages();
    let ours: BTreeSet<&str> = packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    let drawn: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    assert_eq!(ours, drawn, "the crates of the workspace are not those of the drawing");
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        let (_, allowed) = ARROWS.iter().find(|(of, _)| *of == name).unwrap();
        for dependency in package["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            assert!(!ours.contains(used) || allowed.contains(&used), "{name} uses {used}: no arrow leads there");
            let owner = OWNERS.iter().find(|(outside, _)| *outside == used);
            let is_compared = COMPARED.contains(&(used, name));
            assert!(
                is_compared || owner.is_none_or(|(_, owner)| *owner == name),
                "{name} names {used}, which is another crate's"
            );
        }
    }
}

/// Libraries that get bytes and times from their caller, so that they run in a browser, too.
const WITHOUT_IO: [&str; 13] = [
    "spikelet-lang",
    "spikelet-kernel",
    "spikelet-network",
    "spikelet-rows",
    "spikelet-plan",
    "spikelet-cpu",
    "spikelet",
    "spikelet-interchange",
    "spikelet-export",
    "spikelet-assemblies",
    "spikelet-train",
    "spikelet-partition",
    "spikelet-verify",
];

#[test]
fn libraries_do_no_io_and_read_no_clock() {
    let mut wrong = Vec::new();
    for library in WITHOUT_IO {
        let sources = files(&root().join("crates").join(library).join("src"));
        assert!(!sources.is_empty(), "{library} has no sources");
        let is_test = |path: &Path| path.components().any(|part| ["tests", "tests.rs"].iter().any(|of| part.as_os_str() == *of));
        for file in sources.into_iter().filter(|path| !is_test(path)) {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let named = ["std::fs", " fs::", "(fs::", "std::net", "std::env", "std::process", "Instant::now", "SystemTime"];
            let found = lines.filter(|line| named.iter().any(|name| line.contains(name)));
            wrong.extend(found.map(|line| format!("{}: {}", file.display(), line.trim())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A source says in its first line what it has, so that no document needs to list all of them.
#[test]
fn each_source_says_what_it_has() {
    let sources = ["crates", "web"].into_iter().flat_map(|folder| files(&root().join(folder)));
    let is_source = |path: &Path| {
        let path = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        path.ends_with(".rs") && path.contains("/src/") && !path.contains("/tests")
    };
    let silent: Vec<PathBuf> =
        sources.filter(|path| is_source(path) && !std::fs::read_to_string(path).unwrap().starts_with("//! ")).collect();
    assert!(silent.is_empty(), "these begin without a line of documentation: {silent:?}");
}

/// All files of a folder, without build outputs.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && !["target", "dist", ".git", "node_modules"].contains(&name.to_str().unwrap_or("")) {
            found.extend(files(&path));
        } else if path.is_file() {
            found.push(path);
        }
    }
    found
}

#[test]
fn the_reference_of_the_language_names_all_there_is() {
    use spikelet::lang::{Method, functions::Function};
    let text = std::fs::read_to_string(root().join("docs/language.md")).unwrap();
    let methods = Method::ALL.iter().map(|(name, _)| *name);
    let (_, table) = text.split_once("## Names and functions").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let functions = Function::written().map(|function| function.row().name);
    let missing: Vec<&str> =
        functions.filter(|name| ["`", "("].iter().all(|end| !table.contains(&format!("`{name}{end}")))).collect();
    assert!(missing.is_empty(), "docs/language.md does not name {missing:?} under \"Names and functions\"");
    let distributions = spikelet::lang::check::DISTRIBUTIONS.iter().map(|(name, _)| *name);
    let names = methods.chain(distributions).chain(spikelet::lang::check::COUNTS);
    let missing: Vec<&str> = names.filter(|name| !text.contains(&format!("`{name}"))).collect();
    assert!(missing.is_empty(), "docs/language.md does not name {missing:?}");
}

/// The reference of networks, with that of connectomes, names every key, every rule and every other word that the format knows.
#[test]
fn the_reference_of_networks_names_all_there_is() {
    let read = |name: &str| std::fs::read_to_string(root().join("docs").join(name)).unwrap();
    let text = read("networks.md") + &read("connectomes.md");
    let schema = std::fs::read_to_string(root().join("docs/network.schema.json")).unwrap();
    let mut names = BTreeSet::new();
    words(&serde_json::from_str(&schema).unwrap(), &mut names);
    names.extend(spikelet::RULES.iter().map(|rule| rule.name.to_owned()));
    assert!(names.len() > 80 && names.contains("half_widths") && names.contains("procedural"), "{names:?}");
    let missing: Vec<&String> =
        names.iter().filter(|name| !text.contains(&format!("`{name}`")) && !text.contains(&format!("\"{name}\":"))).collect();
    assert!(missing.is_empty(), "docs/networks.md does not name {missing:?}");
}

/// The README states the number of connection rules; the reference lists them in the order of the menu.
#[test]
fn every_text_has_as_many_rules_as_there_are() {
    const NUMBERS: [&str; 6] = ["fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"];
    let text = |name: &str| std::fs::read_to_string(root().join(name)).unwrap();
    let said = format!("{} connection rules", NUMBERS[spikelet::RULES.len() - 15]);
    assert!(text("README.md").contains(&said), "README.md does not say {said:?}");
    let reference = text("docs/networks.md");
    let section = reference.split("\n### ").find(|section| section.starts_with("Rules\n")).unwrap();
    let listed: Vec<&str> =
        section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).filter(|name| *name != "rule").collect();
    assert_eq!(listed, spikelet::RULES.map(|rule| rule.name));
}

/// Keys, and words that stand for themselves, of a JSON Schema.
fn words(schema: &serde_json::Value, found: &mut BTreeSet<String>) {
    for (key, value) in schema.as_object().into_iter().flatten() {
        match key.as_str() {
            "properties" => found.extend(value.as_object().into_iter().flatten().map(|(name, _)| name.clone())),
            "const" => found.extend(value.as_str().map(str::to_owned)),
            _ => {}
        }
        words(value, found);
    }
    schema.as_array().into_iter().flatten().for_each(|part| words(part, found));
}

#[test]
fn the_example_in_the_reference_of_networks_runs() {
    let text = std::fs::read_to_string(root().join("docs/networks.md")).unwrap();
    let example = text.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let network = spikelet::Network::from_json(example).unwrap();
    let plan = spikelet::Plan::new(&network).unwrap();
    // p·2πσ² of a plane, in neurons, without the neuron itself.
    let expected = 0.5 * (2.0 * std::f64::consts::PI * 25.0 - 1.0);
    let mean = plan.projections[0].synapses() as f64 / 10_000.0;
    assert!((mean / expected - 1.0).abs() < 0.01, "{mean} synapses of a neuron; expected {expected}");
}

/// In Leptos, `track` does not compute a memo, and one that is never computed never says that it has changed: memos are read instead.
#[test]
fn no_effect_waits_for_a_memo_that_is_never_computed() {
    let mut folders = vec![root().join("web/src")];
    let mut wrong = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let tracked =
                text.split(".track()").map(|before| before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap());
            let is_memo =
                |name: &&str| ["Memo::new(", "of_current("].iter().any(|made| text.contains(&format!("let {name} = {made}")));
            wrong.extend(tracked.filter(is_memo).map(|name| format!("{}: {name}.track()", path.display())));
        }
    }
    assert!(wrong.is_empty(), "read these memos with `get`: {wrong:?}");
}
