//! Values of networks as numbers.

use spikelet_lang::quantity::constant;
use spikelet_lang::{Diagnostic, Dimension, syntax};
use spikelet_network::{Error, Quantity};

/// The values of `count` neurons or synapses, in inner units (times in ms).
///
/// # Errors
/// It is random, an expression of neurons, a function of time, or of another dimension.
pub(super) fn inner(quantity: &Quantity, count: usize, dimension: Dimension, path: &str) -> Result<Vec<f64>, Error> {
    let refused = |what: &str| {
        let expected = format!("NIR stores numbers, and no {what}");
        Err(Error::invalid(path, quantity, expected, "write one number, or a list with one for each"))
    };
    let model = |diagnostic: Diagnostic| Error::model(path, vec![diagnostic]);
    match quantity {
        Quantity::Number(number) => Ok(vec![*number; count]),
        Quantity::Text(text) | Quantity::Expr(text) => match constant(path, text) {
            Ok((value, of)) if of == dimension => Ok(vec![value; count]),
            Ok(_) => refused("value of another unit"),
            Err(_) => refused("distributions or expressions"),
        },
        Quantity::Values { values, unit } => {
            let factor = match unit {
                None => 1.0,
                Some(unit) => syntax::parse_unit(unit).map_err(model)?.factor,
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
