//! The errors of requests.

use serde::Serialize;
use spikelet_assemblies::Error;
use spikelet_assemblies::parser::ParseError;

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// The kind, one of the engine's codes.
    pub code: &'static str,
    /// What is wrong, the value, and how to fix it.
    pub message: String,
    /// The parameter.
    pub path: Option<String>,
    /// Always empty: errors of networks have them.
    pub diagnostics: [(); 0],
}

impl Failure {
    /// A failure without a place.
    pub fn new(code: &'static str, message: impl Into<String>, path: Option<&str>) -> Failure {
        Failure { code, message: message.into(), path: path.map(str::to_owned), diagnostics: [] }
    }

    pub(crate) fn protocol(error: &str) -> Failure {
        Failure::new("protocol", format!("the request is not understood: {error}"), None)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let (code, path) = match &error {
            Error::NameTaken(_) => ("invalid_value", Some("name")),
            Error::UnknownName { kind, .. } => ("unknown_name", Some(*kind)),
            Error::Probability(_) => ("invalid_value", Some("p")),
            Error::Winners { .. } => ("invalid_value", Some("k")),
            // The name begins with that of the parameter.
            Error::Value { name, .. } => ("invalid_value", name.split(' ').next()),
            Error::BetaChanged { .. } => ("invalid_value", Some("beta")),
            Error::Overflow { .. } => ("event_too_large", None),
            Error::UnknownNeuron { .. } | Error::RepeatedNeuron { .. } => ("invalid_value", Some("winners")),
            Error::Fraction { .. } => ("invalid_value", Some("fraction")),
            Error::NoWinners(_) | Error::NotRefractory(_) => ("invalid_value", Some("area")),
            Error::NoNetwork { .. } => ("invalid_value", None),
            Error::Memory { .. } => ("out_of_memory", None),
            Error::Device(_) => ("device", None),
        };
        Failure::new(code, error.to_string(), path)
    }
}

impl From<ParseError> for Failure {
    fn from(error: ParseError) -> Failure {
        use ParseError::{Brain, Empty, Missing, NoPlace, NonWord, Replaces, SecondDependent, Unattached, UnknownWord};
        let place = match &error {
            UnknownWord { position, .. }
            | NoPlace { position, .. }
            | Replaces { position, .. }
            | SecondDependent { position, .. }
            | Unattached { position, .. } => format!("sentence[{}]", position - 1),
            Empty { .. } | Missing { .. } => "sentence".into(),
            NonWord => return Failure::new("device", error.to_string(), None),
            Brain(error) => return error.clone().into(),
        };
        let code = if matches!(error, UnknownWord { .. }) { "unknown_name" } else { "invalid_value" };
        Failure::new(code, error.to_string(), Some(&place))
    }
}
