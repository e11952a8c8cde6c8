//! A step of the neurons of a block.

use spikelet_lang::Program;

use super::compiled::CompiledCell;
use super::linear::{Coefficients, Linear, Step};
use super::{Block, Compiled, Lanes, Pass, Prepared, Registers, Reset};

/// The codes of a program, prepared.
#[derive(Debug, Clone)]
pub struct Cell {
    deliver_input: Prepared,
    reset: Reset,
    after_events: Vec<Prepared>,
    /// Codes of regular steps, with their clocks.
    regular: Vec<(usize, Prepared)>,
    sample_and_hold: Prepared,
    update: Prepared,
    leaking: Option<LeakyCell>,
    compiled: Option<CompiledCell>,
}

/// A step must be interpreted.
#[derive(Debug)]
pub struct Interpreted;

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
        let reset = Reset::new(&program.reset);
        let after_events = program.after_events.iter().map(Prepared::new).collect();
        let regular = program.regular.iter().map(|of| (of.clock, Prepared::new(&of.code))).collect();
        Cell { deliver_input: take, reset, after_events, regular, sample_and_hold: hold, update, leaking, compiled: None }
    }

    /// From now on runs the compiled passes of its program; `split_precision` says which ports have remainders.
    pub fn compile(&mut self, program: &Program, split_precision: &[bool], compiled: Compiled) {
        self.compiled = Some(CompiledCell::new(program, split_precision, compiled));
    }

    /// Before steps with these constants of the population.
    pub fn begin(&mut self, constants: &[f32]) {
        if let Some(LeakyCell { linear, coefficients, .. }) = &mut self.leaking {
            *coefficients = linear.coefficients(constants);
        }
    }

    /// `take`: what has arrived stays in the ring. Here and below, only the first `count` lanes are sure to be computed.
    pub fn deliver_input(&self, block: &mut Block<'_>, count: usize, registers: &mut Registers) {
        if self.run_compiled(Pass::DeliverInput, block, count, registers).is_none() {
            self.deliver_input.run(block, registers);
        }
    }

    /// `reset`, in the lanes that `fired` in the step before.
    pub fn reset(&self, block: &mut Block<'_>, count: usize, fired: &[u32], registers: &mut Registers) {
        if !fired.is_empty() && self.run_compiled(Pass::Reset, block, count, registers).is_none() {
            self.reset.run(block, fired, registers);
        }
    }

    /// The statements of events. They are interpreted.
    pub fn run_after_events(&self, block: &mut Block<'_>, registers: &mut Registers) {
        for code in &self.after_events {
            code.run(block, registers);
        }
    }

    /// Whether there are statements of events, or of `run_regularly`.
    pub fn has_statements(&self) -> bool {
        !self.after_events.is_empty() || !self.regular.is_empty()
    }

    /// Whether there are statements of events, or any of `run_regularly` is due in a step with these clocks.
    pub fn is_due(&self, clocks: &[f32]) -> bool {
        !self.after_events.is_empty() || self.regular.iter().any(|(clock, _)| clocks[*clock] != 0.0)
    }

    /// `run_regularly`, as far as it is due. It is interpreted, because it is rarely due.
    pub fn run_regularly(&self, block: &mut Block<'_>, registers: &mut Registers) {
        for (clock, code) in &self.regular {
            if block.inputs.clocks[*clock] != 0.0 {
                code.run(block, registers);
            }
        }
    }

    /// `hold`.
    pub fn sample_and_hold(&self, block: &mut Block<'_>, count: usize, registers: &mut Registers) {
        if self.run_compiled(Pass::SampleAndHold, block, count, registers).is_none() {
            self.sample_and_hold.run(block, registers);
        }
    }

    /// All three; the second in the lanes that `fired`. Here and below, neither statements of events nor
    /// `run_regularly` [are due](Cell::is_due).
    pub fn begin_step(&self, block: &mut Block<'_>, count: usize, fired: &[u32], registers: &mut Registers) {
        if self.run_compiled(Pass::BeginStep, block, count, registers).is_some() {
            return;
        }
        self.deliver_input(block, count, registers);
        self.reset(block, count, fired, registers);
        self.sample_and_hold(block, count, registers);
    }

    /// `update`. Returns the lanes of the threshold's condition, unless there is none or it holds nowhere.
    pub fn update<'a>(&self, block: &mut Block<'_>, count: usize, registers: &'a mut Registers) -> Option<&'a Lanes> {
        match self.run_compiled(Pass::Update, block, count, registers) {
            Some(any) => any.then_some(&registers.compiled.above[0]),
            None => self.update.run(block, registers),
        }
    }

    /// Whether [`Cell::step`] may stand for all of these.
    pub fn steps(&self) -> bool {
        self.compiled.as_ref().is_some_and(|compiled| compiled.has(Pass::Step))
    }

    /// All of these, with `sums`, which stand for those of the block and become 0. Returns the lanes of the threshold's condition, if it
    /// holds in any; an error, without having changed anything, if this cannot be run on this thread.
    pub fn step<'a>(
        &self,
        block: &mut Block<'_>,
        count: usize,
        sums: &mut [i32],
        registers: &'a mut Registers,
    ) -> Result<Option<&'a Lanes>, Interpreted> {
        let compiled = self.compiled.as_ref().ok_or(Interpreted)?;
        let any = compiled.run(Pass::Step, block, Some(sums), count, registers).ok_or(Interpreted)?;
        Ok(any.then_some(&registers.compiled.above[0]))
    }

    fn run_compiled(&self, pass: Pass, block: &mut Block<'_>, count: usize, registers: &mut Registers) -> Option<bool> {
        self.compiled.as_ref()?.run(pass, block, None, count, registers)
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
