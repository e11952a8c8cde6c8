//! The product beside the gather, on one network in one run.

use std::sync::Arc;

use spikelet::{Backend, Epoch, Plan, Spike, Trial};
use spikelet_gpu::{Device, Gpu};

use super::gather::{Gather, Way, ways};

/// What came of it.
pub(crate) struct Comparison {
    /// The device.
    pub(crate) adapter: String,
    /// Each way to gather, with the steps a second it did when it was tried.
    pub(crate) tried: Vec<(Way, f64)>,
    /// Steps whose spikes were compared, and how many there were.
    pub(crate) compared: (u32, usize),
    /// Steps a second of the product, of each repetition.
    pub(crate) ours: Vec<f64>,
    /// Steps a second of the fastest way to gather, of each repetition.
    pub(crate) gather: Vec<f64>,
    /// Mean rate over the compared steps, in Hz.
    pub(crate) rate_hz: f64,
}

/// Tries all ways to gather, checks that the fastest one gives the product's spikes, and measures both in turns, `seconds` each time. `now`
/// is a clock in s. None where there is no adapter.
///
/// # Panics
/// The spikes differ.
pub(crate) async fn compare(
    plan: &Arc<Plan>,
    compared: u32,
    rounds: usize,
    seconds: f64,
    now: &dyn Fn() -> f64,
    say: &dyn Fn(String),
) -> Option<Comparison> {
    let device = Device::open().await.ok()?;
    let adapter = device.report().name.clone();
    let mut gather = Gather::load(plan).await?;
    let mut tried = Vec::new();
    for way in ways() {
        gather.start(way);
        // The first submission compiles.
        gather.advance(1).await;
        let (started, mut steps) = (now(), 0);
        while steps == 0 || now() - started < seconds / 4.0 && steps < 4096 {
            gather.advance(steps.max(2)).await;
            steps += steps.max(2);
        }
        let speed = f64::from(steps) / (now() - started);
        say(format!("{} of {:>3}, at most {:>5} workgroups: {speed:.2} steps/s", way.entry_point, way.size, way.max_groups));
        tried.push((way, speed));
    }
    let fastest = tried.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let (way, speed) = *fastest;
    gather.batch = ((0.05 * speed) as u32).max(1);

    let mut gpu = Gpu::new(device);
    gpu.load(vec![Trial { number: 0, plan: plan.clone() }]).await.expect("the plan fits");
    let mut step = 0;
    let spikes = advance(&mut gpu, &mut step, compared).await;
    gather.start(way);
    gather.advance(compared).await;
    let gathered = gather.spikes().await;
    assert_eq!(gathered.len(), spikes.len(), "the gather has another number of spikes");
    let first = gathered.iter().zip(&spikes).find(|(gathered, spike)| gathered != spike);
    assert_eq!(first, None, "the gather's spikes are others");
    say(format!("{compared} steps with the same {} spikes", spikes.len()));

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // About how many steps fill the time.
    let (mut of_ours, mut of_theirs) = (plan.epoch_steps, ((seconds * speed) as u32).max(1));
    advance(&mut gpu, &mut step, of_ours).await;
    for _ in 0..rounds {
        let started = now();
        let mut steps = 0;
        while steps == 0 || now() - started < seconds {
            advance(&mut gpu, &mut step, of_ours).await;
            steps += of_ours;
            of_ours = (of_ours * 2).min(64 * plan.epoch_steps);
        }
        ours.push(f64::from(steps) / (now() - started));
        // The log starts anew, the activity goes on as the product's does.
        let started = now();
        gather.advance(of_theirs).await;
        theirs.push(f64::from(of_theirs) / (now() - started));
        of_theirs = ((seconds * theirs[theirs.len() - 1]) as u32).max(1);
    }
    let rate_hz = spikes.len() as f64 / f64::from(plan.neurons()) / (f64::from(compared) * plan.dt_ms / 1000.0);
    Some(Comparison { adapter, tried, compared: (compared, spikes.len()), ours, gather: theirs, rate_hz })
}

async fn advance(gpu: &mut Gpu, step: &mut u32, steps: u32) -> Vec<Spike> {
    let activity = gpu.advance(Epoch::new(*step, steps)).await.expect("the device answers");
    *step += steps;
    activity.into_iter().flat_map(|of| of.spikes).collect()
}

/// The value in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl Comparison {
    /// All of it in some lines.
    pub(crate) fn summary(&self) -> String {
        let (way, _) = self.tried.iter().max_by(|one, other| one.1.total_cmp(&other.1)).expect("some way was tried");
        let ratios: Vec<f64> = self.ours.iter().zip(&self.gather).map(|(ours, gather)| ours / gather).collect();
        let list = |values: &[f64]| values.iter().map(|value| format!("{value:.1}")).collect::<Vec<_>>().join(" ");
        let [ours, gather, ratio] =
            [&self.ours, &self.gather, &ratios].map(|values| format!("{:.2} ({})", median(values), list(values)));
        format!(
            "{}; {:.2} Hz; {} equal spikes in {} steps\nours     {ours} steps/s\ngather   {gather} steps/s, {way:?}\nratio    {ratio}",
            self.adapter, self.rate_hz, self.compared.1, self.compared.0
        )
    }
}
