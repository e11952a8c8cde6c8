//! Weights as the simulator uses them.

use spikelet_lang::model::{SynapseModel, Target};
use spikelet_lang::term::{Node, Symbol};
use spikelet_rows::{half, ring};

use crate::neurons::population::CheckedPopulation;
use crate::{PerSynapse, Plan};

/// How weights are rounded to units of their sums.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rounding {
    /// Exponents of the unit, and of that of remainders.
    whole: i32,
    rest: Option<i32>,
    /// Whether those that differ have the format f16.
    half: bool,
}

impl Rounding {
    /// How the values of a name are rounded in a projection without state, if they are increments by themselves, of one kind, and used nowhere
    /// else.
    pub(super) fn of(
        plan: &Plan,
        projection: usize,
        (model, neurons): (&SynapseModel, &CheckedPopulation),
        name: &str,
    ) -> Option<Rounding> {
        let projection = &plan.projections[projection];
        let post = &plan.populations[projection.post];
        let is_name = |symbol: Symbol| match symbol {
            Symbol::Variable(variable) => model.variables[variable].name == name,
            Symbol::Constant(constant) => model.constants[constant].name == name,
            _ => false,
        };
        let mut found = None;
        for (of_model, of_plan) in model.pathways.iter().zip(&projection.pathways) {
            let written = of_model.statements.iter().filter_map(|statement| match statement.target {
                Target::Add(variable) => Some((&neurons.model.variables[variable].name, &statement.value)),
                Target::Own(_) | Target::Post(_) => None,
            });
            let mut writes = of_plan.writes.iter().peekable();
            for (variable, value) in written {
                let write = writes.next()?;
                let rest = writes.next_if(|next| post.ports[next.port].rest);
                if !value.any(|symbol| symbol.is_some_and(is_name)) {
                    continue;
                }
                let rounding = Rounding {
                    whole: post.ports[write.port].shift,
                    rest: rest.map(|rest| post.ports[rest.port].shift),
                    half: matches!(write.weights, PerSynapse::Half(_)),
                };
                let is_alone = matches!(**value, Node::Symbol(symbol) if is_name(symbol));
                let is_of_port = post.program.variables[post.program.ports[write.port]] == *variable;
                if !is_alone || !is_of_port || found.is_some_and(|found| found != rounding) {
                    return None;
                }
                found = Some(rounding);
            }
        }
        found
    }

    /// A weight after rounding, exactly. Weights that differ between synapses are stored in f32 before.
    pub(super) fn apply(self, weight: f64, shared: bool) -> f64 {
        let weight = if shared { weight } else { f64::from(weight as f32) };
        let stored = |units: i32| if self.half && !shared { half::decode(half::encode(units)) } else { units };
        let real = |units: i32, shift: i32| libm::ldexp(f64::from(stored(units)), -shift);
        let rest = self.rest.map(|rest| real(ring::rest(weight, [self.whole, rest]), rest));
        real(ring::quantise(weight, self.whole), self.whole) + rest.unwrap_or_default()
    }
}
