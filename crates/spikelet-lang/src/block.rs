//! The CPU's printer: code as a register program over blocks of [`LANES`] neurons. Each instruction is one tight loop that the
//! compiler vectorises; conditions are 1 or 0.
//!
//! [`Prepared`] is code made ready once, when a plan is loaded: operations that often follow each other are fused into one loop
//! (`fuse`), values get registers that are used again as soon as they are free, and a variable's last loop writes straight into its
//! array (`prepare`). None of this changes a bit of any result: the arithmetic of an operation is written once, for one operation
//! (`plain`) or for a few at a time (`fused`), in the same order and without contraction.

mod aligned;
mod cell;
mod fuse;
mod fused;
mod linear;
mod loops;
mod plain;
mod prepare;
#[cfg(test)]
mod tests;

pub use aligned::Aligned;
pub use cell::Cell;

use crate::ir::{Code, Ref};
use crate::simd::Level;
use loops::Source;
use prepare::{Destination, Operation, Step, ValueLocation};

/// Neurons in a block.
pub const LANES: usize = 256;

/// One value for each neuron of a block.
pub type Lanes = [f32; LANES];

/// Steps since a spike count up to here; beyond it f32 would skip numbers.
pub const LONG_AGO: i32 = 1 << 24;

/// What arrived at the ports of a block: sums in fixed point.
#[derive(Clone, Copy)]
pub struct InputSums<'a> {
    /// Sums of all ports.
    pub sums: &'a [i32],
    /// Where the lanes of each port start among them, and those of what is left over where a port keeps that.
    pub starts: &'a [(usize, Option<usize>)],
    /// What one unit is worth, for each port and for what is left over.
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

/// What a program reads beside variables.
pub struct ProgramInputs<'a> {
    /// What arrived at the ports.
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
    /// Index in its population of the neuron in lane 0.
    pub first: u32,
    /// Fills in 32 random bits for each lane, given the site that draws them.
    pub bits: &'a dyn Fn(u32, &mut [u32; LANES]),
}

/// What a program reads and writes while it runs over one block.
pub struct Block<'a> {
    /// The arrays of the population, by index of [`Program::variables`](crate::Program::variables).
    pub variables: &'a mut [Lanes],
    /// All else.
    pub inputs: &'a ProgramInputs<'a>,
}

/// Scratch memory of running programs; kept between blocks so that nothing is allocated in a step.
#[derive(Debug, Default)]
pub struct Registers {
    lanes: Aligned<f32>,
    distributions: plain::Distributions,
    level: Level,
}

impl Registers {
    /// The level that programs run at.
    pub fn level(&self) -> Level {
        self.level
    }
}

/// Code made ready to run over blocks.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Where the value of each operation lies.
    places: Vec<ValueLocation>,
    steps: Vec<Step>,
    /// Variables that get their new values after the last step.
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

    /// Runs over a block. Returns the lanes of the condition, if the code has one.
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
        let Registers { lanes, distributions, level } = registers;
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

    /// Gives variables that waited for the last step their new values, in the chosen lanes.
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

    /// The lanes that an instruction writes, and all that it may read.
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

/// Code that changes just the neurons that fired in the step before.
#[derive(Debug, Clone)]
pub struct Reset(Prepared);

impl Reset {
    /// Prepares code.
    pub fn new(code: &Code) -> Reset {
        Reset(prepare::prepare(code, false))
    }

    /// Runs over a block.
    pub fn run(&self, block: &mut Block<'_>, registers: &mut Registers) {
        if self.0.late.is_empty() {
            return;
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

/// What an instruction reads.
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

    /// The sums of a port and their unit, and what is left over with its own.
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
