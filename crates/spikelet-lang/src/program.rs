//! A neuron model compiled for one population layout.

use std::collections::HashSet;

use crate::diagnostic::{Diagnostic, Kind, Span};
use crate::host::{self, Leaf};
use crate::ir::Code;
use crate::model::Method;
use crate::term::{Symbol, Term};

/// How the values of a population lie: decided by the plan, from the network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// Variables that have one value for each neuron although nothing writes them. All other unwritten ones are constants.
    pub per_neuron: HashSet<String>,
    /// Variables that synapses add to, in the order of their ports.
    pub ports: Vec<String>,
}

impl Layout {
    /// No ports; whatever is never written is the same for all neurons.
    pub fn uniform() -> Self {
        Layout::default()
    }
}

/// A number that is the same for all neurons of a population.
#[derive(Debug, Clone, PartialEq)]
pub enum ConstantRule {
    /// The value of a term without variables of the neurons.
    Term(Term),
    /// One entry of exp(A·dt) of a linear system dx/dt = A x + b, augmented by a row of zeros and the column b.
    Propagator {
        /// Index in [`Program::systems`].
        system: usize,
        /// Row: the variable that is computed.
        row: usize,
        /// Column: the variable it is computed from; the last one is the inhomogeneity.
        column: usize,
    },
}

/// A linear system with constant coefficients; see [`ConstantRule::Propagator`].
#[derive(Debug, Clone, PartialEq)]
pub struct LinearSystem {
    /// The augmented matrix, row by row, per ms.
    pub matrix: Vec<Vec<Term>>,
}

/// The code of one step of one population. See `spikelet::Backend::advance` for the order in which its parts run.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Names of the arrays kept for each neuron, in their order: state, then parameters that differ between neurons.
    pub variables: Vec<String>,
    /// Array that each port adds to.
    pub ports: Vec<usize>,
    /// How the constants are computed, in their order.
    pub constants: Vec<ConstantRule>,
    /// The linear systems that propagators come from.
    pub systems: Vec<LinearSystem>,
    /// What arrived is added to the variables.
    pub take: Code,
    /// Runs for the neurons that fired in the step before.
    pub reset: Code,
    /// The step itself, and the threshold.
    pub update: Code,
    /// The method that integrates the equations, if there are any.
    pub method: Option<Method>,
}

impl Program {
    /// The array called `name`.
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable == name)
    }

    /// Values of the constants for a population of `size` neurons and steps of `dt` ms. `value` gives the values of
    /// [`Symbol::Constant`]s and of the uniform [`Symbol::Variable`]s of the model, in inner units.
    ///
    /// # Errors
    /// A constant that is infinite or not a number (1/0 in an equation, say).
    pub fn constants(&self, dt: f64, size: u32, value: &dyn Fn(Symbol) -> f64) -> Result<Vec<f32>, Diagnostic> {
        let evaluate = |term: &Term| {
            host::evaluate(term, &mut |leaf| match leaf {
                Leaf::Symbol(Symbol::Dt) => dt,
                Leaf::Symbol(Symbol::Size) => f64::from(size),
                Leaf::Symbol(symbol) => value(symbol),
                Leaf::Random(..) => f64::NAN,
            })
        };
        let propagators: Vec<Vec<Vec<f64>>> = self
            .systems
            .iter()
            .map(|system| {
                let matrix: Vec<Vec<f64>> =
                    system.matrix.iter().map(|row| row.iter().map(|term| evaluate(term) * dt).collect()).collect();
                host::matrix_exponential(&matrix)
            })
            .collect();
        self.constants
            .iter()
            .map(|rule| {
                let exact = match rule {
                    ConstantRule::Term(term) => evaluate(term),
                    ConstantRule::Propagator { system, row, column } => propagators[*system][*row][*column],
                };
                let rounded = exact as f32;
                if rounded.is_finite() {
                    return Ok(rounded);
                }
                let message = format!("with these parameters and dt = {dt} ms a coefficient of the step becomes {exact}.");
                let help = "Look for a division by zero, or a time constant far shorter than dt.";
                Err(Diagnostic::new(Kind::NotFinite, "equations", "", Span::default(), message).help(help))
            })
            .collect()
    }
}
