//! The referee: what a network means, as a program that one can read.
//!
//! [docs/language.md](../../../docs/language.md#rules) says in numbered rules what a network does. This crate is those rules as an interpreter: in
//! f64, one step after the other, from the syntax trees of the texts, without a plan, without compiled code, and with lists instead of
//! arrays. It is slow. Backends are compared with it on random networks (`spikelet compare NET --reference`), so what it does must be plain
//! to see. Of the simulator it uses only what is not a matter of meaning: the parser, units, connectors, random numbers as functions of
//! coordinates, and elementary functions.
//!
//! ```
//! use spikelet::catalogue;
//! use spikelet_reference::Reference;
//!
//! # fn main() -> Result<(), spikelet_reference::Error> {
//! let mut reference = Reference::new(&catalogue::network("ring", 0.1)?)?;
//! reference.run(100)?;
//! println!("{} spikes", reference.spikes().len());
//! # Ok(()) }
//! ```

mod compare;
mod expression;
mod integrate;
mod neurons;
mod observe;
mod set;
mod sites;
mod start;
mod step;
mod synapses;
mod text;

use std::collections::HashMap;

use spikelet_lang::Diagnostic;
use spikelet_lang::model::Interval;
use spikelet_lang::syntax::{Expr, ExprKind, parse_expression};
use spikelet_network::{DueChange, Network, StopCondition};

pub use compare::{Agreement, Difference};
pub use observe::Rows;
pub use spikelet::Spike;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An error of the network.
    #[error(transparent)]
    Network(#[from] spikelet_network::Error),
    /// An error of a text.
    #[error("{}", sentences(.0))]
    Text(Vec<Diagnostic>),
    /// A name without a meaning.
    #[error("`{0}` has no meaning here")]
    Name(String),
    /// Something that only the product does.
    #[error("the referee does not know {0}")]
    Unsupported(String),
    /// An error of the run.
    #[error("step {step}: {message}", step = .1, message = .0)]
    Step(String, u32),
    /// The same, without its step.
    #[error("{0}")]
    Run(String),
}

fn sentences(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl Error {
    pub(crate) fn text(diagnostic: Diagnostic) -> Error {
        Error::Text(vec![diagnostic])
    }

    pub(crate) fn texts(diagnostics: Vec<Diagnostic>) -> Error {
        Error::Text(diagnostics)
    }
}

/// What all objects share.
pub(crate) struct World {
    pub(crate) dt: f64,
    pub(crate) seed: u64,
    pub(crate) trial: u32,
    pub(crate) step: u32,
    /// Whether the step is in its last phases.
    pub(crate) is_ending: bool,
    /// Functions of the network: name, names of arguments, value.
    pub(crate) functions: Vec<(String, Vec<String>, Expr)>,
}

impl World {
    fn new(network: &Network, trial: u32) -> Result<World, Error> {
        let mut functions = Vec::new();
        for of in &network.functions {
            let text = of.value.clone().ok_or_else(|| Error::Unsupported(format!("{}(), which is in WGSL alone", of.name)))?;
            let value = parse_expression("value", &text).map_err(Error::text)?;
            functions.push((of.name.clone(), of.arguments.keys().cloned().collect(), value));
        }
        Ok(World { dt: network.dt_ms, seed: network.seed, trial, step: 0, is_ending: false, functions })
    }

    /// The time of the step (rule 1.1).
    pub(crate) fn time(&self) -> f64 {
        f64::from(self.step) * self.dt
    }

    /// Whether statements at regular times run in this step (rule 1.4).
    pub(crate) fn is_due(&self, Interval { every, first }: Interval) -> bool {
        self.step >= first && (self.step - first).is_multiple_of(every)
    }

    /// The expression with the texts of functions of the network in place of their calls.
    pub(crate) fn expanded(&self, expression: &Expr) -> Expr {
        let again = |x: &Expr| Box::new(self.expanded(x));
        let kind = match &expression.kind {
            ExprKind::Unary(op, x) => ExprKind::Unary(*op, again(x)),
            ExprKind::Binary(op, x, y) => ExprKind::Binary(*op, again(x), again(y)),
            ExprKind::Call(name, arguments) => {
                let arguments: Vec<Expr> = arguments.iter().map(|x| self.expanded(x)).collect();
                match self.functions.iter().find(|(known, ..)| known == name) {
                    Some((_, names, value)) => {
                        let of = |name: &str| names.iter().position(|known| known == name).map(|at| arguments[at].clone());
                        return substituted(&self.expanded(value), &of);
                    }
                    None => ExprKind::Call(name.clone(), arguments),
                }
            }
            other => other.clone(),
        };
        Expr { kind, span: expression.span }
    }

    /// The value of a function of the network.
    pub(crate) fn function(&self, name: &str, values: &[f64]) -> Result<Option<f64>, Error> {
        let Some((_, arguments, value)) = self.functions.iter().find(|(known, ..)| known == name) else { return Ok(None) };
        let arguments = arguments.iter().cloned().zip(values.iter().copied()).collect();
        expression::evaluate(value, &Inside { world: self, arguments }).map(Some)
    }
}

/// The expression with others in place of names.
fn substituted(expression: &Expr, of: &dyn Fn(&str) -> Option<Expr>) -> Expr {
    let again = |x: &Expr| Box::new(substituted(x, of));
    let kind = match &expression.kind {
        ExprKind::Name(name) => return of(name).unwrap_or_else(|| expression.clone()),
        ExprKind::Unary(op, x) => ExprKind::Unary(*op, again(x)),
        ExprKind::Binary(op, x, y) => ExprKind::Binary(*op, again(x), again(y)),
        ExprKind::Call(name, arguments) => ExprKind::Call(name.clone(), arguments.iter().map(|x| substituted(x, of)).collect()),
        other => other.clone(),
    };
    Expr { kind, span: expression.span }
}

/// The inside of a function: its arguments.
struct Inside<'a> {
    world: &'a World,
    arguments: HashMap<String, f64>,
}

impl expression::Scope for Inside<'_> {
    fn name(&self, name: &str) -> Result<Option<f64>, Error> {
        Ok(self.arguments.get(name).copied().or_else(|| (name == "dt").then_some(self.world.dt)))
    }

    fn call(&self, name: &str, arguments: &[f64]) -> Result<Option<f64>, Error> {
        self.world.function(name, arguments)
    }
}

/// A network and the state of its run.
pub struct Reference {
    network: Network,
    world: World,
    populations: Vec<neurons::Neurons>,
    projections: Vec<synapses::ProjectedSynapses>,
    /// What computes summed and linked variables, in its order.
    sums: Vec<step::Sum>,
    spikes: Vec<Spike>,
    rows: Vec<Rows>,
    changes: Vec<DueChange>,
    stops: Vec<StopCondition>,
    stopped: Option<u32>,
}

impl Reference {
    /// A network before its first step.
    ///
    /// # Errors
    /// An error of the network, or something that the referee does not know.
    pub fn new(network: &Network) -> Result<Reference, Error> {
        Reference::of_trial(network, 0)
    }

    /// A trial of a network before its first step.
    ///
    /// # Errors
    /// As [`Reference::new`].
    pub fn of_trial(network: &Network, trial: u32) -> Result<Reference, Error> {
        let (plan, world) = (start::plan(network)?, World::new(network, trial)?);
        let mut populations = start::populations(network, &plan, &world)?;
        let mut projections = start::projections(network, &plan, &populations, &world)?;
        step::schemes(&mut populations, &mut projections, &world)?;
        let sums = step::sums(network, &populations, &projections, &world)?;
        let rows = network.recordings.iter().map(|_| Vec::new()).collect();
        Ok(Reference {
            world,
            populations,
            projections,
            sums,
            spikes: Vec::new(),
            rows,
            changes: network.schedule(),
            stops: network.stop_conditions()?,
            stopped: None,
            network: network.clone(),
        })
    }

    /// Runs this many steps, or fewer if a stop condition holds.
    ///
    /// # Errors
    /// An error of the run, with its step.
    pub fn run(&mut self, steps: u32) -> Result<(), Error> {
        for _ in 0..steps {
            if self.stopped.is_some() {
                break;
            }
            let step = self.world.step;
            self.step().map_err(|error| match error {
                Error::Run(message) => Error::Step(message, step),
                other => other,
            })?;
        }
        Ok(())
    }

    /// The spikes so far, by step and then by the number of the neuron in the network.
    pub fn spikes(&self) -> &[Spike] {
        &self.spikes
    }

    /// The number of steps so far.
    pub fn steps(&self) -> u32 {
        self.world.step
    }

    /// The step at whose end a stop condition was true.
    pub fn stopped(&self) -> Option<u32> {
        self.stopped
    }
}
