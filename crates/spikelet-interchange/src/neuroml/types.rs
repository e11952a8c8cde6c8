//! Component types that a file defines: what they have and inherit, and values that are expressions.

use indexmap::IndexMap;
use spikelet_network::{Error, Quantity};

use super::bases;
use super::dimension::unit;
use super::document::{Document, Element};
use super::expression::translate;
use super::quantity::{self, text};

/// Maximum number of types that extend each other.
const MAX_TYPES: usize = 64;

/// A type with all that it extends.
#[derive(Debug)]
pub(super) struct ComponentType<'a> {
    element: &'a Element,
    /// The children of all types, those of the most general one first. Of dynamics only those of the most special type that has some: they replace the others.
    pub(super) parts: Vec<&'a Element>,
    /// The parameters that it inherits from a type of NeuroML.
    inherited: &'static [&'static str],
}

/// The type of this name, if the file defines it.
pub(super) fn component_type<'a>(document: &'a Document, name: &str) -> Option<Result<ComponentType<'a>, Error>> {
    document.type_of(name).map(|element| whole(document, element))
}

fn whole<'a>(document: &'a Document, element: &'a Element) -> Result<ComponentType<'a>, Error> {
    let (mut types, mut next, mut inherited) = (vec![element], element.get("extends"), None);
    while let Some(name) = next {
        let Some(base) = document.type_of(name) else {
            inherited = Some(bases::parameters(name).ok_or_else(|| {
                let expected = "a type of the file, or one of NeuroML that can be extended, is expected";
                element.wrong("extends", format_args!("`{name}`"), expected, "define it, or write its parameters and dynamics")
            })?);
            break;
        };
        if types.len() == MAX_TYPES || types.iter().any(|of| std::ptr::eq(*of, base)) {
            let value = format!("`{}`", element.need("name")?);
            return Err(element.wrong("extends", value, "types extend each other in a circle", "remove one of them"));
        }
        types.push(base);
        next = base.get("extends");
    }
    let of_dynamics = types.iter().find(|of| of.all("Dynamics").next().is_some()).copied();
    let own = |of: &'a Element| {
        let keeps = of_dynamics.is_some_and(|special| std::ptr::eq(special, of));
        of.children.iter().filter(move |part| part.name != "Dynamics" || keeps)
    };
    Ok(ComponentType { element, parts: types.iter().rev().flat_map(|of| own(of)).collect(), inherited: inherited.unwrap_or(&[]) })
}

impl ComponentType<'_> {
    /// Values that the type fixes: `<Fixed parameter="…" value="…"/>`.
    fn fixed(&self, name: &str) -> Option<&Element> {
        self.parts.iter().rev().find(|part| part.name == "Fixed" && part.get("parameter") == Some(name)).copied()
    }

    /// Its parameters and constants.
    pub(super) fn values(&self, component: &Element) -> Result<Vec<(String, Quantity)>, Error> {
        let mut values = Vec::new();
        let value = |name: &str, unit: Option<&str>| match self.fixed(name) {
            Some(fixed) => quantity::with_unit(fixed, "value", unit),
            None => quantity::with_unit(component, name, unit),
        };
        for name in self.inherited {
            values.push(((*name).to_owned(), value(name, None)?));
        }
        for part in &self.parts {
            match part.name.as_str() {
                "Parameter" => {
                    let name = part.need("name")?;
                    values.push((name.to_owned(), value(name, Some(unit(part)?))?));
                }
                "Constant" => {
                    values.push((part.need("name")?.to_owned(), quantity::with_unit(part, "value", Some(unit(part)?))?));
                }
                // A connection sets its weight; nothing sets other properties.
                "Property" if part.get("name") != Some("weight") => {
                    let default = part.get("defaultValue").map(|_| quantity::with_unit(part, "defaultValue", Some(unit(part)?)));
                    values.push((part.need("name")?.to_owned(), default.unwrap_or(Ok(Quantity::Number(0.0)))?));
                }
                _ => {}
            }
        }
        Ok(values)
    }

    /// An error for the first thing that it requires and `has` not.
    pub(super) fn check_required(&self, component: &Element, has: impl Fn(&str) -> bool) -> Result<(), Error> {
        let required = self.parts.iter().filter(|part| part.name == "Requirement").filter_map(|part| part.get("name"));
        let Some(missing) = required.into_iter().find(|name| !has(name)) else { return Ok(()) };
        let expected = format!("it requires `{missing}`, which the cell does not have");
        let way_out = "caConc needs a <species> of the cell, temperature a network with one, alpha and beta a gate with rates";
        Err(component.wrong("type", format_args!("`{}`", self.element.need("name")?), expected, way_out))
    }
}

/// The cases of a variable as one expression.
pub(super) fn cases(of: &Element, text: &dyn Fn(&str) -> String) -> Result<String, Error> {
    let (mut terms, mut before) = (Vec::new(), Vec::<String>::new());
    for case in of.all("Case") {
        let value = text(case.need("value")?);
        let mut tests: Vec<String> = before.iter().map(|test| format!("not ({test})")).collect();
        if let Some(test) = case.get("condition") {
            let test = text(test);
            tests.push(format!("({test})"));
            before.push(test);
        }
        let holds = if tests.is_empty() { String::new() } else { format!("*int({})", tests.join(" and ")) };
        terms.push(format!("({value}){holds}"));
    }
    Ok(terms.join(" + "))
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
fn exposures(
    document: &Document,
    of: &ComponentType<'_>,
    component: &Element,
    given: &[(&str, String)],
) -> Result<Vec<(String, String)>, Error> {
    let mut known: IndexMap<String, String> = given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    if let Some(celsius) = document.celsius {
        known.insert("temperature".into(), format!("({}*kelvin)", celsius + 273.15));
    }
    of.check_required(component, |name| known.contains_key(name))?;
    for (name, value) in of.values(component)? {
        known.insert(name, format!("({})", text(&value)));
    }
    let mut exposed = Vec::new();
    for part in &of.parts {
        match part.name.as_str() {
            "DerivedParameter" => {
                let value = translate(part.need("value")?, &|name| known.get(name).cloned());
                known.insert(part.need("name")?.to_owned(), format!("({value})"));
            }
            "Dynamics" => {
                for item in &part.children {
                    let value = match item.name.as_str() {
                        "DerivedVariable" => translate(item.need("value")?, &|name| known.get(name).cloned()),
                        "ConditionalDerivedVariable" => cases(item, &|text| translate(text, &|name| known.get(name).cloned()))?,
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
