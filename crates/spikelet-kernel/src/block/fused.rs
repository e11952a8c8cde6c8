//! A few operations, one loop.

use spikelet_lang::ir::{LONG_AGO, Op, Ref};
use spikelet_lang::syntax::BinaryOp;

use super::loops::{self, LaneMask, Source};
use super::{Lanes, OperandView, arrived};

/// What an instruction does.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    Plain(Op),
    Fused(Fused),
}

impl Operation {
    /// Values that the instruction reads, beside the old value of the variable that it writes.
    pub(super) fn operands(&self) -> Vec<Ref> {
        match self {
            Operation::Plain(op) => op.operands().collect(),
            Operation::Fused(fused) => fused.operands(),
        }
    }
}

/// One instruction for several operations. Those inside have no other readers.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fused {
    /// A value that lies elsewhere.
    Copy(Ref),
    /// `(x first y) second z`
    Pair(First, Second, [Ref; 3]),
    /// x·y + z·w, or x·y − z·w; y and w are not scalars.
    Products { minus: bool, factors: [[Ref; 2]; 2] },
    /// A comparison of x and y, and not what holds.
    Unless { test: BinaryOp, operands: [Ref; 2], hold: FusedMask },
    /// variable + port, except where held
    Arrive { port: usize, hold: FusedMask },
    /// variable + x
    Gain(Ref),
    /// flush(x), except where held; then flush(variable).
    Become { value: Ref, hold: FusedMask },
    /// flush(variable + x·y), except where held.
    Move { by: [Ref; 2], hold: FusedMask },
    /// flush(factor·variable + Σ f·x + constant), except where held; the f are scalars, the x are not.
    Row { factor: Ref, terms: Vec<[Ref; 2]>, constant: Option<Ref>, hold: FusedMask },
}

/// The inner operation of a pair. `Negate` has one operand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum First {
    Add,
    Subtract,
    Multiply,
    Negate,
}

/// The outer operation of a pair; the inner one's result is its left operand, or the right one in those `From` and `Into`.
/// `Negate` has no other operand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Second {
    Add,
    Subtract,
    SubtractFrom,
    Multiply,
    Divide,
    DivideInto,
    Negate,
}

/// Terms that a row can have beside the variable itself.
pub(super) const ROW_TERMS: usize = 3;

/// Where a variable keeps its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FusedMask {
    Never,
    /// Where this is true.
    Where(Ref),
    /// Where, `ago` steps before this one, fewer than `steps` steps had gone since the last spike. `steps` is a scalar.
    Since {
        steps: Ref,
        ago: i32,
    },
}

impl FusedMask {
    pub(super) fn operand(self) -> Option<Ref> {
        match self {
            FusedMask::Never => None,
            FusedMask::Where(condition) => Some(condition),
            FusedMask::Since { steps, .. } => Some(steps),
        }
    }

    #[inline(always)]
    fn resolve<'a>(self, view: &OperandView<'a>) -> LaneMask<'a> {
        match self {
            FusedMask::Never => LaneMask::Never,
            FusedMask::Where(condition) => LaneMask::Where(view.lanes(condition)),
            FusedMask::Since { steps, ago } => {
                LaneMask::Since(view.inputs.last_spike, since(view.scalar(steps), ago, view.inputs.step as i32))
            }
        }
    }
}

/// The step such that exactly the spikes after it are fewer than `steps` steps old, `ago` steps before `now`.
#[inline(always)]
pub(super) fn since(steps: f32, ago: i32, now: i32) -> i32 {
    let whole = steps.ceil();
    if whole > (LONG_AGO - ago) as f32 {
        // Counting stops before that, so everything is recent.
        i32::MIN
    } else if whole >= -LONG_AGO as f32 {
        now.wrapping_sub(whole as i32 + ago)
    } else {
        // Far below zero, or not a number.
        i32::MAX
    }
}

impl Fused {
    /// Values that the instruction reads, beside the old value of the variable that it writes.
    pub(super) fn operands(&self) -> Vec<Ref> {
        match self {
            Fused::Copy(x) | Fused::Gain(x) => vec![*x],
            Fused::Pair(_, _, operands) => operands.to_vec(),
            Fused::Products { factors, .. } => factors.concat(),
            Fused::Unless { operands, hold, .. } => operands.iter().copied().chain(hold.operand()).collect(),
            Fused::Arrive { hold, .. } => hold.operand().into_iter().collect(),
            Fused::Become { value, hold } => std::iter::once(*value).chain(hold.operand()).collect(),
            Fused::Move { by, hold } => by.iter().copied().chain(hold.operand()).collect(),
            Fused::Row { factor, terms, constant, hold } => {
                std::iter::once(*factor).chain(terms.concat()).chain(*constant).chain(hold.operand()).collect()
            }
        }
    }
}

/// Runs an instruction.
#[inline(always)]
pub(super) fn run(fused: &Fused, view: &OperandView<'_>, out: &mut Lanes) {
    match fused {
        Fused::Copy(x) => loops::one(out, view.source(*x), |x| x),
        Fused::Pair(first, second, operands) => {
            pair(*first, *second, [view.source(operands[0]), view.source(operands[1]), view.source(operands[2])], out);
        }
        Fused::Products { minus, factors: [[x, y], [z, w]] } => {
            let (scales, lanes) = ([view.source(*x), view.source(*z)], [view.lanes(*y), view.lanes(*w)]);
            match minus {
                false => loops::products(out, scales, lanes, |x, y| x + y),
                true => loops::products(out, scales, lanes, |x, y| x - y),
            }
        }
        Fused::Unless { test, operands: [x, y], hold } => {
            unless(*test, view.source(*x), view.source(*y), hold.resolve(view), out);
        }
        Fused::Arrive { port, hold } => {
            let hold = hold.resolve(view);
            match view.port(*port) {
                ((x, unit), None) => loops::change(out, hold, |old, k| old + arrived(x[k], unit)),
                ((x, unit), Some((y, fine))) => {
                    loops::change(out, hold, |old, k| old + (arrived(x[k], unit) + arrived(y[k], fine)));
                }
            }
        }
        Fused::Gain(x) => match view.source(*x) {
            Source::Scalar(x) => loops::change(out, LaneMask::Never, |old, _| old + x),
            Source::Lanes(x) => loops::change(out, LaneMask::Never, |old, k| old + x[k]),
        },
        Fused::Become { value, hold } => {
            let x = view.lanes(*value);
            loops::advance(out, hold.resolve(view), |_, k| x[k]);
        }
        Fused::Move { by: [x, y], hold } => {
            let (y, hold) = (view.lanes(*y), hold.resolve(view));
            match view.source(*x) {
                Source::Scalar(x) => loops::advance(out, hold, |old, k| old + x * y[k]),
                Source::Lanes(x) => loops::advance(out, hold, |old, k| old + x[k] * y[k]),
            }
        }
        Fused::Row { factor, terms, constant, hold } => {
            let mut read = [None; ROW_TERMS];
            for (read, [f, x]) in read.iter_mut().zip(terms) {
                *read = Some((view.scalar(*f), view.lanes(*x)));
            }
            let constant = constant.map(
                #[inline(always)]
                |constant| view.scalar(constant),
            );
            row(view.scalar(*factor), read, constant, hold.resolve(view), out);
        }
    }
}

#[inline(always)]
fn pair(first: First, second: Second, [x, y, z]: [Source<'_>; 3], out: &mut Lanes) {
    macro_rules! outer {
        ($inner:expr) => {
            match second {
                Second::Add => loops::three(out, x, y, z, |x, y, z| $inner(x, y) + z),
                Second::Subtract => loops::three(out, x, y, z, |x, y, z| $inner(x, y) - z),
                Second::SubtractFrom => loops::three(out, x, y, z, |x, y, z| z - $inner(x, y)),
                Second::Multiply => loops::three(out, x, y, z, |x, y, z| $inner(x, y) * z),
                Second::Divide => loops::three(out, x, y, z, |x, y, z| $inner(x, y) / z),
                Second::DivideInto => loops::three(out, x, y, z, |x, y, z| z / $inner(x, y)),
                Second::Negate => loops::two(out, x, y, |x, y| -$inner(x, y)),
            }
        };
    }
    match first {
        First::Add => outer!(|x: f32, y: f32| x + y),
        First::Subtract => outer!(|x: f32, y: f32| x - y),
        First::Multiply => outer!(|x: f32, y: f32| x * y),
        First::Negate => outer!(|x: f32, _: f32| -x),
    }
}

#[inline(always)]
fn unless(test: BinaryOp, x: Source<'_>, y: Source<'_>, hold: LaneMask<'_>, out: &mut Lanes) {
    match test {
        BinaryOp::Less => loops::unless(out, x, y, hold, |x, y| x < y),
        BinaryOp::LessEqual => loops::unless(out, x, y, hold, |x, y| x <= y),
        BinaryOp::Greater => loops::unless(out, x, y, hold, |x, y| x > y),
        BinaryOp::GreaterEqual => loops::unless(out, x, y, hold, |x, y| x >= y),
        _ => unreachable!("a threshold is an inequality"),
    }
}

#[inline(always)]
fn row(factor: f32, terms: [Option<(f32, &Lanes)>; ROW_TERMS], constant: Option<f32>, hold: LaneMask<'_>, out: &mut Lanes) {
    match (terms, constant) {
        ([None, ..], None) => loops::advance(out, hold, |old, _| factor * old),
        ([None, ..], Some(c)) => loops::advance(out, hold, |old, _| factor * old + c),
        ([Some((f, x)), None, _], None) => loops::advance(out, hold, |old, k| factor * old + f * x[k]),
        ([Some((f, x)), None, _], Some(c)) => loops::advance(out, hold, |old, k| factor * old + f * x[k] + c),
        ([Some((f, x)), Some((g, y)), None], None) => {
            loops::advance(out, hold, |old, k| factor * old + f * x[k] + g * y[k]);
        }
        ([Some((f, x)), Some((g, y)), None], Some(c)) => {
            loops::advance(out, hold, |old, k| factor * old + f * x[k] + g * y[k] + c);
        }
        ([Some((f, x)), Some((g, y)), Some((h, z))], None) => {
            loops::advance(out, hold, |old, k| factor * old + f * x[k] + g * y[k] + h * z[k]);
        }
        ([Some((f, x)), Some((g, y)), Some((h, z))], Some(c)) => {
            loops::advance(out, hold, |old, k| factor * old + f * x[k] + g * y[k] + h * z[k] + c);
        }
    }
}
