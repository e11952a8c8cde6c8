//! A step of the neurons of a block.

use super::linear::{Coefficients, Linear, Step};
use super::{Block, Lanes, Prepared, Registers, Reset};
use crate::Program;

/// The codes of a program, prepared.
#[derive(Debug, Clone)]
pub struct Cell {
    deliver_input: Prepared,
    reset: Reset,
    sample_and_hold: Prepared,
    update: Prepared,
    leaking: Option<LeakyCell>,
}

/// A model whose step is one loop, except a part of `take`.
#[derive(Debug, Clone)]
struct LeakyCell {
    linear: Linear,
    coefficients: Coefficients,
    rest: Option<Prepared>,
    /// The ports of the rest.
    taken_by_rest: Vec<usize>,
}

impl Cell {
    /// Prepares the codes of a program.
    pub fn new(program: &Program) -> Cell {
        let [take, hold, update] = [&program.deliver_input, &program.sample_and_hold, &program.update].map(Prepared::new);
        let leaking = Linear::new(program).map(|(linear, rest)| {
            let taken_by_rest = (0..program.ports.len()).filter(|port| !linear.ports().contains(port)).collect();
            LeakyCell {
                linear,
                coefficients: Coefficients::default(),
                rest: (!rest.stores.is_empty()).then(|| Prepared::new(&rest)),
                taken_by_rest,
            }
        });
        Cell { deliver_input: take, reset: Reset::new(&program.reset), sample_and_hold: hold, update, leaking }
    }

    /// Before steps with these constants of the population.
    pub fn begin(&mut self, constants: &[f32]) {
        if let Some(LeakyCell { linear, coefficients, .. }) = &mut self.leaking {
            *coefficients = linear.coefficients(constants);
        }
    }

    /// `take`: what has arrived stays in the ring.
    pub fn deliver_input(&self, block: &mut Block<'_>, registers: &mut Registers) {
        self.deliver_input.run(block, registers);
    }

    /// `reset`, in the lanes that `fired` in the step before.
    pub fn reset(&self, block: &mut Block<'_>, fired: &[u32], registers: &mut Registers) {
        self.reset.run(block, fired, registers);
    }

    /// `hold`.
    pub fn sample_and_hold(&self, block: &mut Block<'_>, registers: &mut Registers) {
        self.sample_and_hold.run(block, registers);
    }

    /// All three; the second in the lanes that `fired`.
    pub fn begin_step(&self, block: &mut Block<'_>, fired: &[u32], registers: &mut Registers) {
        self.deliver_input(block, registers);
        self.reset(block, fired, registers);
        self.sample_and_hold(block, registers);
    }

    /// `update`. Returns the lanes of the threshold's condition, if there is one.
    pub fn update<'a>(&self, block: &mut Block<'_>, registers: &'a mut Registers) -> Option<&'a Lanes> {
        self.update.run(block, registers)
    }

    /// Where [`Cell::finish_begin_step`] and [`Cell::leak`] may stand for [`Cell::begin_step`] and [`Cell::update`], given where the lanes of
    /// the ports start: the ports that the first of them takes from.
    pub fn leaks(&self, starts: &[(usize, Option<usize>)]) -> Option<&[usize]> {
        let LeakyCell { linear, taken_by_rest, .. } = self.leaking.as_ref()?;
        linear.ports().iter().all(|port| starts[*port].1.is_none()).then_some(taken_by_rest)
    }

    /// Whether [`Cell::leak`] leaves anything of `take`.
    pub fn leaves_begin_step(&self) -> bool {
        self.leaking.as_ref().is_some_and(|leaking| leaking.rest.is_some() || !leaking.taken_by_rest.is_empty())
    }

    /// What [`Cell::leak`] leaves of `take`, and `reset`.
    pub fn finish_begin_step(&self, block: &mut Block<'_>, fired: &[u32], registers: &mut Registers) {
        if let Some(LeakyCell { rest: Some(rest), .. }) = &self.leaking {
            rest.run(block, registers);
        }
        self.reset.run(block, fired, registers);
    }

    /// The other part of `take`, from `sums`, which stand for those of the block and become 0; then `update`. Returns the lanes, of
    /// the first `count`, in which the threshold's condition holds; only these are sure to be computed. `None` where the cell does not leak.
    pub fn leak<'a>(
        &self,
        block: &mut Block<'_>,
        count: usize,
        sums: &mut [i32],
        registers: &'a mut Registers,
    ) -> Option<&'a [u32]> {
        let LeakyCell { linear, coefficients, .. } = self.leaking.as_ref()?;
        let Registers { firing, level, .. } = registers;
        firing.clear();
        level.run(
            #[inline(always)]
            || linear.run(block, Step { coefficients, count, sums, firing }),
        );
        Some(firing)
    }
}

#[cfg(test)]
mod tests;
