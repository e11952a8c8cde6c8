//! Inputs: spikes of virtual nodes, and currents.

use serde_json::Value;
use spikelet_network::{Error, Notice};

use super::cells::{Current, Nodes, Part};
use super::config::Config;
use super::sets::Sets;
use crate::hdf5::File;
use crate::paths::Open;

/// Where an input goes.
pub(super) enum Input {
    /// Spikes: identifiers of nodes with times in ms, and the nodes that fire.
    Spikes { spikes: Vec<(Option<String>, i64, f64)>, to: std::collections::BTreeSet<(usize, usize)> },
    /// A current into neurons of parts.
    Current { amplitude: f64, delay_ms: f64, duration_ms: f64, to: Vec<(usize, Vec<u32>)> },
}

/// The keys of an input of spikes, and of a current.
const SPIKES: [&str; 8] = ["input_type", "module", "input_file", "spikes_file", "node_set", "cells", "enabled", "input_node_set"];
const CLAMP: [&str; 8] = ["input_type", "module", "node_set", "cells", "amp", "delay", "duration", "enabled"];

/// How the simulator that a configuration names reads a current clamp.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Clamp {
    /// Amplitudes in nA, and times as they are.
    Neuron,
    /// Amplitudes in pA. The current reaches the cell a step after the time of its generator, which is at the end of a step: with this step in ms.
    Nest(f64),
}

impl Clamp {
    /// That of `target_simulator`; without it that of the cells, which are those of NEST.
    pub(super) fn of(config: &Config, dt_ms: f64) -> Result<Clamp, Error> {
        match config.text("target_simulator") {
            None => Ok(Clamp::Nest(dt_ms)),
            Some(name) if name.eq_ignore_ascii_case("NEST") => Ok(Clamp::Nest(dt_ms)),
            Some(name) if ["NEURON", "CORENEURON"].contains(&name.to_ascii_uppercase().as_str()) => Ok(Clamp::Neuron),
            Some(other) => {
                let expected = "`NEST`, `NEURON` or `CORENEURON` is expected: units and times of currents depend on it";
                Err(config.wrong("target_simulator", format_args!("`{other}`"), expected, "name one of them"))
            }
        }
    }

    /// The unit of amplitudes, their factor to nA, and by how many ms currents are later.
    fn reading(self) -> (&'static str, f64, f64) {
        match self {
            Clamp::Neuron => ("nA", 1.0, 0.0),
            Clamp::Nest(dt_ms) => ("pA", 1e-3, dt_ms),
        }
    }
}

/// Reads an input of the configuration.
pub(super) fn read(
    sets: &Sets<'_>,
    (name, input): (&str, &Value),
    clamp: Clamp,
    open: &mut Open<'_>,
    notices: &mut Vec<Notice>,
) -> Result<Input, Error> {
    let config = sets.config;
    let at = |key: &str| format!("inputs.{name}.{key}");
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    // Not by its path: names may have dots.
    let number = |key: &str, unit: &str| {
        let found = input.get(key);
        found.and_then(Value::as_f64).ok_or_else(|| {
            let value = found.map_or_else(|| "missing".to_owned(), Value::to_string);
            config.wrong(&at(key), value, format_args!("a number in {unit} is expected"), "add it")
        })
    };
    let everywhere = Value::String("all".to_owned());
    let set = input.get("node_set").or_else(|| input.get("cells")).unwrap_or(&everywhere);
    let nodes = sets.nodes_of(&at("node_set"), set)?;
    match text("input_type") {
        Some("spikes") => {
            let file = text("input_file").or_else(|| text("spikes_file"));
            let file =
                file.ok_or_else(|| config.wrong(&at("input_file"), "missing", "a file of spikes is expected", "name it"))?;
            let (path, bytes) = config.open(&at("input_file"), file, open)?;
            let spikes = if path.ends_with(".csv") { of_table(&path, &bytes)? } else { of_hdf5(&path, bytes)? };
            config.unused(&format!("inputs.{name}"), input, &SPIKES, notices);
            Ok(Input::Spikes { spikes, to: nodes })
        }
        Some("current_clamp") => {
            config.unused(&format!("inputs.{name}"), input, &CLAMP, notices);
            let (unit, scale, shift_ms) = clamp.reading();
            Ok(Input::Current {
                amplitude: number("amp", unit)? * scale,
                delay_ms: number("delay", "ms")? + shift_ms,
                duration_ms: number("duration", "ms")?,
                to: sets.in_parts(&nodes),
            })
        }
        other => {
            let expected = "the inputs `spikes` and `current_clamp` are known";
            Err(config.wrong(
                &at("input_type"),
                format_args!("`{}`", other.unwrap_or_default()),
                expected,
                "remove it, or use one of these",
            ))
        }
    }
}

/// Spikes in HDF5: of each population, or without populations in files of the first version.
fn of_hdf5(path: &str, bytes: Vec<u8>) -> Result<Vec<(Option<String>, i64, f64)>, Error> {
    let read = || -> Result<Vec<(Option<String>, i64, f64)>, Error> {
        let file = File::open(bytes)?;
        let mut spikes = Vec::new();
        let mut add = |folder: &str, ids: &str, population: Option<&str>| -> Result<(), Error> {
            let ids = file.dataset(&format!("{folder}/{ids}"))?.i64()?;
            let of_times = format!("{folder}/timestamps");
            let times = file.dataset(&of_times)?.f64()?;
            if ids.len() != times.len() {
                let expected = format!("as many times as identifiers are expected, {}", ids.len());
                return Err(Error::invalid(&of_times, format!("{} times", times.len()), expected, "export the file again"));
            }
            let in_seconds = file.attributes(&of_times)?.get("units").and_then(|units| units.text()).is_some_and(|of| of == "s");
            let scale = if in_seconds { 1000.0 } else { 1.0 };
            spikes.extend(ids.into_iter().zip(times).map(|(id, time)| (population.map(str::to_owned), id, time * scale)));
            Ok(())
        };
        if file.has_dataset("/spikes", "timestamps") {
            let ids = if file.has_dataset("/spikes", "gids") { "gids" } else { "node_ids" };
            add("/spikes", ids, None)?;
        }
        for population in file.groups("/spikes")? {
            add(&format!("/spikes/{population}"), "node_ids", Some(&population))?;
        }
        Ok(spikes)
    };
    read().map_err(|error| error.within(path, ""))
}

/// Spikes as a table with the columns `timestamps`, `node_ids` and perhaps `population`.
fn of_table(path: &str, bytes: &[u8]) -> Result<Vec<(Option<String>, i64, f64)>, Error> {
    let wrong = |line: u64| {
        let expected =
            "the columns `timestamps`, `node_ids` and perhaps `population` are expected, separated by single spaces or by commas";
        Error::invalid(format_args!("{path}, line {line}"), "not readable", expected, "export it again")
    };
    // Spaces, as the specification says, or commas, as several tools write.
    let is_spaced = !bytes.split(|byte| *byte == b'\n').next().is_some_and(|line| line.contains(&b','));
    let delimiter = if is_spaced { b' ' } else { b',' };
    let trim = if is_spaced { csv::Trim::None } else { csv::Trim::All };
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).trim(trim).from_reader(bytes);
    let header = reader.headers().map_err(|_| wrong(1))?.clone();
    let column = |name: &str| header.iter().position(|of| of == name);
    let (Some(time), Some(id)) = (column("timestamps"), column("node_ids")) else { return Err(wrong(1)) };
    let mut spikes = Vec::new();
    for (index, row) in reader.records().enumerate() {
        let line = index as u64 + 2;
        let row = row.map_err(|_| wrong(line))?;
        let population = column("population").map(|place| row[place].to_owned());
        let found = row[id].parse().ok().zip(row[time].parse().ok());
        let (id, time) = found.ok_or_else(|| wrong(line))?;
        spikes.push((population, id, time));
    }
    Ok(spikes)
}

/// Adds an input to the parts. A spike of a virtual node acts at its time and the delay of its edges, as in NEST, where it is at the end of a step; here
/// it is in the step before.
pub(super) fn add(
    config: &Config,
    name: &str,
    input: Input,
    nodes: &[Nodes<'_>],
    parts: &mut [Part],
    dt_ms: f64,
    notices: &mut Vec<Notice>,
) -> Result<(), Error> {
    let path = format!("inputs.{name}");
    match input {
        Input::Current { amplitude, delay_ms, duration_ms, to } => {
            for (part, members) in to {
                let part = &mut parts[part];
                if part.model.is_none_or(|model| !model.has_current()) {
                    return Err(config.wrong(
                        &path,
                        format_args!("into {}", part.name),
                        "it has no potential to act on",
                        "name other nodes",
                    ));
                }
                let mut amplitudes = vec![0.0; part.members.len()];
                members.iter().for_each(|member| amplitudes[*member as usize] = amplitude);
                part.currents.push(Current { amplitudes, delay_ms, duration_ms });
            }
        }
        Input::Spikes { spikes, to } => {
            let populations: std::collections::BTreeSet<usize> = to.iter().map(|(of, _)| *of).collect();
            let (mut foreign, mut outside) = (0, 0);
            for (population, id, time) in spikes {
                let of = populations.iter().filter(|of| population.as_ref().is_none_or(|name| nodes[**of].name == *name));
                let places = of.filter_map(|of| nodes[*of].place(id));
                let place = places.filter(|(part, _)| parts[*part].model.is_none()).find(|(part, index)| {
                    let part = &parts[*part];
                    to.contains(&(part.of, part.members[*index as usize]))
                });
                let Some((part, index)) = place else {
                    foreign += 1;
                    continue;
                };
                if !time.is_finite() {
                    return Err(config.wrong(
                        &path,
                        format_args!("{time} ms"),
                        "the time of a spike is expected",
                        "export the file again",
                    ));
                }
                // The step at whose end it is: NEST rounds to µs, and then up.
                let end = ((time * 1000.0).round() / 1000.0 / dt_ms - 1e-6).ceil();
                if !(1.0..=f64::from(u32::MAX)).contains(&end) {
                    outside += 1;
                    continue;
                }
                parts[part].fire(index, end as u32 - 1);
            }
            for part in parts.iter().filter(|part| !part.twins.is_empty()) {
                let sentence =
                    format!("nodes fire several times in a step; neurons that are added for these spikes: {}", part.twins.len());
                notices.push(Notice::new(part.name.clone(), sentence));
            }
            for (count, why) in [
                (foreign, "are not of virtual nodes of its node_set"),
                (outside, "are before the end of the first step or after the last"),
            ] {
                if count > 0 {
                    notices.push(Notice::new(path.clone(), format!("{count} spikes {why}, and are left out")));
                }
            }
        }
    }
    Ok(())
}
