//! Why something that was asked for cannot be done, and how that is told.

use std::fmt::Display;
use std::sync::Arc;

use spikelet::{Error, Network};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::check;
use crate::protocol::{Code, Command, Failure};

#[wasm_bindgen]
extern "C" {
    /// What JavaScript has thrown, as it says of itself.
    #[wasm_bindgen(js_name = String)]
    pub(super) fn in_words(thrown: &JsValue) -> String;
}

/// Why a command cannot be done.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    /// The simulator says so.
    #[error(transparent)]
    Simulator(#[from] Error),
    /// The same, of a network that was to be built.
    #[error("{error}")]
    Network {
        /// What it says.
        error: Error,
        /// What it says it of.
        network: Arc<Network>,
    },
    /// A GPU was asked for.
    #[error("{0}; leave `backend` at \"auto\" to use the CPU if there is no GPU")]
    NoGpu(String),
    /// There is no network.
    #[error("there is no network for this command; create one first")]
    NoNetwork,
    /// There is one already.
    #[error("this engine already has a network; start another engine for the next one")]
    SecondNetwork,
    /// It runs.
    #[error("the network is already running; wait for the end of that run, or pause it")]
    Running,
    /// A condition of the network has ended the run.
    #[error("the run ended at {time_ms} ms, when `{condition}` was true; reset it to run it again")]
    Ended {
        /// The condition, as it was written.
        condition: String,
        /// When.
        time_ms: f64,
    },
    /// The run broke off.
    #[error("the run failed; reset it to build the network again")]
    Broken,
    /// What was sent is no command.
    #[error("this is not a command of the engine: {0}; see the types in raw.ts")]
    Protocol(String),
}

impl CommandError {
    /// An argument of a command, called `path`, is not one of those allowed.
    pub(super) fn invalid(
        path: &str,
        value: impl Display,
        expected: impl Into<String>,
        way_out: impl Into<String>,
    ) -> CommandError {
        let (path, value, expected, way_out) = (path.to_owned(), value.to_string(), expected.into(), way_out.into());
        CommandError::Simulator(Error::Invalid { path, value, expected, way_out, kind: None })
    }

    /// As it is told of a command: what a path of its own is about has that path.
    pub(super) fn about(self, command: &Command) -> Failure {
        let failure = Failure::from(self);
        match command {
            Command::Set { path, .. } | Command::Get { path, .. } => Failure { path: Some(path.clone()), ..failure },
            _ => failure,
        }
    }
}

impl From<CommandError> for Failure {
    fn from(refusal: CommandError) -> Failure {
        let code = match &refusal {
            CommandError::Simulator(error) => return Failure::from(error),
            CommandError::Network { error, network } => {
                return Failure { diagnostics: check::of_error(error, Some(network)), ..Failure::from(error) };
            }
            CommandError::NoGpu(_) => Code::NoGpu,
            CommandError::NoNetwork => Code::NoNetwork,
            CommandError::SecondNetwork | CommandError::Protocol(_) => Code::Protocol,
            CommandError::Running => Code::Running,
            CommandError::Ended { .. } => Code::Ended,
            CommandError::Broken => Code::Broken,
        };
        Failure { code, message: refusal.to_string(), path: None, diagnostics: Vec::new() }
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Failure {
        let code = code(error);
        let diagnostics = if error.is_bad_input() { check::of_error(error, None) } else { Vec::new() };
        let path = error.path().filter(|path| !path.is_empty()).map(str::to_owned);
        Failure { code, message: error.to_string(), path, diagnostics }
    }
}

/// The sort of an error.
fn code(error: &Error) -> Code {
    match error {
        Error::Json { .. } => Code::Json,
        Error::UnknownKey { .. } => Code::UnknownKey,
        Error::MissingKey { .. } => Code::MissingKey,
        Error::Invalid { .. } if error.kind() == Some("out_of_memory") => Code::OutOfMemory,
        Error::Invalid { .. } => Code::InvalidValue,
        Error::UnknownName { .. } => Code::UnknownName,
        Error::Model { .. } => Code::Equations,
        Error::OutOfMemory { .. } => Code::OutOfMemory,
        Error::DeviceLost { .. } => Code::DeviceLost,
        Error::EventTooLarge { .. } => Code::EventTooLarge,
        Error::Diverged { .. } => Code::Diverged,
        // What else goes wrong, goes wrong with a device.
        _ => Code::Device,
    }
}

impl Failure {
    /// The same, of a run that breaks off.
    pub(super) fn of_a_run(self) -> Failure {
        Failure { message: format!("the run failed: {}", self.message), ..self }
    }
}
