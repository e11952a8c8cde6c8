//! The values and clocks with which the code of a step is executed.

use std::collections::HashMap;
use std::sync::Arc;

use spikelet_plan::{Epoch, PerSynapse, Plan, Port, WritePlan};

/// Values of a loaded plan that can change during a run.
#[derive(Default)]
pub(super) struct RuntimeValues {
    /// Constants of each population.
    pub(super) constants: Vec<Vec<f32>>,
    /// The value of one unit of each port, and of one unit of its remainder, for each population.
    pub(super) units: Vec<Vec<[f32; 2]>>,
    /// Weights written since the plan was loaded, by projection and write.
    pub(super) weights: HashMap<(usize, usize), PerSynapse<i32>>,
    /// Constants of each projection with synaptic state.
    pub(super) synapse_constants: Vec<Vec<f32>>,
}

impl RuntimeValues {
    pub(super) fn new(plan: &Plan) -> RuntimeValues {
        let constants = |projection: &Arc<spikelet_plan::ProjectionPlan>| {
            projection.state.as_ref().map(|state| state.constants.clone()).unwrap_or_default()
        };
        RuntimeValues {
            constants: plan.populations.iter().map(|population| population.constants.clone()).collect(),
            units: plan.populations.iter().map(|population| population.ports.iter().map(Port::units).collect()).collect(),
            weights: HashMap::new(),
            synapse_constants: plan.projections.iter().map(constants).collect(),
        }
    }

    pub(super) fn weights<'a>(&'a self, of: &'a WritePlan, projection: usize, write: usize) -> &'a PerSynapse<i32> {
        // Rarely written: the look-up is free while the map is empty.
        self.weights.get(&(projection, write)).unwrap_or(&of.weights)
    }
}

/// Data for the execution of code.
pub(super) struct StepContext<'a> {
    pub(super) plan: &'a Plan,
    pub(super) live: &'a RuntimeValues,
    pub(super) step: u32,
    pub(super) trial: u32,
    /// The plan's clocks in this step.
    pub(super) clocks: &'a [f32],
    /// Whether the step before was completed: see [`Backend::complete_step`](spikelet_plan::Backend::complete_step).
    pub(super) is_complete: bool,
    /// The slot of delay buffers that is added in this step.
    pub(super) slot: usize,
    /// The first of its row in the samples of the call.
    pub(super) row: usize,
}

impl<'a> StepContext<'a> {
    /// The clocks of a population.
    pub(super) fn clocks_of(&self, population: usize) -> &'a [f32] {
        let of = &self.plan.populations[population];
        &self.clocks[of.first_clock as usize..][..of.clocks.len()]
    }
}

/// The clocks of some steps, computed once for all threads.
pub(super) struct ClockRows {
    first: u32,
    rows: Vec<Vec<f32>>,
}

impl ClockRows {
    pub(super) fn new(plan: &Plan, epoch: Epoch) -> ClockRows {
        let steps = if plan.clock_columns > 0 { epoch.first..epoch.end() } else { 0..0 };
        ClockRows { first: epoch.first, rows: steps.map(|step| plan.clocks(step)).collect() }
    }

    pub(super) fn at(&self, step: u32) -> &[f32] {
        self.rows.get((step - self.first) as usize).map_or(&[], Vec::as_slice)
    }
}
