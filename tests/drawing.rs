//! The drawing of the crates in ARCHITECTURE.md is that of their manifests.
//!
//! `UPDATE_EXPECT=1 cargo test --workspace --exclude spikelet-js --test tidy drawing` draws it again.

use std::collections::{BTreeMap, BTreeSet};

use super::{packages, root};

/// For each crate those that it uses, except in its tests.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Where the drawing stands: after this line.
const TITLE: &str = "A crate, and those that it uses; what these use themselves is left out:\n\n```text\n";
const END: &str = "```";

fn arrows() -> Arrows {
    let packages = packages();
    let name = |of: &serde_json::Value| of["name"].as_str().unwrap().to_owned();
    let ours: BTreeSet<String> = packages.iter().map(name).collect();
    let uses = |package: &serde_json::Value| -> BTreeSet<String> {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        dependencies.filter(|of| of["kind"] != "dev").map(name).filter(|used| ours.contains(used)).collect()
    };
    packages.iter().map(|package| (name(package), uses(package))).collect()
}

/// All crates that are reached from one.
fn reached(arrows: &Arrows, from: &str) -> BTreeSet<String> {
    arrows[from].iter().flat_map(|used| std::iter::once(used.clone()).chain(reached(arrows, used))).collect()
}

/// Crates whose uses are above them, one in a line.
fn drawn(arrows: &Arrows) -> String {
    let height = |name: &String| {
        fn height(arrows: &Arrows, name: &str) -> usize {
            arrows[name].iter().map(|used| height(arrows, used) + 1).max().unwrap_or(0)
        }
        height(arrows, name)
    };
    let short = |name: &str| name.strip_prefix("spikelet-").unwrap_or(name).to_owned();
    let mut names: Vec<&String> = arrows.keys().collect();
    names.sort_by_key(|name| (height(name), (*name).clone()));
    let line = |name: &&String| {
        let own = &arrows[*name];
        let through: BTreeSet<String> = own.iter().flat_map(|used| reached(arrows, used)).collect();
        let used: Vec<String> = own.difference(&through).map(|used| short(used)).collect();
        if used.is_empty() { short(name) } else { format!("{:<15} → {}", short(name), used.join(", ")) }
    };
    names.iter().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn the_drawing_of_crates_is_that_of_their_manifests() {
    let path = root().join("ARCHITECTURE.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let start = page.find(TITLE).expect("ARCHITECTURE.md has the drawing") + TITLE.len();
    let end = start + page[start..].find(END).expect("the drawing ends");
    let drawn = drawn(&arrows());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, format!("{}{drawn}{}", &page[..start], &page[end..])).unwrap();
    } else {
        assert_eq!(
            &page[start..end],
            drawn,
            "draw it again: UPDATE_EXPECT=1 cargo test --workspace --exclude spikelet-js --test tidy drawing"
        );
    }
}
