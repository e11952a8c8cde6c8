//! Small random networks: spikes as in simulations, gradients against finite differences.

mod eprop;
mod networks;

use std::sync::Arc;

use pollster::block_on;
use spikelet::Simulation;
use spikelet_network::{Network, SourceKind};
use spikelet_plan::Spike;

use super::*;
use crate::{Event, GroupKind, LossTerm, Reading, Readout, Tape, Training, TrainingPlan};
use networks::Random;

/// Input of some trials.
fn batch(random: &mut Random, plan: &TrainingPlan, trials: usize) -> Batch {
    let size = plan.plan.populations[plan.input].size;
    let duration = plan.network.duration_ms;
    let mut trial = || {
        let count = 4 + random.below(12);
        let mut events: Vec<Event> = (0..count)
            .map(|_| Event { time_ms: random.between(0.0, duration), channel: random.below(u64::from(size)) as u32 })
            .collect();
        events.sort_by(|one, other| one.time_ms.total_cmp(&other.time_ms));
        events.into()
    };
    Batch { inputs: (0..trials).map(|_| trial()).collect(), first_trial: 3 }
}

/// The spikes of a trial in a simulation of the network with this input.
fn simulated(network: &Network, input: &str, events: &[Event], trial: u32) -> Vec<Spike> {
    let mut network = network.clone();
    let source = network.sources.iter_mut().find(|source| source.name == input).unwrap();
    let SourceKind::Spikes { spike_times_ms, .. } = &mut source.kind else { panic!("the input is a list of spikes") };
    *spike_times_ms = Vec::new();
    // A source fires once in a step.
    let mut steps = std::collections::HashSet::new();
    for event in events {
        let step = Source::step(event.time_ms, network.dt_ms) as u32;
        if steps.insert((event.channel, step)) {
            spike_times_ms.push((event.channel, f64::from(step) * network.dt_ms));
        }
    }
    let plan = Arc::new(spikelet_plan::Plan::new(&network).unwrap());
    let steps = (network.duration_ms / network.dt_ms).round() as u32;
    let variant = spikelet::Variant { network: Arc::new(network), plan, trial };
    block_on(async {
        let mut simulation = Simulation::of_trials(vec![variant], Box::new(spikelet::Cpu::new(1))).await.unwrap();
        simulation.advance(steps).await.unwrap().spikes
    })
}

fn sorted(mut spikes: Vec<Spike>) -> Vec<Spike> {
    spikes.sort_by_key(|spike| (spike.step, spike.neuron));
    spikes
}

#[test]
fn forward_has_the_spikes_of_a_simulation() {
    let mut count = 0;
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut training = random.training();
        training.train[0].tied = false;
        let plan = Arc::new(TrainingPlan::new(&training).unwrap());
        let batch = batch(&mut random, &plan, 11);
        let shifts: Vec<Vec<i32>> =
            plan.plan.populations.iter().map(|of| of.ports.iter().map(|port| port.shift).collect()).collect();
        assert_eq!(shifts, plan.values(&plan.parameters.values).unwrap().shifts, "seed {seed}");
        let mut cpu = Cpu::new(2);
        block_on(async {
            cpu.load(plan.clone(), 11).await.unwrap();
            cpu.set(Arc::new(plan.values(&plan.parameters.values).unwrap())).await.unwrap();
            cpu.forward(&batch, false).await.unwrap();
            for (trial, events) in batch.inputs.iter().enumerate() {
                let found = sorted(cpu.spikes(trial).await.unwrap());
                let expected = simulated(&plan.network, &training.input, events, 3 + trial as u32);
                let inner = expected.iter().filter(|spike| spike.neuron < plan.plan.populations[plan.input].first).count();
                count += inner;
                assert_eq!(found, sorted(expected), "seed {seed}, trial {trial}");
            }
        });
    }
    assert!(count > 1000, "{count} spikes");
}

/// Adjoints of a loss that is a sum of all readings, each by a factor.
fn factors(random: &mut Random, readings: &[Vec<f64>]) -> Vec<Vec<f64>> {
    readings.iter().map(|all| all.iter().map(|_| random.between(-1.0, 1.0)).collect()).collect()
}

fn loss(readings: &[Vec<f64>], factors: &[Vec<f64>]) -> f64 {
    readings.iter().flatten().zip(factors.iter().flatten()).map(|(reading, factor)| reading * factor).sum()
}

#[test]
fn gradients_of_soft_spikes_are_those_of_finite_differences() {
    let (mut worst, mut counts) = (0.0_f64, [0; 2]);
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let plan = Arc::new(TrainingPlan::new(&random.training()).unwrap());
        let batch = batch(&mut random, &plan, 2);
        let numbers: Vec<f64> = plan.parameters.values.iter().map(|number| f64::from(*number)).collect();
        let mut double = Double::new(plan.clone(), Spikes::Soft).unwrap();
        let mut forward = |numbers: &[f64]| {
            let readings = double.forward(Arc::new(plan.values_of(numbers).unwrap()), &batch).unwrap();
            (readings, (0..2).map(|trial| double.spikes(trial)).collect::<Vec<_>>())
        };
        let (readings, crossings) = forward(&numbers);
        let factors = factors(&mut random, &readings);
        let mut differences = Vec::new();
        for (index, group) in plan.parameters.groups.iter().enumerate() {
            let (first, last) = (group.range.start, group.range.end - 1);
            for at in [first, (first + last) / 2, last] {
                let mut vary = |by: f64| {
                    let mut numbers = numbers.clone();
                    numbers[at] += by;
                    forward(&numbers)
                };
                let (above, below) = (vary(1e-6), vary(-1e-6));
                // Refractoriness follows the crossings, which must not change.
                if above.1 == crossings && below.1 == crossings {
                    differences.push((index, at, (loss(&above.0, &factors) - loss(&below.0, &factors)) / 2e-6));
                }
            }
        }
        forward(&numbers);
        let gradient = plan.gradient_of(&double.backward(&factors), &numbers);
        for (index, at, expected) in differences {
            let group = &plan.parameters.groups[index];
            let scale = gradient[group.range.clone()].iter().fold(1e-2, |largest: f64, of| largest.max(of.abs()));
            worst = worst.max((gradient[at] - expected).abs() / scale);
            counts[usize::from(matches!(group.kind, GroupKind::Neurons { .. }))] += 1;
            let error = (gradient[at] - expected).abs();
            assert!(error < 1e-5 * scale, "seed {seed}, {}: {}, expected {expected}", group.path, gradient[at]);
        }
    }
    assert!(counts[0] > 1000 && counts[1] > 1000, "{counts:?} numbers, worst {worst:e}");
}

#[test]
fn f32_has_the_gradient_of_f64() {
    let (mut worst, mut count) = (0.0_f32, 0);
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut training = random.training();
        let first_spike = LossTerm { reading: Reading::FirstSpike, ..training.loss[0].clone() };
        training.loss.push(first_spike);
        let plan = Arc::new(TrainingPlan::new(&training).unwrap());
        let batch = batch(&mut random, &plan, 10);
        let values = Arc::new(plan.values(&plan.parameters.values).unwrap());
        let mut double = Double::new(plan.clone(), Spikes::Hard).unwrap();
        let readings = double.forward(values.clone(), &batch).unwrap();
        let factors = factors(&mut random, &readings);
        let expected = double.backward(&factors);
        let mut cpu = Cpu::new(1);
        let (found, same) = block_on(async {
            cpu.load(plan.clone(), 10).await.unwrap();
            cpu.set(values.clone()).await.unwrap();
            cpu.forward(&batch, true).await.unwrap();
            let mut same = true;
            for trial in 0..10 {
                same &= cpu.spikes(trial).await.unwrap() == double.spikes(trial);
            }
            let factors = factors.iter().map(|all| all.iter().map(|factor| *factor as f32).collect()).collect();
            (cpu.backward(&Readings(factors)).await.unwrap(), same)
        });
        // A crossing that rounding changes is another network.
        if !same {
            continue;
        }
        count += 1;
        let found = plan.gradient(&found, &plan.parameters.values);
        let expected = plan.gradient(&expected, &plan.parameters.values);
        for group in &plan.parameters.groups {
            let (found, expected) = (&found[group.range.clone()], &expected[group.range.clone()]);
            let scale = expected.iter().fold(1e-2, |largest: f32, of| largest.max(of.abs()));
            for (found, expected) in found.iter().zip(expected) {
                let error = (found - expected).abs() / scale;
                worst = worst.max(error);
                assert!(error < 1e-3, "seed {seed}, {}: {found}, expected {expected}", group.path);
            }
        }
    }
    assert!(count > 180, "{count} networks, worst {worst:e}");
}

/// The gradient of a batch with these factors of a loss on the CPU, and the bytes of the tape.
fn gradient(plan: &Arc<TrainingPlan>, batch: &Batch, factors: &Readings, threads: usize) -> (RawGradient, u64) {
    let mut cpu = Cpu::new(threads);
    block_on(async {
        cpu.load(plan.clone(), batch.inputs.len()).await.unwrap();
        cpu.set(Arc::new(plan.values(&plan.parameters.values).unwrap())).await.unwrap();
        cpu.forward(batch, true).await.unwrap();
        (cpu.backward(factors).await.unwrap(), cpu.tape_bytes())
    })
}

/// Adjoints of all readings of a batch.
fn adjoints(random: &mut Random, plan: &TrainingPlan, trials: usize) -> Readings {
    let number = |of: &Readout| {
        let steps = if of.reading.is_by_step() { plan.steps as usize } else { 1 };
        plan.plan.populations[of.population].size as usize * steps * trials
    };
    let mut all = |count: usize| (0..count).map(|_| random.between(-1.0, 1.0) as f32).collect();
    Readings(plan.readouts.iter().map(number).collect::<Vec<_>>().into_iter().map(&mut all).collect())
}

#[test]
fn threads_and_segments_change_no_bit() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let training = random.training();
        let plan = Arc::new(TrainingPlan::new(&training).unwrap());
        let (batch, factors) = (batch(&mut random, &plan, 21), adjoints(&mut random, &plan, 21));
        let (expected, _) = gradient(&plan, &batch, &factors, 1);
        assert!(expected.weights.iter().flatten().any(|gradient| *gradient != 0.0));
        for threads in [2, 3] {
            assert_eq!(gradient(&plan, &batch, &factors, threads).0, expected, "seed {seed}, {threads} threads");
        }
        for segment in [1, 4, 7, 29, 30] {
            let tape = Tape { segment: Some(segment), ..Tape::default() };
            let plan = Arc::new(TrainingPlan::new(&Training { tape, ..training.clone() }).unwrap());
            assert_eq!(gradient(&plan, &batch, &factors, 2).0, expected, "seed {seed}, segments of {segment} steps");
        }
    }
}

/// Masks and several delays as matrices have the bits of the list of synapses.
#[test]
fn matrices_change_no_bit() {
    let (mut masked, mut delayed) = (0, 0);
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let plan = Arc::new(TrainingPlan::new(&random.training()).unwrap());
        let (batch, factors) = (batch(&mut random, &plan, 11), adjoints(&mut random, &plan, 11));
        let mut run = |by_list: bool| {
            let mut cpu = Cpu::new(1);
            block_on(async {
                cpu.load(plan.clone(), 11).await.unwrap();
                for connectivity in &mut cpu.loaded.as_mut().unwrap().setup.connectivities {
                    let delays = if connectivity.matrices.is_some() { connectivity.delays.len() } else { 0 };
                    masked += usize::from(delays == 1);
                    delayed += usize::from(delays > 1);
                    if by_list {
                        connectivity.matrices = None;
                    }
                }
                cpu.set(Arc::new(plan.values(&plan.parameters.values).unwrap())).await.unwrap();
                let readings = cpu.forward(&batch, true).await.unwrap();
                (readings, cpu.backward(&factors).await.unwrap())
            })
        };
        assert_eq!(run(false), run(true), "seed {seed}");
    }
    assert!(masked > 50 && delayed > 50, "{masked} and {delayed} projections");
}

#[test]
fn windows_and_detached_resets_are_those_of_f64() {
    let (mut count, mut differ) = (0, [0; 2]);
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let training = random.training();
        let whole = Arc::new(TrainingPlan::new(&training).unwrap());
        let (batch, factors) = (batch(&mut random, &whole, 3), adjoints(&mut random, &whole, 3));
        let (without, _) = gradient(&whole, &batch, &factors, 1);
        let tapes = [Tape { window: Some(8), ..Tape::default() }, Tape { detached_reset: true, ..Tape::default() }];
        for (tape, differ) in tapes.into_iter().zip(&mut differ) {
            let plan = Arc::new(TrainingPlan::new(&Training { tape, ..training.clone() }).unwrap());
            let mut double = Double::new(plan.clone(), Spikes::Hard).unwrap();
            double.forward(Arc::new(plan.values(&plan.parameters.values).unwrap()), &batch).unwrap();
            let wide = |of: &Vec<f32>| of.iter().map(|factor| f64::from(*factor)).collect();
            let expected = double.backward(&factors.0.iter().map(wide).collect::<Vec<_>>());
            let (found, _) = gradient(&plan, &batch, &factors, 1);
            *differ += usize::from(found != without);
            for (found, expected) in found.weights.iter().zip(&expected.weights) {
                let scale = expected.iter().fold(1e-2, |largest: f64, of| largest.max(of.abs()));
                let is_close = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-3 * scale);
                count += usize::from(is_close);
                assert!(is_close, "seed {seed}: {found:?}, expected {expected:?}");
            }
        }
    }
    assert!(count > 100 && differ[0] == 30 && differ[1] > 20, "{count}, {differ:?}");
}

/// The bytes of the tape of a network at this number of steps and with this memory.
fn tape_bytes(steps: u32, memory: Option<u64>) -> Result<u64, Error> {
    let mut training = Random::new(5).training();
    training.network.duration_ms = f64::from(steps) * training.network.dt_ms;
    training.tape.memory = memory;
    let mut cpu = Cpu::new(1);
    block_on(async {
        cpu.load(Arc::new(TrainingPlan::new(&training)?), 8).await?;
        Ok(cpu.tape_bytes())
    })
}

#[test]
fn the_tape_grows_with_the_steps_or_with_their_square_root() {
    let whole = |steps| tape_bytes(steps, None).unwrap();
    assert_eq!(whole(4000), 4 * whole(1000));
    // The largest memory that is refused, by bisection, is one byte less than what the best segments take.
    let least = |steps| {
        let (mut refused, mut fits) = (0, whole(steps));
        while fits - refused > 1 {
            let middle = u64::midpoint(refused, fits);
            *if tape_bytes(steps, Some(middle)).is_ok() { &mut fits } else { &mut refused } = middle;
        }
        fits as f64
    };
    let growth = least(16_000) / least(1_000);
    assert!((3.8..4.2).contains(&growth), "sixteen times the steps take {growth} times the memory");
    assert!(least(16_000) < whole(16_000) as f64 / 20.0);
}

#[test]
fn a_tape_that_does_not_fit_is_refused_with_the_segment_that_would() {
    let mut training = Random::new(5).training();
    training.network.duration_ms = 1000.0;
    let load = |training: &Training| {
        let plan = Arc::new(TrainingPlan::new(training).unwrap());
        block_on(async { Cpu::new(1).load(plan, 8).await.map_err(|error| error.to_string()) })
    };
    training.tape = Tape { segment: Some(900), memory: Some(1 << 21), ..Tape::default() };
    let error = load(&training).unwrap_err();
    let (_, after) = error.split_once("\"segment\": ").expect(&error);
    let segment = after.split_once(',').unwrap().0.parse().unwrap();
    training.tape.segment = Some(segment);
    load(&training).unwrap();
    training.tape = Tape { memory: Some(1000), ..Tape::default() };
    assert!(load(&training).unwrap_err().contains("use smaller batches"));
}

#[test]
fn an_exported_network_has_the_spikes_of_its_training() {
    let mut count = 0;
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let plan = Arc::new(TrainingPlan::new(&random.training()).unwrap());
        let batch = batch(&mut random, &plan, 2);
        // Some weights are tiny: a simulation alone would sum them more finely.
        let mut vary = |number: &f32| number * if random.unit() < 0.1 { 1e-7 } else { random.between(0.9, 1.4) as f32 };
        let numbers: Vec<f32> = plan
            .parameters
            .values
            .iter()
            .zip(0..)
            .map(|(number, at)| {
                let of_weights = plan
                    .parameters
                    .groups
                    .iter()
                    .any(|group| group.range.contains(&at) && matches!(group.kind, GroupKind::Weights { .. }));
                if of_weights { vary(number) } else { number * 1.1 }
            })
            .collect();
        let network = Network::from_json(&plan.network_with(&numbers).unwrap().to_json()).unwrap();
        let mut cpu = Cpu::new(1);
        block_on(async {
            cpu.load(plan.clone(), 2).await.unwrap();
            cpu.set(Arc::new(plan.values(&numbers).unwrap())).await.unwrap();
            cpu.forward(&batch, false).await.unwrap();
            for (trial, events) in batch.inputs.iter().enumerate() {
                let expected = simulated(&network, "input", events, 3 + trial as u32);
                count += expected.len();
                assert_eq!(cpu.spikes(trial).await.unwrap(), sorted(expected), "seed {seed}, trial {trial}");
            }
        });
    }
    assert!(count > 400, "{count} spikes");
}

#[test]
fn what_has_no_gradient_is_refused_with_a_way_out() {
    let training = Random::new(4).training();
    let refusal = |path: &str| {
        let mut training = training.clone();
        training.train[0].path = path.into();
        training.train.truncate(1);
        TrainingPlan::new(&training).unwrap_err().to_string()
    };
    for (path, expected) in [
        ("input_A.delay", "eventprop"),
        ("input_A.w", "write \"input_A\""),
        ("input.rate", "train the projections from it"),
        ("D.tau", "D"),
        ("A", "for example \"A."),
        ("A.size", "size"),
        ("A.tua", "tau"),
    ] {
        let found = refusal(path);
        assert!(found.contains("train[0].path") && found.contains(expected), "{path}: {found}");
    }
    let mut training = training.clone();
    training.network.populations[0].refractory = Some("rest".into());
    training.network.populations[0].parameters.insert("rest".into(), "2 ms".into());
    training.train.truncate(1);
    training.train[0].path = "A.rest".into();
    let found = TrainingPlan::new(&training).unwrap_err().to_string();
    assert!(found.contains("conditions"), "{found}");
}
