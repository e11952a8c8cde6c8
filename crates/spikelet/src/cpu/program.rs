//! The schedule of a plan as the CPU runs it: which phases threads do between two meetings, and what they write down for others before.

use super::published::Published;
use crate::plan::Plan;
use crate::plan::schedule::{Phase, Schedule, Work};

/// What the threads of a trial do.
pub(super) struct Program {
    /// The phases of neurons that run ahead.
    pub(super) ahead: Ahead,
    /// The phases of those that stop after each step, up to their spikes.
    pub(super) before_spikes: Vec<Stage>,
    /// And those after.
    pub(super) after_spikes: Vec<Stage>,
    /// Steps that neurons run ahead.
    pub(super) epoch_steps: u32,
    /// Steps after which those that stop hear of spikes elsewhere.
    pub(super) hearing_steps: u32,
    /// Arrays that synapses read of neurons of other threads.
    pub(super) published: Published,
    /// How many threads have neurons that stop, and whether any neurons run ahead.
    pub(super) stopping: usize,
    pub(super) runs_ahead: bool,
}

/// How neurons run ahead.
pub(super) enum Ahead {
    /// Each block through the whole epoch while that is in the cache: what is to be done, by population.
    Blocks(Vec<Vec<Work>>),
    /// All blocks through a phase, step by step.
    Phases(Vec<Phase>),
}

/// Phases between two meetings.
pub(super) struct Stage {
    /// The arrays that are written down before, by place.
    pub(super) publishes: Vec<usize>,
    pub(super) phases: Vec<Phase>,
}

impl Program {
    /// What `stopping` threads do with neurons that stop, and all with those that run ahead.
    pub(super) fn new(plan: &Plan, fuses: bool, stopping: usize, runs_ahead: bool) -> Program {
        let schedule = plan.schedule().clone();
        let ahead = schedule.ahead();
        let ahead = if fuses { Schedule { phases: ahead, ..schedule.clone() }.fused().phases } else { ahead };
        let Schedule { phases, epoch_steps, hearing_steps, .. } = if fuses { schedule.fused() } else { schedule };
        // Rows without a state are walked once in an epoch, by whoever owns their targets.
        let phases: Vec<Phase> = phases.into_iter().filter(|phase| !matches!(phase.work[0], Work::Propagate(_))).collect();
        let apart = stopping > 1;
        let published = Published::new(plan, &phases, apart, apart || runs_ahead);
        let (before, after): (Vec<Phase>, Vec<Phase>) = phases.into_iter().partition(|phase| !phase.work[0].follows_spikes());
        let mut dirty = vec![false; published.len()];
        // Twice, since what is dirty at the start of a step is what the step before has left.
        stages(&before, &published, &mut dirty);
        stages(&after, &published, &mut dirty);
        let before_spikes = stages(&before, &published, &mut dirty);
        let after_spikes = stages(&after, &published, &mut dirty);
        let ahead = if ahead.len() == plan.populations.len() {
            Ahead::Blocks(ahead.into_iter().map(|phase| phase.work).collect())
        } else {
            Ahead::Phases(ahead)
        };
        Program { ahead, before_spikes, after_spikes, epoch_steps, hearing_steps, published, stopping, runs_ahead }
    }
}

/// Cuts phases wherever one reads an array elsewhere that was written since it was written down: `dirty` holds these.
fn stages(phases: &[Phase], published: &Published, dirty: &mut [bool]) -> Vec<Stage> {
    let mut stages = vec![Stage { publishes: Vec::new(), phases: Vec::new() }];
    for phase in phases {
        let publishes: Vec<usize> = published.read_by(phase).into_iter().filter(|place| dirty[*place]).collect();
        publishes.iter().for_each(|place| dirty[*place] = false);
        match stages.last_mut().filter(|_| publishes.is_empty()) {
            Some(stage) => stage.phases.push(phase.clone()),
            None => stages.push(Stage { publishes, phases: vec![phase.clone()] }),
        }
        published.written_by(phase).into_iter().for_each(|place| dirty[place] = true);
    }
    stages.retain(|stage| !stage.phases.is_empty());
    stages
}
