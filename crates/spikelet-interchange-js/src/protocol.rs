//! The messages between the package's scripts and the module. `crates/spikelet-js/ts/interchange/raw.ts` has them as types.

mod error;

use js_sys::Uint8Array;
use serde::{Deserialize, Serialize};
use spikelet_module::typed;

pub use error::SessionError;

/// What to do.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "camelCase")]
pub enum Command {
    /// Makes a network of a file.
    Open(Open),
    /// Writes a network for another tool.
    Export(Export),
}

/// A file to open, with others.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Open {
    /// All files, by their paths.
    pub files: Vec<NamedFile>,
    /// The file that names the others; `None` if it is to be found.
    pub file: Option<String>,
    /// Whether files that it names can be loaded.
    pub loads: bool,
    /// The time step of a graph, in which time is continuous, in ms.
    pub dt_ms: Option<f64>,
}

/// A network to write.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Export {
    /// The network as JSON; `None` for a built-in one.
    pub json: Option<String>,
    /// The name of a built-in network.
    pub name: Option<String>,
    /// Its size.
    pub scale: f64,
    /// Files that the network names.
    pub files: Vec<NamedFile>,
    /// The format.
    pub format: String,
    /// Whether all files are put into one archive.
    pub zip: bool,
}

/// A file.
#[derive(Debug, Clone, Deserialize)]
pub struct NamedFile {
    /// Its path.
    pub name: String,
    /// Its bytes.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub content: Uint8Array,
}

/// An answer.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", content = "body", rename_all = "camelCase")]
pub enum Reply {
    /// A network, or what it lacks.
    Opened(Found),
    /// The files of a network.
    Exported(Exported),
}

/// A network, or the path of a file that is named and not there: ask again with it.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Found {
    /// The network.
    pub network: Option<OpenedFile>,
    /// The path.
    pub missing: Option<String>,
}

/// A network of a file.
#[derive(Debug, Clone, Serialize)]
pub struct OpenedFile {
    /// The network as JSON.
    pub json: String,
    /// The file that was opened.
    pub file: String,
    /// Its format.
    pub format: &'static str,
    /// What is dropped or approximated.
    pub notices: Vec<Notice>,
}

/// What is dropped or approximated.
#[derive(Debug, Clone, Serialize)]
pub struct Notice {
    /// The place.
    pub path: String,
    /// A sentence.
    pub message: String,
}

/// The files of a network.
#[derive(Debug, Clone, Serialize)]
pub struct Exported {
    /// All of them.
    pub files: Vec<WrittenFile>,
    /// What they leave out or approximate.
    pub notices: Vec<String>,
}

/// A file that is written.
#[derive(Debug, Clone, Serialize)]
pub struct WrittenFile {
    /// Its name.
    pub name: String,
    /// Its bytes.
    #[serde(serialize_with = "typed::bytes")]
    pub content: Vec<u8>,
}
