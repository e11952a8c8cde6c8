//! Finite automata and a coin as networks of assemblies (Dabagia, Papadimitriou & Vempala 2025, Neural Computation 37:193; Dabagia,
//! Mitropolsky, Papadimitriou & Vempala 2024, "Coin-flipping in the brain", arXiv 2406.07715).

mod coin;

pub use coin::Coin;

use crate::operations::{read_out, without_plasticity};
use crate::{AreaId, AreaOptions, Assembly, Brain, BrainOptions, Error};

/// Parameters of an automaton.
#[derive(Debug, Clone, PartialEq)]
pub struct AutomatonOptions {
    /// The brain: seed, p, mode, threads and so on.
    pub brain: BrainOptions,
    /// Neurons of the area of arcs.
    pub n: u32,
    /// Winners of each area, and neurons of each state and each symbol.
    pub k: u32,
    /// β of the fibres into the area of arcs. If it is not 0, arcs of the same symbol get more similar with each presentation, and are
    /// confused in the end.
    pub beta: f64,
    /// β from arcs to states, and within states.
    pub state_beta: f64,
}

impl Default for AutomatonOptions {
    /// p = 0.1, n = 10,000, k = 100, β = 0 into arcs and 0.5 into states.
    fn default() -> AutomatonOptions {
        let brain = BrainOptions { p: 0.1, ..BrainOptions::default() };
        AutomatonOptions { brain, n: 10_000, k: 100, beta: 0.0, state_beta: 0.5 }
    }
}

/// A transition of an automaton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transition {
    /// The state before.
    pub state: u32,
    /// The symbol that is read.
    pub symbol: u32,
    /// The state afterwards.
    pub next: u32,
}

/// A finite automaton: areas of symbols, states and arcs. Symbols and states are blocks of neurons; an arc is an assembly that forms when a
/// state and a symbol project into the area of arcs together, and that projects to the next state. Transitions are in the synapses from arcs to states
/// only, which learn them.
pub struct Automaton {
    brain: Brain,
    symbols: AreaId,
    states: AreaId,
    arcs: AreaId,
    /// The assemblies of the states.
    lexicon: Vec<Assembly>,
}

impl Automaton {
    /// An automaton without transitions.
    ///
    /// # Errors
    /// A parameter is not valid.
    pub fn new(states: u32, symbols: u32, options: &AutomatonOptions) -> Result<Automaton, Error> {
        let AutomatonOptions { brain, n, k, beta, state_beta } = *options;
        let mut brain = Brain::new(brain)?;
        let symbols = brain.add_area("SYMBOL", AreaOptions::new(symbols.saturating_mul(k), k, 0.0).explicit())?;
        let blocks = states.saturating_mul(k);
        let area = brain.add_area("STATE", AreaOptions::new(blocks, k, state_beta).explicit())?;
        let arcs = brain.add_area("ARC", AreaOptions::new(n, k, beta))?;
        let lexicon = (0..states).map(|state| Assembly::block(area, k, state)).collect();
        Ok(Automaton { brain, symbols, states: area, arcs, lexicon })
    }

    /// The brain.
    pub fn brain(&self) -> &Brain {
        &self.brain
    }

    /// Presents transitions, each for some rounds (20 are enough): the state and the symbol project to the area of arcs; then the arc projects
    /// to the next state, which is made to fire, and the next state to itself.
    ///
    /// # Errors
    /// A state or symbol does not exist, or a round failed.
    pub fn learn(&mut self, transitions: &[Transition], rounds: u32) -> Result<(), Error> {
        let Automaton { brain, symbols, states, arcs, .. } = self;
        for Transition { state, symbol, next } in transitions {
            brain.activate(*symbols, *symbol)?;
            brain.activate(*states, *state)?;
            brain.project(&[((*symbols).into(), *arcs), ((*states).into(), *arcs)], rounds)?;
            brain.activate(*states, *next)?;
            brain.project(&[((*arcs).into(), *states), ((*states).into(), *states)], rounds)?;
        }
        Ok(())
    }

    /// Reads symbols from a state on, without plasticity: for each symbol, a round from state and symbol to arc, one from arc to state, and one
    /// within states, which completes the state.
    /// Returns the state after each symbol as it is read out; none if it is not a state.
    ///
    /// # Errors
    /// A state or symbol does not exist, or a round failed.
    pub fn run(&mut self, start: u32, symbols: &[u32]) -> Result<Vec<Option<u32>>, Error> {
        let Automaton { brain, symbols: area, states, arcs, lexicon } = self;
        brain.activate(*states, start)?;
        brain.unfix(*states);
        without_plasticity(brain, |brain| {
            let mut found = Vec::new();
            for symbol in symbols {
                brain.activate(*area, *symbol)?;
                brain.project(&[((*area).into(), *arcs), ((*states).into(), *arcs)], 1)?;
                brain.project(&[((*arcs).into(), *states)], 1)?;
                brain.project(&[((*states).into(), *states)], 1)?;
                found.push(read_out(brain, lexicon).map(|(state, _)| state as u32));
            }
            Ok(found)
        })
    }

    /// The transitions of the automaton that reads binary numbers, the first digit first: its state is the remainder after division by 3.
    pub fn divisible_by_3() -> Vec<Transition> {
        let transition = |state: u32, symbol: u32| Transition { state, symbol, next: (2 * state + symbol) % 3 };
        (0..3).flat_map(|state| [transition(state, 0), transition(state, 1)]).collect()
    }
}

#[cfg(test)]
mod tests;
