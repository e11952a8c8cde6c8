//! Cells with ion channels of Hodgkin and Huxley: a single compartment.

use std::f64::consts::PI;

use spikelet_network::{Error, Quantity};

use super::document::{Document, Element};
use super::lems;
use super::quantity::{self, number, number_or, quantity, text};
use super::texts::Cell;

/// A `<cell>` of one compartment, or a `<pointCellCondBased>`.
pub(super) fn cell(document: &Document, component: &Element) -> Result<Cell, Error> {
    let mut cell = Cell { current: Some(("iSyn".into(), "amp".into())), ..Cell::default() };
    let (membrane, start) = if component.kind() == "pointCellCondBased" {
        for key in ["C", "thresh"] {
            cell.parameters.insert(key.into(), quantity(component, key)?);
        }
        (component, text(&quantity(component, "v0")?))
    } else {
        compartment(component, &mut cell)?
    };
    let mut currents = Vec::new();
    for of in &membrane.children {
        match of.name.as_str() {
            "channelPopulation" | "channelDensity" => currents.push(current(document, of, &mut cell, &start)?),
            "spikeThresh" | "specificCapacitance" | "initMembPotential" | "notes" | "annotation" | "property" => {}
            other => {
                return Err(of.wrong(
                    "",
                    format_args!("<{other}>"),
                    "channelPopulation and channelDensity are known",
                    "use one of them",
                ));
            }
        }
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
        let expected = "one segment is expected: cells are points here";
        return Err(cell.wrong(
            "morphology",
            format_args!("{} segments", segments.len()),
            expected,
            "reduce the cell to one compartment",
        ));
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
fn current(document: &Document, of: &Element, cell: &mut Cell, start: &str) -> Result<String, Error> {
    let channel = document.need(of, "ionChannel")?;
    if !["ionChannel", "ionChannelHH", "ionChannelPassive"].contains(&channel.kind()) {
        let expected = "ionChannel, ionChannelHH or ionChannelPassive is expected";
        return Err(channel.wrong("", format_args!("<{}>", channel.kind()), expected, "use one of these"));
    }
    let id = of.need("id")?;
    let erev = format!("erev_{id}");
    cell.parameters.insert(erev.clone(), quantity(of, "erev")?);
    let conductance = if of.name == "channelDensity" {
        let name = format!("density_{id}");
        cell.parameters.insert(name.clone(), quantity(of, "condDensity")?);
        format!("{name}*area")
    } else {
        let name = format!("gchannel_{id}");
        cell.parameters.insert(name.clone(), quantity(channel, "conductance")?);
        format!("{}*{name}", number(of, "number")?)
    };
    let mut open = String::new();
    for gate in &channel.children {
        if ["notes", "annotation", "property"].contains(&gate.name.as_str()) {
            continue;
        }
        let name = format!("{}_{id}", gate.need("id")?);
        add_gate(document, gate, &name, (cell, start))?;
        let instances = number_or(gate, "instances", 1.0)?;
        open += &if instances == 1.0 { format!("*{name}") } else { format!("*{name}**{instances}") };
    }
    Ok(format!("{conductance}{open}*({erev} - v)"))
}

/// Adds a gate with this name, which starts in its steady state.
fn add_gate(document: &Document, gate: &Element, name: &str, (cell, start): (&mut Cell, &str)) -> Result<(), Error> {
    if gate.name == "gateFractional" {
        // The open fraction is the sum of parts with kinetics of their own.
        let mut parts = Vec::new();
        for part in gate.all("subGate") {
            let own = format!("{name}_{}", part.need("id")?);
            parts.push(format!("{}*{own}", number(part, "fractionalConductance")?));
            add_gate(document, part, &own, (&mut *cell, start))?;
        }
        if parts.is_empty() {
            return Err(gate.wrong("", "a gate", "its subGates are missing", "add them"));
        }
        cell.equations.push(format!("{name} = {} : 1", parts.join(" + ")));
        return Ok(());
    }
    let part = |role: &str, v: &str| -> Result<Option<String>, Error> {
        gate.all(role).next().map(|of| rate(document, of, v)).transpose()
    };
    let factor = q10(gate, document)?;
    // The rates, the steady state and the time constant at a potential.
    let parts = |v: &str| -> Result<(String, String), Error> {
        let [alpha, beta, inf, tau] =
            [part("forwardRate", v)?, part("reverseRate", v)?, part("steadyState", v)?, part("timeCourse", v)?];
        let need = |of: Option<String>, role: &str| {
            of.ok_or_else(|| gate.wrong("", format_args!("<{}>", gate.name), format_args!("its {role} is missing"), "add it"))
        };
        let rates = alpha.zip(beta);
        let inf = match (&inf, &rates) {
            (Some(inf), _) => inf.clone(),
            (None, Some((alpha, beta))) => format!("{alpha}/({alpha} + {beta})"),
            (None, None) => return need(None, "steadyState").map(|inf| (inf, String::new())),
        };
        let tau = match (tau, &rates) {
            (Some(tau), _) => tau,
            (None, Some((alpha, beta))) => format!("1/({alpha} + {beta})"),
            (None, None) if gate.name == "gateHHInstantaneous" => String::new(),
            (None, None) => need(None, "timeCourse")?,
        };
        Ok((inf, tau))
    };
    let known = [
        "subGate",
        "gateFractional",
        "gateHHrates",
        "gateHHtauInf",
        "gateHHratesInf",
        "gateHHratesTau",
        "gateHHratesTauInf",
        "gateHHInstantaneous",
        "gate",
    ];
    if !known.contains(&gate.name.as_str()) {
        return Err(gate.wrong(
            "",
            format_args!("<{}>", gate.name),
            format_args!("{} are known", known.join(", ")),
            "use one of these",
        ));
    }
    let (inf, tau) = parts("v")?;
    if tau.is_empty() {
        cell.equations.push(format!("{name} = {inf} : 1"));
        return Ok(());
    }
    cell.equations.push(format!("inf_{name} = {inf} : 1"));
    cell.equations.push(format!("tau_{name} = ({tau})/{factor} : second"));
    cell.equations.push(format!("d{name}/dt = (inf_{name} - {name})/tau_{name} : 1"));
    cell.initial.insert(name.to_owned(), Quantity::Expr(parts(&format!("({start})"))?.0));
    Ok(())
}

/// The factor of the temperature, if it is fixed.
fn q10(gate: &Element, document: &Document) -> Result<String, Error> {
    let Some(of) = gate.all("q10Settings").next() else { return Ok("1".into()) };
    match of.need("type")? {
        "q10Fixed" => Ok(number(of, "fixedQ10")?.to_string()),
        "q10ExpTemp" => {
            let Some(celsius) = document.celsius else {
                let expected = "it depends on the temperature of the network, which is not given";
                return Err(of.wrong(
                    "type",
                    "`q10ExpTemp`",
                    expected,
                    "give the network a temperature, with type=\"networkWithTemperature\"",
                ));
            };
            let base = number_or(of, "q10Factor", 3.0)?;
            let experimental =
                if of.get("experimentalTemp").is_some() { quantity::celsius(of, "experimentalTemp")? } else { 6.3 };
            Ok(base.powf((celsius - experimental) / 10.0).to_string())
        }
        other => Err(of.wrong("type", format_args!("`{other}`"), "q10Fixed is known", "use it")),
    }
}

/// A rate, time constant or steady state at a potential.
fn rate(document: &Document, of: &Element, v: &str) -> Result<String, Error> {
    let kind = of.need("type")?;
    if kind == "fixedTimeCourse" {
        return Ok(text(&quantity(of, "tau")?));
    }
    let value = |key: &str| Ok::<String, Error>(text(&quantity(of, key)?));
    let is = |names: [&str; 3]| names.contains(&kind);
    if is(["HHExpRate", "HHExpVariable", "HHExpTime"]) {
        return Ok(format!("({})*exp(({v} - ({}))/({}))", value("rate")?, value("midpoint")?, value("scale")?));
    }
    if is(["HHSigmoidRate", "HHSigmoidVariable", "HHSigmoidTime"]) {
        return Ok(format!("({})/(1 + exp(-({v} - ({}))/({})))", value("rate")?, value("midpoint")?, value("scale")?));
    }
    if is(["HHExpLinearRate", "HHExpLinearVariable", "HHExpLinearTime"]) {
        // x/(1 - exp(-x)), which is 1 at 0.
        return Ok(format!("({})/exprel(-({v} - ({}))/({}))", value("rate")?, value("midpoint")?, value("scale")?));
    }
    if let Some(found) = lems::component_type(document, kind) {
        return lems::inline(document, &found?, of, v);
    }
    let expected = "HHExp, HHSigmoid and HHExpLinear rates and variables and fixedTimeCourse are known, and types of the file";
    Err(of.wrong("type", format_args!("`{kind}`"), expected, "use one of these"))
}
