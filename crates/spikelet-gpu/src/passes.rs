//! The dispatches of an epoch: from the phases of its schedule (`phases`) and the offsets of a layout.

mod launch;
mod pass;
mod phases;

pub(crate) use launch::{Launch, WorkgroupLoop};
pub(crate) use pass::Pass;
use phases::{EpochStages, LaidOutPlan};
pub(crate) use phases::{RankGroup, RankGroups};
use spikelet::{Error, Plan, RankTiming};

use crate::layout::BufferLayout;
use crate::options::{Fusion, GpuConstants};
use crate::shape::Shape;
use crate::sizes::{ITERATIONS_SOFTWARE, SINGLE_SIZE, TEAM_SIZE};
use crate::spec::Kernel;

/// The passes of an epoch.
pub(crate) struct Passes {
    /// Those of neurons that run ahead to its end, before all others.
    pub(crate) ahead: Vec<Pass>,
    /// Those of each step, in this order, of neurons and synapses that stop.
    pub(crate) each_step: Vec<Pass>,
    /// Those after all its spikes are known.
    pub(crate) at_end: Vec<Pass>,
    /// Those that complete the last step.
    pub(crate) complete_step: Vec<Pass>,
    /// For a part of a network, the same passes of each step in groups.
    pub(crate) of_rank: RankGroups,
    /// Steps of an epoch.
    pub(crate) epoch_steps: u32,
    /// How many of these passes are one dispatch.
    pub(crate) fusion: Fusion,
    /// Offset of the jobs of the passes in `tables`.
    pub(crate) jobs_offset: usize,
    /// Maximum number of passes, if values that are set split those with the same kernel.
    max_passes: usize,
}

/// Lays out a plan for the requested number of trials, with the jobs of its dispatches.
///
/// # Errors
/// A buffer is larger than the maximum of kernels: its name and both sizes; or a single row is larger than a page.
pub(crate) fn lay_out(plan: &Plan, shape: Shape) -> Result<(BufferLayout, Passes), Error> {
    let mut layout = BufferLayout::new(plan, shape)?;
    let mut passes = Passes::of(plan, &layout);
    passes.fusion = passes.fusion_of(plan, &layout);
    passes.max_passes = passes.all().count() + layout.max_recipe_groups() - layout.recipe_groups.len();
    let mut jobs = passes.jobs();
    jobs.resize(passes.max_passes * 4, 0);
    passes.jobs_offset = layout.describe(jobs);
    layout.check(plan)?;
    Ok((layout, passes))
}

/// The words of `tables` of a trial, whose plan differs from the one of the layout in values alone.
///
/// # Errors
/// It differs in more than values.
pub(crate) fn tables_of(layout: &BufferLayout, trial: usize, plan: &Plan) -> Result<Vec<u32>, Error> {
    let own = lay_out(plan, layout.shape)?.0.tables;
    if own.len() != layout.tables.len() {
        return Err(Error::Backend(format!("trial {trial} differs from the first in more than values; run it separately")));
    }
    Ok(own)
}

impl Passes {
    fn of(plan: &Plan, layout: &BufferLayout) -> Passes {
        let EpochStages { ahead, each_step, at_end } = EpochStages::of_epoch(plan, layout);
        let passes = |stages: Vec<_>| {
            stages.into_iter().flat_map(|stage| LaidOutPlan::new(plan, layout).passes(stage)).collect::<Vec<_>>()
        };
        let [ahead, mut each_step, at_end] = [ahead, each_step, at_end].map(passes);
        let mut of_rank = RankGroups::default();
        if !plan.part().is_whole() && RankTiming::of(plan).stops {
            (each_step, of_rank) = RankGroups::new(plan, layout);
        }
        let epoch_steps = layout.epoch_steps;
        let complete_step = LaidOutPlan::new(plan, layout).complete_step();
        Passes {
            ahead,
            each_step,
            at_end,
            complete_step,
            of_rank,
            epoch_steps,
            fusion: Fusion::None,
            jobs_offset: 0,
            max_passes: 0,
        }
    }

    /// Lists them again, after the groups with the same kernel have changed.
    pub(crate) fn renew(&mut self, plan: &Plan, layout: &BufferLayout) {
        let Passes { ahead, each_step, at_end, .. } = Passes::of(plan, layout);
        (self.ahead, self.each_step, self.at_end) = (ahead, each_step, at_end);
    }

    /// All of them, in their order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Pass> {
        self.ahead.iter().chain(&self.each_step).chain(&self.at_end)
    }

    /// The jobs of all passes, for dispatches that do several.
    pub(crate) fn jobs(&self) -> Vec<u32> {
        self.all().flat_map(|pass| pass.job).collect()
    }

    /// Maximum number of jobs of dispatches; those that complete a step come last.
    pub(crate) fn max_jobs(&self) -> usize {
        self.max_passes + self.each_step.len() * (self.epoch_steps as usize - 1) + self.complete_step.len()
    }

    /// The requested extent if possible: one dispatch for networks that one workgroup can run, else one dispatch for the passes of each
    /// step, if a workgroup can run them.
    fn fusion_of(&self, plan: &Plan, layout: &BufferLayout) -> Fusion {
        if !plan.part().is_whole() {
            // Between epochs, and between some steps, it exchanges with other ranks.
            return Fusion::None;
        }
        let shape = layout.shape;
        let GpuConstants { single_neurons, single_items, .. } = shape.constants;
        let fits = |iterations: u64| !shape.software || iterations <= ITERATIONS_SOFTWARE;
        let can_all = layout.pages.len() == 1 && fits(self.iterations());
        let can_steps = !self.each_step.is_empty() && fits(self.iterations_of_steps());
        let items = |passes: &[Pass]| passes.iter().map(Pass::items).sum::<u64>();
        let is_small = |neurons: u32, items: u64| neurons <= single_neurons && items <= single_items;
        let all = items(&self.ahead) + items(&self.each_step) + items(&self.at_end);
        let wanted = shape.fusion.unwrap_or_else(|| {
            if can_all && is_small(plan.neurons(), all) {
                Fusion::All
            } else if is_small(layout.stopping_neurons(), items(&self.each_step)) {
                Fusion::Steps
            } else {
                Fusion::None
            }
        });
        match wanted {
            Fusion::All if can_all => Fusion::All,
            Fusion::Steps if can_steps => Fusion::Steps,
            _ => Fusion::None,
        }
    }

    /// Maximum loop iterations of an invocation per epoch, if one workgroup does everything.
    pub(crate) fn iterations(&self) -> u64 {
        let through = |passes: &[Pass]| passes.iter().map(Pass::iterations_in_single).sum::<u64>();
        through(&self.ahead) * u64::from(self.epoch_steps) + self.iterations_of_steps() + through(&self.at_end)
    }

    /// The same if it does the passes of each step.
    fn iterations_of_steps(&self) -> u64 {
        self.each_step.iter().map(Pass::iterations_in_single).sum::<u64>() * u64::from(self.epoch_steps)
    }
}

/// Teams of a workgroup that does everything.
const SINGLE_TEAMS: u64 = (SINGLE_SIZE / TEAM_SIZE) as u64;

#[cfg(test)]
mod tests;
