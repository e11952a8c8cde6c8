//! The schedule of a plan on the CPU: the phases between two synchronisations, and the arrays published before.

use spikelet_plan::Plan;
use spikelet_plan::schedule::{Phase, PhaseGroup, PhaseKind, Schedule, StepGroups};

use super::published::PublishedArrays;
use crate::exchange::RankTiming;

/// The work of the threads of a trial.
pub(super) struct ThreadProgram {
    /// The phases of neurons that run ahead.
    pub(super) ahead: RunAhead,
    /// The phases of those that stop after each step, up to their spikes.
    pub(super) before_spikes: Vec<PhaseGroup>,
    /// The phases after their spikes.
    pub(super) after_spikes: Vec<PhaseGroup>,
    /// Steps that neurons run ahead.
    pub(super) epoch_steps: u32,
    /// Whether they run for this number of steps once more before they need the spikes of other ranks.
    pub(super) overlaps: bool,
    /// Steps after which those that stop receive spikes from elsewhere.
    pub(super) exchange_steps: u32,
    /// Arrays of neurons of other threads or ranks that synapses read.
    pub(super) published: PublishedArrays,
    /// Whether any neurons stop, whether these belong to several threads or ranks, and whether any neurons run ahead. All ranks have the same
    /// answers, whatever neurons they have, because all of them must exchange the same in the same order.
    pub(super) stops: bool,
    pub(super) apart: bool,
    pub(super) runs_ahead: bool,
}

/// How neurons run ahead.
pub(super) enum RunAhead {
    /// Each block through the whole epoch while it is in the cache: the work by population.
    Blocks(Vec<Vec<PhaseKind>>),
    /// All blocks through a phase, step by step.
    Phases(Vec<Phase>),
}

impl ThreadProgram {
    /// The program of `stopping` threads with neurons that stop; `runs_ahead` says whether any threads have others. Other ranks may have
    /// both.
    pub(super) fn new(plan: &Plan, fuses: bool, stopping: usize, runs_ahead: bool) -> ThreadProgram {
        let schedule = plan.schedule().clone();
        let (timing, apart) = if plan.part().is_whole() {
            let timing = RankTiming {
                part_steps: schedule.epoch_steps,
                overlaps: false,
                exchange_steps: schedule.exchange_steps,
                stops: stopping > 0,
                runs_ahead,
            };
            (timing, stopping > 1)
        } else {
            let timing = RankTiming::of(plan);
            (timing, timing.stops)
        };
        let RankTiming { part_steps, overlaps, exchange_steps, stops, runs_ahead } = timing;
        let ahead = schedule.ahead();
        let ahead = if fuses { Schedule { phases: ahead, ..schedule.clone() }.fused().phases } else { ahead };
        let stages = if plan.part().is_whole() {
            let phases = if fuses { schedule.fused().phases } else { schedule.phases };
            let published = PublishedArrays::wanted(plan, &phases, apart, apart || runs_ahead);
            StepGroups::new(phases, published)
        } else {
            // Other ranks may have devices that fuse otherwise.
            let stages = StepGroups::of_ranks(plan);
            if fuses { stages.fused() } else { stages }
        };
        let StepGroups { published, before_spikes, after_spikes } = stages;
        let published = PublishedArrays::new(plan, published);
        let ahead = if ahead.len() == plan.populations.len() {
            RunAhead::Blocks(ahead.into_iter().map(|phase| phase.kinds).collect())
        } else {
            RunAhead::Phases(ahead)
        };
        ThreadProgram {
            ahead,
            before_spikes,
            after_spikes,
            epoch_steps: part_steps,
            overlaps,
            exchange_steps,
            published,
            stops,
            apart,
            runs_ahead,
        }
    }
}
