//! Random projections: what they may have, each as an option that shrinks to nothing.

mod connect;
mod stateful;
mod synapses;

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

pub(super) use connect::{End, Ends};
pub(super) use synapses::projection;

use super::expression::{Expression, choice, expressions};
use super::population::{Given, Regular, given};
use super::statement::{Statement, statements};

/// A projection without its name.
#[derive(Debug, Clone)]
pub(super) struct ProjectionSpec {
    /// Among all that fires.
    pub(super) pre: usize,
    /// Among populations.
    pub(super) post: usize,
    /// The ends of slices.
    pub(super) slices: [Option<(u32, u32)>; 2],
    pub(super) connect: Connect,
    pub(super) caps: [Option<u32>; 2],
    pub(super) synapses: SynapseSpec,
    /// The delays of pathways, in steps.
    pub(super) delay: Delay,
    pub(super) storage: Option<bool>,
}

/// Which pairs are connected.
#[derive(Debug, Clone)]
pub(super) enum Connect {
    /// All pairs, perhaps only those of a condition, and several synapses for each.
    All {
        condition: Option<usize>,
        autapses: bool,
        per_pair: Option<usize>,
    },
    OneToOne,
    /// A list, with repetitions.
    Pairs(Vec<(u32, u32)>),
    /// The targets of each neuron.
    Generator(usize),
    /// A rule that draws, where this is allowed.
    Drawn {
        rule: usize,
        number: u32,
        multapses: bool,
    },
}

/// What the synapses do.
#[derive(Debug, Clone)]
pub(super) enum SynapseSpec {
    /// They add to variables of their target.
    Stateless(StatelessSpec),
    Stateful(Box<StatefulSpec>),
}

#[derive(Debug, Clone)]
pub(super) struct StatelessSpec {
    /// What is added to which variables.
    pub(super) adds: Vec<(usize, Weight)>,
    /// Whether weights that differ have two bytes.
    pub(super) half: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Weight {
    /// `0.37`
    Literal(usize),
    /// `w`, one value for all.
    Shared(usize),
    /// `w`, computed for each synapse.
    Each(usize),
    /// `0.37*w`
    Scaled(usize),
}

#[derive(Debug, Clone)]
pub(super) struct StatefulSpec {
    pub(super) own: OwnVariables,
    /// What presynaptic spikes do, after they transmitted.
    pub(super) on_pre: Vec<Act>,
    /// A second pathway.
    pub(super) slow: Option<Vec<Act>>,
    pub(super) on_post: Option<Vec<Act>>,
    pub(super) third: Option<Third>,
    /// The order of `pre` and `post`.
    pub(super) order: Option<(i32, i32)>,
    pub(super) plasticity: Option<bool>,
    pub(super) regular: Vec<Regular>,
}

/// Variables of synapses, beside the weight `w`.
#[derive(Debug, Clone)]
pub(super) struct OwnVariables {
    /// The initial value of the weight.
    pub(super) w: Given,
    /// Whether `w` is flagged `plastic`, and `f16`.
    pub(super) flags: (bool, bool),
    /// A trace `x`, event-driven, with a time constant.
    pub(super) x: Option<usize>,
    /// A second one, `u`, of postsynaptic spikes.
    pub(super) u: Option<usize>,
    /// `s`, clock-driven, towards an expression.
    pub(super) s: Option<Expression>,
    /// A parameter `r`.
    pub(super) r: Option<Given>,
    /// A subexpression `m`.
    pub(super) m: Option<Expression>,
    /// What is summed onto a variable of the target.
    pub(super) sum: Option<Expression>,
    /// A subexpression `h` that is constant over dt.
    pub(super) h: Option<Expression>,
}

/// A statement of a pathway.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// `g_post += 0.37*w`
    Transmit(usize, usize),
    /// `g_post += 0.17*tanh(…)`
    Add(usize, Expression),
    /// `v_post = clip(…, -1.7, 1.9)`
    Assign(usize, Expression),
    /// `c_pre += 0.053`
    ToPre(usize, usize),
    /// `w = clip(w + 0.07*tanh(…), 0, 1.3)`
    Learn(Expression),
    /// A statement on the variables of the synapse.
    Own(Statement),
}

/// A third neuron.
#[derive(Debug, Clone)]
pub(super) struct Third {
    pub(super) population: usize,
    pub(super) index: usize,
    pub(super) acts: Option<Vec<Act>>,
    pub(super) delay: Option<u32>,
    pub(super) sum: bool,
}

/// Delays in steps, the first of the first pathway.
#[derive(Debug, Clone)]
pub(super) struct Delay {
    pub(super) pre: Steps,
    pub(super) slow: Steps,
    pub(super) post: Option<Steps>,
}

#[derive(Debug, Clone)]
pub(super) enum Steps {
    Whole(u32),
    /// Between two steps.
    Between(u32),
    /// By an expression of the pair, up to this number.
    Each(u32),
    /// Drawn, where this is allowed.
    Drawn(u32),
}

fn connects() -> BoxedStrategy<Connect> {
    prop_oneof![
        3 => (weighted(0.3, choice()), any::<bool>(), weighted(0.2, choice()))
            .prop_map(|(condition, autapses, per_pair)| Connect::All { condition, autapses, per_pair }),
        1 => Just(Connect::OneToOne),
        2 => vec((0..8_u32, 0..8_u32), 1..6).prop_map(Connect::Pairs),
        1 => choice().prop_map(Connect::Generator),
        1 => (choice(), 1..4_u32, any::<bool>())
            .prop_map(|(rule, number, multapses)| Connect::Drawn { rule, number, multapses }),
    ]
    .boxed()
}

fn steps() -> BoxedStrategy<Steps> {
    prop_oneof![
        4 => (0..6_u32).prop_map(Steps::Whole),
        1 => (0..4_u32).prop_map(Steps::Between),
        1 => (1..7_u32).prop_map(Steps::Each),
        1 => (1..7_u32).prop_map(Steps::Drawn),
    ]
    .boxed()
}

fn acts() -> BoxedStrategy<Act> {
    prop_oneof![
        4 => (choice(), choice()).prop_map(|(at, by)| Act::Transmit(at, by)),
        2 => (choice(), expressions()).prop_map(|(at, of)| Act::Add(at, of)),
        1 => (choice(), expressions()).prop_map(|(at, of)| Act::Assign(at, of)),
        1 => (choice(), choice()).prop_map(|(at, by)| Act::ToPre(at, by)),
        2 => expressions().prop_map(Act::Learn),
        2 => statements().prop_map(Act::Own),
    ]
    .boxed()
}

fn stateless() -> BoxedStrategy<StatelessSpec> {
    let weights = prop_oneof![
        choice().prop_map(Weight::Literal),
        choice().prop_map(Weight::Shared),
        choice().prop_map(Weight::Each),
        choice().prop_map(Weight::Scaled),
    ];
    (vec((choice(), weights), 1..3), prop::bool::weighted(0.15)).prop_map(|(adds, half)| StatelessSpec { adds, half }).boxed()
}

fn stateful() -> BoxedStrategy<StatefulSpec> {
    let own = (
        (given(), (prop::bool::weighted(0.4), prop::bool::weighted(0.1))),
        (weighted(0.4, choice()), weighted(0.3, choice()), weighted(0.3, expressions())),
        (weighted(0.3, given()), weighted(0.3, expressions()), weighted(0.3, expressions()), weighted(0.2, expressions())),
    )
        .prop_map(|((w, flags), (x, u, s), (r, m, sum, h))| OwnVariables { w, flags, x, u, s, r, m, sum, h });
    let third = (choice(), choice(), weighted(0.6, vec(acts(), 1..3)), weighted(0.3, 0..4_u32), any::<bool>())
        .prop_map(|(population, index, acts, delay, sum)| Third { population, index, acts, delay, sum });
    let pathways = (vec(acts(), 1..4), weighted(0.2, vec(acts(), 1..3)), weighted(0.5, vec(acts(), 1..3)));
    let more = (
        weighted(0.15, third),
        weighted(0.2, (-1..2_i32, -1..2_i32)),
        weighted(0.1, any::<bool>()),
        vec(super::population::regulars(), 0..2),
    );
    (own, pathways, more)
        .prop_map(|(own, (on_pre, slow, on_post), (third, order, plasticity, regular))| StatefulSpec {
            own,
            on_pre,
            slow,
            on_post,
            third,
            order,
            plasticity,
            regular,
        })
        .boxed()
}

/// Projections; they shrink to all pairs with one weight.
pub(super) fn projections() -> BoxedStrategy<ProjectionSpec> {
    let synapses = prop_oneof![
        2 => stateless().prop_map(SynapseSpec::Stateless),
        3 => stateful().prop_map(|of| SynapseSpec::Stateful(Box::new(of))),
    ];
    let slice = || weighted(0.2, (0..8_u32, 0..8_u32));
    let delay = (steps(), steps(), weighted(0.3, steps())).prop_map(|(pre, slow, post)| Delay { pre, slow, post });
    let caps = [weighted(0.1, 1..4_u32), weighted(0.1, 1..4_u32)];
    (choice(), choice(), [slice(), slice()], connects(), caps, synapses, delay, weighted(0.3, any::<bool>()))
        .prop_map(|(pre, post, slices, connect, caps, synapses, delay, storage)| ProjectionSpec {
            pre,
            post,
            slices,
            connect,
            caps,
            synapses,
            delay,
            storage,
        })
        .boxed()
}
