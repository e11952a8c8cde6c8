//! Why something cannot be done.

use serde::{Deserialize, Serialize};
#[cfg(feature = "typescript")]
use ts_rs::TS;

/// Why something cannot be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The sort of failure.
    pub code: Code,
    /// A sentence: what is wrong, with its values, and the way out.
    pub message: String,
    /// Where: a JSON path of the network, or the path that a command named.
    pub path: Option<String>,
    /// What is wrong with a network, one by one.
    pub diagnostics: Vec<Diagnostic>,
}

/// The sort of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The text is no JSON.
    Json,
    /// An object of the network has a key that means nothing there.
    UnknownKey,
    /// A key is missing.
    MissingKey,
    /// A value is not one of those allowed.
    InvalidValue,
    /// A name refers to nothing.
    UnknownName,
    /// The equations of a population or projection do not hold together.
    Equations,
    /// There is no GPU, and one was asked for.
    NoGpu,
    /// A device failed, or cannot do what was asked.
    Device,
    /// A device stopped for good, and the run cannot go on elsewhere.
    DeviceLost,
    /// There is no room.
    OutOfMemory,
    /// What a synapse adds left the range of its numbers.
    EventTooLarge,
    /// The state left the numbers.
    Diverged,
    /// It runs already, and that was asked for while it does.
    Running,
    /// A condition of the network has ended the run; only a reset leads on.
    Ended,
    /// The run broke off; only a reset leads on.
    Broken,
    /// There is no network.
    NoNetwork,
    /// What was sent is no command.
    Protocol,
    /// The engine did not start, or stopped.
    Engine,
}

/// Something that is wrong with a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(TS))]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// The sort of mistake: a code of errors, or a finer name such as `dimension_mismatch`.
    pub code: String,
    /// Whether it keeps the network from running; else it is something hardly meant.
    pub is_error: bool,
    /// A sentence: what is wrong, with its values.
    pub message: String,
    /// The way out, where there is a good guess and `message` does not say it.
    pub help: Option<String>,
    /// JSON path of what is wrong, such as `populations[1].equations`; empty where the text is no JSON.
    pub path: String,
    /// 1-based line in the text at `path`, or, where `path` is empty, in the JSON.
    pub line: Option<u32>,
    /// 1-based column in that line, in characters.
    pub column: Option<u32>,
    /// How many characters are meant.
    pub width: Option<u32>,
}
