//! Something that a dispatch does, and how large it is.

use super::SINGLE_TEAMS;
use crate::sizes::{ITERATIONS_SOFTWARE, TEAM_SIZE};
use crate::spec::Kernel;

/// Most teams in a dispatch; kernels stride over the rest.
const MAX_TEAMS: u32 = 32_768;
/// Teams that share the spikes of an epoch, at least, for a software adapter, where an idle team costs as much as a busy one.
const SPIKE_TEAMS_SOFTWARE: u32 = 8;
/// Most teams of such a dispatch there.
const MAX_TEAMS_SOFTWARE: u32 = 65_535;

/// Something that a dispatch does.
#[derive(Debug, Clone)]
pub(crate) struct Pass {
    pub(crate) kernel: Kernel,
    /// `Job` of shaders/header.wgsl, without its steps.
    pub(crate) job: [u32; 4],
    /// The buffer that `rows` stands for.
    pub(crate) page: usize,
    /// Teams, if it has one for each piece of work.
    teams: u32,
    /// Where teams share what has happened: the loop iterations of all of them together, if every neuron fires in every step.
    shared_iterations: Option<u64>,
}

impl Pass {
    /// A dispatch over blocks, each of them a team's.
    pub(super) fn of_blocks(kernel: Kernel, job: [u32; 4]) -> Pass {
        Pass { kernel, job, page: 0, teams: job[1], shared_iterations: None }
    }

    /// A dispatch over `items`, each of them an invocation's.
    pub(super) fn of_items(kernel: Kernel, job: [u32; 4], items: u32) -> Pass {
        Pass { kernel, job, page: 0, teams: items.div_ceil(TEAM_SIZE), shared_iterations: None }
    }

    /// A dispatch whose teams share what has happened.
    pub(super) fn of_spikes(kernel: Kernel, job: [u32; 4], teams: u32, iterations: u64) -> Pass {
        Pass { kernel, job, page: 0, teams, shared_iterations: Some(iterations) }
    }

    /// The same where `rows` stands for another page.
    pub(super) fn on_page(self, page: usize) -> Pass {
        Pass { page, ..self }
    }

    /// How many workgroups of this size it gets.
    pub(crate) fn workgroups(&self, size: u32, software: bool) -> u32 {
        let teams = match self.shared_iterations {
            Some(iterations) if software => {
                let teams = iterations.div_ceil(ITERATIONS_SOFTWARE).min(u64::from(MAX_TEAMS_SOFTWARE));
                (teams as u32).max(SPIKE_TEAMS_SOFTWARE)
            }
            _ => self.teams.clamp(1, MAX_TEAMS),
        };
        teams.div_ceil(size / TEAM_SIZE)
    }

    /// Neurons, synapses and so on that it goes through, whatever has happened.
    pub(super) fn items(&self) -> u64 {
        if self.shared_iterations.is_some() { 0 } else { u64::from(self.teams) * u64::from(TEAM_SIZE) }
    }

    /// Loop iterations of an invocation, at most, if one workgroup does all of it.
    pub(super) fn iterations_in_single(&self) -> u64 {
        self.shared_iterations.unwrap_or(self.teams.into()).div_ceil(SINGLE_TEAMS)
    }
}
