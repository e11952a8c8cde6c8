//! The statements that a GPU runs for every model of the library, as files: a change of the language shows in a diff of what it
//! prints. `UPDATE_SNAPSHOTS=1 cargo test -p spikelet-lang --test snapshots` writes them anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use spikelet_lang::model::Role;
use spikelet_lang::{LibraryModel, PopulationLayout, Quantities, check_neuron, library, wgsl};

const REFRESH: &str = "UPDATE_SNAPSHOTS=1 cargo test -p spikelet-lang --test snapshots";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots")
}

/// The statements of a cell whose every variable is a port, so that all of its code is there. Synapses have no kernel of their own.
fn printed(model: &LibraryModel) -> Option<String> {
    let text = model.text().ok()?;
    let defaults = model.parameters.iter().map(|(name, parameter)| (name.as_str(), parameter.default.as_str()));
    let given = Quantities::from_texts(defaults).unwrap_or_else(|found| panic!("{}: {found}", model.name));
    let checked = check_neuron(&text, &given.dimensions()).unwrap_or_else(|found| panic!("{}: {}", model.name, found[0]));
    let state = checked.variables.iter().filter(|variable| variable.role == Role::Declared && variable.written);
    let layout = PopulationLayout { ports: state.map(|variable| variable.name.clone()).collect(), ..PopulationLayout::uniform() };
    let program = checked.compile(&layout).unwrap_or_else(|found| panic!("{}: {found}", model.name));
    // By name, so that a further piece is not forgotten here.
    let wgsl::Printed { take, reset, hold, update } = wgsl::print(&program);
    Some(format!("// take\n{take}\n// reset\n{reset}\n// hold\n{hold}\n// update\n{update}"))
}

#[test]
fn the_library_prints_what_it_printed() {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some_and(|value| value == "1");
    let mut wrong = Vec::new();
    let mut known = BTreeSet::new();
    for name in library::names() {
        let model = library::library(name).unwrap_or_else(|_| panic!("{name} is in the library"));
        let Some(now) = printed(&model) else { continue };
        let path = folder().join(format!("{name}.wgsl"));
        known.insert(path.clone());
        // A new model needs no file but its own: what it prints is kept from the next refresh on.
        if !path.exists() && !update {
            println!("{name}: not kept yet; {REFRESH} keeps it");
            continue;
        }
        let before = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        if now == before {
            continue;
        }
        if update {
            fs::create_dir_all(folder()).and_then(|()| fs::write(&path, now)).unwrap_or_else(|error| panic!("{name}: {error}"));
            continue;
        }
        let pairs = before.lines().map(Some).chain(std::iter::repeat(None)).zip(now.lines());
        let first = pairs.enumerate().find(|(_, (before, now))| *before != Some(now));
        let (line, was, is) =
            first.map_or((now.lines().count() + 1, "more", "the end"), |(k, (was, is))| (k + 1, was.unwrap_or("the end"), is));
        wrong.push(format!("{name}.wgsl, line {line}:\n  was {was}\n  is  {is}"));
    }
    for entry in fs::read_dir(folder()).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if !known.contains(&entry) && !update {
            wrong.push(format!("{} belongs to no model", entry.display()));
        } else if !known.contains(&entry) {
            fs::remove_file(&entry).unwrap_or_else(|error| panic!("{}: {error}", entry.display()));
        }
    }
    assert!(known.len() >= 4, "{known:?}");
    assert!(wrong.is_empty(), "{}\nIf that is meant, write the snapshots anew: {REFRESH}", wrong.join("\n"));
}
