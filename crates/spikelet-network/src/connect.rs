//! The rules that join neurons, as plain data.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Error, Quantity};

/// How a projection joins its neurons.
///
/// `i` is the index of the pre neuron and `j` that of the post neuron, both in their population, whatever slice the
/// projection takes. An *autapse* joins a neuron to itself, *multapses* are several synapses from one neuron to another; both are
/// allowed unless a rule says otherwise. Distances are those of the populations' [positions](crate::Positions), in µm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
pub enum Connector {
    /// Every pair, or every pair for which a condition holds.
    All {
        /// Only pairs for which this condition holds: on `i`, `j`, positions (`x_pre`, `x_post` …) and the distance `d`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
        /// Whether a neuron may be joined to itself.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        autapses: bool,
    },
    /// Every pair for which a condition holds.
    Condition {
        /// As that of [`Connector::All`].
        condition: String,
        /// Whether a neuron may be joined to itself.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        autapses: bool,
    },
    /// The k-th neuron of the pre slice to the k-th of the post slice.
    OneToOne {},
    /// Each pair on its own with probability `p`: both degrees are binomial, there are no multapses.
    Bernoulli {
        /// Probability, 0 to 1: a number, or an expression of `i`, `j`, positions and the distance `d`.
        p: Quantity,
        /// Only pairs for which this condition holds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
        /// Whether a neuron may be joined to itself.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        autapses: bool,
    },
    /// `n` synapses onto each post neuron, from pre neurons drawn with equal probability: in-degrees are `n`, out-degrees vary.
    FixedIndegree {
        /// Synapses onto each post neuron.
        n: u32,
        /// Draw only from `[first, end]`, `end` not included; the whole pre slice where it is not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pre_range: Option<[u32; 2]>,
        /// Whether a neuron may be joined to itself.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        autapses: bool,
        /// Whether a pair may be joined more than once.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        multapses: bool,
    },
    /// `n` synapses from each pre neuron, onto post neurons drawn with equal probability: out-degrees are `n`, in-degrees vary.
    FixedOutdegree {
        /// Synapses from each pre neuron.
        n: u32,
        /// Whether a neuron may be joined to itself.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        autapses: bool,
        /// Whether a pair may be joined more than once.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        multapses: bool,
    },
    /// `n` synapses in all, each between a pre and a post neuron drawn with equal probability: both degrees vary.
    FixedTotal {
        /// Synapses in all.
        n: u64,
        /// Whether a neuron may be joined to itself.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        autapses: bool,
        /// Whether a pair may be joined more than once.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        multapses: bool,
    },
    /// Each pair on its own with probability p·exp(−d²/2σ²).
    Gaussian {
        /// Probability at distance 0.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        p: f64,
        /// σ, in µm.
        sigma: Quantity,
        /// No pair farther apart than this, in µm.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cutoff: Option<Quantity>,
        /// Whether a neuron may be joined to itself.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        autapses: bool,
    },
    /// Each pair on its own with probability p·exp(−d/λ).
    Exponential {
        /// Probability at distance 0.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        p: f64,
        /// λ, in µm.
        lambda: Quantity,
        /// No pair farther apart than this, in µm.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cutoff: Option<Quantity>,
        /// Whether a neuron may be joined to itself.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        autapses: bool,
    },
    /// Each pair at most `radius` apart, on its own with probability `p`.
    Disc {
        /// Probability.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        p: f64,
        /// Largest distance, in µm.
        radius: Quantity,
        /// Whether a neuron may be joined to itself.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        autapses: bool,
    },
    /// Each pair at most so far apart along each axis, on its own with probability `p`.
    Box {
        /// Probability.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        p: f64,
        /// Largest distance along each axis, in µm.
        half_widths: Vec<Quantity>,
        /// Whether a neuron may be joined to itself.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        autapses: bool,
    },
    /// Grids are cut into tiles of `tile` neurons along each axis; each pair in the same or in neighbouring tiles is joined on its
    /// own with probability `p`.
    Blockwise {
        /// Neurons along each edge of a tile.
        tile: u32,
        /// How many tiles away a neighbour may be, along each axis.
        #[serde(default = "one_tile")]
        reach: u32,
        /// Probability.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        p: f64,
        /// Whether a neuron may be joined to itself.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        autapses: bool,
    },
    /// A ring on which each neuron reaches its `k` nearest neighbours, half of them on either side; each synapse is then, with
    /// probability `rewire`, moved to a target drawn with equal probability (directed; Watts & Strogatz 1998).
    SmallWorld {
        /// Synapses from each pre neuron, an even number.
        k: u32,
        /// Probability that a synapse is moved.
        rewire: f64,
    },
    /// Neurons join one after the other, each to `n` earlier ones drawn with probability proportional to their degree, in both
    /// directions (Barabási & Albert 1999).
    ScaleFree {
        /// Pairs that each neuron joins.
        n: u32,
    },
    /// `n` synapses in all; the k-th strongest of a side is drawn with probability proportional to k^(−1/(γ−1)), so that degrees
    /// fall off as a power law with exponent γ (Goh, Kahng & Kim 2001).
    PowerLaw {
        /// Synapses in all.
        n: u64,
        /// γ of the out-degrees, above 2.
        gamma_out: f64,
        /// γ of the in-degrees, above 2.
        gamma_in: f64,
        /// Whether a neuron may be joined to itself.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        autapses: bool,
    },
}

fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_yes(value: &bool) -> bool {
    *value
}

fn one() -> f64 {
    1.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_one(value: &f64) -> bool {
    *value == 1.0
}

fn one_tile() -> u32 {
    1
}

/// What says who is joined: a rule, or the list itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule<'a> {
    /// A rule.
    Connector(&'a Connector),
    /// `[pre, post]`, one synapse each.
    Pairs(&'a [[u32; 2]]),
}

/// A rule as a user meets it in a menu.
#[derive(Debug, Clone, Copy)]
pub struct RuleEntry {
    /// What JSON calls it.
    pub name: &'static str,
    /// One line of meaning.
    pub about: &'static str,
    /// One with sensible values.
    pub example: fn() -> Connector,
}

/// All rules, in the order of a menu.
pub const RULES: [RuleEntry; 14] = [
    RuleEntry { name: "all", about: "every pair", example: Connector::all },
    RuleEntry { name: "one_to_one", about: "the k-th neuron to the k-th", example: || Connector::OneToOne {} },
    RuleEntry { name: "bernoulli", about: "each pair with a probability", example: || Connector::bernoulli(0.1) },
    RuleEntry {
        name: "fixed_indegree",
        about: "the same number of synapses onto each post neuron",
        example: || Connector::fixed_indegree(100),
    },
    RuleEntry {
        name: "fixed_outdegree",
        about: "the same number of synapses from each pre neuron",
        example: || Connector::fixed_outdegree(100),
    },
    RuleEntry {
        name: "fixed_total",
        about: "a number of synapses in all",
        example: || Connector::FixedTotal { n: 10_000, autapses: true, multapses: true },
    },
    RuleEntry {
        name: "gaussian",
        about: "probability falls with distance, as a Gaussian",
        example: || Connector::Gaussian { p: 0.5, sigma: "100 um".into(), cutoff: None, autapses: true },
    },
    RuleEntry {
        name: "exponential",
        about: "probability falls with distance, exponentially",
        example: || Connector::Exponential { p: 0.5, lambda: "100 um".into(), cutoff: None, autapses: true },
    },
    RuleEntry {
        name: "disc",
        about: "pairs within a radius",
        example: || Connector::Disc { p: 1.0, radius: "100 um".into(), autapses: true },
    },
    RuleEntry {
        name: "box",
        about: "pairs within a box",
        example: || Connector::Box { p: 1.0, half_widths: vec!["100 um".into(); 2], autapses: true },
    },
    RuleEntry {
        name: "blockwise",
        about: "pairs in the same or a neighbouring tile of a grid",
        example: || Connector::Blockwise { tile: 10, reach: 1, p: 1.0, autapses: false },
    },
    RuleEntry {
        name: "small_world",
        about: "neighbours on a ring, some synapses moved at random",
        example: || Connector::SmallWorld { k: 10, rewire: 0.1 },
    },
    RuleEntry { name: "scale_free", about: "neurons join those with many synapses", example: || Connector::ScaleFree { n: 10 } },
    RuleEntry {
        name: "power_law",
        about: "degrees fall off as a power law",
        example: || Connector::PowerLaw { n: 10_000, gamma_out: 3.0, gamma_in: 3.0, autapses: true },
    },
];

impl Connector {
    /// Each pair on its own with probability `p`.
    pub fn bernoulli(p: f64) -> Connector {
        Connector::Bernoulli { p: p.into(), condition: None, autapses: true }
    }

    /// Every pair.
    pub fn all() -> Connector {
        Connector::All { condition: None, autapses: true }
    }

    /// `n` synapses onto each post neuron.
    pub fn fixed_indegree(n: u32) -> Connector {
        Connector::FixedIndegree { n, pre_range: None, autapses: true, multapses: true }
    }

    /// `n` synapses from each pre neuron.
    pub fn fixed_outdegree(n: u32) -> Connector {
        Connector::FixedOutdegree { n, autapses: true, multapses: true }
    }

    /// What JSON calls the rule.
    pub fn name(&self) -> &'static str {
        match self {
            Connector::All { .. } => "all",
            Connector::Condition { .. } => "condition",
            Connector::OneToOne {} => "one_to_one",
            Connector::Bernoulli { .. } => "bernoulli",
            Connector::FixedIndegree { .. } => "fixed_indegree",
            Connector::FixedOutdegree { .. } => "fixed_outdegree",
            Connector::FixedTotal { .. } => "fixed_total",
            Connector::Gaussian { .. } => "gaussian",
            Connector::Exponential { .. } => "exponential",
            Connector::Disc { .. } => "disc",
            Connector::Box { .. } => "box",
            Connector::Blockwise { .. } => "blockwise",
            Connector::SmallWorld { .. } => "small_world",
            Connector::ScaleFree { .. } => "scale_free",
            Connector::PowerLaw { .. } => "power_law",
        }
    }

    /// About how many synapses it makes between these slices; none where that depends on more than their sizes.
    pub fn expected(&self, pre: &Range<u32>, post: &Range<u32>) -> Option<f64> {
        let (pres, posts) = (pre.len() as f64, post.len() as f64);
        Some(match self {
            Connector::All { condition: None, .. } => pres * posts,
            Connector::OneToOne {} => pres,
            Connector::Bernoulli { p: Quantity::Number(p), condition: None, .. } => p * pres * posts,
            Connector::FixedIndegree { n, .. } => f64::from(*n) * posts,
            Connector::FixedOutdegree { n, .. } => f64::from(*n) * pres,
            Connector::FixedTotal { n, .. } | Connector::PowerLaw { n, .. } => *n as f64,
            Connector::SmallWorld { k, .. } => f64::from(*k) * pres,
            Connector::ScaleFree { n } => 2.0 * f64::from(*n) * pres,
            _ => return None,
        })
    }

    /// The keys it has, those that may be left out among them.
    pub(crate) fn keys(&self) -> impl Iterator<Item = String> {
        let example = RULES.iter().find(|rule| rule.name == self.name()).map(|rule| (rule.example)());
        let optional = match self {
            Connector::All { .. } | Connector::Bernoulli { .. } => &["condition", "autapses"][..],
            Connector::Gaussian { .. } | Connector::Exponential { .. } => &["cutoff", "autapses"],
            Connector::FixedIndegree { .. } | Connector::FixedOutdegree { .. } | Connector::FixedTotal { .. } => {
                &["autapses", "multapses"]
            }
            Connector::Condition { .. } => &["condition", "autapses"],
            Connector::Disc { .. } | Connector::Box { .. } => &["p", "autapses"],
            Connector::Blockwise { .. } => &["p", "reach", "autapses"],
            Connector::PowerLaw { .. } => &["autapses"],
            Connector::OneToOne {} | Connector::SmallWorld { .. } | Connector::ScaleFree { .. } => &[],
        };
        let written = example.and_then(|example| serde_json::to_value(example).ok()).and_then(|value| match value {
            serde_json::Value::Object(keys) => Some(keys.into_iter().map(|(key, _)| key).filter(|key| key != "rule")),
            _ => None,
        });
        written.into_iter().flatten().chain(optional.iter().map(|key| (*key).to_owned()))
    }

    /// The same rule with another value, as JSON or a plain text such as `100 um`.
    ///
    /// # Errors
    /// The value is of the wrong type.
    pub fn with(&self, path: &str, key: &str, value: &str) -> Result<Connector, Error> {
        let json = serde_json::from_str(value).unwrap_or_else(|_| serde_json::Value::String(value.to_owned()));
        let wrong = |error: serde_json::Error| Error::invalid(path, value, error, "correct it");
        let mut keys = serde_json::to_value(self).map_err(wrong)?;
        keys[key] = json;
        serde_json::from_value(keys).map_err(wrong)
    }

    /// The condition on pairs, where there is one.
    pub fn condition(&self) -> Option<&str> {
        match self {
            Connector::Bernoulli { condition, .. } | Connector::All { condition, .. } => condition.as_deref(),
            Connector::Condition { condition, .. } => Some(condition),
            _ => None,
        }
    }

    /// Whether a neuron may be joined to itself.
    pub fn autapses(&self) -> bool {
        match *self {
            Connector::All { autapses, .. }
            | Connector::Condition { autapses, .. }
            | Connector::Bernoulli { autapses, .. }
            | Connector::FixedIndegree { autapses, .. }
            | Connector::FixedOutdegree { autapses, .. }
            | Connector::FixedTotal { autapses, .. }
            | Connector::Gaussian { autapses, .. }
            | Connector::Exponential { autapses, .. }
            | Connector::Disc { autapses, .. }
            | Connector::Box { autapses, .. }
            | Connector::Blockwise { autapses, .. }
            | Connector::PowerLaw { autapses, .. } => autapses,
            Connector::OneToOne {} => true,
            Connector::SmallWorld { .. } | Connector::ScaleFree { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_the_menu_is_read_back_under_its_name() {
        for rule in RULES {
            let json = serde_json::to_value((rule.example)()).unwrap();
            assert_eq!(json["rule"], rule.name);
            assert_eq!(serde_json::from_value::<Connector>(json).unwrap(), (rule.example)());
            assert_eq!((rule.example)().name(), rule.name);
        }
    }

    #[test]
    fn keys_that_a_rule_does_not_take_are_refused() {
        for wrong in [
            r#"{"rule": "bernoulli", "p": 0.1, "n": 3}"#,
            r#"{"rule": "one_to_one", "autapses": false}"#,
            r#"{"rule": "fixed_outdegree"}"#,
            r#"{"rule": "fixed_total", "n": -1}"#,
            r#"{"rule": "nearest"}"#,
        ] {
            assert!(serde_json::from_str::<Connector>(wrong).is_err(), "{wrong}");
        }
    }
}
