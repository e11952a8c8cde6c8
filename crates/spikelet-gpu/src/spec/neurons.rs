//! Models of neurons.

use spikelet::lang::Program;
use spikelet::lang::ir::Code;
use spikelet::lang::program::{ColumnChecks, RegularCode};
use spikelet::{Plan, PopulationPlan};

/// A model of neurons: names and codes, without values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Model {
    variables: Vec<String>,
    take: Code,
    reset: Code,
    after_events: Vec<Code>,
    regular: Vec<RegularCode>,
    hold: Code,
    update: Code,
    /// The variable that is compared, where only winners fire.
    score: Option<usize>,
    /// Where columns of timed arrays are noted that do not exist.
    columns: Option<ColumnChecks>,
    /// Whether there is a spike history.
    pub(crate) remembers: bool,
    /// Whether neurons make room in it for the next step. The host does so for a part of a network, since it writes the spikes of others there.
    pub(crate) forgets: bool,
}

impl Model {
    /// The model of a population.
    pub(crate) fn of(plan: &Plan, population: &PopulationPlan) -> Model {
        let Program { variables, deliver_input: take, reset, after_events, regular, .. } = population.program.clone();
        let Program { sample_and_hold: hold, update, score, columns, .. } = population.program.clone();
        let remembers = plan.memory_steps > 0;
        let forgets = remembers && plan.part().is_whole();
        Model { variables, take, reset, after_events, regular, hold, update, score, columns, remembers, forgets }
    }

    /// Its program, without the part for the host.
    pub(crate) fn program(&self) -> Program {
        let Model { variables, take, reset, after_events, regular, hold, update, score, columns, .. } = self.clone();
        let program = Program { variables, deliver_input: take, reset, after_events, regular, ..Program::default() };
        Program { sample_and_hold: hold, update, score, columns, ..program }
    }
}
