//! Parameters and variables, looked at and set.

use js_sys::Float64Array;
use wasm_bindgen::{JsCast, JsValue};

use super::refusal::Refusal;
use super::run::Run;
use super::summary;
use crate::protocol::{Changed, Value};

impl Run {
    /// A parameter, or a variable of all neurons or synapses in a trial.
    pub(super) async fn get(&mut self, path: &str, trial: u32) -> Result<Value, Refusal> {
        self.trial(trial)?;
        match summary::parameter(&self.simulation, path) {
            Some(parameter) => Ok(Value { unit: parameter.unit, values: Float64Array::from([parameter.value].as_slice()) }),
            None => Err(Refusal::NoNetwork),
        }
    }

    /// Changes a parameter or a variable of all trials; its new value, and what is told of a parameter.
    pub(super) async fn set(
        &mut self,
        path: &str,
        text: Option<&str>,
        values: &JsValue,
    ) -> Result<(Value, Option<Changed>), Refusal> {
        let text = match (text, values.dyn_ref::<Float64Array>()) {
            (Some(text), _) => text.to_owned(),
            (None, Some(values)) => {
                let unit = summary::parameter(&self.simulation, path).map(|parameter| parameter.unit).unwrap_or_default();
                format!("{} {unit}", values.get_index(0))
            }
            (None, None) => return Err(Refusal::NoNetwork),
        };
        self.simulation.set(path, &text).await?;
        let changed = self.changed(path.to_owned(), self.simulation.device_step(), false);
        Ok((self.get(path, 0).await?, Some(changed)))
    }
}
