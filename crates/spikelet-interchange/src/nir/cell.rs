//! The nodes with a state: neurons, leaky integrators and thresholds.

use super::tensor::Tensor;

/// Neurons of one kind, with a value of each parameter per neuron or for all of them.
///
/// Equations are those of Pedersen et al. 2024, Nature Communications 15:8122, table 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Their kind.
    pub kind: CellKind,
    /// The values of [`CellKind::parameters`], in that order.
    pub values: Vec<Tensor>,
}

/// The kinds of neurons, with the names of NIR.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Integrator: v' = r I.
    I,
    /// Integrate-and-fire: v' = r I, a spike at v > v_threshold, then v = v_reset.
    If,
    /// Leaky integrator: tau v' = v_leak - v + r I.
    Li,
    /// Leaky integrate-and-fire.
    Lif,
    /// Leaky integrator with a synaptic current: tau_syn I' = -I + w_in S, tau_mem v' = v_leak - v + r I.
    CubaLi,
    /// Leaky integrate-and-fire with a synaptic current.
    CubaLif,
    /// A spike in each step in which the input is above the threshold.
    Threshold,
}

/// What a parameter is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Parameter {
    /// Its name in NIR and in networks.
    pub(super) name: &'static str,
    /// Whether it is a time in seconds, above 0; else a plain number.
    pub(super) is_time: bool,
    /// The value if a file has none.
    pub(super) default: Option<f64>,
}

const fn number(name: &'static str) -> Parameter {
    Parameter { name, is_time: false, default: None }
}

const fn time(name: &'static str) -> Parameter {
    Parameter { name, is_time: true, default: None }
}

const fn optional(name: &'static str, default: f64) -> Parameter {
    Parameter { name, is_time: false, default: Some(default) }
}

const R: Parameter = number("r");
const LEAK: Parameter = number("v_leak");
const THRESHOLD: Parameter = number("v_threshold");
const LEVEL: Parameter = number("threshold");
// Files of older versions have no v_reset; the Python package then takes 0.
const RESET: Parameter = optional("v_reset", 0.0);
const W_IN: Parameter = optional("w_in", 1.0);
const TAU: Parameter = time("tau");
const TAU_MEM: Parameter = time("tau_mem");
const TAU_SYN: Parameter = time("tau_syn");

impl CellKind {
    /// All kinds.
    pub const ALL: [CellKind; 7] =
        [CellKind::I, CellKind::If, CellKind::Li, CellKind::Lif, CellKind::CubaLi, CellKind::CubaLif, CellKind::Threshold];

    /// The name of the type in a file.
    pub fn name(self) -> &'static str {
        match self {
            CellKind::I => "I",
            CellKind::If => "IF",
            CellKind::Li => "LI",
            CellKind::Lif => "LIF",
            CellKind::CubaLi => "CubaLI",
            CellKind::CubaLif => "CubaLIF",
            CellKind::Threshold => "Threshold",
        }
    }

    /// The names of its parameters, in the order of [`Cell::values`].
    pub fn parameters(self) -> impl Iterator<Item = &'static str> {
        self.table().iter().map(|parameter| parameter.name)
    }

    pub(super) fn table(self) -> &'static [Parameter] {
        match self {
            CellKind::I => &[R],
            CellKind::If => &[R, THRESHOLD, RESET],
            CellKind::Li => &[TAU, R, LEAK],
            CellKind::Lif => &[TAU, R, LEAK, THRESHOLD, RESET],
            CellKind::CubaLi => &[TAU_MEM, TAU_SYN, R, LEAK, W_IN],
            CellKind::CubaLif => &[TAU_MEM, TAU_SYN, R, LEAK, THRESHOLD, RESET, W_IN],
            CellKind::Threshold => &[LEVEL],
        }
    }

    /// Whether it sends spikes; others send their potential.
    pub fn fires(self) -> bool {
        matches!(self, CellKind::If | CellKind::Lif | CellKind::CubaLif | CellKind::Threshold)
    }

    /// Whether a spike changes its potential.
    pub(super) fn resets(self) -> bool {
        self.fires() && self != CellKind::Threshold
    }
}

impl Cell {
    /// The values of a parameter.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        let place = self.kind.parameters().position(|of| of == name)?;
        self.values.get(place)
    }
}
