//! Populations of which only some neurons fire: those with the largest values.

use serde::{Deserialize, Serialize};

use crate::Error;

/// Which of the neurons above threshold fire in a step: those with the largest values of an expression. All neurons count if there is no
/// `threshold`. Exactly one of `k`, `fraction` and `within` is given. Of equal values the neuron with the lower index wins.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Winners {
    /// Number of neurons that fire: the `k` largest, or all above threshold if these are fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<u32>,
    /// The same as a part of the population, above 0 and at most 1; rounded to a whole number of neurons, at least one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fraction: Option<f64>,
    /// All neurons whose value is at least `(1 - within)` times the largest one, if that is above 0; from 0, the largest alone, to below 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<f64>,
    /// The expression of the state that is compared, after the update of the step.
    pub of: String,
    /// The name of a group of populations that inhibit each other: in each step only the one fires whose winners have the largest sum of
    /// values, of equal sums the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// The rule of [`Winners`] as numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WinnerRule {
    /// This many neurons, at least one.
    Largest(u32),
    /// All whose value is at least this factor, above 0 and at most 1, times the largest one, if that is above 0.
    Within(f32),
}

impl Winners {
    /// The rule in a population of this size.
    ///
    /// # Errors
    /// None or several are given, or one is out of its range.
    pub fn rule(&self, path: &str, size: u32) -> Result<WinnerRule, Error> {
        let at = |key: &str| format!("{path}.{key}");
        match (self.k, self.fraction, self.within) {
            (Some(k), None, None) if (1..=size).contains(&k) => Ok(WinnerRule::Largest(k)),
            (Some(k), None, None) => {
                let expected = format!("between 1 and all of the {size} neurons can win");
                Err(Error::invalid(at("k"), k, expected, "use a number in this range, or another `size`"))
            }
            (None, Some(fraction), None) if fraction > 0.0 && fraction <= 1.0 => {
                let k = libm::round(fraction * f64::from(size)) as u32;
                Ok(WinnerRule::Largest(k.max(1)))
            }
            (None, Some(fraction), None) => {
                let expected = "it is a part of the population, above 0 and at most 1";
                Err(Error::invalid(at("fraction"), fraction, expected, "for example 0.01, or use `k`"))
            }
            (None, None, Some(within)) if (0.0..1.0).contains(&within) => Ok(WinnerRule::Within((1.0 - within) as f32)),
            (None, None, Some(within)) => {
                let expected = "it is a part of the largest value, from 0 to below 1";
                Err(Error::invalid(at("within"), within, expected, "for example 0.05 for all within 5 % of the largest value"))
            }
            (k, fraction, within) => {
                let given = [("k", k.is_some()), ("fraction", fraction.is_some()), ("within", within.is_some())];
                let given: Vec<String> = given.iter().filter(|(_, is)| *is).map(|(key, _)| format!("`{key}`")).collect();
                let found = if given.is_empty() { "without a number".to_owned() } else { given.join(" and ") };
                let expected = "exactly one of `k`, `fraction` and `within` says how many neurons win";
                let way_out = if given.is_empty() { "add one, such as \"k\": 100" } else { "remove the others" };
                Err(Error::invalid(path, found, expected, way_out))
            }
        }
    }
}
