//! e-prop against the three factors, which are computed forwards.

use super::*;
use crate::Method;

/// Neurons: the input, the recurrent network, the readout.
const INPUTS: usize = 4;
const CELLS: usize = 5;
const OUTPUTS: usize = 2;

/// Factors of a step: of the potential, the adaptation and the readout.
const ALPHA: f64 = 0.9;
const RHO: f64 = 0.97;
const KAPPA: f64 = 0.85;
const THRESHOLD: f64 = 0.6;
const SLOPE: f64 = 3.0;
/// Steps from a spike to its arrival: from the input, among the cells, to the readout.
const LATENCY: [usize; 3] = [1, 3, 2];

/// Leaky integrate-and-fire neurons, with an adaptive threshold where `beta` is not 0.
fn training(random: &mut Random, beta: f64) -> Training {
    let mut projection = |[pre, post]: [&str; 2], variable: &str, sizes: [usize; 2], latency: usize, [low, high]: [f64; 2]| {
        let weights: Vec<f64> = (0..sizes[0] * sizes[1]).map(|_| f64::from(random.between(low, high) as f32)).collect();
        let pairs: Vec<[usize; 2]> = (0..weights.len()).map(|at| [at / sizes[1], at % sizes[1]]).collect();
        serde_json::json!({"pre": pre, "post": post, "pairs": pairs, "on_pre": format!("{variable}_post += w"),
                           "delay_ms": latency - 1, "parameters": {"w": weights}})
    };
    let projections = [
        projection(["input", "cells"], "v", [INPUTS, CELLS], LATENCY[0], [-0.1, 0.9]),
        projection(["cells", "cells"], "v", [CELLS, CELLS], LATENCY[1], [-0.4, 0.5]),
        projection(["cells", "out"], "y", [CELLS, OUTPUTS], LATENCY[2], [-1.0, 1.0]),
    ];
    let training = serde_json::json!({
        "name": "eprop", "input": "input", "method": "eprop", "surrogate": {"shape": "superspike", "slope": SLOPE, "factor": 1},
        "network": {
            "name": "eprop", "dt_ms": 1, "duration_ms": 40,
            "sources": [{"name": "input", "size": INPUTS, "spike_times_ms": []}],
            "populations": [
                {"name": "cells", "size": CELLS, "equations": "v : 1\na : 1", "update": "v = alpha*v\na = rho*a",
                 "threshold": "v > vt + beta*a", "reset": "v -= vt\na += 1",
                 "parameters": {"alpha": ALPHA, "rho": RHO, "beta": beta, "vt": THRESHOLD}},
                {"name": "out", "size": OUTPUTS, "equations": "y : 1", "update": "y = kappa*y", "parameters": {"kappa": KAPPA}}
            ],
            "projections": projections
        },
        "train": [{"path": "input_cells"}, {"path": "cells_cells"}, {"path": "cells_out"}],
        "loss": [{"type": "mean_square", "population": "out", "reading": "trace", "variable": "y"},
                 {"type": "mean_square", "population": "cells", "reading": "spikes"}],
        "optimiser": {"type": "sgd", "rate": 0.1}, "batch": 3, "epochs": 1
    });
    Training::from_json(&training.to_string()).unwrap()
}

/// The traces of a synapse onto a cell.
#[derive(Clone, Copy, Default)]
struct Eligibility {
    /// The eligibility vector: of the potential and of the adaptation.
    potential: f64,
    adaptation: f64,
    /// Its product with the pseudo-derivative, in the last steps, the newest first.
    traces: [f64; LATENCY[2] + 1],
    /// The same as the readout filters it.
    filtered: f64,
}

impl Eligibility {
    /// A step with this presynaptic spike, and the pseudo-derivative of the cell.
    fn step(&mut self, spike: f64, derivative: f64, beta: f64) {
        self.potential = ALPHA * (self.potential + spike);
        self.adaptation = RHO * (self.adaptation + self.traces[0]);
        self.traces.rotate_right(1);
        self.traces[0] = derivative * (self.potential - beta * self.adaptation);
    }
}

/// The gradients of the three projections for a sample, and its spikes of cells. `readout` has the adjoints of the readout, `[step][unit]`,
/// `rate` those of spikes.
fn three_factors(
    weights: &[Vec<f64>],
    beta: f64,
    input: &[Vec<u32>],
    readout: &[&[f64]],
    rate: &[&[f64]],
) -> ([Vec<f64>; 3], Vec<Vec<f64>>) {
    let mut gradients = [vec![0.0; INPUTS * CELLS], vec![0.0; CELLS * CELLS], vec![0.0; CELLS * OUTPUTS]];
    let mut synapses = [vec![Eligibility::default(); INPUTS * CELLS], vec![Eligibility::default(); CELLS * CELLS]];
    let (mut v, mut a, mut output) = ([0.0; CELLS], [0.0; CELLS], [0.0; CELLS]);
    let mut spikes: Vec<Vec<f64>> = Vec::new();
    let inputs: Vec<Vec<f64>> =
        input.iter().map(|fired| (0..INPUTS as u32).map(|unit| f64::from(u8::from(fired.contains(&unit)))).collect()).collect();
    for step in 0..input.len() {
        let arrived =
            |from: &[Vec<f64>], latency: usize, unit: usize| step.checked_sub(latency).map_or(0.0, |sent| from[sent][unit]);
        let mut fired = vec![0.0; CELLS];
        for cell in 0..CELLS {
            let before = if step > 0 { spikes[step - 1][cell] } else { 0.0 };
            let from_input = (0..INPUTS).map(|pre| weights[0][pre * CELLS + cell] * arrived(&inputs, LATENCY[0], pre));
            let from_cells = (0..CELLS).map(|pre| weights[1][pre * CELLS + cell] * arrived(&spikes, LATENCY[1], pre));
            v[cell] = ALPHA * (v[cell] + from_input.chain(from_cells).sum::<f64>() - THRESHOLD * before);
            a[cell] = RHO * (a[cell] + before);
            let above = v[cell] - THRESHOLD - beta * a[cell];
            fired[cell] = f64::from(u8::from(above > 0.0));
            let derivative = (SLOPE * above.abs() + 1.0).powi(-2);
            for (kind, (sent, count)) in [(&inputs, INPUTS), (&spikes, CELLS)].into_iter().enumerate() {
                for pre in 0..count {
                    let of = &mut synapses[kind][pre * CELLS + cell];
                    of.step(arrived(sent, LATENCY[kind], pre), derivative, beta);
                    of.filtered = KAPPA * of.filtered + of.traces[LATENCY[2]];
                    let broadcast: f64 = (0..OUTPUTS).map(|unit| readout[step][unit] * weights[2][cell * OUTPUTS + unit]).sum();
                    gradients[kind][pre * CELLS + cell] += broadcast * of.filtered + rate[step][cell] * of.traces[0];
                }
            }
            output[cell] = KAPPA * output[cell] + arrived(&spikes, LATENCY[2], cell);
            for unit in 0..OUTPUTS {
                gradients[2][cell * OUTPUTS + unit] += readout[step][unit] * output[cell];
            }
        }
        spikes.push(fired);
    }
    (gradients, spikes)
}

#[test]
fn e_prop_has_the_three_factors() {
    let (mut count, mut differ) = (0, 0);
    for seed in 0..12 {
        let beta = if seed % 2 == 0 { 0.0 } else { 0.3 };
        let mut random = Random::new(seed);
        let training = training(&mut random, beta);
        let plan = Arc::new(TrainingPlan::new(&training).unwrap());
        let batch = Batch {
            inputs: (0..3)
                .map(|_| (0..60).map(|_| Event { time_ms: random.below(38) as f64, channel: random.below(4) as u32 }).collect())
                .collect(),
            first_trial: 0,
        };
        let numbers: Vec<f64> = plan.parameters.values.iter().map(|number| f64::from(*number)).collect();
        let values = Arc::new(plan.values_of(&numbers).unwrap());
        let mut double = Double::new(plan.clone(), Spikes::Hard).unwrap();
        let factors = factors(&mut random, &double.forward(values.clone(), &batch).unwrap());
        let found = double.backward(&factors);

        let mut expected = [vec![0.0; INPUTS * CELLS], vec![0.0; CELLS * CELLS], vec![0.0; CELLS * OUTPUTS]];
        let steps = plan.steps as usize;
        for trial in 0..3 {
            let input = input(&plan, &batch, trial..trial + 1).unwrap();
            let of_trial = |readout: usize, size: usize| -> Vec<&[f64]> {
                factors[readout][trial * steps * size..][..steps * size].chunks(size).collect()
            };
            let (gradients, spikes) = three_factors(&values.weights, beta, &input, &of_trial(0, OUTPUTS), &of_trial(1, CELLS));
            let first = plan.plan.populations[0].first;
            let expected_spikes = spikes.iter().zip(0..).flat_map(|(fired, step)| {
                (0..CELLS).filter(|cell| fired[*cell] > 0.0).map(move |cell| Spike { step, neuron: first + cell as u32 })
            });
            let expected_spikes: Vec<Spike> = expected_spikes.collect();
            let is_cell = |spike: &Spike| (first..first + CELLS as u32).contains(&spike.neuron);
            assert_eq!(double.spikes(trial).into_iter().filter(is_cell).collect::<Vec<_>>(), expected_spikes);
            count += expected_spikes.len();
            expected.iter_mut().flatten().zip(gradients.iter().flatten()).for_each(|(sum, part)| *sum += part);
        }
        for (projection, (found, expected)) in found.weights.iter().zip(&expected).enumerate() {
            let scale = expected.iter().fold(1e-3, |largest: f64, of| largest.max(of.abs()));
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                let error = (found - expected).abs();
                assert!(error < 1e-9 * scale, "seed {seed}, projection {projection}: {found}, expected {expected}");
            }
        }

        // In f32.
        let narrow = Readings(factors.iter().map(|all| all.iter().map(|factor| *factor as f32).collect()).collect());
        let (of_cpu, _) = gradient(&plan, &batch, &narrow, 2);
        for (found, expected) in of_cpu.weights.iter().zip(&expected) {
            let scale = expected.iter().fold(1e-3, |largest: f64, of| largest.max(of.abs()));
            assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-4 * scale), "seed {seed}");
        }
        let whole = Arc::new(TrainingPlan::new(&Training { method: Method::Bptt, ..training }).unwrap());
        let (of_bptt, _) = gradient(&whole, &batch, &narrow, 1);
        assert_eq!(of_bptt.weights[2], of_cpu.weights[2]);
        differ += usize::from(of_bptt.weights[..2] != of_cpu.weights[..2]);
    }
    assert!(count > 300 && differ == 12, "{count} spikes, {differ} gradients");
}
