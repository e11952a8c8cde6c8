//! Gradients against finite differences, in f64; f32 against f64; threads.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::{Event, Readout, Training};

/// Random numbers of a test (Steele et al. 2014, SplitMix).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    fn chance(&mut self, p: f64) -> bool {
        self.between(0.0, 1.0) < p
    }
}

const DURATION: f64 = 40.0;

/// A projection of random pairs with weights between two bounds.
fn projection(random: &mut Random, pre: (&str, usize), post: (&str, usize), [low, high]: [f64; 2]) -> Value {
    let full = random.chance(0.5);
    let mut pairs = Vec::new();
    for from in 0..pre.1 {
        for to in 0..post.1 {
            if full || random.chance(0.6) {
                pairs.push([from, to]);
            }
        }
    }
    let weights: Vec<f64> = pairs.iter().map(|_| random.between(low, high)).collect();
    let delays = match random.below(3) {
        0 => json!(0.0),
        1 => json!(random.below(30) as f64 * 0.1),
        _ => json!(pairs.iter().map(|_| random.below(60) as f64 * 0.1).collect::<Vec<f64>>()),
    };
    let on_pre = "I_post += w";
    json!({"name": format!("{}_{}", pre.0, post.0), "pre": pre.0, "post": post.0, "pairs": pairs, "equations": "w : 1 (constant)",
           "on_pre": on_pre, "parameters": {"w": weights}, "delay_ms": delays, "storage": "stored"})
}

/// The equations of a random cell.
fn cell(random: &mut Random, name: &str, size: usize, fires: bool) -> Value {
    let mut taus = [random.between(5.0, 25.0), random.between(2.0, 12.0)];
    if (taus[0] - taus[1]).abs() < 0.2 {
        taus[0] += 1.0;
    }
    let (gain, rest) = (random.between(0.5, 3.0), random.between(-0.5, 0.5));
    // Some fire by themselves.
    let drive = if random.chance(0.2) { 1.2 } else { 0.0 };
    let equations = |suffix: &str| {
        format!("dv/dt = ({rest} + {drive} - v + {gain}*I)/({}*ms) : 1{suffix}\ndI/dt = -I/({}*ms) : 1", taus[0], taus[1])
    };
    if !fires {
        return json!({"name": name, "size": size, "equations": equations("")});
    }
    let reset = if random.chance(0.5) { format!("v = {}", rest - 0.1) } else { "v -= 1".to_owned() };
    let mut cell = json!({"name": name, "size": size, "threshold": format!("v > {}", rest + 1.0), "reset": reset});
    if random.chance(0.3) {
        cell["refractory"] = json!(format!("{}*ms", random.between(0.5, 4.0)));
        cell["equations"] = json!(equations(" (unless refractory)"));
    } else {
        cell["equations"] = json!(equations(""));
    }
    cell
}

/// A random training: layers with and without recurrence, and integrators.
fn training(random: &mut Random) -> Value {
    let inputs = 2 + random.below(4);
    let layers = 1 + random.below(3);
    let mut populations = Vec::new();
    let mut projections = Vec::new();
    let mut pre = ("input".to_owned(), inputs);
    for layer in 0..layers {
        let post = (format!("layer{layer}"), 2 + random.below(11));
        populations.push(cell(random, &post.0, post.1, true));
        let mean = 8.0 / pre.1 as f64;
        projections.push(projection(random, (&pre.0, pre.1), (&post.0, post.1), [mean - 1.5, mean + 1.5]));
        if random.chance(0.5) {
            projections.push(projection(random, (&post.0, post.1), (&post.0, post.1), [-1.0, 0.5]));
        }
        if layer > 0 && random.chance(0.3) {
            projections.push(projection(random, ("input", inputs), (&post.0, post.1), [-1.0, 2.0]));
        }
        pre = post;
    }
    if random.chance(0.6) {
        let size = 1 + random.below(3);
        populations.push(cell(random, "out", size, false));
        projections.push(projection(random, (&pre.0, pre.1), ("out", size), [-1.0, 2.0]));
    }
    let train: Vec<Value> = projections.iter().map(|of| json!({"path": of["name"]})).collect();
    json!({"name": "test", "network": {"name": "test", "dt_ms": 0.1, "duration_ms": DURATION, "populations": populations,
        "sources": [{"name": "input", "size": inputs, "spike_times_ms": []}], "projections": projections},
        "input": "input", "method": "eventprop", "train": train, "loss": [], "optimiser": {"type": "sgd", "rate": 0.1},
        "batch": 1, "epochs": 1})
}

/// Its plan, with readings of all its populations.
pub(super) fn plan(training: &Value) -> TrainingPlan {
    let training = Training::from_json(&training.to_string()).unwrap_or_else(|error| panic!("{error}"));
    let mut plan = TrainingPlan::new(&training).unwrap_or_else(|error| panic!("{error}"));
    for population in (0..plan.populations.len()).filter(|of| *of != plan.input) {
        let cell = cell::recognise(&plan.plan, population).unwrap_or_else(|error| panic!("{error}"));
        if cell.firing.is_some() {
            plan.readouts.push(Readout { population, observed: None, reading: Reading::FirstSpike });
            continue;
        }
        plan.populations[population].layout.observed.push(cell.arrays[0]);
        for reading in [Reading::Max, Reading::Mean, Reading::Last] {
            plan.readouts.push(Readout { population, observed: Some(0), reading });
        }
    }
    plan
}

pub(super) fn device<R: Real>(plan: &Arc<TrainingPlan>, threads: usize, trials: usize) -> EventProp<R> {
    let mut device = EventProp::new(threads).with_clip(0.0);
    device.load_now(plan.clone(), trials).unwrap_or_else(|error| panic!("{error}"));
    device
}

pub(super) fn inputs(random: &mut Random, channels: usize, count: usize) -> Arc<[Event]> {
    let mut events: Vec<Event> = (0..count)
        .map(|_| Event { time_ms: random.between(0.0, 0.7 * DURATION), channel: random.below(channels) as u32 })
        .collect();
    events.sort_by(|a, b| a.time_ms.total_cmp(&b.time_ms));
    events.into()
}

/// How often each neuron fires.
fn counts(device: &EventProp<f64>) -> Vec<(u32, u32)> {
    let tapes = device.loaded.iter().flat_map(|loaded| &loaded.tapes);
    let mut fired: Vec<(u32, u32)> = tapes.flat_map(|tape| &tape.spikes).map(|spike| (spike.population, spike.neuron)).collect();
    fired.sort_unstable();
    fired
}

fn loss(readings: &[Vec<f64>], coefficients: &[Vec<f64>]) -> f64 {
    let pairs = readings.iter().flatten().zip(coefficients.iter().flatten());
    pairs.map(|(reading, by)| if *by == 0.0 { 0.0 } else { reading * by }).sum()
}

#[test]
fn gradients_are_finite_differences_of_spike_times_and_potentials() {
    let (mut compared, mut skipped, mut spikes) = (0, 0, 0);
    for seed in 0..200 {
        let mut random = Random(seed);
        let training = training(&mut random);
        let plan = Arc::new(plan(&training));
        let channels = plan.plan.populations[plan.input].size as usize;
        let count = 2 + random.below(12);
        let batch = Batch { inputs: vec![inputs(&mut random, channels, count)], first_trial: 0 };
        let mut device = device::<f64>(&plan, 1, 1);
        let weights: Vec<Vec<f64>> = plan.projections.iter().map(|of| of.weights.clone()).collect();
        let mut read = |weights: &[Vec<f64>]| {
            device.set_now(&DeviceValues { weights: weights.to_vec(), ..DeviceValues::default() }).unwrap();
            let readings = device.read(&batch).unwrap();
            (readings, counts(&device))
        };
        let (readings, base) = read(&weights);
        spikes += base.len();
        // A time that is infinite is not part of the loss.
        let mut coefficient = |reading: &f64| if reading.is_finite() { random.between(-1.0, 1.0) } else { 0.0 };
        let coefficients: Vec<Vec<f64>> = readings.iter().map(|of| of.iter().map(&mut coefficient).collect()).collect();
        let differences: Vec<(usize, usize, Option<f64>)> = (0..plan.projections.len())
            .flat_map(|projection| (0..weights[projection].len()).map(move |synapse| (projection, synapse)))
            .filter(|_| random.chance(0.1))
            .map(|(projection, synapse)| {
                let h = 1e-6;
                let moved = [h, -h].map(|by| {
                    let mut weights = weights.clone();
                    weights[projection][synapse] += by;
                    read(&weights)
                });
                let is_same = moved.iter().all(|(_, counts)| *counts == base);
                let [up, down] = moved.map(|(readings, _)| loss(&readings, &coefficients));
                (projection, synapse, is_same.then_some((up - down) / (2.0 * h)))
            })
            .collect();
        read(&weights);
        let gradient = device.gradients(&coefficients).unwrap();
        for (projection, synapse, expected) in differences {
            let Some(expected) = expected else {
                skipped += 1;
                continue;
            };
            let found = gradient.weights[projection][synapse];
            let error = (found - expected).abs();
            assert!(
                error <= 1e-3 * expected.abs() + 1e-6,
                "seed {seed}, `{}`, synapse {synapse}: {found}, finite difference {expected}",
                plan.plan.projections[projection].name
            );
            compared += 1;
        }
    }
    assert!(compared > 1000 && skipped * 50 < compared && spikes > 5000, "{compared} {skipped} {spikes}");
}

/// An input onto a cell with τm = 2 τs = 10 ms, whose spike time has a closed form (Göltz et al. 2021, Nature Machine Intelligence 3:823): with
/// x = e^(−t/τm) the potential is w (x − x²).
fn closed_form(weight: f64) -> (TrainingPlan, f64, f64) {
    let cell = json!({"name": "cell", "size": 1, "equations": "dv/dt = (I - v)/(10*ms) : 1\ndI/dt = -I/(5*ms) : 1",
                      "threshold": "v > 1", "reset": "v = 0"});
    let projection = json!({"name": "in", "pre": "input", "post": "cell", "pairs": [[0, 0]], "equations": "w : 1 (constant)",
                            "on_pre": "I_post += w", "parameters": {"w": [weight]}, "delay_ms": 0.0, "storage": "stored"});
    let training = json!({"name": "test", "network": {"name": "test", "dt_ms": 0.1, "duration_ms": DURATION, "populations": [cell],
        "sources": [{"name": "input", "size": 1, "spike_times_ms": []}], "projections": [projection]},
        "input": "input", "method": "eventprop", "train": [{"path": "in"}], "loss": [],
        "optimiser": {"type": "sgd", "rate": 0.1}, "batch": 1, "epochs": 1});
    let root = (1.0 - 4.0 / weight).sqrt();
    let x = 0.5 * (1.0 + root);
    (plan(&training), -10.0 * x.ln(), -10.0 / x / (weight * weight * root))
}

/// The time of the spike after an input at 2 ms, and its derivative.
fn spike_time<R: Real>(plan: &Arc<TrainingPlan>, device: &mut EventProp<R>) -> (f64, f64) {
    let values = DeviceValues { weights: vec![plan.projections[0].weights.clone()], ..DeviceValues::default() };
    device.set_now(&values).unwrap();
    let input: Arc<[Event]> = [Event { time_ms: 2.0, channel: 0 }].into();
    let time = device.read(&Batch { inputs: vec![input], first_trial: 0 }).unwrap()[0][0];
    let gradient = device.gradients(&[vec![R::of(1.0)]]).unwrap();
    (time.to_f64() - 2.0, gradient.weights[0][0])
}

#[test]
fn a_spike_has_the_time_and_the_derivative_of_the_closed_form() {
    for weight in [4.01, 4.2, 5.0, 7.3, 20.0, 500.0] {
        let (plan, time, derivative) = closed_form(weight);
        let plan = Arc::new(plan);
        let (found, gradient) = spike_time(&plan, &mut device::<f64>(&plan, 1, 1));
        assert!((found - time).abs() < 1e-9 && (gradient / derivative - 1.0).abs() < 1e-9, "{weight}: {found} {gradient}");
        let (found, gradient) = spike_time(&plan, &mut device::<f32>(&plan, 1, 1));
        assert!((found - time).abs() < 1e-3 * time && (gradient / derivative - 1.0).abs() < 0.01, "{weight}: {found} {gradient}");
    }
}

#[test]
fn below_the_threshold_there_is_no_spike() {
    let (plan, _, _) = closed_form(4.0 - 1e-9);
    let plan = Arc::new(plan);
    let (time, gradient) = spike_time(&plan, &mut device::<f64>(&plan, 1, 1));
    assert_eq!((time, gradient), (f64::INFINITY, 0.0));
}

#[test]
fn the_derivative_of_a_grazing_spike_is_limited_and_reported() {
    let (plan, time, derivative) = closed_form(4.0 + 1e-5);
    let plan = Arc::new(plan);
    let mut device = EventProp::<f64>::new(1).with_clip(0.1);
    device.load_now(plan.clone(), 1).unwrap();
    assert!(device.notices().is_empty());
    let (found, gradient) = spike_time(&plan, &mut device);
    assert!((found - time).abs() < 1e-6);
    // The slope is 0.1 in place of i − 1; λi there is e^(−t/τs) − e^(−t/τm), times τm over the slope.
    let x = (-time / 10.0).exp();
    assert!((gradient + (x - x * x) * 10.0 / 0.1).abs() < 1e-6, "{gradient} {derivative}");
    assert_eq!(device.limited(), 1);
    assert!(device.notices()[0].to_string().starts_with("1 spikes grazed the threshold"), "{}", device.notices()[0]);
}

#[test]
fn gradients_of_delays_are_finite_differences() {
    let (mut compared, mut skipped) = (0, 0);
    for seed in 500..530 {
        let mut random = Random(seed);
        let plan = Arc::new(plan(&training(&mut random)));
        let channels = plan.plan.populations[plan.input].size as usize;
        let batch = Batch { inputs: vec![inputs(&mut random, channels, 8)], first_trial: 0 };
        let mut device = EventProp::<f64>::new(1).with_clip(0.0).with_delays();
        device.load_now(plan.clone(), 1).unwrap();
        device.set_now(&plan.values(&plan.parameters.values).unwrap()).unwrap();
        for projection in 0..plan.projections.len() {
            let delays: Vec<f64> = plan.projections[projection].targets.iter().map(|_| random.between(0.1, 5.0)).collect();
            device.set_delays(projection, &delays).unwrap();
            let readings = device.read(&batch).unwrap();
            let base = counts(&device);
            let mut coefficient = |reading: &f64| if reading.is_finite() { random.between(-1.0, 1.0) } else { 0.0 };
            let coefficients: Vec<Vec<f64>> = readings.iter().map(|of| of.iter().map(&mut coefficient).collect()).collect();
            device.gradients(&coefficients).unwrap();
            let gradient = device.delay_gradient()[projection].clone();
            for synapse in (0..delays.len()).step_by(7) {
                let h = 1e-6;
                let moved = [h, -h].map(|by| {
                    let mut delays = delays.clone();
                    delays[synapse] += by;
                    device.set_delays(projection, &delays).unwrap();
                    let readings = device.read(&batch).unwrap();
                    (loss(&readings, &coefficients), counts(&device) == base)
                });
                device.set_delays(projection, &delays).unwrap();
                if !moved.iter().all(|(_, is_same)| *is_same) {
                    skipped += 1;
                    continue;
                }
                let expected = (moved[0].0 - moved[1].0) / (2.0 * h);
                let found = gradient[synapse];
                assert!((found - expected).abs() <= 1e-3 * expected.abs() + 1e-6, "seed {seed}: {found}, {expected}");
                compared += 1;
            }
        }
    }
    assert!(compared > 300 && skipped * 50 < compared, "{compared} {skipped}");
}

#[test]
fn delays_that_cannot_be_are_refused() {
    let (plan, ..) = closed_form(5.0);
    let plan = Arc::new(plan);
    let mut device = EventProp::<f64>::new(1);
    let error = |result: Result<(), Error>| result.map_or_else(|error| error.to_string(), |()| "accepted".to_owned());
    assert!(error(device.set_delays(0, &[1.0])).contains("call `load` first"));
    device.load_now(plan.clone(), 1).unwrap();
    assert!(error(device.set_delays(0, &[1.0])).contains("with_delays"));
    let mut device = device.with_delays();
    device.load_now(plan, 1).unwrap();
    assert!(error(device.set_delays(1, &[1.0])).contains("projection 1"));
    assert!(error(device.set_delays(0, &[1.0, 2.0])).contains("there are 1 synapses"));
    assert!(error(device.set_delays(0, &[-1.0])).contains("not negative"));
    assert_eq!(error(device.set_delays(0, &[1.0])), "accepted");
}

/// A batch of random trials and random adjoints.
fn run<R: Real>(plan: &Arc<TrainingPlan>, seed: u64, threads: usize, trials: usize) -> (Vec<Vec<R>>, RawGradient) {
    let mut random = Random(seed);
    let mut device = device::<R>(plan, threads, trials);
    let values = plan.values(&plan.parameters.values).unwrap();
    device.set_now(&values).unwrap();
    let channels = plan.plan.populations[plan.input].size as usize;
    let batch = Batch { inputs: (0..trials).map(|_| inputs(&mut random, channels, 8)).collect(), first_trial: 0 };
    let readings = device.read(&batch).unwrap();
    let adjoints: Vec<Vec<R>> = readings.iter().map(|of| of.iter().map(|_| R::of(random.between(-1.0, 1.0))).collect()).collect();
    let gradient = device.gradients(&adjoints).unwrap();
    assert!(device.tape_bytes() > 0);
    (readings, gradient)
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for seed in 300..305 {
        let plan = Arc::new(plan(&training(&mut Random(seed))));
        let one = run::<f32>(&plan, seed, 1, 37);
        for threads in [2, 3] {
            let more = run::<f32>(&plan, seed, threads, 37);
            assert!(one == more, "seed {seed}, {threads} threads");
        }
    }
}

/// The readings and gradients of f32 are those of f64, but for networks in which a spike is lost or made by rounding.
#[test]
fn f32_has_the_results_of_f64() {
    let (mut same, mut other) = (0, 0);
    for seed in 400..460 {
        let plan = Arc::new(plan(&training(&mut Random(seed))));
        let (exact, gradient) = run::<f64>(&plan, seed, 1, 1);
        let (rounded, rounded_gradient) = run::<f32>(&plan, seed, 1, 1);
        let is_near = |exact: f64, rounded: f64| exact == rounded || (exact - rounded).abs() <= 1e-3 * (1.0 + exact.abs());
        let times = exact.iter().flatten().zip(rounded.iter().flatten());
        let times = times.clone().all(|(exact, rounded)| is_near(*exact, rounded.to_f64()));
        let scale = gradient.weights.iter().flatten().fold(0.0, |most: f64, of| most.max(of.abs()));
        let pairs = gradient.weights.iter().flatten().zip(rounded_gradient.weights.iter().flatten());
        let gradients = pairs.clone().all(|(exact, rounded)| (exact - rounded).abs() <= 1e-2 * scale);
        if times && gradients { same += 1 } else { other += 1 }
    }
    assert!(same >= 55, "{same} of {}", same + other);
}

/// What a change of a training by `edit` is refused with.
fn refusal(edit: impl Fn(&mut Value)) -> String {
    let mut training = training(&mut Random(7));
    training["network"]["populations"][0] = json!({"name": "layer0", "size": training["network"]["populations"][0]["size"],
        "equations": "dv/dt = (I - v)/(20*ms) : 1\ndI/dt = -I/(5*ms) : 1", "threshold": "v > 1", "reset": "v = 0"});
    edit(&mut training);
    let training = Training::from_json(&training.to_string()).unwrap_or_else(|error| panic!("{error}"));
    let plan = match TrainingPlan::new(&training) {
        Ok(plan) => Arc::new(plan),
        Err(error) => panic!("{error}"),
    };
    EventPropCpu::new(1).load_now(plan, 1).map_or_else(|error| error.to_string(), |()| "accepted".to_owned())
}

#[test]
fn cells_that_have_no_closed_form_are_refused_with_the_reason() {
    assert_eq!(refusal(|_| {}), "accepted");
    let set = |key: &'static str, value: &'static str| {
        refusal(move |training| training["network"]["populations"][0][key] = json!(value))
    };
    let with = |equations: &'static str| set("equations", equations);
    for (found, expected) in [
        (with("dv/dt = (I*v - v)/(20*ms) : 1\ndI/dt = -I/(5*ms) : 1"), "coefficients that are not constant"),
        (with("dv/dt = (I - v*v)/(20*ms) : 1\ndI/dt = -I/(5*ms) : 1"), "is not linear in `v`"),
        (with("dv/dt = (I - v)/(5*ms) : 1\ndI/dt = -I/(5*ms) : 1"), "differ by less than 1 %"),
        (with("dv/dt = (I - v)/(5*ms) : 1\ndI/dt = (0.1 - I)/(6*ms) : 1"), "does not decay to 0"),
        (with("dv/dt = (I - v)/(20*ms) : 1\ndI/dt = (J - I)/(5*ms) : 1\ndJ/dt = -J/ms : 1"), "has 3 differential equations"),
        (with("dv/dt = (I - v)/(20*ms) + 0.1*xi*ms**-0.5 : 1\ndI/dt = -I/(5*ms) : 1"), "has noise"),
        (with("dv/dt = (I + sin(t/ms) - v)/(20*ms) : 1\ndI/dt = -I/(5*ms) : 1"), "coefficients that are not constant"),
        (set("threshold", "v > 1 - I"), "coefficients that are not constant"),
        (set("threshold", "v*v > 1"), "another threshold"),
        (set("reset", "v += 1"), "a reset that is not below its threshold"),
        (set("reset", "v = 0.5*v"), "another reset"),
        (set("refractory", "2*ms"), "moves while it is refractory"),
    ] {
        assert!(found.contains(expected) && found.contains("populations[0]"), "{found}; expected {expected}");
        assert!(found.contains("EventProp is defined for"), "{found}");
    }
}
