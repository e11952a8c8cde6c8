//! Populations, ready to run.

use spikelet_lang::Program;
use spikelet_network::WinnerRule;

use super::clocks::Clocks;
use super::port::Port;

/// A population, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct PopulationPlan {
    /// Its name in the network.
    pub name: String,
    /// Number of its first neuron in the network.
    pub first: u32,
    /// Number of neurons.
    pub size: u32,
    /// The code of a step.
    pub program: Program,
    /// Values of the program's constants.
    pub constants: Vec<f32>,
    /// Initial values of the program's arrays: one for all neurons, or one per neuron.
    pub initial: Vec<Vec<f32>>,
    /// The program's ports.
    pub ports: Vec<Port>,
    /// The program's clocks, and its tables.
    pub clocks: Clocks,
    /// Index of the clocks' values in a row of [`Plan::clocks`](crate::Plan::clocks).
    pub first_clock: u32,
    /// Which of the neurons above threshold fire, if not all do: the array [`Program::score`] has the values that are compared.
    pub winners: Option<WinnerRule>,
    /// The first population of its group: of the populations of a group only the one whose winners have the largest sum fires.
    pub group: Option<usize>,
}

impl PopulationPlan {
    /// The initial value of an array in a neuron.
    pub fn initial(&self, array: usize, neuron: usize) -> f32 {
        let values = &self.initial[array];
        if values.len() == 1 { values[0] } else { values[neuron] }
    }

    /// Which of its ports have remainders.
    pub fn split_precision(&self) -> Vec<bool> {
        self.ports.iter().map(|port| port.split_precision).collect()
    }

    /// The variables that are stored in two words.
    pub(crate) fn in_two_words(&self) -> impl Iterator<Item = &str> {
        self.program.variables.iter().filter_map(|name| spikelet_lang::of_low_word(name))
    }

    /// The port through which events are added to a variable.
    pub fn port(&self, variable: &str, wide: bool) -> Option<usize> {
        let adds = |port: usize| {
            self.program.variables[self.program.ports[port]] == variable && self.ports[port].split_precision == wide
        };
        (0..self.ports.len()).find(|port| adds(*port))
    }
}
