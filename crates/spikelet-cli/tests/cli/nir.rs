//! Import and export of graphs of NIR.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{code, folder, json, spikelet, text};

/// Rows of 0.1 ms in which the published cell has an input.
const ROWS: [u32; 34] = [
    60, 220, 270, 310, 320, 350, 370, 400, 410, 430, 440, 450, 460, 470, 480, 490, 500, 510, 520, 530, 670, 680, 690, 700, 710,
    720, 730, 740, 750, 760, 770, 780, 840, 850,
];

fn graph(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/nir").join(name).display().to_string()
}

/// A folder with the published cell, and its input as a file of spikes.
fn published(name: &str) -> PathBuf {
    let folder = folder(name);
    fs::copy(graph("lif_norse.nir"), folder.join("lif_norse.nir")).expect("the folder is writable");
    let lines: String = ROWS.iter().map(|row| format!("0,{}.{}\n", row / 10, row % 10)).collect();
    fs::write(folder.join("input.csv"), format!("neuron,time_ms\n{lines}")).expect("the folder is writable");
    folder
}

#[test]
fn the_commands_of_the_page_run_and_print_what_it_shows() {
    let (folder, mut last, mut commands, mut shown) = (published("nir_page"), String::new(), 0, 0);
    let mut language = None;
    for line in include_str!("../../../../docs/nir.md").lines() {
        if let Some(rest) = line.strip_prefix("```") {
            language = (language.is_none()).then_some(rest);
            continue;
        }
        match language {
            Some("sh") => {
                let command = line.split_once('#').map_or(line, |(command, _)| command);
                let mut words = command.split_whitespace();
                assert_eq!(words.next(), Some("spikelet"), "{line}");
                let output = Command::new(env!("CARGO_BIN_EXE_spikelet")).args(words).current_dir(&folder).output();
                let output = output.expect("the program starts");
                assert_eq!(code(&output), 0, "{line}: {}", text(&output.stderr));
                last = text(&output.stdout);
                commands += 1;
            }
            Some("text") => {
                assert!(last.lines().any(|printed| printed == line), "the page shows\n{line}\nbut the command prints\n{last}");
                shown += 1;
            }
            _ => {}
        }
    }
    assert!(commands >= 5 && shown >= 2, "{commands} commands, {shown} lines");
}

#[test]
fn the_published_cell_fires_in_its_rows_after_a_file_of_each_kind() {
    let folder = published("nir_published");
    let at = |name: &str| folder.join(name).display().to_string();
    for reset in ["value", "subtract"] {
        let import = |from: &str, to: &str| {
            let output = spikelet(&["import", &at(from), "--input", &at("input.csv"), "--reset", reset, "--out", &at(to)]);
            assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        };
        let hash = |network: &str, out: &str| {
            let report =
                json(&["run", &at(network), "--backend", "cpu", "--time", "100", "--json", "--out", &at(out), "--format", "csv"]);
            report["spikes_hash"].clone()
        };
        import("lif_norse.nir", "one.json");
        let output = spikelet(&["export", &at("one.json"), "--format", "nir", "--out", &at("again.nir")]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let notices = text(&output.stderr);
        assert!(notices.contains("sources: NIR stores no spikes of sources"), "{notices}");
        assert_eq!(notices.contains("the reset `subtract`"), reset == "subtract", "{notices}");
        import("again.nir", "two.json");
        assert_eq!(hash("one.json", "results"), hash("two.json", "results_again"), "{reset}");

        let spikes = fs::read_to_string(folder.join("results/spikes.csv")).expect("the run wrote its spikes");
        let steps: Vec<&str> = spikes.lines().filter_map(|line| line.split(",n1,0,").nth(1)?.split(',').next()).collect();
        assert_eq!(steps, ["461", "511", "711", "761"], "{reset}: a spike of row k acts in step k + 1");
    }
}

#[test]
fn graphs_and_options_that_do_not_fit_are_refused() {
    let folder = published("nir_refused");
    let at = |name: &str| folder.join(name).display().to_string();
    let write = |name: &str, content: &[u8]| {
        fs::write(folder.join(name), content).expect("the folder is writable");
        at(name)
    };
    let lif = at("lif_norse.nir");
    let bytes = fs::read(&lif).expect("it was copied");
    let world = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/worlds/aquarium.json").display().to_string();
    let cases = [
        (spikelet(&["import", &write("text.nir", b"text")]), "text.nir: the file is not readable, but an HDF5 file is expected"),
        (spikelet(&["import", &write("half.nir", &bytes[..bytes.len() / 2])]), "half.nir: "),
        (spikelet(&["import", &lif, "--dt", "0"]), "the time step is 0 ms, but it must be above 0 ms"),
        (spikelet(&["import", &lif, "--reset", "none"]), "[possible values: value, subtract]"),
        (spikelet(&["import", &lif, "--input", &at("none.csv")]), "there is no file "),
        (
            spikelet(&["import", &lif, "--input", &write("a.csv", b"cell,t\n0,1\n")]),
            "a.csv, line 1: the columns neuron and time_ms are expected",
        ),
        (
            spikelet(&["import", &lif, "--input", &write("b.csv", b"neuron,time_ms\n0,1\n0,x\n")]),
            "b.csv, line 3: a neuron and a time are expected",
        ),
        (
            spikelet(&["import", &lif, "--input", &write("c.csv", b"neuron,time_ms\n1,1\n")]),
            "the node `input` (spike_times_ms[0][0])",
        ),
        (spikelet(&["run", &lif]), "is a graph of NIR; make a network of it: `spikelet import "),
        (spikelet(&["import", &world, "--reset", "value"]), "--reset is for graphs of NIR"),
        (spikelet(&["export", "cuba", "--format", "nir"]), "name a file with --out"),
        (
            spikelet(&["export", "cuba", "--format", "nir", "--out", &at("cuba.nir")]),
            "cuba cannot be written as a graph of NIR: populations[0]",
        ),
    ];
    for (output, expected) in cases {
        let message = text(&output.stderr);
        assert_eq!((code(&output), output.stdout.len()), (2, 0), "{message}");
        assert!(message.contains(expected), "{message}\nexpected: {expected}");
    }
    assert!(!folder.join("cuba.nir").exists());
}
