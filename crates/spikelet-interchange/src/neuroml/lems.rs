//! Component types that a file defines, compiled to texts of populations and synapses.

use indexmap::IndexMap;
use spikelet_network::{Error, Quantity};

use super::conditions::{Conditions, assignments};
use super::document::{Document, Element};
use super::expression::{in_step, own_name, renamed, translate};
use super::quantity::{quantity, text};
use super::texts::{Cell, Sum};

/// Dimensions and the unit of variables of each.
const DIMENSIONS: [(&str, &str); 14] = [
    ("none", "1"),
    ("voltage", "volt"),
    ("time", "second"),
    ("per_time", "1/second"),
    ("current", "amp"),
    ("conductance", "siemens"),
    ("capacitance", "farad"),
    ("resistance", "ohm"),
    ("per_voltage", "1/volt"),
    ("conductance_per_voltage", "siemens/volt"),
    ("concentration", "mmolar"),
    ("currentDensity", "amp/metre**2"),
    ("conductanceDensity", "siemens/metre**2"),
    ("specificCapacitance", "farad/metre**2"),
];
/// What a type can contain that needs no equation.
const SILENT: [&str; 12] = [
    "Exposure",
    "Requirement",
    "EventPort",
    "Attachments",
    "Property",
    "Text",
    "Path",
    "notes",
    "annotation",
    "Structure",
    "Simulation",
    "Fixed",
];
/// Maximum number of types that extend each other.
const MAX_TYPES: usize = 64;

/// A type with all that it extends.
#[derive(Debug)]
pub(super) struct ComponentType<'a> {
    element: &'a Element,
    /// The children of all types, those of the most general one first.
    parts: Vec<&'a Element>,
}

/// The type of this name, if the file defines it.
pub(super) fn component_type<'a>(document: &'a Document, name: &str) -> Option<Result<ComponentType<'a>, Error>> {
    let find = |name: &str| document.elements.iter().find(|of| of.name == "ComponentType" && of.get("name") == Some(name));
    let element = find(name)?;
    let (mut types, mut next) = (vec![element], element.get("extends"));
    while let Some(base) = next.and_then(find) {
        if types.len() == MAX_TYPES || types.iter().any(|of| std::ptr::eq(*of, base)) {
            let error =
                element.wrong("extends", format_args!("`{name}`"), "types extend each other in a circle", "remove one of them");
            return Some(Err(error));
        }
        types.push(base);
        next = base.get("extends");
    }
    let parts = types.iter().rev().flat_map(|of| &of.children).collect();
    Some(Ok(ComponentType { element, parts }))
}

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

/// The unit of a dimension.
fn unit(of: &Element) -> Result<&'static str, Error> {
    let name = of.get("dimension").unwrap_or("none");
    let found = DIMENSIONS.iter().find(|(dimension, _)| *dimension == name).map(|(_, unit)| *unit);
    found.ok_or_else(|| of.wrong("dimension", format_args!("`{name}`"), "its unit is not known", "use a dimension of NeuroML"))
}

/// The dynamics of a component of a type.
pub(super) fn dynamics<'a>(of: &ComponentType<'a>, component: &Element) -> Result<Dynamics<'a>, Error> {
    let mut found = Dynamics::default();
    let (mut states, mut conditions, mut regimes) = (Vec::new(), Vec::new(), Vec::new());
    let mut derivatives: Vec<&Element> = Vec::new();
    for part in &of.parts {
        match part.name.as_str() {
            "Parameter" => {
                let name = part.need("name")?;
                found.parameters.insert(own_name(name), quantity(component, name)?);
            }
            "Constant" => drop(found.parameters.insert(own_name(part.need("name")?), quantity(part, "value")?)),
            "DerivedParameter" => {
                let (name, value) = (own_name(part.need("name")?), translate(part.need("value")?, &renamed));
                found.equations.push(format!("{name} = {value} : {}", unit(part)?));
            }
            "Dynamics" => {
                for item in &part.children {
                    match item.name.as_str() {
                        "StateVariable" => states.push(item),
                        "TimeDerivative" => derivatives.push(item),
                        "DerivedVariable" => derived(item, &mut found)?,
                        "ConditionalDerivedVariable" => {
                            found.equations.push(conditional(item)?);
                            expose(item, &mut found)?;
                        }
                        "OnStart" => found.initial.extend(starts(item)?),
                        "OnCondition" => conditions.push(item),
                        "Regime" => regimes.push(item),
                        "OnEvent" => {
                            let lines = assignments(item)?.into_iter().map(|[name, value]| format!("{name} = {value}"));
                            found.on_event = Some(lines.collect::<Vec<_>>().join("; "));
                        }
                        other => {
                            let expected = "variables, derivatives, OnStart, OnCondition, OnEvent and Regime are supported";
                            return Err(item.wrong("", format_args!("<{other}>"), expected, "write the type without it"));
                        }
                    }
                }
            }
            other if SILENT.contains(&other) => {}
            other => {
                let expected = "parameters, constants and Dynamics are supported";
                return Err(part.wrong("", format_args!("<{other}>"), expected, "write the type without it"));
            }
        }
    }
    found.conditions = Conditions::read(&conditions, regimes)?;
    for state in states {
        expose(state, &mut found)?;
        let name = state.need("name")?;
        let everywhere = derivatives.iter().find(|of| of.get("variable") == Some(name));
        let own = own_name(name);
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

/// Adds the line of a derived variable, or a sum.
fn derived(of: &Element, found: &mut Dynamics<'_>) -> Result<(), Error> {
    let name = own_name(of.need("name")?);
    if let Some(select) = of.get("select") {
        let part = select.strip_prefix("synapses[*]/").filter(|part| !part.contains(['/', '[']));
        let part = part.ok_or_else(|| {
            let expected = "only sums over synapses can be selected, such as `synapses[*]/i`";
            of.wrong("select", format_args!("`{select}`"), expected, "write its value")
        })?;
        found.sums.push(Sum { name, part: part.to_owned(), unit: unit(of)?.to_owned() });
        return Ok(());
    }
    found.equations.push(format!("{name} = {} : {}", translate(of.need("value")?, &in_step), unit(of)?));
    expose(of, found)
}

/// Notes what is exposed.
fn expose(of: &Element, found: &mut Dynamics<'_>) -> Result<(), Error> {
    if let (Some(exposure), false) = (of.get("exposure"), of.get("value") == Some("0")) {
        found.exposed.push((exposure.to_owned(), own_name(of.need("name")?)));
    }
    Ok(())
}

/// The line of a variable with cases.
fn conditional(of: &Element) -> Result<String, Error> {
    Ok(format!("{} = {} : {}", own_name(of.need("name")?), cases(of, &in_step)?, unit(of)?))
}

/// Its cases as one expression.
fn cases(of: &Element, rename: &dyn Fn(&str) -> Option<String>) -> Result<String, Error> {
    let (mut terms, mut before) = (Vec::new(), Vec::<String>::new());
    for case in of.all("Case") {
        let value = translate(case.need("value")?, rename);
        let mut tests: Vec<String> = before.iter().map(|test| format!("not ({test})")).collect();
        if let Some(test) = case.get("condition") {
            let test = translate(test, rename);
            tests.push(format!("({test})"));
            before.push(test);
        }
        let holds = if tests.is_empty() { String::new() } else { format!("*int({})", tests.join(" and ")) };
        terms.push(format!("({value}){holds}"));
    }
    Ok(terms.join(" + "))
}

fn starts(of: &Element) -> Result<Vec<(String, Quantity)>, Error> {
    let one = |of: &Element| Ok((own_name(of.need("variable")?), Quantity::Expr(translate(of.need("value")?, &renamed))));
    of.all("StateAssignment").map(one).collect()
}

/// The value of a component, such as a rate, at a potential and other values that are given: its exposure as one expression.
///
/// # Errors
/// It reads something else than its parameters and what is given.
pub(super) fn inline(
    document: &Document,
    of: &ComponentType<'_>,
    component: &Element,
    given: &[(&str, String)],
) -> Result<String, Error> {
    let last = exposures(document, of, component, given)?.pop();
    last.map(|(_, value)| value)
        .ok_or_else(|| of.element.wrong("", "its dynamics", "a variable with an exposure is expected", "add exposure=\"r\""))
}

/// All values that a component exposes, as expressions; not those that are always 0.
///
/// # Errors
/// It reads something else than its parameters and what is given.
pub(super) fn exposures(
    document: &Document,
    of: &ComponentType<'_>,
    component: &Element,
    given: &[(&str, String)],
) -> Result<Vec<(String, String)>, Error> {
    let mut known: IndexMap<String, String> = given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    if let Some(celsius) = document.celsius {
        known.insert("temperature".into(), format!("({}*kelvin)", celsius + 273.15));
    }
    if let Some(missing) = of
        .parts
        .iter()
        .filter(|part| part.name == "Requirement")
        .find_map(|part| part.get("name").filter(|name| !known.contains_key(*name)))
    {
        let expected = format!("it requires `{missing}`, which the cell does not have");
        let way_out = "caConc needs a <species> of the cell, temperature a network with one, alpha and beta a gate with rates";
        return Err(component.wrong("type", format_args!("`{}`", of.element.need("name")?), expected, way_out));
    }
    let mut exposed = Vec::new();
    for part in &of.parts {
        match part.name.as_str() {
            "Parameter" => {
                let name = part.need("name")?;
                known.insert(name.to_owned(), format!("({})", text(&quantity(component, name)?)));
            }
            "Constant" => drop(known.insert(part.need("name")?.to_owned(), format!("({})", text(&quantity(part, "value")?)))),
            "Dynamics" => {
                for item in &part.children {
                    let value = match item.name.as_str() {
                        "DerivedVariable" => translate(item.need("value")?, &|name| known.get(name).cloned()),
                        "ConditionalDerivedVariable" => cases(item, &|name| known.get(name).cloned())?,
                        other => {
                            let expected = "derived variables are supported in rates and inputs";
                            return Err(item.wrong("", format_args!("<{other}>"), expected, "write the type without it"));
                        }
                    };
                    let value = format!("({value})");
                    if let (Some(exposure), false) = (item.get("exposure"), item.get("value") == Some("0")) {
                        exposed.push((exposure.to_owned(), value.clone()));
                    }
                    known.insert(item.need("name")?.to_owned(), value);
                }
            }
            _ => {}
        }
    }
    Ok(exposed)
}

/// A component of a type as cells.
pub(super) fn cell(document: &Document, of: &ComponentType, component: &Element) -> Result<Cell, Error> {
    // What a type extends may be one of the core: then it must be abstract, which has no dynamics of its own.
    if let Some(base) = of.element.get("extends")
        && super::core::CELLS.iter().any(|cell| cell.name == base)
        && component_type(document, base).is_none()
    {
        return Err(of.element.wrong(
            "extends",
            format_args!("`{base}`"),
            "a cell of NeuroML cannot be extended here",
            "write all of its dynamics",
        ));
    }
    let dynamics = dynamics(of, component)?;
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
