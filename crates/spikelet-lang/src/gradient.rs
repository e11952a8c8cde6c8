//! Gradients of codes by reverse accumulation (Griewank & Walther 2008, *Evaluating Derivatives*, chapter 3): from the code of a step, the
//! code of its vector–Jacobian product.
//!
//! [`Program::step`] joins the four codes of a step into one. Its [`vjp`] reads the state before the step and the adjoints (derivatives of
//! a loss) of everything after it, and stores the adjoints of everything before it. Both are plain [`Code`](crate::ir::Code), so every printer runs them.
//!
//! Conditions have no derivative: a [`Select`](crate::ir::Op::Select) passes its adjoint to the chosen side. The threshold has one from a
//! [`Surrogate`]. Since a spike of the step before selects the reset, its adjoint is the difference of both sides.

mod compose;
mod counts;
mod no_gradient;
mod reverse;
mod rules;
mod safety;
mod shape;
mod surrogate;

pub use compose::SpikeValue;
pub use counts::check_counts;
pub use no_gradient::NoGradient;
pub use reverse::{DetachedReset, vjp};
pub use shape::Shape;
pub use surrogate::Surrogate;

use crate::program::Program;

/// The arrays of the code of a step and of its gradient, one number per neuron each. Indices up to [`Program::variables`] are those of the
/// program; the others follow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct GradientLayout {
    /// Number of arrays of the program.
    pub variables: usize,
    /// Arrays of the program that are read by a loss: their values before the update, as samples have them.
    pub observed: Vec<usize>,
    /// Number of ports.
    pub ports: usize,
    /// Number of constants.
    pub constants: usize,
}

impl GradientLayout {
    /// The layout for a program whose arrays `observed` a loss reads.
    pub fn new(program: &Program, observed: Vec<usize>) -> GradientLayout {
        let (ports, constants) = (program.ports.len(), program.rules.constants.len());
        GradientLayout { variables: program.variables.len(), observed, ports, constants }
    }

    /// Read: whether the neuron fired in the step before, as 1 or 0. The code of [`SpikeValue::Soft`] stores the value of this step there.
    pub fn spike(&self) -> usize {
        self.variables
    }

    /// Stored by the code of a step: the value of an observed array, by its index in [`GradientLayout::observed`].
    pub fn observation(&self, index: usize) -> usize {
        self.variables + 1 + index
    }

    /// Read: the adjoint of an array after the step. Stored: that before the step.
    pub fn adjoint(&self, array: usize) -> usize {
        self.observation(self.observed.len()) + array
    }

    /// Stored: the adjoint of the spike of the step before, through the reset.
    pub fn adjoint_of_last_spike(&self) -> usize {
        self.adjoint(self.variables)
    }

    /// Read: the adjoint of the spike of this step.
    pub fn adjoint_of_spike(&self) -> usize {
        self.adjoint_of_last_spike() + 1
    }

    /// Read: the adjoint of an observation.
    pub fn adjoint_of_observation(&self, index: usize) -> usize {
        self.adjoint_of_spike() + 1 + index
    }

    /// Stored: the adjoint of the input of a port, in the unit of its variable.
    pub fn adjoint_of_port(&self, port: usize) -> usize {
        self.adjoint_of_observation(self.observed.len()) + port
    }

    /// Read and stored: the sum over all steps of the adjoints of a constant.
    pub fn adjoint_of_constant(&self, constant: usize) -> usize {
        self.adjoint_of_port(self.ports) + constant
    }

    /// Number of all arrays.
    pub fn arrays(&self) -> usize {
        self.adjoint_of_constant(self.constants)
    }
}
