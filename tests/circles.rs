//! No files of a crate use each other in a circle, but a parent and its children: each can be read, and changed, with those that it
//! uses and without those that use it.

mod graph;
mod source;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

use super::root;
use graph::{Files, Uses};

/// The folders of sources of all crates, with their names.
fn crates() -> Vec<(String, PathBuf)> {
    let root = root();
    let folders = std::fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path()).chain([root.join("web")]);
    let sources = |folder: PathBuf| (folder.file_name().unwrap().to_string_lossy().into_owned(), folder.join("src"));
    folders.map(sources).filter(|(_, sources)| sources.is_dir()).collect()
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let (mut read, mut wrong) = (0, String::new());
    for (name, folder) in crates() {
        let uses = Files::read(&folder).uses();
        read += uses.len();
        graph::circles(&uses).iter().for_each(|circle| wrong += &emitted(&name, circle, &uses));
    }
    assert!(read > 1000, "{read} files use others");
    assert!(wrong.is_empty(), "files use each other in circles; move what both need to a file that needs neither\n{wrong}");
}

/// The rooms of the plan, in the order of work.
const STAGES: [&str; 11] =
    ["options", "time", "values", "neurons", "pairs", "check", "draw", "scale", "layout", "schedule", "set"];

#[test]
fn a_stage_of_the_plan_uses_itself_and_earlier_ones() {
    let uses = Files::read(&root().join("crates/spikelet-plan/src")).uses();
    // What is in no stage puts the stages together, and comes after them.
    let stage = |file: &str| {
        let room = file.split('/').next()?;
        // The root is the plan itself, which all fill.
        (!room.is_empty()).then(|| STAGES.iter().position(|stage| *stage == room).unwrap_or(STAGES.len()))
    };
    let (mut checked, mut wrong) = (0, String::new());
    for (file, used) in &uses {
        for (used, places) in used {
            let (Some(own), Some(other)) = (stage(file), stage(used)) else { continue };
            checked += usize::from(own < STAGES.len());
            if own < STAGES.len() && other > own {
                // Writing to a String cannot fail.
                let _ = writeln!(wrong, "{file} → {used}, line {}", places.join("; line "));
            }
        }
    }
    assert!(checked > 100, "{checked} uses between files of stages");
    assert!(wrong.is_empty(), "a stage of the plan uses a later one: {STAGES:?}\n{wrong}");
}

/// A circle with what makes it one.
fn emitted(name: &str, circle: &BTreeSet<String>, uses: &Uses) -> String {
    let mut text = format!("{name}: {}\n", circle.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
    for file in circle {
        for (used, places) in uses[file].iter().filter(|(used, _)| circle.contains(*used)) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "    {file} → {used}, line {}", places.join("; line "));
        }
    }
    text
}

#[test]
fn a_circle_is_found_whoever_hands_names_on() {
    let folder = std::env::temp_dir().join(format!("spikelet-circles-{}", std::process::id()));
    let files = [
        ("lib.rs", "mod a; mod b; mod c;\npub use a::One;\npub use b::Two;"),
        ("a.rs", "mod child;\nuse crate::Two;\npub struct One;\npub use child::three;"),
        ("a/child.rs", "use super::One;\npub fn three(_: One) {}"),
        ("b.rs", "use crate::c;\npub struct Two;\nfn two() { c::four(); }"),
        ("c.rs", "pub fn four() { crate::a::three(crate::One); }"),
    ];
    std::fs::create_dir_all(folder.join("a")).unwrap();
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let uses = Files::read(&folder).uses();
    std::fs::remove_dir_all(&folder).unwrap();
    let circles = graph::circles(&uses);
    assert_eq!(circles, [["a", "b", "c"].map(str::to_owned).into()]);
    let emitted = emitted("crate", &circles[0], &uses);
    assert!(emitted.contains("a → b, line 2: crate::Two") && emitted.contains("b → c, line 3: c::four"), "{emitted}");
    // A parent and its child may use each other, and what they make a circle of is none.
    assert!(uses["a"].contains_key("a/child") && uses["a/child"].contains_key("a") && uses["c"].contains_key("a/child"));
}
