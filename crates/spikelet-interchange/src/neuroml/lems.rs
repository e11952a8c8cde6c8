//! Component types that a file defines, compiled to texts of populations and synapses.

use indexmap::IndexMap;
use spikelet_network::{Error, Quantity};

use super::document::{Document, Element};
use super::expression::translate;
use super::quantity::{quantity, text};
use super::texts::Cell;

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
/// The sums of currents of cells.
const SUMS: [&str; 2] = ["iSyn", "ISyn"];
/// Names with a meaning in equations, which variables of a type cannot have.
const RESERVED: [&str; 12] =
    ["i", "j", "N", "rand", "randn", "poisson", "binomial", "not_refractory", "lastspike", "xi", "inf", "pi"];
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

/// The name of a variable here.
pub(super) fn own_name(name: &str) -> String {
    if RESERVED.contains(&name) { format!("{name}_own") } else { name.to_owned() }
}

/// The same for [`translate`].
fn renamed(name: &str) -> Option<String> {
    RESERVED.contains(&name).then(|| own_name(name))
}

/// The dynamics of a component, as texts.
#[derive(Debug, Default)]
pub(super) struct Dynamics {
    pub(super) equations: Vec<String>,
    pub(super) parameters: IndexMap<String, Quantity>,
    pub(super) initial: IndexMap<String, Quantity>,
    /// The test of the event that it sends, and the statements of it.
    pub(super) spike: Option<(String, String)>,
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
pub(super) fn dynamics(of: &ComponentType, component: &Element) -> Result<Dynamics, Error> {
    let mut found = Dynamics::default();
    let mut states = Vec::new();
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
                        "DerivedVariable" => found.equations.extend(derived(item)?),
                        "ConditionalDerivedVariable" => found.equations.push(conditional(item)?),
                        "OnStart" => found.initial.extend(starts(item)?),
                        "OnCondition" => on_condition(item, &mut found)?,
                        "OnEvent" => found.on_event = Some(assignments(item)?),
                        other => {
                            let expected = "variables, derivatives, OnStart, OnCondition and OnEvent are supported";
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
    for state in states {
        let name = state.need("name")?;
        let derivative = derivatives.iter().find(|of| of.get("variable") == Some(name));
        let own = own_name(name);
        found.equations.push(match derivative {
            Some(derivative) => format!("d{own}/dt = {} : {}", translate(derivative.need("value")?, &renamed), unit(state)?),
            None => format!("{own} : {}", unit(state)?),
        });
    }
    Ok(found)
}

/// The line of a derived variable; none for the sum of the currents, which the population adds.
fn derived(of: &Element) -> Result<Option<String>, Error> {
    let name = of.need("name")?;
    if let Some(select) = of.get("select") {
        if SUMS.contains(&name) || select.starts_with("synapses[*]") {
            return Ok(None);
        }
        return Err(of.wrong("select", format_args!("`{select}`"), "only sums over synapses can be selected", "write its value"));
    }
    Ok(Some(format!("{} = {} : {}", own_name(name), translate(of.need("value")?, &renamed), unit(of)?)))
}

/// The line of a variable with cases.
fn conditional(of: &Element) -> Result<String, Error> {
    Ok(format!("{} = {} : {}", own_name(of.need("name")?), cases(of, &renamed)?, unit(of)?))
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

fn assignments(of: &Element) -> Result<String, Error> {
    let one = |of: &Element| Ok(format!("{} = {}", own_name(of.need("variable")?), translate(of.need("value")?, &renamed)));
    Ok(of.all("StateAssignment").map(one).collect::<Result<Vec<_>, Error>>()?.join("; "))
}

fn on_condition(of: &Element, found: &mut Dynamics) -> Result<(), Error> {
    if of.all("EventOut").next().is_none() || found.spike.is_some() {
        let expected = "one condition that sends an event is supported";
        return Err(of.wrong("test", format_args!("`{}`", of.need("test")?), expected, "write the type without others"));
    }
    found.spike = Some((translate(of.need("test")?, &renamed), assignments(of)?));
    Ok(())
}

/// The value of a component at a potential `v`, such as a rate: its exposure as one expression.
///
/// # Errors
/// It reads something else than its parameters, the potential and the temperature.
pub(super) fn inline(document: &Document, of: &ComponentType, component: &Element, v: &str) -> Result<String, Error> {
    let mut known: IndexMap<String, String> = IndexMap::from([("v".to_owned(), v.to_owned())]);
    if let Some(celsius) = document.celsius {
        known.insert("temperature".into(), format!("({}*kelvin)", celsius + 273.15));
    }
    let mut exposed = None;
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
                            let expected = "derived variables are supported in a rate";
                            return Err(item.wrong("", format_args!("<{other}>"), expected, "write the type without it"));
                        }
                    };
                    known.insert(item.need("name")?.to_owned(), format!("({value})"));
                    if item.get("exposure").is_some() {
                        exposed = item.get("name");
                    }
                }
            }
            _ => {}
        }
    }
    let found = exposed.and_then(|name| known.get(name).cloned());
    found.ok_or_else(|| of.element.wrong("", "its dynamics", "a variable with an exposure is expected", "add exposure=\"r\""))
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
    let is_read = |name: &str| {
        let word = |text: &str| text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
        dynamics.equations.iter().any(|line| word(line))
    };
    let sum = SUMS.into_iter().find(|name| is_read(name));
    let spike = dynamics.spike.clone();
    Ok(Cell {
        current: sum.map(|name| (name.to_owned(), if name == "iSyn" { "amp" } else { "1" }.to_owned())),
        equations: dynamics.equations,
        threshold: spike.as_ref().map(|(test, _)| test.clone()),
        reset: spike.map(|(_, statements)| statements).filter(|statements| !statements.is_empty()),
        refractory: None,
        parameters: dynamics.parameters,
        initial: dynamics.initial,
    })
}
