//! The statements that a GPU runs for every model of the library, as files: a change of the language shows in a diff of what it
//! prints. `UPDATE_EXPECT=1 cargo test -p spikelet-lang --test snapshots` writes them anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use expect_test::expect_file;
use spikelet_lang::model::Role;
use spikelet_lang::{LibraryModel, PopulationLayout, Quantities, check_neuron, library, wgsl};

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
    let wgsl::Printed { deliver_input: take, reset, after_events, run_regularly, sample_and_hold: hold, update } =
        wgsl::print(&program, wgsl::Arithmetic::Exact);
    let rare = after_events + &run_regularly;
    assert_eq!(rare, "", "{}: models of the library have no statements of events or of regular times", model.name);
    Some(format!("// take\n{take}\n// reset\n{reset}\n// hold\n{hold}\n// update\n{update}"))
}

#[test]
fn the_library_prints_what_it_printed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut known = BTreeSet::new();
    for name in library::names() {
        let model = library::library(name).unwrap_or_else(|_| panic!("{name} is in the library"));
        let Some(now) = printed(model) else { continue };
        let path = folder.join(format!("{name}.wgsl"));
        // A new model needs no file but its own: what it prints is kept from the next update on.
        if update || path.exists() {
            expect_file![&path].assert_eq(&now);
            known.insert(path);
        }
    }
    assert!(known.len() >= 4, "{known:?}");
    let all = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let strange: Vec<_> = all.flatten().map(|entry| entry.path()).filter(|path| !known.contains(path)).collect();
    assert!(strange.is_empty(), "these belong to no model, remove them: {strange:?}");
}
