//! Models as text, and as checked equations.

use indexmap::IndexMap;

use crate::term::Term;
use crate::unit::Dimension;
use crate::{Diagnostic, Kind};

/// A neuron model as its author writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NeuronText {
    /// `dv/dt = … : volt`, `I = … : amp`, `tau : second (constant)`, a line each.
    pub equations: String,
    /// Statements run once a step in place of differential equations: discrete maps.
    pub update: Option<String>,
    /// The condition to fire, tested after the update.
    pub threshold: Option<String>,
    /// Statements run after a spike.
    pub reset: Option<String>,
    /// How long a neuron is refractory after a spike: a time.
    pub refractory: Option<String>,
    /// The method of integration; without one the equations decide.
    pub method: Option<Method>,
    /// Parameters that the equations do not declare and that have one value for each neuron, with their dimensions.
    pub each: IndexMap<String, Dimension>,
}

/// A synapse model as its author writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SynapseText {
    /// `w : volt (constant)`, a line each.
    pub equations: String,
    /// What a presynaptic spike does on arrival: `ge_post += w`.
    pub on_pre: String,
    /// Parameters that the equations do not declare and that have one value for each synapse, with their dimensions.
    pub each: IndexMap<String, Dimension>,
}

/// How differential equations become a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Linear equations with constant coefficients, by the matrix exponential in f64 (Rotter & Diesmann 1999, Biol Cybern 81:381).
    Exact,
    /// Each variable by the exponential of its own linear part, the others held (MacGregor 1987).
    ExponentialEuler,
    /// Forward Euler.
    Euler,
    /// Midpoint Runge–Kutta, second order.
    Rk2,
    /// Classical Runge–Kutta, fourth order.
    Rk4,
}

impl Method {
    /// Every method by its name.
    pub const ALL: [(&'static str, Method); 5] = [
        ("exact", Method::Exact),
        ("exponential_euler", Method::ExponentialEuler),
        ("euler", Method::Euler),
        ("rk2", Method::Rk2),
        ("rk4", Method::Rk4),
    ];

    /// The method called `name` (Brian's `linear` is `exact`).
    pub fn parse(name: &str) -> Result<Method, Diagnostic> {
        let wanted = if name == "linear" { "exact" } else { name };
        Method::ALL.iter().find(|(known, _)| *known == wanted).map(|(_, method)| *method).ok_or_else(|| {
            let span = crate::diagnostic::Span { start: 0, end: name.len() };
            let known: Vec<_> = Method::ALL.iter().map(|(known, _)| *known).collect();
            Diagnostic::new(Kind::UnsuitableMethod, "method", name, span, format!("there is no method `{name}`."))
                .help(format!("Known are {}.", known.join(", ")))
        })
    }

    /// As written in files.
    pub fn name(self) -> &'static str {
        Method::ALL.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }
}

/// A variable of a model: what its `equations` declare.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What it measures.
    pub dimension: Dimension,
    /// Whether a differential equation, an update or a reset changes it.
    pub written: bool,
    /// `(unless refractory)`: neither integrated nor written by synapses while refractory.
    pub unless_refractory: bool,
    /// `(shared)`: one value for the whole population.
    pub shared: bool,
    /// `(constant)`: never written.
    pub constant: bool,
}

/// A name that is not declared in the equations and gets its value from the parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// What it measures.
    pub dimension: Dimension,
}

/// A checked neuron model: every name resolved, every dimension right.
#[derive(Debug, Clone, PartialEq)]
pub struct NeuronModel {
    /// Declared variables, in the order written.
    pub variables: Vec<Variable>,
    /// Constants the texts use.
    pub constants: Vec<Constant>,
    /// Variable and right-hand side of each differential equation, in inner units per ms.
    pub equations: Vec<(usize, Term)>,
    /// Assignments of the `update` block.
    pub update: Vec<(usize, Term)>,
    /// The condition to fire.
    pub threshold: Option<Term>,
    /// Assignments after a spike.
    pub reset: Vec<(usize, Term)>,
    /// Refractory time in ms.
    pub refractory: Option<Term>,
    /// The method asked for.
    pub method: Option<Method>,
}

impl NeuronModel {
    /// The variable called `name`.
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable.name == name)
    }
}

/// One `x_post += value` of a synapse.
#[derive(Debug, Clone, PartialEq)]
pub struct PortWrite {
    /// Variable of the postsynaptic model.
    pub variable: usize,
    /// What one event adds to it, in inner units.
    pub value: Term,
}

/// A checked synapse model.
#[derive(Debug, Clone, PartialEq)]
pub struct SynapseModel {
    /// Declared variables: parameters of each synapse.
    pub variables: Vec<Variable>,
    /// Constants of the projection.
    pub constants: Vec<Constant>,
    /// What `on_pre` adds to the postsynaptic neuron.
    pub writes: Vec<PortWrite>,
}
