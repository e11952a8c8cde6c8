//! The errors of requests.

use spikelet_assemblies::Error;
use spikelet_assemblies::parser::ParseError;
use spikelet_module::Failure;

/// Why a request failed, as the page receives it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionError(Failure);

impl SessionError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>, path: Option<&str>) -> SessionError {
        SessionError(Failure::new(code, message, path))
    }
}

impl From<SessionError> for Failure {
    fn from(SessionError(failure): SessionError) -> Failure {
        failure
    }
}

impl From<Error> for SessionError {
    fn from(error: Error) -> SessionError {
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
        SessionError::new(code, error.to_string(), path)
    }
}

impl From<ParseError> for SessionError {
    fn from(error: ParseError) -> SessionError {
        use ParseError::{
            Brain, Empty, EndsEarly, Lost, Missing, NoPlace, Replaces, SecondDependent, TooLong, Unattached, UnknownWord,
        };
        let place = match &error {
            UnknownWord { position, .. }
            | TooLong { position, .. }
            | NoPlace { position, .. }
            | EndsEarly { position, .. }
            | Replaces { position, .. }
            | SecondDependent { position, .. }
            | Unattached { position, .. } => format!("sentence[{}]", position - 1),
            Empty { .. } | Missing { .. } => "sentence".into(),
            Lost { .. } => return SessionError::new("device", error.to_string(), None),
            Brain(error) => return error.clone().into(),
        };
        let code = if matches!(error, UnknownWord { .. }) { "unknown_name" } else { "invalid_value" };
        SessionError::new(code, error.to_string(), Some(&place))
    }
}
