//! Code in f64, one neuron or synapse at a time: the same operations as in [`block`](crate::block), without rounding to f32. It shows
//! the rounding errors of f32; speed does not matter here.
//!
//! Differences to f32, besides rounding: elementary functions are those of `libm`, numbers near 0 are kept ([`Op::Flush`] does nothing),
//! lower words are 0, and a draw has 64 random bits, of which f32 uses the upper ones. It is the same quantile, with more digits.

use spikelet_lang::host::{self, normal_f64, open_unit_f64, unit_f64};
use spikelet_lang::ir::{Code, LONG_AGO, Op};
use spikelet_lang::syntax::BinaryOp;
use spikelet_lang::term::{Function, Random};

/// What a code reads, for one element.
#[derive(Clone, Copy)]
pub struct DoubleInputs<'a> {
    /// Constants of the population.
    pub constants: &'a [f64],
    /// Its clocks in this step.
    pub clocks: &'a [f64],
    /// Entries of its tables, one table after the other.
    pub tables: &'a [f64],
    /// The value of an array when the code starts.
    pub load: &'a dyn Fn(usize) -> f64,
    /// The input of a port.
    pub port: &'a dyn Fn(usize) -> f64,
    /// Steps since the last spike.
    pub since_spike: i32,
    /// Index of the neuron in its population.
    pub index: u32,
    /// The number of this step.
    pub step: u32,
    /// 64 random bits for a site: those of f32, and 32 more.
    pub bits: &'a dyn Fn(u32) -> [u32; 2],
}

/// No arrays, no ports, no random bits.
impl Default for DoubleInputs<'_> {
    fn default() -> Self {
        let none: &[f64] = &[];
        DoubleInputs {
            constants: none,
            clocks: none,
            tables: none,
            load: &|_| 0.0,
            port: &|_| 0.0,
            since_spike: LONG_AGO,
            index: 0,
            step: 0,
            bits: &|_| [0; 2],
        }
    }
}

/// The standard normal number of these bits: the quantile of which [`math::normal`](crate::math::normal) keeps 24 bits.
pub fn normal([high, low]: [u32; 2]) -> f64 {
    normal_f64(open_unit_f64(high, low))
}

/// Computes all operations of a code: `values` holds the result of each, in order. Stores are left to the caller.
pub fn run(code: &Code, inputs: &DoubleInputs<'_>, values: &mut Vec<f64>) {
    values.clear();
    for op in &code.ops {
        let value = evaluate(op, inputs, values);
        values.push(value);
    }
}

fn evaluate(op: &Op, inputs: &DoubleInputs<'_>, values: &[f64]) -> f64 {
    match *op {
        Op::Literal(number) => number.double,
        Op::Constant(index) => inputs.constants[index],
        Op::Clock(index) => inputs.clocks[index],
        Op::Load(array) => (inputs.load)(array),
        Op::Port(port) => (inputs.port)(port),
        Op::SinceSpike => f64::from(inputs.since_spike.min(LONG_AGO)),
        Op::Index => f64::from(inputs.index),
        Op::Random(Random::Uniform, site) => {
            let [high, low] = (inputs.bits)(site);
            unit_f64(high, low)
        }
        Op::Random(Random::Normal, site) => normal((inputs.bits)(site)),
        Op::NormalBetween { first, span, site } => {
            let [high, low] = (inputs.bits)(site);
            normal_f64((f64::from(first) + open_unit_f64(high, low) * f64::from(span)) / 4_294_967_296.0)
        }
        Op::Now => f64::from(inputs.step),
        Op::Elapsed(stamp) => f64::from(inputs.step) - values[stamp],
        Op::Lookup { first, index } => inputs.tables.get(first + values[index] as usize).copied().unwrap_or(f64::NAN),
        Op::Flush(x) => values[x],
        Op::Own(call) => values[call.twin],
        Op::Negate(x) => -values[x],
        Op::Not(x) => 1.0 - values[x],
        Op::Binary(BinaryOp::Or, x, y) => truth(values[x] + values[y] != 0.0),
        Op::Binary(BinaryOp::And, x, y) => values[x] * values[y],
        Op::Binary(op, x, y) => host::binary(op, values[x], values[y]),
        Op::Call1(function, x) => host::call(function, &[values[x]]),
        // The same choice as in f32, so that NaN has the same effect.
        Op::Call2(Function::Min, x, y) => {
            if values[y] < values[x] {
                values[y]
            } else {
                values[x]
            }
        }
        Op::Call2(Function::Max, x, y) => {
            if values[y] > values[x] {
                values[y]
            } else {
                values[x]
            }
        }
        Op::Call2(function, x, y) => host::call(function, &[values[x], values[y]]),
        Op::Call3(function, x, y, z) => host::call(function, &[values[x], values[y], values[z]]),
        Op::Select { condition, yes, no } => {
            if values[condition] != 0.0 {
                values[yes]
            } else {
                values[no]
            }
        }
    }
}

fn truth(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}
