//! Weights and synapses at the end of a run.

use pollster::block_on;
use spikelet::{EdgeTable, Simulation, SynapseState};

use super::TrialDevice;
use super::host::RunHost;
use crate::failure::Failure;

/// The device after a run, whose last state is read.
pub(crate) struct LastState<'a> {
    pub(super) place: TrialDevice,
    pub(super) host: RunHost<'a>,
}

impl LastState<'_> {
    /// Whether it cannot be read, after an error of the device.
    pub(crate) fn is_lost(&self) -> bool {
        !matches!(self.place, TrialDevice::Loaded(_))
    }

    /// Learned weights at the end. Ranks that share the network call it together.
    pub(crate) fn learned(&mut self) -> Result<Vec<SynapseState>, Failure> {
        self.read(async |simulation| {
            to_its_end(simulation).await?;
            simulation.synapse_state(0).await
        })
    }

    /// All synapses at the end.
    pub(crate) fn synapses(&mut self) -> Result<Vec<EdgeTable>, Failure> {
        self.read(all_synapses)
    }

    fn read<T: Default>(&mut self, call: impl AsyncFnMut(&mut Simulation) -> Result<T, spikelet::Error>) -> Result<T, Failure> {
        let TrialDevice::Loaded(driver) = &mut self.place else { return Ok(T::default()) };
        block_on(driver.attempt(&mut self.host, call))
    }
}

/// Brings a device to the last step of a run. If the device has continued beyond the step of a stop condition, the run is repeated up
/// to that step.
async fn to_its_end(simulation: &mut Simulation) -> Result<(), spikelet::Error> {
    if let Some(end) = simulation.stopped().map(|stopped| stopped.step)
        && end < simulation.device_step()
    {
        simulation.begin_ahead(0);
        simulation.restart().await?;
        simulation.advance(end).await?;
    }
    Ok(())
}

/// All synapses at the last step of a run.
async fn all_synapses(simulation: &mut Simulation) -> Result<Vec<EdgeTable>, spikelet::Error> {
    to_its_end(simulation).await?;
    let names: Vec<String> = simulation.at_start().projections.iter().map(|projection| projection.name.clone()).collect();
    let mut tables = Vec::new();
    for name in names {
        tables.push(simulation.edge_table(0, &name).await?);
    }
    Ok(tables)
}
