//! Which variables move so slowly that one f32 would lose their steps.
//!
//! A step of dx/dt = a x + … moves x by about a·dt of itself, and an f32 keeps 2⁻²⁴: so the rate of a variable, and where it comes to rest, are
//! off by 2⁻²⁵/(a·dt). Where that is more than 2⁻¹³, the variable is kept in two words (`lower::words`), and steps are added without loss.

use std::collections::HashSet;

use crate::host::{self, Leaf};
use crate::model::{NeuronModel, SynapseModel, Variable};
use crate::term::{self, Random, Symbol, Term};

/// Part of itself by which a variable moves in a step, below which it is kept in two words.
const SLOW: f64 = 1.0 / 4096.0;

/// The same for variables that move with events, 16 steps apart at least.
const SLOW_BY_EVENTS: f64 = SLOW / 16.0;

/// Elements that are looked at where the state at the start decides.
const LOOKED_AT: usize = 64;

/// The neurons or synapses of a model, as they start.
#[derive(Clone, Copy)]
pub struct InitialState<'a> {
    /// The time step in ms.
    pub dt: f64,
    /// How many there are.
    pub count: usize,
    /// The value of a symbol in an element, in inner units.
    pub symbol: &'a dyn Fn(Symbol, usize) -> f64,
    /// The entry of a table.
    pub lookup: &'a dyn Fn(usize, f64) -> f64,
}

impl NeuronModel {
    /// Variables of differential equations that are slow in any neuron.
    pub fn slow(&self, of: &InitialState<'_>) -> HashSet<String> {
        let rates = self.equations.iter().map(|(variable, rate)| {
            let worked_in = self.held.iter().rev().fold(rate.clone(), |rate, (held, value)| {
                term::substitute(&rate, &|found| {
                    if found == Symbol::Variable(*held) { value.clone() } else { term::symbol(found) }
                })
            });
            (*variable, worked_in, SLOW)
        });
        of.slow(&self.variables, rates)
    }
}

impl SynapseModel {
    /// Variables of clock-driven and event-driven equations that are slow in any synapse.
    pub fn slow(&self, of: &InitialState<'_>) -> HashSet<String> {
        let clock_driven = self.equations.iter().map(|(variable, rate)| (*variable, rate.clone(), SLOW));
        let event_driven = self.event_driven.iter().map(|(variable, rate)| (*variable, rate.clone(), SLOW_BY_EVENTS));
        of.slow(&self.variables, clock_driven.chain(event_driven))
    }
}

impl InitialState<'_> {
    fn slow(&self, variables: &[Variable], rates: impl Iterator<Item = (usize, Term, f64)>) -> HashSet<String> {
        let is_slow = |(variable, rate, limit): &(usize, Term, f64)| {
            !term::is_zero(rate) && self.is_slow(variables, *variable, rate, *limit)
        };
        rates.filter(is_slow).map(|(variable, ..)| variables[variable].name.clone()).collect()
    }

    fn is_slow(&self, variables: &[Variable], variable: usize, rate: &Term, limit: f64) -> bool {
        let coefficient = term::linear(rate, variable).map(|(coefficient, _)| coefficient);
        let moves = |term: &Term| {
            term.any(|symbol| match symbol {
                Some(Symbol::Variable(at)) => variables[at].written,
                Some(Symbol::Constant(_) | Symbol::Dt | Symbol::Size | Symbol::Index | Symbol::PostIndex) => false,
                _ => true,
            })
        };
        let count = if coefficient.as_ref().is_none_or(moves) { self.count.min(LOOKED_AT) } else { self.count };
        let differs = coefficient
            .as_ref()
            .unwrap_or(rate)
            .any(|symbol| !matches!(symbol, Some(Symbol::Constant(_) | Symbol::Dt | Symbol::Size)));
        (0..if differs { count } else { count.min(1) }).any(|element| {
            let speed = match &coefficient {
                Some(coefficient) => self.value(coefficient, element, None).abs(),
                None => self.steepness(rate, variable, element),
            };
            speed * self.dt < limit
        })
    }

    /// How steeply a rate that is not linear in its own variable changes with it: the steeper of the secants from its start on to twice
    /// that, and down to 0.
    fn steepness(&self, rate: &Term, variable: usize, element: usize) -> f64 {
        let start = (self.symbol)(Symbol::Variable(variable), element);
        let width = if start == 0.0 { 1.0 } else { start.abs() };
        let [below, at, above] = [-width, 0.0, width].map(|by| self.value(rate, element, Some((variable, start + by))));
        let steeper =
            [at - below, above - at].map(|difference| difference.abs() / width).into_iter().filter(|slope| slope.is_finite());
        steeper.reduce(f64::max).unwrap_or(f64::INFINITY)
    }

    /// The value of a term, with another one of a variable. What is drawn has its mean.
    fn value(&self, term: &Term, element: usize, other: Option<(usize, f64)>) -> f64 {
        host::evaluate(term, &mut |leaf| match leaf {
            Leaf::Symbol(Symbol::Dt) => self.dt,
            Leaf::Symbol(Symbol::Time) | Leaf::Random(Random::Normal, _) => 0.0,
            Leaf::Symbol(Symbol::NotRefractory) | Leaf::Gamma(..) => 1.0,
            Leaf::Symbol(Symbol::Variable(variable)) if other.is_some_and(|(of, _)| of == variable) => {
                other.map_or(f64::NAN, |(_, value)| value)
            }
            Leaf::Symbol(symbol) => (self.symbol)(symbol, element),
            Leaf::Random(Random::Uniform, _) => 0.5,
            Leaf::Lookup(table, index) => (self.lookup)(table, index),
        })
    }
}
