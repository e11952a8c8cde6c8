//! Reading and setting of parameters and variables.

use js_sys::Float64Array;
use spikelet::lang::quantity::constant;
use spikelet::lang::syntax::parse_unit;
use spikelet::{ArrayEntry, Error};
use wasm_bindgen::{JsCast, JsValue};

use super::command_error::CommandError;
use super::run::OpenNetwork;
use super::summary;
use crate::protocol::{Command, Event, Parameter, Value, ValuesWritten};

/// The target of a path.
enum PathTarget {
    /// A value shared by a whole population or projection.
    Parameter(Parameter),
    /// A value per neuron or synapse.
    Variable(ArrayEntry),
}

impl OpenNetwork {
    /// A parameter, or a variable of all neurons or synapses of a trial.
    pub(super) async fn get(&mut self, path: &str, trial: u32) -> Result<Value, CommandError> {
        let trial = self.trial(trial)?;
        match self.named(path)? {
            PathTarget::Parameter(Parameter { unit, value, .. }) => Ok(to_protocol(unit, &[value])),
            PathTarget::Variable(variable) => {
                self.align_device().await?;
                Ok(to_protocol(summary::shown(&variable.unit), &self.driver.simulation.values(trial, path).await?))
            }
        }
    }

    /// Sets a parameter or a variable in all trials; returns its new value, and the event.
    pub(super) async fn set(&mut self, path: &str, text: Option<&str>, values: &JsValue) -> Result<(Value, Event), CommandError> {
        self.align_device().await?;
        let values = values.dyn_ref::<Float64Array>().map(Float64Array::to_vec);
        if text.is_none() && values.is_none() {
            let expected = "text or numbers are expected";
            return Err(CommandError::invalid(path, "set without a value", expected, "for example \"15 ms\" or 15"));
        }
        let mut is_parameter = true;
        let mut quantity = text.map(str::to_owned);
        match (self.named(path), text, values.unwrap_or_default()) {
            (Ok(PathTarget::Variable(variable)), text, values) => {
                let value = text.map(|text| in_unit(path, text, &variable.unit)).transpose()?;
                self.driver.simulation.set_values(path, &value.map_or(values, |value| vec![value])).await?;
                is_parameter = variable.is_parameter();
            }
            // A parameter with several values can be set to a single number; a source has other values.
            (_, Some(text), _) => self.driver.simulation.set(path, text).await?,
            (Ok(PathTarget::Parameter(parameter)), None, values) => {
                let [value] = values[..] else {
                    let expected = "it has one value for all neurons or synapses";
                    return Err(CommandError::invalid(path, format!("{} values", values.len()), expected, "use one number"));
                };
                let text = format!("{value} {}", parameter.unit).trim().to_owned();
                self.driver.simulation.set(path, text.as_str()).await?;
                quantity = Some(text);
            }
            (Err(error), None, _) => return Err(error.into()),
        }
        let whole = path.split_once('[').map_or(path, |(whole, _)| whole);
        let step = self.driver.simulation.device_step();
        // A part of the values cannot be set again by the path of all.
        let quantity = quantity.filter(|_| whole == path);
        let event = match is_parameter {
            true => Event::Changed(self.changed(whole.to_owned(), step, false, quantity)),
            false => Event::Written(ValuesWritten { what: path.to_owned(), step }),
        };
        let value = match self.named(path) {
            Ok(_) => self.get(path, 0).await?,
            Err(_) => to_protocol(String::new(), &[f64::NAN]),
        };
        Ok((value, event))
    }

    /// The unit of the value of a path, if it exists.
    pub(super) fn unit(&self, path: &str) -> Option<String> {
        match self.named(path).ok()? {
            PathTarget::Parameter(parameter) => Some(parameter.unit),
            PathTarget::Variable(variable) => Some(summary::shown(&variable.unit)),
        }
    }

    /// The target of a path; all values if there is one per neuron or synapse.
    fn named(&self, path: &str) -> Result<PathTarget, Error> {
        let variable = self.driver.simulation.variable(path).cloned().map(PathTarget::Variable);
        variable.or_else(|error| summary::parameter(&self.driver.simulation, path).map(PathTarget::Parameter).ok_or(error))
    }
}

fn to_protocol(unit: String, values: &[f64]) -> Value {
    Value { unit, values: Float64Array::from(values) }
}

impl Value {
    /// The same with a copy of the numbers, which is transferred to the page.
    pub(super) fn copied(&self) -> Value {
        Value { unit: self.unit.clone(), values: Float64Array::new(&self.values) }
    }
}

/// Whether a command sets one number in a unit: then it cannot fail, and can be skipped if another one follows.
pub(super) fn may_pass(command: &Command, unit: &str) -> bool {
    let Command::Set { path, text, values } = command else { return false };
    match (text, values.dyn_ref::<Float64Array>()) {
        (Some(text), _) => in_unit(path, text, if unit.is_empty() { "1" } else { unit }).is_ok(),
        (None, values) => values.is_some_and(|values| values.length() == 1 && values.get_index(0).is_finite()),
    }
}

/// A quantity in a unit.
fn in_unit(path: &str, text: &str, unit: &str) -> Result<f64, CommandError> {
    let wrong = |diagnostic| Error::Model { path: path.to_owned(), diagnostics: vec![diagnostic] };
    let (value, dimension) = constant(path, text).map_err(wrong)?;
    let wanted = parse_unit(unit).map_err(wrong)?.dimension;
    if dimension == wanted {
        return Ok(value);
    }
    let expected = format!("its unit is {unit}");
    Err(CommandError::invalid(path, format!("{text:?}, which is {dimension}"), expected, format!("for example 1 {unit}")))
}
