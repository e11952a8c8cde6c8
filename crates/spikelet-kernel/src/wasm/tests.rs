use std::mem::offset_of;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use spikelet_lang::ir::{Code, Op};
use spikelet_lang::program::Rules;
use spikelet_lang::syntax::BinaryOp;
use spikelet_lang::term::{Function, Random};
use spikelet_lang::{ModelKind, PopulationLayout, Quantities, check_neuron, library};
use wasmi::{Engine, Instance, Linker, Memory, MemoryType, Module, Nullable, Ref, RefType, Store, Table, TableType};

use super::*;
use crate::block::tests::{ARRAYS, STEP, codes, value};
use crate::block::{Arguments, Block, InputSums, LANES, Lanes, NeuronIndices, Prepared, ProgramInputs, Registers, Reset};

/// What a block has beside its state.
struct TestInputs {
    last_spike: [i32; LANES],
    constants: Vec<f32>,
    clocks: Vec<f32>,
    tables: Vec<f32>,
    starts: Vec<(usize, Option<usize>)>,
    units: Vec<[f32; 2]>,
    step: u32,
}

/// Random bits, the same for the same step, site and lane.
fn bits(step: u32, site: u32, lane: u32) -> u32 {
    (lane ^ (site << 9) ^ (step << 12)).wrapping_mul(0x9e37_79b9).rotate_left(15).wrapping_mul(0x85eb_ca6b)
}

/// Variables, sums, and where the threshold's condition holds.
type State = (Vec<Lanes>, Vec<i32>, Option<[bool; LANES]>);

impl TestInputs {
    fn with<T>(&self, variables: &mut [Lanes], sums: &[i32], run: impl FnOnce(&mut Block<'_>) -> T) -> T {
        let draw = |site: u32, lanes: &mut [u32; LANES]| {
            lanes.iter_mut().zip(0_u32..).for_each(|(word, lane)| *word = bits(self.step, site, lane));
        };
        let inputs = ProgramInputs {
            arrivals: InputSums { sums, starts: &self.starts, units: &self.units },
            last_spike: &self.last_spike,
            constants: &self.constants,
            clocks: &self.clocks,
            tables: &self.tables,
            step: self.step,
            neurons: NeuronIndices::From(512),
            bits: &draw,
            more_bits: &|site, lane| site ^ lane as u32,
        };
        run(&mut Block { variables, inputs: &inputs })
    }

    /// What blocks compute.
    fn interpreted(&self, program: &Program, pass: Pass, (mut variables, mut sums, _): State) -> State {
        let mut registers = Registers::default();
        let codes = [&program.deliver_input, &program.reset, &program.sample_and_hold, &program.update];
        let before = self.step.wrapping_sub(1) as i32;
        let fired: Vec<u32> = (0..LANES as u32).filter(|lane| self.last_spike[*lane as usize] == before).collect();
        let mut above = None;
        for part in pass.parts() {
            above = self.with(&mut variables, &sums, |block| match part {
                1 => {
                    Reset::new(codes[1]).run(block, &fired, &mut registers);
                    None
                }
                part => Prepared::new(codes[part]).run(block, &mut registers).map(|lanes| lanes.map(|lane| lane != 0.0)),
            });
        }
        if pass == Pass::Step {
            sums.fill(0);
        }
        (variables, sums, above)
    }
}

/// A module in an interpreter, with a memory of its own.
struct ModuleRunner {
    store: Store<()>,
    memory: Memory,
    instance: Instance,
    printed: Printed,
}

/// Memory as it is filled: the address of what comes next.
struct Writer<'a>(&'a mut [u8], usize);

impl Writer<'_> {
    fn words(&mut self, words: impl IntoIterator<Item = u32>) -> u32 {
        let start = self.1;
        for word in words {
            self.0[self.1..self.1 + 4].copy_from_slice(&word.to_le_bytes());
            self.1 += 4;
        }
        start as u32
    }

    fn numbers(&mut self, numbers: &[f32]) -> u32 {
        self.words(numbers.iter().map(|number| number.to_bits()))
    }
}

impl ModuleRunner {
    fn new(program: &Program, split_precision: &[bool]) -> ModuleRunner {
        let printed = print(program, split_precision, false);
        let engine = Engine::default();
        let module = Module::new(&engine, &printed.bytes).unwrap_or_else(|error| panic!("{error}"));
        let mut store = Store::new(&engine, ());
        let memory = Memory::new(&mut store, MemoryType::new(4, None)).unwrap();
        let functions = Table::new(&mut store, TableType::new(RefType::Func, 3, None), Ref::Func(Nullable::Null)).unwrap();
        for (at, function) in (0..).zip([crate::math::sin, crate::math::cos, crate::math::tan]) {
            let function = wasmi::Func::wrap(&mut store, move |x: f32| function(x));
            functions.set(&mut store, at, Ref::Func(Nullable::Val(function))).unwrap();
        }
        let mut linker = Linker::new(&engine);
        linker.define(ENGINE, MEMORY, memory).unwrap();
        linker.define(ENGINE, FUNCTIONS, functions).unwrap();
        let instance = linker.instantiate_and_start(&mut store, &module).unwrap();
        ModuleRunner { store, memory, instance, printed }
    }

    /// Runs a pass, if there is one.
    fn run(&mut self, inputs: &TestInputs, pass: Pass, (mut variables, sums, _): State, count: usize) -> Option<State> {
        let given = self.printed.passes[pass as usize].as_ref()?;
        let mut registers = Registers::default();
        let lanes: Vec<[u32; LANES]> = given
            .iter()
            .map(|given| match given {
                Precomputed::Bits(site) => std::array::from_fn(|lane| bits(inputs.step, *site, lane as u32)),
                Precomputed::Value(code) => inputs
                    .with(&mut variables, &sums, |block| code.run(block, &mut registers).copied().unwrap())
                    .map(f32::to_bits),
            })
            .collect();
        let mut at = Writer(self.memory.data_mut(&mut self.store), 128);
        let mut fields = [0_u32; size_of::<Arguments>() / size_of::<usize>()];
        macro_rules! set {
            ($($field:ident = $value:expr;)*) => {
                $(fields[offset_of!(Arguments, $field) / size_of::<usize>()] = $value;)*
            };
        }
        let first = at.numbers(variables.as_flattened());
        let first_sum = at.words(sums.iter().map(|sum| *sum as u32));
        let port = |start: usize| first_sum + 4 * start as u32;
        set! {
            variables = first;
            ports = at.words(inputs.starts.iter().flat_map(|(coarse, fine)| [port(*coarse), port(fine.unwrap_or(*coarse))]));
            units = at.numbers(inputs.units.as_flattened());
            last_spike = at.words(inputs.last_spike.iter().map(|step| *step as u32));
            constants = at.numbers(&inputs.constants);
            clocks = at.numbers(&inputs.clocks);
            tables = at.numbers(&inputs.tables);
            table_count = inputs.tables.len() as u32;
            given = at.words(lanes.into_iter().flatten());
            step = inputs.step;
            end = 4 * count as u32;
            sin = 0;
            cos = 1;
            tan = 2;
        }
        let above = at.words([0; LANES]);
        set! { above = above; }
        Writer(at.0, 0).words(fields);
        let function = self.instance.get_typed_func::<u32, u32>(&self.store, &(pass as usize).to_string()).unwrap();
        let any = function.call(&mut self.store, 0).unwrap() != 0;
        let memory = self.memory.data(&self.store);
        let word = |address: u32, at: usize| {
            let start = address as usize + 4 * at;
            u32::from_le_bytes(memory[start..start + 4].try_into().unwrap())
        };
        let numbers = |address: u32| -> Lanes { std::array::from_fn(|lane| f32::from_bits(word(address, lane))) };
        let found = (0..variables.len() as u32).map(|array| numbers(first + array * layout::LANES_BYTES)).collect();
        let sums = (0..sums.len()).map(|at| word(first_sum, at) as i32).collect();
        Some((found, sums, any.then(|| numbers(above).map(|lane| lane != 0.0))))
    }
}

/// The same bits, but for those of NaN, as [`block`](crate::block) compares.
fn assert_same(found: &State, expected: &State, what: &str) {
    for (array, (found, expected)) in found.0.iter().zip(&expected.0).enumerate() {
        for (lane, (found, expected)) in found.iter().zip(expected).enumerate() {
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "{what}, v{array}, lane {lane}: {found:e}, expected {expected:e}");
        }
    }
    assert!(found.1 == expected.1, "{what}: sums");
    let holds = |state: &State| state.2.unwrap_or([false; LANES]);
    assert!(holds(found) == holds(expected), "{what}: condition");
}

/// Runs every pass of a program, and compares it with blocks. Returns how many passes there are.
fn check(program: &Program, split_precision: &[bool], inputs: &TestInputs, state: &State, what: &str) -> usize {
    let mut machine = ModuleRunner::new(program, split_precision);
    let mut count = 0;
    for pass in Pass::ALL {
        let Some(found) = machine.run(inputs, pass, state.clone(), LANES) else { continue };
        assert_same(&found, &inputs.interpreted(program, pass, state.clone()), &format!("{what}, {pass:?}"));
        count += 1;
    }
    count
}

fn inputs() -> TestInputs {
    let last_spike = std::array::from_fn(|lane| match lane % 7 {
        0 => STEP as i32 - 1,
        1 => i32::MIN / 2,
        _ => STEP as i32 - lane as i32,
    });
    TestInputs {
        last_spike,
        constants: vec![0.25, -3.0, 50.0],
        clocks: vec![1.5, 0.0],
        tables: (0..16).map(|k| k as f32 * 0.5).collect(),
        starts: vec![(0, None), (LANES, Some(2 * LANES))],
        units: vec![[0.5, 0.0], [1e-3, 1e-6]],
        step: STEP,
    }
}

fn state(arrays: usize, seed: u32) -> State {
    let variables = (0..arrays as u32).map(|array| std::array::from_fn(|lane| value(lane, array + seed))).collect();
    (variables, (0..3 * LANES as i32).map(|lane| lane.wrapping_mul(0x0101_0101)).collect(), None)
}

fn program(codes: [Code; 4]) -> Program {
    let [deliver_input, reset, sample_and_hold, update] = codes;
    Program {
        variables: (0..ARRAYS).map(|array| array.to_string()).collect(),
        rules: Rules::default(),
        deliver_input,
        reset,
        sample_and_hold,
        update,
        ..Program::default()
    }
}

/// Whatever the codes: each pass gives the bits of blocks.
#[test]
fn any_program_has_the_bits_of_blocks() {
    let chance = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::with_cases(500), chance);
    let done = runner.run(&[codes(), codes(), codes(), codes()], |[take, reset, hold, update]| {
        let silent = |code| Code { condition: None, ..code };
        let program = program([silent(take), silent(reset), silent(hold), update]);
        let count = check(&program, &[false, true], &inputs(), &state(ARRAYS, 0), "chance");
        prop_assert_eq!(count, Pass::ALL.len());
        Ok(())
    });
    done.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Lanes beyond those asked for are left alone.
#[test]
fn only_as_many_lanes_are_computed_as_there_are_neurons() {
    let code = Code { ops: vec![Op::number(7.0)], stores: vec![(0, 0)], condition: None };
    let program = program([Code::default(), Code::default(), Code::default(), code]);
    let before = state(ARRAYS, 0);
    let (found, ..) = ModuleRunner::new(&program, &[]).run(&inputs(), Pass::Update, before.clone(), 8).unwrap();
    assert!(found[0][..8] == [7.0; 8]);
    assert!(found[0][8..].iter().zip(&before.0[0][8..]).all(|(found, before)| found.to_bits() == before.to_bits()));
}

/// Runs `op` on the first two variables, for some thousand numbers of all sizes.
fn check_operation(op: Op) {
    let ops = vec![Op::Load(0), Op::Load(1), op];
    let code = Code { ops, stores: vec![(2, 2)], condition: None };
    let program = program([Code::default(), Code::default(), Code::default(), code]);
    let special = [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40, -1e-40, f32::MIN_POSITIVE, 1.0, -1.0, 0.5, 88.8];
    for seed in 0..12_u32 {
        let (mut variables, sums, _) = state(ARRAYS, 17 * seed);
        for (array, lanes) in variables.iter_mut().enumerate() {
            for (lane, number) in lanes.iter_mut().enumerate() {
                let random = bits(seed, array as u32, lane as u32);
                match (lane + 3 * array) % 5 {
                    // Any bits; numbers around 1, around 30, and of angles; special ones.
                    0 => *number = f32::from_bits(random),
                    1 => *number = (random as i32) as f32 * 1e-9,
                    2 => *number = (random as i32) as f32 * 5e-8,
                    3 => *number = (random as i32) as f32 * 1e-5,
                    _ => *number = special[random as usize % special.len()],
                }
            }
        }
        let inputs = TestInputs { step: STEP + seed, ..inputs() };
        assert!(check(&program, &[false, true], &inputs, &(variables, sums, None), &format!("{op:?}")) > 0);
    }
}

#[test]
fn every_function_has_the_bits_of_blocks() {
    for function in Function::written().filter(|function| !function.row().is_random).chain([Function::Power]) {
        match function.row().arguments {
            1 => check_operation(Op::Call1(function, 0)),
            // Made of `min` and `max`.
            3 => assert_eq!(function, Function::Clip),
            _ => check_operation(Op::Call2(function, 0, 1)),
        }
    }
}

#[test]
fn every_number_of_chance_and_time_has_the_bits_of_blocks() {
    let between = Op::NormalBetween { first: 0x1234_5678, span: 0x8765_4321, site: 3 };
    for op in [
        Op::Random(Random::Uniform, 1),
        Op::Random(Random::Normal, 2),
        between,
        Op::Now,
        Op::Index,
        Op::Elapsed(0),
        Op::SinceSpike,
    ] {
        check_operation(op);
    }
}

/// The index is a whole number within the table.
#[test]
fn a_table_is_looked_up_as_blocks_do() {
    let ops = vec![Op::SinceSpike, Op::number(10.0), Op::Call2(Function::Min, 0, 1), Op::Lookup { first: 4, index: 2 }];
    let code = Code { ops, stores: vec![(2, 3)], condition: None };
    let program = program([Code::default(), Code::default(), Code::default(), code]);
    assert_eq!(check(&program, &[false, true], &inputs(), &state(ARRAYS, 0), "table"), Pass::ALL.len());
}

/// Counts are computed before the pass, unless their mean is a variable's.
#[test]
fn counts_are_given_to_a_pass() {
    let counts = |mean: Op| {
        let ops = vec![
            mean,
            Op::Random(Random::Uniform, 0),
            Op::Call2(Function::Poisson, 0, 1),
            Op::Load(0),
            Op::Binary(BinaryOp::Add, 2, 3),
        ];
        let code = Code { ops, stores: vec![(0, 4)], condition: None };
        check(
            &program([Code::default(), Code::default(), Code::default(), code]),
            &[false, true],
            &inputs(),
            &state(ARRAYS, 0),
            "counts",
        )
    };
    assert_eq!(counts(Op::number(3.0)), Pass::ALL.len());
    assert_eq!(counts(Op::Load(1)), Pass::ALL.len() - 2);
}

/// Every cell of the library, from numbers of all kinds.
#[test]
fn cells_of_the_library_have_the_bits_of_blocks() {
    for name in library::names() {
        let model = library(name).unwrap();
        if model.kind == ModelKind::Synapse {
            continue;
        }
        let defaults = model.parameters.iter().map(|(name, parameter)| (name.as_str(), parameter.default.as_str()));
        let given = Quantities::from_texts(defaults).unwrap();
        let checked = check_neuron(&model.text().unwrap(), &given.dimensions()).unwrap();
        let program = checked.compile(&PopulationLayout::uniform()).unwrap();
        let random = |k: usize| value(k, 3).abs() % 2.0;
        let inputs = TestInputs {
            constants: (0..program.rules.constants.len()).map(random).collect(),
            clocks: (0..program.rules.clocks.len()).map(random).collect(),
            starts: Vec::new(),
            units: Vec::new(),
            ..inputs()
        };
        for seed in 0..3 {
            let (variables, ..) = state(program.variables.len(), seed);
            let count = check(&program, &[], &inputs, &(variables, Vec::new(), None), name);
            assert_eq!(count, Pass::ALL.len(), "{name}");
        }
    }
}
