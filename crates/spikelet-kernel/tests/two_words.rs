//! What one f32 would lose: slow variables, and times beside what differs between neurons.

use std::collections::HashSet;

use indexmap::IndexMap;
use spikelet_kernel::block::{Block, Cell, InputSums, LANES, Lanes, NeuronIndices, ProgramInputs, Registers};
use spikelet_lang::program::{EvaluationContext, Propagators};
use spikelet_lang::slow::InitialState;
use spikelet_lang::term::Symbol;
use spikelet_lang::{Method, NeuronText, PopulationLayout, Program, check_neuron};

const DT: f64 = 0.1;

/// 256 neurons of a model, run by themselves.
struct Neurons {
    program: Program,
    cell: Cell,
    constants: Vec<f32>,
    values: Vec<Lanes>,
    last_spike: [i32; LANES],
    step: u32,
    registers: Registers,
}

impl Neurons {
    /// `start` gives each variable and parameter its value in each neuron; parameters that differ are declared in the equations.
    fn new(text: &NeuronText, dt: f64, start: &dyn Fn(&str, usize) -> f64) -> Neurons {
        let model = check_neuron(text, &IndexMap::new()).unwrap_or_else(|found| panic!("{}", found[0]));
        let value = |symbol: Symbol, neuron: usize| match symbol {
            Symbol::Variable(variable) => start(&model.variables[variable].name, neuron),
            Symbol::Index => neuron as f64,
            Symbol::Size => LANES as f64,
            _ => f64::NAN,
        };
        let nothing = |_: usize, _: f64| f64::NAN;
        let unwritten = model.variables.iter().filter(|variable| !variable.written).map(|variable| variable.name.clone());
        let compensated = model.slow(&InitialState { dt, count: LANES, symbol: &value, lookup: &nothing });
        let layout = PopulationLayout { per_neuron: unwritten.collect(), compensated, ..PopulationLayout::default() };
        let program = model.compile(&layout).unwrap_or_else(|found| panic!("{found}"));
        let given_to = |neuron: usize| move |symbol| value(symbol, neuron);
        let constants = program.rules.constants(&EvaluationContext { dt, symbol: &given_to(0), lookup: &|_, _| f64::NAN });
        let constants = constants.unwrap_or_else(|found| panic!("{found}"));
        let kept = program.variables[..program.first_derived()].iter();
        let mut values: Vec<Lanes> = kept
            .map(|name| match spikelet_lang::of_low_word(name) {
                Some(of) => std::array::from_fn(|lane| (start(of, lane) - f64::from(start(of, lane) as f32)) as f32),
                None => std::array::from_fn(|lane| start(name, lane) as f32),
            })
            .collect();
        let mut known = Propagators::default();
        let derived: [Vec<f32>; LANES] = std::array::from_fn(|lane| {
            let (symbol, lookup) = (given_to(lane), |_: usize, _: f64| f64::NAN);
            let given = EvaluationContext { dt, symbol: &symbol, lookup: &lookup };
            let values = program.rules.values(&program.rules.derived, &given, &mut known);
            values.map(|value| value.unwrap_or_else(|found| panic!("{found}"))).collect()
        });
        values.extend((0..program.rules.derived.len()).map(|rule| std::array::from_fn(|lane| derived[lane][rule])));
        let mut cell = Cell::new(&program);
        cell.begin(&constants);
        let (last_spike, registers) = ([i32::MIN / 2; LANES], Registers::default());
        Neurons { program, cell, constants, values, last_spike, step: 0, registers }
    }

    /// Runs, and says who fired in which step.
    fn run(&mut self, steps: u32, dt: f64) -> Vec<(u32, usize)> {
        let mut fired = Vec::new();
        for step in self.step..self.step + steps {
            let nothing = |_| f64::NAN;
            let given = EvaluationContext { dt, symbol: &nothing, lookup: &|_, _| f64::NAN };
            let clocks: Vec<f32> = self.program.rules.clocks(step, &given).collect();
            let inputs = ProgramInputs {
                arrivals: InputSums::NONE,
                last_spike: &self.last_spike.clone(),
                constants: &self.constants,
                clocks: &clocks,
                tables: &[],
                step,
                neurons: NeuronIndices::From(0),
                bits: &|_, _| {},
                more_bits: &|_, _| 0,
            };
            let mut block = Block { variables: &mut self.values, inputs: &inputs };
            let reset: Vec<u32> = (0..LANES as u32).filter(|lane| self.last_spike[*lane as usize] == step as i32 - 1).collect();
            self.cell.begin_step(&mut block, LANES, &reset, &mut self.registers);
            if let Some(above) = self.cell.update(&mut block, LANES, &mut self.registers) {
                for lane in (0..LANES).filter(|lane| above[*lane] != 0.0) {
                    self.last_spike[lane] = step as i32;
                    fired.push((step, lane));
                }
            }
        }
        self.step += steps;
        fired
    }

    /// The value of a variable in a neuron, as it is read.
    fn value(&self, name: &str, lane: usize) -> f64 {
        let array = self.program.variable(name).unwrap_or_else(|| panic!("there is no {name}"));
        f64::from(self.values[array][lane])
    }

    fn in_two_words(&self) -> HashSet<&str> {
        self.program.variables.iter().filter_map(|name| spikelet_lang::of_low_word(name)).collect()
    }
}

fn text(equations: &str, method: Option<Method>) -> NeuronText {
    NeuronText { equations: equations.into(), method, ..NeuronText::default() }
}

/// Time constants from 1000 s to 500 hours, one in each neuron, and what is left after this many steps.
fn decays(method: Option<Method>, steps: u32) {
    let tau = |lane: usize| 1e6 * 1.03_f64.powi(lane as i32);
    let start = |name: &str, lane: usize| if name == "tau" { tau(lane) } else { 20.1 };
    let mut neurons = Neurons::new(&text("dx/dt = -x/tau : volt\ntau : second (constant)", method), DT, &start);
    neurons.run(steps, DT);
    for lane in 0..LANES {
        let exact = 20.1 * (-f64::from(steps) * DT / tau(lane)).exp();
        let found = neurons.value("x", lane);
        assert!((found / exact - 1.0).abs() < 1e-6, "{method:?}, tau {} ms: {found} in place of {exact}", tau(lane));
    }
}

#[test]
fn slow_variables_decay_in_ten_million_steps() {
    decays(Some(Method::Exact), 10_000_000);
}

#[test]
fn slow_variables_decay_by_every_method() {
    for method in [Method::ExponentialEuler, Method::Euler, Method::Heun, Method::Rk2, Method::Rk4] {
        decays(Some(method), 20_000);
    }
}

/// Variables that do not stand in their own equation, or come slowly to rest.
#[test]
fn timers_run_and_slow_variables_rise() {
    for method in [None, Some(Method::Euler), Some(Method::Rk4)] {
        let equations = "dT/dt = 1 : second\ndr/dt = (1 - r)/(100*second) : 1\ndv/dt = (1 - v)/(10*ms) : 1";
        let mut neurons = Neurons::new(&text(equations, method), DT, &|_, _| 0.0);
        assert_eq!(neurons.in_two_words(), ["T", "r"].into(), "{method:?}: v needs no second word");
        neurons.run(20_000, DT);
        let (timer, risen) = (neurons.value("T", 0), neurons.value("r", 0));
        assert!((timer - 2e3).abs() < 2e3 * 1e-7, "{method:?}: {timer}");
        assert!((risen - (1.0 - (-0.02_f64).exp())).abs() < 1e-6, "{method:?}: {risen}");
    }
}

/// A nonlinear equation, and one whose coefficient changes: the state at the start says that they are slow.
#[test]
fn slow_variables_need_not_be_linear() {
    let equations = "dx/dt = x*(1 - x)/(1e7*ms) : 1\ndh/dt = (0.5 - h)/(1e7*ms*(2 + tanh(v))) : 1\ndv/dt = -v**3/(10*ms) : 1";
    let mut neurons = Neurons::new(&text(equations, None), DT, &|name, _| if name == "x" { 0.1 } else { 0.9 });
    assert_eq!(neurons.in_two_words(), ["x", "h"].into());
    neurons.run(20_000, DT);
    let grown = 0.1 * 0.0002_f64.exp();
    let exact = grown / (0.9 + grown);
    assert!((neurons.value("x", 0) / exact - 1.0).abs() < 1e-6, "{}", neurons.value("x", 0));
}

/// What a reset adds to a slow variable keeps what the decay since has left in the lower word; a bound has none.
#[test]
fn resets_add_in_two_words() {
    let model = NeuronText {
        threshold: Some("t >= 0*ms".into()),
        reset: Some("x += 1e-9; y = clip(y + 1e-9, 0, 1); z = min(z + 1, 2)".into()),
        ..text("dx/dt = -x/(1e9*second) : 1\ndy/dt = -y/(1e9*second) : 1\ndz/dt = -z/(1e9*second) : 1", None)
    };
    let mut neurons = Neurons::new(&model, DT, &|name, _| if name == "z" { 0.0 } else { 0.7 });
    neurons.run(20_001, DT);
    for name in ["x", "y"] {
        assert!((neurons.value(name, 0) - 0.70002).abs() < 1e-7, "{name} = {}", neurons.value(name, 0));
    }
    assert!((neurons.value("z", 0) - 2.0).abs() < 1e-6);
}

/// A lower word that is not the rest of what was written above it counts for nothing.
#[test]
fn whoever_writes_the_upper_word_need_not_know_of_the_lower() {
    let mut neurons = Neurons::new(&text("dx/dt = -x/(1e7*ms) : 1", None), DT, &|_, _| 0.0);
    let [x, low] = ["x", "__low_x"].map(|name| neurons.program.variable(name).unwrap_or_else(|| panic!("there is no {name}")));
    neurons.values[low] = [3e-8; LANES];
    neurons.values[x] = [1e-9; LANES];
    neurons.run(1, DT);
    assert!((neurons.value("x", 0) / 1e-9 - 1.0).abs() < 1e-6, "{}", neurons.value("x", 0));
}

/// Refractory neurons hold both words.
#[test]
fn held_variables_hold_both_words() {
    let model = NeuronText {
        threshold: Some("t < 0.05*ms".into()),
        refractory: Some("5*second".into()),
        ..text("dx/dt = -x/(1e7*ms) : 1 (unless refractory)\ndy/dt = (x - y)/(10*ms) : 1", None)
    };
    let mut neurons = Neurons::new(&model, DT, &|_, _| 1.0);
    neurons.run(100_000, DT);
    // It fires in step 0, rests for 50,000 steps, and decays for the others.
    let exact = (-(100_000.0 - 49_999.0) * DT / 1e7).exp();
    assert!((neurons.value("x", 3) / exact - 1.0).abs() < 2e-7, "{} {exact}", neurons.value("x", 3));
}

/// Steps at which neurons fire around a time, given a threshold with `t`; `onset` differs between neurons.
fn fires_at(threshold: &str, reset: Option<&str>, from: u32, steps: u32, onset: &dyn Fn(usize) -> f64) -> Vec<(u32, usize)> {
    let model = NeuronText {
        threshold: Some(threshold.into()),
        reset: reset.map(str::to_owned),
        ..text("onset : second (constant)\nlast : second\nx : 1", None)
    };
    let mut neurons = Neurons::new(&model, DT, &|name, lane| if name == "onset" { onset(lane) } else { 0.0 });
    neurons.step = from;
    neurons.run(steps, DT)
}

/// Looks for the first spike that differs.
fn same(found: &[(u32, usize)], expected: &[(u32, usize)], what: &str) {
    let differ = (0..found.len().max(expected.len())).find(|at| found.get(*at) != expected.get(*at));
    if let Some(at) = differ {
        panic!("{what}, spike {at}: {:?} in place of {:?}", found.get(at), expected.get(at));
    }
}

/// Half an hour, half a day, and ten days.
const LATE: [u32; 4] = [0, 20_000_000, 400_000_000, 2_000_000_000];

/// Windows of one step, one for each neuron, in every step.
#[test]
fn windows_are_right_at_any_time() {
    for from in LATE {
        let start = f64::from(from) * DT;
        let expected: Vec<(u32, usize)> = (0..LANES).map(|lane| (from + lane as u32 + 1, lane)).collect();
        let by_parameter = fires_at("t > onset and t <= onset + 0.1*ms", None, from, 300, &|lane| start + lane as f64 * DT);
        same(&by_parameter, &expected, &format!("from step {from}: by a parameter"));
        let by_index = format!("t - {start}*ms > i*0.1*ms and t <= {start}*ms + (i + 1)*dt");
        same(&fires_at(&by_index, None, from, 300, &|_| 0.0), &expected, &format!("from step {from}: by the index"));
        // In the middle of a step.
        let between =
            fires_at("t/ms > onset/ms and t - onset < 0.1*ms", None, from, 300, &|lane| start + (lane as f64 + 0.5) * DT);
        same(&between, &expected, &format!("from step {from}: between steps"));
    }
}

/// Conditions of time alone.
#[test]
fn times_alone_are_right_at_any_time() {
    for from in LATE {
        let at = f64::from(from) * DT + 10.0;
        let fired = fires_at(&format!("t >= {at}*ms and t < {at}*ms + 0.1*ms"), None, from, 300, &|_| 0.0);
        let expected: Vec<(u32, usize)> = (0..LANES).map(|lane| (from + 100, lane)).collect();
        same(&fired, &expected, &format!("from step {from}"));
    }
}

/// Periods, with a phase of each neuron.
#[test]
fn periods_are_right_at_any_time() {
    for from in LATE {
        let expected: Vec<(u32, usize)> = (from..from + 300)
            .flat_map(|step| {
                (0..LANES).filter(move |lane| (step + 250 - *lane as u32 % 250).is_multiple_of(250)).map(move |lane| (step, lane))
            })
            .collect();
        let fired = fires_at("(t - onset) % (25*ms) < 0.05*ms", None, from, 300, &|lane| (lane % 250) as f64 * DT);
        same(&fired, &expected, &format!("from step {from}"));
    }
}

/// Times that a neuron notes: when it fired last, and when it is to fire next.
#[test]
fn noted_times_are_right_at_any_time() {
    for from in LATE {
        let start = f64::from(from) * DT;
        let every = |steps: u32| -> Vec<(u32, usize)> {
            (0..300 / steps + 1)
                .map(|k| from + k * steps)
                .filter(|step| *step < from + 300)
                .flat_map(|step| (0..LANES).map(move |lane| (step, lane)))
                .collect()
        };
        // `last` starts at 0, long ago.
        let noted =
            fires_at(&format!("t >= {start}*ms and (t - last >= 0.7*ms or last < 0.1*ms)"), Some("last = t"), from, 300, &|_| {
                0.0
            });
        if from > 0 {
            // It is reset in the step after its spike.
            same(&noted, &every(7), &format!("from step {from}: last = t"));
        }
        let next = fires_at("t >= last + onset", Some("last += 0.3*ms"), from, 300, &|_| start);
        same(&next, &every(3), &format!("from step {from}: last += 0.3 ms"));
    }
}

/// Waves, with a phase and a frequency of each neuron.
#[test]
fn waves_are_right_at_any_time() {
    for from in LATE {
        let model = NeuronText {
            update: Some("x = sin(2*pi*f*t + i); y = cos(40*Hz*t - i)".into()),
            ..text("f : Hz (constant)\nx : 1\ny : 1", None)
        };
        let frequency = |lane: usize| 1e-3 * (1.0 + lane as f64);
        let mut neurons = Neurons::new(&model, DT, &|name, lane| if name == "f" { frequency(lane) } else { 0.0 });
        neurons.step = from;
        neurons.run(1, DT);
        let time = f64::from(from) * DT;
        for lane in 0..LANES {
            let turns = (frequency(lane) * time).fract();
            let exact = (2.0 * std::f64::consts::PI * turns + lane as f64).sin();
            // Two words keep 2⁻⁴⁸ of the angle.
            let near = 1e-6 + 2.0 * std::f64::consts::PI * frequency(lane) * time * 1e-14;
            assert!(
                (neurons.value("x", lane) - exact).abs() < near,
                "from step {from}, {lane}: {} {exact}",
                neurons.value("x", lane)
            );
            let exact = (0.04 * time - lane as f64).cos();
            assert!(
                (neurons.value("y", lane) - exact).abs() < 1e-6 + 1e-15 * time,
                "from step {from}, {lane}: {} {exact}",
                neurons.value("y", lane)
            );
        }
    }
}
