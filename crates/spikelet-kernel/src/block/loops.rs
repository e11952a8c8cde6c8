//! The loops: one for each number and kind of operands, for the compiler to vectorise.

use super::{LANES, Lanes};
use crate::math;

/// Number of lanes tested together in loops with early exit: whole vectors of any processor.
pub(super) const CHUNK: usize = 32;

/// An operand of an instruction: one value for all lanes, or one each.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Scalar(f32),
    Lanes(&'a Lanes),
}

impl Source<'_> {
    /// The value in one lane.
    pub(super) fn at(self, lane: usize) -> f32 {
        match self {
            Source::Scalar(value) => value,
            Source::Lanes(lanes) => lanes[lane],
        }
    }
}

/// An operand whose kind is known: a loop is compiled for each combination.
trait Operand: Copy {
    fn at(self, lane: usize) -> f32;
}

impl Operand for f32 {
    #[inline(always)]
    fn at(self, _: usize) -> f32 {
        self
    }
}

impl Operand for &Lanes {
    #[inline(always)]
    fn at(self, lane: usize) -> f32 {
        self[lane]
    }
}

/// Compiles the body for each combination of kinds of the named sources.
macro_rules! for_kinds {
    ([] $body:expr) => { $body };
    ([$x:ident $(, $rest:ident)*] $body:expr) => {
        match $x {
            Source::Scalar($x) => for_kinds!([$($rest),*] $body),
            Source::Lanes($x) => for_kinds!([$($rest),*] $body),
        }
    };
}

/// In which lanes a variable keeps its value: those of refractory neurons, mostly.
#[derive(Clone, Copy)]
pub(super) enum LaneMask<'a> {
    Never,
    /// Where this is true.
    Where(&'a Lanes),
    /// Where the last spike came later than this step.
    Since(&'a [i32; LANES], i32),
}

/// A condition whose kind is known.
trait Condition: Copy {
    fn holds(self, lane: usize) -> bool;
}

impl Condition for () {
    #[inline(always)]
    fn holds(self, _: usize) -> bool {
        false
    }
}

impl Condition for &Lanes {
    #[inline(always)]
    fn holds(self, lane: usize) -> bool {
        self[lane] != 0.0
    }
}

impl Condition for (&[i32; LANES], i32) {
    #[inline(always)]
    fn holds(self, lane: usize) -> bool {
        self.0[lane] > self.1
    }
}

#[inline(always)]
pub(super) fn truth(condition: bool) -> f32 {
    if condition { 1.0 } else { 0.0 }
}

/// A value for each lane, computed from its number.
#[inline(always)]
pub(super) fn fill(out: &mut Lanes, value: impl Fn(usize) -> f32) {
    for (lane, out) in out.iter_mut().enumerate() {
        *out = value(lane);
    }
}

#[inline(always)]
pub(super) fn one(out: &mut Lanes, x: Source<'_>, f: impl Fn(f32) -> f32) {
    match x {
        Source::Scalar(x) => *out = [f(x); LANES],
        Source::Lanes(x) => fill(
            out,
            #[inline(always)]
            |k| f(x[k]),
        ),
    }
}

/// For long functions: there is one place that calls it, so that the compiler takes it into the loop.
#[inline(always)]
pub(super) fn call(out: &mut Lanes, x: Source<'_>, f: impl Fn(f32) -> f32) {
    let x = match x {
        Source::Scalar(x) => &[x; LANES],
        Source::Lanes(x) => x,
    };
    fill(
        out,
        #[inline(always)]
        |k| f(x[k]),
    );
}

#[inline(always)]
pub(super) fn two(out: &mut Lanes, x: Source<'_>, y: Source<'_>, f: impl Fn(f32, f32) -> f32) {
    for_kinds!([x, y] fill(out, #[inline(always)] |k| f(x.at(k), y.at(k))));
}

#[inline(always)]
pub(super) fn three(out: &mut Lanes, x: Source<'_>, y: Source<'_>, z: Source<'_>, f: impl Fn(f32, f32, f32) -> f32) {
    for_kinds!([x, y, z] fill(out, #[inline(always)] |k| f(x.at(k), y.at(k), z.at(k))));
}

/// (x · y, z · w), where y and w are not scalars.
#[inline(always)]
pub(super) fn products(out: &mut Lanes, [x, z]: [Source<'_>; 2], [y, w]: [&Lanes; 2], f: impl Fn(f32, f32) -> f32) {
    for_kinds!([x, z] fill(out, #[inline(always)] |k| f(x.at(k) * y[k], z.at(k) * w[k])));
}

/// `test` of x and y, but not where `hold` holds.
#[inline(always)]
pub(super) fn unless(out: &mut Lanes, x: Source<'_>, y: Source<'_>, hold: LaneMask<'_>, test: impl Fn(f32, f32) -> bool) {
    match hold {
        LaneMask::Never => unreachable!("a comparison by itself is one operation"),
        LaneMask::Where(hold) => {
            for_kinds!([x, y] fill(out, #[inline(always)] |k| truth(test(x.at(k), y.at(k)) & !hold.holds(k))));
        }
        LaneMask::Since(last, limit) => {
            let hold = (last, limit);
            for_kinds!([x, y] fill(out, #[inline(always)] |k| truth(test(x.at(k), y.at(k)) & !hold.holds(k))));
        }
    }
}

/// A variable's new value, computed from the old one, in the lanes where it is not held.
#[inline(always)]
pub(super) fn change(variable: &mut Lanes, hold: LaneMask<'_>, value: impl Fn(f32, usize) -> f32) {
    match hold {
        LaneMask::Never => each(variable, (), value, |x| x),
        LaneMask::Where(hold) => each(variable, hold, value, |x| x),
        LaneMask::Since(last, limit) => each(variable, (last, limit), value, |x| x),
    }
}

/// The same, flushed.
#[inline(always)]
pub(super) fn advance(variable: &mut Lanes, hold: LaneMask<'_>, value: impl Fn(f32, usize) -> f32) {
    match hold {
        LaneMask::Never => each(variable, (), value, math::flush),
        LaneMask::Where(hold) => each(variable, hold, value, math::flush),
        LaneMask::Since(last, limit) => each(variable, (last, limit), value, math::flush),
    }
}

#[inline(always)]
fn each(variable: &mut Lanes, hold: impl Condition, value: impl Fn(f32, usize) -> f32, finish: impl Fn(f32) -> f32) {
    for (lane, variable) in variable.iter_mut().enumerate() {
        let old = *variable;
        // Computed in all lanes, then chosen: a branch would keep the loop scalar.
        let new = value(old, lane);
        *variable = finish(if hold.holds(lane) { old } else { new });
    }
}

/// Puts a value into a variable, in the chosen lanes.
#[inline(always)]
pub(super) fn put(variable: &mut Lanes, new: Source<'_>, chosen: impl Fn(usize) -> bool) {
    match new {
        Source::Scalar(new) => variable.iter_mut().enumerate().for_each(|(k, old)| *old = if chosen(k) { new } else { *old }),
        Source::Lanes(new) => variable.iter_mut().enumerate().for_each(|(k, old)| *old = if chosen(k) { new[k] } else { *old }),
    }
}
