//! Dimensions and units that a file defines, beside those of NeuroML.

use std::rc::Rc;

use spikelet_network::Error;

use super::document::{Document, Element};
use super::units::{Dimensions, FileUnit};

/// The base units, with the attribute of a `<Dimension>` that is its power.
const BASES: [(&str, &str); 7] =
    [("m", "kilogram"), ("l", "metre"), ("t", "second"), ("i", "amp"), ("k", "kelvin"), ("n", "mole"), ("j", "candela")];

/// Gives all elements the units that the files define.
pub(super) fn define(document: &mut Document) -> Result<(), Error> {
    let dimensions = Rc::new(of(&document.elements)?);
    document.elements.iter_mut().for_each(|element| element.with(&dimensions));
    Ok(())
}

/// The definitions among the elements of all files.
fn of(elements: &[Element]) -> Result<Dimensions, Error> {
    let mut found = Dimensions::default();
    for of in elements.iter().filter(|of| of.name == "Dimension") {
        found.dimensions.insert(of.need("name")?.to_owned(), product(of)?);
    }
    for of in elements.iter().filter(|of| of.name == "Unit") {
        let dimension = of.need("dimension")?;
        let si = found.si(dimension).ok_or_else(|| unknown(of, dimension))?.to_owned();
        let unit = FileUnit {
            scale: value(of, "scale", 1.0)? * 10_f64.powf(value(of, "power", 0.0)?),
            offset: value(of, "offset", 0.0)?,
            si,
        };
        found.units.insert(of.need("symbol")?.to_owned(), unit);
    }
    Ok(found)
}

/// The unit of the dimension that an element names; of a pure number without one.
pub(super) fn unit(of: &Element) -> Result<&str, Error> {
    let dimension = of.get("dimension").unwrap_or("none");
    of.dimensions.si(dimension).ok_or_else(|| unknown(of, dimension))
}

fn unknown(of: &Element, dimension: &str) -> Error {
    let expected = "a dimension of NeuroML, or a <Dimension> of the file, is expected";
    of.wrong("dimension", format_args!("`{dimension}`"), expected, "define it, or correct its name")
}

/// The unit of a `<Dimension>`: a product of powers of base units.
fn product(of: &Element) -> Result<String, Error> {
    let mut factors = Vec::new();
    for (key, unit) in BASES {
        match value(of, key, 0.0)? {
            0.0 => {}
            1.0 => factors.push(unit.to_owned()),
            power => factors.push(format!("{unit}**{power}")),
        }
    }
    Ok(if factors.is_empty() { "1".to_owned() } else { factors.join("*") })
}

fn value(of: &Element, key: &str, default: f64) -> Result<f64, Error> {
    let Some(text) = of.get(key) else { return Ok(default) };
    let found = text.trim().parse().ok().filter(|value: &f64| value.is_finite());
    found.ok_or_else(|| of.wrong(key, format_args!("`{text}`"), "a number is expected", "write one"))
}
