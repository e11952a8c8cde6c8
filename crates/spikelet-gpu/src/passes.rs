//! The dispatches of an epoch: from the phases of its schedule (`phases`) and the places of a layout.

mod pass;
mod phases;

pub(crate) use pass::Pass;
use phases::Placed;
use spikelet::{Error, Plan};

use crate::layout::Layout;
use crate::shape::Shape;
use crate::sizes::{ITERATIONS_SOFTWARE, SINGLE_SIZE, TEAM_SIZE};
use crate::spec::Kernel;

/// Neurons, and what else is gone through in every epoch, of a network that one workgroup runs alone.
const SINGLE_NEURONS: u32 = 1024;
const SINGLE_ITEMS: u64 = 4096;

/// What is dispatched in an epoch.
pub(crate) struct Passes {
    /// In their order.
    pub(crate) list: Vec<Pass>,
    /// Whether all of it, of all epochs of a submission, is one dispatch, rather than a dispatch each.
    pub(crate) single_dispatch: bool,
    /// Loop iterations of an invocation in an epoch, at most, where that is so.
    pub(crate) single_iterations: u64,
    /// Where the jobs of the passes are in `tables`.
    pub(crate) jobs_at: usize,
    /// How many there may be, when values that are set part those that share a kernel.
    pub(crate) most_jobs: usize,
}

/// Lays out a plan, for as many trials of it as asked for, with the jobs of its dispatches.
///
/// # Errors
/// A buffer is larger than a kernel can see: its name and both sizes; or a single row is larger than a page.
pub(crate) fn lay_out(plan: &Plan, shape: Shape) -> Result<(Layout, Passes), Error> {
    let mut layout = Layout::new(plan, shape)?;
    let list = list(plan, &layout);
    let single_iterations = single_iterations(&list, layout.epoch_steps);
    let possible = layout.pages.len() == 1 && (!shape.software || single_iterations <= ITERATIONS_SOFTWARE);
    let single_dispatch = possible && shape.single_dispatch.unwrap_or_else(|| is_small(plan, &list));
    let most_jobs = list.len() + layout.most_recipe_groups() - layout.recipe_groups.len();
    let mut passes = Passes { list, single_dispatch, single_iterations, jobs_at: 0, most_jobs };
    let mut jobs = passes.jobs();
    jobs.resize(most_jobs * 4, 0);
    passes.jobs_at = layout.describe(jobs);
    layout.check(plan)?;
    Ok((layout, passes))
}

/// The words of `tables` of a trial, whose plan differs from the one that was laid out in values alone.
///
/// # Errors
/// It differs in more.
pub(crate) fn tables_of(layout: &Layout, trial: usize, plan: &Plan) -> Result<Vec<u32>, Error> {
    let own = lay_out(plan, layout.shape)?.0.tables;
    if own.len() != layout.tables.len() {
        return Err(Error::Backend(format!("trial {trial} differs from the first in more than values; run it by itself")));
    }
    Ok(own)
}

/// All dispatches of an epoch.
fn list(plan: &Plan, layout: &Layout) -> Vec<Pass> {
    phases::of_epoch(plan).into_iter().flat_map(|stage| Placed { plan, layout }.passes(stage)).collect()
}

fn single_iterations(list: &[Pass], epoch_steps: u32) -> u64 {
    list.iter().map(|pass| pass.iterations(SINGLE_SIZE / TEAM_SIZE, epoch_steps)).sum()
}

/// Whether a workgroup can do the work of an epoch.
fn is_small(plan: &Plan, list: &[Pass]) -> bool {
    let items: u64 = list.iter().map(Pass::items).sum();
    plan.neurons() <= SINGLE_NEURONS && items <= SINGLE_ITEMS
}

impl Passes {
    /// Lists them anew, after what shares a kernel has changed.
    pub(crate) fn renew(&mut self, plan: &Plan, layout: &Layout) {
        self.list = list(plan, layout);
        self.single_iterations = single_iterations(&self.list, layout.epoch_steps);
    }

    /// Their kernels.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = Kernel> {
        self.list.iter().map(|pass| pass.kernel.clone())
    }

    /// The jobs of all passes, for the dispatch that does them all.
    pub(crate) fn jobs(&self) -> Vec<u32> {
        self.list.iter().flat_map(|pass| pass.job).collect()
    }
}

#[cfg(test)]
mod tests {
    use spikelet::Network;

    use super::*;

    /// What an epoch goes through although nothing happens, of a network that learns, with so many synapses onto each neuron.
    fn idle_items(synapses: u32) -> u64 {
        let json = format!(
            r#"{{"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "a", "size": 500, "model": "lif_exp"}}],
                "projections": [
                  {{"name": "one", "pre": "a", "post": "a", "connect": {{"rule": "fixed_indegree", "n": {synapses}}},
                    "equations": "w : volt\ndx/dt = -x/ms : 1 (event-driven)", "on_pre": "ge_post += w\nx += 1", "on_post": "w += x*mV"}},
                  {{"name": "each", "pre": "a", "post": "a", "connect": {{"rule": "fixed_indegree", "n": {synapses}}},
                    "equations": "w : volt", "on_pre": "ge_post += w\nw *= 0.9", "on_post": "w += 1*mV",
                    "delay_ms": {{"expr": "rand()*ms"}}, "delay_post_ms": {{"expr": "rand()*ms"}}}}]}}"#
        );
        let plan = Network::from_json(&json).and_then(|network| Plan::new(&network)).unwrap_or_else(|error| panic!("{error}"));
        let (_, passes) = lay_out(&plan, Shape::unlimited()).unwrap_or_else(|error| panic!("{error}"));
        passes.list.iter().map(Pass::items).sum()
    }

    #[test]
    fn no_pass_goes_through_all_synapses_that_learn_from_spikes() {
        assert_eq!(idle_items(4), idle_items(40));
        // Blocks of neurons, and the words of those that may have fired.
        assert_eq!(idle_items(4), 512 + 64);
    }
}
