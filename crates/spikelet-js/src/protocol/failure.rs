//! The errors of commands.

use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;

/// The error of a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The kind of error.
    pub code: Code,
    /// What is wrong, the value, and how to fix it.
    pub message: String,
    /// The place: a JSON path in the network, or the path of the command.
    pub path: Option<String>,
    /// All errors in a network.
    pub diagnostics: Vec<Diagnostic>,
}

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The text is not JSON.
    Json,
    /// An object of the network has an unknown key.
    UnknownKey,
    /// A key is missing.
    MissingKey,
    /// A value is invalid.
    InvalidValue,
    /// A name is unknown.
    UnknownName,
    /// The equations of a population or projection are inconsistent.
    Equations,
    /// A GPU was requested, but there is none.
    NoGpu,
    /// A device failed, or does not support the request.
    Device,
    /// A device was lost, and the run cannot continue on another one.
    DeviceLost,
    /// There is not enough memory.
    OutOfMemory,
    /// An increment by a synapse exceeds the range of its numbers.
    EventTooLarge,
    /// A state variable became infinite or NaN.
    Diverged,
    /// The command is not possible during a run.
    Running,
    /// A stop condition of the network has ended the run; only a reset is possible.
    Ended,
    /// The run failed; only a reset is possible.
    Broken,
    /// There is no network.
    NoNetwork,
    /// The message is not a command.
    Protocol,
    /// The engine did not start, or has stopped.
    Engine,
}

/// An error or notice about a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// The kind: a code of errors, or a more specific name such as `dimension_mismatch`.
    pub code: String,
    /// Whether it prevents a run; otherwise it is a notice.
    pub is_error: bool,
    /// What is wrong, with the value.
    pub message: String,
    /// How to fix it, if known and not part of `message`.
    pub help: Option<String>,
    /// JSON path, such as `populations[1].equations`; empty if the text is not JSON.
    pub path: String,
    /// 1-based line in the text at `path`, or in the JSON if `path` is empty.
    pub line: Option<u32>,
    /// 1-based column in that line, in characters.
    pub column: Option<u32>,
    /// Number of marked characters.
    pub width: Option<u32>,
}
