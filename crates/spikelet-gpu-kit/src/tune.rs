//! The constants of the GPU backend, one by one.

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Instant;

use pollster::block_on;
use serde_json::{Value, json};
use spikelet::{Backend, BuildOptions, Builder, Epoch, Error, Plan, Trial, catalogue};
use spikelet_gpu::{Device, Gpu, GpuOptions};

use crate::Problem;
use crate::item::{begin, emit, open};
use crate::options::Options;

/// A case, a constant that may matter for it, and the values that are tried. The usual value is among them.
type Comparison = (&'static str, &'static str, &'static [u64]);

/// The cheapest cases first; the plan of a case is built once.
const TRIALS: [Comparison; 16] = [
    ("cuba/published", "in_flight", &[3, 2, 4, 6]),
    ("cuba/published", "workgroup_size", &[64, 128, 256]),
    ("lif/1e3", "single_neurons", &[1024, 256, 512]),
    ("lif/1e3", "single_items", &[4096, 512, 16_384]),
    ("lattice/25", "single_items", &[4096, 512, 16_384]),
    ("lif/1e4", "in_flight", &[3, 2, 4, 6]),
    ("lif/1e4", "workgroup_size", &[64, 128, 256]),
    ("lif/1e5", "spike_teams", &[256, 64, 128, 512, 1024, 2048]),
    ("lif/1e5", "workgroup_size", &[64, 128, 256]),
    ("million/published", "drawing_teams", &[2048, 512, 1024, 4096, 8192]),
    ("million/published", "drawn_parts", &[32, 8, 16, 64]),
    ("million/published", "workgroup_size", &[64, 128, 256]),
    ("million/published", "events_per_submission", &[1 << 26, 1 << 24, 1 << 28]),
    ("pd14/full", "spike_teams", &[256, 64, 512, 1024, 2048]),
    ("pd14/full", "workgroup_size", &[64, 128, 256]),
    ("pd14/full", "events_per_submission", &[1 << 26, 1 << 24, 1 << 28]),
];
const TRIALS_OF_REHEARSAL: [Comparison; 2] = [("lif/1e2", "in_flight", &[3, 2]), ("lif/1e2", "single_neurons", &[1024, 50])];

/// Time of a measurement, and of what comes before it, in seconds.
const SECONDS: f64 = 0.15;
const SECONDS_OF_REHEARSAL: f64 = 0.05;
/// Measurements, of which the median counts.
const ROUNDS: usize = 3;
/// Maximum number of steps of a measurement.
const MAX_STEPS: u32 = 1 << 18;
/// Minimum gain to prefer another value: smaller differences are noise.
const WORTH_IT: f64 = 1.03;

/// Tries all values, from the first on that was not tried yet.
///
/// # Errors
/// There is no GPU, or a case cannot be measured.
pub(crate) fn run(options: &Options) -> Result<(), Problem> {
    let trials = if options.rehearse { TRIALS_OF_REHEARSAL.as_slice() } else { &TRIALS };
    let seconds = if options.rehearse { SECONDS_OF_REHEARSAL } else { SECONDS };
    let device = open(options)?;
    let mut loaded: Option<(&str, Arc<Plan>, u32)> = None;
    let items = trials.iter().flat_map(|(case, option, values)| values.iter().map(move |value| (*case, *option, *value)));
    for (item, (case, option, value)) in items.enumerate().skip(options.from) {
        begin(item, &format!("{case}, {option} {value}"));
        let (plan, steps) = match &loaded {
            Some((of, plan, steps)) if *of == case => (plan.clone(), *steps),
            _ => {
                // The memory of the last one is free before the next one is built.
                drop(loaded.take());
                let plan = plan(case)?;
                let steps = calibrate(&device, &plan, seconds)?;
                (plan, steps)
            }
        };
        loaded = Some((case, plan.clone(), steps));
        let mut options = GpuOptions::default();
        options.set_constant(option, value)?;
        let speed = measure(&device, options, &plan, steps)?;
        emit(&json!({"kind": "tune", "option": option, "value": value, "case": case, "steps_per_s": speed}));
    }
    Ok(())
}

fn plan(name: &str) -> Result<Arc<Plan>, Error> {
    let case = catalogue::cases().into_iter().find(|case| case.name() == name);
    let case = case.ok_or_else(|| Error::Backend(format!("there is no case {name}; report this error")))?;
    let threads = available_parallelism().unwrap_or(std::num::NonZeroUsize::MIN);
    let network = case.network()?;
    let plan = Builder::new(&network, BuildOptions { threads, ..BuildOptions::default() })?.finish()?;
    Ok(Arc::new(plan))
}

fn load(device: &Device, options: GpuOptions, plan: &Arc<Plan>) -> Result<Gpu, Error> {
    let mut gpu = Gpu::with_options(device.clone(), options)?;
    block_on(gpu.load(vec![Trial { number: 0, plan: plan.clone() }]))?;
    Ok(gpu)
}

/// The number of steps that take about this time with the usual constants: a multiple of an epoch.
fn calibrate(device: &Device, plan: &Arc<Plan>, seconds: f64) -> Result<u32, Error> {
    let mut gpu = load(device, GpuOptions::default(), plan)?;
    let (mut first, mut steps) = (0, plan.epoch_steps.max(1));
    loop {
        let begun = Instant::now();
        block_on(gpu.advance(Epoch::new(first, steps)))?;
        if begun.elapsed().as_secs_f64() > seconds || steps >= MAX_STEPS {
            return Ok(steps);
        }
        (first, steps) = (first + steps, steps * 2);
    }
}

/// Steps per second after as many steps, the same for all values.
fn measure(device: &Device, options: GpuOptions, plan: &Arc<Plan>, steps: u32) -> Result<f64, Error> {
    let mut gpu = load(device, options, plan)?;
    let mut speeds = Vec::new();
    for round in 0..=ROUNDS as u32 {
        let begun = Instant::now();
        block_on(gpu.advance(Epoch::new(round * steps, steps)))?;
        speeds.push(f64::from(steps) / begun.elapsed().as_secs_f64());
    }
    // The first steps compile and fill caches.
    let speeds = &mut speeds[1..];
    speeds.sort_by(f64::total_cmp);
    Ok(speeds[ROUNDS / 2])
}

/// The best value of each constant for each case, of the lines of all values; the usual one unless another is clearly faster.
pub(crate) fn best(lines: &[Value]) -> Vec<Value> {
    let usual = GpuOptions::default();
    let mut found: Vec<Value> = Vec::new();
    for line in lines {
        let is_known = found.iter().any(|best| best["option"] == line["option"] && best["case"] == line["case"]);
        let (Some(option), false) = (line["option"].as_str(), is_known) else { continue };
        let own = || lines.iter().filter(|other| other["option"] == line["option"] && other["case"] == line["case"]);
        let speed = |of: &Value| of["steps_per_s"].as_f64().unwrap_or(0.0);
        let Some(before) = own().find(|of| of["value"].as_u64() == usual.constant(option)) else { continue };
        let Some(fastest) = own().max_by(|one, other| speed(one).total_cmp(&speed(other))) else { continue };
        let gain = speed(fastest) / speed(before).max(f64::MIN_POSITIVE);
        let (value, gain) = if gain >= WORTH_IT { (&fastest["value"], gain) } else { (&before["value"], 1.0) };
        found.push(json!({"kind": "best", "option": option, "value": value, "case": line["case"], "gain": gain}));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trial_has_the_usual_value_and_a_case() {
        let known: Vec<String> = catalogue::cases().iter().map(catalogue::Case::name).collect();
        for (case, option, values) in TRIALS.iter().chain(&TRIALS_OF_REHEARSAL) {
            assert!(known.iter().any(|name| name == case), "there is no case {case}");
            assert_eq!(GpuOptions::default().constant(option), values.first().copied(), "{option}");
            for value in *values {
                GpuOptions::default().set_constant(option, *value).unwrap_or_else(|error| panic!("{error}"));
            }
        }
        // Each case is built once.
        let mut cases: Vec<&str> = TRIALS.iter().map(|(case, ..)| *case).collect();
        cases.dedup();
        let count = cases.len();
        cases.sort_unstable();
        cases.dedup();
        assert_eq!(cases.len(), count);
        for option in spikelet_gpu::CONSTANTS {
            assert!(TRIALS.iter().any(|(_, tried, _)| *tried == option), "{option} is not tried");
        }
    }

    #[test]
    fn the_best_value_is_clearly_faster() {
        let line = |option: &str, value: u64, case: &str, speed: f64| json!({"kind": "tune", "option": option, "value": value, "case": case, "steps_per_s": speed});
        let lines = [
            line("spike_teams", 256, "pd14/full", 100.0),
            line("spike_teams", 512, "pd14/full", 113.0),
            line("spike_teams", 1024, "pd14/full", 90.0),
            line("in_flight", 3, "cuba/published", 100.0),
            line("in_flight", 4, "cuba/published", 101.0),
            line("in_flight", 4, "lif/1e4", 101.0),
        ];
        let best = best(&lines);
        assert_eq!(best.len(), 2, "the usual value of the third was not measured: {best:?}");
        assert_eq!(best[0], json!({"kind": "best", "option": "spike_teams", "value": 512, "case": "pd14/full", "gain": 1.13}));
        assert_eq!((&best[1]["value"], &best[1]["gain"]), (&json!(3), &json!(1.0)));
    }
}
