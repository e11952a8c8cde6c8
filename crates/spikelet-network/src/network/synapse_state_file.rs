//! Learned weights in a file that a network names.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::SynapseState;

/// A file of [learned weights](crate::SynapseState): its JSON is the name of the file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SynapseStateFile {
    /// Its name, or its path relative to the network file.
    pub file: String,
    /// The values of the projection, after the file was read.
    #[serde(skip)]
    pub(super) learned: Option<Arc<SynapseState>>,
}

impl SynapseStateFile {
    /// A file that has not been read.
    pub fn new(name: impl Into<String>) -> SynapseStateFile {
        SynapseStateFile { file: name.into(), learned: None }
    }

    /// The name of the file, if it has not been read.
    pub fn unread(&self) -> Option<&str> {
        if self.learned.is_none() { Some(&self.file) } else { None }
    }

    /// Its content, after it was read.
    pub fn learned(&self) -> Option<&SynapseState> {
        self.learned.as_deref()
    }
}
