//! The schedule of a plan on the CPU: the phases between two synchronisations, and the arrays published before.

use super::published::PublishedArrays;
use super::worker::Worker;
use crate::plan::Plan;
use crate::plan::schedule::{Phase, PhaseKind, Schedule};

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

/// The fewest steps of a part for which computation and exchange overlap: with fewer, more messages would cost more than is gained.
const LEAST_OVERLAPPED_STEPS: u32 = 4;

/// How neurons run ahead.
pub(super) enum RunAhead {
    /// Each block through the whole epoch while it is in the cache: the work by population.
    Blocks(Vec<Vec<PhaseKind>>),
    /// All blocks through a phase, step by step.
    Phases(Vec<Phase>),
}

/// Phases between two synchronisations.
#[derive(Default)]
pub(super) struct PhaseGroup {
    /// The arrays published before, by index.
    pub(super) publishes: Vec<usize>,
    /// The populations whose winners are found before.
    pub(super) selects: Vec<usize>,
    pub(super) phases: Vec<Phase>,
}

impl ThreadProgram {
    /// The program of these threads.
    pub(super) fn new(plan: &Plan, fuses: bool, workers: &[Worker]) -> ThreadProgram {
        let schedule = plan.schedule().clone();
        let (stops, apart, runs_ahead) = if plan.part().is_whole() {
            let stopping = workers.iter().filter(|worker| worker.stopping.is_some()).count();
            (stopping > 0, stopping > 1, workers.iter().any(|worker| !worker.ahead.is_empty()))
        } else {
            let stops = schedule.stepwise.iter().any(|neurons| !neurons.is_empty());
            let sizes = plan.populations.iter().map(|population| population.size as usize);
            (stops, stops, schedule.stepwise.iter().zip(sizes).any(|(neurons, size)| neurons.len() < size))
        };
        let ahead = schedule.ahead();
        let ahead = if fuses { Schedule { phases: ahead, ..schedule.clone() }.fused().phases } else { ahead };
        let Schedule { phases, epoch_steps, exchange_steps: hearing_steps, .. } = if fuses { schedule.fused() } else { schedule };
        // Rows without state are processed once per epoch, by the owner of the targets.
        let phases: Vec<Phase> = phases.into_iter().filter(|phase| !matches!(phase.kinds[0], PhaseKind::Propagate(_))).collect();
        let published = PublishedArrays::new(plan, &phases, apart, apart || runs_ahead);
        let (before, after): (Vec<Phase>, Vec<Phase>) = phases.into_iter().partition(|phase| !phase.kinds[0].follows_spikes());
        let mut dirty = vec![false; published.len()];
        // Twice, because arrays that are dirty at the start of a step were written in the previous one.
        stages(&before, &published, &mut dirty);
        stages(&after, &published, &mut dirty);
        let before_spikes = stages(&before, &published, &mut dirty);
        let after_spikes = stages(&after, &published, &mut dirty);
        let ahead = if ahead.len() == plan.populations.len() {
            RunAhead::Blocks(ahead.into_iter().map(|phase| phase.kinds).collect())
        } else {
            RunAhead::Phases(ahead)
        };
        let part = part_steps(epoch_steps, stops);
        let overlaps = !plan.part().is_whole() && part < epoch_steps;
        ThreadProgram {
            ahead,
            before_spikes,
            after_spikes,
            epoch_steps: if overlaps { part } else { epoch_steps },
            overlaps,
            exchange_steps: hearing_steps,
            published,
            stops,
            apart,
            runs_ahead,
        }
    }
}

/// Number of steps after which ranks exchange spikes. Spikes of one half of an epoch are needed after the other half, so other ranks receive
/// them during it; neurons that stop need them earlier.
pub(crate) fn part_steps(epoch_steps: u32, stops: bool) -> u32 {
    if !stops && epoch_steps / 2 >= LEAST_OVERLAPPED_STEPS { epoch_steps / 2 } else { epoch_steps }
}

/// Splits phases where one reads an array of another thread that was written after its publication: `dirty` contains these; and where
/// neurons of several threads are compared.
fn stages(phases: &[Phase], published: &PublishedArrays, dirty: &mut [bool]) -> Vec<PhaseGroup> {
    let mut stages = vec![PhaseGroup::default()];
    for phase in phases {
        if let Some(population) = phase.kinds[0].selects() {
            match stages.last_mut().filter(|stage| stage.phases.is_empty()) {
                Some(stage) => stage.selects.push(population),
                None => stages.push(PhaseGroup { selects: vec![population], ..PhaseGroup::default() }),
            }
            continue;
        }
        let publishes: Vec<usize> = published.read_by(phase).into_iter().filter(|place| dirty[*place]).collect();
        publishes.iter().for_each(|place| dirty[*place] = false);
        match stages.last_mut().filter(|_| publishes.is_empty()) {
            Some(stage) => stage.phases.push(phase.clone()),
            None => stages.push(PhaseGroup { publishes, phases: vec![phase.clone()], ..PhaseGroup::default() }),
        }
        published.written_by(phase).into_iter().for_each(|place| dirty[place] = true);
    }
    stages.retain(|stage| !stage.phases.is_empty() || !stage.selects.is_empty());
    stages
}
