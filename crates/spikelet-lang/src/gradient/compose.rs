//! The codes of a step as one.

use super::{GradientLayout, NoGradient, Surrogate};
use crate::code_builder::CodeBuilder;
use crate::ir::{Code, Op, Ref};
use crate::program::{Program, RegularCode};
use crate::syntax::BinaryOp;

/// What a spike is in the code of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpikeValue<'a> {
    /// The threshold's condition, as in every simulation: 1 or 0.
    Hard,
    /// The integral of a surrogate, a number: the network that its gradient belongs to. A step then resets by this part. Refractoriness
    /// follows the condition.
    Soft(&'a Surrogate),
}

impl Program {
    /// The codes of a step as one: deliver input, reset (where the neuron fired in the step before), what runs at regular steps, sample and
    /// hold, observe, update. With [`SpikeValue::Hard`] its results have the same bits as those of the codes one by one.
    ///
    /// # Errors
    /// [`SpikeValue::Soft`] of a threshold that is not a comparison, or of a surrogate whose integral is not elementary.
    pub fn step(&self, layout: &GradientLayout, spike: SpikeValue<'_>) -> Result<Code, NoGradient> {
        let mut builder = CodeBuilder::default();
        let mut values: Vec<Ref> = (0..layout.variables).map(|array| builder.op(Op::Load(array))).collect();
        execute(&mut builder, &self.deliver_input, &mut values);

        let mut after_reset = values.clone();
        execute(&mut builder, &self.reset, &mut after_reset);
        let last = builder.op(Op::Load(layout.spike()));
        for (value, reset) in values.iter_mut().zip(after_reset).filter(|(value, reset)| **value != *reset) {
            *value = match spike {
                SpikeValue::Hard => {
                    let half = builder.op(FIRED);
                    let condition = builder.binary(BinaryOp::Greater, last, half);
                    builder.op(Op::Select { condition, yes: reset, no: *value })
                }
                SpikeValue::Soft(_) => {
                    let change = builder.binary(BinaryOp::Subtract, reset, *value);
                    let part = builder.binary(BinaryOp::Multiply, last, change);
                    builder.binary(BinaryOp::Add, *value, part)
                }
            };
        }

        for code in &self.after_events {
            execute(&mut builder, code, &mut values);
        }
        for RegularCode { clock, code } in &self.regular {
            let mut after = values.clone();
            execute(&mut builder, code, &mut after);
            let (clock, half) = (builder.op(Op::Clock(*clock)), builder.op(FIRED));
            let condition = builder.binary(BinaryOp::Greater, clock, half);
            for (value, after) in values.iter_mut().zip(after).filter(|(value, after)| **value != *after) {
                *value = builder.op(Op::Select { condition, yes: after, no: *value });
            }
        }
        execute(&mut builder, &self.sample_and_hold, &mut values);
        let observed: Vec<Ref> = layout.observed.iter().map(|array| values[*array]).collect();
        let places = execute(&mut builder, &self.update, &mut values);
        let condition = self.update.condition.map(|condition| places[condition]);
        let mut stores: Vec<(usize, Ref)> = values.into_iter().enumerate().collect();
        stores.extend(observed.into_iter().enumerate().map(|(index, value)| (layout.observation(index), value)));
        if let (SpikeValue::Soft(surrogate), Some(condition)) = (spike, condition) {
            stores.push((layout.spike(), surrogate.soft_spike(&mut builder, condition)?));
        }
        Ok(builder.finish(stores, condition))
    }
}

/// A spike value above it is a spike, and so is a condition that is 1.
pub(super) const FIRED: Op = Op::Literal(crate::ir::Literal { single: 0.5, double: 0.5 });

/// Appends a code that begins with these values of the arrays, and ends with those that it leaves. Returns the place of each operation.
fn execute(builder: &mut CodeBuilder, code: &Code, values: &mut [Ref]) -> Vec<Ref> {
    let mut places: Vec<Ref> = Vec::with_capacity(code.ops.len());
    for op in &code.ops {
        let place = match op {
            Op::Load(array) => values[*array],
            Op::Own(call) => places[call.twin],
            op => builder.op(op.with_operands(|operand| places[operand])),
        };
        places.push(place);
    }
    code.stores.iter().for_each(|(array, value)| values[*array] = places[*value]);
    places
}
