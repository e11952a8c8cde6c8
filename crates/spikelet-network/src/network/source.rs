//! External sources of spikes.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Endpoint, Quantity};

/// External spikes: lists of times, Poisson processes, or the sum of many Poisson processes.
///
/// The neurons of sources are numbered after those of all populations, in the order of the sources.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(into = "Keys")]
pub struct Source {
    /// Unique among populations, sources and projections.
    pub name: String,
    /// The spikes that it emits.
    pub kind: SourceKind,
}

/// The kinds of sources.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceKind {
    /// Neurons that fire at given times. A time belongs to the step that contains it, see [`Source::step`].
    Spikes {
        /// Number of neurons.
        size: u32,
        /// `[neuron, time in ms]`, in any order.
        spike_times_ms: Vec<(u32, f64)>,
    },
    /// Neurons that fire as independent Poisson processes.
    Poisson {
        /// Number of neurons.
        size: u32,
        /// Mean number of spikes per time.
        rate: Quantity,
    },
    /// `n` Poisson processes for each neuron of the targets, drawn as one number per step. It has no neurons.
    PoissonInput {
        /// Populations, or slices of them.
        targets: Vec<Endpoint>,
        /// The variable of the targets to which each spike adds.
        var: String,
        /// Number of processes per neuron.
        n: u32,
        /// Rate of each process.
        rate: Quantity,
        /// Increment of the variable per spike.
        weight: Quantity,
    },
}

impl SourceKind {
    /// Whether it acts on neurons of a population without a projection.
    pub fn acts_on(&self, population: &str) -> bool {
        matches!(self, SourceKind::PoissonInput { targets, .. } if targets.iter().any(|target| target.population == population))
    }
}

impl Source {
    /// Number of its neurons; 0 for a [`SourceKind::PoissonInput`].
    pub fn size(&self) -> u32 {
        match self.kind {
            SourceKind::Spikes { size, .. } | SourceKind::Poisson { size, .. } => size,
            SourceKind::PoissonInput { .. } => 0,
        }
    }

    /// The step of a time: the one that begins at it or before, with a tolerance of a thousandth of a step, so that 2.3 ms is step 23 of
    /// 0.1 ms although the quotient is slightly less.
    pub fn step(time_ms: f64, dt_ms: f64) -> f64 {
        libm::floor(time_ms / dt_ms + 1e-3)
    }
}

/// The keys of all kinds: a flat object keeps the JSON path in errors, which serde's tagged enums lose.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    name: String,
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    kind: Option<Type>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spike_times_ms: Option<Vec<(u32, f64)>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    targets: Option<Vec<Endpoint>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    var: Option<String>,
    #[serde(rename = "N", default, skip_serializing_if = "Option::is_none")]
    n: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rate: Option<Quantity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weight: Option<Quantity>,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Type {
    Poisson,
    PoissonInput,
}

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Source, D::Error> {
        struct SourceVisitor;

        impl<'de> Visitor<'de> for SourceVisitor {
            type Value = Source;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Source, A::Error> {
                Keys::deserialize(MapAccessDeserializer::new(map))?.try_into().map_err(de::Error::custom)
            }
        }

        // An error of a visitor is at the object, not after it.
        deserializer.deserialize_map(SourceVisitor)
    }
}

impl TryFrom<Keys> for Source {
    type Error = String;

    fn try_from(keys: Keys) -> Result<Source, String> {
        let given = [
            ("size", keys.size.is_some()),
            ("spike_times_ms", keys.spike_times_ms.is_some()),
            ("targets", keys.targets.is_some()),
            ("var", keys.var.is_some()),
            ("N", keys.n.is_some()),
            ("rate", keys.rate.is_some()),
            ("weight", keys.weight.is_some()),
        ];
        let (what, wanted): (_, &[&str]) = match keys.kind {
            None => ("a source without a `type`", &["size", "spike_times_ms"]),
            Some(Type::Poisson) => ("a source of type \"poisson\"", &["size", "rate"]),
            Some(Type::PoissonInput) => ("a source of type \"poisson_input\"", &["targets", "var", "N", "rate", "weight"]),
        };
        if let Some((key, _)) = given.iter().find(|(key, given)| *given && !wanted.contains(key)) {
            return Err(format!("{what} does not have the key `{key}`; its keys are {}", wanted.join(", ")));
        }
        let missing = |key: &str| {
            let way_out = match keys.kind {
                None => ", or a `type`: \"poisson\" or \"poisson_input\"",
                Some(_) => "",
            };
            format!("{what} needs the key `{key}`{way_out}")
        };
        let name = keys.name;
        let kind = match keys.kind {
            None => SourceKind::Spikes {
                spike_times_ms: keys.spike_times_ms.ok_or_else(|| missing("spike_times_ms"))?,
                size: keys.size.ok_or_else(|| missing("size"))?,
            },
            Some(Type::Poisson) => SourceKind::Poisson {
                size: keys.size.ok_or_else(|| missing("size"))?,
                rate: keys.rate.ok_or_else(|| missing("rate"))?,
            },
            Some(Type::PoissonInput) => SourceKind::PoissonInput {
                targets: keys.targets.ok_or_else(|| missing("targets"))?,
                var: keys.var.ok_or_else(|| missing("var"))?,
                n: keys.n.ok_or_else(|| missing("N"))?,
                rate: keys.rate.ok_or_else(|| missing("rate"))?,
                weight: keys.weight.ok_or_else(|| missing("weight"))?,
            },
        };
        Ok(Source { name, kind })
    }
}

impl From<Source> for Keys {
    fn from(source: Source) -> Keys {
        let none = Keys {
            name: source.name,
            kind: None,
            size: None,
            spike_times_ms: None,
            targets: None,
            var: None,
            n: None,
            rate: None,
            weight: None,
        };
        match source.kind {
            SourceKind::Spikes { size, spike_times_ms } => {
                Keys { size: Some(size), spike_times_ms: Some(spike_times_ms), ..none }
            }
            SourceKind::Poisson { size, rate } => Keys { kind: Some(Type::Poisson), size: Some(size), rate: Some(rate), ..none },
            SourceKind::PoissonInput { targets, var, n, rate, weight } => Keys {
                kind: Some(Type::PoissonInput),
                targets: Some(targets),
                var: Some(var),
                n: Some(n),
                rate: Some(rate),
                weight: Some(weight),
                ..none
            },
        }
    }
}
