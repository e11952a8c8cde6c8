//! Component types that a file defines, compiled to texts of populations and synapses.

use indexmap::IndexMap;
use spikelet_network::{Error, Quantity};

use super::conditions::{Conditions, assignments};
use super::dimension::unit;
use super::document::{Document, Element};
use super::gates;
use super::scope::Scope;
use super::texts::{Cell, Sum};
use super::types::{ComponentType, cases};

/// What a type can contain that needs no equation: what it names is found where it is read.
const SILENT: [&str; 13] = [
    "Exposure",
    "Requirement",
    "InstanceRequirement",
    "EventPort",
    "Attachments",
    "Text",
    "Path",
    "notes",
    "annotation",
    "Simulation",
    "Child",
    "Children",
    "Fixed",
];
/// The dynamics of a component, as texts.
#[derive(Debug, Default)]
pub(super) struct Dynamics<'a> {
    pub(super) equations: Vec<String>,
    pub(super) parameters: IndexMap<String, Quantity>,
    pub(super) initial: IndexMap<String, Quantity>,
    /// What happens when a test is true.
    pub(super) conditions: Conditions<'a>,
    /// Sums over synapses and inputs.
    pub(super) sums: Vec<Sum>,
    /// What it exposes to its parent, and its name here; not what is always 0.
    pub(super) exposed: Vec<(String, String)>,
    /// Statements at an event that arrives.
    pub(super) on_event: Option<String>,
}

/// The dynamics of a component of a type, in a scope.
pub(super) fn dynamics<'a>(
    document: &Document,
    of: &ComponentType<'a>,
    component: &Element,
    mut scope: Scope,
) -> Result<Dynamics<'a>, Error> {
    let mut found = Dynamics::default();
    let items = || of.parts.iter().filter(|part| part.name == "Dynamics").flat_map(|part| &part.children);
    let is_variable = |name: &str| ["StateVariable", "DerivedVariable", "ConditionalDerivedVariable"].contains(&name);
    let values = of.values(component)?;
    values.iter().for_each(|(name, _)| scope.declare(name));
    for part in of
        .parts
        .iter()
        .filter(|part| part.name == "DerivedParameter")
        .copied()
        .chain(items().filter(|item| is_variable(&item.name)))
    {
        scope.declare(part.need("name")?);
        if let Some(value) = part.get("value") {
            scope.derive(part.need("name")?, value);
        }
    }
    if let Some(celsius) = document.celsius {
        scope.give("temperature", &format!("({}*kelvin)", celsius + 273.15));
    }
    found.parameters = values.into_iter().map(|(name, value)| (scope.name(&name), value)).collect();
    for part in &of.parts {
        match part.name.as_str() {
            "DerivedParameter" => {
                found.equations.push(format!(
                    "{} = {} : {}",
                    scope.name(part.need("name")?),
                    scope.text(part.need("value")?),
                    unit(part)?
                ));
            }
            "Parameter" | "Constant" | "Property" | "Dynamics" => {}
            other if SILENT.contains(&other) => {}
            other => {
                let expected = "parameters, constants and Dynamics are supported";
                return Err(part.wrong("", format_args!("<{other}>"), expected, "write the type without it"));
            }
        }
    }
    for item in items().filter(|item| item.name == "DerivedVariable") {
        if let Some(select) = item.get("select") {
            selected(document, (of, component), item, select, &mut scope, &mut found)?;
        }
    }
    let (mut conditions, mut regimes, mut derivatives) = (Vec::new(), Vec::new(), Vec::<&Element>::new());
    for item in items() {
        match item.name.as_str() {
            "StateVariable" => {}
            "TimeDerivative" => derivatives.push(item),
            "DerivedVariable" if item.get("select").is_some() => expose(item, &scope, &mut found)?,
            "DerivedVariable" => {
                let value = scope.text(item.need("value")?);
                found.equations.push(format!("{} = {value} : {}", scope.name(item.need("name")?), unit(item)?));
                expose(item, &scope, &mut found)?;
            }
            "ConditionalDerivedVariable" => {
                let value = cases(item, &|text| scope.text(text))?;
                found.equations.push(format!("{} = {value} : {}", scope.name(item.need("name")?), unit(item)?));
                expose(item, &scope, &mut found)?;
            }
            "OnStart" => {
                for of in item.all("StateAssignment") {
                    let value = scope.text_at_start(of, of.need("value")?)?;
                    found.initial.insert(scope.name(of.need("variable")?), Quantity::Expr(value));
                }
            }
            "OnCondition" => conditions.push(item),
            "Regime" => regimes.push(item),
            "OnEvent" => {
                let lines = assignments(&scope, item)?.into_iter().map(|[name, value]| format!("{name} = {value}"));
                found.on_event = Some(lines.collect::<Vec<_>>().join("; "));
            }
            other => {
                let expected = "variables, derivatives, OnStart, OnCondition, OnEvent and Regime are supported";
                return Err(item.wrong("", format_args!("<{other}>"), expected, "write the type without it"));
            }
        }
    }
    found.conditions = Conditions::read(&scope, &conditions, regimes)?;
    for state in items().filter(|item| item.name == "StateVariable") {
        expose(state, &scope, &mut found)?;
        let name = state.need("name")?;
        let everywhere = derivatives.iter().find(|of| of.get("variable") == Some(name));
        let own = scope.name(name);
        found.equations.push(match found.conditions.derivative(name, everywhere.copied())? {
            Some(derivative) => format!("d{own}/dt = {derivative} : {}", unit(state)?),
            None => format!("{own} : {}", unit(state)?),
        });
    }
    let start = found.conditions.start()?;
    if let Some([regime, _]) = start.first() {
        found.equations.push(format!("{regime} : 1"));
    }
    found.initial.extend(start.into_iter().map(|[name, value]| (name, Quantity::Expr(value))));
    Ok(found)
}

/// Adds a variable that is read from another component: a sum over synapses, the potential of the neuron at the other end of a synapse, the factor of the
/// temperature, or what a child exposes.
fn selected(
    document: &Document,
    (of, component): (&ComponentType<'_>, &Element),
    item: &Element,
    select: &str,
    scope: &mut Scope,
    found: &mut Dynamics<'_>,
) -> Result<(), Error> {
    let (name, unit) = (item.need("name")?, unit(item)?);
    let unknown = || {
        let expected = "sums over synapses such as `synapses[*]/i`, `peer/v` of an InstanceRequirement, `q10Settings[*]/q10`, and values of rates such as `forwardRate/r` can be selected";
        item.wrong("select", format_args!("`{select}`"), expected, "write its value")
    };
    let (from, part) = select.split_once('/').filter(|(_, part)| !part.contains(['/', '['])).ok_or_else(unknown)?;
    let peers = of.parts.iter().filter(|part| part.name == "InstanceRequirement").filter_map(|part| part.get("name"));
    let [now, start] = match from {
        "synapses[*]" if scope.is_whole() => {
            found.sums.push(Sum { name: scope.name(name), part: part.to_owned(), unit: unit.to_owned() });
            return Ok(());
        }
        "q10Settings[*]" if part == "q10" => {
            let factor = gates::q10(component, document)?;
            [factor.clone(), factor]
        }
        _ if peers.into_iter().any(|peer| peer == from) && part == "v" => {
            let potential = "v_pre".to_owned();
            [potential.clone(), potential]
        }
        _ => {
            let child = component.all(from).next().ok_or_else(unknown)?;
            [gates::rate(document, child, &scope.given(0))?, gates::rate(document, child, &scope.given(1))?]
        }
    };
    found.equations.push(format!("{} = {now} : {unit}", scope.name(name)));
    scope.start_with(name, &start);
    Ok(())
}

/// Notes what is exposed.
fn expose(of: &Element, scope: &Scope, found: &mut Dynamics<'_>) -> Result<(), Error> {
    if let (Some(exposure), false) = (of.get("exposure"), of.get("value") == Some("0")) {
        found.exposed.push((exposure.to_owned(), scope.name(of.need("name")?)));
    }
    Ok(())
}

/// A component of a type as cells.
pub(super) fn cell(document: &Document, of: &ComponentType, component: &Element) -> Result<Cell, Error> {
    let dynamics = dynamics(document, of, component, Scope::default())?;
    let mut cell = Cell {
        sums: dynamics.sums,
        equations: dynamics.equations,
        parameters: dynamics.parameters,
        initial: dynamics.initial,
        ..Cell::default()
    };
    dynamics.conditions.add_to(&mut cell);
    Ok(cell)
}

impl Cell {
    /// Adds a part of the cell, such as a gate, whose names end with the suffix of the scope: returns what it exposes and the names of it.
    ///
    /// # Errors
    /// It requires something that the scope does not have, or sends events.
    pub(super) fn add_part(
        &mut self,
        document: &Document,
        of: &ComponentType<'_>,
        component: &Element,
        scope: Scope,
    ) -> Result<Vec<(String, String)>, Error> {
        let has_temperature = document.celsius.is_some();
        of.check_required(component, |name| scope.has(name) || name == "temperature" && has_temperature || name == "t")?;
        let found = dynamics(document, of, component, scope)?;
        self.equations.extend(found.equations);
        self.parameters.extend(found.parameters);
        self.initial.extend(found.initial);
        self.events.extend(found.conditions.events_without_spikes(component)?);
        Ok(found.exposed)
    }
}
