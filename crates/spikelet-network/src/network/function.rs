//! Functions of one's own.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use spikelet_lang::own::{FunctionText, OwnFunctions};

use super::json;
use crate::Error;

/// A function that equations of neurons and synapses can call: an expression of its arguments, and the same in WGSL for GPUs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CustomFunction {
    /// Its name in equations.
    pub name: String,
    /// The unit of each argument, in their order: `{"v": "volt", "k": "1"}`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub arguments: IndexMap<String, String>,
    /// The unit of the result.
    pub unit: String,
    /// The result: an expression of the arguments, and of functions before this one. A function without it can only run on GPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What GPUs run instead: statements in WGSL that end with `return`. Arguments and result are f32, in inner units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wgsl: Option<String>,
}

impl super::Network {
    /// Checks the functions of the network.
    ///
    /// # Errors
    /// The errors of the first function that has one.
    pub fn own_functions(&self) -> Result<OwnFunctions, Error> {
        let texts = self.functions.iter().cloned().map(|CustomFunction { name, arguments, unit, value, wgsl }| FunctionText {
            name,
            arguments,
            unit,
            value,
            wgsl,
        });
        OwnFunctions::check(texts).map_err(|(index, diagnostic)| Error::model(&format!("functions[{index}]"), vec![diagnostic]))
    }
}
