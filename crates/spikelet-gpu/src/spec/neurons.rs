//! Models of neurons.

use spikelet::lang::Program;
use spikelet::lang::ir::Code;
use spikelet::{Plan, PopulationPlan};

/// A model of neurons: names and codes, without values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Model {
    variables: Vec<String>,
    take: Code,
    reset: Code,
    hold: Code,
    update: Code,
    /// The variable that is compared, where only winners fire.
    score: Option<usize>,
    /// Whether there is a spike history.
    pub(crate) remembers: bool,
}

impl Model {
    /// The model of a population.
    pub(crate) fn of(plan: &Plan, population: &PopulationPlan) -> Model {
        let Program { variables, deliver_input: take, reset, sample_and_hold: hold, update, score, .. } =
            population.program.clone();
        Model { variables, take, reset, hold, update, score, remembers: plan.memory_steps > 0 }
    }

    /// Its program, without the part for the host.
    pub(crate) fn program(&self) -> Program {
        let Model { variables, take, reset, hold, update, score, .. } = self.clone();
        Program { variables, deliver_input: take, reset, sample_and_hold: hold, update, score, ..Program::default() }
    }
}
