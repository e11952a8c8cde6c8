//! Files of learned weights, and of synapses.

use std::io::Cursor;

use js_sys::Uint8Array;
use spikelet::{Error, SynapseState};

use super::command_error::CommandError;
use super::run::OpenNetwork;
use crate::protocol::EdgeFormat;

/// A file of edges is built in memory, beside the network.
const MAX_EDGE_BYTES: u64 = 1 << 30;

impl OpenNetwork {
    /// The weights of a trial as a file.
    pub(super) async fn weights(&mut self, trial: u32) -> Result<Uint8Array, CommandError> {
        let trial = self.trial(trial)?;
        let learned = self.driver.simulation.synapse_state(trial).await?;
        let file = SynapseState::write(&learned, Cursor::new(Vec::new()));
        let file = file.map_err(|error| Error::Backend(format!("the weights cannot be written: {error}")))?;
        Ok(Uint8Array::from(file.get_ref().as_slice()))
    }

    /// All synapses of a projection as a file.
    pub(super) async fn edges(&mut self, projection: &str, format: EdgeFormat, trial: u32) -> Result<Uint8Array, CommandError> {
        let trial = self.trial(trial)?;
        let table = self.driver.simulation.edge_table(trial, projection).await?;
        if table.bytes() > MAX_EDGE_BYTES {
            let value = format!("{} bytes of {} synapses", table.bytes(), table.len());
            let expected = format!("a file in a page has at most {MAX_EDGE_BYTES}");
            return Err(
                Error::invalid(projection, value, expected, "use `spikelet export`, or a part of them by `synapses`").into()
            );
        }
        let file = match format {
            EdgeFormat::Npz => table.write_npz(Cursor::new(Vec::new())).map(Cursor::into_inner),
            EdgeFormat::Csv => {
                let mut file = Vec::new();
                table.write_csv(&mut file).map(|()| file)
            }
        };
        let file = file.map_err(|error| Error::Backend(format!("the synapses cannot be written: {error}")))?;
        Ok(Uint8Array::from(file.as_slice()))
    }

    /// Loads a file of learned weights in a trial.
    pub(super) async fn take_weights(&mut self, trial: u32, file: &str, content: &[u8]) -> Result<(), CommandError> {
        let trial = self.trial(trial)?;
        let learned = SynapseState::read(file, Cursor::new(content), &|_| true)?;
        Ok(self.driver.simulation.load_weights(trial, file, &learned).await?)
    }
}
