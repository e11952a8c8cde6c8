//! Import and export of configurations of four-dimensional worlds.

use std::fs;
use std::path::Path;

use super::{code, folder, spikelet, text};

fn sample() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/worlds/aquarium.json").display().to_string()
}

#[test]
fn a_configuration_becomes_a_network_and_a_configuration_again() {
    let folder = folder("worlds");
    let at = |name: &str| folder.join(name).display().to_string();
    let (network, exported, again) = (at("network.json"), at("exported.json"), at("again.json"));
    let output = spikelet(&["import", &sample(), "--out", &network]);
    assert_eq!((code(&output), output.stdout.len()), (0, 0), "{}", text(&output.stderr));
    let notices = text(&output.stderr);
    assert_eq!(notices.lines().filter(|line| line.starts_with("notice: ")).count(), 11, "{notices}");
    assert!(notices.contains("notice: areas[2].colour: this key has no effect"), "{notices}");

    let output = spikelet(&["export", &network, "--format", "4d", "--out", &exported]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    assert_eq!(code(&spikelet(&["import", &exported, "--out", &again])), 0);
    assert_eq!(fs::read_to_string(&network).unwrap(), fs::read_to_string(&again).unwrap());

    // Without a file both print.
    assert_eq!(text(&spikelet(&["import", &exported]).stdout), fs::read_to_string(&again).unwrap());
    assert_eq!(text(&spikelet(&["export", &again, "--format", "4d"]).stdout), fs::read_to_string(&exported).unwrap());
    let run = spikelet(&["run", &again, "--backend", "cpu", "--time", "20", "--quiet"]);
    assert_eq!(code(&run), 0, "{}", text(&run.stderr));
}

#[test]
fn a_network_of_the_catalogue_is_exported_without_its_input() {
    let output = spikelet(&["export", "world4d", "--scale", "0.2", "--format", "4d"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let notice = "notice: a configuration does not contain the arrays of senses, recordings, statistics\n";
    assert_eq!(text(&output.stderr), notice);
    assert!(text(&output.stdout).contains("\"lattice_shape\""));
}

#[test]
fn what_cannot_be_imported_or_exported_is_refused() {
    let path = folder("worlds_refused").join("world.json");
    let import = |content: &str| {
        fs::write(&path, content).expect("the folder is writable");
        spikelet(&["import", &path.display().to_string()])
    };
    let cases = [
        (import("{}"), "is of no format that can be imported"),
        (import("{\"lattice_shape\": 3"), "world.json: line 1, column 19: the JSON is malformed"),
        (import("{\"lattice_shape\": 3}"), "world.json: lattice_shape is 3, but a list of 4 whole numbers from 1 on is expected"),
        (spikelet(&["import", "nothing.json"]), "there is no file nothing.json"),
        (
            spikelet(&["export", "cuba", "--format", "4d"]),
            "cuba cannot be written as a configuration of 4D-Neural-Cognition: the time step is 0.1 ms",
        ),
        (spikelet(&["export", "cubba", "--format", "4d"]), "there is no network `cubba`; did you mean `cuba`?"),
        (spikelet(&["export", "cuba"]), "--format <FORMAT>"),
    ];
    for (output, expected) in cases {
        let message = text(&output.stderr);
        assert_eq!((code(&output), output.stdout.len()), (2, 0), "{message}");
        assert!(message.contains(expected), "{message}");
    }
}
