//! Codes compiled by the host of the program, where it can: see [`wasm`](crate::wasm).

// Compiled code reads and writes memory by addresses; `CompiledCell::run` makes sure that they are those of the block at hand.
#![allow(unsafe_code)]

use std::fmt::Debug;
use std::sync::Arc;

use spikelet_lang::Program;

use super::{Aligned, Block, InputSums, LANES, Lanes, Prepared, Registers};
use crate::math;

/// A pass over the lanes of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// `deliver_input`.
    DeliverInput,
    /// `reset`.
    Reset,
    /// `sample_and_hold`.
    SampleAndHold,
    /// All three.
    BeginStep,
    /// `update`.
    Update,
    /// All four, after which the sums of the ports are 0.
    Step,
}

impl Pass {
    /// All of them, each at its number.
    pub const ALL: [Pass; 6] = [Pass::DeliverInput, Pass::Reset, Pass::SampleAndHold, Pass::BeginStep, Pass::Update, Pass::Step];

    /// Whether it may add what has arrived.
    fn reads_ports(self) -> bool {
        matches!(self, Pass::DeliverInput | Pass::BeginStep | Pass::Step)
    }

    /// The codes that it runs, in the order above.
    #[cfg(any(target_family = "wasm", test))]
    pub(crate) fn parts(self) -> std::ops::Range<usize> {
        match self {
            Pass::DeliverInput => 0..1,
            Pass::Reset => 1..2,
            Pass::SampleAndHold => 2..3,
            Pass::BeginStep => 0..3,
            Pass::Update => 3..4,
            Pass::Step => 0..4,
        }
    }
}

/// What a pass finds in an array of lanes, because there are no instructions for it.
#[derive(Debug, Clone)]
pub enum Precomputed {
    /// Random bits of a site.
    Bits(u32),
    /// The condition of a code, which is a value here.
    Value(Box<Prepared>),
}

/// The inputs of compiled code: addresses of arrays, and numbers. Each field is a word.
#[repr(C)]
#[derive(Debug)]
pub struct Arguments {
    pub(crate) variables: *mut Lanes,
    /// For each port the addresses of its sums and of their remainders.
    pub(crate) ports: *const [usize; 2],
    pub(crate) units: *const [f32; 2],
    pub(crate) last_spike: *const i32,
    pub(crate) constants: *const f32,
    pub(crate) clocks: *const f32,
    pub(crate) tables: *const f32,
    pub(crate) table_count: usize,
    pub(crate) given: *const [u32; LANES],
    pub(crate) above: *mut Lanes,
    pub(crate) step: usize,
    /// Bytes of the lanes of an array that are computed: whole vectors.
    pub(crate) end: usize,
    pub(crate) sin: extern "C" fn(f32) -> f32,
    pub(crate) cos: extern "C" fn(f32) -> f32,
    pub(crate) tan: extern "C" fn(f32) -> f32,
}

pub(crate) extern "C" fn sin(x: f32) -> f32 {
    math::sin(x)
}

pub(crate) extern "C" fn cos(x: f32) -> f32 {
    math::cos(x)
}

pub(crate) extern "C" fn tan(x: f32) -> f32 {
    math::tan(x)
}

/// A compiler of programs, which runs on the machine that the program runs on.
pub trait Compiler: Debug + Send + Sync {
    /// Compiles a program; `split_precision` says which of its ports have remainders. Nothing where the host rejects it: the program is interpreted
    /// then.
    fn compile(&self, program: &Program, split_precision: &[bool]) -> Option<Compiled>;
}

/// A compiled program.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// Its functions.
    pub functions: Arc<dyn Functions>,
    /// For each pass what must be computed before; nothing where it is not compiled.
    pub passes: Arc<[Option<Vec<Precomputed>>; Pass::ALL.len()]>,
}

/// The functions of a compiled program.
pub trait Functions: Debug + Send + Sync {
    /// Runs a pass; returns whether the threshold's condition holds in any lane. Nothing, without having run, if it cannot be
    /// run on this thread.
    ///
    /// # Safety
    /// The addresses are those of arrays of the sizes that the program needs, which nothing else uses meanwhile.
    unsafe fn run(&self, pass: Pass, arguments: &Arguments) -> Option<bool>;
}

/// Memory for what is computed before a pass.
#[derive(Debug, Default)]
pub(super) struct CompiledScratch {
    given: Aligned<u32>,
    ports: Vec<[usize; 2]>,
    /// Where the threshold's condition holds.
    pub(super) above: Aligned<f32>,
}

impl CompiledScratch {
    /// Computes what a pass finds.
    fn compute(&mut self, given: &[Precomputed], block: &mut Block<'_>, registers: &mut Registers) {
        if self.given.len() < given.len() {
            self.given = Aligned::new(given.len());
        }
        if self.above.is_empty() {
            self.above = Aligned::new(1);
        }
        for (lanes, given) in self.given.iter_mut().zip(given) {
            match given {
                Precomputed::Bits(site) => (block.inputs.bits)(*site, lanes),
                Precomputed::Value(code) => {
                    let values = code.run(block, registers).into_iter().flatten();
                    lanes.iter_mut().zip(values).for_each(|(lane, value)| *lane = value.to_bits());
                }
            }
        }
    }
}

/// A compiled program, with the sizes that its code relies on.
#[derive(Debug, Clone)]
pub(super) struct CompiledCell {
    compiled: Compiled,
    variables: usize,
    split_precision: Vec<bool>,
    constants: usize,
    clocks: usize,
}

impl CompiledCell {
    pub(super) fn new(program: &Program, split_precision: &[bool], compiled: Compiled) -> CompiledCell {
        CompiledCell {
            compiled,
            variables: program.variables.len(),
            split_precision: split_precision.to_vec(),
            constants: program.rules.constants.len(),
            clocks: program.rules.clocks.len(),
        }
    }

    pub(super) fn has(&self, pass: Pass) -> bool {
        self.compiled.passes[pass as usize].is_some()
    }

    /// Runs a pass over the first `count` lanes. `sums` stand for those of the block where the pass sets them to 0. Returns whether the
    /// threshold's condition holds in any lane, as [`CompiledScratch::above`] tells in detail; nothing, without having changed anything, if the
    /// pass must be interpreted.
    pub(super) fn run(
        &self,
        pass: Pass,
        block: &mut Block<'_>,
        sums: Option<&mut [i32]>,
        count: usize,
        registers: &mut Registers,
    ) -> Option<bool> {
        let given = self.compiled.passes[pass as usize].as_ref()?;
        let mut scratch = std::mem::take(&mut registers.compiled);
        scratch.compute(given, block, registers);
        let inputs = block.inputs;
        let InputSums { starts, units, .. } = inputs.arrivals;
        let (sums, room) = match sums {
            Some(sums) => (sums.as_mut_ptr().cast_const(), sums.len()),
            None => (inputs.arrivals.sums.as_ptr(), inputs.arrivals.sums.len()),
        };
        let ends = starts.iter().flat_map(|(coarse, fine)| [*coarse, fine.unwrap_or(*coarse)]).map(|start| start + LANES);
        let fits = block.variables.len() >= self.variables
            && inputs.constants.len() >= self.constants
            && inputs.clocks.len() >= self.clocks
            && units.len() >= self.split_precision.len()
            && starts.len() >= self.split_precision.len()
            && starts.iter().zip(&self.split_precision).all(|((_, fine), split)| fine.is_some() == *split)
            && (!pass.reads_ports() || ends.max().unwrap_or(0) <= room);
        assert!(fits, "a block has the arrays of its program");
        scratch.ports.clear();
        let addresses = |(coarse, fine): &(usize, Option<usize>)| {
            [*coarse, fine.unwrap_or(*coarse)].map(|start| sums.wrapping_add(start) as usize)
        };
        scratch.ports.extend(starts.iter().map(addresses));
        let arguments = Arguments {
            variables: block.variables.as_mut_ptr(),
            ports: scratch.ports.as_ptr(),
            units: units.as_ptr(),
            last_spike: inputs.last_spike.as_ptr(),
            constants: inputs.constants.as_ptr(),
            clocks: inputs.clocks.as_ptr(),
            tables: inputs.tables.as_ptr(),
            table_count: inputs.tables.len(),
            given: scratch.given.as_ptr(),
            above: scratch.above.as_mut_ptr(),
            step: inputs.step as usize,
            end: count.clamp(1, LANES).next_multiple_of(4) * size_of::<f32>(),
            sin,
            cos,
            tan,
        };
        // SAFETY: the arrays have the sizes of the program, as tested above, and are borrowed until the end of this function.
        let any = unsafe { self.compiled.functions.run(pass, &arguments) };
        registers.compiled = scratch;
        any
    }
}
