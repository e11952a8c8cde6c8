//! `spikelet run --dry-run`: the memory of a network, drawn or expected.

mod device_view;
mod text;

use std::time::Duration;

use serde_json::{Value, json};
use spikelet::cost::ExpectedMemory;
use spikelet::{EdgePlan, Network, PerSynapse, Plan, ProjectionPlan};
use spikelet_gpu::{gpu_estimate, gpu_plan_of_trials};

use crate::args::RunArguments;
use crate::build;
use crate::failure::Failure;
use crate::forecast::{NOMINAL_HZ, expected_rate};
use device_view::{DeviceView, GpuMemory};

/// Stored synapses and neurons up to which a network is drawn unasked: a fraction of a second.
const CHEAP: f64 = 4e6;

/// Whether a network is quickly drawn.
pub(crate) fn is_cheap(expected: &ExpectedMemory) -> bool {
    let projections = expected.estimate.projections.iter().enumerate().filter(|(index, _)| expected.is_stored(*index));
    projections.map(|(_, of)| of.synapses).sum::<f64>() + expected.number_of_neurons() as f64 <= CHEAP
}

/// What a network takes.
pub(crate) struct Report {
    network: String,
    neurons: u64,
    synapses: u64,
    /// Whether its synapses were drawn; otherwise numbers are expected ones.
    exact: bool,
    seconds: f64,
    projections: Vec<Row>,
    /// Bytes of each array on a CPU.
    memory: Vec<(String, u64)>,
    /// Number of parallel trials, and the bytes of all of them.
    trials: u32,
    bytes_of_trials: u64,
    /// Bytes available, if known.
    available: Option<u64>,
    /// Recorded values of a row of samples.
    channels: u64,
    /// Bytes of samples, and of spikes, of all trials per second of biological time.
    samples_per_second: f64,
    spikes_per_second: f64,
    /// The time of which they are kept, and, while it moves on, those of as much time before.
    kept_ms: f64,
    gpus: Vec<DeviceView>,
    /// Synaptic events per second of biological time, and whether the rates are those of the catalogue.
    events: f64,
    known: bool,
}

/// A projection.
struct Row {
    name: String,
    synapses: u64,
    kept: &'static str,
    dropped: Option<u64>,
    incoming: DegreeRange,
    outgoing: DegreeRange,
}

/// Degrees of neurons.
enum DegreeRange {
    Counted { least: u32, mean: f64, most: u32 },
    AtMost(u32),
    Mean(f64),
    Nothing,
}

impl DegreeRange {
    fn counted(degrees: &[u32]) -> DegreeRange {
        let mean = degrees.iter().map(|degree| f64::from(*degree)).sum::<f64>() / degrees.len() as f64;
        match (degrees.iter().min(), degrees.iter().max()) {
            (Some(least), Some(most)) => DegreeRange::Counted { least: *least, mean, most: *most },
            _ => DegreeRange::Nothing,
        }
    }

    fn to_json(&self) -> Value {
        match self {
            DegreeRange::Counted { least, mean, most } => json!({"min": least, "mean": mean, "max": most}),
            DegreeRange::AtMost(most) => json!({"at_most": most}),
            DegreeRange::Mean(mean) => json!({"min": null, "mean": mean, "max": null}),
            DegreeRange::Nothing => json!({"min": null, "mean": 0.0, "max": null}),
        }
    }
}

/// What follows from mean rates.
struct Activity {
    events: f64,
    spikes: f64,
    known: bool,
}

impl Activity {
    /// Of populations, by name and size, and projections, by presynaptic population and synapses.
    fn new(network: &Network, populations: &[(&str, u32)], projections: impl Iterator<Item = (usize, f64)>) -> Activity {
        let rates: Vec<Option<f64>> = populations.iter().map(|(name, _)| expected_rate(&network.name, name)).collect();
        let rate = |population: usize| rates[population].unwrap_or(NOMINAL_HZ);
        Activity {
            events: projections.map(|(pre, synapses)| synapses * rate(pre)).sum(),
            spikes: populations.iter().enumerate().map(|(index, (_, size))| f64::from(*size) * rate(index)).sum(),
            known: rates.iter().any(Option::is_some),
        }
    }
}

impl Report {
    /// Of a plan that was drawn.
    pub(crate) fn of_plan(args: &RunArguments, network: &Network, plan: &Plan, took: Duration) -> Result<Report, Failure> {
        let trials = args.trials.get();
        let row = |of: &ProjectionPlan| Row {
            name: of.name.clone(),
            synapses: of.synapses(),
            kept: kept(of, matches!(of.edges, EdgePlan::Stored(_))),
            dropped: Some(of.degrees.dropped),
            incoming: match &of.degrees.at_most {
                Some((_, most)) if of.degrees.incoming.is_empty() => DegreeRange::AtMost(*most),
                _ => DegreeRange::counted(&of.degrees.incoming),
            },
            outgoing: DegreeRange::counted(&of.degrees.outgoing),
        };
        let sizes: Vec<(&str, u32)> = plan.populations.iter().map(|of| (of.name.as_str(), of.size)).collect();
        let activity = Activity::new(network, &sizes, plan.projections.iter().map(|of| (of.pre, of.synapses() as f64)));
        let gpus = device_view::all(args, |binding| gpu_plan_of_trials(plan, binding, trials).map(GpuMemory::of_plan))?;
        Ok(Report {
            synapses: plan.synapses(),
            exact: true,
            projections: plan.projections.iter().map(|of| row(of)).collect(),
            memory: plan.memory().into_iter().map(|(name, bytes)| (name.into(), bytes)).collect(),
            bytes_of_trials: plan.memory_of(trials),
            channels: plan.channels.len() as u64,
            samples_per_second: plan.samples_per_second() * f64::from(trials),
            ..Report::of_activity(args, network, u64::from(plan.neurons()), (activity, gpus, took))
        })
    }

    /// Of a network that was not drawn.
    pub(crate) fn of_expected(
        args: &RunArguments,
        network: &Network,
        expected: &ExpectedMemory,
        took: Duration,
    ) -> Result<Report, Failure> {
        let trials = args.trials.get();
        let projections = || expected.sample.projections.iter().zip(&expected.estimate.projections).enumerate();
        let row = |(index, (plan, of)): (usize, (&std::sync::Arc<ProjectionPlan>, &spikelet::ProjectionEstimate))| Row {
            name: of.name.clone(),
            synapses: of.synapses.round() as u64,
            kept: kept(plan, expected.is_stored(index)),
            dropped: None,
            incoming: DegreeRange::Mean(of.indegree()),
            outgoing: DegreeRange::Mean(of.outdegree()),
        };
        let sizes: Vec<(&str, u32)> = expected.populations.iter().map(|(name, size)| (name.as_str(), *size)).collect();
        let activity = Activity::new(network, &sizes, projections().map(|(_, (plan, of))| (plan.pre, of.synapses)));
        let gpus = device_view::all(args, |binding| {
            Ok(GpuMemory::of_estimate(gpu_estimate(expected, binding, trials)?, expected.sample.epoch_steps, binding))
        })?;
        Ok(Report {
            synapses: expected.estimate.synapses().round() as u64,
            projections: projections().map(row).collect(),
            memory: expected.memory().into_iter().map(|(name, bytes)| (name.into(), bytes)).collect(),
            bytes_of_trials: expected.bytes_of(trials),
            channels: expected.channels,
            samples_per_second: expected.samples_per_second() * f64::from(trials),
            ..Report::of_activity(args, network, expected.number_of_neurons(), (activity, gpus, took))
        })
    }

    /// What both have in common.
    fn of_activity(
        args: &RunArguments,
        network: &Network,
        neurons: u64,
        (activity, gpus, took): (Activity, Vec<DeviceView>, Duration),
    ) -> Report {
        let trials = args.trials.get();
        Report {
            network: network.name.clone(),
            neurons,
            synapses: 0,
            exact: false,
            seconds: took.as_secs_f64(),
            projections: Vec::new(),
            memory: Vec::new(),
            trials,
            bytes_of_trials: 0,
            available: build::options(args).memory,
            channels: 0,
            samples_per_second: 0.0,
            spikes_per_second: size_of::<spikelet::Spike>() as f64 * activity.spikes * f64::from(trials),
            kept_ms: args.keep.map_or(network.duration_ms, |kept| network.duration_ms.min(2.0 * kept)),
            gpus,
            events: activity.events,
            known: activity.known,
        }
    }

    fn bytes(&self) -> u64 {
        self.memory.iter().fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    /// Bytes of samples and spikes of all trials at the end of the run, where they are kept: with `--out`.
    fn recorded(&self) -> f64 {
        (self.samples_per_second + self.spikes_per_second) * self.kept_ms / 1000.0
    }

    /// The same as JSON. Its keys are part of the command line interface.
    pub(crate) fn to_json(&self) -> Value {
        let projection = |of: &Row| {
            json!({"name": of.name, "synapses": of.synapses, "kept": of.kept, "dropped": of.dropped,
                   "in_degree": of.incoming.to_json(), "out_degree": of.outgoing.to_json()})
        };
        json!({
            "network": self.network,
            "exact": self.exact,
            "neurons": self.neurons,
            "synapses": self.synapses,
            "build_seconds": self.seconds,
            "projections": self.projections.iter().map(projection).collect::<Vec<_>>(),
            "memory_bytes": self.bytes(),
            "memory": device_view::buffers(&self.memory),
            "trials": self.trials,
            "memory_bytes_of_trials": self.bytes_of_trials,
            "available_bytes": self.available,
            "recorded_values": self.channels,
            "sample_bytes_per_second": self.samples_per_second,
            "spike_bytes_per_second": self.spikes_per_second,
            "recorded_bytes": self.recorded().round(),
            "gpus": self.gpus.iter().map(DeviceView::to_json).collect::<Vec<_>>(),
            "synaptic_events_per_second": self.events,
            "rates_expected": self.known,
        })
    }
}

/// The storage of the synapses of a projection.
fn kept(projection: &ProjectionPlan, stored: bool) -> &'static str {
    match stored {
        true if projection.writes().any(|(_, write)| matches!(write.weights, PerSynapse::Half(_))) => "stored f16",
        true => "stored",
        false => "procedural",
    }
}
