use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// Which crates of the workspace a crate may use.
const ARROWS: [(&str, &[&str]); 9] = [
    ("spikelet-lang", &[]),
    ("spikelet", &["spikelet-lang"]),
    ("spikelet-gpu", &["spikelet"]),
    ("spikelet-verify", &["spikelet"]),
    ("spikelet-js", &["spikelet-lang", "spikelet", "spikelet-gpu", "spikelet-verify"]),
    ("spikelet-cli", &["spikelet-lang", "spikelet", "spikelet-gpu", "spikelet-verify"]),
    ("spikelet-tests", &["spikelet", "spikelet-gpu", "spikelet-verify"]),
    ("spikelet-web", &["spikelet", "spikelet-lang", "spikelet-js"]),
    ("xtask", &[]),
];

/// Outside crates that only one crate of ours may name.
const OWNERS: [(&str, &str); 2] = [("wgpu", "spikelet-gpu"), ("leptos", "spikelet-web")];

#[test]
fn crates_use_only_what_their_arrows_allow() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let ours: BTreeSet<&str> = packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    let drawn: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    assert_eq!(ours, drawn, "the crates of the workspace are not those of the drawing");
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let (_, allowed) = ARROWS.iter().find(|(of, _)| *of == name).unwrap();
        for dependency in package["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            assert!(!ours.contains(used) || allowed.contains(&used), "{name} uses {used}: no arrow leads there");
            let owner = OWNERS.iter().find(|(outside, _)| *outside == used);
            assert!(owner.is_none_or(|(_, owner)| *owner == name), "{name} names {used}, which is another crate's");
        }
    }
}

/// Every path and every name of code in ARCHITECTURE.md exists.
#[test]
fn names_in_architecture_exist() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut sources = String::new();
    for file in files(&root()) {
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        if ["rs", "wgsl", "toml", "js"].contains(&ending) {
            sources.push_str(&std::fs::read_to_string(&file).unwrap());
        }
    }
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).filter(|name| !name.contains('\n')).collect();
    assert!(quoted.len() > 50, "ARCHITECTURE.md names {} things", quoted.len());
    for name in quoted {
        let found = if name.contains('/')
            || name.ends_with(".rs")
            || name.ends_with(".wgsl")
            || name.ends_with(".toml")
            || name.ends_with(".json")
        {
            root().join(name).exists()
        } else {
            name.split([' ', ':', '(', ')', '.', ',', '<', '>', '=', '&'])
                .filter(|word| !word.is_empty())
                .all(|word| sources.contains(word))
        };
        assert!(found, "ARCHITECTURE.md names `{name}`, which does not exist");
    }
}

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
    use spikelet::lang::{Method, term::Function};
    let text = std::fs::read_to_string(root().join("docs/language.md")).unwrap();
    let methods = Method::ALL.iter().map(|(name, _)| *name);
    let functions = Function::ALL.iter().map(|(name, ..)| *name);
    let distributions = spikelet::lang::check::DISTRIBUTIONS.iter().map(|(name, _)| *name);
    let names = methods.chain(functions).chain(distributions).chain(spikelet::lang::check::COUNTS);
    let missing: Vec<&str> = names.filter(|name| !text.contains(&format!("`{name}"))).collect();
    assert!(missing.is_empty(), "docs/language.md does not name {missing:?}");
}
