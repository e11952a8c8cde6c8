use spikelet_lang::model::NeuronText;
use spikelet_lang::program::EvaluationContext;
use spikelet_lang::{PopulationLayout, Program, check_neuron};

use crate::block::{Block, Cell, InputSums, LANES, Lanes, NeuronIndices, ProgramInputs, Registers};
use crate::simd::Level;

/// Leaky cells with no to three decaying inputs.
fn program(inputs: usize, threshold: &str, refractory: Option<&str>, ports: &[&str], update: &str) -> Program {
    let names = ["ge", "gi", "gm"];
    let sum: String = names[..inputs].iter().map(|name| format!(" + {name}")).collect();
    let mut equations = format!("dv/dt = (-49*mV - v{sum}{update})/(20*ms) : volt");
    if refractory.is_some() {
        equations += " (unless refractory)";
    }
    for (name, tau) in names[..inputs].iter().zip(["5*ms", "10*ms", "2*ms"]) {
        equations += &format!("\nd{name}/dt = -{name}/({tau}) : volt");
    }
    let text = NeuronText {
        equations,
        threshold: Some(threshold.into()),
        reset: Some("v = -60*mV".into()),
        refractory: refractory.map(Into::into),
        ..NeuronText::default()
    };
    let checked = check_neuron(&text, &Default::default()).unwrap();
    checked
        .compile(&PopulationLayout {
            ports: ports.iter().map(|port| (*port).to_owned()).collect(),
            ..PopulationLayout::default()
        })
        .unwrap()
}

/// A block on its way: arrays, last spikes, and what is under way to the ports.
#[derive(Clone, PartialEq, Debug)]
struct State {
    variables: Vec<Lanes>,
    last_spike: [i32; LANES],
    fired: Vec<u32>,
}

/// Runs steps at a level, in one loop where that is possible and wanted. Returns all states, and how many spikes there were.
fn run(program: &Program, level: Level, in_one: bool) -> (Vec<State>, usize) {
    let given = EvaluationContext { dt: 0.1, symbol: &|_| 0.0, lookup: &|_, _| 0.0 };
    let constants = program.rules.constants(&given).unwrap();
    let ports = program.ports.len();
    let starts: Vec<(usize, Option<usize>)> = (0..ports).map(|port| (port * LANES, None)).collect();
    let units = vec![[0.25, 0.0]; ports];
    let mut cell = Cell::new(program);
    let mut registers = Registers { level, ..Registers::default() };
    let initial =
        |array: usize| std::array::from_fn(|lane| if array == 0 { -60.0 + lane as f32 * 0.04 } else { lane as f32 * 0.01 });
    let mut state = State {
        variables: (0..program.variables.len()).map(initial).collect(),
        last_spike: [i32::MIN / 2; LANES],
        fired: Vec::new(),
    };
    let (mut states, mut spikes) = (Vec::new(), 0);
    for step in 0..200_u32 {
        let arrive = |k: usize| if (k as u32 * 7 + step).is_multiple_of(11) { (k as i32 * 31 + step as i32) % 40 - 8 } else { 0 };
        let mut sums: Vec<i32> = (0..ports * LANES).map(arrive).collect();
        let arrivals = |sums| InputSums { sums, starts: &starts, units: &units };
        let last_spike = state.last_spike;
        let inputs = |sums| ProgramInputs {
            arrivals: arrivals(sums),
            last_spike: &last_spike,
            constants: &constants,
            clocks: &[],
            tables: &[],
            step,
            neurons: NeuronIndices::From(0),
            bits: &|_, _| {},
            more_bits: &|site, lane| site ^ lane as u32,
        };
        let taken_before = cell.leaks(&starts).filter(|_| in_one).map(<[usize]>::to_vec);
        let firing = if let Some(taken_before) = taken_before {
            cell.begin(&constants);
            let old = sums.clone();
            cell.finish_begin_step(
                &mut Block { variables: &mut state.variables, inputs: &inputs(&old) },
                &state.fired,
                &mut registers,
            );
            taken_before.into_iter().for_each(|port| sums[port * LANES..][..LANES].fill(0));
            let mut block = Block { variables: &mut state.variables, inputs: &inputs(&[]) };
            let firing = cell.leak(&mut block, LANES, &mut sums, &mut registers).unwrap().to_vec();
            assert!(sums.iter().all(|sum| *sum == 0), "what has arrived is taken once");
            firing
        } else {
            let inputs = inputs(&sums);
            let mut block = Block { variables: &mut state.variables, inputs: &inputs };
            cell.begin_step(&mut block, LANES, &state.fired, &mut registers);
            let above = cell.update(&mut block, LANES, &mut registers).unwrap();
            (0..LANES as u32).filter(|lane| above[*lane as usize] != 0.0).collect()
        };
        firing.iter().for_each(|lane| state.last_spike[*lane as usize] = step as i32);
        spikes += firing.len();
        state.fired = firing;
        states.push(state.clone());
    }
    (states, spikes)
}

#[test]
fn one_loop_gives_the_bits_of_many_at_every_level() {
    for inputs in 0..=3 {
        let all = ["ge", "gi", "gm"];
        let mut port_lists: Vec<&[&str]> = vec![&[], &all[..inputs]];
        // What is reset is taken before; so are two ports of one variable.
        port_lists.extend([&["v"][..], &["ge", "ge"][..usize::from(inputs > 0) * 2]]);
        for ports in port_lists {
            for (threshold, refractory) in [("v > -50*mV", Some("5*ms")), ("v >= -50*mV", Some("2*ms")), ("v > -50*mV", None)] {
                let program = program(inputs, threshold, refractory, ports, "");
                assert!(Cell::new(&program).leaks(&vec![(0, None); ports.len()]).is_some(), "{inputs} {ports:?} {threshold}");
                let (expected, spikes) = run(&program, Level::all()[0], false);
                assert!(spikes > 40, "{spikes} spikes: {inputs} {ports:?} {threshold}");
                for level in Level::all() {
                    let (found, _) = run(&program, level, true);
                    let differs = found.iter().zip(&expected).position(|(found, expected)| found != expected);
                    assert_eq!(differs, None, "{inputs} {ports:?} {threshold} {refractory:?} {level:?}");
                }
            }
        }
    }
}

#[test]
fn other_cells_take_the_long_way() {
    let leaks = |program: &Program| Cell::new(program).leaks(&[]).is_some();
    assert!(leaks(&program(1, "v > -50*mV", None, &[], "")));
    // Changes with time; a threshold from above; a sum that is not linear.
    for (threshold, update) in [("v > -50*mV", " + 5*mV*sin(t/ms)"), ("v < -50*mV", ""), ("v > -50*mV", " + v**2/(100*mV)")] {
        assert!(!leaks(&program(1, threshold, None, &[], update)), "{threshold} {update}");
    }
    // Ports with two sums.
    let with_port = program(1, "v > -50*mV", None, &["ge"], "");
    assert!(Cell::new(&with_port).leaks(&[(0, Some(LANES))]).is_none());
}
