//! Values of networks as numbers.

use spikelet_lang::quantity::constant;
use spikelet_lang::{Diagnostic, Dimension, syntax};
use spikelet_network::{Error, Quantity};

fn refused<T>(quantity: &Quantity, what: &str, path: &str) -> Result<T, Error> {
    let expected = format!("NIR stores numbers, and no {what}");
    Err(Error::invalid(path, quantity, expected, "write one number, or a list with one for each"))
}

/// What a value measures that no equation declares; numbers without a unit are pure.
///
/// # Errors
/// It is random, an expression of neurons, or a function of time.
pub(super) fn dimension(quantity: &Quantity, path: &str) -> Result<Dimension, Error> {
    match quantity {
        Quantity::Number(_) | Quantity::Values { unit: None, .. } => Ok(Dimension::NONE),
        Quantity::Text(text) | Quantity::Expr(text) => match constant(path, text) {
            Ok((_, dimension)) => Ok(dimension),
            Err(_) => refused(quantity, "distributions or expressions", path),
        },
        Quantity::Values { unit: Some(unit), .. } => {
            syntax::parse_unit(unit).map(|unit| unit.dimension).map_err(|diagnostic| Error::model(path, vec![diagnostic]))
        }
        Quantity::Timed { .. } => refused(quantity, "functions of time", path),
    }
}

/// The values of `count` neurons or synapses, in inner units (times in ms).
///
/// # Errors
/// It is random, an expression of neurons, a function of time, of another dimension, or a list of another length.
pub(super) fn inner(quantity: &Quantity, count: usize, dimension: Dimension, path: &str) -> Result<Vec<f64>, Error> {
    let refused = |what: &str| refused(quantity, what, path);
    let model = |diagnostic: Diagnostic| Error::model(path, vec![diagnostic]);
    match quantity {
        Quantity::Number(number) => Ok(vec![*number; count]),
        Quantity::Text(text) | Quantity::Expr(text) => match constant(path, text) {
            Ok((value, of)) if of == dimension => Ok(vec![value; count]),
            Ok(_) => refused("value of another unit"),
            Err(_) => refused("distributions or expressions"),
        },
        Quantity::Values { values, unit } => {
            if values.len() != count {
                let expected = format!("one is expected for each of {count}");
                let found = format!("a list of {} values", values.len());
                return Err(Error::invalid(path, found, expected, "write one number, or a list with one for each"));
            }
            let factor = match unit.as_deref().map(syntax::parse_unit).transpose().map_err(model)? {
                None => 1.0,
                Some(unit) if unit.dimension == dimension => unit.factor,
                Some(_) => return refused("value of another unit"),
            };
            Ok(values.iter().map(|value| value * factor).collect())
        }
        Quantity::Timed { .. } => refused("functions of time"),
    }
}

/// The same for times, in seconds.
pub(super) fn seconds(quantity: &Quantity, count: usize, path: &str) -> Result<Vec<f64>, Error> {
    // Values in seconds stay as they are, to the bit.
    match quantity {
        Quantity::Text(text) => {
            if let Some(number) = text.strip_suffix(" second").and_then(|number| number.parse().ok()) {
                return Ok(vec![number; count]);
            }
        }
        Quantity::Values { values, unit: Some(unit) } if unit == "second" => return Ok(values.clone()),
        _ => {}
    }
    Ok(inner(quantity, count, Dimension::TIME, path)?.into_iter().map(|ms| ms / 1000.0).collect())
}
