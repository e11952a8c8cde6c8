//! A pass and its size.

use super::SINGLE_TEAMS;
use crate::sizes::{ITERATIONS_SOFTWARE, SELECT_SIZE, TEAM_SIZE};
use crate::spec::Kernel;

/// Maximum number of teams of a dispatch; kernels stride over the rest.
const MAX_TEAMS: u32 = 32_768;
/// Minimum number of teams that share the spikes of an epoch on a software adapter, where an idle team costs as much as a busy one.
const SPIKE_TEAMS_SOFTWARE: u32 = 8;
/// Maximum number of teams of such a dispatch.
const MAX_TEAMS_SOFTWARE: u32 = 65_535;

/// A pass.
#[derive(Debug, Clone)]
pub(crate) struct Pass {
    pub(crate) kernel: Kernel,
    /// `Job` of shaders/header.wgsl, without its steps.
    pub(crate) job: [u32; 4],
    /// The page bound as `rows`.
    pub(crate) page: usize,
    /// Teams, if there is one per piece of work.
    teams: u32,
    /// For teams that share spikes: the loop iterations of all of them together, if every neuron fires in every step.
    shared_iterations: Option<u64>,
    /// For workgroups with chunks of a selection: the loop iterations of one that has all of them.
    chunk_iterations: Option<u64>,
}

impl Pass {
    /// A dispatch over blocks, with one team each.
    pub(super) fn of_blocks(kernel: Kernel, job: [u32; 4]) -> Pass {
        Pass { kernel, job, page: 0, teams: job[1], shared_iterations: None, chunk_iterations: None }
    }

    /// A dispatch over `items`, with one invocation each.
    pub(super) fn of_items(kernel: Kernel, job: [u32; 4], items: u32) -> Pass {
        Pass { kernel, job, page: 0, teams: items.div_ceil(TEAM_SIZE), shared_iterations: None, chunk_iterations: None }
    }

    /// A dispatch whose teams share spikes.
    pub(super) fn of_spikes(kernel: Kernel, job: [u32; 4], teams: u32, iterations: u64) -> Pass {
        Pass { kernel, job, page: 0, teams, shared_iterations: Some(iterations), chunk_iterations: None }
    }

    /// A dispatch with a workgroup for each chunk of the selections.
    pub(super) fn of_chunks(kernel: Kernel, job: [u32; 4], iterations: u64) -> Pass {
        let teams = job[1] * (SELECT_SIZE / TEAM_SIZE);
        Pass { kernel, job, page: 0, teams, shared_iterations: None, chunk_iterations: Some(iterations) }
    }

    /// The same with another page bound as `rows`.
    pub(super) fn on_page(self, page: usize) -> Pass {
        Pass { page, ..self }
    }

    /// Number of workgroups of this size.
    pub(crate) fn workgroups(&self, size: u32, software: bool) -> u32 {
        let teams = match self.shared_iterations {
            Some(iterations) if software => {
                let teams = iterations.div_ceil(ITERATIONS_SOFTWARE).min(u64::from(MAX_TEAMS_SOFTWARE));
                (teams as u32).max(SPIKE_TEAMS_SOFTWARE)
            }
            _ => self.teams.clamp(1, MAX_TEAMS),
        };
        teams.div_ceil(self.kernel.workgroup_size(size) / TEAM_SIZE)
    }

    /// Number of neurons, synapses and so on that it visits in any case.
    pub(super) fn items(&self) -> u64 {
        if self.shared_iterations.is_some() { 0 } else { u64::from(self.teams) * u64::from(TEAM_SIZE) }
    }

    /// Maximum loop iterations of an invocation, if one workgroup does all of it.
    pub(super) fn iterations_in_single(&self) -> u64 {
        self.chunk_iterations.unwrap_or_else(|| self.shared_iterations.unwrap_or(self.teams.into()).div_ceil(SINGLE_TEAMS))
    }
}
