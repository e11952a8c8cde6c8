//! Values that synapses have learnt before, in a file beside the network.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::SynapseState;

/// A file of [values that synapses have learnt](Learned): what JSON holds of it is its name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SynapseStateFile {
    /// Its name, or its path as seen from the network's own file.
    pub file: String,
    /// The values of the projection in it, once it is read.
    #[serde(skip)]
    pub(super) learned: Option<Arc<SynapseState>>,
}

impl SynapseStateFile {
    /// A file that is still to be read.
    pub fn new(name: impl Into<String>) -> SynapseStateFile {
        SynapseStateFile { file: name.into(), learned: None }
    }

    /// The name of the file, where it is not read yet.
    pub fn unread(&self) -> Option<&str> {
        if self.learned.is_none() { Some(&self.file) } else { None }
    }

    /// What is in it, once it is read.
    pub fn learned(&self) -> Option<&SynapseState> {
        self.learned.as_deref()
    }
}
