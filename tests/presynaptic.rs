use serde_json::{Value, json};
use spikelet::{Cpu, EdgeTable, Network, Owner, Plan};
use spikelet_tests::{devices, run};
use spikelet_verify::library_synapses;

use crate::lockstep::file;

/// The variables that neurons store for the synapses of a projection.
fn traces(plan: &Plan, projection: usize) -> Vec<String> {
    let state = plan.projections[projection].state.iter();
    state.flat_map(|state| state.traces()).map(|(_, name)| name.to_owned()).collect()
}

/// Whatever follows from the spikes and variables of a neuron is stored once in it, and what differs between its synapses in them.
#[test]
fn what_a_neuron_does_to_all_its_synapses_is_stored_in_it() {
    let plan = Plan::new(&file("presynaptic")).unwrap();
    let found: Vec<Vec<String>> = (0..plan.projections.len()).map(|projection| traces(&plan, projection)).collect();
    let expected: [&[&str]; 4] = [&["s", "x"], &["u", "x"], &["r"], &[]];
    assert_eq!(found, expected);
}

/// The models of the library whose state is that of the presynaptic neuron, if all synapses have the same parameters and delay.
#[test]
fn receptors_and_short_term_plasticity_of_the_library_are_stored_per_neuron() {
    let mut text: Value = serde_json::from_str(&library_synapses().unwrap().to_json()).unwrap();
    for projection in text["projections"].as_array_mut().unwrap() {
        projection["delay_ms"] = json!(1);
    }
    let plan = Plan::new(&Network::from_json(&text.to_string()).unwrap()).unwrap();
    let learns = |projection: usize| plan.projections[projection].state.as_ref().is_none_or(|state| state.learns);
    let found: Vec<String> = (0..plan.projections.len())
        .filter(|projection| !learns(*projection) && !traces(&plan, *projection).is_empty())
        .map(|projection| format!("{}: {}", plan.projections[projection].name, traces(&plan, projection).join(" ")))
        .collect();
    let expected = [
        "ampa: r left",
        "gaba_a: r left",
        "gaba_b: r s left",
        "graded: s",
        "nmda: r left",
        "std: x",
        "transmitter_release: r",
        "tsodyks_markram: u x",
    ];
    assert_eq!(found, expected);
}

fn receptors(size: u32, equations: &str) -> Network {
    let network = json!({
        "name": "receptors", "dt_ms": 0.1, "duration_ms": 20,
        "populations": [
            {"name": "drive", "size": size, "model": "lif_exp", "parameters": {"El": "-48 mV"}, "initial": {"v": {"expr": "-60*mV + 12*mV*rand()"}}},
            {"name": "cells", "size": size, "equations": "dv/dt = (El - v)/tau + g*(E - v)/C : volt\ng : siemens",
                "threshold": "v > -50*mV", "reset": "v = -60*mV", "initial": {"v": "-60 mV"},
                "parameters": {"El": "-60 mV", "tau": "20 ms", "C": "200 pF", "E": "0 mV"}}],
        "projections": [{"name": "ampa", "pre": "drive", "post": "cells", "connect": {"rule": "all"}, "delay_ms": 1,
            "equations": equations, "on_pre": "x += 1", "parameters": {"tau_s": "100 ms", "tau_x": "2 ms", "w": "0.2 nS"}}]
    });
    Network::from_json(&network.to_string()).unwrap()
}

/// A projection of 100 × 100 synapses has 100 states, and nothing per synapse.
#[test]
fn receptors_take_a_word_per_neuron() {
    let text = "ds/dt = x*(1 - s)/(2*ms) - s/tau_s : 1\ndx/dt = -x/tau_x : 1\ng_post = w*s : siemens (summed)";
    let plan = Plan::new(&receptors(100, text)).unwrap();
    let words = |is: fn(&Owner) -> bool| -> usize {
        plan.arrays().iter().filter(|(_, entry)| is(&entry.owner)).map(|(_, entry)| entry.length).sum()
    };
    assert_eq!(words(|owner| matches!(owner, Owner::Traces { .. })), 200);
    assert_eq!(words(|owner| matches!(owner, Owner::Synapses { .. })), 0);
}

/// Stored per synapse, because it is plastic, it is the same to the bit.
#[test]
fn the_same_per_neuron_and_per_synapse() {
    let network = file("presynaptic");
    let mut per_synapse = network.clone();
    for projection in &mut per_synapse.projections {
        let equations = projection.equations.take().unwrap().replace("(event-driven)", "");
        let is_late = projection.name == "stp" || projection.name == "own";
        let flags = if is_late { "(event-driven, plastic)" } else { "(plastic)" };
        let flagged = |line: &str| if line.starts_with('d') { format!("{line} {flags}") } else { line.to_owned() };
        projection.equations = Some(equations.lines().map(flagged).collect::<Vec<_>>().join("\n"));
    }
    let plan = Plan::new(&per_synapse).unwrap();
    assert!((0..4).all(|projection| traces(&plan, projection).is_empty()));
    let expected = run(&per_synapse, Box::new(Cpu::new(1)), 100.0, 64).unwrap();
    for (name, device) in devices() {
        let done = run(&network, device, 100.0, 64).unwrap();
        assert!(done.spikes == expected.spikes && done.samples == expected.samples, "{name}");
        assert!(done.spikes.len() > 1000, "{} spikes", done.spikes.len());
    }
}

/// A table of edges at the end of a run has the values of traces in each synapse; before the run they are in the network.
#[test]
fn traces_are_exported_with_their_synapses() {
    let mut done = run(&file("presynaptic"), Box::new(Cpu::new(1)), 20.0, 64).unwrap();
    let column = |table: &EdgeTable| table.columns().iter().position(|column| column.name == "x");
    let table = pollster::block_on(done.simulation.edge_table(0, "stp")).unwrap();
    let found = table.all().unwrap().values.swap_remove(column(&table).unwrap());
    assert_eq!(found, pollster::block_on(done.simulation.values(0, "stp.x")).unwrap());
    assert!(found.iter().any(|x| *x != found[0]));
    pollster::block_on(done.simulation.reset(0)).unwrap();
    assert_eq!(column(&pollster::block_on(done.simulation.edge_table(0, "stp")).unwrap()), None);
}
