use std::cell::RefCell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use spikelet_lang::ir::Op;
use spikelet_lang::syntax::BinaryOp::{
    self, Add, And, Divide, Greater, GreaterEqual, Less, LessEqual, Multiply, NotEqual, Or, Subtract,
};
use spikelet_lang::term::{Function, Random};
use spikelet_lang::{PopulationLayout, Quantities, check_neuron, library};

use super::fused::Operation;
use super::fused::{Fused, FusedMask};
use super::prepare::{Destination, Step, ValueLocation};
use super::*;
use crate::double;

pub(crate) const ARRAYS: usize = 5;
pub(crate) const STEP: u32 = 1000;

/// Runs code an operation at a time, each into a register of its own, then changes the variables.
fn by_single_operations(code: &Code, block: &mut Block<'_>, chosen: impl Fn(usize) -> bool) -> Option<Lanes> {
    let place = |(at, op): (usize, &Op)| match *op {
        Op::Literal(value) => ValueLocation::Literal(value.single),
        Op::Constant(index) => ValueLocation::Constant(index),
        Op::Clock(index) => ValueLocation::Clock(index),
        Op::Load(array) => ValueLocation::Variable(array),
        _ => ValueLocation::Register(at),
    };
    let places: Vec<ValueLocation> = code.ops.iter().enumerate().map(place).collect();
    let steps = code.ops.iter().enumerate().filter(|(at, _)| places[*at] == ValueLocation::Register(*at));
    let steps = steps.map(|(at, op)| Step { work: Operation::Plain(*op), target: Destination::Register(at) }).collect();
    let single = Prepared {
        registers: places.len() + 1,
        places,
        steps,
        late: Vec::new(),
        condition: None,
        loads: Vec::new(),
        stores: Vec::new(),
    };
    let mut registers = Registers::default();
    single.compute(block, &mut registers);
    let mut value = |value: Ref| {
        let (_, view) = single.view(block, &mut registers.lanes, Destination::Register(single.places.len()));
        let source = view.source(value);
        std::array::from_fn(|lane| source.at(lane))
    };
    let stores: Vec<(usize, Lanes)> = code.stores.iter().map(|(array, stored)| (*array, value(*stored))).collect();
    let condition = code.condition.map(&mut value);
    for (array, new) in stores {
        loops::put(&mut block.variables[array], Source::Lanes(&new), &chosen);
    }
    condition
}

/// The same bits, but for those of NaN: which of two it comes from is not said.
fn assert_same(found: &Lanes, expected: &Lanes, what: &str) {
    for (lane, (found, expected)) in found.iter().zip(expected).enumerate() {
        let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
        assert!(same, "{what}, lane {lane}: {found:e}, expected {expected:e}");
    }
}

/// Numbers of all kinds, the same for the same lane and seed.
pub(crate) fn value(lane: usize, seed: u32) -> f32 {
    let random = (lane as u32 + 1).wrapping_mul(0x9e37_79b9 ^ seed.wrapping_mul(0x85eb_ca6b)).rotate_left(13);
    match random % 16 {
        0 => 0.0,
        1 => -0.0,
        2 => f32::from_bits(random),
        3 => 1e-31,
        4 => 1.0,
        _ => (random as i32) as f32 * 1e-8,
    }
}

/// Runs code prepared, at each level of the processor, and by single operations, twice, so that the second run finds what the first one
/// left. Returns the names of the fused instructions.
fn check(code: &Code) -> Vec<String> {
    // Many neurons fired, or few.
    check_after_spikes(code, 7);
    check_after_spikes(code, 21)
}

/// Every `apart`th neuron fired in the previous step.
fn check_after_spikes(code: &Code, apart: usize) -> Vec<String> {
    let last_spike: [i32; LANES] = std::array::from_fn(|lane| match lane % apart {
        0 => STEP as i32 - 1,
        1 => i32::MIN / 2,
        _ => STEP as i32 - lane as i32,
    });
    let sums: Vec<i32> = (0..2 * LANES as i32).map(|lane| lane.wrapping_mul(0x0101_0101)).collect();
    let inputs = ProgramInputs {
        arrivals: InputSums { sums: &sums, starts: &[(0, None), (0, Some(LANES))], units: &[[0.5, 0.0], [1e-3, 1e-6]] },
        last_spike: &last_spike,
        constants: &[0.25, -3.0, 50.0],
        clocks: &[1.5, 0.0],
        tables: &[],
        step: STEP,
        neurons: NeuronIndices::From(512),
        bits: &|site, lanes| lanes.iter_mut().zip(0_u32..).for_each(|(bits, lane)| *bits = lane.wrapping_mul(0x9e37_79b9) ^ site),
        more_bits: &|site, lane| site ^ lane as u32,
    };
    let initial = || (0..ARRAYS).map(|array| std::array::from_fn(|lane| value(lane, array as u32))).collect::<Vec<Lanes>>();
    let (prepared, reset) = (Prepared::new(code), Reset::new(code));
    for level in Level::all() {
        // Registers that other code has left.
        let mut registers = Registers { lanes: [[f32::NAN; LANES]; 3].into_iter().collect(), level, ..Registers::default() };
        let (mut found, mut expected) = (initial(), initial());
        for _ in 0..2 {
            let condition = by_single_operations(code, &mut Block { variables: &mut expected, inputs: &inputs }, |_| true);
            let above = prepared.run(&mut Block { variables: &mut found, inputs: &inputs }, &mut registers);
            assert_eq!(above.is_some(), condition.is_some());
            if let (Some(above), Some(condition)) = (above, condition) {
                assert_same(above, &condition, "condition");
            }
            found
                .iter()
                .zip(&expected)
                .enumerate()
                .for_each(|(k, (found, expected))| assert_same(found, expected, &format!("v{k}")));
        }
        let fired = |lane: usize| last_spike[lane] == STEP as i32 - 1;
        by_single_operations(code, &mut Block { variables: &mut expected, inputs: &inputs }, fired);
        let fired: Vec<u32> = (0..LANES as u32).filter(|lane| fired(*lane as usize)).collect();
        reset.run(&mut Block { variables: &mut found, inputs: &inputs }, &fired, &mut registers);
        found.iter().zip(&expected).for_each(|(found, expected)| assert_same(found, expected, "after a reset"));
    }
    let fused = |step: &Step| if let Operation::Fused(fused) = &step.work { Some(name(fused)) } else { None };
    prepared.steps.iter().chain(&reset.0.steps).filter_map(fused).collect()
}

/// Code in the making, from bytes of chance.
#[derive(Default)]
struct Make(Code);

impl Make {
    fn op(&mut self, op: Op) -> Ref {
        self.0.ops.push(op);
        self.0.ops.len() - 1
    }

    fn binary(&mut self, op: BinaryOp, x: Ref, y: Ref) -> Ref {
        self.op(Op::Binary(op, x, y))
    }

    /// One of the operations so far; the later ones are likelier.
    fn any(&self, byte: u8) -> Ref {
        let count = self.0.ops.len();
        if byte.is_multiple_of(4) { byte as usize % count } else { count - 1 - (byte as usize / 4) % count.min(4) }
    }

    /// One operation.
    fn add(&mut self, [kind, a, b, c]: [u8; 4]) {
        let (x, y, z) = (self.any(a), self.any(b), self.any(c));
        self.op(match kind % 24 {
            0 => Op::number([0.0, 1.0, -1.0, 0.5, 50.0, 1e-20, -0.0, 1e20][a as usize % 8]),
            1 => Op::Constant(a as usize % 3),
            2 => Op::Clock(a as usize % 2),
            3 | 4 => Op::Load(a as usize % ARRAYS),
            5 => Op::Port(a as usize % 2),
            6 => Op::SinceSpike,
            7 => Op::Flush(x),
            8 => Op::Negate(x),
            9 => Op::Not(x),
            10 | 11 => Op::Binary(Add, x, y),
            12 | 13 => Op::Binary(Subtract, x, y),
            14 | 15 => Op::Binary(Multiply, x, y),
            16 | 17 => Op::Binary(Divide, x, y),
            18 => Op::Binary([Less, Greater, LessEqual, NotEqual][a as usize % 4], y, z),
            19 => Op::Binary([And, Or][a as usize % 2], y, z),
            20 => Op::Call1([Function::Exp, Function::Abs, Function::Floor][a as usize % 3], y),
            21 => Op::Random(Random::Uniform, u32::from(a) % 3),
            _ => Op::Select { condition: x, yes: y, no: z },
        });
    }

    /// What programs are made of: new values of variables, thresholds.
    fn idiom(&mut self, [kind, a, b, c]: [u8; 4]) {
        let (x, y) = (self.any(a), self.any(b));
        let array = c as usize % ARRAYS;
        let own = self.op(Op::Load(array));
        let hold = match a % 5 {
            0 => {
                let (since, steps) = (self.op(Op::SinceSpike), self.op(Op::Constant(2)));
                Some(self.binary(Less, since, steps))
            }
            1 => {
                let (since, one, steps) = (self.op(Op::SinceSpike), self.op(Op::number(1.0)), self.op(Op::Clock(0)));
                let before = self.binary(Subtract, since, one);
                Some(self.binary(Less, before, steps))
            }
            2 => {
                let (flag, zero) = (self.op(Op::Load(b as usize % ARRAYS)), self.op(Op::number(0.0)));
                Some(self.binary(NotEqual, flag, zero))
            }
            3 => Some(self.binary(Greater, x, y)),
            _ => None,
        };
        let value = match kind % 7 {
            0 => {
                let factor = self.op(Op::Constant(0));
                let mut sum = self.binary(Multiply, factor, own);
                for other in (0..ARRAYS).filter(|other| b >> other & 1 == 1) {
                    let other = self.op(Op::Load(other));
                    let product = self.binary(Multiply, factor, other);
                    sum = self.binary(Add, sum, product);
                }
                if b >> ARRAYS & 1 == 1 { self.binary(Add, sum, factor) } else { sum }
            }
            1 => {
                let product = self.binary(Multiply, x, y);
                self.binary(Add, own, product)
            }
            2 => x,
            3 => {
                let port = self.op(Op::Port(b as usize % 2));
                self.binary(Add, port, own)
            }
            4 => self.binary(Add, own, x),
            5 => {
                let (left, right) = (self.binary(Multiply, x, own), self.binary(Multiply, y, own));
                self.binary(if b % 2 == 0 { Add } else { Subtract }, left, right)
            }
            _ => {
                let test = self.binary([Less, LessEqual, Greater, GreaterEqual][c as usize % 4], x, y);
                let free = hold.map(|hold| self.op(Op::Not(hold)));
                self.0.condition = Some(free.map_or(test, |free| self.binary(And, test, free)));
                return;
            }
        };
        let held = hold.map_or(value, |hold| self.op(Op::Select { condition: hold, yes: own, no: value }));
        let new = if kind % 7 < 3 { self.op(Op::Flush(held)) } else { held };
        if !self.0.stores.iter().any(|(stored, _)| *stored == array) {
            self.0.stores.push((array, new));
        }
    }
}

/// Codes of all kinds.
pub(crate) fn codes() -> impl Strategy<Value = Code> {
    let parts = prop::collection::vec((prop::bool::weighted(0.2), any::<[u8; 4]>()), 1..40);
    let stores = prop::collection::vec((0..ARRAYS, any::<prop::sample::Index>()), 0..ARRAYS);
    (parts, stores).prop_map(|(parts, stores)| {
        let mut make = Make::default();
        make.op(Op::Load(0));
        for (is_idiom, bytes) in parts {
            if is_idiom { make.idiom(bytes) } else { make.add(bytes) }
        }
        let Make(mut code) = make;
        for (array, value) in stores {
            if !code.stores.iter().any(|(stored, _)| *stored == array) {
                code.stores.push((array, value.index(code.ops.len())));
            }
        }
        code
    })
}

/// Whatever is fused, wherever values lie: each variable gets the bits that single operations give. And chance finds every
/// instruction there is.
#[test]
fn any_code_gives_the_bits_of_its_operations() {
    let found = RefCell::new(BTreeSet::new());
    // The same codes each time, so that none of the instructions is found in some runs only.
    let chance = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::with_cases(10_000), chance);
    let done = runner.run(&codes(), |code| {
        found.borrow_mut().extend(check(&code));
        Ok(())
    });
    done.unwrap_or_else(|failure| panic!("{failure}"));
    let count = |name: &str| found.borrow().iter().filter(|found| found.starts_with(name)).count();
    let counts =
        ["Pair", "Products", "Unless", "Arrive", "Gain", "Become", "Move", "Row", "Copy"].map(|name| (name, count(name)));
    // Four inner and seven outer operations; comparisons and rows by where they hold.
    let expected = [28, 2, 8, 3, 1, 3, 3, 24, 1];
    assert_eq!(counts.map(|(_, count)| count), expected, "{counts:?}: {:#?}", found.borrow());
}

/// The operands of an operation, each once and in order.
fn once_each(op: Op) -> Vec<Ref> {
    let mut read: Vec<Ref> = Vec::new();
    op.operands().for_each(|operand| {
        if !read.contains(&operand) {
            read.push(operand);
        }
    });
    read
}

/// The result of an operation in f32 and in f64, from the same operands.
fn in_both(op: Op, operands: [f32; 3]) -> (f32, f64) {
    let places = once_each(op);
    let at = |operand: usize| places.iter().position(|place| *place == operand).unwrap_or_default();
    let moved = match op {
        Op::Flush(_) => Op::Flush(0),
        Op::Negate(_) => Op::Negate(0),
        Op::Not(_) => Op::Not(0),
        Op::Binary(op, x, y) => Op::Binary(op, at(x), at(y)),
        Op::Call1(function, _) => Op::Call1(function, 0),
        Op::Select { condition, yes, no } => Op::Select { condition: at(condition), yes: at(yes), no: at(no) },
        other => other,
    };
    let code = Code { ops: vec![Op::Load(0), Op::Load(1), Op::Load(2), moved], stores: vec![(3, 3)], condition: None };
    let (constants, clocks) = ([0.25_f32, -3.0, 50.0], [1.5_f32, 0.0]);
    let bits = |site: u32| site.wrapping_mul(0x9e37_79b9) ^ 0x1234_5678;
    let inputs = ProgramInputs {
        arrivals: InputSums { sums: &[300; LANES], starts: &[(0, None), (0, None)], units: &[[0.5, 0.0], [0.25, 0.0]] },
        last_spike: &[STEP as i32 - 7; LANES],
        constants: &constants,
        clocks: &clocks,
        tables: &[],
        step: STEP,
        neurons: NeuronIndices::From(0),
        bits: &|site, lanes| lanes.fill(bits(site)),
        more_bits: &|site, _| site,
    };
    let mut arrays: Vec<Lanes> = operands.into_iter().chain([0.0]).map(|value| [value; LANES]).collect();
    Prepared::new(&code).run(&mut Block { variables: &mut arrays, inputs: &inputs }, &mut Registers::default());
    let mut values = Vec::new();
    let inputs = double::DoubleInputs {
        constants: &constants.map(f64::from),
        clocks: &clocks.map(f64::from),
        load: &|array| f64::from(operands[array]),
        port: &|port| [150.0, 75.0][port],
        since_spike: 7,
        step: STEP,
        bits: &|site| [bits(site), site],
        ..double::DoubleInputs::default()
    };
    double::run(&code, &inputs, &mut values);
    (arrays[3][0], values[3])
}

/// Whether a number in f32 is one in f64, up to the rounding of an operation.
fn is_rounded(single: f32, double: f64) -> bool {
    // 4 ulp; below 2⁻¹⁰⁰ and above the largest f32 the f32 has no such number.
    let rounded = f64::from(single);
    single.is_nan() && double.is_nan()
        || (rounded - double).abs() <= 4.8e-7 * double.abs() + 1e-30
        || single.is_infinite() && double.abs() > 3.4e38 && (double > 0.0) == (single > 0.0)
}

/// Each operation of any code gives in f64 what it gives in f32 from the same operands, up to its rounding.
#[test]
fn any_code_is_the_same_code_in_f64() {
    let parts = prop::collection::vec((prop::bool::weighted(0.2), any::<[u8; 4]>()), 1..40);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(300));
    let done = runner.run(&(parts, any::<u32>()), |(parts, seed)| {
        let mut make = Make::default();
        make.op(Op::Load(0));
        for (is_idiom, bytes) in parts {
            if is_idiom { make.idiom(bytes) } else { make.add(bytes) }
        }
        let mut values: Vec<f32> = Vec::new();
        for op in make.0.ops {
            let mut operands = [value(seed as usize % LANES, values.len() as u32), 0.0, 0.0];
            once_each(op).iter().zip(&mut operands).for_each(|(operand, value)| *value = values[*operand]);
            let (single, double) = match op {
                Op::Load(_) => (operands[0], f64::from(operands[0])),
                op => in_both(op, operands),
            };
            // A draw has 24 bits in f32.
            let is_drawn = matches!(op, Op::Random(..)) && (f64::from(single) - double).abs() < 1.0 / 16_777_216.0;
            // Functions of denormal numbers are those of 0.
            let is_denormal = operands.iter().any(|operand| operand.is_subnormal());
            prop_assert!(
                is_drawn || is_denormal || is_rounded(single, double),
                "{op:?} of {operands:?}: {single:e} and {double:e}"
            );
            values.push(single);
        }
        Ok(())
    });
    done.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn functions_are_the_same_in_f64() {
    let functions = Function::written().map(|function| (function, function.row()));
    for (function, row) in functions.filter(|(_, row)| row.arguments == 1 && !row.is_random) {
        for k in 0..2000 {
            let x = [value(k, 3), k as f32 * 0.05 - 50.0, k as f32 / 2000.0][k % 3];
            let (single, double) = in_both(Op::Call1(function, 0), [x, 0.0, 0.0]);
            assert!(x.is_subnormal() || is_rounded(single, double), "{}({x:e}): {single:e} and {double:e}", row.name);
        }
    }
}

/// What tells an instruction from another: its name, and what its loop depends on beside the kinds of its operands.
fn name(fused: &Fused) -> String {
    let holds = |hold: &FusedMask| match hold {
        FusedMask::Never => "never",
        FusedMask::Where(_) => "where",
        FusedMask::Since { .. } => "since",
    };
    match fused {
        Fused::Copy(_) => "Copy".into(),
        Fused::Pair(first, second, _) => format!("Pair {first:?} {second:?}"),
        Fused::Products { minus, .. } => format!("Products {minus}"),
        Fused::Unless { test, hold, .. } => format!("Unless {test:?} {}", holds(hold)),
        Fused::Arrive { hold, .. } => format!("Arrive {}", holds(hold)),
        Fused::Gain(_) => "Gain".into(),
        Fused::Become { hold, .. } => format!("Become {}", holds(hold)),
        Fused::Move { hold, .. } => format!("Move {}", holds(hold)),
        Fused::Row { terms, constant, hold, .. } => format!("Row {} {} {}", terms.len(), constant.is_some(), holds(hold)),
    }
}

#[test]
fn a_model_of_the_library_is_a_few_loops() {
    let model = library("lif_exp").unwrap();
    let given = |name: &String| (name.clone(), model.parameters[name].default.clone());
    let given: Vec<(String, String)> = model.parameters.keys().map(given).collect();
    let given = Quantities::from_texts(given.iter().map(|(name, text)| (name.as_str(), text.as_str()))).unwrap();
    let checked = check_neuron(&model.text().unwrap(), &given.dimensions()).unwrap();
    let layout = PopulationLayout { ports: vec!["ge".into(), "gi".into()], ..PopulationLayout::default() };
    let program = checked.compile(&layout).unwrap();
    let works = |code: &Code| Prepared::new(code).steps.into_iter().map(|step| step.work).collect::<Vec<_>>();
    assert!(
        matches!(
            &works(&program.deliver_input)[..],
            [Operation::Fused(Fused::Arrive { port: 0, .. }), Operation::Fused(Fused::Arrive { port: 1, .. })]
        ),
        "{:?}",
        works(&program.deliver_input)
    );
    let update = works(&program.update);
    let rows = update.iter().filter(|work| matches!(work, Operation::Fused(Fused::Row { .. }))).count();
    let thresholds = update
        .iter()
        .filter(|work| matches!(work, Operation::Fused(Fused::Unless { hold: FusedMask::Since { .. }, .. })))
        .count();
    assert_eq!((rows, thresholds, update.len()), (3, 1, 4), "{update:?}");
}
