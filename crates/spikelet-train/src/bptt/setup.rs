//! What does not depend on a batch: the codes of populations, prepared, and the synapses with their values.

use std::sync::Arc;

use spikelet_kernel::block::{LANES, Prepared};
use spikelet_lang::gradient::GradientLayout;
use spikelet_lang::ir::{Code, Op};
use spikelet_rows::ring;

use super::connectivity::Connectivity;
use crate::{DeviceValues, TrainingPlan};

/// A population.
pub(super) struct Cell {
    /// Its neurons.
    pub(super) size: usize,
    /// Arrays of its codes.
    pub(super) layout: GradientLayout,
    /// The code of a step.
    pub(super) step: Prepared,
    /// The code of its gradient, if that is needed.
    pub(super) gradient: Option<Prepared>,
    /// What the step changes.
    pub(super) moving: Vec<usize>,
    /// What the gradient reads of that: the tape has it.
    pub(super) taped: Vec<usize>,
    /// Whether the gradient reads the input of the step, which the tape has then.
    pub(super) tapes_input: bool,
    /// Whether it reads the time since the last spike.
    pub(super) tapes_last_spikes: bool,
    /// Slots of the ring of inputs: the longest delay + 1.
    pub(super) slots: usize,
}

impl Cell {
    /// Blocks for this number of trials.
    pub(super) fn blocks(&self, trials: usize) -> usize {
        (self.size * trials).div_ceil(LANES)
    }

    /// Words that the tape has for each lane in a step.
    pub(super) fn taped_words(&self) -> usize {
        let input = if self.tapes_input { self.layout.ports } else { 0 };
        self.taped.len() + input + usize::from(self.tapes_last_spikes)
    }

    /// Words of each lane that make the state between two steps.
    pub(super) fn state_words(&self) -> usize {
        self.moving.len() + 1 + self.layout.ports * self.slots
    }
}

/// A plan, prepared.
pub(super) struct Setup {
    pub(super) plan: Arc<TrainingPlan>,
    pub(super) cells: Vec<Cell>,
    pub(super) connectivities: Vec<Connectivity>,
    /// The clocks of each step, if there are any.
    pub(super) clocks: Vec<Vec<f32>>,
}

impl Setup {
    pub(super) fn new(plan: Arc<TrainingPlan>) -> Setup {
        let cells = (0..plan.populations.len()).map(|index| cell(&plan, index)).collect();
        let size = |population: usize| plan.plan.populations[population].size as usize;
        let connectivities = plan.projections.iter().map(|of| Connectivity::new(of, size(of.post))).collect();
        let steps = if plan.plan.clock_columns > 0 { 0..plan.steps } else { 0..0 };
        let clocks = steps.map(|step| plan.plan.clocks(step)).collect();
        Setup { plan, cells, connectivities, clocks }
    }

    /// The values of the clocks of a population in a step.
    pub(super) fn clocks(&self, population: usize, step: u32) -> &[f32] {
        let of = &self.plan.plan.populations[population];
        let row = self.clocks.get(step as usize).map_or(&[][..], Vec::as_slice);
        if row.is_empty() { row } else { &row[of.first_clock as usize..][..of.clocks.len()] }
    }

    /// 1/steps, for means.
    pub(super) fn per_step(&self) -> f32 {
        (1.0 / f64::from(self.plan.steps.max(1))) as f32
    }
}

fn cell(plan: &TrainingPlan, index: usize) -> Cell {
    let of = &plan.populations[index];
    let reads = |code: &Code, op: &dyn Fn(&Op) -> bool| code.ops.iter().any(op);
    let moving: Vec<usize> = (0..of.layout.variables).filter(|array| of.step.stores_to(*array)).collect();
    let loaded = |array: &&usize| of.gradient.ops.contains(&Op::Load(**array));
    let taped = if of.is_trained { moving.iter().filter(loaded).copied().collect() } else { Vec::new() };
    let longest = plan.projections.iter().filter(|onto| onto.post == index).flat_map(|onto| &onto.delays).max();
    Cell {
        size: plan.plan.populations[index].size as usize,
        layout: of.layout.clone(),
        step: Prepared::new(&of.step),
        gradient: of.is_trained.then(|| Prepared::new(&of.gradient)),
        tapes_input: of.is_trained && reads(&of.gradient, &|op| matches!(op, Op::Port(_))),
        tapes_last_spikes: of.is_trained && reads(&of.gradient, &|op| *op == Op::SinceSpike),
        moving,
        taped,
        slots: longest.map_or(1, |delay| *delay as usize + 1),
    }
}

/// What a batch is simulated with.
pub(super) struct Values {
    pub(super) of: Arc<DeviceValues>,
    /// The value of a unit of each port, and no unit of remainders, for each population.
    pub(super) units: Vec<Vec<[f32; 2]>>,
    /// The weights of each projection as they add, if adjoints pass through it: in the order of [`TrainedProjection::by_post`](crate::TrainedProjection::by_post), or as
    /// matrices `[post][delay][pre]`.
    pub(super) by_post: Vec<Vec<f32>>,
    /// The units of each projection as matrices `[delay][pre][post]`, where it has some and the units of its synapses are none.
    matrices: Vec<Option<Vec<i32>>>,
}

impl Values {
    pub(super) fn new(setup: &Setup, of: Arc<DeviceValues>) -> Values {
        let plan = &setup.plan;
        let units = of.shifts.iter().map(|shifts| shifts.iter().map(|shift| [ring::unit(*shift), 0.0]).collect());
        let projections = || plan.projections.iter().zip(&setup.connectivities).zip(&of.units);
        let by_post = projections().map(|((projection, connectivity), units)| {
            let unit = ring::unit(of.shifts[projection.post][projection.port]);
            if !plan.populations[projection.pre].is_trained || !projection.passes_adjoints {
                return Vec::new();
            }
            let weight = |units: &i32| *units as f32 * unit;
            match &connectivity.matrices {
                Some(matrices) => matrices.by_post(units.iter().map(weight)),
                None => projection.by_post.iter().map(|synapse| weight(&units[*synapse as usize])).collect(),
            }
        });
        let matrices = projections().map(|((_, connectivity), units)| connectivity.matrices.as_ref()?.by_pre(units));
        Values { units: units.collect(), by_post: by_post.collect(), matrices: matrices.collect(), of }
    }

    /// What the synapses of a projection add: `[delay][pre][post]` if it has matrices, else one for each synapse.
    pub(super) fn units_of(&self, projection: usize) -> &[i32] {
        self.matrices[projection].as_deref().unwrap_or(&self.of.units[projection])
    }
}
