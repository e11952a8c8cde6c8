//! Files of learned weights.

use std::io::Cursor;

use js_sys::Uint8Array;
use spikelet::{Error, SynapseState};

use super::command_error::CommandError;
use super::run::OpenNetwork;

impl OpenNetwork {
    /// The weights of a trial as a file.
    pub(super) async fn weights(&mut self, trial: u32) -> Result<Uint8Array, CommandError> {
        let trial = self.trial(trial)?;
        let learned = self.simulation.synapse_state(trial).await?;
        let file = SynapseState::write(&learned, Cursor::new(Vec::new()));
        let file = file.map_err(|error| Error::Backend(format!("the weights cannot be written: {error}")))?;
        Ok(Uint8Array::from(file.get_ref().as_slice()))
    }

    /// Loads a file of learned weights in a trial.
    pub(super) async fn take_weights(&mut self, trial: u32, file: &str, content: &[u8]) -> Result<(), CommandError> {
        let trial = self.trial(trial)?;
        let learned = SynapseState::read(file, Cursor::new(content), &|_| true)?;
        Ok(self.simulation.load_weights(trial, file, &learned).await?)
    }
}
