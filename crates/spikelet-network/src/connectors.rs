//! The connection rules, as plain data.
//!
//! Each rule has its own file: its parameters, its entry in the menu, what it rejects, its expected number of synapses, and the kind of
//! rows that it draws (a [`Draw`]). A [`Connector`] is any one of them.

mod all;
mod bernoulli;
mod between;
mod blockwise;
mod cuboid;
mod disc;
mod draw;
mod exponential;
mod fixed_indegree;
mod fixed_outdegree;
mod fixed_total;
mod gaussian;
mod generator;
mod one_to_one;
mod power_law;
mod scale_free;
mod small_world;

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::Error;

pub use all::{All, Condition};
pub use bernoulli::Bernoulli;
pub(crate) use between::{ProjectionSide, ProjectionSlices};
pub use blockwise::Blockwise;
pub use cuboid::Cuboid;
pub use disc::Disc;
pub use draw::{Draw, Falloff, Kernel};
pub use exponential::Exponential;
pub use fixed_indegree::FixedIndegree;
pub use fixed_outdegree::FixedOutdegree;
pub use fixed_total::FixedTotal;
pub use gaussian::Gaussian;
pub use generator::Generator;
pub use one_to_one::OneToOne;
pub use power_law::PowerLaw;
pub use scale_free::ScaleFree;
pub use small_world::SmallWorld;

/// Maximum number of synapses of a pair.
pub const MAX_PER_PAIR: u32 = 65_535;

/// The interface of a rule.
trait Connect {
    /// Rejects what is impossible between these neurons.
    fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error>;

    /// Expected number of synapses between the given numbers of pre- and postsynaptic neurons; `None` if it depends on more than these.
    fn expected(&self, pres: f64, posts: f64) -> Option<f64>;

    /// The kind of rows that it draws; `path` is its place in the network.
    fn draw(&self, path: &str) -> Result<Draw, Error>;

    /// Whether autapses are allowed.
    fn autapses(&self) -> bool;

    /// The condition on pairs, if there is one.
    fn condition(&self) -> Option<&str> {
        None
    }

    /// The probability of a pair, if it is an expression.
    fn probability(&self) -> Option<&str> {
        None
    }

    /// The expression that generates indices, if there is one.
    fn generated(&self) -> Option<&str> {
        None
    }
}

/// The definition of the synapses: a rule, or a list.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule<'a> {
    /// A rule.
    Connector(&'a Connector),
    /// `[pre, post]`, one synapse each.
    Pairs(Cow<'a, [[u32; 2]]>),
}

/// A rule as shown in a menu.
#[derive(Debug, Clone, Copy)]
pub struct RuleEntry {
    /// Its name in JSON.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// Its keys in JSON.
    pub keys: &'static [&'static str],
    /// A rule with default values.
    pub example: fn() -> Connector,
}

/// Each line of a rule, in the order of the menu, becomes a variant, an entry of the menu, and the forwarding to its file.
macro_rules! rules {
    ($($variant:ident($rule:ident),)*) => {
        /// The connection rule of a projection.
        ///
        /// `i` is the index of the presynaptic neuron and `j` that of the postsynaptic neuron, in their populations, also for slices. An
        /// *autapse* connects a neuron with itself, *multapses* are several synapses from one neuron to another; both are allowed unless a
        /// rule says otherwise. Distances are those of the [positions](crate::Positions) of the populations, in µm.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(tag = "rule", rename_all = "snake_case")]
        #[allow(missing_docs, reason = "each rule says itself what it is, to readers and in the schema")]
        pub enum Connector {
            $($variant($rule),)*
        }

        /// All rules, in the order of a menu.
        pub const RULES: [RuleEntry; [$(stringify!($rule)),*].len()] = [$($rule::ENTRY),*];

        impl Connector {
            fn rule(&self) -> &dyn Connect {
                match self {
                    $(Connector::$variant(rule) => rule,)*
                }
            }

            /// Its entry in the menu.
            pub fn entry(&self) -> RuleEntry {
                match self {
                    $(Connector::$variant(_) => $rule::ENTRY,)*
                }
            }
        }

        $(impl From<$rule> for Connector {
            fn from(rule: $rule) -> Connector {
                Connector::$variant(rule)
            }
        })*
    };
}

rules! {
    All(All),
    Condition(Condition),
    OneToOne(OneToOne),
    Bernoulli(Bernoulli),
    FixedIndegree(FixedIndegree),
    FixedOutdegree(FixedOutdegree),
    FixedTotal(FixedTotal),
    Gaussian(Gaussian),
    Exponential(Exponential),
    Disc(Disc),
    Box(Cuboid),
    Blockwise(Blockwise),
    SmallWorld(SmallWorld),
    ScaleFree(ScaleFree),
    PowerLaw(PowerLaw),
    Generator(Generator),
}

impl Connector {
    /// Each pair independently with probability `p`.
    pub fn bernoulli(p: f64) -> Connector {
        Bernoulli { p: p.into(), condition: None, autapses: true }.into()
    }

    /// Every pair.
    pub fn all() -> Connector {
        All { condition: None, autapses: true }.into()
    }

    /// The k-th neuron with the k-th.
    pub fn one_to_one() -> Connector {
        OneToOne {}.into()
    }

    /// `n` synapses onto each postsynaptic neuron.
    pub fn fixed_indegree(n: u32) -> Connector {
        FixedIndegree { n, pre_range: None, autapses: true, multapses: true }.into()
    }

    /// `n` synapses from each presynaptic neuron.
    pub fn fixed_outdegree(n: u32) -> Connector {
        FixedOutdegree { n, autapses: true, multapses: true }.into()
    }

    /// `n` synapses in total.
    pub fn fixed_total(n: u64) -> Connector {
        FixedTotal { n, autapses: true, multapses: true }.into()
    }

    /// Targets of each presynaptic neuron that an expression generates.
    pub fn generator(j: impl Into<String>, skip_if_invalid: bool) -> Connector {
        Generator { j: Some(j.into()), i: None, skip_if_invalid }.into()
    }

    /// The name of the rule in JSON.
    pub fn name(&self) -> &'static str {
        self.entry().name
    }

    /// Rejects what is impossible between these neurons.
    pub(crate) fn check(&self, between: &ProjectionSlices<'_>) -> Result<(), Error> {
        self.rule().check(between)
    }

    /// Expected number of synapses between these slices; `None` if it depends on more than their sizes.
    pub fn expected(&self, pre: &Range<u32>, post: &Range<u32>) -> Option<f64> {
        self.rule().expected(pre.len() as f64, post.len() as f64)
    }

    /// The kind of rows that it draws; `path` is its place in the network.
    ///
    /// # Errors
    /// A length is not a valid length.
    pub fn draw(&self, path: &str) -> Result<Draw, Error> {
        self.rule().draw(path)
    }

    /// The condition on pairs, if there is one.
    pub fn condition(&self) -> Option<&str> {
        self.rule().condition()
    }

    /// The probability of a pair, if it is an expression.
    pub fn probability(&self) -> Option<&str> {
        self.rule().probability()
    }

    /// Its expressions of a pair.
    pub fn expressions(&self) -> impl Iterator<Item = &str> {
        self.condition().into_iter().chain(self.probability()).chain(self.rule().generated())
    }

    /// Whether autapses are allowed.
    pub fn autapses(&self) -> bool {
        self.rule().autapses()
    }

    /// The same rule with one value changed, given as JSON or plain text such as `100 um`.
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
    fn the_menu_knows_the_keys_of_each_rule() {
        for rule in RULES {
            let json = serde_json::json!({"rule": rule.name, "?": 0});
            let said = serde_json::from_value::<Connector>(json).unwrap_err().to_string();
            let known: Vec<&str> = said.split('`').skip(3).step_by(2).collect();
            assert_eq!(known, rule.keys, "{}: {said}", rule.name);
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
