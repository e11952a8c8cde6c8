//! Runs of a network, in parts or at once, with everything that a user can see of them.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use spikelet::{
    ArrayEntry, Backend, Distribution, Double, Error, Indices, Measurement, Network, Owner, Plan, Recording, Simulation, Spike,
};

/// What is seen of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// Spikes, by step, then neuron.
    pub spikes: Vec<Spike>,
    /// The samples of recordings, row by row.
    pub samples: Vec<f64>,
    /// The names of the columns of samples.
    pub channels: Vec<String>,
    /// The step of the first row and the steps between two rows.
    pub every: u32,
    /// Statistics.
    pub statistics: Vec<(u32, String)>,
    /// All values by their path, after the last step.
    pub values: Vec<(String, Vec<f64>)>,
    /// The number of steps, and why the run ended if it ended earlier.
    pub end: (u32, Option<String>),
}

/// Whether a future waits for something that nothing can bring about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stuck;

/// Wakes by a flag.
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

/// Polls a future that depends on nothing outside of this thread.
///
/// # Errors
/// It waits, and nothing has woken it: ranks that wait for each other.
pub(super) fn poll<T>(future: impl Future<Output = T>) -> Result<T, Stuck> {
    let flag = Arc::new(Flag(AtomicBool::new(false)));
    let waker = Waker::from(flag.clone());
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(done) => return Ok(done),
            Poll::Pending if flag.0.swap(false, Ordering::AcqRel) => {}
            Poll::Pending => return Err(Stuck),
        }
    }
}

/// How a network is run.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// The most steps of a call.
    pub batch: u32,
    /// The step at which all values are read.
    pub look: Option<u32>,
    /// Whether all values are read at the end.
    pub ends: bool,
}

/// At once, with all values at the end.
impl Default for Pace {
    fn default() -> Pace {
        Pace { batch: u32::MAX, look: None, ends: true }
    }
}

/// The number of steps of a network.
pub(super) fn steps(network: &Network) -> u32 {
    network.steps() as u32
}

impl Seen {
    /// Of a simulation at its start.
    pub(super) fn new(simulation: &Simulation) -> Seen {
        let plan = simulation.plan();
        let channels = plan.channels.iter().map(|channel| channel.label.clone()).collect();
        Seen { channels, every: plan.sample_rows().every, ..Seen::default() }
    }

    /// Adds the results of some steps, up to the step `until` at most.
    ///
    /// # Errors
    /// An error of the simulation that is not the end of the run.
    pub(super) async fn advance(&mut self, simulation: &mut Simulation, until: u32, batch: u32) -> Result<(), Error> {
        while simulation.step() < until && !simulation.is_over() {
            let activity = simulation.advance(batch.min(until - simulation.step())).await?;
            self.spikes.extend(activity.spikes);
            self.samples.extend(activity.samples.into_iter().map(f64::from));
            self.statistics.extend(activity.statistics.iter().map(measured));
        }
        let why = simulation.stopped().map(|of| format!("`{}` was true", of.condition));
        let why = why.or_else(|| simulation.failure().map(ToString::to_string));
        self.end = (simulation.step(), why);
        Ok(())
    }

    /// Adds all values.
    ///
    /// # Errors
    /// A value that cannot be read.
    pub(super) async fn look(&mut self, simulation: &mut Simulation) -> Result<(), Error> {
        if simulation.failure().is_some() {
            return Ok(());
        }
        simulation.rewind().await?;
        self.values = values(simulation).await?;
        Ok(())
    }
}

/// Devices add the values in another order, so that the last digits of their mean differ.
fn measured(of: &Measurement) -> (u32, String) {
    let Distribution { finite, not_finite, mean, sd, min, max, below, above, counts } = &of.distribution;
    let numbers =
        format!("{finite}, {not_finite} not finite, {mean:.12e}, sd {sd:.9e}, {min} to {max}, {below}, {above}, {counts:?}");
    (of.step, format!("{}: {numbers}", of.statistic))
}

/// All values of neurons and synapses by their paths.
///
/// # Errors
/// A value that cannot be read.
pub(super) async fn values(simulation: &mut Simulation) -> Result<Vec<(String, Vec<f64>)>, Error> {
    let named = simulation.plan().arrays().named().filter(|(_, entry)| entry.length > 0);
    let paths: Vec<String> = named.map(|(_, entry)| entry.path.clone()).collect();
    let mut all = Vec::new();
    for path in paths {
        // A projection without synapses has no range of values.
        if let Ok(values) = simulation.values(0, &path).await {
            all.push((path, values));
        }
    }
    // As a file of weights has them.
    for of in simulation.synapse_state(0).await.unwrap_or_default() {
        for (name, values) in of.variables {
            let pairs = of.pairs.iter().map(|[pre, post]| f64::from(pre * 1000 + post));
            let values = values.into_iter().map(f64::from).chain(pairs).collect();
            all.push((format!("{}.{name} of a file", of.projection), values));
        }
    }
    Ok(all)
}

/// Runs a network.
///
/// # Errors
/// The network is invalid, or the device fails.
pub async fn run(network: &Network, backend: Box<dyn Backend>, pace: Pace) -> Result<Seen, Error> {
    let mut simulation = Simulation::new(network, backend).await?;
    run_through(&mut simulation, steps(network), pace).await
}

/// Runs a simulation from its start.
///
/// # Errors
/// The device fails.
pub(super) async fn run_through(simulation: &mut Simulation, steps: u32, pace: Pace) -> Result<Seen, Error> {
    let mut seen = Seen::new(simulation);
    if let Some(look) = pace.look {
        seen.advance(simulation, look.min(steps), pace.batch).await?;
        if !simulation.is_over() {
            values(simulation).await?;
        }
    }
    seen.advance(simulation, steps, pace.batch).await?;
    if pace.ends {
        seen.look(simulation).await?;
    }
    Ok(seen)
}

/// Runs a network with recordings of all variables in every step and one step more, whose samples are the state after the last step: in f64,
/// or on a device.
///
/// # Errors
/// The network is invalid, or the device fails.
pub(super) async fn traces(network: &Network, device: Option<Box<dyn Backend>>) -> Result<Seen, Error> {
    let mut network = network.clone();
    network.statistics.clear();
    network.recordings = recordings_of_all(&network)?;
    let steps = steps(&network);
    let (double, exact) = (Double::new(), device.is_none());
    let samples = double.samples();
    let mut simulation = Simulation::new(&network, device.unwrap_or_else(|| Box::new(double))).await?;
    let mut seen = run_through(&mut simulation, steps + 1, Pace { ends: false, ..Pace::default() }).await?;
    if exact {
        seen.samples = samples.rows(0..seen.end.0, seen.channels.len());
    }
    seen.spikes.retain(|spike| spike.step < steps);
    Ok(seen)
}

/// Recordings of all variables that change.
///
/// # Errors
/// The network is invalid.
pub(super) fn recordings_of_all(network: &Network) -> Result<Vec<Recording>, Error> {
    let mut without = network.clone();
    without.recordings.clear();
    without.statistics.clear();
    let plan = Plan::new(&without)?;
    let is_known = |object: &str| {
        network.population(object).is_some() || network.projections.iter().any(|projection| projection.name == object)
    };
    let changing = plan.arrays().named().filter(|(_, entry)| entry.length > 0 && !entry.is_parameter());
    let all = changing.filter_map(|(_, entry)| entry.path.split_once('.')).filter(|(object, _)| is_known(object));
    let recording = |(object, var): (&str, &str)| Recording {
        object: object.into(),
        var: var.into(),
        indices: Indices::All,
        ..Recording::default()
    };
    Ok(all.map(recording).collect())
}

/// A run of which nothing is seen but the values of neurons after the inputs and resets of its last step.
///
/// # Errors
/// The device fails.
pub(super) async fn settled(simulation: &mut Simulation) -> Result<Seen, Error> {
    let steps = steps(simulation.network());
    let mut seen = run_through(simulation, steps, Pace { ends: false, ..Pace::default() }).await?;
    (seen.samples, seen.channels) = (Vec::new(), Vec::new());
    if simulation.is_over() {
        return Ok(seen);
    }
    let of_neurons = |entry: &&ArrayEntry| matches!(entry.owner, Owner::Neurons { .. }) && !entry.is_parameter();
    let network = simulation.network();
    let is_population = |path: &str| path.split_once('.').is_some_and(|(object, _)| network.population(object).is_some());
    let named = simulation.plan().arrays().named().map(|(_, entry)| entry).filter(of_neurons);
    let paths: Vec<String> = named.map(|entry| entry.path.clone()).filter(|path| is_population(path)).collect();
    for path in paths {
        let values = simulation.values(0, &path).await?;
        seen.values.push((path, values));
    }
    Ok(seen)
}
