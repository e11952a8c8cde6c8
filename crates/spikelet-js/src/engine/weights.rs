//! What synapses learn, in files.

use std::io::Cursor;

use js_sys::Uint8Array;
use spikelet::{Error, Learned};

use super::refusal::Refusal;
use super::run::Run;

impl Run {
    /// What its synapses have learnt in a trial, as a file.
    pub(super) async fn weights(&mut self, trial: u32) -> Result<Uint8Array, Refusal> {
        let trial = self.trial(trial)?;
        let learned = self.simulation.learned(trial).await?;
        let file = Learned::write(&learned, Cursor::new(Vec::new()));
        let file = file.map_err(|error| Error::Backend(format!("the weights cannot be written: {error}")))?;
        Ok(Uint8Array::from(file.get_ref().as_slice()))
    }

    /// Gives its synapses the values of a file, in a trial.
    pub(super) async fn take_weights(&mut self, trial: u32, file: &str, content: &[u8]) -> Result<(), Refusal> {
        let trial = self.trial(trial)?;
        let learned = Learned::read(file, Cursor::new(content), &|_| true)?;
        Ok(self.simulation.learn(trial, file, &learned).await?)
    }
}
