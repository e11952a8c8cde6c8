//! Numbers in two words: the upper one is the number as an f32, the lower one its rounding error. Sums use only correctly rounded
//! additions, so that no bit is lost between the two (Knuth, The Art of Computer Programming 2, 4.2.2; Dekker 1971, Numer Math 18:224).

use super::Lowering;
use crate::ir::{Op, Ref};
use crate::lower::VariableLocation;
use crate::syntax::BinaryOp;
use crate::term::{self, Function, Node, Term};

/// The new value of an array; a lower word only where the array has one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SplitValue {
    pub(crate) high: Ref,
    pub(crate) low: Option<Ref>,
}

impl Lowering<'_> {
    /// The sum, and what it has lost.
    pub(super) fn two_sum(&mut self, x: Ref, y: Ref) -> [Ref; 2] {
        let sum = self.binary(BinaryOp::Add, x, y);
        let of_y = self.binary(BinaryOp::Subtract, sum, x);
        let of_x = self.binary(BinaryOp::Subtract, sum, of_y);
        let lost_of_x = self.binary(BinaryOp::Subtract, x, of_x);
        let lost_of_y = self.binary(BinaryOp::Subtract, y, of_y);
        [sum, self.binary(BinaryOp::Add, lost_of_x, lost_of_y)]
    }

    /// Whether an array is kept in two words.
    pub(crate) fn has_two(&self, array: usize) -> bool {
        self.storage.lows.contains_key(&array)
    }

    /// The lower word of an array that has one.
    pub(super) fn low(&mut self, array: usize) -> Option<Ref> {
        let place = *self.storage.lows.get(&array)?;
        let (high, low) = (self.values[array], self.values[place]);
        if self.builder.of(low) != Op::Load(place) {
            return Some(low);
        }
        // Synapses and who sets values write the upper word alone: what is no longer the rest of it is nothing.
        let sum = self.binary(BinaryOp::Add, high, low);
        let condition = self.binary(BinaryOp::Equal, sum, high);
        let zero = self.op(Op::number(0.0));
        Some(self.op(Op::Select { condition, yes: low, no: zero }))
    }

    /// What an array becomes with `amount` added.
    pub(crate) fn plus(&mut self, array: usize, amount: Ref) -> SplitValue {
        let Some(low) = self.low(array) else {
            return SplitValue { high: self.binary(BinaryOp::Add, self.values[array], amount), low: None };
        };
        // No denormal numbers: some GPUs have none.
        let amount = self.op(Op::Flush(amount));
        let change = self.binary(BinaryOp::Add, amount, low);
        let [high, low] = self.two_sum(self.values[array], change);
        SplitValue { high, low: Some(self.op(Op::Flush(low))) }
    }

    /// Adds to an array: to one that `rests`, not while the neuron is refractory.
    pub(crate) fn gain(&mut self, array: usize, amount: Ref, rests: bool) {
        let words = self.plus(array, amount);
        let words = if rests { self.words_unless_refractory(array, words) } else { words };
        let mut values = self.values.clone();
        self.put(&mut values, array, words);
        self.values = values;
    }

    /// `words`, or what the array is while the neuron is refractory.
    pub(crate) fn words_unless_refractory(&mut self, array: usize, words: SplitValue) -> SplitValue {
        let high = self.unless_refractory(array, words.high);
        let low = self.storage.lows.get(&array).copied().zip(words.low).map(|(place, low)| self.unless_refractory(place, low));
        SplitValue { high, low }
    }

    /// Puts new words into `values`, which are those of all arrays.
    pub(crate) fn put(&self, values: &mut [Ref], array: usize, words: SplitValue) {
        values[array] = words.high;
        if let (Some(place), Some(low)) = (self.storage.lows.get(&array), words.low) {
            values[*place] = low;
        }
    }

    /// Gives a variable of the model the value of a term.
    pub(crate) fn set(&mut self, variable: usize, term: &Term) {
        match self.storage.places[variable] {
            VariableLocation::Array(array) if self.has_two(array) => {
                let words = self.assigned(variable, array, term);
                let mut values = std::mem::take(&mut self.values);
                self.put(&mut values, array, words);
                self.values = values;
            }
            _ => {
                let value = if self.storage.integers.contains(&variable) { self.exact_whole(term) } else { self.number(term) };
                self.assign(variable, value);
            }
        }
    }

    /// Both words of what is assigned to a variable. Where the variable itself is a summand they are those of the sum.
    fn assigned(&mut self, variable: usize, array: usize, term: &Term) -> SplitValue {
        let holds_time = self.storage.times.contains(&array);
        if !holds_time
            && let Some((coefficient, rest)) = term::linear(term, variable)
            && *coefficient == Node::Number(1.0)
        {
            let amount = self.term(&rest);
            return self.plus(array, amount);
        }
        let zero = self.op(Op::number(0.0));
        if let Node::Call(function @ (Function::Min | Function::Max | Function::Clip), arguments) = &**term
            && let Some(at) = arguments.iter().position(|argument| argument.mentions(variable))
        {
            let moved = self.assigned(variable, array, &arguments[at]);
            let bound: Vec<Ref> =
                (0..arguments.len()).map(|k| if k == at { moved.high } else { self.term(&arguments[k]) }).collect();
            let high = self.bounded(*function, &bound);
            // A bound has no lower word.
            let condition = self.binary(BinaryOp::Equal, high, moved.high);
            let low = moved.low.map(|low| self.op(Op::Select { condition, yes: low, no: zero }));
            return SplitValue { high, low };
        }
        if holds_time {
            let [high, low] = self.wide(term);
            return SplitValue { high, low: Some(self.op(Op::Flush(low))) };
        }
        SplitValue { high: self.number(term), low: Some(zero) }
    }

    /// min, max or clip.
    pub(super) fn bounded(&mut self, function: Function, arguments: &[Ref]) -> Ref {
        match (function, arguments) {
            (Function::Clip, [x, low, high]) => {
                let raised = self.op(Op::Call2(Function::Max, *x, *low));
                self.op(Op::Call2(Function::Min, raised, *high))
            }
            _ => self.op(Op::Call2(function, arguments[0], arguments[1])),
        }
    }
}
