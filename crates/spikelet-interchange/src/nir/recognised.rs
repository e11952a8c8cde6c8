//! A population in the terms of NIR.

use spikelet_lang::NeuronModel;
use spikelet_network::{Error, Population};

use super::cell::Cell;

/// A population in the terms of NIR.
pub(super) struct Recognised {
    /// Its cells; `None` for neurons whose potential is their input.
    pub(super) cell: Option<Cell>,
    /// A constant input of each neuron, if there is one.
    pub(super) bias: Option<Vec<f64>>,
    /// The variable to which events add.
    pub(super) port: String,
    /// What such an event must be multiplied by, for each neuron, to be the input of a step.
    pub(super) factor: Vec<f64>,
    /// Whether these inputs are those of the time step of the network, and of no other.
    pub(super) is_for_dt: bool,
    /// Whether a spike subtracts the threshold, which NIR does not store.
    pub(super) subtracts: bool,
    /// Its checked texts.
    pub(super) model: NeuronModel,
}

/// The error of a population with something that NIR does not have.
pub(super) fn lacking(path: &str, population: &Population, what: &str) -> Error {
    not_such(path, format!("the population `{}`", population.name), &format!("NIR lacks {what}"))
}

/// The same, with what was found.
pub(super) fn not_such(path: &str, found: String, expected: &str) -> Error {
    let way_out = "use equations such as `dv/dt = (El - v + R*I)/tau` and `dI/dt = -I/tau_s` with `v > Vt` and `v = Vr`, or the texts of an \
                   import of NIR";
    Error::invalid(path, found, expected, way_out)
}
