//! Gates of channels.

use spikelet_network::{Error, Quantity};

use super::document::{Document, Element};
use super::quantity::{self, number, number_or, quantity, text};
use super::texts::Cell;
use super::types;

/// What rates depend on, as texts.
#[derive(Debug, Clone)]
pub(super) struct At {
    pub(super) v: String,
    /// The concentration of calcium, of cells that have one.
    pub(super) calcium: Option<String>,
    /// By how much a channel shifts its rates.
    pub(super) shift: String,
}

impl At {
    /// The names that a type of the file can read.
    pub(super) fn known(&self) -> Vec<(&'static str, String)> {
        let mut known = vec![("v", self.v.clone()), ("vShift", self.shift.clone())];
        known.extend(self.calcium.clone().map(|calcium| ("caConc", calcium)));
        known
    }
}

/// A gate during the run, and at the start.
#[derive(Debug, Clone)]
pub(super) struct GateTimes {
    pub(super) now: At,
    pub(super) start: At,
}

/// The kinds of gates.
const GATES: [&str; 9] = [
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

/// Adds a gate with this name, which starts in its steady state.
pub(super) fn add(document: &Document, gate: &Element, name: &str, (cell, at): (&mut Cell, &GateTimes)) -> Result<(), Error> {
    let kind = document.kind(gate);
    if !GATES.contains(&kind) {
        let known = format!("{}, gateKS and types of the file are known", GATES.join(", "));
        return Err(gate.wrong("", format_args!("<{kind}>"), known, "use one of these"));
    }
    if kind == "gateFractional" {
        // The open fraction is the sum of parts with kinetics of their own.
        let mut parts = Vec::new();
        for part in gate.all("subGate") {
            let own = format!("{name}_{}", part.need("id")?);
            parts.push(format!("{}*{own}", number(part, "fractionalConductance")?));
            add(document, part, &own, (&mut *cell, at))?;
        }
        if parts.is_empty() {
            return Err(gate.wrong("", "a gate", "its subGates are missing", "add them"));
        }
        cell.equations.push(format!("{name} = {} : 1", parts.join(" + ")));
        return Ok(());
    }
    let part = |role: &str, known: &[(&str, String)]| -> Result<Option<String>, Error> {
        gate.all(role).next().map(|of| rate(document, of, known)).transpose()
    };
    let factor = q10(gate, document)?;
    // The steady state and the time constant, which can depend on the rates.
    let parts = |at: &At| -> Result<(String, String), Error> {
        let mut known = at.known();
        let [alpha, beta] = [part("forwardRate", &known)?, part("reverseRate", &known)?];
        for (name, value) in [("alpha", &alpha), ("beta", &beta), ("rateScale", &Some(factor.clone()))] {
            known.extend(value.clone().map(|value| (name, format!("({value})"))));
        }
        let [inf, tau] = [part("steadyState", &known)?, part("timeCourse", &known)?];
        let need = |of: Option<String>, role: &str| {
            of.ok_or_else(|| gate.wrong("", format_args!("<{kind}>"), format_args!("its {role} is missing"), "add it"))
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
            (None, None) if kind == "gateHHInstantaneous" => String::new(),
            (None, None) => need(None, "timeCourse")?,
        };
        Ok((inf, tau))
    };
    let (inf, tau) = parts(&at.now)?;
    if tau.is_empty() {
        cell.equations.push(format!("{name} = {inf} : 1"));
        return Ok(());
    }
    cell.equations.push(format!("inf_{name} = {inf} : 1"));
    cell.equations.push(format!("tau_{name} = ({tau})/{factor} : second"));
    cell.equations.push(format!("d{name}/dt = (inf_{name} - {name})/tau_{name} : 1"));
    cell.initial.insert(name.to_owned(), Quantity::Expr(parts(&at.start)?.0));
    Ok(())
}

/// The factor of the temperature, if it is fixed.
pub(super) fn q10(gate: &Element, document: &Document) -> Result<String, Error> {
    let Some(of) = gate.all("q10Settings").next() else { return Ok("1".into()) };
    match document.kind(of) {
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

/// A rate, time constant or steady state as a function of what is known.
pub(super) fn rate(document: &Document, of: &Element, known: &[(&str, String)]) -> Result<String, Error> {
    let v = known.iter().find(|(name, _)| *name == "v").map_or("v", |(_, v)| v.as_str());
    of.need("type")?;
    let kind = document.kind(of);
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
    if let Some(found) = types::component_type(document, kind) {
        return types::inline(document, &found?, of, known);
    }
    let expected = "HHExp, HHSigmoid and HHExpLinear rates and variables and fixedTimeCourse are known, and types of the file";
    Err(of.wrong("type", format_args!("`{kind}`"), expected, "use one of these"))
}
