//! The table of tests/names.md holds: no old name is declared, every new one is.

use std::path::Path;

use crate::{files, root};

/// A row of the table.
struct Renamed<'a> {
    old: &'a str,
    new: &'a str,
    what: &'a str,
    /// The folder or file in which the old name is not declared any more; empty for everywhere.
    place: &'a str,
}

#[test]
fn no_old_name_is_declared() {
    let text = std::fs::read_to_string(root().join("tests/names.md")).unwrap();
    let table = renamed(&text);
    assert!(table.len() > 150, "tests/names.md has {} renamed items", table.len());
    let sources = sources();
    let mut wrong = Vec::new();
    for row in &table {
        let old = sources
            .iter()
            .filter(|(path, _)| is_within(path, row.place))
            .find(|(path, text)| declares(path, text, row.what, row.old));
        wrong.extend(old.map(|(path, _)| format!("{path} declares the {} `{}`; its name is `{}`", row.what, row.old, row.new)));
        if !sources.iter().any(|(path, text)| declares(path, text, row.what, row.new)) {
            wrong.push(format!("no source declares the {} `{}`, the new name of `{}`", row.what, row.new, row.old));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rules for parts of names, beside the table.
#[test]
fn limits_are_max_and_min_and_offsets_are_offsets() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            let name = declared(line);
            let is_limit = ["most_", "least_", "MOST_", "LEAST_"].iter().any(|start| name.starts_with(start));
            let is_offset = path.starts_with("shaders") && name.ends_with("_at") && !line.contains("fn ");
            if is_limit || is_offset {
                wrong.push(format!("{path}:{}: `{name}`; use max_, min_ or _offset", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The glossary of docs/internals.md: each term is declared in the source as it is written.
#[test]
fn terms_of_the_glossary_are_declared() {
    let text = std::fs::read_to_string(root().join("docs/internals.md")).unwrap();
    let (_, glossary) = text.split_once("\n## Glossary\n").expect("docs/internals.md has a glossary");
    let rows: Vec<&str> = glossary.split("\n## ").next().unwrap().lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() > 30, "the glossary has {} terms", rows.len());
    let sources = sources();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [term, _, code] = cells[..] else { panic!("a row of the glossary has three cells: {row}") };
        for name in code.split('`').skip(1).step_by(2) {
            let is_declared = ["type", "function", "field", "variant", "constant", "module"]
                .iter()
                .any(|what| sources.iter().any(|(path, text)| declares(path, text, what, name)));
            assert!(is_declared, "the glossary says {term} is `{name}`, which no source declares");
        }
    }
}

fn renamed(text: &str) -> Vec<Renamed<'_>> {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [old, new, what, place] = cells[..] else { panic!("a row has four cells: {row}") };
        Renamed { old, new, what, place: if place == "everywhere" { "" } else { place } }
    })
    .collect()
}

/// All sources in Rust, WGSL and TypeScript: the path from the root, and the text.
fn sources() -> Vec<(String, String)> {
    let root = root();
    let path_of = |path: &Path| path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
    let is_source = |path: &Path| path.extension().is_some_and(|ending| ["rs", "wgsl", "ts"].iter().any(|of| ending == *of));
    let found = files(&root).into_iter().filter(|path| is_source(path));
    found.map(|path| (path_of(&path), std::fs::read_to_string(&path).unwrap())).collect()
}

/// Whether a source is the file `place`, or in the folder; every source is where there is no place.
fn is_within(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| place.is_empty() || rest.is_empty() || rest.starts_with('/'))
}

/// Whether a source declares a name.
fn declares(path: &str, text: &str, what: &str, name: &str) -> bool {
    if what == "file" {
        return path == name;
    }
    text.contains(name) && text.lines().any(|line| declared(line) == name && is_a(what, line, name))
}

/// Whether the line, which declares a name, declares it as that.
fn is_a(what: &str, line: &str, name: &str) -> bool {
    let before = &line[..line.find(name).unwrap_or(0)];
    let has = |words: &[&str]| words.iter().any(|word| before.ends_with(&format!("{word} ")));
    match what {
        "type" => has(&["struct", "enum", "trait", "type", "class", "interface", "union"]),
        "function" => has(&["fn", "function"]),
        "constant" => has(&["const", "static"]),
        "module" => has(&["mod"]),
        // Rust, WGSL: `name: type,`. A private field looks like an argument or a value, so that only public ones count.
        "field" => {
            line.contains(&format!("{name}: "))
                && (before.trim_start().starts_with("pub") || before.trim().is_empty() && line.ends_with("u32,"))
        }
        "variant" => before.trim().is_empty() && name.starts_with(char::is_uppercase),
        _ => panic!("unknown kind of item: {what}"),
    }
}

/// The name that a line declares; empty where it declares none.
fn declared(line: &str) -> &str {
    let mut rest = line.trim_start();
    if rest.starts_with("//") {
        return "";
    }
    if rest.starts_with("pub(") {
        rest = rest.split_once(") ").map_or("", |(_, rest)| rest);
    }
    loop {
        const WORDS: [&str; 18] = [
            "pub",
            "const",
            "static",
            "async",
            "unsafe",
            "extern",
            "fn",
            "struct",
            "enum",
            "trait",
            "type",
            "mod",
            "union",
            "export",
            "function",
            "class",
            "interface",
            "let",
        ];
        match rest.split_once(' ') {
            Some((word, after)) if WORDS.contains(&word) => rest = after,
            Some((word, after)) if word.starts_with("var<") => rest = after,
            _ => break,
        }
    }
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    &rest[..end]
}
