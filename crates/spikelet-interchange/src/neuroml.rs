//! NeuroML 2 and LEMS (Cannon et al. 2014, Front. Neuroinform. 8:79): files of models as networks.
//!
//! [`read`] makes a network of the `<Simulation>` of a LEMS file or of the only `<network>` of a NeuroML file. Cells and synapses of the core types become
//! equations, and so do types that the file defines. `docs/neuroml.md` lists what is read.

mod bases;
mod cell;
mod channel;
mod concentration;
mod conditions;
mod core;
mod core_synapses;
mod dimension;
mod document;
mod expression;
mod gates;
mod input;
mod kinetic;
mod lems;
mod network;
mod quantity;
mod scope;
mod spikes;
mod synapse;
mod texts;
mod types;
mod units;
mod usage;
mod zeros;

use spikelet_network::{Error, Notice, Recording};

use crate::imported::Imported;
use crate::paths::Open;
use document::{Document, Element};
use network::Builder;
use quantity::milliseconds;

/// The step and duration of a network without a simulation, in ms.
const USUAL: [f64; 2] = [0.025, 1000.0];

/// Whether a file begins like one of NeuroML or LEMS.
pub fn is_neuroml(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(4096)];
    let text = String::from_utf8_lossy(start);
    text.trim_start().starts_with('<') && (text.contains("<neuroml") || text.contains("<Lems"))
}

/// The network of a file with this name, and what differs from it; `open` reads the files that it includes.
///
/// # Errors
/// The file and the line of what is wrong or not supported.
pub fn read(name: &str, bytes: &[u8], open: &mut Open<'_>) -> Result<Imported, Error> {
    let mut document = Document::read(name, bytes, open)?;
    dimension::define(&mut document)?;
    // There is one network that is run, and rarely another one.
    let warm = document.elements.iter().find(|of| is_network(of) && of.get("temperature").is_some());
    document.celsius = warm.map(|of| quantity::celsius(of, "temperature")).transpose()?;
    let simulation = simulation(&document)?;
    let of_file = |key: &str| {
        let all: Vec<&Element> = document.elements.iter().filter(|of| is_network(of)).collect();
        match all[..] {
            [only] => Ok(only),
            _ => Err(Error::invalid(
                name,
                format_args!("a file with {} networks", all.len()),
                format_args!("{key} is expected"),
                "add it",
            )),
        }
    };
    let (network, dt_ms, duration_ms) = match simulation {
        Some(of) => (document.need(of, "target")?, milliseconds(of, "step")?, milliseconds(of, "length")?),
        None => (of_file("one network, or a Simulation that names one")?, USUAL[0], USUAL[1]),
    };
    let mut builder = Builder::read(&document, network, dt_ms, duration_ms)?;
    input::add(&mut builder, network)?;
    if simulation.is_none() {
        let sentence = format!("the file has no simulation: the step is {} ms, the duration {} ms", USUAL[0], USUAL[1]);
        builder.notices.push(Notice::new("dt_ms".into(), sentence));
    }
    let recordings = simulation.map_or(Ok(Vec::new()), |of| recordings(&mut builder, of))?;
    let mut found = builder.finish();
    found.network.name = network.get("id").unwrap_or("neuroml").to_owned();
    found.network.recordings = recordings;
    if let Some(of) = simulation.filter(|of| of.get("seed").is_some()) {
        let wrong = || {
            of.wrong("seed", format_args!("`{}`", of.get("seed").unwrap_or_default()), "a whole number is expected", "write one")
        };
        found.network.seed = of.need("seed")?.trim().parse().map_err(|_| wrong())?;
    }
    found.notices.extend(usage::unused(&document.elements));
    found.network.validate()?;
    Ok(found)
}

fn is_network(of: &Element) -> bool {
    ["network", "networkWithTemperature"].contains(&of.name.as_str())
}

/// The simulation that the file runs.
fn simulation(document: &Document) -> Result<Option<&Element>, Error> {
    match document.elements.iter().find(|of| of.name == "Target") {
        Some(target) => document.need(target, "component").map(Some),
        None => Ok(document.elements.iter().find(|of| of.name == "Simulation")),
    }
}

/// What the simulation displays and writes of cells.
fn recordings(builder: &mut Builder<'_>, simulation: &Element) -> Result<Vec<Recording>, Error> {
    let mut found: Vec<Recording> = Vec::new();
    let lines = simulation.children.iter().filter(|of| ["Display", "OutputFile"].contains(&of.name.as_str()));
    for line in lines.flat_map(|of| &of.children).filter(|of| ["Line", "OutputColumn"].contains(&of.name.as_str())) {
        let text = line.need("quantity")?;
        let [object, cell] = builder.end(line, "quantity")?;
        let cell = network::index(line, &cell)?;
        let var = text.rsplit('/').next().unwrap_or(text);
        let cells = builder.cells.iter().find(|cells| cells.name == object);
        let is_variable = cells.is_some_and(|of| {
            let own = |line: &String| line.starts_with(&format!("d{var}/dt")) || line.split([' ', ':']).next() == Some(var);
            of.cell.equations.iter().any(own)
        });
        // A path of cells has at most the index and the component before the variable.
        let depth = text.trim_start_matches("../").matches('/').count();
        if !is_variable || depth > if text.contains('[') { 1 } else { 3 } {
            let sentence = format!("`{text}` is not recorded: only variables of cells are");
            if !builder.notices.iter().any(|of| of.to_string() == sentence) {
                builder.notices.push(spikelet_network::Notice::new("recordings".into(), sentence));
            }
            continue;
        }
        match found.iter_mut().find(|of| of.object == object && of.var == var) {
            Some(Recording { indices: spikelet_network::Indices::List(list), .. }) if list.contains(&cell) => {}
            Some(Recording { indices: spikelet_network::Indices::List(list), .. }) => list.push(cell),
            _ => found.push(Recording { object, var: var.to_owned(), indices: vec![cell].into(), ..Recording::default() }),
        }
    }
    Ok(found)
}
