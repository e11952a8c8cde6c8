//! Reverse accumulation over the operations of a code.

use super::compose::FIRED;
use super::{GradientLayout, NoGradient, Surrogate, check_counts, rules, safety};
use crate::code_builder::CodeBuilder;
use crate::ir::{Code, Op, Ref};
use crate::syntax::BinaryOp;

/// Which resets have no gradient with respect to the spike that causes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DetachedReset {
    /// None of them.
    #[default]
    None,
    /// Those of variables that the greater side of the threshold's comparison reads, such as the potential. What a spike adds to others,
    /// such as an adaptation, has a gradient: the hidden states of Bellec et al. 2020, Nature Communications 11:3625.
    Potential,
    /// All (Zenke & Vogels 2021, Neural Computation 33:899, section 4.3).
    All,
}

/// The vector–Jacobian product of the code of a step: see [`GradientLayout`] for what it reads and stores. Without a surrogate the threshold
/// has no gradient, which is the true one.
///
/// # Errors
/// With a surrogate, a threshold that is not a comparison; a [count](check_counts) whose mean depends on the state or the input.
pub fn vjp(
    step: &Code,
    layout: &GradientLayout,
    surrogate: Option<&Surrogate>,
    detached: DetachedReset,
) -> Result<Code, NoGradient> {
    check_counts(step, |op| match op {
        Op::Load(array) => step.stores_to(*array),
        op => matches!(op, Op::Port(_)),
    })?;
    let mut builder = CodeBuilder::default();
    let mut places: Vec<Ref> = Vec::with_capacity(step.ops.len());
    for op in &step.ops {
        places.push(builder.op(op.with_operands(|operand| places[operand])));
    }
    builder.simplify();
    let is_hazard = safety::hazards(step);
    let potentials = match (detached, surrogate) {
        (DetachedReset::Potential, Some(_)) => potentials(step, layout)?,
        _ => Vec::new(),
    };
    let is_detached = |before: Ref| detached == DetachedReset::All || is_of(step, before, &potentials);
    let mut reverse = Reverse { adjoints: vec![None; step.ops.len()], builder };
    let is_stored = |array: usize| step.stores_to(array);
    for (array, value) in &step.stores {
        let seed = match *array {
            array if array < layout.variables => layout.adjoint(array),
            // The value of a soft spike.
            array if array == layout.spike() => layout.adjoint_of_spike(),
            array => layout.adjoint_of_observation(array - layout.observation(0)),
        };
        let seed = reverse.builder.op(Op::Load(seed));
        reverse.add(*value, seed);
    }
    // A soft spike has been seeded as the value that it is.
    if let (Some(surrogate), Some(condition), false) = (surrogate, step.condition, is_stored(layout.spike())) {
        let (comparison, gates) = Surrogate::comparison(step, condition)?;
        let seed = reverse.builder.op(Op::Load(layout.adjoint_of_spike()));
        let [x, y] = [comparison.greater, comparison.less].map(|of| places[of]);
        let difference = reverse.builder.binary(BinaryOp::Subtract, x, y);
        let slope = surrogate.derivative(&mut reverse.builder, difference);
        let mut adjoint = reverse.builder.binary(BinaryOp::Multiply, seed, slope);
        for gate in gates {
            let zero = reverse.builder.op(Op::number(0.0));
            adjoint = reverse.builder.op(Op::Select { condition: places[gate], yes: adjoint, no: zero });
        }
        let negative = reverse.builder.op(Op::Negate(adjoint));
        reverse.add(comparison.greater, adjoint);
        reverse.add(comparison.less, negative);
    }
    for at in (0..step.ops.len()).rev() {
        let Some(adjoint) = reverse.adjoints[at] else { continue };
        match step.ops[at] {
            Op::Select { condition, yes, no } if is_fired(step, layout, condition) => {
                let Op::Binary(_, spike, _) = step.ops[condition] else { continue };
                reverse.through_select([condition, yes, no], &places, adjoint);
                if !is_detached(no) {
                    let change = reverse.builder.binary(BinaryOp::Subtract, places[yes], places[no]);
                    let part = reverse.builder.binary(BinaryOp::Multiply, adjoint, change);
                    let part = if is_hazard[at] { reverse.unless_zero(adjoint, part) } else { part };
                    reverse.add(spike, part);
                }
            }
            Op::Select { condition, yes, no } => reverse.through_select([condition, yes, no], &places, adjoint),
            op => {
                for (operand, part) in rules::adjoints(&mut reverse.builder, &op, &places, places[at], adjoint) {
                    let part = if is_hazard[at] { reverse.unless_zero(adjoint, part) } else { part };
                    reverse.add(operand, part);
                }
            }
        }
    }

    let Reverse { mut builder, adjoints } = reverse;
    let of_op = |wanted: Op| step.ops.iter().position(|op| *op == wanted).and_then(|at| adjoints[at]);
    let mut stores = Vec::new();
    for array in 0..layout.variables {
        let place = layout.adjoint(array);
        let own = of_op(Op::Load(array));
        let value = match (is_stored(array), own) {
            (true, Some(own)) => own,
            (true, None) => builder.op(Op::number(0.0)),
            (false, Some(own)) => {
                let later = builder.op(Op::Load(place));
                builder.binary(BinaryOp::Add, later, own)
            }
            (false, None) => continue,
        };
        stores.push((place, value));
    }
    let zero = builder.op(Op::number(0.0));
    stores.push((layout.adjoint_of_last_spike(), of_op(Op::Load(layout.spike())).unwrap_or(zero)));
    stores.extend((0..layout.ports).map(|port| (layout.adjoint_of_port(port), of_op(Op::Port(port)).unwrap_or(zero))));
    for constant in 0..layout.constants {
        let Some(own) = of_op(Op::Constant(constant)) else { continue };
        let place = layout.adjoint_of_constant(constant);
        let before = builder.op(Op::Load(place));
        stores.push((place, builder.binary(BinaryOp::Add, before, own)));
    }
    Ok(builder.finish(stores, None))
}

/// The arrays that the greater side of the threshold reads.
fn potentials(step: &Code, layout: &GradientLayout) -> Result<Vec<usize>, NoGradient> {
    let Some(condition) = step.condition else { return Ok(Vec::new()) };
    let (comparison, _) = Surrogate::comparison(step, condition)?;
    let mut arrays = Vec::new();
    let mut left = vec![comparison.greater];
    while let Some(at) = left.pop() {
        // The threshold reads what the step stores.
        let stored = step.stores.iter().filter(|(array, value)| *value == at && *array < layout.variables);
        let before = arrays.len();
        arrays.extend(stored.map(|(array, _)| *array));
        if arrays.len() == before {
            left.extend(step.ops[at].operands());
        }
    }
    Ok(arrays)
}

/// Whether a value before the reset, which is that of the step before and what arrived, belongs to one of these arrays.
fn is_of(step: &Code, value: Ref, arrays: &[usize]) -> bool {
    match step.ops[value] {
        Op::Load(array) => arrays.contains(&array),
        op => op.operands().any(|operand| is_of(step, operand, arrays)),
    }
}

/// Whether a condition is that the neuron fired in the step before.
fn is_fired(step: &Code, layout: &GradientLayout, condition: Ref) -> bool {
    let Op::Binary(BinaryOp::Greater, spike, half) = step.ops[condition] else { return false };
    step.ops[spike] == Op::Load(layout.spike()) && step.ops[half] == FIRED
}

/// The adjoints of the operations of a code, as values of the code that is built.
struct Reverse {
    adjoints: Vec<Option<Ref>>,
    builder: CodeBuilder,
}

impl Reverse {
    fn add(&mut self, operand: Ref, part: Ref) {
        let sum = self.adjoints[operand].map(|before| self.builder.binary(BinaryOp::Add, before, part));
        self.adjoints[operand] = Some(sum.unwrap_or(part));
    }

    /// The part of an adjoint, or 0 where the adjoint is 0 and the part may be 0 · ∞.
    fn unless_zero(&mut self, adjoint: Ref, part: Ref) -> Ref {
        let zero = self.builder.op(Op::number(0.0));
        let condition = self.builder.binary(BinaryOp::Equal, adjoint, zero);
        self.builder.op(Op::Select { condition, yes: zero, no: part })
    }

    fn through_select(&mut self, [condition, yes, no]: [Ref; 3], places: &[Ref], adjoint: Ref) {
        let (condition, zero) = (places[condition], self.builder.op(Op::number(0.0)));
        let of_yes = self.builder.op(Op::Select { condition, yes: adjoint, no: zero });
        let of_no = self.builder.op(Op::Select { condition, yes: zero, no: adjoint });
        self.add(yes, of_yes);
        self.add(no, of_no);
    }
}
