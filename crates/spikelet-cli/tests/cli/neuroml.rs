//! Import of NeuroML and LEMS.

use std::fs;
use std::path::Path;

use super::{code, folder, spikelet, text};

fn sample(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/neuroml").join(name).display().to_string()
}

#[test]
fn a_model_with_an_included_file_is_imported_and_runs() {
    let network = folder("neuroml").join("hh.json").display().to_string();
    let output = spikelet(&["import", &sample("hh.xml"), "--out", &network]);
    assert_eq!((code(&output), text(&output.stderr).as_str()), (0, ""));
    let run = spikelet(&["run", &network, "--backend", "cpu", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(report["spikes"], 7, "{}", text(&run.stderr));
}

#[test]
fn what_cannot_be_imported_is_refused() {
    let folder = folder("not-neuroml");
    let write = |name: &str, content: &str| {
        fs::write(folder.join(name), content).unwrap();
        folder.join(name).display().to_string()
    };
    for (output, said) in [
        (spikelet(&["import", &write("cut.xml", "<neuroml><iafCell")]), "cut.xml: the file is cut.xml, but it is not valid XML"),
        (
            spikelet(&["import", &write("out.nml", "<neuroml><include href='../x.nml'/></neuroml>")]),
            "a path in the folder of the file",
        ),
        (
            spikelet(&["import", &write("a.nml", "<neuroml><include href='b.nml'/></neuroml>")]),
            "the file cannot be read: No such file",
        ),
        (spikelet(&["import", &sample("hh.nml")]), "a file with 0 networks"),
        (spikelet(&["import", &sample("hh.xml"), "--dt", "0.1"]), "--dt is for graphs of NIR"),
        (spikelet(&["run", &sample("hh.xml")]), "hh.xml is NeuroML; make a network of it: `spikelet import "),
    ] {
        assert!(code(&output) == 2 && text(&output.stderr).contains(said), "{said}: {}", text(&output.stderr));
    }
}

/// What is exported is imported again, and says what it is.
#[test]
fn networks_are_exported_and_imported() {
    let out = folder("neuroml-out");
    let network = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/export/graded.json").display().to_string();
    let output = spikelet(&["export", &network, "--format", "neuroml", "--out", &out.display().to_string()]);
    let file = out.join("network.xml").display().to_string();
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with(&format!("{file}: 294 values")), "{}", text(&output.stdout));
    let output = spikelet(&["import", &file, "--out", &out.join("back.json").display().to_string()]);
    assert_eq!((code(&output), text(&output.stderr).as_str()), (0, ""));
    for (words, said) in [
        (
            vec!["export", &network, "--format", "neuroml"],
            "is written to a folder; name a folder with --out, such as --out neuroml",
        ),
        (vec!["export", "brunel_ai", "--scale", "0.05", "--format", "neuroml", "--out", &file], "network.xml"),
    ] {
        let output = spikelet(&words);
        assert!(code(&output) != 0 && text(&output.stderr).contains(said), "{words:?}: {}", text(&output.stderr));
    }
}
