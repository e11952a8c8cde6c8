//! What synapses learn, in files.

use std::io::Cursor;

use js_sys::Uint8Array;
use spikelet::{Error, SynapseState};

use super::command_error::CommandError;
use super::run::OpenNetwork;

impl OpenNetwork {
    /// What its synapses have learnt in a trial, as a file.
    pub(super) async fn weights(&mut self, trial: u32) -> Result<Uint8Array, CommandError> {
        let trial = self.trial(trial)?;
        let learned = self.simulation.synapse_state(trial).await?;
        let file = SynapseState::write(&learned, Cursor::new(Vec::new()));
        let file = file.map_err(|error| Error::Backend(format!("the weights cannot be written: {error}")))?;
        Ok(Uint8Array::from(file.get_ref().as_slice()))
    }

    /// Gives its synapses the values of a file, in a trial.
    pub(super) async fn take_weights(&mut self, trial: u32, file: &str, content: &[u8]) -> Result<(), CommandError> {
        let trial = self.trial(trial)?;
        let learned = SynapseState::read(file, content, &|_| true)?;
        Ok(self.simulation.load_weights(trial, file, &learned).await?)
    }
}
