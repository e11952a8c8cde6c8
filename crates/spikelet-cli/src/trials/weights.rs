//! Weights and synapses at the end of a run.

use pollster::block_on;
use spikelet::{EdgeTable, Simulation};

use super::{TrialDevice, Trials};
use crate::failure::Failure;

impl Trials<'_> {
    /// Records learned weights and synapses, if they are saved.
    pub(super) fn record_weights(&mut self) -> Result<(), Failure> {
        let (TrialDevice::Loaded(simulation), Some(recover)) = (&mut self.place, &mut self.recover) else { return Ok(()) };
        if self.args.save_weights.is_some() {
            self.learned = recover.attempt(simulation, |simulation| {
                block_on(async {
                    to_its_end(simulation).await?;
                    simulation.synapse_state(0).await
                })
            })?;
        }
        if self.args.save_synapses.is_some() {
            self.synapses = recover.attempt(simulation, |simulation| block_on(all_synapses(simulation)))?;
        }
        Ok(())
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
