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
        (spikelet(&["import", &write("cut.xml", "<neuroml><iafCell")]), "cut.xml, but it is not valid XML"),
        (
            spikelet(&["import", &write("out.nml", "<neuroml><include href='../../../../../../../../x.nml'/></neuroml>")]),
            "name the folder that holds all files with --root",
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

/// Files of a project are read with `../`: in the folder with `.git`, or in that of --root.
#[test]
fn files_of_a_project_are_included() {
    let folder = folder("neuroml-project");
    for inner in ["sim", "cells"] {
        fs::create_dir_all(folder.join(inner)).unwrap();
    }
    let cell = "<neuroml><iafCell id='c' leakConductance='0.2nS' leakReversal='-50mV' thresh='-55mV' reset='-70mV' C='3.2pF'/></neuroml>";
    fs::write(folder.join("cells/cell.nml"), cell).unwrap();
    let net = "<neuroml><include href='../cells/cell.nml'/><network id='n'><population id='p' component='c' size='1'/></network></neuroml>";
    fs::write(folder.join("sim/net.nml"), net).unwrap();
    let (file, root) = (folder.join("sim/net.nml").display().to_string(), folder.display().to_string());
    let output = spikelet(&["import", &file, "--root", &root]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    fs::create_dir_all(folder.join(".git")).unwrap();
    let output = spikelet(&["import", &file]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let output = spikelet(&["import", &file, "--root", &folder.join("cells").display().to_string()]);
    assert!(code(&output) == 2 && text(&output.stderr).contains("is not in the folder"), "{}", text(&output.stderr));
}

/// What becomes no valid network is not called imported.
#[test]
fn an_import_that_cannot_run_is_an_error_with_its_place() {
    let file = folder("neuroml-invalid").join("net.nml");
    let net = "<neuroml>\n<ComponentType name='T' extends='baseCellMembPot'><Dynamics><StateVariable name='v' dimension='voltage'/><TimeDerivative variable='v' value='speed'/></Dynamics></ComponentType>\n<T id='c'/>\n<network id='n'>\n<population id='p' component='c' size='1'/></network></neuroml>";
    fs::write(&file, net).unwrap();
    let output = spikelet(&["import", &file.display().to_string()]);
    let said = text(&output.stderr);
    assert!(
        code(&output) == 2
            && said.contains("net.nml, line 5: population `p` of `c`, ")
            && said.contains("net.nml, line 3 (equations)"),
        "{said}"
    );
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
