//! Cells with ion channels of Hodgkin and Huxley: a single compartment.

use std::f64::consts::PI;

use spikelet_network::{Error, Quantity};

use super::concentration::{self, Calcium};
use super::document::{Document, Element};
use super::gates::{self, At, GateTimes};
use super::kinetic;
use super::quantity::{number, number_or, quantity, text};
use super::scope::Scope;
use super::texts::{Cell, Sum};
use super::types::{self, ComponentType};

/// Channels spread over the membrane or counted.
const SPREAD: [&str; 6] = [
    "channelPopulation",
    "channelDensity",
    "channelDensityVShift",
    "channelDensityNernst",
    "channelDensityGHK",
    "channelPopulationNernst",
];
/// The kinds of channels.
const CHANNELS: [&str; 4] = ["ionChannel", "ionChannelHH", "ionChannelPassive", "ionChannelKS"];

/// A `<cell>` of one compartment, or a `<pointCellCondBased>`.
pub(super) fn cell(document: &Document, component: &Element) -> Result<Cell, Error> {
    let mut cell = Cell { sums: vec![Sum::of_currents("iSyn", "amp")], ..Cell::default() };
    let (membrane, start) = if document.kind(component) == "pointCellCondBased" {
        for key in ["C", "thresh"] {
            cell.parameters.insert(key.into(), quantity(component, key)?);
        }
        (component, text(&quantity(component, "v0")?))
    } else {
        compartment(component, &mut cell)?
    };
    let calcium = concentration::species(document, component)?;
    let (mut currents, mut of_calcium) = (Vec::new(), Vec::new());
    for of in &membrane.children {
        match document.kind(of) {
            kind if SPREAD.contains(&kind) => {
                let current = current(document, of, &mut cell, (&start, calcium.as_ref()))?;
                if calcium.is_some() && of.get("ion") == Some("ca") {
                    let name = format!("i_of_{}", of.need("id")?);
                    cell.equations.push(format!("{name} = {current} : amp"));
                    of_calcium.push(name.clone());
                    currents.push(name);
                } else {
                    currents.push(current);
                }
            }
            "spikeThresh" | "specificCapacitance" | "initMembPotential" | "notes" | "annotation" | "property" => {}
            other => {
                let known = format!("{} are known", SPREAD.join(", "));
                return Err(of.wrong("", format_args!("<{other}>"), known, "use one of them"));
            }
        }
    }
    if let Some(calcium) = &calcium {
        concentration::add(document, calcium, &of_calcium, &mut cell)?;
    }
    currents.push("iSyn".into());
    cell.equations.push(format!("dv/dt = ({})/C : volt", currents.join(" + ")));
    cell.initial.insert("v".into(), Quantity::from(start.as_str()));
    // A spike is the crossing of the threshold from below.
    (cell.threshold, cell.refractory) = (Some("v > thresh".into()), Some("v > thresh".into()));
    Ok(cell)
}

/// The membrane of a cell with one segment, and its potential at the start.
fn compartment<'a>(component: &'a Element, cell: &mut Cell) -> Result<(&'a Element, String), Error> {
    let properties = component.all("biophysicalProperties").next();
    let membrane = properties.and_then(|of| of.all("membraneProperties").next()).ok_or_else(|| {
        component.wrong("", "a cell", "its biophysicalProperties with membraneProperties are missing", "add them")
    })?;
    let value = |name: &str| {
        let of = membrane.all(name).next();
        of.ok_or_else(|| membrane.wrong("", "a cell", format_args!("<{name}> is missing"), "add it"))
            .and_then(|of| quantity(of, "value"))
    };
    cell.parameters.insert("area".into(), Quantity::from(format!("{} um**2", area(component)?).as_str()));
    cell.parameters.insert("specificCapacitance".into(), value("specificCapacitance")?);
    cell.parameters.insert("thresh".into(), value("spikeThresh")?);
    cell.equations.push("C = specificCapacitance*area : farad".into());
    Ok((membrane, text(&value("initMembPotential")?)))
}

/// The surface of its only segment in µm².
fn area(cell: &Element) -> Result<f64, Error> {
    let morphology = cell.all("morphology").next();
    let segments: Vec<&Element> = morphology.into_iter().flat_map(|of| of.all("segment")).collect();
    let [segment] = segments[..] else {
        let expected = "one segment is expected, since cells are points in Spikelet";
        let way_out = "keep one <segment> with the surface of all of them, and put all channels on it, or use a point model such as iafCell";
        return Err(cell.wrong("morphology", format_args!("{} segments", segments.len()), expected, way_out));
    };
    let end = |name: &str| -> Result<[f64; 4], Error> {
        let of = segment.all(name).next();
        let of = of.ok_or_else(|| segment.wrong("", "a segment", format_args!("<{name}> is missing"), "add it"))?;
        Ok([number(of, "x")?, number(of, "y")?, number(of, "z")?, number(of, "diameter")?])
    };
    let ([x0, y0, z0, d0], [x1, y1, z1, d1]) = (end("proximal")?, end("distal")?);
    let length = ((x1 - x0).powi(2) + (y1 - y0).powi(2) + (z1 - z0).powi(2)).sqrt();
    // A segment without length is a sphere.
    let area =
        if length == 0.0 { PI * d0 * d0 } else { PI * (d0 + d1) / 2.0 * (length.powi(2) + ((d0 - d1) / 2.0).powi(2)).sqrt() };
    if area > 0.0 { Ok(area) } else { Err(segment.wrong("", "a segment", "its surface is not above 0", "give it a diameter")) }
}

/// The current of a population or density of channels: adds what it reads to the cell.
fn current(
    document: &Document,
    of: &Element,
    cell: &mut Cell,
    (start, calcium): (&str, Option<&Calcium<'_>>),
) -> Result<String, Error> {
    let channel = document.need(of, "ionChannel")?;
    let kind = document.kind(channel);
    if !CHANNELS.contains(&kind) {
        let expected = format!("one of {} is expected", CHANNELS.join(", "));
        return Err(channel.wrong("", format_args!("<{kind}>"), expected, "use one of these"));
    }
    let id = of.need("id")?;
    let mut parameter = |name: &str, of: &Element, key: &str| -> Result<String, Error> {
        let name = format!("{name}_{id}");
        cell.parameters.insert(name.clone(), quantity(of, key)?);
        Ok(name)
    };
    let spread = document.kind(of);
    let shift = if spread == "channelDensityVShift" { parameter("shift", of, "vShift")? } else { "(0*mV)".to_owned() };
    let conductance = match spread {
        "channelDensityGHK" => String::new(),
        "channelPopulation" | "channelPopulationNernst" => {
            format!("{}*{}", number(of, "number")?, parameter("gchannel", channel, "conductance")?)
        }
        _ => format!("{}*area", parameter("density", of, "condDensity")?),
    };
    // What drives ions through an open channel.
    let driven = match spread {
        "channelDensityGHK" => {
            let permeability = parameter("permeability", of, "permeability")?;
            concentration::flux(document, of, calcium, &permeability)?
        }
        "channelDensityNernst" | "channelPopulationNernst" => {
            let reversal = format!("erev_{id}");
            cell.equations.push(format!("{reversal} = {} : volt", concentration::reversal(document, of, calcium)?));
            format!("{conductance}*({reversal} - v)")
        }
        _ => format!("{conductance}*({} - v)", parameter("erev", of, "erev")?),
    };
    let calcium_now = calcium.map(|_| "caConc".to_owned());
    let calcium_start = calcium.map(|of| of.initial.clone());
    let at = GateTimes {
        now: At { v: "v".into(), calcium: calcium_now, shift: shift.clone() },
        start: At { v: format!("({start})"), calcium: calcium_start, shift },
    };
    let mut open = String::new();
    for gate in &channel.children {
        if ["notes", "annotation", "property"].contains(&gate.name.as_str()) {
            continue;
        }
        let name = format!("{}_{id}", gate.need("id")?);
        if let Some(own) = types::component_type(document, document.kind(gate)) {
            open += &own_gate(document, &own?, gate, &name, (cell, &at))?;
            continue;
        }
        let add = if document.kind(gate) == "gateKS" { kinetic::add } else { gates::add };
        add(document, gate, &name, (cell, &at))?;
        let instances = number_or(gate, "instances", 1.0)?;
        open += &if instances == 1.0 { format!("{name}*") } else { format!("{name}**{instances}*") };
    }
    Ok(format!("{open}{driven}"))
}

/// Adds a gate of a type of the file, and returns the factor of the conductance that it exposes.
fn own_gate(
    document: &Document,
    of: &ComponentType<'_>,
    gate: &Element,
    name: &str,
    (cell, at): (&mut Cell, &GateTimes),
) -> Result<String, Error> {
    let given = at.now.known().into_iter().zip(at.start.known());
    let given = given.map(|((key, now), (_, start))| (key.to_owned(), [now, start])).collect();
    let exposed = cell.add_part(document, of, gate, Scope::new(&format!("_{name}"), given))?;
    let exposed = |name: &str| exposed.iter().find(|(of, _)| of == name).map(|(_, variable)| variable.clone());
    match (exposed("fcond"), exposed("q")) {
        (Some(open), _) => Ok(format!("{open}*")),
        (None, Some(open)) => Ok(format!("{open}**{}*", number_or(gate, "instances", 1.0)?)),
        (None, None) => {
            Err(gate.wrong("", "a gate", "its type exposes neither fcond nor q", "add a variable with exposure=\"fcond\""))
        }
    }
}
