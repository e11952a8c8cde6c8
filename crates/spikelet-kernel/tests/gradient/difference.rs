//! Finite differences of a code in f64.

use spikelet_kernel::double::{DoubleInputs, run};
use spikelet_lang::gradient::GradientLayout;
use spikelet_lang::ir::{Code, Op};
use spikelet_lang::term::Function;

/// Pseudorandom numbers: splitmix64 (Steele, Lea & Flood 2014).
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ x >> 31
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        ((self.bits() >> 32) as usize * count) >> 32
    }

    /// Between two bounds.
    pub(super) fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Everything that a code reads.
#[derive(Debug, Clone, Default)]
pub(super) struct Point {
    pub(super) arrays: Vec<f64>,
    pub(super) constants: Vec<f64>,
    pub(super) clocks: Vec<f64>,
    pub(super) ports: Vec<f64>,
    pub(super) since_spike: i32,
    pub(super) step: u32,
}

/// Random bits of a site, the same in every execution of a step.
pub(super) fn bits(step: u32, site: u32) -> u32 {
    (Dice(u64::from(step) << 32 | u64::from(site)).bits() >> 32) as u32
}

/// Executes a code at a point: the arrays after it, all values, and the condition.
pub(super) fn execute(code: &Code, at: &Point) -> (Vec<f64>, Vec<f64>) {
    let mut values = Vec::new();
    let inputs = DoubleInputs {
        constants: &at.constants,
        clocks: &at.clocks,
        tables: &[0.5; 8],
        load: &|array| at.arrays[array],
        port: &|port| at.ports[port],
        since_spike: at.since_spike,
        index: 3,
        step: at.step,
        bits: &|site| [bits(at.step, site), 0],
    };
    run(code, &inputs, &mut values);
    let mut after = at.arrays.clone();
    code.stores.iter().for_each(|(array, value)| after[*array] = values[*value]);
    (after, values)
}

/// Which way every operation went that is not smooth: where two points differ in it, no difference of theirs is a derivative.
fn branches(code: &Code, values: &[f64]) -> Vec<i64> {
    let way = |(at, op): (usize, &Op)| match *op {
        op if op.is_condition() => Some(values[at] as i64),
        Op::Call1(Function::Abs | Function::Sign, x) => Some(i64::from(values[x] < 0.0)),
        Op::Call1(Function::Floor | Function::Ceil | Function::Int, _) => Some(values[at] as i64),
        Op::Call2(Function::Min | Function::Max, x, y) => Some(i64::from(values[x] < values[y])),
        Op::Lookup { index, .. } => Some(values[index] as i64),
        _ => None,
    };
    code.ops.iter().enumerate().filter_map(way).collect()
}

/// What is varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Input {
    Array(usize),
    Port(usize),
    Constant(usize),
}

impl Input {
    fn of(self, point: &mut Point) -> &mut f64 {
        match self {
            Input::Array(array) => &mut point.arrays[array],
            Input::Port(port) => &mut point.ports[port],
            Input::Constant(constant) => &mut point.constants[constant],
        }
    }
}

/// Compares the adjoint of every input of a step at a point with the difference of the loss that its adjoints define. Returns the inputs
/// that were compared; others have a kink too near.
pub(super) fn agree(name: &str, codes: [&Code; 2], layout: &GradientLayout, point: &Point) -> Vec<Input> {
    let [step, gradient] = codes;
    let mut point = point.clone();
    (0..layout.constants).for_each(|constant| point.arrays[layout.adjoint_of_constant(constant)] = 0.0);
    let (found, _) = execute(gradient, &point);
    let losses = |point: &Point| {
        let (after, values) = execute(step, point);
        let adjoint = |array: usize| match array {
            array if array < layout.variables => layout.adjoint(array),
            array if array == layout.spike() => layout.adjoint_of_spike(),
            array => layout.adjoint_of_observation(array - layout.observation(0)),
        };
        let is_output = |array: &usize| *array < layout.variables || step.stores_to(*array);
        let outputs = (0..layout.adjoint(0)).filter(is_output);
        let parts: Vec<f64> = outputs.map(|array| after[array] * point.arrays[adjoint(array)]).collect();
        (parts.iter().sum::<f64>(), parts.iter().map(|part| part.abs()).sum::<f64>(), branches(step, &values))
    };
    let (_, size, ways) = losses(&point);
    let arrays = (0..=layout.variables).map(|array| (Input::Array(array), array));
    let arrays = arrays.map(|(input, array)| {
        (input, if array == layout.spike() { layout.adjoint_of_last_spike() } else { layout.adjoint(array) })
    });
    let ports = (0..layout.ports).map(|port| (Input::Port(port), layout.adjoint_of_port(port)));
    let constants = (0..layout.constants).map(|at| (Input::Constant(at), layout.adjoint_of_constant(at)));
    let mut compared = Vec::new();
    for (input, place) in arrays.chain(ports).chain(constants) {
        let (own, mut moved) = (*input.of(&mut point), point.clone());
        let width = 1e-4 * own.abs().max(0.01);
        let mut at = |by: f64| {
            *input.of(&mut moved) = own + by * width;
            losses(&moved)
        };
        // The error of this difference is width⁴ times the fifth derivative over 30.
        let around = [-2.0, -1.0, 1.0, 2.0].map(&mut at);
        if around.iter().any(|(.., others)| *others != ways) {
            continue;
        }
        let [far_below, below, above, far_above] = around.map(|(loss, ..)| loss);
        let expected = (far_below - 8.0 * below + 8.0 * above - far_above) / (12.0 * width);
        let tolerance = 1e-6 * expected.abs() + 1e-14 * (size + 1.0) / width;
        assert!(
            (found[place] - expected).abs() <= tolerance,
            "{name}: {input:?} has {}, expected {expected}, off by more than {tolerance}, at {point:?}",
            found[place]
        );
        compared.push(input);
    }
    compared
}
