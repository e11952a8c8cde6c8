//! What an editor of networks is told.

use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::failure::Diagnostic;

/// What is asked of a network while it is edited: what stands there, and where somebody types.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The network as JSON, as far as it is written.
    pub json: String,
    /// The population that is edited, by its place from 0.
    pub population: Option<u32>,
    /// Its parameters whose values were typed since its equations: these are judged by the equations, which are judged by the others.
    pub typed: Vec<String>,
}

/// What is wrong with a network while it is edited, and what is known of it already.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Judgement {
    /// What is wrong with the equations and values of the population that is edited. One mistake hides no other.
    pub population: Vec<Judged>,
    /// What is wrong with the whole network.
    pub network: Vec<Judged>,
    /// Names that the texts of the population use and nothing gives a value.
    pub missing: Vec<Missing>,
    /// How its equations will be integrated; none while that cannot be told, and where there is nothing to integrate.
    pub method: Option<String>,
    /// How large the network will be; none while that cannot be told.
    pub estimate: Option<Estimate>,
}

/// Something that is wrong, beside the line that it is in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Judged {
    /// What is wrong.
    pub diagnostic: Diagnostic,
    /// The line, where it has a place in a text.
    pub excerpt: Option<String>,
    /// Whether all that is wrong is that a name is defined nowhere.
    pub undefined_name: bool,
}

/// A name without a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Missing {
    /// The name.
    pub name: String,
    /// A unit of what it must measure, `1` for a plain number; none where that does not follow from the texts.
    pub unit: Option<String>,
}

/// How large a network will be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Bytes of everything, for one trial.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub bytes: u64,
    /// Each projection, in their order.
    pub projections: Vec<ProjectionEstimate>,
}

/// How large a projection will be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct ProjectionEstimate {
    /// About how many synapses; the mean where the rule leaves it to chance.
    pub synapses: f64,
    /// Whether they are kept; else they are drawn at each spike.
    pub stored: bool,
    /// Bytes.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub bytes: u64,
}
