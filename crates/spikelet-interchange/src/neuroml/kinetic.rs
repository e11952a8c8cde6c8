//! Gates with kinetic schemes: states, and rates of the transitions between them.

use spikelet_network::{Error, Quantity};

use super::document::{Document, Element};
use super::gates::{GateTimes, rate};
use super::quantity::{number, quantity, text};
use super::texts::Cell;

/// Where the fraction 1/(e/k T) is 25.3 mV.
const THERMAL: &str = "(25.3*mV)";

/// Adds the states of a gate with this name: each has a variable, but for the first, which has what is left of 1. All channels start in the first.
/// The factor of the temperature does not act on kinetic schemes: their definition does not apply it.
pub(super) fn add(document: &Document, gate: &Element, name: &str, (cell, at): (&mut Cell, &GateTimes)) -> Result<(), Error> {
    let kinds = ["closedState", "openState", "KSState"];
    let states: Vec<&Element> = gate.children.iter().filter(|of| kinds.contains(&document.kind(of))).collect();
    let own = |of: &Element| Ok::<String, Error>(format!("{name}_{}", of.need("id")?));
    let names = states.iter().map(|of| own(of)).collect::<Result<Vec<_>, _>>()?;
    let [first, others @ ..] = &names[..] else {
        return Err(gate.wrong("", "a gate", "its states are missing", "add a closedState and an openState"));
    };
    let place = |of: &Element, key: &str| {
        let id = of.need(key)?;
        let found = states.iter().position(|state| state.get("id") == Some(id));
        found.ok_or_else(|| of.wrong(key, format_args!("`{id}`"), "a state of the gate is expected", "name one of them"))
    };
    let mut flows = vec![Vec::new(); states.len()];
    for (number, of) in gate.children.iter().filter(|of| document.kind(of).ends_with("Transition")).enumerate() {
        let [from, to] = [place(of, "from")?, place(of, "to")?];
        let [forward, reverse] = rates(document, of, at)?;
        for (rate, role, [from, to]) in [(forward, "forward", [from, to]), (reverse, "reverse", [to, from])] {
            let Some(rate) = rate else { continue };
            let rate_name = format!("{role}_{number}_{name}");
            cell.equations.push(format!("{rate_name} = {rate} : 1/second"));
            flows[from].push(format!(" - {rate_name}*{}", names[from]));
            flows[to].push(format!(" + {rate_name}*{}", names[from]));
        }
    }
    let rest: String = others.iter().map(|state| format!(" - {state}")).collect();
    cell.equations.push(format!("{first} = 1{rest} : 1"));
    for (state, flows) in others.iter().zip(&flows[1..]) {
        let flow = if flows.is_empty() { "0/second".to_owned() } else { flows.concat() };
        let flow = flow.strip_prefix(" + ").unwrap_or(flow.trim_start());
        cell.equations.push(format!("d{state}/dt = {flow} : 1"));
        cell.initial.insert(state.clone(), Quantity::Number(0.0));
    }
    let mut open = Vec::new();
    for (state, name) in states.iter().zip(&names) {
        match document.kind(state) {
            "openState" => open.push(name.clone()),
            "KSState" => open.push(format!("{}*{name}", number(state, "relativeConductance")?)),
            _ => {}
        }
    }
    let open = if open.is_empty() { "0".to_owned() } else { open.join(" + ") };
    cell.equations.push(format!("{name} = {open} : 1"));
    Ok(())
}

/// The forward and the reverse rate of a transition, of those that it has.
fn rates(document: &Document, of: &Element, at: &GateTimes) -> Result<[Option<String>; 2], Error> {
    let known = at.now.known();
    let part = |role: &str| {
        let part = of.all(role).next();
        let missing = || of.wrong("", format_args!("<{}>", of.name), format_args!("its {role} is missing"), "add it");
        rate(document, part.ok_or_else(missing)?, &known)
    };
    match document.kind(of) {
        "forwardTransition" => Ok([Some(part("rate")?), None]),
        "reverseTransition" => Ok([None, Some(part("rate")?)]),
        "tauInfTransition" => {
            let (tau, inf) = (part("timeCourse")?, part("steadyState")?);
            Ok([Some(format!("({inf})/({tau})")), Some(format!("(1 - ({inf}))/({tau})"))])
        }
        "vHalfTransition" => {
            let value = |key: &str| Ok::<String, Error>(text(&quantity(of, key)?));
            let [half, tau, least] = [value("vHalf")?, value("tau")?, value("tauMin")?];
            let (charge, gamma) = (number(of, "z")?, number(of, "gamma")?);
            let one = |factor: f64| {
                let exponent = format!("{factor}*({} - ({half}))/{THERMAL}", at.now.v);
                Some(format!("1/(({tau})*exp({exponent}) + ({least}))"))
            };
            Ok([one(-charge * gamma), one(charge * (1.0 - gamma))])
        }
        other => {
            let expected = "forwardTransition, reverseTransition, tauInfTransition and vHalfTransition are known";
            Err(of.wrong("", format_args!("<{other}>"), expected, "use one of these"))
        }
    }
}
