//! The configuration of the simulation: inputs, and reports of what is recorded.

use serde_json::{Map, Value, json};
use spikelet_network::{Error, Indices, Network, Notice};

use super::nodes::value;
use super::{Built, SPIKES, text};
use crate::sonata::recognise::{Cell, Stimulus};

/// The sets of nodes: each source.
pub(super) fn sets(network: &Network) -> Vec<u8> {
    let sets = network.sources.iter().map(|of| (of.name.clone(), json!({"population": of.name})));
    text(&Value::Object(sets.collect()))
}

/// `config.json`.
pub(super) fn config(
    network: &Network,
    cells: &[Cell],
    built: &mut dyn Built,
    notices: &mut Vec<Notice>,
) -> Result<Vec<u8>, Error> {
    let is_of_nest = cells.iter().all(|cell| cell.model.is_of_nest());
    let mut inputs = Map::new();
    for source in &network.sources {
        let input = json!({
            "input_type": "spikes",
            "module": "sonata",
            "input_file": format!("$BASE/{SPIKES}"),
            "node_set": source.name,
        });
        inputs.insert(source.name.clone(), input);
    }
    for (index, (population, cell)) in network.populations.iter().zip(cells).enumerate() {
        for stimulus in &cell.stimuli {
            let at = format!("populations[{index}].parameters.{}", stimulus.amplitude);
            let Some(quantity) = population.parameters.get(&stimulus.amplitude) else {
                return Err(Error::invalid(at, "missing", "it is the amplitude of a current", "give it a value"));
            };
            let amplitudes = value(&at, population, (&stimulus.amplitude, quantity, "nA"), built)?;
            for (amplitude, nodes) in by_value(&amplitudes) {
                let set = json!({"population": population.name, "node_id": nodes});
                let name = unused(&inputs, &format!("{}.{}", population.name, stimulus.amplitude));
                let clamp = clamp(stimulus, amplitude, &set, is_of_nest.then_some(network.dt_ms));
                inputs.insert(name, clamp);
            }
        }
    }
    let mut config = json!({
        "manifest": {"$BASE": "${configdir}"},
        "network": "$BASE/circuit_config.json",
        "node_sets_file": "$BASE/node_sets.json",
        "run": {"tstop": network.duration_ms, "dt": network.dt_ms},
        "inputs": inputs,
        "reports": reports(network, cells, notices),
    });
    config["target_simulator"] = if is_of_nest { "NEST" } else { "NEURON" }.into();
    Ok(text(&config))
}

/// The nodes of each amplitude that is not 0.
fn by_value(amplitudes: &[f64]) -> Vec<(f64, Vec<usize>)> {
    let mut found: Vec<(f64, Vec<usize>)> = Vec::new();
    for (node, amplitude) in amplitudes.iter().enumerate().filter(|(_, amplitude)| **amplitude != 0.0) {
        match found.iter_mut().find(|(of, _)| of == amplitude) {
            Some((_, nodes)) => nodes.push(node),
            None => found.push((*amplitude, vec![node])),
        }
    }
    found
}

/// An input. For NEST amplitudes are in pA, and times a step earlier: there a current acts a step after the time of its generator.
fn clamp(of: &Stimulus, amplitude_na: f64, set: &Value, step_of_nest: Option<f64>) -> Value {
    let (amplitude, delay) = match step_of_nest {
        Some(dt_ms) => (
            nearest(amplitude_na * 1e3, |amplitude| amplitude * 1e-3 == amplitude_na),
            nearest(of.start_ms - dt_ms, |delay| delay + dt_ms == of.start_ms),
        ),
        None => (amplitude_na, of.start_ms),
    };
    let duration = of.end_ms - of.start_ms;
    // The sum of both is the end, exactly, where there is such a duration.
    let duration = nearest(duration, |duration| of.start_ms + duration == of.end_ms);
    json!({
        "input_type": "current_clamp",
        "module": "IClamp",
        "node_set": set,
        "amp": amplitude,
        "delay": delay,
        "duration": duration,
    })
}

/// A number or one beside it that `is_exact`, so that what is read is what was written.
fn nearest(number: f64, is_exact: impl Fn(f64) -> bool) -> f64 {
    [number, number.next_up(), number.next_down()].into_iter().find(|near| is_exact(*near)).unwrap_or(number)
}

/// A name that is not taken.
fn unused(taken: &Map<String, Value>, name: &str) -> String {
    let mut unused = name.to_owned();
    let mut number = 1;
    while taken.contains_key(&unused) {
        number += 1;
        unused = format!("{name}_{number}");
    }
    unused
}

/// Reports of the variables of nodes that are recorded.
fn reports(network: &Network, cells: &[Cell], notices: &mut Vec<Notice>) -> Map<String, Value> {
    let mut reports = Map::new();
    for (index, of) in network.recordings.iter().enumerate() {
        let place = network.populations.iter().position(|population| population.name == of.object);
        let found = place.map(|place| (&network.populations[place], &cells[place]));
        let Some((population, _)) = found.filter(|(_, cell)| of.reduce.is_none() && cell.model.has_variable(&of.var)) else {
            let sentence = format!("reports have variables of each node; `{}.{}` is left out", of.object, of.var);
            notices.push(Notice::new(format!("recordings[{index}]"), sentence));
            continue;
        };
        let mut set = json!({"population": population.name});
        if of.indices != Indices::All {
            set["node_id"] = of.indices.of(population.size).into();
        }
        let mut report = json!({
            "cells": set,
            "variable_name": of.var,
            "module": "membrane_report",
            "sections": "soma",
        });
        if let Some(every_ms) = of.every_ms {
            report["dt"] = every_ms.into();
        }
        let name = unused(&reports, &format!("{}.{}", of.object, of.var));
        reports.insert(name, report);
    }
    reports
}
