//! e-prop (Bellec et al. 2020, Nature Communications 11:3625) as equations of synapses: the losses of the regression task in NEST's test
//! `test_eprop_bsshslm_2020_plasticity.py`, which is that of the authors' code.

mod numpy;

use serde_json::{Value, json};
use spikelet::{Backend, Cpu, Double, Network, Simulation};
use spikelet_tests::full;

use numpy::RandomState;

/// Steps of 1 ms in a sequence; neurons of the input and of the network.
const STEPS: usize = 1000;
const SIZE: usize = 100;

const THRESHOLD: f64 = 0.03;
const RATE: f64 = 1e-4;
const REGULARISATION: f64 = 300.0;
/// Spikes per step.
const TARGET_RATE: f64 = 0.01;

/// The gradient of a weight of the network. Spikes take one step to the readout, and its error one step back, so that the error of two
/// steps ago meets the trace of that step, `before`. `total` is for the regularisation of rates.
const HIDDEN: &str = "w : 1 (constant)
    dx/dt = -(1 - decay)*x/ms : 1 (clock-driven)
    dtrace/dt = (1 - decay)*(psi_post*x - trace)/ms : 1 (clock-driven)
    dbefore/dt = (trace - before)/ms : 1 (clock-driven)
    dg/dt = L_post*before/ms : 1 (clock-driven)
    dtotal/dt = psi_post*x/ms : 1 (clock-driven)";

/// That of a weight of the readout.
const READOUT: &str = "w : 1 (constant)
    dx/dt = -(1 - decay)*x/ms : 1 (clock-driven)
    dg/dt = error_post*x/ms : 1 (clock-driven)";

struct Task {
    input: Vec<Value>,
    /// Of the output in each step.
    target: Vec<f64>,
    feedback: Vec<f64>,
    /// From the input, among the neurons, and to the readout; presynaptic neuron by neuron.
    weights: [Vec<f64>; 3],
}

/// In the order of NEST's test.
fn task() -> Task {
    let mut random = RandomState::new(1);
    let scale = (SIZE as f64).sqrt();
    let mut weights = |count: usize| -> Vec<f64> { (0..count).map(|_| f64::from((random.normal() / scale) as f32)).collect() };
    let [input, mut recurrent, output, feedback] = [SIZE * SIZE, SIZE * SIZE, SIZE, SIZE].map(&mut weights);
    (0..SIZE).for_each(|neuron| recurrent[neuron * (SIZE + 1)] = 0.0);
    let mut spikes = Vec::new();
    for step in 0..STEPS {
        for neuron in 0..SIZE {
            // What arrives in a step is sent in the one before, and nothing arrives in the first.
            if random.uniform() < 0.05 && step > 0 {
                spikes.push(json!([neuron, step - 1]));
            }
        }
    }
    let amplitudes: [f64; 4] = std::array::from_fn(|_| 0.5 + 1.5 * random.uniform());
    let phases: [f64; 4] = std::array::from_fn(|_| std::f64::consts::TAU * random.uniform());
    let wave = |step: usize| -> f64 {
        let part = |k: usize| {
            let turns = (STEPS / [1000, 500, 333, 200][k]) as f64;
            amplitudes[k] * (phases[k] + std::f64::consts::TAU * turns * step as f64 / (STEPS - 1) as f64).sin()
        };
        (0..4).map(part).sum()
    };
    let waves: Vec<f64> = (0..STEPS).map(|step| wave(step) - wave(0)).collect();
    let largest = waves.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let target = waves.iter().map(|value| value / largest).collect();
    Task { input: spikes, target, feedback, weights: [input, recurrent, output] }
}

fn network(task: &Task) -> Network {
    let decay = (-1.0_f64 / 30.0).exp();
    let pairs = |posts: usize| -> Vec<[usize; 2]> { (0..SIZE * posts).map(|at| [at / posts, at % posts]).collect() };
    let learnt = |[pre, post]: [&str; 2], equations: &str, weights: &[f64], posts: usize| {
        json!({"name": format!("{pre}_{post}"), "pre": pre, "post": post, "pairs": pairs(posts), "equations": equations,
               "method": "euler", "on_pre": "I_post += w\nx += 1 - decay", "parameters": {"decay": decay, "w": weights}})
    };
    let mut target = vec![0.0];
    target.extend(&task.target);
    target.push(0.0);
    let network = json!({
        "name": "regression", "dt_ms": 1, "duration_ms": STEPS + 2,
        "sources": [{"name": "input", "size": SIZE, "spike_times_ms": task.input}],
        "populations": [
            {"name": "cells", "size": SIZE, "equations": "v : 1\nI : 1\nL : 1\nfired : 1\npsi : 1",
             "update": "v = decay*v + (1 - decay)*I - v_th*fired\nI = 0\nfired = 0\n\
                        psi = int(t < 999.5*ms)*0.3/v_th*max(0, 1 - abs(v - v_th)/v_th)",
             "threshold": "v >= v_th", "reset": "fired = 1", "parameters": {"decay": decay, "v_th": THRESHOLD}},
            {"name": "output", "size": 1, "equations": "y : 1\nI : 1\nerror : 1",
             "update": "y = decay*y + (1 - decay)*I\nI = 0\nerror = (y - target)*int(t < 1000.5*ms)",
             "parameters": {"decay": decay, "target": {"timed": target, "dt": "1 ms"}}}
        ],
        "projections": [
            learnt(["input", "cells"], HIDDEN, &task.weights[0], SIZE),
            learnt(["cells", "cells"], HIDDEN, &task.weights[1], SIZE),
            learnt(["cells", "output"], READOUT, &task.weights[2], 1),
            {"name": "feedback", "pre": "output", "post": "cells", "pairs": (0..SIZE).map(|cell| [0, cell]).collect::<Vec<_>>(),
             "equations": "B : 1 (constant)\nL_post = B*error_pre : 1 (summed)", "parameters": {"B": task.feedback}}
        ],
        "recordings": [{"object": "output", "var": "error", "indices": [0]}]
    });
    Network::from_json(&network.to_string()).unwrap()
}

/// The loss of a sequence; follows its gradient.
async fn learn(task: &mut Task, backend: Box<dyn Backend>) -> f64 {
    let mut simulation = Simulation::new(&network(task), backend).await.unwrap();
    let activity = simulation.advance(STEPS as u32 + 2).await.unwrap();
    let first = simulation.plan().populations.iter().position(|of| of.name == "cells").unwrap();
    let mut rates = vec![0.0; SIZE];
    for spike in activity.spikes.iter().filter(|spike| (spike.step as usize) < STEPS) {
        let (population, neuron) = simulation.plan().locate(spike.neuron);
        if population == first {
            rates[neuron as usize] += 1.0 / STEPS as f64;
        }
    }
    let learnt = simulation.synapse_state(0).await.unwrap();
    for (weights, name) in task.weights.iter_mut().zip(["input_cells", "cells_cells", "cells_output"]) {
        let of = learnt.iter().find(|of| of.projection == name).unwrap();
        for (at, [pre, post]) in of.pairs.iter().enumerate() {
            let mut gradient = f64::from(of.variables["g"][at]);
            if let Some(total) = of.variables.get("total") {
                gradient += REGULARISATION * (rates[*post as usize] - TARGET_RATE) * f64::from(total[at]) / STEPS as f64;
            }
            // No neuron excites itself.
            if !(name == "cells_cells" && pre == post) {
                weights[at] -= RATE * gradient;
            }
        }
    }
    activity.samples.iter().map(|error| 0.5 * f64::from(*error).powi(2)).sum()
}

/// Five sequences, each with the weights of the one before: the largest relative error of a loss.
fn error_of_losses(backend: impl Fn() -> Box<dyn Backend>) -> f64 {
    let mut task = task();
    let nest = [101.964356999041, 103.466731126205, 103.340607074771, 103.680244037686, 104.412775748752];
    let mut largest = 0.0_f64;
    for (sequence, expected) in nest.into_iter().enumerate() {
        let loss = pollster::block_on(learn(&mut task, backend()));
        println!("sequence {sequence}: {loss}, expected {expected}");
        largest = largest.max((loss / expected - 1.0).abs());
    }
    largest
}

/// In f64, which is slow, with `--full`.
#[test]
fn losses_of_regression_are_those_of_nest() {
    if !full() {
        return;
    }
    let error = error_of_losses(|| Box::new(Double::new()));
    assert!(error < 1e-7, "{error:e}");
}

#[test]
fn losses_of_regression_are_those_of_nest_in_f32() {
    let error = error_of_losses(|| Box::new(Cpu::new(2)));
    assert!(error < 1e-6, "{error:e}");
}
