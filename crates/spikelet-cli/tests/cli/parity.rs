//! `docs/parity.md`: its commands print what it shows, and the tests that it names exist.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use super::{code, json, text, words};

/// A row of a table.
struct Row {
    /// Its first two cells.
    name: String,
    commands: Vec<String>,
    /// Files with tests, each with the names of tests in it.
    tests: Vec<(String, Vec<String>)>,
    /// What each command prints.
    shows: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pieces of code of a cell.
fn code_of(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn rows(page: &str) -> Vec<Row> {
    let cells = |line: &str| {
        line.strip_prefix("| ")?.strip_suffix('|')?.split(" | ").map(str::to_owned).collect::<Vec<_>>().try_into().ok()
    };
    let rows = page.lines().filter_map(cells).filter(|[_, name, ..]: &[String; 4]| name != "capability");
    let row = |[number, name, shown_by, shows]: [String; 4]| {
        let (mut commands, mut tests) = (Vec::new(), Vec::<(String, Vec<String>)>::new());
        for piece in code_of(&shown_by) {
            if piece.starts_with("spikelet ") {
                commands.push(piece.to_owned());
            } else if piece.contains('/') {
                tests.push((piece.to_owned(), Vec::new()));
            } else {
                tests.last_mut().unwrap_or_else(|| panic!("`{piece}` has no file: {name}")).1.push(piece.to_owned());
            }
        }
        assert!(!commands.is_empty() || !tests.is_empty(), "nothing shows {number} {name}");
        Row { name: format!("{number} {name}"), commands, tests, shows: code_of(&shows).map(str::to_owned).collect() }
    };
    rows.map(row).collect()
}

/// Text with single blanks.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_command_prints_what_the_page_shows() {
    let page = fs::read_to_string(root().join("docs/parity.md")).expect("the page is there");
    let rows = rows(&page);
    let number = |row: &Row| row.name.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok();
    let mut numbers: Vec<u32> = rows.iter().filter_map(number).collect();
    // The last one has several rows.
    numbers.dedup();
    assert_eq!(numbers, (1..=85).collect::<Vec<_>>());
    let has_gpu = json(&["list", "devices", "--json"]).as_array().is_some_and(|devices| devices.len() > 1);
    assert!(has_gpu || std::env::var_os("SPIKELET_REQUIRE_ADAPTER").is_none(), "there is no GPU");
    let commands = rows.iter().flat_map(|row| row.commands.iter().cloned());
    // The same command shows several rows, and runs once.
    let waiting: BTreeMap<String, ()> =
        commands.filter(|command| has_gpu || !command.contains("gpu")).map(|command| (command, ())).collect();
    let (waiting, printed) = (Mutex::new(waiting.into_keys()), Mutex::new(BTreeMap::new()));
    let work = || {
        while let Some(command) = { waiting.lock().expect("no panic").next() } {
            let words = words(&command);
            let output = Command::new(env!("CARGO_BIN_EXE_spikelet")).args(&words[1..]).current_dir(root()).output();
            let output = output.expect("the program starts");
            let both = format!("exit {} {} {}", code(&output), text(&output.stdout), text(&output.stderr));
            printed.lock().expect("no panic").insert(command, squeezed(&both));
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
    let printed = printed.into_inner().expect("no panic");
    let mut wrong = Vec::new();
    for row in &rows {
        let is_code = row.shows.iter().any(|shown| shown.starts_with("exit "));
        let expected = row.shows.iter().map(|shown| squeezed(shown)).chain((!is_code).then(|| "exit 0 ".trim_end().to_owned()));
        let expected: Vec<String> = expected.collect();
        for command in row.commands.iter().filter(|command| printed.contains_key(*command)) {
            let output = &printed[command];
            let missing: Vec<_> = expected.iter().filter(|shown| !output.contains(shown.as_str())).collect();
            if !missing.is_empty() {
                wrong.push(format!("{}: `{command}` does not print {missing:?} but\n{output}", row.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_test_that_the_page_names_exists() {
    let page = fs::read_to_string(root().join("docs/parity.md")).expect("the page is there");
    for row in rows(&page) {
        for (file, names) in row.tests {
            let source = fs::read_to_string(root().join(&file)).unwrap_or_else(|error| panic!("{}: {file}: {error}", row.name));
            for name in names {
                assert!(
                    source.contains(&format!("fn {name}()")) || source.contains(&format!("test(\"{name}")),
                    "{}: {file} has no `{name}`",
                    row.name
                );
            }
        }
    }
}
