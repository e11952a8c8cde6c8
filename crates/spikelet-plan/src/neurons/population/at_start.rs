//! What subexpressions come to at the start of a run.

use spikelet_lang::Dimension;
use spikelet_lang::host::{Leaf, evaluate};
use spikelet_lang::term::{Node, Symbol, Term};

use super::CheckedPopulation;
use crate::values::Values;

/// The value at the start of what the equations compute in every step, or why it has none; `None` if they do not compute this name.
pub(crate) fn computed(neurons: &CheckedPopulation, name: &str) -> Option<Result<(Dimension, Values), &'static str>> {
    let (dimension, term) = definition(neurons, name)?;
    if is_of_run(neurons, term) {
        return Some(Err("computed from random numbers, the time or spikes"));
    }
    let at = |neuron: usize| at_start(neurons, term, neuron);
    let differs = term.any(|symbol| match symbol {
        Some(Symbol::Variable(at)) => neurons.differs(&neurons.model.variables[at].name) || held(neurons, at).is_some(),
        symbol => symbol == Some(Symbol::Index),
    });
    let values = if differs { Values::Each((0..neurons.size()).map(at).collect()) } else { Values::Uniform(at(0)) };
    Some(Ok((dimension, values)))
}

/// The variables from which the equations compute a name; none if they do not compute it.
pub(super) fn sources(neurons: &CheckedPopulation, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some((_, term)) = definition(neurons, name) {
        collect(neurons, term, &mut found);
    }
    found
}

fn collect(neurons: &CheckedPopulation, term: &Term, found: &mut Vec<String>) {
    term.walk(&mut |node| {
        let Node::Symbol(Symbol::Variable(at)) = node else { return };
        match held(neurons, *at) {
            Some(term) => collect(neurons, term, found),
            None => found.push(neurons.model.variables[*at].name.clone()),
        }
    });
}

/// A subexpression, by its name.
fn definition<'a>(neurons: &'a CheckedPopulation, name: &str) -> Option<(Dimension, &'a Term)> {
    let model = &neurons.model;
    let of_step = || model.variable(name).and_then(|at| Some((model.variables[at].dimension, held(neurons, at)?)));
    model.subexpressions.get(name).map(|found| (found.dimension, &found.term)).or_else(of_step)
}

/// The value of a variable that is held over a step.
fn held(neurons: &CheckedPopulation, variable: usize) -> Option<&Term> {
    neurons.model.held.iter().find(|(held, _)| *held == variable).map(|(_, term)| term)
}

/// Whether a term needs what exists only during a run.
fn is_of_run(neurons: &CheckedPopulation, term: &Term) -> bool {
    let mut found = false;
    term.walk(&mut |node| found |= matches!(node, Node::Lookup(..) | Node::Random(..)));
    found
        || term.any(|symbol| match symbol {
            Some(Symbol::Variable(at)) => held(neurons, at).is_some_and(|term| is_of_run(neurons, term)),
            Some(Symbol::Time | Symbol::SinceSpike | Symbol::SinceEvent | Symbol::NotRefractory) => true,
            _ => false,
        })
}

/// A term of a model with the values of a neuron at the start.
fn at_start(neurons: &CheckedPopulation, term: &Term, neuron: usize) -> f64 {
    evaluate(term, &mut |leaf| match leaf {
        Leaf::Symbol(Symbol::Variable(at)) => match held(neurons, at) {
            Some(term) => at_start(neurons, term, neuron),
            None => neurons.value(Symbol::Variable(at), neuron),
        },
        Leaf::Symbol(symbol) => neurons.value(symbol, neuron),
        Leaf::Random(..) | Leaf::Gamma(..) | Leaf::Lookup(..) => f64::NAN,
    })
}
