//! Quantities of LEMS, `-55mV` or `0.3 mS_per_cm2`, as quantities of networks.

use indexmap::IndexMap;
use spikelet_network::{Error, Quantity};

use super::document::Element;

/// Units of NeuroML that have another name here: none is `cm`, which cells have as a parameter.
const UNITS: [(&str, &str); 47] = [
    ("s", "second"),
    ("per_s", "1/second"),
    ("per_ms", "1/ms"),
    ("m", "metre"),
    ("cm", "cmetre"),
    ("S", "siemens"),
    ("V", "volt"),
    ("A", "amp"),
    ("F", "farad"),
    ("ohm", "ohm"),
    ("K", "kelvin"),
    ("S_per_V", "siemens/volt"),
    ("nS_per_mV", "nS/mV"),
    ("A_per_m2", "amp/metre**2"),
    ("uA_per_cm2", "uA/cmetre**2"),
    ("mA_per_cm2", "mA/cmetre**2"),
    ("S_per_m2", "siemens/metre**2"),
    ("S_per_cm2", "siemens/cmetre**2"),
    ("mS_per_cm2", "mS/cmetre**2"),
    ("F_per_m2", "farad/metre**2"),
    ("uF_per_cm2", "uF/cmetre**2"),
    ("per_V", "1/volt"),
    ("per_mV", "1/mV"),
    ("mol_per_m3", "mmolar"),
    ("mM", "mmolar"),
    ("M", "molar"),
    ("mol_per_cm3", "mole/cmetre**3"),
    ("m_per_s", "metre/second"),
    ("cm_per_s", "cmetre/second"),
    ("cm_per_ms", "cmetre/ms"),
    ("um_per_ms", "um/ms"),
    ("mol_per_m_per_A_per_s", "mole/metre/amp/second"),
    ("mol_per_cm_per_uA_per_ms", "mole/cmetre/uA/ms"),
    ("m2", "metre**2"),
    ("cm2", "cmetre**2"),
    ("um2", "um**2"),
    ("m3", "metre**3"),
    ("cm3", "cmetre**3"),
    ("um3", "um**3"),
    ("uS_per_cm2", "uS/cmetre**2"),
    ("ohm_m", "ohm*metre"),
    ("ohm_cm", "ohm*cmetre"),
    ("kohm_cm", "kohm*cmetre"),
    ("C", "coulomb"),
    ("C_per_mol", "coulomb/mole"),
    ("mol", "mole"),
    ("J_per_K_per_mol", "joule/kelvin/mole"),
];

/// Units whose name is the same here.
const SAME: [&str; 27] = [
    "ms", "us", "Hz", "mV", "nA", "pA", "uA", "mA", "nS", "pS", "uS", "mS", "nF", "pF", "uF", "mF", "um", "mm", "Mohm", "kohm",
    "Gohm", "volt", "second", "metre", "amp", "siemens", "farad",
];

/// The number and the unit of a text.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let unit = text.char_indices().find(|(at, c)| {
        let exponent = matches!(c, 'e' | 'E') && text[at + 1..].starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
        !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+') || exponent)
    });
    let (number, unit) = text.split_at(unit.map_or(text.len(), |(at, _)| at));
    number.parse().ok().filter(|number: &f64| number.is_finite()).map(|number| (number, unit.trim()))
}

/// The unit here.
fn unit(name: &str) -> Option<&'static str> {
    let other = UNITS.iter().find(|(of, _)| *of == name).map(|(_, unit)| *unit);
    other.or_else(|| SAME.iter().find(|same| **same == name).copied())
}

/// The value of an attribute.
pub(super) fn quantity(element: &Element, key: &str) -> Result<Quantity, Error> {
    with_unit(element, key, None)
}

/// The value of an attribute that has the dimension of this unit, if it is known. 0 needs no unit.
pub(super) fn with_unit(element: &Element, key: &str, expected: Option<&str>) -> Result<Quantity, Error> {
    let text = element.need(key)?;
    let wrong = |expected: String, way_out: &str| element.wrong(key, format_args!("`{text}`"), expected, way_out);
    let (number, name) =
        split(text).ok_or_else(|| wrong("a number with a unit is expected".into(), "write it such as \"20 ms\""))?;
    let (number, unit) = match (name, element.dimensions.unit(name)) {
        ("", _) if number == 0.0 => (number, expected.unwrap_or("1")),
        ("", _) => (number, "1"),
        (_, Some(own)) => (number * own.scale + own.offset, own.si.as_str()),
        ("degC", None) => (number + 273.15, "kelvin"),
        (_, None) => {
            let known = unit(name);
            (
                number,
                known.ok_or_else(|| {
                    wrong("its unit is unknown".into(), "use a unit of NeuroML, such as ms, mV or nS, or define it")
                })?,
            )
        }
    };
    let dimension = |unit: &str| spikelet_lang::syntax::parse_unit(unit).ok().map(|unit| unit.dimension);
    if let Some(expected) = expected.filter(|expected| dimension(expected) != dimension(unit)) {
        let unit =
            if expected == "1" { "a number without a unit".to_owned() } else { format!("a value in {expected} or a part of it") };
        return Err(wrong(format!("{unit} is expected"), "correct its unit"));
    }
    Ok(match unit.strip_prefix('1') {
        Some("") => Quantity::Number(number),
        Some(per) => Quantity::from(format!("{number}{per}").as_str()),
        None => Quantity::from(format!("{number} {unit}").as_str()),
    })
}

/// The number of an attribute, in whatever unit.
pub(super) fn split_number(element: &Element, key: &str) -> Result<f64, Error> {
    let text = element.need(key)?;
    let wrong = || element.wrong(key, format_args!("`{text}`"), "a number with a unit is expected", "write it such as \"20 ms\"");
    split(text).map(|(number, _)| number).ok_or_else(wrong)
}

/// The value of an attribute as a number of this unit of time.
pub(super) fn milliseconds(element: &Element, key: &str) -> Result<f64, Error> {
    let text = element.need(key)?;
    let ms = split(text).and_then(|(number, unit)| match unit {
        "s" => Some(number * 1000.0),
        "ms" => Some(number),
        "us" => Some(number / 1000.0),
        _ => None,
    });
    ms.ok_or_else(|| element.wrong(key, format_args!("`{text}`"), "a time is expected", "write it such as \"20 ms\""))
}

/// A temperature in °C.
pub(super) fn celsius(element: &Element, key: &str) -> Result<f64, Error> {
    let text = element.need(key)?;
    let found = split(text).and_then(|(number, unit)| match unit {
        "degC" => Some(number),
        "K" => Some(number - 273.15),
        _ => None,
    });
    found.ok_or_else(|| element.wrong(key, format_args!("`{text}`"), "a temperature is expected", "write it such as \"32 degC\""))
}

/// A number without a unit.
pub(super) fn number(element: &Element, key: &str) -> Result<f64, Error> {
    let text = element.need(key)?;
    let number = split(text).filter(|(_, unit)| unit.is_empty()).map(|(number, _)| number);
    number.ok_or_else(|| element.wrong(key, format_args!("`{text}`"), "a number is expected", "remove the unit"))
}

/// The same of an attribute that may be missing.
pub(super) fn number_or(element: &Element, key: &str, default: f64) -> Result<f64, Error> {
    if element.get(key).is_some() { number(element, key) } else { Ok(default) }
}

/// The values of several attributes, by their names.
pub(super) fn quantities(element: &Element, keys: &[&str]) -> Result<IndexMap<String, Quantity>, Error> {
    keys.iter().map(|key| Ok(((*key).to_owned(), quantity(element, key)?))).collect()
}

/// A quantity in an expression.
pub(super) fn text(quantity: &Quantity) -> String {
    match quantity {
        Quantity::Number(number) => number.to_string(),
        // `10 mV` is `10*mV` in expressions.
        other => other.text().unwrap_or_default().replacen(' ', "*", 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_units_are_apart() {
        for (text, number, unit) in [
            ("-55mV", -55.0, "mV"),
            ("0.3 mS_per_cm2", 0.3, "mS_per_cm2"),
            ("1e-3 s", 1e-3, "s"),
            ("2E2", 200.0, ""),
            (" .5nA ", 0.5, "nA"),
            ("20 e", 20.0, "e"),
        ] {
            assert_eq!(split(text), Some((number, unit)), "{text}");
        }
        for wrong in ["", "mV", "1..2 mV", "-", "1e999"] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
    }
}
