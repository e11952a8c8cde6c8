//! Networks as scripts of other simulators. `tests/export/check.py` runs them there.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::{code, folder, spikelet, text};

#[test]
fn a_script_for_brian_has_the_network() {
    let out = folder("brian2");
    let folder = out.display().to_string();
    let output = spikelet(&["export", "plastic_cuba", "--scale", "0.05", "--format", "brian2", "--out", &folder]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("does not have `statistics` of synapses"), "{}", text(&output.stderr));
    let script = fs::read_to_string(out.join("network.py")).unwrap();
    for part in [
        "E = NeuronGroup(",
        "dv/dt = (ge + gi + I + I_syn - (v - El))/taum : volt (unless refractory)",
        "method=('exact', 'exponential_euler')",
        "'taum': 20.0*ms",
        "(event-driven)",
        "EE.connect(i=values['EE.i'].astype(int), j=values['EE.j'].astype(int))",
        "EE.delay = ",
        "on_post=",
        "# Not written: `statistics` of synapses.",
        "network.run(",
    ] {
        assert!(script.contains(part), "{part}:\n{script}");
    }
    assert!(fs::metadata(out.join("values.npz")).unwrap().len() > 10_000);
}

/// A network of `tests/export`, as a script for a tool: its text, and what the export said.
fn script(name: &str, tool: &str) -> (String, String) {
    let network = format!("{}/../../tests/export/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let out = folder(&format!("{name}-{tool}"));
    let output = spikelet(&["export", &network, "--to", tool, "--out", &out.display().to_string()]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    (fs::read_to_string(out.join("network.py")).expect("a script"), text(&output.stderr))
}

#[test]
fn cells_of_nest_and_pynn_are_found_from_the_equations() {
    let (currents, said) = script("currents", "nest");
    for part in [
        "cells = nest.Create('iaf_psc_alpha', 60, params={'C_m': 250.0, 'V_reset': -65.0, 't_ref': 1.9",
        "cells.set({key: array for key, array in {'E_L': values['cells.E_L'], 'tau_m': values['cells.tau_m'], 'V_m': values['cells.V_m']}",
        "readout = nest.Create('iaf_psc_exp_multisynapse', 5, params={'C_m': 250.0, 'E_L': 0.0, 'V_reset': 0.0, 't_ref': 0.9, 'V_th': 8.0",
        "'tau_syn': [3.0, 12.0, 5.0]}",
        "syn_spec={'weight': np.full(300, 3.333333333333334), 'delay': np.full(300, 0.2), 'receptor_type': np.full(300, 2)}",
        "input = nest.Create('spike_generator', 3",
        "params={'record_from': ['V_m'], 'interval': 0.1}",
        "nest.Simulate(300.0)",
    ] {
        assert!(currents.contains(part), "{part}:\n{currents}");
    }
    assert_eq!(said, "");
    let (adaptive, said) = script("adaptive", "nest");
    for part in [
        "nest.Create('aeif_cond_exp', 100, params={'C_m': 200.0, 'E_L': -65.0, 'V_reset': -60.0, 't_ref': 1.9, 'tau_syn_ex': 5.0, 'E_ex': 0.0",
        "'tau_syn_in': 10.0, 'E_in': -80.0, ",
        "'V_peak': 0.0",
        "'b': 40.0",
        "'I_e': values['cells.I_e']",
        "'weight': np.full(",
        ", -6.0)",
    ] {
        assert!(adaptive.contains(part), "{part}:\n{adaptive}");
    }
    assert!(said.contains("cells is integrated by another method there"), "{said}");
    let (delta, said) = script("delta", "pynn");
    for part in [
        "cells = sim.Population(60, sim.IF_curr_delta(cm=0.25, v_rest=24.0, v_reset=10.0, tau_refrac=1.9, ",
        "initialize(cells, {'V_m': values['cells.initial.V_m']}, v=values['cells.initial.V_m'])",
        "sim.Projection(cells, cells, sim.FromListConnector(edges, column_names=['weight', 'delay']), sim.StaticSynapse(), receptor_type='inhibitory')",
        "sim.SpikeSourceArray(spike_times=times)",
        "# Not written: the recording of cells.v: PyNN does not record",
        "sim.run(200.0)",
    ] {
        assert!(delta.contains(part), "{part}:\n{delta}");
    }
    assert!(said.contains("is lost here and counts there"), "{said}");
}

#[test]
fn what_nest_and_pynn_do_not_have_is_refused() {
    let (of_tests, of_export) = (
        format!("{}/../../tests/networks", env!("CARGO_MANIFEST_DIR")),
        format!("{}/../../tests/export", env!("CARGO_MANIFEST_DIR")),
    );
    let out = folder("not-nest").display().to_string();
    for (network, tool, said) in [
        (format!("{of_tests}/clocks.json"), "nest", "they have timed arrays; it has leaky integrate-and-fire cells"),
        (format!("{of_tests}/plastic.json"), "nest", "it does not have synapses with equations or variables that change, which"),
        (format!("{of_tests}/third.json"), "pynn", "it does not have a third neuron, which"),
        (format!("{of_export}/currents.json"), "pynn", "a cell like `iaf_psc_exp_multisynapse` of NEST, which readout is"),
        ("cobahh".to_owned(), "nest", "the cells of E: "),
        ("izhikevich".to_owned(), "nest", "the cells of "),
    ] {
        let scale: &[&str] = if network.ends_with(".json") { &[] } else { &["--scale", "0.02"] };
        let words = [&["export", &network, "--format", tool, "--out", &out], scale].concat();
        let output = spikelet(&words);
        assert!(code(&output) == 2 && text(&output.stderr).contains(said), "{network}: {}", text(&output.stderr));
    }
}

#[test]
fn what_brian_does_not_have_is_refused() {
    let tests = |name: &str| format!("{}/../../tests/networks/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let out = folder("not-brian2").display().to_string();
    for (network, said) in [
        ("winners", "it does not have `winners`, which"),
        ("third", "it does not have a third neuron, which"),
        ("linked", "it does not have `linked` variables, which"),
        ("events", "it does not have `events`, which"),
        ("summed", "it does not have several projections that are summed to `Ig_post` of a"),
        ("presynaptic", "it does not have synapses with a variable of the name of one of their neurons, `s`"),
    ] {
        let output = spikelet(&["export", &tests(network), "--format", "brian2", "--out", &out]);
        assert!(code(&output) == 2 && text(&output.stderr).contains(said), "{network}: {}", text(&output.stderr));
    }
    let output = spikelet(&["export", "cuba", "--format", "brian2"]);
    assert!(code(&output) == 2 && text(&output.stderr).contains("name a folder with --out"), "{}", text(&output.stderr));
    // Words of Python are no variables, and names stay apart.
    let names = PathBuf::from(&out).with_file_name("names.json");
    for (name, said) in [("lambda", ""), ("a-b", "it does not have variables that tell \"a-b\" and \"a_b\" apart")] {
        let population = |name: &str| json!({"name": name, "size": 1, "model": "lif_exp"});
        let network =
            json!({"name": "names", "dt_ms": 0.1, "duration_ms": 1, "populations": [population(name), population("a_b")]});
        fs::write(&names, network.to_string()).unwrap();
        let output = spikelet(&["export", &names.display().to_string(), "--format", "nest", "--out", &out]);
        assert!(text(&output.stderr).contains(said) && (code(&output) == 2) != said.is_empty(), "{}", text(&output.stderr));
    }
    let script = fs::read_to_string(PathBuf::from(&out).join("network.py")).unwrap();
    assert!(script.contains("n_lambda = nest.Create("), "{script}");
    // Nothing of a file becomes code of the script.
    let hostile = PathBuf::from(&out).with_file_name("hostile.json");
    for (name, on_pre, said) in [
        ("');exit()#", "v_post += 1", "names with quotes, braces or backslashes"),
        ("a", "v_post += 1 # '''); exit() #\nv_post += 2", ""),
    ] {
        let network = json!({
            "name": "hostile\"\"\"\\", "dt_ms": 0.1, "duration_ms": 1,
            "populations": [{"name": name, "size": 1, "equations": "v : 1", "threshold": "v > 10", "reset": "v = 0"}],
            "projections": [{"name": "p", "pre": name, "post": name, "pairs": [[0, 0]], "on_pre": on_pre}],
        });
        fs::write(&hostile, network.to_string()).unwrap();
        let output = spikelet(&["export", &hostile.display().to_string(), "--format", "brian2", "--out", &out]);
        assert!(text(&output.stderr).contains(said) && (code(&output) == 2) != said.is_empty(), "{}", text(&output.stderr));
    }
    let script = fs::read_to_string(PathBuf::from(&out).join("network.py")).unwrap();
    assert!(!script.contains("exit()") && script.matches("\"\"\"").count() == 2, "{script}");
}
