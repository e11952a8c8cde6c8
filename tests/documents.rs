//! What documents name, list and link to exists.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{files, root};

/// Every path and every name of code in the documents of the code exists.
#[test]
fn names_in_architecture_exist() {
    let mut sources = String::new();
    for file in files(&root()) {
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        if ["rs", "wgsl", "toml", "js"].contains(&ending) {
            sources.push_str(&std::fs::read_to_string(&file).unwrap());
        }
    }
    for (document, least) in [("ARCHITECTURE.md", 50), ("docs/internals.md", 50), ("docs/decisions.md", 20)] {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).filter(|name| !name.contains('\n')).collect();
        assert!(quoted.len() > least, "{document} names {} things", quoted.len());
        for name in quoted {
            let is_path = name.contains('/') || [".rs", ".wgsl", ".toml", ".json"].iter().any(|ending| name.ends_with(ending));
            let found = if is_path {
                root().join(name).exists()
            } else {
                name.split([' ', ':', '(', ')', '.', ',', '<', '>', '=', '&'])
                    .filter(|word| !word.is_empty())
                    .all(|word| sources.contains(word))
            };
            assert!(found, "{document} names `{name}`, which does not exist");
        }
    }
}

/// Every kernel that its README names exists, and the other way round.
#[test]
fn kernels_in_their_readme_exist() {
    let folder = root().join("shaders");
    let text = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let named: BTreeSet<&str> = text.split('`').skip(1).step_by(2).filter(|name| name.ends_with(".wgsl")).collect();
    let missing: Vec<&&str> =
        named.iter().filter(|name| !name.contains('*') && !folder.join(name).exists() && !root().join(name).exists()).collect();
    assert!(missing.is_empty(), "shaders/README.md names {missing:?}, which do not exist");
    let unnamed: Vec<String> = files(&folder)
        .iter()
        .map(|path| path.strip_prefix(&folder).unwrap().to_string_lossy().replace('\\', "/"))
        .filter(|path| path.ends_with(".wgsl") && !named.contains(path.as_str()))
        .filter(|path| !path.split_once('/').is_some_and(|(of, _)| named.contains(format!("{of}/*.wgsl").as_str())))
        .collect();
    assert!(unnamed.is_empty(), "shaders/README.md does not name {unnamed:?}");
}

/// Files that allow `unsafe` code are those that docs/reliability.md names, beside the tools that they were run with.
#[test]
fn files_with_unsafe_code_are_named() {
    let text = std::fs::read_to_string(root().join("docs/reliability.md")).unwrap();
    let (_, section) = text.split_once("\n## Sanitizers\n").expect("docs/reliability.md has the section");
    let sources = ["crates", "web", "tests"].into_iter().flat_map(|folder| files(&root().join(folder)));
    let mut found = 0;
    for file in sources.filter(|path| path.extension().is_some_and(|of| of == "rs")) {
        let allows = std::fs::read_to_string(&file).unwrap().lines().take(8).any(|line| {
            let line = line.trim_start();
            line.starts_with("#![allow(unsafe_code") || line == "unsafe_code,"
        });
        if allows {
            found += 1;
            let name = file.file_name().unwrap().to_string_lossy();
            assert!(section.contains(name.as_ref()), "docs/reliability.md does not name {}", file.display());
        }
    }
    assert!(found > 5, "{found} files allow unsafe code");
}

/// Each document is in the list that the README links to, and relative links lead to files.
#[test]
fn documents_are_listed_and_links_lead_to_files() {
    let index = std::fs::read_to_string(root().join("docs/README.md")).unwrap();
    assert!(std::fs::read_to_string(root().join("README.md")).unwrap().contains("(docs/README.md)"));
    let documents = files(&root().join("docs"));
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let unlisted: Vec<String> = documents
        .iter()
        .map(|path| name(path))
        .filter(|name| name != "README.md" && !index.contains(&format!("({name}")))
        .collect();
    assert!(unlisted.is_empty(), "docs/README.md does not list {unlisted:?}");
    let top = std::fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let pages = top
        .chain(documents)
        .chain([root().join("shaders/README.md")])
        .filter(|path| path.extension().is_some_and(|of| of == "md"));
    let mut broken = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        // Outside of blocks of code.
        for part in text.split("\n```").step_by(2) {
            for link in part.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                let path = link.split('#').next().unwrap();
                if !path.is_empty() && !path.contains(':') && !page.parent().unwrap().join(path).exists() {
                    broken.push(format!("{}: {link}", page.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Every path in CONTRIBUTING.md exists, except build outputs, which a fresh clone lacks.
#[test]
fn paths_in_contributing_exist() {
    let text = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let quoted = text.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|name| name.contains('/') && !name.contains([' ', '\n']) && !name.starts_with("target/"));
    let paths: Vec<&str> = paths.collect();
    assert!(paths.len() > 30, "CONTRIBUTING.md names {} paths", paths.len());
    let missing: Vec<&&str> = paths.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "CONTRIBUTING.md names {missing:?}, which do not exist");
}
