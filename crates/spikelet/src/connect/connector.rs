//! The rules that join neurons, as plain data.

use serde::{Deserialize, Serialize};

/// How a projection joins its neurons.
///
/// `i` is the index of the pre neuron and `j` that of the post neuron, both in their population, whatever slice the
/// projection takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Keys", into = "Keys")]
pub enum Connector {
    /// Each pair on its own with probability `p`.
    Bernoulli {
        /// Probability, 0 to 1.
        p: f64,
        /// Only pairs for which this condition on `i` and `j` holds.
        condition: Option<String>,
        /// Whether a neuron may be joined to itself.
        autapses: bool,
    },
    /// Every pair, or every pair for which a condition holds; with one, the rule may be written `"condition"` too.
    All {
        /// Only pairs for which this condition on `i` and `j` holds.
        condition: Option<String>,
        /// Whether a neuron may be joined to itself.
        autapses: bool,
    },
    /// The k-th neuron of the pre slice to the k-th of the post slice.
    OneToOne,
    /// For each post neuron `n` draws among the pre neurons, with replacement: a pair may be joined several times.
    FixedIndegree {
        /// Number of synapses onto each neuron.
        n: u32,
        /// Draw only from neurons `[first, last + 1)` of the pre population; all of the slice where it is not given.
        pre_range: Option<[u32; 2]>,
        /// Whether a neuron may be joined to itself.
        autapses: bool,
    },
}

/// The keys of all rules: a flat object keeps the JSON path in errors, which serde's tagged enums lose.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    rule: Name,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    p: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    n: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pre_range: Option<[u32; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    autapses: Option<bool>,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Name {
    Bernoulli,
    #[default]
    All,
    Condition,
    OneToOne,
    FixedIndegree,
}

impl TryFrom<Keys> for Connector {
    type Error = String;

    fn try_from(keys: Keys) -> Result<Connector, String> {
        let Keys { rule, p, n, pre_range, condition, autapses } = keys;
        let given = [
            ("p", p.is_some()),
            ("n", n.is_some()),
            ("pre_range", pre_range.is_some()),
            ("condition", condition.is_some()),
            ("autapses", autapses.is_some()),
        ];
        let (name, allowed): (_, &[&str]) = match rule {
            Name::Bernoulli => ("bernoulli", &["p", "condition", "autapses"]),
            Name::All => ("all", &["condition", "autapses"]),
            Name::Condition => ("condition", &["condition", "autapses"]),
            Name::OneToOne => ("one_to_one", &[]),
            Name::FixedIndegree => ("fixed_indegree", &["n", "pre_range", "autapses"]),
        };
        if let Some((key, _)) = given.iter().find(|(key, given)| *given && !allowed.contains(key)) {
            let list = if allowed.is_empty() { "nothing else".to_owned() } else { allowed.join(", ") };
            return Err(format!("the rule \"{name}\" does not take the key `{key}`: it takes {list}"));
        }
        let autapses = autapses.unwrap_or(true);
        let missing = |key: &str| format!("the rule \"{name}\" needs the key `{key}`");
        Ok(match rule {
            Name::Bernoulli => Connector::Bernoulli { p: p.ok_or_else(|| missing("p"))?, condition, autapses },
            Name::All => Connector::All { condition, autapses },
            Name::Condition => Connector::All { condition: Some(condition.ok_or_else(|| missing("condition"))?), autapses },
            Name::OneToOne => Connector::OneToOne,
            Name::FixedIndegree => Connector::FixedIndegree { n: n.ok_or_else(|| missing("n"))?, pre_range, autapses },
        })
    }
}

impl From<Connector> for Keys {
    fn from(connector: Connector) -> Keys {
        // Written only where it says something: a neuron may be joined to itself unless told otherwise.
        let forbidden = |autapses: bool| (!autapses).then_some(false);
        let none = Keys::default();
        match connector {
            Connector::Bernoulli { p, condition, autapses } => {
                Keys { rule: Name::Bernoulli, p: Some(p), condition, autapses: forbidden(autapses), ..none }
            }
            Connector::All { condition, autapses } => Keys { rule: Name::All, condition, autapses: forbidden(autapses), ..none },
            Connector::OneToOne => Keys { rule: Name::OneToOne, ..none },
            Connector::FixedIndegree { n, pre_range, autapses } => {
                Keys { rule: Name::FixedIndegree, n: Some(n), pre_range, autapses: forbidden(autapses), ..none }
            }
        }
    }
}

impl Connector {
    /// Each pair on its own with probability `p`.
    pub fn bernoulli(p: f64) -> Connector {
        Connector::Bernoulli { p, condition: None, autapses: true }
    }

    /// Every pair.
    pub fn all() -> Connector {
        Connector::All { condition: None, autapses: true }
    }

    /// `n` synapses onto each post neuron.
    pub fn fixed_indegree(n: u32) -> Connector {
        Connector::FixedIndegree { n, pre_range: None, autapses: true }
    }

    /// The condition on `i` and `j`, where there is one.
    pub fn condition(&self) -> Option<&str> {
        match self {
            Connector::Bernoulli { condition, .. } | Connector::All { condition, .. } => condition.as_deref(),
            Connector::OneToOne | Connector::FixedIndegree { .. } => None,
        }
    }
}
