//! Code as a register program over blocks of [`LANES`] neurons, for the CPU. Each instruction is one tight loop that the compiler
//! vectorises; conditions are 1 or 0.
//!
//! [`Prepared`] is code prepared when a plan is loaded: frequent sequences of operations are fused into one loop (`fuse`), values use
//! registers that are reused when they are free, and the last loop of a variable writes directly to its array (`prepare`). Results do not
//! depend on this: the arithmetic of an operation is written once, for one operation (`plain`) or for a few at a time (`fused`), in the
//! same order and without contraction.

mod aligned;
mod cell;
mod compiled;
mod crossed;
mod fuse;
mod fused;
mod linear;
mod loops;
mod plain;
mod prepare;
#[cfg(test)]
pub(crate) mod tests;

pub use aligned::Aligned;
pub use cell::Cell;
pub use compiled::{Arguments, Compiled, Compiler, Functions, Pass, Precomputed};
pub use crossed::crossed;

use spikelet_lang::ir::{Code, Ref};

use crate::simd::Level;
use fused::Operation;
use loops::Source;
use prepare::{Destination, Step, ValueLocation};

/// Neurons in a block.
pub const LANES: usize = 256;

/// One value for each neuron of a block.
pub type Lanes = [f32; LANES];

/// The input of a block: sums in fixed point.
#[derive(Clone, Copy)]
pub struct InputSums<'a> {
    /// Sums of all ports.
    pub sums: &'a [i32],
    /// First lane of each port, and of its remainders, if any.
    pub starts: &'a [(usize, Option<usize>)],
    /// The value of one unit, for each port and for its remainders.
    pub units: &'a [[f32; 2]],
}

impl InputSums<'_> {
    /// For code without ports.
    pub const NONE: InputSums<'static> = InputSums { sums: &[], starts: &[], units: &[] };
}

/// A sum in fixed point as a number, rounded once: the unit is a power of two.
#[inline(always)]
pub fn arrived(sum: i32, unit: f32) -> f32 {
    sum as f32 * unit
}

/// The indices of the neurons of a block in their population, by lane.
#[derive(Debug, Clone, Copy)]
pub enum NeuronIndices<'a> {
    /// Consecutive ones, from this one on.
    From(u32),
    /// These.
    Each(&'a [u32; LANES]),
}

impl NeuronIndices<'_> {
    /// The index of the neuron in a lane.
    pub fn at(self, lane: usize) -> u32 {
        match self {
            NeuronIndices::From(first) => first.wrapping_add(lane as u32),
            NeuronIndices::Each(indices) => indices[lane],
        }
    }
}

/// Inputs of a program besides variables.
pub struct ProgramInputs<'a> {
    /// The input of the ports.
    pub arrivals: InputSums<'a>,
    /// The step of each neuron's last spike.
    pub last_spike: &'a [i32; LANES],
    /// Constants of the population.
    pub constants: &'a [f32],
    /// Its clocks, as they are in this step.
    pub clocks: &'a [f32],
    /// Entries of its tables, one table after the other.
    pub tables: &'a [f32],
    /// The number of this step.
    pub step: u32,
    /// The indices of its neurons in their population.
    pub neurons: NeuronIndices<'a>,
    /// Fills in 32 random bits for each lane, for a site.
    pub bits: &'a dyn Fn(u32, &mut [u32; LANES]),
    /// 32 more for a site and a lane, where those [do not suffice](crate::math::NEAR_0).
    pub more_bits: &'a dyn Fn(u32, usize) -> u32,
}

/// Inputs and outputs of a program for one block.
pub struct Block<'a> {
    /// The arrays of the population, by index of [`Program::variables`](spikelet_lang::Program::variables).
    pub variables: &'a mut [Lanes],
    /// All other inputs.
    pub inputs: &'a ProgramInputs<'a>,
}

/// Scratch memory of programs, reused between blocks so that nothing is allocated in a step.
#[derive(Debug, Default)]
pub struct Registers {
    lanes: Aligned<f32>,
    distributions: plain::Distributions,
    /// Lanes that fire.
    firing: Vec<u32>,
    compiled: compiled::CompiledScratch,
    level: Level,
}

impl Registers {
    /// The vector level of programs.
    pub fn level(&self) -> Level {
        self.level
    }
}

/// Code prepared for execution over blocks.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The location of the value of each operation.
    places: Vec<ValueLocation>,
    steps: Vec<Step>,
    /// Variables that are assigned after the last step.
    late: Vec<(usize, Ref)>,
    condition: Option<Ref>,
    registers: usize,
    loads: Vec<usize>,
    stores: Vec<usize>,
}

impl Prepared {
    /// Prepares code that changes all neurons.
    pub fn new(code: &Code) -> Prepared {
        prepare::prepare(code, true)
    }

    /// The variables whose old values it reads.
    pub fn loads(&self) -> &[usize] {
        &self.loads
    }

    /// The variables that it changes.
    pub fn stores(&self) -> &[usize] {
        &self.stores
    }

    /// Executes it for a block. Returns the lanes of the condition, if the code has one.
    pub fn run<'a>(&self, block: &mut Block<'_>, registers: &'a mut Registers) -> Option<&'a Lanes> {
        self.compute(block, registers);
        self.put_late(
            block,
            registers,
            #[inline(always)]
            |_| true,
        );
        self.condition.map(|condition| match self.places[condition] {
            ValueLocation::Register(register) => &registers.lanes[register],
            _ => unreachable!("a condition lies in a register"),
        })
    }

    /// Runs the steps.
    fn compute(&self, block: &mut Block<'_>, registers: &mut Registers) {
        if registers.lanes.len() < self.registers {
            registers.lanes = Aligned::new(self.registers);
        }
        if self.steps.is_empty() {
            return;
        }
        let Registers { lanes, distributions, level, .. } = registers;
        level.run(
            #[inline(always)]
            || {
                for step in &self.steps {
                    let (out, view) = self.view(block, lanes, step.target);
                    match &step.work {
                        Operation::Plain(op) => plain::run(op, &view, distributions, out),
                        Operation::Fused(fused) => fused::run(fused, &view, out),
                    }
                }
            },
        );
    }

    /// Assigns the variables that waited for the last step, in the selected lanes.
    #[inline(always)]
    fn put_late(&self, block: &mut Block<'_>, registers: &mut Registers, chosen: impl Fn(usize) -> bool) {
        let level = registers.level;
        for (array, value) in &self.late {
            let (variable, view) = self.view(block, &mut registers.lanes, Destination::Variable(*array));
            level.run(
                #[inline(always)]
                || loops::put(variable, view.source(*value), &chosen),
            );
        }
    }

    /// The lanes that an instruction writes, and everything it may read.
    #[inline(always)]
    fn view<'a>(
        &'a self,
        block: &'a mut Block<'_>,
        registers: &'a mut [Lanes],
        target: Destination,
    ) -> (&'a mut Lanes, OperandView<'a>) {
        let (variables, registers, out) = match target {
            Destination::Register(at) => {
                let (out, others) = OtherArrays::split(registers, at);
                (OtherArrays::all(block.variables), others, out)
            }
            Destination::Variable(at) => {
                let (out, others) = OtherArrays::split(block.variables, at);
                (others, OtherArrays::all(registers), out)
            }
        };
        (out, OperandView { places: &self.places, variables, registers, inputs: block.inputs })
    }
}

/// Code for the neurons that fired in the previous step.
#[derive(Debug, Clone)]
pub struct Reset(Prepared);

impl Reset {
    /// Prepares code.
    pub fn new(code: &Code) -> Reset {
        Reset(prepare::prepare(code, false))
    }

    /// Runs over a block, in the lanes that fired in the previous step.
    pub fn run(&self, block: &mut Block<'_>, fired: &[u32], registers: &mut Registers) {
        if self.0.late.is_empty() || fired.is_empty() {
            return;
        }
        if self.0.steps.is_empty() && fired.len() <= Self::FEW {
            return self.assign(block, fired, registers);
        }
        self.0.compute(block, registers);
        let ProgramInputs { last_spike, step, .. } = *block.inputs;
        let before = (step as i32).wrapping_sub(1);
        self.0.put_late(
            block,
            registers,
            #[inline(always)]
            |lane| last_spike[lane] == before,
        );
    }
}

impl Reset {
    /// Up to this number of lanes are reset one by one.
    const FEW: usize = 16;

    /// Assigns values that need no computation, lane by lane.
    fn assign(&self, block: &mut Block<'_>, lanes: &[u32], registers: &mut Registers) {
        for (array, value) in &self.0.late {
            let (variable, view) = self.0.view(block, &mut registers.lanes, Destination::Variable(*array));
            let new = view.source(*value);
            lanes.iter().for_each(|lane| variable[*lane as usize] = new.at(*lane as usize));
        }
    }
}

/// Inputs of an instruction.
struct OperandView<'a> {
    places: &'a [ValueLocation],
    variables: OtherArrays<'a>,
    registers: OtherArrays<'a>,
    inputs: &'a ProgramInputs<'a>,
}

impl<'a> OperandView<'a> {
    #[inline(always)]
    fn source(&self, value: Ref) -> Source<'a> {
        match self.places[value] {
            ValueLocation::Literal(value) => Source::Scalar(value),
            ValueLocation::Constant(index) => Source::Scalar(self.inputs.constants[index]),
            ValueLocation::Clock(index) => Source::Scalar(self.inputs.clocks[index]),
            ValueLocation::Variable(array) => Source::Lanes(self.variables.get(array)),
            ValueLocation::Register(register) => Source::Lanes(self.registers.get(register)),
            ValueLocation::Nowhere => unreachable!("an operand is computed before it is read"),
        }
    }

    #[inline(always)]
    fn lanes(&self, value: Ref) -> &'a Lanes {
        match self.source(value) {
            Source::Lanes(lanes) => lanes,
            Source::Scalar(_) => unreachable!("this operand is not the same for all lanes"),
        }
    }

    #[inline(always)]
    fn scalar(&self, value: Ref) -> f32 {
        match self.source(value) {
            Source::Scalar(value) => value,
            Source::Lanes(_) => unreachable!("this operand is the same for all lanes"),
        }
    }

    /// The sums of a port with their unit, and the remainders with theirs.
    #[inline(always)]
    fn port(&self, port: usize) -> (FixedPointSums<'a>, Option<FixedPointSums<'a>>) {
        let InputSums { sums, starts, units } = self.inputs.arrivals;
        let lanes = |start: usize| sums[start..].first_chunk().expect("a port has a lane for each neuron of a block");
        let (coarse, fine) = starts[port];
        ((lanes(coarse), units[port][0]), fine.map(|fine| (lanes(fine), units[port][1])))
    }
}

/// Sums in fixed point, and what one unit is worth.
type FixedPointSums<'a> = (&'a [i32; LANES], f32);

/// All arrays but the one that is being written.
#[derive(Clone, Copy)]
struct OtherArrays<'a> {
    before: &'a [Lanes],
    after: &'a [Lanes],
}

impl<'a> OtherArrays<'a> {
    #[inline(always)]
    fn all(arrays: &'a [Lanes]) -> Self {
        OtherArrays { before: arrays, after: &[] }
    }

    #[inline(always)]
    fn split(arrays: &'a mut [Lanes], at: usize) -> (&'a mut Lanes, Self) {
        let (before, rest) = arrays.split_at_mut(at);
        let (out, after) = rest.split_first_mut().expect("the array exists");
        (out, OtherArrays { before, after })
    }

    #[inline(always)]
    fn get(&self, at: usize) -> &'a Lanes {
        if at < self.before.len() { &self.before[at] } else { &self.after[at - self.before.len() - 1] }
    }
}
