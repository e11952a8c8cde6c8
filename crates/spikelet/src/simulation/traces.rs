//! What synapses have of variables that their neurons store.

use spikelet_kernel::math;
use spikelet_lang::program::Register;
use spikelet_lang::{End, STAMP};

use super::Simulation;
use crate::{Error, Owner, SynapseList};

impl Simulation {
    /// The values that the synapses of a projection have of a trace, in the order of recordings: neurons store it as it is after their own
    /// last event, and synapses have it as it is after their last event of either side (rule 3.11).
    pub(super) async fn traces_of_synapses(
        &mut self,
        trial: usize,
        (projection, end): (usize, End),
        name: &str,
        values: &[f64],
    ) -> Result<Vec<f64>, Error> {
        let plan = self.runs[trial].plan.clone();
        let SynapseList { ends, places } = self.backend.synapses(&plan, projection).await?;
        let in_order: Vec<[u32; 2]> = match places.is_empty() {
            true => ends,
            false => places.iter().map(|place| ends[*place as usize]).collect(),
        };
        let mut last = [const { Vec::new() }; 2];
        for (side, last) in [End::Pre, End::Post].into_iter().zip(&mut last) {
            *last = self.last_events(trial, projection, side).await?;
        }
        let side = usize::from(end == End::Post);
        let after = plan.trace_after(projection, name);
        let of_synapse = |neurons: &[u32; 2]| {
            let step = |side: usize| last[side].get(neurons[side] as usize).copied();
            let value = values[neurons[side] as usize];
            match (&after, step(side), step(0).max(step(1))) {
                (Some(after), Some(stored), Some(last)) if last > stored => after(value, f64::from(last - stored)),
                _ => value,
            }
        };
        Ok(in_order.iter().map(of_synapse).collect())
    }

    /// The step of the last event of each neuron at one end, as far as traces need it; otherwise nothing.
    async fn last_events(&mut self, trial: usize, projection: usize, end: End) -> Result<Vec<u32>, Error> {
        let plan = self.runs[trial].plan.clone();
        let Some(state) = &plan.projections[projection].state else { return Ok(Vec::new()) };
        let is_stamp = |register: usize| state.program.registers[register] == Register::Trace(end, STAMP.into());
        let stamp = state.traces.iter().position(|trace| is_stamp(trace.register));
        let array = stamp.and_then(|index| plan.arrays().of(Owner::Traces { projection, end }, index));
        let Some(array) = array else { return Ok(Vec::new()) };
        let words = self.backend.read(trial, array).await?;
        Ok(words.into_iter().map(|word| word - math::stamp(0).to_bits()).collect())
    }
}
