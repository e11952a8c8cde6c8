//! Errors of commands, and their conversion to messages.

use std::fmt::Display;
use std::sync::Arc;

use spikelet::{Error, Network};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::check;
use crate::protocol::{Code, Command, Failure};

#[wasm_bindgen]
extern "C" {
    /// The text of a JavaScript exception.
    #[wasm_bindgen(js_name = String)]
    pub(super) fn in_words(thrown: &JsValue) -> String;
}

/// The error of a command.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    /// An error of the simulator.
    #[error(transparent)]
    Simulator(#[from] Error),
    /// An error of the simulator during the build.
    #[error("{error}")]
    Network {
        /// The error.
        error: Error,
        /// The network that was to be built.
        network: Arc<Network>,
    },
    /// A GPU was requested, but there is none.
    #[error("{0}; leave `backend` at \"auto\" to use the CPU if there is no GPU")]
    NoGpu(String),
    /// There is no network.
    #[error("there is no network for this command; create one first")]
    NoNetwork,
    /// There is already a network.
    #[error("this engine already has a network; start another engine for the next one")]
    SecondNetwork,
    /// It is already running.
    #[error("the network is already running; wait for the end of that run, or pause it")]
    Running,
    /// A stop condition of the network has ended the run.
    #[error("the run ended at {time_ms} ms, when `{condition}` was true; reset it to run it again")]
    Ended {
        /// The condition.
        condition: String,
        /// The time.
        time_ms: f64,
    },
    /// The run has failed.
    #[error("the run failed; reset it to build the network again")]
    Broken,
    /// The message is not a command.
    #[error("this is not a command of the engine: {0}; see the types in raw.ts")]
    Protocol(String),
}

impl CommandError {
    /// An invalid argument of a command, named `path`.
    pub(super) fn invalid(
        path: &str,
        value: impl Display,
        expected: impl Into<String>,
        way_out: impl Into<String>,
    ) -> CommandError {
        let (path, value, expected, way_out) = (path.to_owned(), value.to_string(), expected.into(), way_out.into());
        CommandError::Simulator(Error::Invalid { path, value, expected, way_out, kind: None })
    }

    /// The error for a command; an error with its own path keeps it.
    pub(super) fn about(self, command: &Command) -> Failure {
        let failure = Failure::from(self);
        match command {
            Command::Set { path, .. } | Command::Get { path, .. } => Failure { path: Some(path.clone()), ..failure },
            _ => failure,
        }
    }
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Failure {
        let code = match &error {
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
        Failure { code, message: error.to_string(), path: None, diagnostics: Vec::new() }
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

/// The kind of an error.
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
        // All other errors are errors of a device.
        _ => Code::Device,
    }
}

impl Failure {
    /// The same for a failed run.
    pub(super) fn of_a_run(self) -> Failure {
        Failure { message: format!("the run failed: {}", self.message), ..self }
    }
}
