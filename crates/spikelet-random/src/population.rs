//! Random populations: what they may have, each as an option that shrinks to nothing.

mod equations;
mod firing;
mod names;

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

pub(super) use equations::population;
pub(super) use names::{PopulationNames, names};

use super::expression::{Condition, Expression, choice, conditions, expressions};
use super::statement::{Statement, statements};

/// Ways to give the input. The eighth is a timed array whose columns are not neurons, which the simulator rejects until it can do it.
pub(super) const DRIVES: usize = 7;

/// A population without its name.
#[derive(Debug, Clone)]
pub(super) struct PopulationSpec {
    pub(super) size: u32,
    pub(super) dynamics: Dynamics,
    /// Which of the methods that fit; the first is none.
    pub(super) method: usize,
    pub(super) variables: Variables,
    /// How the input `I` is given.
    pub(super) drive: usize,
    /// How the time constant of `v` is given, and which it is.
    pub(super) tau: (usize, usize),
    /// What is added to the input: a number times a name.
    pub(super) terms: Vec<(usize, usize)>,
    pub(super) subexpressions: Vec<Subexpression>,
    /// The initial values of `v`, of the other variables, and of those that are whole numbers.
    pub(super) initial: [Option<Given>; 3],
    pub(super) firing: Option<Firing>,
    pub(super) regular: Vec<Regular>,
    pub(super) events: Vec<Event>,
    pub(super) link: Option<Link>,
    /// White noise, where random numbers are drawn.
    pub(super) noise: bool,
}

/// How `v` moves.
#[derive(Debug, Clone)]
pub(super) enum Dynamics {
    /// `dv/dt = (I - v)/tau`
    Linear,
    /// The same with a second equation that it is coupled with.
    Coupled,
    /// With a function of the state in it.
    Nonlinear(Expression),
    /// `v` is only declared.
    Declared,
    /// Statements in place of equations.
    Update(Vec<Statement>),
}

/// Variables beside `v`.
#[derive(Debug, Clone, Default)]
pub(super) struct Variables {
    /// `g`, for input: none, declared, or with an equation of one of some time constants.
    pub(super) g: Option<usize>,
    /// `c`, declared.
    pub(super) c: bool,
    /// `y`, declared, for a sum.
    pub(super) y: bool,
    /// `z`, which rises steadily.
    pub(super) z: bool,
    /// `n`, an integer.
    pub(super) n: bool,
    /// `b`, a boolean.
    pub(super) b: bool,
    /// `sh`, shared; with a subexpression `qs` of it.
    pub(super) sh: Option<bool>,
    /// `last`, a time.
    pub(super) last: bool,
    /// `p`, a parameter: constant or not.
    pub(super) p: Option<(bool, Given)>,
    /// Whether `v` and `g` are `unless refractory`.
    pub(super) held: [bool; 2],
}

/// A value for each neuron.
#[derive(Debug, Clone)]
pub(super) enum Given {
    /// `0.37`
    Number(usize),
    /// `0.37 + 0.053*i`
    Indexed(usize),
    /// `[0.37, 1.13]`
    List(usize),
    /// `uniform(0.1, 0.37)`, if random numbers may be drawn.
    Drawn(usize),
}

/// `q0 = … : 1`
#[derive(Debug, Clone)]
pub(super) struct Subexpression {
    pub(super) value: Expression,
    /// `(constant over dt)`
    pub(super) held: bool,
}

/// When neurons fire, and what happens then.
#[derive(Debug, Clone)]
pub(super) struct Firing {
    pub(super) threshold: Threshold,
    /// How `v` is reset.
    pub(super) reset: usize,
    pub(super) statements: Vec<Statement>,
    pub(super) refractory: Option<Refractory>,
    pub(super) winners: Option<Winners>,
}

#[derive(Debug, Clone)]
pub(super) enum Threshold {
    /// `v > 0.913`
    Number,
    /// `v > th`, with a value for each neuron.
    Parameter(usize),
    /// `v > 0.797 + 0.213*tanh(…)`
    Moving(usize),
    /// `v > 0.853 and …`
    And(Condition),
}

#[derive(Debug, Clone)]
pub(super) enum Refractory {
    /// One of some texts.
    Fixed(usize),
    /// `tref`, with a value for each neuron.
    Parameter(usize),
    /// A condition.
    While(Condition),
}

#[derive(Debug, Clone)]
pub(super) struct Winners {
    /// `k`, `fraction` or `within`.
    pub(super) rule: usize,
    pub(super) number: usize,
    pub(super) of: usize,
    pub(super) group: bool,
}

/// Statements at regular times.
#[derive(Debug, Clone)]
pub(super) struct Regular {
    pub(super) every: Option<u32>,
    pub(super) start: Option<u32>,
    pub(super) order: i32,
    /// Whether they change the shared variable, if there is one.
    pub(super) shared: bool,
    pub(super) statements: Vec<Statement>,
}

/// An event beside the spike.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) condition: Condition,
    pub(super) statements: Vec<Statement>,
    pub(super) record: bool,
}

/// A linked variable `lk`.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) population: usize,
    pub(super) variable: usize,
    pub(super) index: usize,
}

pub(super) fn given() -> BoxedStrategy<Given> {
    prop_oneof![
        choice().prop_map(Given::Number),
        choice().prop_map(Given::Indexed),
        choice().prop_map(Given::List),
        choice().prop_map(Given::Drawn),
    ]
    .boxed()
}

fn dynamics() -> BoxedStrategy<Dynamics> {
    prop_oneof![
        4 => Just(Dynamics::Linear),
        2 => Just(Dynamics::Coupled),
        2 => expressions().prop_map(Dynamics::Nonlinear),
        1 => Just(Dynamics::Declared),
        2 => vec(statements(), 0..3).prop_map(Dynamics::Update),
    ]
    .boxed()
}

fn variables() -> BoxedStrategy<Variables> {
    let some = |p| prop::bool::weighted(p);
    let numbers = (weighted(0.7, choice()), some(0.4), some(0.3), some(0.15), some(0.12), some(0.25));
    let others = (weighted(0.2, any::<bool>()), some(0.15), weighted(0.4, (any::<bool>(), given())), [some(0.3), some(0.2)]);
    (numbers, others)
        .prop_map(|((g, c, y, z, n, b), (sh, last, p, held))| Variables { g, c, y, z, n, b, sh, last, p, held })
        .boxed()
}

fn firing() -> BoxedStrategy<Firing> {
    let threshold = prop_oneof![
        4 => Just(Threshold::Number),
        1 => choice().prop_map(Threshold::Parameter),
        1 => choice().prop_map(Threshold::Moving),
        1 => conditions().prop_map(Threshold::And),
    ];
    let refractory = prop_oneof![
        3 => choice().prop_map(Refractory::Fixed),
        1 => choice().prop_map(Refractory::Parameter),
        1 => conditions().prop_map(Refractory::While),
    ];
    let winners =
        (choice(), choice(), choice(), any::<bool>()).prop_map(|(rule, number, of, group)| Winners { rule, number, of, group });
    (threshold, choice(), vec(statements(), 0..3), weighted(0.4, refractory), weighted(0.1, winners))
        .prop_map(|(threshold, reset, statements, refractory, winners)| Firing {
            threshold,
            reset,
            statements,
            refractory,
            winners,
        })
        .boxed()
}

pub(super) fn regulars() -> BoxedStrategy<Regular> {
    let times = (weighted(0.8, 1..12_u32), weighted(0.3, 0..30_u32), prop_oneof![3 => Just(0), 1 => -1..3_i32]);
    (times, any::<bool>(), vec(statements(), 1..3))
        .prop_map(|((every, start, order), shared, statements)| Regular { every, start, order, shared, statements })
        .boxed()
}

/// Populations; they shrink to one neuron with a linear equation.
pub(super) fn populations() -> BoxedStrategy<PopulationSpec> {
    let event = (conditions(), vec(statements(), 0..2), prop::bool::weighted(0.3))
        .prop_map(|(condition, statements, record)| Event { condition, statements, record });
    let link = (choice(), choice(), choice()).prop_map(|(population, variable, index)| Link { population, variable, index });
    let subexpression = (expressions(), prop::bool::weighted(0.4)).prop_map(|(value, held)| Subexpression { value, held });
    let values = (choice(), (choice(), choice()), vec((choice(), choice()), 0..3), vec(subexpression, 0..3));
    let initial = [weighted(0.5, given()), weighted(0.3, given()), weighted(0.4, given())];
    let acts = (
        weighted(0.9, firing()),
        vec(regulars(), 0..3),
        prop_oneof![6 => vec(event.clone(), 0..2), 1 => vec(event, 2..3)],
        weighted(0.25, link),
    );
    let size = prop_oneof![2 => Just(1_u32), 4 => 2..9_u32];
    (size, dynamics(), choice(), variables(), values, initial, acts, prop::bool::weighted(0.2))
        .prop_map(|(size, dynamics, method, variables, values, initial, acts, noise)| {
            let (drive, tau, terms, subexpressions) = values;
            let (firing, regular, events, link) = acts;
            PopulationSpec {
                size,
                dynamics,
                method,
                variables,
                drive,
                tau,
                terms,
                subexpressions,
                initial,
                firing,
                regular,
                events,
                link,
                noise,
            }
        })
        .boxed()
}
