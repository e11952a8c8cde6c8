//! Linked variables: values of other neurons.

use serde::{Deserialize, Serialize};

use super::{Network, Population, Quantity};
use crate::Error;

/// The source of a linked variable: in each step it takes the value of this variable, parameter or subexpression of another neuron.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The population of the other neurons; it may be the same.
    pub population: String,
    /// The name of the value.
    pub var: String,
    /// For each neuron the index of the other one: an expression of `i` and `N`, such as `"i//10"`, a list, or one index for all. Default: the
    /// same index if the populations have the same size, or the only neuron.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<Quantity>,
}

impl Network {
    /// The first error in the links of a population.
    pub(super) fn check_links(&self, path: &str, population: &Population) -> Result<(), Error> {
        for (name, link) in &population.linked {
            let at = |key: &str| format!("{path}.linked.{name}{key}");
            for (key, values) in [("parameters", &population.parameters), ("initial", &population.initial)] {
                if let Some(value) = values.get(name) {
                    let expected = format!("it is linked to `{}` of `{}`", link.var, link.population);
                    return Err(Error::invalid(format!("{path}.{key}.{name}"), value, expected, "remove the value, or the link"));
                }
            }
            let Some(source) = self.population(&link.population) else {
                if self.source(&link.population).is_some() {
                    let found = format!("{:?}", link.population);
                    let expected = "a source has no variables to link to";
                    return Err(Error::invalid(at(".population"), found, expected, "name a population"));
                }
                let known = self.populations.iter().map(|of| of.name.as_str());
                return Err(Error::unknown_name(&at(".population"), "population", &link.population, known));
            };
            match &link.index {
                Some(timed @ Quantity::Timed { .. }) => {
                    let expected = "the index is constant during the run";
                    return Err(Error::invalid(at(".index"), timed, expected, "use a number, a list, or an expression of `i`"));
                }
                Some(index) => index.check_shape(at(".index"), Some((population.size as usize, "neurons")))?,
                None if source.size == population.size || source.size == 1 => {}
                None => {
                    let found = format!("a link of {} neurons to {}", population.size, source.size);
                    let expected =
                        "without an `index` both populations must have the same size, or the other one a single neuron";
                    return Err(Error::invalid(at(""), found, expected, "add one, such as \"index\": \"i//10\""));
                }
            }
        }
        Ok(())
    }
}
